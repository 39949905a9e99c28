"""Stored studies as rows.

For effort objectives (``nodes`` and ``time``), a pair is a position, and gains are per cent of
effort saved instead of Elo.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from db.records.studies import StudyRecord, TrialRecord
from engines.variant import describe_needs
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.runs.lifecycle import found_run, run_fields, shown_status
from toolkit.stats.elo import Z95
from toolkit.tuning.models.gain import Gain
from toolkit.tuning.models.worth import pair_variance
from toolkit.tuning.samplers.attributes import THETA
from toolkit.tuning.settings import StudySettings, settings_of
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.confirm import ConfirmationRow, confirmation_rows
from toolkit.tuning.study.recall import Trial, recall, surface_of
from toolkit.tuning.study.result import StudyResult, finished_result, recommended_variant, result_of

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.tuning.models.importance import Importance

_PHASES = ("search", "choice", "gain")
RESOLUTION = (
    "Elo below which the planned pairs of the gain cannot tell it from 0, about; null if no games "
    "measure it"
)


class StudyRow(Struct, frozen=True):
    """One study."""

    name: Annotated[str, "name for `show`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    objective: Annotated[str, "`elo`, `nodes`, `time` or `simulated:MODULE:FUNCTION`"]
    sampler: Annotated[str, "sampler: `spsa`, `tpe`, ..., or `module:Class`"]
    parameters_tuned: Annotated[list[str], "names of the tuned parameters"]
    trials_done: Annotated[int, "finished trials; may exceed the plan if some were pruned"]
    trials_planned: Annotated[int, "planned trials"]
    pairs_used: Annotated[int, "measured game pairs (positions) in all phases"]
    budget_pairs: Annotated[int, "budget of the whole study in pairs"]
    gain_elo: Annotated[
        float | None,
        "stated gain of the recommended values over the base, on fresh pairs that played no part "
        "in the choice; null before it is measured, and for effort objectives",
    ]
    gain_error95: Annotated[
        float | None,
        "half the width of the 95 % interval of the stated gain, in its unit; null if an end is "
        "open",
    ]
    gain_percent: Annotated[
        float | None, "stated gain in per cent of effort saved, for effort objectives; else null"
    ]
    is_base: Annotated[
        bool | None,
        "whether the base is recommended, with a gain of 0, because nothing better was found; null "
        "before the end",
    ]
    seed: Annotated[int, "seed of the study"]
    event: Annotated[
        str | None, "short id of the event with its games; null if no games are played"
    ]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend when it was started: `native` or `reference`"]
    signature: Annotated[str, "core signature when it was started"]
    version: Annotated[str, "version of mtdf that started it"]
    note: Annotated[str, "note of `annotate`; empty if there is none"]


class PhaseRow(Struct, frozen=True):
    """One part of a study's budget."""

    phase: Annotated[str, "`search`, `choice` (leading points played again) or `gain`"]
    pairs: Annotated[int, "pairs measured"]
    budget: Annotated[
        int, "pairs reserved for the phase; pairs left over by other phases measure the gain"
    ]


