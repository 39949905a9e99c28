"""Following the variations that engines print, as ``engines/core/py/lines.rs`` does."""

from __future__ import annotations

from collections.abc import Sequence

from engines.errors import PositionError
from engines.moves import encode_move
from engines.rules.chess_rules import ChessBoard, legal_start


def follow_lines(
    fen: str, chess960: bool, moves: Sequence[int], lines: Sequence[tuple[int, str]]
) -> list[tuple[list[int], bool]]:
    """For each of ``lines``, a ply of the game (in ascending order) and a variation in UCI from the
    position before it: the codes of its moves before the first illegal one, and whether they end in
    checkmate. Raises PositionError for a start or a game that is not legal."""
    board, ply, found = ChessBoard(legal_start(fen, chess960)), 0, []
    for at, line in lines:
        for code in moves[ply:at]:
            if not board.push(code):
                raise PositionError(f"ply {ply} is illegal")
        ply = at
        after, codes = ChessBoard(board.board.copy(stack=False)), []
        for word in line.split():
            try:
                code = encode_move(word)
            except PositionError:
                break
            if not after.push(code):
                break
            codes.append(code)
        found.append((codes, after.is_check() and not after.moves()))
    return found
