"""The evaluation ``pst`` is symmetric, tapered, bounded and rounded as documented."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import backend
from engines.reference.evaluation.chess import (
    LIMIT,
    load_evaluation,
    round_half_away,
    round_to_grain,
)
from engines.spec import MATE_BOUND

PST = load_evaluation("pst")


def test_released_tables_never_change() -> None:
    # Stored games and ratings speak of `eval=pst`; a better evaluation gets another name.
    text = (resources.files("engines") / "data" / "pst.json").read_text(encoding="utf-8")
    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    assert digest == "7026f6ac82e5aba07e4c8ccf40160e5718b425afa8320934b4df13eb35dd99b7"


def test_start_is_equal_and_colours_are_symmetric(random_boards: list[chess.Board]) -> None:
    assert PST.value(chess.Board(), 1) == 0
    for board in random_boards[:100]:
        assert PST.value(board, 7) == PST.value(board.mirror(), 7)
        assert PST.white_value(board) == -PST.white_value(board.mirror())


def test_value_is_for_the_side_to_move() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    value = PST.value(board, 1)
    assert 900 < value < 1100
    board.turn = chess.BLACK
    assert PST.value(board, 1) == -value


def test_phase_tapers_between_the_tables() -> None:
    # A king alone on e1 is worth its middlegame number only while heavy men are on the board.
    middle, end = PST.tables[chess.KING, chess.WHITE][chess.E1]
    assert (middle, end) == (-2, -54)
    bare = chess.Board("8/8/8/8/8/8/8/4K2k w - - 0 1")
    assert PST.white_value(bare) == end - PST.tables[chess.KING, chess.WHITE][chess.H8][1]
    assert PST.phase_max == sum(PST.phase[piece.piece_type] for piece in _men(chess.Board()))


def _men(board: chess.Board) -> list[chess.Piece]:
    return list(board.piece_map().values())


def test_many_queens_stay_below_the_mates() -> None:
    board = chess.Board("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/K1k5 w - - 0 1")
    assert PST.white_value(board) > LIMIT
    assert PST.value(board, 1) == LIMIT < MATE_BOUND
    board.turn = chess.BLACK
    assert PST.value(board, 1) == -LIMIT


def test_tables_are_plausible() -> None:
    pawn, rook = PST.tables[chess.PAWN, chess.WHITE], PST.tables[chess.ROOK, chess.WHITE]
    knight, king = PST.tables[chess.KNIGHT, chess.WHITE], PST.tables[chess.KING, chess.WHITE]
    for file in range(8):
        ranks = [pawn[chess.square(file, rank)][1] for rank in range(1, 7)]
        assert ranks[2:] == sorted(ranks[2:])
        seventh, third = (rook[chess.square(file, rank)] for rank in (6, 2))
        assert seventh > third
    assert knight[chess.E5] > knight[chess.A1]
    assert king[chess.G1][0] > king[chess.E4][0]
    assert king[chess.E4][1] > king[chess.G1][1]


@pytest.mark.parametrize(
    ("value", "grain", "rounded"),
    [
        (7, 1, 7),
        (-7, 1, -7),
        (2, 4, 4),
        (1, 4, 0),
        (-2, 4, -4),
        (-1, 4, 0),
        (5, 10, 10),
        (-5, 10, -10),
    ]
    + [(4, 10, 0), (12, 5, 10), (13, 5, 15), (0, 200, 0), (100, 200, 200), (-99, 200, 0)],
)
def test_grain_by_hand(value: int, grain: int, rounded: int) -> None:
    assert round_to_grain(value, grain) == rounded


@given(st.integers(-LIMIT, LIMIT), st.integers(1, 200))
def test_grain_rounds_to_the_nearest_multiple(value: int, grain: int) -> None:
    rounded = round_to_grain(value, grain)
    assert rounded % grain == 0
    assert abs(rounded - value) * 2 <= grain
    assert rounded == -round_to_grain(-value, grain)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (-2.5, -3), (0.49999999999999994, 0), (7.0, 7)],
)
def test_half_is_rounded_away_from_zero(value: float, rounded: int) -> None:
    assert round_half_away(value) == rounded


def test_backend_computes_the_same_value() -> None:
    fen = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w KQkq - 0 6"
    assert backend.evaluate(fen) == PST.value(chess.Board(fen), 1)
    assert backend.evaluate(fen, grain=50) == PST.value(chess.Board(fen), 50)
