"""The terms of the evaluation ``full``: what each counts, without what it is worth.

Every function takes the two camps as ``us`` sees them and yields (name, index, times): the weight
``name[index]`` of ``data/full.json`` counts that many times for ``us``. So the evaluation is a sum
of weights times counts, and the counts are the trace that tuning fits the weights on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chess
from chess import Bitboard, Square

from engines.reference.evaluation.attacks import (
    Camp,
    beside,
    diagonals,
    fill_down,
    fill_up,
    lines,
    up,
)

Count = tuple[str, int, int]
Term = Callable[[Camp, Camp], Iterator[Count]]

_FAR = 5
"""Distances of kings to passed pawns are cut here."""
_CENTRE_FILES = chess.BB_FILE_C | chess.BB_FILE_D | chess.BB_FILE_E | chess.BB_FILE_F
_OUTPOST_RANKS = chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6
_SPACE_RANKS = chess.BB_RANK_2 | chess.BB_RANK_3 | chess.BB_RANK_4
_MOBILITY = {
    chess.KNIGHT: "mobility_knight",
    chess.BISHOP: "mobility_bishop",
    chess.ROOK: "mobility_rook",
    chess.QUEEN: "mobility_queen",
}


def mobility(us: Camp, them: Camp) -> Iterator[Count]:
    """Squares that a piece attacks, without own pawns and king and what enemy pawns attack."""
    area = ~(us.pawns | us.of[chess.KING] | them.by[chess.PAWN])
    for kind, _, squares in us.attacks:
        yield _MOBILITY[kind], chess.popcount(squares & area), 1


def bishops(us: Camp, them: Camp) -> Iterator[Count]:
    """The pair, and own pawns in a bishop's way."""
    bishops = us.of[chess.BISHOP]
    if bishops & chess.BB_LIGHT_SQUARES and bishops & chess.BB_DARK_SQUARES:
        yield "bishop_pair", 0, 1
    for square in chess.scan_forward(bishops):
        yield "bishop_pawns", 0, chess.popcount(us.pawns & _same_colour(square))


def rooks(us: Camp, them: Camp) -> Iterator[Count]:
    """Open and half-open files; the seventh rank when pawns or the king can be attacked there."""
    rooks = us.of[chess.ROOK]
    for square in chess.scan_forward(rooks):
        file = chess.BB_FILES[chess.square_file(square)]
        if not us.pawns & file:
            yield "rook_half_open" if them.pawns & file else "rook_open", 0, 1
    if them.pawns & chess.BB_RANK_7 or them.of[chess.KING] & chess.BB_RANK_8:
        yield "rook_seventh", 0, chess.popcount(rooks & chess.BB_RANK_7)


def minor_pieces(us: Camp, them: Camp) -> Iterator[Count]:
    """Outposts, protected by a pawn where no enemy pawn can ever attack; places behind pawns."""
    knights, bishops = us.of[chess.KNIGHT], us.of[chess.BISHOP]
    outposts = _OUTPOST_RANKS & us.by[chess.PAWN] & ~them.pawn_span
    yield "knight_outpost", 0, chess.popcount(knights & outposts)
    yield "bishop_outpost", 0, chess.popcount(bishops & outposts)
    yield "minor_behind_pawn", 0, chess.popcount((knights | bishops) & us.pawns >> 8)


def weak_pawns(us: Camp, them: Camp) -> Iterator[Count]:
    """Isolated, doubled and backward pawns.

    A backward pawn has pawns on a file beside it, all of them ahead, and cannot advance safely.
    """
    pawns, neighbours = us.pawns, beside(us.pawns)
    files = fill_up(fill_down(neighbours))
    isolated = pawns & ~files
    yield "isolated", 0, chess.popcount(isolated)
    yield "isolated_open", 0, chess.popcount(isolated & ~them.pawn_front)
    yield "doubled", 0, chess.popcount(pawns & us.pawn_front)
    left_behind = pawns & files & ~fill_up(neighbours)
    stopped = them.by[chess.PAWN] | them.pawns
    yield "backward", 0, chess.popcount(up(left_behind) & stopped)


def connected_pawns(us: Camp, them: Camp) -> Iterator[Count]:
    """Pawns side by side, and pawns that pawns protect, by rank."""
    for square in chess.scan_forward(us.pawns & beside(us.pawns)):
        yield "phalanx", chess.square_rank(square), 1
    for square in chess.scan_forward(us.pawns & us.by[chess.PAWN]):
        yield "supported", chess.square_rank(square), 1


def passed_pawns(us: Camp, them: Camp) -> Iterator[Count]:
    """Pawns that no enemy pawn can stop or take, without an own pawn in front, by rank."""
    occupied = us.men | them.men
    for square in chess.scan_forward(_passed(us, them)):
        rank, stop = chess.square_rank(square), square + 8
        path = fill_up(chess.BB_SQUARES[stop])
        yield "passed", rank, 1
        if us.by[chess.PAWN] & chess.BB_SQUARES[square]:
            yield "passed_protected", rank, 1
        if occupied & chess.BB_SQUARES[stop]:
            yield "passed_blocked", rank, 1
        if not them.once & chess.BB_SQUARES[stop]:
            yield "passed_safe", rank, 1
        if not (them.once | occupied) & path:
            yield "passed_free", rank, 1
        yield "passed_own_king", rank, min(chess.square_distance(us.king, stop), _FAR)
        yield "passed_enemy_king", rank, min(chess.square_distance(them.king, stop), _FAR)


