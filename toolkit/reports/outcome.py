"""What a run of an event came to: its result, and what was not as it should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.records import PairFailureRecord
from toolkit.base.doctor import available_cores
from toolkit.base.errors import NothingMatched
from toolkit.play.settings import EventSettings
from toolkit.ratings.rating import rate_games
from toolkit.reports.ablation import ablation_table
from toolkit.reports.events import event_row
from toolkit.reports.overrun import overruns
from toolkit.reports.rows import AblationOutcome, OutcomeRow, SprtOutcome
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.reports.sprt import sprt_result

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.play.progress import EventOutcome
    from toolkit.ratings.rating_list import RatingReport

_LOAD_MARGIN = 0.5
"""How far the load may exceed the cores: workers on all cores and a coordinator cause as much."""


@dataclass(frozen=True, slots=True)
class EventResult:
    """The result of an event, as far as it was played: one of three rows, as ``--json`` prints
    it."""

    scores: OutcomeRow | None = None
    """Of a gauntlet, round-robin or match."""
    test: SprtOutcome | None = None
    ablation: AblationOutcome | None = None
    ratings: RatingReport | None = None
    """Of the games of ``scores``; None if there is nothing to rate."""


@dataclass(frozen=True, slots=True)
class EventFaults:
    """What may spoil the games of an event, and which were not played."""

    failures: list[PairFailureRecord]
    repeated: int
    """Games that repeat an earlier one of the database."""
    cores: int
    """Of this machine."""
    loaded_games: int
    """Timed games that began while the machine had more to do than it has cores."""
    highest_load: float
    overruns: dict[str, float]
    """By label, how far the searches of an engine went beyond the node limit."""


def event_result(db: Database, outcome: EventOutcome) -> EventResult:
    """The result of an event. Raises DatabaseError, OperationFailed."""
    event = outcome.event
    if outcome.progress.test is not None:
        return EventResult(test=SprtOutcome(**event_row(db, event), **sprt_result(outcome)))
    if event.kind == "ablation":
        return EventResult(ablation=ablation_table(db, event))
    try:
        ratings = rate_games(db, event=event)
    except NothingMatched:
        ratings = None
    row = OutcomeRow(
        **event_row(db, event),
        games=outcome.progress.games_played,
        excluded_games=repeated_games(db, event),
        scores=event_scores(db, event),
        ratings=ratings.rows() if ratings else [],
    )
    return EventResult(scores=row, ratings=ratings)


def event_faults(db: Database, outcome: EventOutcome) -> EventFaults:
    """What was not as it should be. Raises DatabaseError."""
    event, played_now = outcome.event, outcome.progress.games_now > 0
    cores, loaded, highest = available_cores(), 0, 0.0
    if played_now and EventSettings.from_json(event.settings).limit.is_timed:
        loaded, highest = db.repository.games_above_load(event.id, cores + _LOAD_MARGIN)
    return EventFaults(
        failures=db.repository.failures(event.id),
        repeated=repeated_games(db, event),
        cores=cores,
        loaded_games=loaded,
        highest_load=highest,
        overruns=overruns(db, event) if played_now and outcome.status == "done" else {},
    )
