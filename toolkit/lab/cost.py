"""What a search of the laboratory cost, and ratios of costs with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from db.records.laboratory import LabSearchRecord
from toolkit.base.stored import stored
from toolkit.lab.effort import Cost, DepthEffort
from toolkit.stats.bootstrap import mean_interval

RESAMPLES = 2000
SEED = 7
LEAST_POSITIONS = 10
"""With fewer positions, the spread is unknown and bootstrap intervals are much too narrow."""


class DepthCost(Cost, frozen=True):
    """What one engine spent on one position at one depth."""

    wall_us: int
    """Meaningful only where one search is made at a time."""
    iteration: DepthEffort
    """The iteration of the depth itself."""


class Ratio(Struct, frozen=True):
    """A ratio with its interval; None if it is unknown."""

    ratio: float | None = None
    low: float | None = None
    high: float | None = None

    def named(self, name: str) -> dict[str, float | None]:
        """The fields of a row that has it under this name."""
        return {name: self.ratio, f"{name}_low95": self.low, f"{name}_high95": self.high}


def geometric_mean(logs: Sequence[float]) -> Ratio:
    """The geometric mean of ratios, given by their logarithms, one a position."""
    if not logs:
        return Ratio()
    ends = interval_of(logs)
    low, high = (None, None) if ends is None else (math.exp(ends[0]), math.exp(ends[1]))
    return Ratio(math.exp(math.fsum(logs) / len(logs)), low, high)


def interval_of(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean over positions; None if there are too few. It does not reach
    beyond the values: where most are equal, resamples have hardly any spread of their own and
    bootstrap-t goes astray."""
    if len(values) < LEAST_POSITIONS:
        return None
    ends = mean_interval(values, size=RESAMPLES, seed=SEED)
    return None if ends is None else (max(ends[0], min(values)), min(ends[1], max(values)))


def iterations_of(search: LabSearchRecord) -> list[DepthEffort]:
    """The iterations of a stored search. Raises DatabaseProblem."""
    return stored(list[DepthEffort], search.iterations, "iterations of a search")


def search_costs(search: LabSearchRecord, *, last_only: bool) -> dict[int, DepthCost]:
    """By depth: of all iterations up to it, or of it alone."""
    found: dict[int, DepthCost] = {}
    interior = leaves = quiescence = cpu_us = wall_us = 0
    for one in iterations_of(search):
        if last_only:
            interior = leaves = quiescence = cpu_us = wall_us = 0
        interior += one.interior
        leaves += one.leaves
        quiescence += one.quiescence
        # A clock of coarse ticks may have seen nothing of a very short search.
        cpu_us += max(one.cpu_us, 1)
        wall_us += max(one.wall_us, 1)
        found[one.depth] = DepthCost(interior, leaves, quiescence, cpu_us, wall_us, one)
    return found