def unstoppable_pawns(us: Camp, them: Camp, turn: bool) -> Iterator[Count]:
    """Passed pawns that a bare king cannot catch; ``turn``: ``us`` is to move."""
    if them.pieces:
        return
    occupied = us.men | them.men
    for square in chess.scan_forward(_passed(us, them)):
        rank = chess.square_rank(square)
        goal = chess.square(chess.square_file(square), 7)
        steps = 7 - rank - (rank == 1)
        free = not occupied & fill_up(chess.BB_SQUARES[square + 8])
        if free and chess.square_distance(them.king, goal) - (not turn) > steps:
            yield "passed_unstoppable", 0, 1


def shelter(us: Camp, them: Camp) -> Iterator[Count]:
    """On three files at the king: the rank of the nearest own pawn, and of the enemy's; 0 = none.

    Pawns behind the king do not count. The enemy's pawn may be blocked by the own one.
    """
    king_file = chess.square_file(us.king)
    centre = min(max(king_file, 1), 6)
    ahead = fill_up(chess.BB_RANKS[chess.square_rank(us.king)])
    for file in (centre - 1, centre, centre + 1):
        squares = chess.BB_FILES[file] & ahead
        own, enemy = _nearest(us.pawns & squares), _nearest(them.pawns & squares)
        blocked = own != 0 and own + 1 == enemy
        yield "shelter", 8 * (file != king_file) + own, 1
        yield "storm", 8 * blocked + enemy, 1


def piece_threats(us: Camp, them: Camp) -> Iterator[Count]:
    """Men attacked by less, and men attacked and not well defended, by what attacks them."""
    pieces = them.pieces
    for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        yield "threat_pawn", kind - 2, chess.popcount(them.of[kind] & us.by[chess.PAWN])
    strong = them.by[chess.PAWN] | them.twice & ~us.twice
    weak = (them.pawns | pieces) & us.once & ~strong
    by_minor = (weak | pieces) & (us.by[chess.KNIGHT] | us.by[chess.BISHOP])
    by_rook = weak & us.by[chess.ROOK]
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        yield "threat_minor", kind - 1, chess.popcount(them.of[kind] & by_minor)
        yield "threat_rook", kind - 1, chess.popcount(them.of[kind] & by_rook)
    yield "threat_king", 0, chess.popcount(weak & us.by[chess.KING])
    yield "hanging", 0, chess.popcount(weak & (~them.once | pieces & us.twice))


def pawn_pushes(us: Camp, them: Camp) -> Iterator[Count]:
    """Pieces that a pawn would attack after a safe push."""
    free = ~(us.men | them.men)
    once = up(us.pawns) & free
    pushes = once | up(once & chess.BB_RANK_3) & free
    safe = pushes & ~them.by[chess.PAWN] & (us.once | ~them.once)
    attacked = beside(up(safe)) & them.pieces & ~us.by[chess.PAWN]
    yield "threat_push", 0, chess.popcount(attacked)


def space(us: Camp, them: Camp) -> Iterator[Count]:
    """Safe squares in the centre of the own half; those behind own pawns count twice."""
    safe = _CENTRE_FILES & _SPACE_RANKS & ~us.pawns & ~them.by[chess.PAWN]
    behind = fill_down(us.pawns >> 8)
    yield "space", 0, chess.popcount(safe) + chess.popcount(safe & behind & ~them.once)


TERMS: tuple[Term, ...] = (
    mobility,
    bishops,
    rooks,
    minor_pieces,
    weak_pawns,
    connected_pawns,
    passed_pawns,
    shelter,
    piece_threats,
    pawn_pushes,
    space,
)
"""The terms that need nothing but the two camps."""


def safe_checks(us: Camp, them: Camp) -> tuple[int, ...]:
    """Whether a knight, bishop, rook, queen can give check where it is not taken: 0 or 1 each."""
    weak = weak_squares(us, them)
    safe = ~us.men & (~them.once | weak & us.twice)
    through = (us.men | them.men) & ~them.of[chess.QUEEN]
    diagonal, line = diagonals(them.king, through), lines(them.king, through)
    squares = (
        chess.BB_KNIGHT_ATTACKS[them.king],
        diagonal,
        line,
        (diagonal | line) & ~them.by[chess.QUEEN],
    )
    return tuple(
        int(us.by[kind] & near & safe != 0) for kind, near in enumerate(squares, chess.KNIGHT)
    )


def weak_squares(us: Camp, them: Camp) -> Bitboard:
    """What ``us`` attacks and they defend not at all, or once and by king or queen only."""
    near = them.by[chess.KING] | them.by[chess.QUEEN]
    return us.once & ~them.twice & (~them.once | near)


def _passed(us: Camp, them: Camp) -> Bitboard:
    return us.pawns & ~(them.pawn_front | them.pawn_span | fill_down(us.pawns >> 8))


def _nearest(pawns: Bitboard) -> int:
    return chess.square_rank(chess.lsb(pawns)) if pawns else 0


def _same_colour(square: Square) -> Bitboard:
    light = chess.BB_LIGHT_SQUARES
    return light if light & chess.BB_SQUARES[square] else chess.BB_DARK_SQUARES
