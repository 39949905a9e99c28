"""Plain minimax of chess positions, worked out once for all tests that compare with it."""

from __future__ import annotations

from functools import cache

from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame, read_board
from engines.reference.oracle import minimax


@cache
def exact_value(
    fen: str, depth: int, *, grain: int = 1, swing: int = 0, quiescence: bool = True
) -> int:
    """The value of the tree of this depth under the evaluation ``pst``."""
    game = ChessGame(read_board(fen), load_evaluation("pst"), grain, swing)
    return minimax(game, depth, quiescence=quiescence)
