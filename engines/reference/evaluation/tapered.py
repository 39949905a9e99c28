"""Tapered piece-square tables, which every evaluation has and which are all of ``pst``, and the
roundings of values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import chess

LIMIT = 30_000
"""Evaluations are clamped to ±LIMIT, below every mate value."""

Tables = dict[tuple[chess.PieceType, chess.Color], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Tapered piece-square tables that include material, and the piece values of SEE."""

    tables: Tables
    """Per piece type and colour the (middlegame, endgame) value on each square, White's view."""
    phase: tuple[int, ...]
    """Weight of each piece type in the game phase, indexed by piece type."""
    phase_max: int
    see: tuple[int, ...]
    """Exchange value of each piece type, indexed by piece type."""

    def white_value(self, board: chess.Board) -> int:
        """Value in centipawns for White, between middlegame and endgame by what is left.

        The division truncates toward zero, so that both sides see the same size.
        """
        middle, end, phase = self.sums(board)
        phase = min(phase, self.phase_max)
        total = middle * phase + end * (self.phase_max - phase)
        size = abs(total) // self.phase_max
        return size if total >= 0 else -size

    def sums(self, board: chess.Board) -> tuple[int, int, int]:
        """Middlegame and endgame sums of the tables for White, and the phase, not yet cut."""
        middle = end = phase = 0
        for piece_type, squares in _pieces(board):
            phase += self.phase[piece_type] * chess.popcount(squares)
            for color in chess.COLORS:
                table = self.tables[piece_type, color]
                for square in chess.scan_forward(squares & board.occupied_co[color]):
                    middle += table[square][0]
                    end += table[square][1]
        return middle, end, phase

    def value(self, board: chess.Board, grain: int) -> int:
        """Value for the side to move, clamped, then rounded to a multiple of ``grain``."""
        value = self.white_value(board) if board.turn else -self.white_value(board)
        clamped = max(-LIMIT, min(LIMIT, value))
        return round_to_grain(clamped, grain)


def round_to_grain(value: int, grain: int) -> int:
    """The nearest multiple of ``grain``; half way away from zero."""
    return divide_half_away(value, grain) * grain


def divide_half_away(numerator: int, denominator: int) -> int:
    """The integer nearest to the quotient by a positive number; half way away from zero."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def round_half_away(value: float) -> int:
    """The nearest integer; half way away from zero."""
    whole = math.trunc(value)
    if abs(value - whole) < 0.5:
        return whole
    return whole + (1 if value > 0 else -1)


def _pieces(board: chess.Board) -> tuple[tuple[chess.PieceType, chess.Bitboard], ...]:
    return (
        (chess.PAWN, board.pawns),
        (chess.KNIGHT, board.knights),
        (chess.BISHOP, board.bishops),
        (chess.ROOK, board.rooks),
        (chess.QUEEN, board.queens),
        (chess.KING, board.kings),
    )
