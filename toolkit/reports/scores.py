"""The scores of the pairings of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from db.records.events import EventRecord, PairingScore
from db.records.games import GameFilter
from toolkit.events.progress import ScoreRow, is_valid_at_any_look, match_fields

if TYPE_CHECKING:
    from db.session import Database


def event_scores(db: Database, event: EventRecord) -> list[ScoreRow]:
    """A row per pairing of the event, from the view of its first player, with Elo, its interval and
    LOS from the pentanomial counts. Every distinct game of the event counts once; pairings without
    a finished pair are omitted."""
    any_look = is_valid_at_any_look(event, event.status == "done")
    return [_row(score, any_look) for score in db.repository.event_pair_scores(event.id)]


def repeated_games(db: Database, event: EventRecord) -> int:
    """How many games of the event repeat an earlier one of the database; all events together
    count those once."""
    own = GameFilter(event_id=event.id)
    games = db.repository.count_games(own)
    return games - db.repository.count_games(replace(own, counted_only=True))


def _row(score: PairingScore, any_look: bool) -> ScoreRow:
    return ScoreRow(
        first=score.first,
        second=score.second,
        games=score.games,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        pentanomial=list(score.pentanomial),
        **match_fields(score.pentanomial, any_look),
    )
