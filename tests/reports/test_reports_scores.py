"""Scores of pairings equal sums over the listed games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import asdict

from db.records.events import EventRecord
from db.session import Database
from toolkit.events.progress import ScoreRow
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.stats.match import match_statistics

WIN, DRAW, LOSS = "1-0", "1/2-1/2", "0-1"
POINTS = {WIN: 2, DRAW: 1, LOSS: 0}
PLAYERS = {"anna": "a" * 16, "bert": "b" * 16, "carl": "c" * 16, "dora": "d" * 16}
KEY = {"game_key": "0a"}
PAIRS: list[list[tuple[Any, ...]]] = [
    [("anna", "bert", WIN), ("bert", "anna", LOSS)],
    [("anna", "bert", DRAW), ("bert", "anna", LOSS)],
    [("bert", "anna", DRAW), ("anna", "bert", DRAW)],
    [("anna", "bert", LOSS), ("bert", "anna", DRAW)],
    [("anna", "bert", LOSS), ("bert", "anna", WIN)],
    [("carl", "bert", WIN, KEY), ("bert", "carl", WIN)],
    [("carl", "bert", WIN, KEY), ("bert", "carl", LOSS)],
]
"""Nobody met dora, anna did not meet carl, and the last pair repeats a game of the one before."""


def added_up(first: str, second: str) -> dict[str, Any]:
    """The row of a pairing from the list; a repetition leaves the counts of games and of pairs."""
    half_points: list[int] = []
    pentanomial, seen = [0] * 5, set()
    for pair in PAIRS:
        scored = []
        for white, black, result, *more in pair:
            if {white, black} != {first, second} or (more and white + black in seen):
                continue
            seen.add(white + black if more else "")
            scored.append(POINTS[result] if white == first else 2 - POINTS[result])
        half_points += scored
        if len(scored) == 2:
            pentanomial[sum(scored)] += 1
    return {
        "first": first,
        "second": second,
        "games": len(half_points),
        "wins": half_points.count(2),
        "draws": half_points.count(1),
        "losses": half_points.count(0),
        "pentanomial": pentanomial,
    }


@pytest.fixture
def event(db: Database, store_event: Callable[..., EventRecord]) -> EventRecord:
    """An event of those pairs."""
    return store_event(db, PLAYERS, PAIRS)


def counts(row: ScoreRow) -> dict[str, Any]:
    """What a row counts, without what follows from it."""
    return {name: value for name, value in asdict(row).items() if name in added_up("anna", "bert")}


def test_one_row_per_played_pairing(db: Database, event: EventRecord) -> None:
    rows = event_scores(db, event)
    found = [(row.first, row.second) for row in rows]
    assert found == [("anna", "bert"), ("bert", "carl")]
    for row in rows:
        own = added_up(row.first, row.second)
        own["games"] += repeated_games(db, event) * (row.second == "carl")
        assert counts(row) == own


def test_elo_is_of_pairs(db: Database, event: EventRecord) -> None:
    first, second = event_scores(db, event)
    # Pairs of 4, 3, 2, 1 and 0 half points: level, by symmetry as likely stronger as weaker.
    assert first.pentanomial == [1, 1, 1, 1, 1]
    assert first.elo == pytest.approx(0.0, abs=1e-9) and first.los == pytest.approx(0.5)
    assert first.low95 == pytest.approx(-(first.high95 or 0.0))
    match = match_statistics(second.pentanomial)
    assert (second.elo, second.los) == (match.elo, match.los)
    assert (second.low95, second.high95, second.error95) == (
        match.elo_low95,
        match.elo_high95,
        match.elo_error95,
    )


def test_repetitions_are_counted_in_whole_database(
    db: Database, event: EventRecord, store_event: Callable[..., EventRecord]
) -> None:
    assert repeated_games(db, event) == 1
    again = store_event(db, PLAYERS, [[("carl", "bert", WIN, KEY), ("bert", "carl", DRAW)]])
    assert (repeated_games(db, event), repeated_games(db, again)) == (1, 1)
    (row,) = event_scores(db, again)
    assert (row.games, row.wins, row.draws, row.losses) == (2, 0, 1, 1)


def test_pairing_of_repetitions_has_no_elo(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    """Without a counted whole pair there is nothing to estimate from."""
    pairs = [[("anna", "bert", WIN, KEY), ("bert", "anna", WIN, KEY)]]
    (row,) = event_scores(db, store_event(db, PLAYERS, pairs))
    assert sum(row.pentanomial) == 0 and row.wins + row.losses == 1
    assert [row.elo, row.error95, row.low95, row.high95, row.los] == [None] * 5
