"""One side's men as bitboards, and what they attack: what the terms of ``full`` look at.

A camp is seen from one side: that side moves up the board, toward higher ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
from chess import Bitboard, PieceType, Square

_NOT_FILE_A = chess.BB_ALL ^ chess.BB_FILE_A
_NOT_FILE_H = chess.BB_ALL ^ chess.BB_FILE_H


@dataclass(frozen=True, slots=True)
class Camp:
    """One side. Tuples are indexed by piece type; index 0 is empty."""

    men: Bitboard
    of: tuple[Bitboard, ...]
    """The men by kind."""
    king: Square
    attacks: tuple[tuple[PieceType, Square, Bitboard], ...]
    """Each knight, bishop, rook and queen, with its square and what it attacks."""
    by: tuple[Bitboard, ...]
    """What men of each kind attack."""
    once: Bitboard
    """What is attacked at all."""
    twice: Bitboard
    """What is attacked by two men or more."""
    pawn_span: Bitboard
    """What pawns attack, or may attack after advancing."""
    pawn_front: Bitboard
    """All squares in front of pawns, on their files."""
    zone: Bitboard
    """The king's square and those around it, moved off the edge of the board."""

    @property
    def pawns(self) -> Bitboard:
        """The pawns."""
        return self.of[chess.PAWN]

    @property
    def pieces(self) -> Bitboard:
        """Knights, bishops, rooks and queens."""
        return self.men & ~self.of[chess.PAWN] & ~self.of[chess.KING]

    def flipped(self) -> Camp:
        """The same camp as the other side sees it."""
        return Camp(
            men=flip(self.men),
            of=tuple(map(flip, self.of)),
            king=chess.square_mirror(self.king),
            attacks=tuple(
                (kind, chess.square_mirror(square), flip(squares))
                for kind, square, squares in self.attacks
            ),
            by=tuple(map(flip, self.by)),
            once=flip(self.once),
            twice=flip(self.twice),
            pawn_span=flip(self.pawn_span),
            pawn_front=flip(self.pawn_front),
            zone=flip(self.zone),
        )


def camp_of(board: chess.Board, color: chess.Color) -> Camp:
    """The camp of ``color``, seen from its own side."""
    kinds = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    men, occupied = board.occupied_co[color], board.occupied
    of = tuple(kind & men for kind in kinds)
    if color == chess.BLACK:
        men, occupied, of = flip(men), flip(occupied), tuple(map(flip, of))
    king = chess.lsb(of[chess.KING])
    attacks = _attacks(of, occupied)
    left = (of[chess.PAWN] & _NOT_FILE_A) << 7
    right = (of[chess.PAWN] & _NOT_FILE_H) << 9
    by = [0, left | right, 0, 0, 0, 0, chess.BB_KING_ATTACKS[king]]
    once, twice = by[chess.PAWN] | by[chess.KING], left & right | by[chess.PAWN] & by[chess.KING]
    for kind, _, squares in attacks:
        twice |= once & squares
        once |= squares
        by[kind] |= squares
    return Camp(
        men=men,
        of=of,
        king=king,
        attacks=tuple(attacks),
        by=tuple(by),
        once=once,
        twice=twice,
        pawn_span=fill_up(left | right),
        pawn_front=fill_up(of[chess.PAWN] << 8),
        zone=_zone(king),
    )


def _attacks(
    of: Sequence[Bitboard], occupied: Bitboard
) -> list[tuple[PieceType, Square, Bitboard]]:
    """What each piece attacks. Bishops see through own queens, rooks also through own rooks."""
    queens, rooks = of[chess.QUEEN], of[chess.ROOK]
    past_queens, past_heavy = occupied & ~queens, occupied & ~(queens | rooks)
    found = [
        (chess.KNIGHT, square, chess.BB_KNIGHT_ATTACKS[square])
        for square in chess.scan_forward(of[chess.KNIGHT])
    ]
    for square in chess.scan_forward(of[chess.BISHOP]):
        found.append((chess.BISHOP, square, diagonals(square, past_queens)))
    for square in chess.scan_forward(rooks):
        found.append((chess.ROOK, square, lines(square, past_heavy)))
    for square in chess.scan_forward(queens):
        both = diagonals(square, occupied) | lines(square, occupied)
        found.append((chess.QUEEN, square, both))
    return found


def _zone(king: Square) -> Bitboard:
    file = min(max(chess.square_file(king), 1), 6)
    rank = min(max(chess.square_rank(king), 1), 6)
    centre = chess.square(file, rank)
    return chess.BB_KING_ATTACKS[centre] | chess.BB_SQUARES[centre]


def flip(squares: Bitboard) -> Bitboard:
    """The squares mirrored between the sides."""
    return int.from_bytes(squares.to_bytes(8, "little"), "big")


def up(squares: Bitboard) -> Bitboard:
    """One step toward the enemy."""
    return squares << 8 & chess.BB_ALL


def fill_up(squares: Bitboard) -> Bitboard:
    """The squares and all squares in front of them."""
    squares |= squares << 8
    squares |= squares << 16
    return (squares | squares << 32) & chess.BB_ALL


def fill_down(squares: Bitboard) -> Bitboard:
    """The squares and all squares behind them."""
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


def beside(squares: Bitboard) -> Bitboard:
    """The neighbours to the left and right."""
    return (squares & _NOT_FILE_A) >> 1 | (squares & _NOT_FILE_H) << 1


def diagonals(square: Square, occupied: Bitboard) -> Bitboard:
    """What a bishop attacks."""
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def lines(square: Square, occupied: Bitboard) -> Bitboard:
    """What a rook attacks."""
    return (
        chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    )
