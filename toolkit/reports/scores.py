"""How the pairings of an event stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from db.records import EventRecord, GameFilter, PairingScore
from toolkit.reports.rows import ScoreRow

if TYPE_CHECKING:
    from db.session import Database


def event_scores(db: Database, event: EventRecord) -> list[ScoreRow]:
    """A row a pairing of the event, from the view of its first player, with Elo, its interval and
    LOS from the pentanomial counts. Every distinct game of the event counts once; pairings without
    a finished pair are left out."""
    return [_row(score) for score in db.repository.event_pair_scores(event.id)]


def repeated_games(db: Database, event: EventRecord) -> int:
    """How many games of the event repeat an earlier one of the database; all events together
    count those once."""
    own = GameFilter(event_id=event.id)
    games = db.repository.count_games(own)
    return games - db.repository.count_games(replace(own, counted_only=True))


def _row(score: PairingScore) -> ScoreRow:
    from toolkit.stats.match import match_statistics

    match = match_statistics(score.pentanomial) if sum(score.pentanomial) else None
    return ScoreRow(
        first=score.first,
        second=score.second,
        games=score.games,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        pentanomial=list(score.pentanomial),
        elo=match.elo if match else None,
        error95=match.elo_error95 if match else None,
        low95=match.elo_low95 if match else None,
        high95=match.elo_high95 if match else None,
        los=match.los if match else None,
    )
