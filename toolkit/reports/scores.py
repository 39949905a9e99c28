"""The scores of the pairings of an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from db.records.events import EventRecord, PairingScore
from db.records.games import GameFilter

if TYPE_CHECKING:
    from db.session import Database


class ScoreRow(Struct, frozen=True):
    """The score of a pairing of an event, from the point of view of its first engine. Each distinct
    game of the event counts once."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games played, including repetitions"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    pentanomial: Annotated[
        list[int], "pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float | None, "Elo difference, from the pentanomial counts"]
    error95: Annotated[float | None, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    los: Annotated[float | None, "likelihood of superiority of the first engine, 0 to 1"]


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
