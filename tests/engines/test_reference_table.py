"""The reference's table, and the values that travel through it."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.reference.chess_game import ChessGame, position_key
from engines.reference.evaluation import load_evaluation
from engines.reference.game import INFINITY, from_child, to_child
from engines.reference.ordering import Ordering
from engines.reference.table import ENTRIES_PER_MB, Table, table_size
from engines.spec import MATE, MATE_BOUND

EVALUATIONS = st.integers(-30_000, 30_000)
MATES = st.integers(MATE_BOUND + 100, MATE - 1)
VALUES = EVALUATIONS | MATES | MATES.map(lambda value: -value)


def test_both_bounds_of_one_depth_are_kept() -> None:
    table = Table[str](64)
    table.store("node", 3, "a", 10, None)
    table.store("node", 3, None, None, 20)
    entry = table.probe("node")
    assert entry is not None
    assert (entry.depth, entry.lower, entry.upper, entry.move) == (3, 10, 20, "a")


def test_another_depth_drops_the_bounds_and_keeps_the_move() -> None:
    table = Table[str](64)
    table.store("node", 3, "a", 10, 20)
    table.store("node", 4, None, 5, None)
    entry = table.probe("node")
    assert entry is not None
    assert (entry.depth, entry.lower, entry.upper, entry.move) == (4, 5, INFINITY, "a")


def test_one_slot_answers_for_one_node_only() -> None:
    table = Table[str](1)
    table.store("one", 2, "a", 1, 1)
    assert table.probe("other") is None
    table.store("other", 2, "b", 2, 2)
    assert table.probe("one") is None
    assert table.probe("other") is not None
    table.clear()
    assert table.probe("other") is None


def test_sizes() -> None:
    assert table_size(hash_mb=16, entries=0) == 16 * ENTRIES_PER_MB
    assert table_size(hash_mb=16, entries=256) == 256
    assert table_size(hash_mb=0, entries=0) == 0


@given(VALUES, VALUES)
def test_a_childs_window_is_its_parents(value: int, bound: int) -> None:
    # The value of a child beats a bound at its parent exactly when it misses the child's bound.
    assert (from_child(value) >= bound) == (value <= to_child(bound))
    assert (from_child(value) <= bound) == (value >= to_child(bound))
    assert to_child(INFINITY) <= -INFINITY
    assert to_child(-INFINITY) >= INFINITY


@pytest.mark.parametrize(
    ("child", "parent"),
    [(0, 0), (25, -25), (-MATE, MATE - 1), (MATE - 1, 2 - MATE), (2 - MATE, MATE - 3)],
)
def test_mates_move_away_by_a_ply(child: int, parent: int) -> None:
    assert from_child(child) == parent


def test_positions_are_told_apart_as_the_rules_do() -> None:
    def key(fen: str) -> object:
        return position_key(chess.Board(fen))

    base = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    assert key(f"{base} b KQkq - 0 1") == key(f"{base} b KQkq e3 5 9")  # no pawn can capture
    assert key(f"{base} b KQkq - 0 1") != key(f"{base} w KQkq - 0 1")
    assert key(f"{base} b KQkq - 0 1") != key(f"{base} b KQk - 0 1")
    passant = "4k3/8/8/8/3pP3/8/8/4K3 b - {} 0 1"
    assert key(passant.format("e3")) != key(passant.format("-"))
    pinned = "4k3/8/8/8/b2pP2r/8/8/4K3 b - {} 0 1"
    assert key(pinned.format("e3")) != key(pinned.format("-"))
    illegal = "8/8/8/8/k2pP2R/8/8/4K3 b - {} 0 1"
    assert key(illegal.format("e3")) == key(illegal.format("-"))


def test_moves_are_tried_table_move_captures_history() -> None:
    board = chess.Board("4k3/8/8/3q1p2/4P3/8/8/R3K3 w - - 0 1")
    game = ChessGame(board, load_evaluation("pst"), 1)
    ordering = Ordering[chess.Move]()
    quiet, table_move = chess.Move.from_uci("a1a7"), chess.Move.from_uci("e1e2")
    ordering.reward(game, quiet, 3)
    ordering.reward(game, chess.Move.from_uci("e4f5"), 9)  # a capture has no history
    order = [move.uci() for move in ordering.sort(game, game.moves(), table_move)]
    assert order[:4] == ["e1e2", "e4d5", "e4f5", "a1a7"]
    ordering.clear()
    assert [move.uci() for move in ordering.sort(game, game.moves(), None)][:2] == ["e4d5", "e4f5"]
