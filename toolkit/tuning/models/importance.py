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
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from toolkit.stats.elo import Z95
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

FEWEST_TRIALS = 20
"""Trials below which the best tenth is too small to say anything."""


class Importance(Struct, frozen=True):
    """How much one parameter matters, the most important ones first."""

    parameter: Annotated[str, "name"]
    method: Annotated[
        str,
        "`ped-anova`: share in what distinguishes better trials from the others; `surface` (SPSA): "
        "Elo lost with other values, from a surface fitted to the comparisons of points",
    ]
    importance: Annotated[float, "share, 0 to 1, or Elo"]
    error95: Annotated[float | None, "half the width of its 95 % interval; null for ped-anova"]
    trials: Annotated[int, "number of trials used"]


def of_trials(space: Space, points: Sequence[Point], values: Sequence[float]) -> list[Importance]:
    """Importance from trials of these values, more being better; the most important first.

    Empty where there are fewer than 20 trials. A parameter that never varied has 0.
    """
    if len(points) < FEWEST_TRIALS:
        return []
    varied = {
        one.name: one.distribution()
        for one in space.dimensions
        if len({point[one.name] for point in points if one.name in point}) > 1
    }
    found = _ped_anova(varied, points, values) if varied and min(values) < max(values) else {}
    shares = [
        Importance(name, "ped-anova", found.get(name, 0.0), None, len(points))
        for name in space.names
    ]
    return sorted(shares, key=lambda one: -one.importance)


def of_surface(space: Space, surface: Surface, point: Point, trials: int) -> list[Importance]:
    """Elo that each parameter of ``point`` would lose elsewhere; the greatest loss first."""
    lost = {
        one.name: surface.lost(one.name, point) for one in space.dimensions if one.name in point
    }
    found = [
        Importance(name, "surface", one.elo, Z95 * one.sd, trials) for name, one in lost.items()
    ]
    return sorted(found, key=lambda one: -one.importance)


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
