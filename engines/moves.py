"""The two-byte code of a move: from, to << 6, promotion << 12.

Squares count a1 = 0, b1 = 1 … h8 = 63; promotion is 0 or a piece type (2 knight, 3 bishop,
4 rook, 5 queen), as in python-chess. Castling is written as the king's own move (e1g1) in standard
chess, and as king takes rook (e1h1) in every game of Chess960, where the king may also have an
ordinary move to the square on which it castles. So a code needs its game: UCI makes the same
difference with the option ``UCI_Chess960``.
"""

from __future__ import annotations

from functools import cache

from engines.errors import PositionError

_PROMOTION = " .nbrq"


@cache  # there are 2,000 different moves, and a book has 180,000
def encode_move(uci: str) -> int:
    """Code of a move in UCI notation. Raises PositionError when the text is no move."""
    try:
        file_from, rank_from, file_to, rank_to = (ord(c) for c in uci[:4])
        start = (file_from - 97) + 8 * (rank_from - 49)
        end = (file_to - 97) + 8 * (rank_to - 49)
        promotion = _PROMOTION.index(uci[4], 2) if len(uci) == 5 else 0
    except (ValueError, IndexError):
        raise PositionError(
            f"`{uci}` is not a move in UCI notation, such as e2e4 or e7e8q"
        ) from None
    on_board = all(97 <= f <= 104 for f in (file_from, file_to)) and all(
        49 <= r <= 56 for r in (rank_from, rank_to)
    )
    if not on_board or len(uci) > 5:
        raise PositionError(f"`{uci}` is not a move in UCI notation, such as e2e4 or e7e8q")
    return start | end << 6 | promotion << 12


def decode_move(code: int) -> str:
    """UCI notation of a two-byte code."""
    start, end, promotion = code & 63, code >> 6 & 63, code >> 12
    suffix = _PROMOTION[promotion] if promotion else ""
    return f"{_square(start)}{_square(end)}{suffix}"


def _square(index: int) -> str:
    return chr(97 + index % 8) + chr(49 + index // 8)
