"""The two-byte code of moves agrees with python-chess and refuses all other texts."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.errors import PositionError
from engines.moves import decode_move, encode_move


def test_codes_agree_with_python_chess(random_boards: list[chess.Board]) -> None:
    castling = promotions = 0
    for board in random_boards:
        for move in board.legal_moves:
            castling += board.is_castling(move)
            promotions += move.promotion is not None
            code = encode_move(move.uci())
            assert code == move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
            assert 0 <= code < 2**16
            assert decode_move(code) == move.uci()
    assert castling > 0
    assert promotions > 0


def test_castling_is_a_move_of_the_king() -> None:
    assert encode_move("e1g1") == 4 | 6 << 6
    assert decode_move(60 | 58 << 6) == "e8c8"


def test_malformed_moves_are_refused() -> None:
    for text in (
        "",
        "e2",
        "e2e",
        "e2e9",
        "i2e4",
        "e2e4x",
        "e2e4p",
        "e7e8qq",
        "e7e8 ",
        "0000",
        "é2e4",
    ):
        with pytest.raises(PositionError, match="not a move in UCI notation"):
            encode_move(text)


@given(st.text(max_size=6))
def test_any_text_is_a_move_or_an_error(text: str) -> None:
    try:
        code = encode_move(text)
    except PositionError:
        return
    assert decode_move(code) == text
