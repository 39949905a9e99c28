"""A UCI engine that plays chess badly: the best capture with a probability of Skill percent, any
move otherwise. It draws lots from the position and Skill, so it repeats itself."""

from __future__ import annotations

import sys
import zlib

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
OPTIONS = """\
option name Skill type spin default 20 min 0 max 100
option name Lazy Move type spin default 0 min -5 max 5
option name Open type spin default 7
option name Bold type check default false
option name Style type combo default Calm var Calm var Wild
option name Threads type spin default 1 min 1 max 8
option name Depth Limit type spin min 1 max 8
option name Clear type button
option name Book type string default <empty>"""


def material(board: chess.Board) -> int:
    """In pawns, from the side to move."""
    sides = [
        sum(worth * len(board.pieces(piece, color)) for piece, worth in WORTH.items())
        for color in (board.turn, not board.turn)
    ]
    return sides[0] - sides[1]


def gained(board: chess.Board, move: chess.Move) -> int:
    """What the move wins, without the answer."""
    board.push(move)
    value = 100 if board.is_checkmate() else -material(board)
    board.pop()
    return value


def choose(board: chess.Board, skill: int) -> chess.Move:
    lots = zlib.crc32(f"{board.fen()} {skill}".encode())
    moves = sorted(board.legal_moves, key=str)
    if lots % 100 < skill:
        return max(moves, key=lambda move: gained(board, move))
    return moves[lots // 100 % len(moves)]


def main() -> None:
    board, skill = chess.Board(), 20
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                print(f"id name Greedy 1\nid author nobody\n{OPTIONS}\nuciok")
            case ["isready"]:
                print("readyok")
            case ["setoption"] if words[2] == "Skill":
                skill = int(words[4])
            case ["position"]:
                moves = words.index("moves") if "moves" in words else len(words)
                fen = " ".join(words[2:moves])
                board = chess.Board() if words[1] == "startpos" else chess.Board(fen)
                for move in words[moves + 1 :]:
                    board.push_uci(move)
            case ["go"]:
                print(f"info depth 1 score cp {100 * material(board)} nodes 1 time 0")
                print(f"bestmove {choose(board, skill)}")
            case ["quit"]:
                return
        sys.stdout.flush()


main()
