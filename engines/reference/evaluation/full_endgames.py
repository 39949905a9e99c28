"""Endgames of the evaluation ``full`` that are worth less than they count, and the driving of a
bare king to where it is mated."""

from __future__ import annotations

from dataclasses import dataclass

import chess
from chess import Bitboard, Square

from engines.reference.evaluation.attacks import Camp

FULL_SCALE = 64
"""The whole of an endgame's value counts."""
_POINTS = (0, 0, 3, 3, 5, 9, 0)
_MINOR, _ROOK = 3, 5


@dataclass(frozen=True, slots=True)
class EndgameWeights:
    """Scales in 64ths, and what driving is worth in centipawns."""

    no_pawns: tuple[int, int, int]
    """No pawns and a minor piece more at most: with a minor piece; against a minor piece at most;
    otherwise."""
    opposite_bishops: tuple[int, int]
    """Bishops of opposite colours: alone, and with other pieces."""
    pawns: tuple[int, int]
    """Without pawns, and for each pawn."""
    drive: tuple[int, int, int, int]
    """Against a bare king: won; for each step from the centre; for each step of the kings'
    distance that is saved; for each step toward the corner of bishop and knight."""


def scale(strong: Camp, weak: Camp, weights: EndgameWeights) -> int:
    """How many 64ths of the endgame's value count when ``strong`` is ahead in it."""
    if not strong.pawns:
        return _without_pawns(strong, weak, weights)
    if _has_wrong_rook_pawns(strong, weak):
        return 0
    if _have_opposite_bishops(strong, weak):
        alone = strong.pieces == strong.of[chess.BISHOP] and weak.pieces == weak.of[chess.BISHOP]
        return weights.opposite_bishops[0 if alone else 1]
    least, each = weights.pawns
    return min(least + each * chess.popcount(strong.pawns), FULL_SCALE)


def drive(strong: Camp, weak: Camp, weights: EndgameWeights) -> int:
    """What ``strong`` gains by driving a bare king to the edge, or with bishop and knight to the
    corner of the bishop; 0 when the king is not bare or cannot be mated."""
    if weak.men != weak.of[chess.KING] or not _can_mate(strong):
        return 0
    won, edge, close, corner = weights.drive
    distance = chess.square_distance(strong.king, weak.king)
    value = won + edge * _from_centre(weak.king) + close * (7 - distance)
    knights, bishops = strong.of[chess.KNIGHT], strong.of[chess.BISHOP]
    if not strong.pawns and knights and strong.pieces == knights | bishops:
        light = bool(bishops & chess.BB_LIGHT_SQUARES)
        if not _on_both_colours(bishops):
            value += corner * _toward_corner(weak.king, light)
    return value


def _without_pawns(strong: Camp, weak: Camp, weights: EndgameWeights) -> int:
    own, other = _points(strong), _points(weak)
    minor, against_minor, against_more = weights.no_pawns
    if own - other <= _MINOR:
        if own < _ROOK:
            return minor
        return against_minor if other <= _MINOR else against_more
    knights = strong.of[chess.KNIGHT]
    two_knights = strong.pieces == knights and chess.popcount(knights) <= 2
    return minor if two_knights else FULL_SCALE


def _points(camp: Camp) -> int:
    return sum(points * chess.popcount(men) for points, men in zip(_POINTS, camp.of, strict=True))


def _has_wrong_rook_pawns(strong: Camp, weak: Camp) -> bool:
    """All pawns on one rook file, no piece but bishops that cannot reach the square of promotion,
    and the other king there or beside it, or nearer to it than the king and the pawns of its
    side."""
    for file, goal in ((chess.BB_FILE_A, chess.A8), (chess.BB_FILE_H, chess.H8)):
        if strong.pawns & ~file == 0:
            bishops = strong.of[chess.BISHOP]
            reach = next(
                colour
                for colour in (chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES)
                if colour & chess.BB_SQUARES[goal]
            )
            near = chess.square_distance(weak.king, goal)
            first = 7 - chess.square_rank(chess.msb(strong.pawns))
            nearest = near < chess.square_distance(strong.king, goal) and near <= first
            return (near <= 1 or nearest) and strong.pieces == bishops and not bishops & reach
    return False


def _have_opposite_bishops(strong: Camp, weak: Camp) -> bool:
    ours, theirs = strong.of[chess.BISHOP], weak.of[chess.BISHOP]
    if chess.popcount(ours) != 1 or chess.popcount(theirs) != 1:
        return False
    light = chess.BB_LIGHT_SQUARES
    return bool(ours & light) != bool(theirs & light)


def _can_mate(strong: Camp) -> bool:
    """A queen, a rook, bishops of both colours, or bishop and knight."""
    knights, bishops = strong.of[chess.KNIGHT], strong.of[chess.BISHOP]
    heavy = strong.of[chess.ROOK] | strong.of[chess.QUEEN]
    return bool(heavy or _on_both_colours(bishops) or (knights and bishops))


def _on_both_colours(men: Bitboard) -> bool:
    return bool(men & chess.BB_LIGHT_SQUARES and men & chess.BB_DARK_SQUARES)


def _from_centre(square: Square) -> int:
    """Steps along files and ranks from the four squares of the centre: 0 to 6."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return max(3 - file, file - 4) + max(3 - rank, rank - 4)


def _toward_corner(square: Square, light: bool) -> int:
    """7 in the corners of that colour, less one for each diagonal between."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return abs(file - rank) if light else abs(file + rank - 7)
