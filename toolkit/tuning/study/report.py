"""Views of stored studies as rows of :mod:`toolkit.tuning.rows`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from db.records import StudyRecord, TrialRecord
from engines.variant import describe_needs
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.runs.lifecycle import found_run, shown_status, unfinished
from toolkit.stats.elo import Z95
from toolkit.tuning.models.gain import Gain
from toolkit.tuning.models.worth import pair_variance
from toolkit.tuning.rows import (
    ExportRow,
    GainRow,
    ImportanceRow,
    PhaseRow,
    StudyPlanRow,
    StudyReport,
    StudyRow,
    TrialRow,
    TunedRow,
)
from toolkit.tuning.samplers.attributes import THETA, user_attributes
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.confirm import confirmation_rows
from toolkit.tuning.study.recall import Trial, recall, surface_of
from toolkit.tuning.study.result import StudyResult, finished_result, recommended_variant, result_of

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.tuning.models.importance import Importance

_PHASES = ("search", "choice", "gain")
_FLAGS = {
    "same": "the base is recommended",
    "empty": "no pair could be played",
    "few": "a single pair has no spread",
    "no-spread": "every pair scored the same",
    "perfect": "one side scored everything; the value stands for an infinite one",
    "clipped": "an end of the interval is open",
}


def find_study(db: Database, text: str) -> StudyRecord:
    """The study of a name, a unique prefix of one, or ``last``. Raises NothingMatched."""
    return found_run(db.repository.find_study, text, "mtdf tune list")


def unfinished_studies(db: Database) -> list[StudyRecord]:
    """The studies that can be resumed, newest first, without those running now. Raises
    NothingMatched if there are none."""
    return unfinished(db, db.repository.studies(), "study", "mtdf tune list")


def list_studies(db: Database) -> list[StudyRow]:
    """All studies, oldest first. Raises NothingMatched if there are none."""
    records = db.repository.studies()
    if not records:
        raise NothingMatched(f"no study in {db.name} (mtdf tune run)")
    return [study_row(db, record) for record in records]


def study_row(db: Database, record: StudyRecord) -> StudyRow:
    """One study in short."""
    settings = StudySettings.from_json(record.settings)
    result, gain = result_of(record), None
    if result is not None:
        gain = result.gain
    trials = db.repository.trials(record.id)
    ended = sum(trial.state != "running" for trial in trials if not _is_base(settings, trial))
    elo = gain is not None and gain.unit == "elo"
    event = None if record.event_id is None else db.repository.event(record.event_id).key
    return StudyRow(
        name=record.name,
        status=shown_status(db, record),
        objective=str(settings.objective),
        sampler=settings.sampler,
        parameters_tuned=list(settings.space.names),
        trials_done=ended,
        trials_planned=settings.trials,
        pairs_used=sum(_pairs_used(db, record).values()),
        budget_pairs=settings.budget.total,
        gain_elo=gain.estimate if gain is not None and elo else None,
        gain_error95=gain.error95 if gain is not None else None,
        gain_percent=gain.estimate if gain is not None and not elo else None,
        is_base=None if result is None else result.is_base,
        seed=settings.seed,
        event=event,
        created_at=record.created_at,
        started_at=record.started_at,
        ended_at=record.ended_at,
        backend=record.backend,
        signature=record.signature,
        version=record.version,
        note=record.note,
    )


def study_report(db: Database, record: StudyRecord) -> StudyReport:
    """One study in full."""
    settings = StudySettings.from_json(record.settings)
    result = result_of(record)
    variant = None if result is None else recommended_variant(settings, result)
    trials = db.repository.trials(record.id)
    pruned = sum(trial.state == "pruned" for trial in trials)
    return StudyReport(
        **study_row(db, record),
        base=_base(settings),
        against=[player.label for player in settings.against],
        limit=_limit(settings),
        book=_book(settings)[0],
        book_slice=_book(settings)[1],
        pairs_per_trial=settings.pairs_per_trial,
        phases=_phases(settings, _pairs_used(db, record)),
        tuned=tuned_rows(settings, result),
        recommended=None if variant is None else variant.spelling,
        gain=None if result is None or result.gain is None else gain_row(result.gain),
        refused=None if result is None or result.refused is None else dict(result.refused),
        refused_gain=None
        if result is None or result.refused_gain is None
        else gain_row(result.refused_gain),
        confirmations=confirmation_rows(db, record),
        best_trial=None if result is None else result.best_trial,
        winners_curse=None if result is None else _winners_curse(result),
        pruned=pruned,
        falsely_pruned=None if result is None else result.falsely_pruned,
        falsely_pruned_expected=None if result is None else result.falsely_pruned_expected,
        resolution=settings.resolution,
    )


def plan_row(
    settings: StudySettings, jobs: int, estimate_s: float | None, estimate_basis: str
) -> StudyPlanRow:
    """What a study would do, and about how long that would take."""
    return StudyPlanRow(
        name=settings.name,
        objective=str(settings.objective),
        sampler=settings.sampler,
        sampler_options=dict(settings.sampler_options),
        pruner=None if settings.pruner is None else "wilcoxon",
        trials=settings.trials,
        pairs_per_trial=settings.pairs_per_trial,
        encounters_per_trial=settings.encounters_per_trial,
        in_flight=settings.in_flight,
        phases=_phases(settings, dict.fromkeys(_PHASES, 0)),
        tuned=tuned_rows(settings, None),
        base=_base(settings),
        against=[player.label for player in settings.against],
        limit=_limit(settings),
        book=_book(settings)[0],
        book_slice=_book(settings)[1],
        seed=settings.seed,
        jobs=jobs,
        estimate_s=estimate_s,
        estimate_basis=estimate_basis,
        resolution=settings.resolution,
    )


def tuned_rows(settings: StudySettings, result: StudyResult | None) -> list[TunedRow]:
    """The tuned parameters with the base's and the recommended values."""
    base = settings.space.restrict(settings.start)
    chosen: Point = {} if result is None else result.recommended
    return [
        TunedRow(
            parameter=dimension.name,
            kind=dimension.kind,
            range=dimension.range_text,
            needs=_needs(dimension),
            base=base.get(dimension.name),
            recommended=chosen.get(dimension.name),
        )
        for dimension in settings.space.dimensions
    ]


