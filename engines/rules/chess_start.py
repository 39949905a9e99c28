"""Where games of chess start: whether one can start from a position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

_MOST_MOVES = 9999
_FIELDS = re.compile(
    r"\s*((?:[^\s;]+\s+){3}[^\s;|#]+)(?:\s+(\d{1,5}\s+\d{1,5})(?![^\s;|#]))?\s*(.*)", re.DOTALL
)
_REMARK = re.compile(r'((?:"[^"]*"|[^"])*?)(?:(?<![^\s;])(?:#|//|\|).*)?', re.DOTALL)
"""Text, and what programs write behind it: ``# c``, ``// c`` and ``| 23 | 0.5``; in quotation
marks, or attached to a word, these belong to the text."""


ONLY_CHESS960 = "it is of Chess960, and --chess960 plays such games"
"""The fault of a position that standard chess does not have."""


def split_position(text: str) -> tuple[str, str, str] | None:
    """The four fields of a position in EPD or FEN, its two clocks (empty where it has none), and
    the rest, without a remark; None for a text without four fields."""
    match = _FIELDS.fullmatch(text)
    if match is None:
        return None
    remark = _REMARK.fullmatch(match[3])
    return match[1], match[2] or "", (match[3] if remark is None else remark[1]).strip()


def bare_fen(text: str) -> str:
    """A FEN without the semicolon, the operations and the remark that may follow it. Other text is
    returned as it is."""
    parts = split_position(text)
    if parts is None or (parts[2] and not parts[2].startswith(";")):
        return text
    return " ".join(f"{parts[0]} {parts[1]}".split())


def board_at(fen: str, *, chess960: bool) -> chess.Board:
    """A position of Chess960, or of standard chess unless its castling rights show that it is of
    Chess960. Raises ValueError for a text that is no FEN."""
    import chess

    board = chess.Board(fen, chess960=chess960)
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    return board


def position_problem(board: chess.Board) -> str | None:
    """Why no game can start from a position; None when one can."""
    status = board.status()
    if status:
        return f"illegal position ({_describe_status(board, status)})"
    if (over := over_because(board)) is not None:
        return over
    if board.fullmove_number > _MOST_MOVES:
        return f"move number {board.fullmove_number} is out of range"
    return None


def over_because(board: chess.Board) -> str | None:
    """Why the game is over in a legal position after the moves on the board's stack, by its rules
    alone; None if it is not."""
    reason = None
    if board.halfmove_clock >= 100:
        reason = "fifty moves"
    elif board.is_insufficient_material():
        reason = "insufficient material"
    elif not any(board.generate_legal_moves()):
        reason = "checkmate" if board.is_check() else "stalemate"
    elif _has_third_repetition(board):
        reason = "threefold repetition"
    return None if reason is None else f"the game is over there ({reason})"


def _has_third_repetition(board: chess.Board) -> bool:
    """Whether a position occurred for the third time, now or earlier."""
    past = board.copy()
    while past.move_stack:
        if past.is_repetition(3):
            return True
        past.pop()
    return False


def _describe_status(board: chess.Board, status: chess.Status) -> str:
    import chess

    mover, other = ("white", "black") if board.turn else ("black", "white")
    words = {
        chess.STATUS_NO_WHITE_KING: "no white king",
        chess.STATUS_NO_BLACK_KING: "no black king",
        chess.STATUS_TOO_MANY_KINGS: "too many kings",
        chess.STATUS_TOO_MANY_WHITE_PAWNS: "too many white pawns",
        chess.STATUS_TOO_MANY_BLACK_PAWNS: "too many black pawns",
        chess.STATUS_PAWNS_ON_BACKRANK: "pawns on the first or last rank",
        chess.STATUS_TOO_MANY_WHITE_PIECES: "too many white pieces",
        chess.STATUS_TOO_MANY_BLACK_PIECES: "too many black pieces",
        chess.STATUS_BAD_CASTLING_RIGHTS: "castling rights without king and rook in place",
        chess.STATUS_INVALID_EP_SQUARE: "impossible en passant square",
        chess.STATUS_OPPOSITE_CHECK: f"{other} king in check, {mover} to move",
        chess.STATUS_EMPTY: "empty board",
        chess.STATUS_TOO_MANY_CHECKERS: f"{mover} king in check by too many pieces",
        chess.STATUS_IMPOSSIBLE_CHECK: f"{mover} king in an impossible check",
    }
    return ", ".join(text for flag, text in words.items() if status & flag)
