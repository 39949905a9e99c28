"""A grid over a space, as a sampler of Optuna's kind."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from engines.spec import Value
from toolkit.errors import UsageError
from toolkit.tuning.dimension import Dimension
from toolkit.tuning.encounter import Point
from toolkit.tuning.space import Space

MOST_POINTS = 100_000


def grid_points(space: Space, values: int, seed: int, start: Point) -> list[Point]:
    """The points of a grid but the start, in an order that the seed shuffles, each once: all
    choices, and ``values`` evenly spread values of a range. Raises UsageError."""
    if values < 2:
        raise UsageError(f"a grid of {values} values a parameter: expected 2 or more")
    axes = [_axis(dimension, values) for dimension in space.dimensions]
    size = 1
    for axis in axes:
        size *= len(axis)
    if size > MOST_POINTS:
        raise UsageError(
            f"a grid of {size} points: at most {MOST_POINTS}; tune fewer parameters, or give "
            "--sampler-option points=2"
        )
    found: dict[tuple[tuple[str, Value], ...], Point] = {}
    for combination in product(*axes):
        point = space.restrict(dict(zip(space.names, combination, strict=True)))
        found.setdefault(tuple(point.items()), point)
    found.pop(tuple(start.items()), None)
    # Sorting by a hash is a shuffle that no version of a random module can change.
    return sorted(found.values(), key=lambda point: _digest(seed, point))


class PointsSampler(BaseSampler):
    """Gives listed points: trial ``n`` the ``n - 1``-th one, since trial 0 is the start."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = points

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Nothing: every parameter is given on its own."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Nothing."""
        return {}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value that the trial's point has."""
        return self._points[trial.number - 1][param_name]


def _axis(dimension: Dimension, values: int) -> list[Value]:
    if not dimension.ordered:
        return list(dimension.choices)
    spread = [dimension.from_unit(step / (values - 1)) for step in range(values)]
    return list(dict.fromkeys(spread))


def _digest(seed: int, point: Point) -> bytes:
    return hashlib.sha256(f"{seed} {sorted(point.items())}".encode()).digest()
