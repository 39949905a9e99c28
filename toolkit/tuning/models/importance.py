"""How much each parameter matters.

For trials that can be compared, this is Optuna's PED-ANOVA (Watanabe et al., IJCAI 2023): how much
the distribution of a parameter differs between the best tenth of the trials and all trials. It
ranks trials, so pass posterior means: the best tenth by raw means is the luckiest tenth. The trials
of an SPSA study cannot be ranked, because each compares two different points. There the response
surface estimates the Elo lost when a parameter moves away from the recommended value.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.tuning.models.surface import EloDifference, Surface
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

FEWEST_TRIALS = 20
"""Trials below which the best tenth is too small to say anything."""


@dataclass(frozen=True, slots=True)
class Importance:
    """Of one parameter; one of the two figures is known."""

    name: str
    share: float | None
    """Of trials: share of all importance, 0 to 1."""
    lost: EloDifference | None
    """Of SPSA: Elo lost on average over the values that were played."""


def of_trials(
    space: Space, points: Sequence[Point], values: Sequence[float]
) -> tuple[Importance, ...]:
    """Importance from trials of these values, more being better; the most important first.

    Empty where there are fewer than 20 trials. A parameter that never varied has 0.
    """
    if len(points) < FEWEST_TRIALS:
        return ()
    varied = {
        one.name: one.distribution()
        for one in space.dimensions
        if len({point[one.name] for point in points if one.name in point}) > 1
    }
    found = _ped_anova(varied, points, values) if varied and min(values) < max(values) else {}
    shares = [Importance(one.name, found.get(one.name, 0.0), None) for one in space.dimensions]
    return tuple(sorted(shares, key=lambda one: -(one.share or 0.0)))


def of_surface(space: Space, surface: Surface, point: Point) -> tuple[Importance, ...]:
    """Elo that each parameter of ``point`` would lose elsewhere; the greatest loss first."""
    found = [
        Importance(one.name, None, surface.lost(one.name, point))
        for one in space.dimensions
        if one.name in point
    ]
    return tuple(sorted(found, key=lambda one: -(one.lost.elo if one.lost else 0.0)))


def _ped_anova(
    distributions: Mapping[str, BaseDistribution], points: Sequence[Point], values: Sequence[float]
) -> dict[str, float]:
    """Shares of the importance, a conditional parameter's among them."""
    import optuna
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # not a word of the study in between
    try:
        study = optuna.create_study(direction="maximize")
    finally:
        optuna.logging.set_verbosity(verbosity)
    study.add_trials([_trial(distributions, *one) for one in zip(points, values, strict=True)])
    with warnings.catch_warnings():
        # A condition met by a single trial is correctly ignored; no need to warn about it.
        warnings.filterwarnings("ignore", message="Some regimes for parameter")
        return get_param_importances(
            study, evaluator=PedAnovaImportanceEvaluator(), params=list(distributions)
        )


def _trial(
    distributions: Mapping[str, BaseDistribution], point: Point, value: float
) -> FrozenTrial:
    """A finished trial, without what never varied."""
    from optuna.trial import create_trial

    names = [name for name in distributions if name in point]
    return create_trial(
        params={name: point[name] for name in names},
        distributions={name: distributions[name] for name in names},
        value=value,
    )