def gain_row(gain: Gain) -> GainRow:
    """A stated gain."""
    return GainRow(
        unit=gain.unit,
        value=gain.estimate,
        low95=gain.low95,
        high95=gain.high95,
        error95=gain.error95,
        pairs=gain.pairs,
        note="; ".join(note for note in (_FLAGS.get(gain.flag, ""), _doubt(gain)) if note),
    )


def _doubt(gain: Gain) -> str:
    """What luck may have to do with a measured gain; empty if its interval lies above 0."""
    if gain.may_be_none:
        return "it may be luck: only gains above 0 are recommended, so small ones are overstated"
    return ""


def trial_rows(db: Database, record: StudyRecord, top: int | None = None) -> list[TrialRow]:
    """The trials in order; ``top``: only this many with the greatest worth, best first.

    Raises NothingMatched if there are none, UsageError for ``top`` with SPSA, whose trials compare
    two points and do not measure a strength.
    """
    settings = StudySettings.from_json(record.settings)
    if top is not None and settings.sampler == "spsa":
        raise UsageError(
            f"--top: the trials of study {record.name} play the two points of SPSA against each "
            "other, so none of them is best; mtdf tune show shows what it recommends"
        )
    if top is not None and top < 1:
        raise UsageError(f"--top ({top}) must be at least 1")
    trials = recall(db, record)
    variance = pair_variance(trial.measured for trial in trials)
    rows = [_trial_row(settings, trial, variance) for trial in trials]
    if top is not None:
        rows = [row for row in rows if row["pairs"] and row["worth"] is not None]
        rows.sort(key=lambda row: (-(row["worth"] or 0.0), row["trial"]))
        rows = rows[:top]
    if not rows:
        raise NothingMatched(f"study {record.name} has no trial yet")
    return rows


def importance_rows(db: Database, record: StudyRecord) -> list[ImportanceRow]:
    """How much each parameter matters, the most important first: of SPSA by a surface through all
    comparisons, of other trials by their posterior means. Raises NothingMatched while there are too
    few trials to say."""
    from toolkit.tuning.models import importance, posterior

    settings = StudySettings.from_json(record.settings)
    base = settings.space.restrict(settings.start)
    trials = [trial for trial in recall(db, record) if trial.measured.pairs]
    if settings.sampler == "spsa" and len(trials) >= importance.FEWEST_TRIALS:
        result = result_of(record)
        point = base if result is None else result.recommended
        found = importance.of_surface(settings.space, surface_of(settings, trials), point)
    elif len(trials) >= importance.FEWEST_TRIALS:
        measured = [trial.measured for trial in trials]
        points = [one.point for one in measured]
        means = posterior.posterior(settings.space, base, measured, points).mean
        found = importance.of_trials(settings.space, points, [float(mean) for mean in means])
    else:
        raise NothingMatched(
            f"study {record.name} has {len(trials)} trials with a result, too few to estimate "
            f"importance ({importance.FEWEST_TRIALS})"
        )
    return [_importance_row(one, len(trials)) for one in found]


