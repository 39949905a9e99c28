"""Results by book line equal sums over the listed games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import asdict

from db.records.events import IMPORT_KIND, EventRecord
from db.session import Database
from toolkit.base.errors import NothingMatched
from toolkit.reports.openings import opening_stats
from toolkit.selection.games import Selection

WIN, DRAW, LOSS = "1-0", "1/2-1/2", "0-1"
PLAYERS = {"anna": "a" * 16, "bert": "b" * 16}
BOOK = "feedbeef"
Play = Callable[..., EventRecord]


def pair(line: int | None, first: str, second: str, **more: Any) -> list[tuple[Any, ...]]:
    """Two games from a line, by their results; White of the first one is anna."""
    opening = {"book_id": BOOK, "opening_line": line} if line else {}
    return [
        ("anna", "bert", first, opening | more),
        ("bert", "anna", second, opening),
    ]


PAIRS = [
    pair(1, WIN, LOSS),  # anna won both: the players decided
    pair(1, WIN, WIN),  # White won both
    pair(1, DRAW, WIN),
    pair(1, DRAW, DRAW),
    pair(2, LOSS, LOSS),  # Black won both
    pair(2, WIN, WIN),
    pair(2, DRAW, LOSS),
    pair(None, WIN, WIN),
]


def added_up(line: int) -> dict[str, Any]:
    """What the listed games from a line come to."""
    own = [games for games in PAIRS if games[0][3].get("opening_line") == line]
    results = [game[2] for games in own for game in games]
    both = [(games[0][2], games[1][2]) for games in own]
    same = both.count((WIN, WIN)) + both.count((LOSS, LOSS))
    return {
        "line": line,
        "games": len(results),
        "white_wins": results.count(WIN),
        "draws": results.count(DRAW),
        "black_wins": results.count(LOSS),
        "white_score": (results.count(WIN) + results.count(DRAW) / 2) / len(results),
        "pairs": len(own),
        "same_colour": same,
        "decided": same / len(own),
    }


def test_decisive_lines_come_first(db: Database, store_event: Play) -> None:
    store_event(db, PLAYERS, PAIRS)
    rows = opening_stats(db)
    assert [row.line for row in rows] == [2, 1], "2 of 3 pairs before 1 of 4"
    for row in rows:
        assert added_up(row.line).items() <= asdict(row).items()
        assert (row.book, row.book_id) == ("small", BOOK)
    assert [row.label for row in rows] == ["", "Open"]


def test_equal_lines_are_ordered_by_pairs(db: Database, store_event: Play) -> None:
    store_event(db, PLAYERS, [pair(1, WIN, LOSS), pair(2, WIN, LOSS), pair(2, DRAW, DRAW)])
    assert [row.line for row in opening_stats(db)] == [2, 1], "nothing is decided: more pairs"
    store_event(db, PLAYERS, [pair(1, DRAW, LOSS)])
    assert [row.line for row in opening_stats(db)] == [1, 2], "Black is better in line 1"
    store_event(db, PLAYERS, [pair(2, WIN, DRAW), pair(1, WIN, DRAW)])
    rows = opening_stats(db)
    assert [(row.line, row.white_score) for row in rows] == [(2, 7 / 12), (1, 0.5)]
    store_event(db, PLAYERS, [pair(1, WIN, DRAW), pair(2, DRAW, DRAW)])
    assert [row.line for row in opening_stats(db)] == [1, 2], "as level: the order of the book"


def test_lines_with_fewer_games_are_left_out(db: Database, store_event: Play) -> None:
    store_event(db, PLAYERS, PAIRS)
    assert [row.line for row in opening_stats(db, min_games=6)] == [2, 1]
    assert [row.line for row in opening_stats(db, min_games=7)] == [1]
    assert [row.line for row in opening_stats(db, min_games=8)] == [1]
    with pytest.raises(NothingMatched, match="no line of a book has 9 games or more"):
        opening_stats(db, min_games=9)


def test_half_repeated_pair_does_not_count(db: Database, store_event: Play) -> None:
    again = pair(1, WIN, WIN, game_key="0a")
    store_event(db, PLAYERS, [again, again])
    (row,) = opening_stats(db)
    assert (row.games, row.pairs, row.same_colour, row.decided) == (3, 1, 1, 1.0)


def test_games_without_line_are_counted(db: Database, store_event: Play) -> None:
    with pytest.raises(NothingMatched, match="^no game from a line of a book in .*games.db$"):
        opening_stats(db)
    own = store_event(db, PLAYERS, [pair(None, WIN, WIN)], name="mine")
    copy = store_event(db, PLAYERS, [pair(None, WIN, WIN)], kind=IMPORT_KIND)
    with pytest.raises(NothingMatched, match=f'in event {own.key} "mine"$'):
        opening_stats(db, Selection(events=(own,)))
    with pytest.raises(NothingMatched, match=f"^event {copy.key}: imported games have no line"):
        opening_stats(db, Selection(events=(copy,)))
    with pytest.raises(NothingMatched, match=f'events {own.key} "mine" and {copy.key}$'):
        opening_stats(db, Selection(events=(own, copy)))
