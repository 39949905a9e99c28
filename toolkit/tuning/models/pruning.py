"""Pruning of hopeless trials, and an estimate of its mistakes.

Optuna's Wilcoxon pruner compares a trial with the best one by pair number. Pair scores have few
values, so ties are frequent, and below some 14 pairs the test with ties is exact and slow; pruning
starts at 20 pairs or later. The pruner tests again after every pair, against a trial that leads by
luck, so it also prunes good points. The posterior of all trials shows afterwards how many.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

from toolkit.base.errors import UsageError
from toolkit.tuning.models.posterior import Surrogate
from toolkit.tuning.space.point import Point

if TYPE_CHECKING:
    from optuna.pruners import BasePruner

FEWEST_STARTUP_STEPS = 20
"""Minimum number of pairs before a trial may be pruned."""


class PruningSettings(Struct, frozen=True):
    """When a trial is given up."""

    startup_steps: int = 24
    """Pairs that every trial plays."""
    p_threshold: float = 0.1
    """Given up where the test finds it worse than the best trial at this level."""

    def __post_init__(self) -> None:
        if self.startup_steps < FEWEST_STARTUP_STEPS:
            raise UsageError(
                f"pruning after {self.startup_steps} pairs: it takes {FEWEST_STARTUP_STEPS} or "
                "more, because pair scores tie too often"
            )
        if not 0.0 < self.p_threshold < 1.0:
            raise UsageError(f"pruning at p = {self.p_threshold:g}: give a level between 0 and 1")


def pruner(settings: PruningSettings) -> BasePruner:
    """Optuna's pruner; it gets the score of every pair, with the pair number as the step."""
    from optuna.exceptions import ExperimentalWarning
    from optuna.pruners import WilcoxonPruner

    with warnings.catch_warnings():
        # It has been marked experimental since 3.6; a user can do nothing about that.
        warnings.simplefilter("ignore", ExperimentalWarning)
        return WilcoxonPruner(
            p_threshold=settings.p_threshold, n_startup_steps=settings.startup_steps
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """A trial that was pruned or finished."""

    number: int
    point: Point
    pruned: bool
    value: float
    """Mean worth of its pairs."""


@dataclass(frozen=True, slots=True)
class PrunedTrial:
    """A pruned trial, and the trial that led when it was pruned."""

    number: int
    leader: int
    """Number of the trial that led."""
    better: float
    """Probability, after all trials, that it is stronger than the leader."""


@dataclass(frozen=True, slots=True)
class FalsePruning:
    """What pruning cost."""

    pruned: int
    """Pruned trials that had a leader to be compared with."""
    above: int
    """Of these, how many the posterior of all trials puts above that leader."""
    expected: float
    """Sum of the probabilities: the expected number of stronger ones."""
    trials: tuple[PrunedTrial, ...]
    """The likeliest to have been given up wrongly first."""


def false_pruning(surrogate: Surrogate, ended: Sequence[Ended]) -> FalsePruning:
    """Judge every pruned trial against the leader of its moment; ``ended`` is in order of time.

    The leader is the finished trial of the best value then, as the pruner saw it.
    """
    leader: Ended | None = None
    found = []
    for one in ended:
        if not one.pruned:
            leader = one if leader is None or one.value > leader.value else leader
        elif leader is not None:
            chance = surrogate.better(one.point, leader.point)
            found.append(PrunedTrial(one.number, leader.number, chance))
    found.sort(key=lambda one: (-one.better, one.number))
    return FalsePruning(
        pruned=len(found),
        above=sum(one.better > 0.5 for one in found),
        expected=sum(one.better for one in found),
        trials=tuple(found),
    )
