"""The recommendation of a study, and its measurement."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from db.records.studies import StudyRecord
from engines.spec import Engine, Value
from engines.variant import altered
from toolkit.base.errors import UsageError
from toolkit.base.stored import stored
from toolkit.runs.lifecycle import resume_command
from toolkit.tuning.models.gain import Gain
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.point import Point


class Leader(Struct, frozen=True):
    """A candidate of the final choice."""

    point: Point
    trial: int | None
    mean: float
    """Posterior mean of its worth after the search."""
    sd: float
    pairs: int
    """Fresh pairs."""
    fresh: float
    """Their mean worth."""
    estimate: float
    """Both together, which decided."""
    estimate_sd: float
    round: int
    """The last round that it played, from 1; 0: none."""


class StudyResult(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a study ended."""

    recommended: Point
    parameters: Mapping[str, Value]
    """The recommended value of every tuned parameter, meaningful or not."""
    is_base: bool
    """Nothing better than the base was found."""
    gain: Gain | None
    """Of the recommended point over the base, on fresh pairs; None: not measured."""
    refused: Point | None = None
    """The search's answer, where its measured gain was not above 0: then the base is recommended,
    whose gain over itself is 0."""
    refused_gain: Gain | None = None
    """Its measured gain: 0 or less."""
    pairs_used: Mapping[str, int] = {}
    """Pairs (positions) by phase."""
    best_trial: int | None = None
    """Of trials that are compared: the one of the best own score."""
    best_trial_gain: float | None = None
    """Its own score as a gain, which luck has part in: the winner's curse is measured by it."""
    pruned: int = 0
    falsely_pruned: int | None = None
    """Pruned trials that the posterior of all data puts above the trial that was best then."""
    falsely_pruned_expected: float | None = None
    """Expected number of pruned trials that were better, by that posterior."""
    leaders: tuple[Leader, ...] = ()

    @property
    def measured(self) -> Gain | None:
        """The measured gain of the recommended or refused point; None if not measured."""
        return self.refused_gain or self.gain


def result_of(record: StudyRecord) -> StudyResult | None:
    """What a study recommends; None before its end. Raises DatabaseProblem for a damaged one."""
    if record.result is None:
        return None
    return stored(StudyResult, record.result, "results of the study")


def finished_result(record: StudyRecord) -> StudyResult:
    """What a study recommends. Raises UsageError before its end."""
    result = result_of(record)
    if result is None:
        raise UsageError(
            f"study {record.name} recommends nothing yet; continue with: {resume_command(record)}"
        )
    return result


def recommended_variant(
    settings: StudySettings, result: StudyResult, label: str | None = None
) -> Engine | None:
    """The base with the recommended values; None with a simulated objective."""
    if settings.base is None:
        return None
    return altered(settings.base.playable(), result.recommended, label)
