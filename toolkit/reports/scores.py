"""The scores of the pairings of an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from msgspec.structs import replace

from db.records import EventRecord, GameFilter, PairingScore
from toolkit.reports.rows import ScoreRow

if TYPE_CHECKING:
    from db.session import Database


def event_scores(db: Database, event: EventRecord) -> list[ScoreRow]:
    """A row per pairing of the event, from the view of its first player, with Elo, its interval and
    LOS from the pentanomial counts. Every distinct game of the event counts once; pairings without
    a finished pair are omitted."""
    return [_row(score) for score in db.repository.event_pair_scores(event.id)]


def repeated_games(db: Database, event: EventRecord) -> int:
    """How many games of the event repeat an earlier one of the database; all events together
    count those once."""
    own = GameFilter(event_id=event.id)
    games = db.repository.count_games(own)
    return games - db.repository.count_games(replace(own, counted_only=True))


class MatchFields(TypedDict):
    """The fields of a row that the pentanomial counts give; null if there is no pair."""

    elo: float | None
    error95: float | None
    low95: float | None
    high95: float | None
    los: float | None


def match_fields(pentanomial: Sequence[int]) -> MatchFields:
    """Elo, its error and interval, and LOS of these pairs."""
    from toolkit.stats.match import match_statistics

    if not any(pentanomial):
        return MatchFields(elo=None, error95=None, low95=None, high95=None, los=None)
    match = match_statistics(pentanomial)
    return MatchFields(
        elo=match.elo,
        error95=match.elo_error95,
        low95=match.elo_low95,
        high95=match.elo_high95,
        los=match.los,
    )


def _row(score: PairingScore) -> ScoreRow:
    return ScoreRow(
        first=score.first,
        second=score.second,
        games=score.games,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        pentanomial=list(score.pentanomial),
        **match_fields(score.pentanomial),
    )
