"""Static evaluation: the tapered tables of ``engines/data``, shared with the native core."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources

import chess

LIMIT = 30_000
"""Evaluations are clamped to ±LIMIT, below every mate value."""

_Tables = dict[tuple[chess.PieceType, chess.Color], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Tapered piece-square tables that include material, and the piece values of SEE."""

    tables: _Tables
    """Per piece type and colour the (middlegame, endgame) value on each square, White's view."""
    phase: tuple[int, ...]
    """Weight of each piece type in the game phase, indexed by piece type."""
    phase_max: int
    see: tuple[int, ...]
    """Exchange value of each piece type, indexed by piece type."""

    def white_score(self, board: chess.Board) -> int:
        """Value in centipawns for White, between middlegame and endgame by what is left.

        The division truncates toward zero, so that both sides see the same size.
        """
        middle = end = phase = 0
        for piece_type, squares in _pieces(board):
            phase += self.phase[piece_type] * chess.popcount(squares)
            for color in chess.COLORS:
                table = self.tables[piece_type, color]
                for square in chess.scan_forward(squares & board.occupied_co[color]):
                    middle += table[square][0]
                    end += table[square][1]
        phase = min(phase, self.phase_max)
        total = middle * phase + end * (self.phase_max - phase)
        size = abs(total) // self.phase_max
        return size if total >= 0 else -size

    def value(self, board: chess.Board, grain: int) -> int:
        """Value for the side to move, clamped, then rounded to a multiple of ``grain``."""
        score = self.white_score(board)
        clamped = max(-LIMIT, min(LIMIT, score if board.turn else -score))
        return round_to_grain(clamped, grain)


def round_to_grain(value: int, grain: int) -> int:
    """The nearest multiple of ``grain``; half way away from zero."""
    size = (2 * abs(value) + grain) // (2 * grain) * grain
    return size if value >= 0 else -size


def round_half_away(value: float) -> int:
    """The nearest integer; half way away from zero."""
    whole = math.trunc(value)
    if abs(value - whole) < 0.5:
        return whole
    return whole + (1 if value > 0 else -1)


@cache
def load_evaluation(name: str) -> Evaluation:
    """The evaluation that is called ``name`` in the registry's parameter ``eval``."""
    text = (resources.files("engines") / "data" / f"{name}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    symbols: str = data["piece_order"]
    tables: _Tables = {}
    for symbol in symbols:
        piece_type = chess.PIECE_SYMBOLS.index(symbol)
        pairs = list(zip(data["mg"][symbol], data["eg"][symbol], strict=True))
        tables[piece_type, chess.WHITE] = tuple(pairs)
        tables[piece_type, chess.BLACK] = tuple(
            (-pairs[mirrored][0], -pairs[mirrored][1]) for mirrored in chess.SQUARES_180
        )
    return Evaluation(
        tables=tables,
        phase=(0, *(data["phase"][symbol] for symbol in symbols)),
        phase_max=data["phase_max"],
        see=(0, *(data["see"][symbol] for symbol in symbols)),
    )


def _pieces(board: chess.Board) -> tuple[tuple[chess.PieceType, chess.Bitboard], ...]:
    return (
        (chess.PAWN, board.pawns),
        (chess.KNIGHT, board.knights),
        (chess.BISHOP, board.bishops),
        (chess.ROOK, board.rooks),
        (chess.QUEEN, board.queens),
        (chess.KING, board.kings),
    )
