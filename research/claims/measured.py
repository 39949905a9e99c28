"""The searches of an experiment as figures: means over positions with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from msgspec import Struct

from db.records.laboratory import LabSearchRecord
from toolkit.base.errors import UsageError
from toolkit.lab.cost import DepthCost, geometric_mean, interval_of, search_costs
from toolkit.lab.plan import LabPlan
from toolkit.stats.proportions import clopper_pearson

CostMeasure = Callable[[DepthCost], float]


class Figure(Struct, frozen=True):
    """A figure with its interval."""

    estimate: Annotated[float | None, "the estimate; null if nothing was measured"]
    low95: Annotated[
        float | None,
        "lower end of its 95 % interval over positions or pairs; null for too few of them",
    ]
    high95: Annotated[float | None, "upper end"]
    n: Annotated[int, "independent positions, or game pairs"]

    @property
    def half_width(self) -> float | None:
        """Half of the interval's width."""
        if self.low95 is None or self.high95 is None:
            return None
        return (self.high95 - self.low95) / 2


def figure_of_logs(logs: Sequence[float]) -> Figure:
    """The geometric mean of ratios, given by their logarithms, one a position."""
    ratio = geometric_mean(logs)
    return Figure(ratio.ratio, ratio.low, ratio.high, len(logs))


def figure_of_ratios(own: Mapping[int, float], other: Mapping[int, float]) -> Figure:
    """The geometric mean of one ratio over another one, both given by their logarithms, by
    position; positions that lack either are left out."""
    return figure_of_logs(
        [math.fsum([own[place], -other[place]]) for place in own if place in other]
    )


def figure_of_mean(values: Sequence[float]) -> Figure:
    """The mean of values, one a position; equal values say nothing of what others may be."""
    if not values:
        return Figure(None, None, None, 0)
    low, high = (interval_of(values) if len(set(values)) > 1 else None) or (None, None)
    return Figure(math.fsum(values) / len(values), low, high, len(values))


def figure_of_share(hits: int, n: int) -> Figure:
    """The share of positions of which something is true, with an exact binomial interval: a
    resample of equal positions has no spread."""
    if not n:
        return Figure(None, None, None, 0)
    return Figure(hits / n, *clopper_pearson(hits, n), n)


def figure_of_gain(won: int, lost: int, n: int) -> Figure:
    """How much more often something is true than of another engine, as a share of positions: it is
    won in some of them and lost in others. The ends are those of exact intervals of both shares at
    97.5 %, which hold together at 95 % (Bonferroni)."""
    if not n:
        return Figure(None, None, None, 0)
    gain, loss = (clopper_pearson(hits, n, chance=0.025) for hits in (won, lost))
    return Figure((won - lost) / n, gain[0] - loss[1], gain[1] - loss[0], n)


@dataclass(frozen=True)
class Measured:
    """The searches of one experiment."""

    plan: LabPlan
    searches: Sequence[LabSearchRecord]

    @property
    def depth(self) -> int:
        """The greatest depth."""
        return self.plan.depths[-1]

    def costs(self, engine: str, depth: int | None = None) -> dict[int, DepthCost]:
        """What an engine, as :attr:`LabPlan.names` calls it, spent up to a depth (default: the
        greatest), by position. Raises UsageError for an unknown engine."""
        if engine not in self._places:
            known = ", ".join(self._places)
            raise UsageError(f"engine {engine} is not in the measurement: {known}")
        wanted = self.depth if depth is None else depth
        found = self._costs[self._places[engine]]
        # A selective search may end before its depth, at a mate.
        return {place: one[wanted] for place, one in found.items() if wanted in one}

    def pairs(
        self, own: str, base: str, depth: int | None = None
    ) -> Iterator[tuple[int, DepthCost, DepthCost]]:
        """Each position that both engines searched, with the costs of both."""
        other = self.costs(base, depth)
        for place, cost in self.costs(own, depth).items():
            if place in other:
                yield place, cost, other[place]

    def ratio(self, own: str, base: str, cost: CostMeasure, depth: int | None = None) -> Figure:
        """The geometric mean of an engine's cost over that of another one on the same positions;
        positions where either is 0 are left out."""
        return figure_of_logs([*self.logs(own, base, cost, depth).values()])

    def logs(
        self, own: str, base: str, cost: CostMeasure, depth: int | None = None
    ) -> dict[int, float]:
        """The logarithms of the ratios of a cost, by position."""
        return {
            place: math.log(cost(one) / cost(other))
            for place, one, other in self.pairs(own, base, depth)
            if cost(one) > 0 and cost(other) > 0
        }

    def mean(self, engine: str, cost: CostMeasure, depth: int | None = None) -> Figure:
        """The mean of a cost over positions."""
        return figure_of_mean([cost(one) for one in self.costs(engine, depth).values()])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.plan.names)}

    @cached_property
    def _costs(self) -> dict[int, dict[int, dict[int, DepthCost]]]:
        """By engine, position and depth."""
        found: dict[int, dict[int, dict[int, DepthCost]]] = {
            place: {} for place in range(len(self.plan.engines))
        }
        for one in sorted(self.searches, key=lambda search: (search.engine, search.position)):
            costs = search_costs(one, last_only=self.plan.last_only)
            found[one.engine][one.position] = costs
        return found


def nodes(cost: DepthCost) -> int:
    """All nodes."""
    return cost.nodes


def leaves(cost: DepthCost) -> int:
    """Leaves, without the nodes of quiescence below them."""
    return cost.leaves


def cpu_time(cost: DepthCost) -> int:
    """CPU time, which other load on the machine changes somewhat."""
    return cost.cpu_us


def passes(cost: DepthCost) -> int:
    """Passes of the last iteration."""
    return len(cost.iteration.passes)


def iteration_nodes(cost: DepthCost) -> int:
    """All nodes of the last iteration alone."""
    return cost.iteration.nodes