def export_row(db: Database, record: StudyRecord) -> ExportRow:
    """What a study recommends. Raises UsageError before its end."""
    settings, result = StudySettings.from_json(record.settings), finished_result(record)
    variant, gain = recommended_variant(settings, result), result.gain
    return ExportRow(
        study=record.name,
        status=record.status,
        parameters=dict(result.recommended),
        is_base=result.is_base,
        gain_elo=gain.estimate if gain is not None and gain.unit == "elo" else None,
        gain_error95=None if gain is None else gain.error95,
        pairs_used=sum(result.pairs_used.values()),
        base=_base(settings),
        variant=None if variant is None else variant.spelling,
        gain=None if gain is None else gain_row(gain),
        refused=None if result.refused is None else dict(result.refused),
        refused_gain=None if result.refused_gain is None else gain_row(result.refused_gain),
        budget_pairs=settings.budget.total,
        objective=str(settings.objective),
        seed=settings.seed,
    )


def _pairs_used(db: Database, record: StudyRecord) -> dict[str, int]:
    """Pairs measured so far by phase."""
    result = result_of(record)
    if result is not None:
        return {phase: result.pairs_used.get(phase, 0) for phase in _PHASES}
    used = dict.fromkeys(_PHASES, 0)
    for encounter in db.repository.encounters(record.id):
        used[encounter.phase] += len(encounter.scores)
    return used


def _phases(settings: StudySettings, used: Mapping[str, int]) -> list[PhaseRow]:
    budget = settings.budget
    kept = {"search": budget.search, "choice": budget.choice, "gain": budget.gain}
    if used["gain"] > budget.gain:  # it has what the others left
        kept = {**used, "gain": budget.total - used["search"] - used["choice"]}
    return [PhaseRow(phase=p, pairs=used[p], budget=kept[p]) for p in _PHASES]


def _base(settings: StudySettings) -> str | None:
    return None if settings.base is None else settings.base.playable().spelling


def _limit(settings: StudySettings) -> str:
    """The limit of a measurement as text; empty if nothing is searched."""
    positions = settings.positions
    if settings.limit is not None:
        return str(settings.limit)
    if positions is None:
        return ""
    return f"depth {positions.depth}, {positions.tuned} positions and {positions.held_out} others"


def _book(settings: StudySettings) -> tuple[str | None, str | None]:
    """The book's name and the part of it."""
    book = settings.book
    if book is None:
        return None, None
    return book.name, None if book.slice is None else str(book.slice)


def _needs(dimension: Dimension) -> str | None:
    return None if dimension.needs is None else describe_needs(*dimension.needs)


def _winners_curse(result: StudyResult) -> float | None:
    """The excess of the best trial's own score over the measured gain."""
    if result.best_trial_gain is None or result.measured is None:
        return None
    return result.best_trial_gain - result.measured.estimate


def _trial_row(settings: StudySettings, trial: Trial, variance: float) -> TrialRow:
    """A trial; ``variance`` is that of one pair's worth."""
    record, measured = trial.record, trial.measured
    error = None
    if measured.pairs and not settings.objective.is_effort:
        error = Z95 * math.sqrt(variance / measured.pairs)
    return TrialRow(
        trial=record.number,
        state=record.state,
        parameters=dict(record.params),
        opponent=None if trial.opponent is None else dict(trial.opponent),
        theta=_theta(settings.space, record),
        worth=record.value,
        worth_error95=error,
        pairs=measured.pairs,
        started_at=record.started_at,
        ended_at=record.ended_at,
    )


def _is_base(settings: StudySettings, trial: TrialRecord) -> bool:
    """Whether it is the trial that represents the base for a sampler and plays nothing."""
    return trial.number == 0 and settings.sampler != "spsa"


def _theta(space: Space, trial: TrialRecord) -> dict[str, Any] | None:
    """θ of an SPSA search before a trial, rounded to the nearest values."""
    theta = user_attributes(trial.attributes).get(THETA)
    if theta is None:
        return None
    return {
        dimension.name: dimension.from_unit(float(unit))
        for dimension, unit in zip(space.ordered, theta, strict=True)
    }


def _importance_row(one: Importance, trials: int) -> ImportanceRow:
    lost = one.lost
    return ImportanceRow(
        parameter=one.name,
        method="ped-anova" if lost is None else "surface",
        importance=(one.share or 0.0) if lost is None else lost.elo,
        error95=None if lost is None else Z95 * lost.sd,
        trials=trials,
    )
