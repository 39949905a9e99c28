"""Plain minimax of chess positions, worked out once for all tests that compare with it."""

from __future__ import annotations

from functools import cache

import chess

from engines.backend import plain_value
from engines.reference.search.game import from_child
from engines.variant import parse_variant


@cache
def exact_value(
    fen: str,
    depth: int,
    *,
    evaluation: str = "pst",
    grain: int = 1,
    swing: int = 0,
    quiescence: bool = True,
) -> int:
    """The value of the tree of this depth by the core's minimax, which ``test_backends_agree``
    compares with that of Python; by the latter where there is no core."""
    tree = f"grain={grain},swing={swing},quiescence={'on' if quiescence else 'off'}"
    return plain_value(parse_variant(f"minimax:eval={evaluation},{tree}"), fen, depth)


@cache
def values_below(fen: str, depth: int) -> dict[str, int]:
    """What each move is worth at this depth without quiescence, for the side that makes it."""
    values = {}
    board = chess.Board(fen)
    for move in list(board.legal_moves):
        board.push(move)
        values[move.uci()] = from_child(exact_value(board.fen(), depth - 1, quiescence=False))
        board.pop()
    return values
