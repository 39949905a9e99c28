"""Searches beyond a node limit are measured as counts over nodes and moves say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from db.records.events import EventRecord
from db.session import Database
from toolkit.reports.outcome import MOST_OVERRUN, overruns

LIMIT = 1000
PLAYERS = {"anna": "a" * 16, "bert": "b" * 16, "carl": "c" * 16}
Play = Callable[..., EventRecord]


def game(white: str, black: str, plies: int, white_nodes: int, black_nodes: int) -> Any:
    """A drawn game; White moves first."""
    size = {"plies": plies, "moves": b"\x01\x02" * plies}
    nodes = {"white_nodes": white_nodes, "black_nodes": black_nodes}
    return white, black, "1/2-1/2", size | nodes


def test_greatest_mean_overrun_comes_first(db: Database, store_event: Play) -> None:
    # anna: 3 moves of 1100, 2 of 1400, 2 of 1000; bert: 2 of 1500, 2 of 1100; carl: 3 of 1000.
    pairs = [
        [game("anna", "bert", 5, 3300, 3000), game("bert", "anna", 4, 2200, 2800)],
        [game("carl", "anna", 3, 2000, 1000), game("anna", "carl", 2, 1000, 1000)],
    ]
    event = store_event(db, PLAYERS, pairs, limit={"nodes": LIMIT})
    found = overruns(db, event)
    assert found == {
        "bert": pytest.approx((3000 + 2200) / (4 * LIMIT) - 1),
        "anna": pytest.approx((3300 + 2800 + 2 * 1000) / (7 * LIMIT) - 1),
    }
    assert list(found) == ["bert", "anna"]


@pytest.mark.parametrize(("nodes", "over"), [(1050, False), (1051, True), (999, False), (0, False)])
def test_small_overrun_is_not_reported(
    nodes: int, over: bool, db: Database, store_event: Play
) -> None:
    """Up to :data:`MOST_OVERRUN`; what searches less than its limit is no matter."""
    assert MOST_OVERRUN == 0.05
    games = [game("anna", "bert", 2, nodes, LIMIT), game("bert", "anna", 2, LIMIT, nodes)]
    event = store_event(db, PLAYERS, [games], limit={"nodes": LIMIT})
    assert list(overruns(db, event)) == ["anna"] * over


def test_equals_are_listed_by_name(db: Database, store_event: Play) -> None:
    games = [game("bert", "anna", 2, 2000, 2000), game("anna", "bert", 2, 2000, 2000)]
    event = store_event(db, {"bert": "b", "anna": "a"}, [games], limit={"nodes": LIMIT})
    assert list(overruns(db, event).items()) == [("anna", 1.0), ("bert", 1.0)]


@pytest.mark.parametrize("limit", [{}, {"depth": 3}, {"nodes": 0, "movetime_ms": 5}])
def test_no_node_limit_means_no_overrun(
    limit: dict[str, int], db: Database, store_event: Play
) -> None:
    games = [game("anna", "bert", 2, 10**6, 10**6), game("bert", "anna", 2, 10**6, 10**6)]
    assert overruns(db, store_event(db, PLAYERS, [games], limit=limit)) == {}


def test_player_without_move_has_no_mean(db: Database, store_event: Play) -> None:
    games = [game("anna", "bert", 1, 2000, 0), game("bert", "anna", 0, 0, 0)]
    event = store_event(db, PLAYERS, [games], limit={"nodes": LIMIT})
    assert overruns(db, event) == {"anna": 1.0}
