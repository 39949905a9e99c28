"""Static exchange evaluation: what a capture wins when both sides go on capturing there.

The swap algorithm as chess programs have it since the 1980s (for example D. Slate and L. Atkin,
CHESS 4.5, 1977, "exchange evaluator"): least valuable attackers first, pins ignored.
"""

from __future__ import annotations

import chess

from engines.reference.evaluation.chess import Evaluation


def see(evaluation: Evaluation, board: chess.Board, move: chess.Move) -> int:
    """Material that the side to move wins with ``move``, in centipawns.

    Attackers behind a piece that has captured join in. The king recaptures only when nothing can
    recapture from it. Only the first move of the exchange can promote.
    """
    values, target = evaluation.see, move.to_square
    occupied = board.occupied ^ chess.BB_SQUARES[move.from_square]
    victim = board.piece_type_at(target) or 0
    if board.is_en_passant(move):
        victim = chess.PAWN
        occupied ^= chess.BB_SQUARES[target + (-8 if board.turn else 8)]
    standing = values[board.piece_type_at(move.from_square) or 0]
    gains = [values[victim]]
    if move.promotion:
        standing = values[move.promotion]
        gains[0] += standing - values[chess.PAWN]
    side = not board.turn
    while attacker := _least_attacker(board, side, target, occupied):
        piece_type, square = attacker
        gains.append(standing - gains[-1])
        standing = values[piece_type]
        occupied ^= chess.BB_SQUARES[square]
        side = not side
    while len(gains) > 1:
        reply = gains.pop()
        gains[-1] = min(gains[-1], -reply)
    return gains[0]


def _least_attacker(
    board: chess.Board, side: chess.Color, target: chess.Square, occupied: chess.Bitboard
) -> tuple[chess.PieceType, chess.Square] | None:
    """The cheapest piece of ``side`` that may capture on ``target`` now."""
    attackers = board.attackers_mask(side, target, occupied) & occupied
    for piece_type in chess.PIECE_TYPES:
        mine = attackers & board.pieces_mask(piece_type, side)
        if not mine:
            continue
        if piece_type == chess.KING:
            others = board.attackers_mask(not side, target, occupied) & occupied
            if others:
                return None
        return piece_type, chess.lsb(mine)
    return None
