"""The outcome of a run of an event: its result, and the problems that occurred."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.records import PairFailureRecord
from toolkit.base.errors import NothingMatched
from toolkit.events.settings import EventSettings
from toolkit.ratings.rating import rate_games
from toolkit.reports.ablation import ablation_table
from toolkit.reports.events import event_row
from toolkit.reports.load import load_text
from toolkit.reports.machines import Machine, machines_of
from toolkit.reports.overrun import overruns, unkept_limits
from toolkit.reports.rounds import RoundsReport, rounds_report
from toolkit.reports.rows import (
    AblationOutcome,
    OutcomeRow,
    RoundsOutcome,
    ScoreRow,
    SprtOutcome,
)
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.reports.sprt import sprt_result

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.events.progress import EventOutcome
    from toolkit.ratings.rating_list import RatingReport


@dataclass(frozen=True, slots=True)
class EventReport:
    """The state of an event, and what may spoil its games; printing it needs no database."""

    scores: list[ScoreRow]
    """For all kinds but tests and ablations: the scores of its pairings."""
    ratings: RatingReport | None
    """For the same kinds: the rating list; None if there is nothing to rate."""
    test: SprtOutcome | None
    """For a sequential test."""
    ablation: AblationOutcome | None
    """For an ablation."""
    failures: list[PairFailureRecord]
    """The pairs that could not be played."""
    repeated: int
    """Games that repeat an earlier one of the database."""
    load: str
    """Timed games that began while the machine had more to do than it has cores, in words; empty
    if none."""
    machines: list[Machine]
    """Those that played a timed event."""
    overruns: dict[str, float]
    unkept: dict[str, tuple[int, int]]
    """External engines that do not keep their node limit: mean nodes per move, and the limit."""
    """By label, how far the searches of an engine went beyond the node limit."""
    rounds: RoundsReport | None = None
    """For an event whose later pairings depend on results."""


def event_report(db: Database, outcome: EventOutcome) -> EventReport:
    """The report on a run of an event. Raises DatabaseError, OperationFailed."""
    event, progress = outcome.event, outcome.progress
    repeated = repeated_games(db, event)
    test = ablation = ratings = None
    scores: list[ScoreRow] = []
    if progress.test is not None:
        test = SprtOutcome(**event_row(db, event), **sprt_result(outcome))
    elif event.kind == "ablation":
        ablation = ablation_table(db, event, repeated)
    else:
        scores = event_scores(db, event)
        with suppress(NothingMatched):
            ratings = rate_games(db, event=event)
    machines: list[Machine] = []
    settings = EventSettings.from_json(event.settings)
    if progress.games_now and settings.is_timed:
        machines = machines_of(db.repository.event_origins(event.id))
    return EventReport(
        scores=scores,
        ratings=ratings,
        test=test,
        ablation=ablation,
        failures=db.repository.failures(event.id),
        repeated=repeated,
        load=load_text(db, event) if progress.games_now else "",
        machines=machines,
        unkept=unkept_limits(db, event) if progress.games_now else {},
        overruns=overruns(db, event) if progress.games_now and outcome.status == "done" else {},
        rounds=None if settings.form is None else rounds_report(db, event),
    )


def outcome_row(
    db: Database, outcome: EventOutcome, report: EventReport
) -> OutcomeRow | RoundsOutcome:
    """An event that is no test and no ablation as ``--json`` prints it. Raises DatabaseError."""
    row = OutcomeRow(
        **event_row(db, outcome.event),
        games=outcome.progress.games_played,
        excluded_games=report.repeated,
        scores=report.scores,
        ratings=report.ratings.rows() if report.ratings else [],
    )
    if report.rounds is None:
        return row
    rounds = report.rounds
    return RoundsOutcome(
        **row, meetings=rounds.meetings, standings=rounds.standings, goal=rounds.goal
    )
