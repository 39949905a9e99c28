"""How the pairings of an event stand. Every distinct game of the event counts once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from db.records import EventRecord, GameFilter, GameRecord
from toolkit.rows import ScoreRow

if TYPE_CHECKING:
    from db.session import Database

_POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""Half points of White."""


def distinct_games(games: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """The games without those that repeat an earlier one of them. A game that only repeats one of
    another event is the first of its kind here."""
    seen: set[str] = set()
    for game in games:
        if game.game_key is None or game.game_key not in seen:
            yield game
        if game.game_key is not None:
            seen.add(game.game_key)


def event_scores(db: Database, event: EventRecord) -> list[ScoreRow]:
    """A row a pairing of the event, from the view of its first player, with Elo, its interval and
    LOS from the pentanomial counts. Pairings without a finished pair are left out."""
    scores = db.repository.event_pair_scores(event.id)
    if not any(score.excluded for score in scores):
        return [
            _row(s.first, s.second, 2 * s.pairs, (s.wins, s.draws, s.losses), s.pentanomial)
            for s in scores
        ]
    own: dict[int, Counter[int]] = defaultdict(Counter)
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    first = {score.pairing: score.first for score in scores}
    for game in distinct_games(db.repository.games(GameFilter(event_id=event.id))):
        points = _POINTS[game.result]
        points = points if game.white == first[game.pairing] else 2 - points
        own[game.pairing][points] += 1
        pairs[game.pairing, game.pair].append(points)
    pentanomial: dict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for (pairing, _), both in pairs.items():
        if len(both) == 2:
            pentanomial[pairing][sum(both)] += 1
    return [
        _row(
            score.first,
            score.second,
            2 * score.pairs,
            (own[score.pairing][2], own[score.pairing][1], own[score.pairing][0]),
            pentanomial[score.pairing],
        )
        for score in scores
    ]


def _row(
    first: str, second: str, games: int, counts: tuple[int, int, int], pentanomial: Sequence[int]
) -> ScoreRow:
    from toolkit.stats.match import match_statistics

    match = match_statistics(pentanomial) if sum(pentanomial) else None
    return ScoreRow(
        first=first,
        second=second,
        games=games,
        wins=counts[0],
        draws=counts[1],
        losses=counts[2],
        pentanomial=list(pentanomial),
        elo=match.elo if match else None,
        error95=match.elo_error95 if match else None,
        los=match.los if match else None,
    )