class TunedRow(Struct, frozen=True):
    """One tuned parameter."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float` or `choice`"]
    range: Annotated[str, "searched values, as for `--param`"]
    needs: Annotated[str | None, "condition under which it has an effect, such as `guess=blend`"]
    base: Annotated[Any, "value in the base; null if it has no effect there"]
    recommended: Annotated[
        Any, "recommended value; null before there is one, and if it has no effect"
    ]


class StudyReport(StudyRow, frozen=True):
    """One study in full: the fields of `tune list`, the search and its results."""

    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[
        list[str], "labels of the opponents; empty if points play the base or each other"
    ]
    limit: Annotated[str, "limit for a move, or depth of effort measurements, as text"]
    book: Annotated[str | None, "name of the book; null if no games are played"]
    book_slice: Annotated[str | None, "slice of the book"]
    pairs_per_trial: Annotated[int, "pairs (positions) per encounter of a trial"]
    phases: Annotated[list[PhaseRow], "budget by phase"]
    tuned: Annotated[list[TunedRow], "one row per parameter"]
    recommended: Annotated[
        str | None,
        "spelling of the recommended variant; null before there is one, or if the study has no "
        "variants",
    ]
    gain: Annotated[Gain | None, "the stated gain; null if it was not measured"]
    refused: Annotated[
        dict[str, Any] | None,
        "the point chosen by the search, if its measured gain was not above 0 and the base is "
        "recommended instead; else null",
    ]
    refused_gain: Annotated[
        Gain | None, "measured gain of the refused point, 0 or less, with the fields of `gain`"
    ]
    confirmations: Annotated[list[ConfirmationRow], "confirmations, oldest first"]
    best_trial: Annotated[
        int | None, "number of the trial with the best own score; null if trials have no score"
    ]
    winners_curse: Annotated[
        float | None,
        "excess of that trial's own score over the measured gain, stated or refused, in its unit; "
        "null if either is missing",
    ]
    pruned: Annotated[int, "number of pruned trials"]
    falsely_pruned: Annotated[
        int | None,
        "number of pruned trials that the posterior of all data puts above the best trial at that "
        "time; null before the end, and without a pruner",
    ]
    falsely_pruned_expected: Annotated[
        float | None,
        "expected number of pruned trials that were better, according to that posterior",
    ]
    resolution: Annotated[float | None, RESOLUTION]


class TrialRow(Struct, frozen=True):
    """One trial. Its worth comes from a few pairs and does not measure its strength. For all
    samplers except SPSA, trial 0 is the base, which is not played."""

    trial: Annotated[int, "number, from 0"]
    state: Annotated[str, "`running`, `complete`, `pruned` or `failed`"]
    parameters: Annotated[dict[str, Any], "its point; for SPSA the plus point"]
    opponent: Annotated[dict[str, Any] | None, "for SPSA the minus point; else null"]
    theta: Annotated[
        dict[str, Any] | None,
        "for SPSA the ordered parameters before the trial; else null",
    ]
    worth: Annotated[
        float | None,
        "mean worth of its pairs: pair score minus 1/2 against the base or, for SPSA, against "
        "`opponent`; against opponents, score minus the base's score; for effort objectives, minus "
        "the mean ln of the effort relative to the base",
    ]
    worth_error95: Annotated[
        float | None,
        "half the width of its 95 % interval, from the spread of pairs within all trials; null "
        "without pairs and for effort objectives",
    ]
    pairs: Annotated[int, "counted pairs (positions)"]
    started_at: Annotated[str, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ExportRow(Struct, frozen=True):
    """The output of `tune export --format json`: the recommendation of a study."""

    study: Annotated[str, "name"]
    status: Annotated[str, "always `done`: other studies have nothing to export"]
    parameters: Annotated[
        dict[str, Any], "recommended values of the tuned parameters that have an effect"
    ]
    is_base: Annotated[bool, "whether these are the base's values: nothing better was found"]
    gain_elo: Annotated[float | None, "stated gain; null if not measured, or measured in per cent"]
    gain_error95: Annotated[
        float | None,
        "half the width of the 95 % interval of the stated gain; null if an end is open",
    ]
    pairs_used: Annotated[int, "pairs (positions) of all phases"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    variant: Annotated[
        str | None, "spelling of the recommended variant; null with a simulated objective"
    ]
    gain: Annotated[Gain | None, "the stated gain in full"]
    refused: Annotated[
        dict[str, Any] | None,
        "refused point, not recommended because it measured no gain; else null",
    ]
    refused_gain: Annotated[
        Gain | None, "measured gain of the refused point, 0 or less, with the fields of `gain`"
    ]
    budget_pairs: Annotated[int, "budget of the whole study in pairs"]
    objective: Annotated[str, "objective of the study"]
    seed: Annotated[int, "seed of the study"]


class StudyPlanRow(Struct, frozen=True):
    """The output of `tune run --dry-run`."""

    name: Annotated[str, "name; if empty, one is generated at the start"]
    objective: Annotated[str, "objective of the study"]
    sampler: Annotated[str, "selected sampler"]
    sampler_options: Annotated[dict[str, Any], "options of the sampler, as given"]
    pruner: Annotated[str | None, "pruner; null if none"]
    trials: Annotated[int, "trials of the search"]
    pairs_per_trial: Annotated[int, "pairs (positions) per encounter of a trial"]
    encounters_per_trial: Annotated[
        int, "encounters per trial; more than 1 only with several opponents or points"
    ]
    in_flight: Annotated[int, "trials that run at the same time"]
    phases: Annotated[list[PhaseRow], "budget by phase"]
    tuned: Annotated[list[TunedRow], "one row per parameter"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[list[str], "labels of the opponents"]
    limit: Annotated[str, "limit for a move, or depth of effort measurements, as text"]
    book: Annotated[str | None, "name of the book; null if no games are played"]
    book_slice: Annotated[str | None, "slice of the book"]
    seed: Annotated[int, "seed of the study"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[
        float | None,
        "estimated time for the whole budget in seconds; null if there is no estimate",
    ]
    estimate_basis: Annotated[str, "basis of the estimate"]
    resolution: Annotated[float | None, RESOLUTION]


def find_study(db: Database, text: str) -> StudyRecord:
    """The study of a name, a unique prefix of one, or ``last``. Raises NothingMatched."""
    return found_run(db.repository.find_study, text, "mtdf tune list")


def list_studies(db: Database) -> list[StudyRow]:
    """All studies, oldest first. Raises NothingMatched if there are none."""
    records = db.repository.studies()
    if not records:
        raise NothingMatched(f"no study in {db.name} (mtdf tune run)")
    return [study_row(db, record) for record in records]


def study_row(db: Database, record: StudyRecord) -> StudyRow:
    """One study in short."""
    settings = settings_of(record)
    result, gain = result_of(record), None
    if result is not None:
        gain = result.gain
    trials = db.repository.trials(record.id)
    ended = sum(trial.state != "running" for trial in trials if not _is_base(settings, trial))
    elo = gain is not None and gain.unit == "elo"
    event = None if record.event_id is None else db.repository.event(record.event_id).key
    return StudyRow(
        **run_fields(record),
        status=shown_status(db, record),
        objective=str(settings.objective),
        sampler=settings.sampler,
        parameters_tuned=list(settings.space.names),
        trials_done=ended,
        trials_planned=settings.trials,
        pairs_used=sum(_pairs_used(db, record).values()),
        budget_pairs=settings.budget.total,
        gain_elo=gain.value if gain is not None and elo else None,
        gain_error95=gain.error95 if gain is not None else None,
        gain_percent=gain.value if gain is not None and not elo else None,
        is_base=None if result is None else result.is_base,
        seed=settings.seed,
        event=event,
    )


def study_report(db: Database, record: StudyRecord) -> StudyReport:
    """One study in full."""
    settings = settings_of(record)
    result = result_of(record)
    variant = None if result is None else recommended_variant(settings, result)
    trials = db.repository.trials(record.id)
    pruned = sum(trial.state == "pruned" for trial in trials)
    return StudyReport(
        **asdict(study_row(db, record)),
        **_measurement(settings, result, _pairs_used(db, record)),
        **_recommendation(result),
        recommended=None if variant is None else variant.spelling,
        confirmations=confirmation_rows(db, record),
        best_trial=None if result is None else result.best_trial,
        winners_curse=None if result is None else _winners_curse(result),
        pruned=pruned,
        falsely_pruned=None if result is None else result.falsely_pruned,
        falsely_pruned_expected=None if result is None else result.falsely_pruned_expected,
    )


def plan_row(
    settings: StudySettings, jobs: int, estimate_s: float | None, estimate_basis: str
) -> StudyPlanRow:
    """What a study would do, and about how long that would take."""
    names = "name sampler trials encounters_per_trial in_flight seed"
    return StudyPlanRow(
        **{name: getattr(settings, name) for name in names.split()},
        **_measurement(settings, None, dict.fromkeys(_PHASES, 0)),
        objective=str(settings.objective),
        sampler_options=dict(settings.sampler_options),
        pruner=None if settings.pruner is None else "wilcoxon",
        jobs=jobs,
        estimate_s=estimate_s,
        estimate_basis=estimate_basis,
    )


def _measurement(
    settings: StudySettings, result: StudyResult | None, used: Mapping[str, int]
) -> dict[str, Any]:
    """Fields of a plan and of a report: what is measured, and how."""
    book = None if settings.event is None else settings.event.book
    return {
        "base": _base(settings),
        "against": [player.label for player in settings.against],
        "limit": _limit(settings),
        "book": None if book is None else book.name,
        "book_slice": None if book is None or book.slice is None else str(book.slice),
        "pairs_per_trial": settings.pairs_per_trial,
        "phases": _phases(settings, used),
        "tuned": tuned_rows(settings, result),
        "resolution": settings.resolution,
    }


def _recommendation(result: StudyResult | None) -> dict[str, Any]:
    """Fields of a report and of an export: the stated gain, and what was refused."""
    if result is None:
        return dict.fromkeys(("gain", "refused", "refused_gain"))
    return {
        "gain": result.gain,
        "refused": None if result.refused is None else dict(result.refused),
        "refused_gain": result.refused_gain,
    }


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


def trial_rows(db: Database, record: StudyRecord, top: int | None = None) -> list[TrialRow]:
    """The trials in order; ``top``: only this many with the greatest worth, best first.

    Raises NothingMatched if there are none, UsageError for ``top`` with SPSA, whose trials compare
    two points and do not measure a strength.
    """
    settings = settings_of(record)
    if top is not None and settings.sampler == "spsa":
        raise UsageError(
            f"--top: the trials of study {record.name} play the two points of SPSA against each "
            "other, so none of them is best; mtdf show shows what it recommends"
        )
    if top is not None and top < 1:
        raise UsageError(f"--top ({top}) must be at least 1")
    trials = recall(db, record)
    variance = pair_variance(trial.measured for trial in trials)
    rows = [_trial_row(settings, trial, variance) for trial in trials]
    if top is not None:
        rows = [row for row in rows if row.pairs and row.worth is not None]
        rows.sort(key=lambda row: (-(row.worth or 0.0), row.trial))
        rows = rows[:top]
    if not rows:
        raise NothingMatched(f"study {record.name} has no trial yet")
    return rows


def importance_rows(db: Database, record: StudyRecord) -> list[Importance]:
    """How much each parameter matters, the most important first: of SPSA by a surface through all
    comparisons, of other trials by their posterior means. Raises NothingMatched while there are too
    few trials to say."""
    from toolkit.tuning.models import importance, posterior

    settings = settings_of(record)
    base = settings.space.restrict(settings.start)
    trials = [trial for trial in recall(db, record) if trial.measured.pairs]
    if settings.sampler == "spsa" and len(trials) >= importance.FEWEST_TRIALS:
        result = result_of(record)
        point = base if result is None else result.recommended
        return importance.of_surface(
            settings.space, surface_of(settings, trials), point, len(trials)
        )
    if len(trials) >= importance.FEWEST_TRIALS:
        measured = [trial.measured for trial in trials]
        points = [one.point for one in measured]
        means = posterior.posterior(settings.space, base, measured, points).mean
        return importance.of_trials(settings.space, points, [float(mean) for mean in means])
    raise NothingMatched(
        f"study {record.name} has {len(trials)} trials with a result, too few to estimate "
        f"importance ({importance.FEWEST_TRIALS})"
    )


def export_row(db: Database, record: StudyRecord) -> ExportRow:
    """What a study recommends. Raises UsageError before its end."""
    settings, result = settings_of(record), finished_result(record)
    variant, gain = recommended_variant(settings, result), result.gain
    return ExportRow(
        study=record.name,
        status=record.status,
        parameters=dict(result.recommended),
        is_base=result.is_base,
        gain_elo=gain.value if gain is not None and gain.unit == "elo" else None,
        gain_error95=None if gain is None else gain.error95,
        pairs_used=sum(result.pairs_used.values()),
        base=_base(settings),
        variant=None if variant is None else variant.spelling,
        **_recommendation(result),
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
    if settings.event is not None:
        return str(settings.event.limit)
    if positions is None:
        return ""
    return f"depth {positions.depth}, {positions.tuned} positions and {positions.held_out} others"


def _needs(dimension: Dimension) -> str | None:
    return None if dimension.needs is None else describe_needs(*dimension.needs)


def _winners_curse(result: StudyResult) -> float | None:
    """The excess of the best trial's own score over the measured gain."""
    if result.best_trial_gain is None or result.measured is None:
        return None
    return result.best_trial_gain - result.measured.value


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
    theta = trial.attributes.get("user", {}).get(THETA)
    if theta is None:
        return None
    return {
        dimension.name: dimension.from_unit(float(unit))
        for dimension, unit in zip(space.ordered, theta, strict=True)
    }
