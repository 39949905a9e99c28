"""A grid over a space, as a sampler of Optuna's kind."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from engines.spec import Value
from toolkit.base.errors import UsageError
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

if TYPE_CHECKING:
    from toolkit.tuning.settings import StudySettings

MOST_POINTS = 100_000
_VALUES = 5
"""Of an ordered parameter, unless the option ``points`` says otherwise."""


def grid_of(settings: StudySettings) -> list[Point]:
    """The points of a study whose sampler is ``grid``. Raises UsageError."""
    options = dict(settings.sampler_options)
    values = options.pop("points", _VALUES)
    if options or not isinstance(values, int) or isinstance(values, bool):
        raise UsageError("sampler grid has one option: points, a whole number")
    start = settings.space.restrict(settings.start)
    return grid_points(settings.space, values, settings.seed, start)


def grid_points(space: Space, values: int, seed: int, start: Point) -> list[Point]:
    """The points of a grid but the start, in an order that the seed shuffles, each once: all
    choices, and ``values`` evenly spread values of a range. Raises UsageError."""
    if not 2 <= values <= MOST_POINTS:
        raise UsageError(
            f"a grid of {values} values a parameter: expected 2 or more, at most {MOST_POINTS}"
        )
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
