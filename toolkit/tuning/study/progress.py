"""The progress of a running study, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from db.records.studies import Phase, StudyRecord
from toolkit.runs.lifecycle import RunOutcome
from toolkit.tuning.space.point import Point
from toolkit.tuning.study.recall import Trial


@dataclass(frozen=True, slots=True)
class StandingEstimate:
    """A figure with its 95 % interval: of games Elo over the base, of effort per cent of it."""

    value: float
    low95: float
    high95: float
    model: str
    """What it rests on, such as ``surface``, ``posterior`` or ``pairs``."""


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """A running study after something was stored."""

    study: StudyRecord
    """As it was when this run started."""
    phase: Phase
    pairs_done: int
    """Of all runs and phases; positions, where effort is measured."""
    pairs_planned: int
    trials_done: int
    trials_planned: int
    pruned: int
    current: Point | None
    """For SPSA, theta rounded to the nearest values; else the point with the best posterior mean;
    in the gain phase the chosen point."""
    estimate: StandingEstimate | None
    """Of ``current`` over the base: by a model, for orientation only; in the gain phase by the
    pairs that measure it, and None with opponents."""
    elapsed_s: float
    """Since this run began."""
    pairs_per_minute: float | None
    eta_s: float | None
    news: tuple[Trial, ...] = ()
    """Trials that finished since the last progress report."""


class StudyOutcome(RunOutcome, frozen=True, kw_only=True):
    """How a run of a study ended."""

    study: StudyRecord
    """As it is stored now; its ``result`` is set when it is done."""
    progress: StudyProgress
