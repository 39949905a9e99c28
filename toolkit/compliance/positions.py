"""The positions in which an engine must find a legal move.

Each asks for something that engines get wrong: a rule that has an exception, a position that can
only be reached by the list of moves before it, or one with a single legal move.
"""

from __future__ import annotations

from dataclasses import dataclass

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R"


@dataclass(frozen=True, slots=True)
class AskedPosition:
    """Where a move is asked for."""

    theme: str
    fen: str
    moves: tuple[str, ...] = ()
    """Played from ``fen``; they are part of the question."""


def _of(theme: str, *lines: str) -> list[AskedPosition]:
    """Positions of a theme, each a FEN, with ``|`` before moves."""
    found = []
    for line in lines:
        fen, _, moves = line.partition("|")
        found.append(AskedPosition(theme, fen.strip(), tuple(moves.split())))
    return found


POSITIONS: tuple[AskedPosition, ...] = (
    *_of(
        "promotion",
        "8/P7/8/8/5r2/4k2K/2r5/4q3 w - - 0 1",  # the only moves
        "7K/1kP5/5pq1/8/8/8/8/8 w - - 0 1",
        "8/P7/1k1N4/3B4/4K3/Q7/2B5/8 w - - 0 1",
        "6k1/RR6/8/8/6r1/5q2/5p1K/8 b - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
        "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",  # a queen stalemates
        "6Q1/8/8/7k/8/8/3p1pp1/3Kbrrb b - - 0 1",
    ),
    *_of(
        "en passant",
        "k7/4R3/2N5/8/4Pp1N/5P2/8/1K6 b - e3 0 1",  # the only move
        "6r1/4q3/2pp3K/6pP/k3n3/8/4b3/8 w - g6 0 1",  # the only move
        "8/8/k7/q4Pp1/7K/7P/7p/8 w - g6 0 1",  # out of check
        "1N6/B7/8/1p1bpP2/1P1K4/4n3/2k5/8 w - e6 0 1",  # out of check
        "5K2/1qR5/8/1q6/2pP4/2k5/8/1r2R3 b - - 0 1",
        "8/8/8/K2pP2r/8/8/8/7k w - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 | e2e4",  # opens the rank of both pawns
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # illegal for that reason
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        f"{_START} | e2e4 a7a6 e4e5 d7d5 e5d6 e7e5",
    ),
    *_of(
        "castling",
        f"{_ROOKS} w KQkq - 0 1",
        f"{_ROOKS} b KQkq - 0 1",
        f"{_ROOKS} w KQkq - 0 1 | a1a8 e8e7",  # a rook was taken
        f"{_ROOKS} w KQkq - 0 1 | e1e2 e8e7 e2e1 e7e8",  # no right is left
        "r3k2r/8/8/8/8/6r1/8/R3K2R w KQkq - 0 1",  # through an attacked field
        "1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",  # only the rook passes one
        "r3k2r/8/8/8/4R3/8/8/4K3 b kq - 0 1",  # in check
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "4k3/8/8/8/8/8/6p1/R3K2R b KQ - 0 1 | g2h1q",
        "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4 | e1g1 g8f6",
    ),
    *_of(
        "check",
        "8/8/1k6/7q/q7/8/4r3/1K6 w - - 0 1",  # a single move
        "8/3k4/2R5/3K4/8/4R3/3Q4/8 b - - 0 1",
        "4k3/8/4r3/8/8/8/3p4/4K3 w - - 0 1",
        "4k3/8/3N4/8/8/8/8/K3R3 b - - 0 1",  # by two pieces
        "rnb1kbnr/pppp1ppp/8/4p3/5P1q/8/PPPPP1PP/RNBQKBNR w KQkq - 1 3",
        "r1bqkb1r/pppp1Qpp/2n2n2/4p3/4P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
    ),
    *_of(
        "mate in one",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1",
    ),
    *_of(
        "stalemate trap",
        "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1 | h8h7",
        "k7/2Q5/8/8/8/8/8/2K5 w - - 0 1",
        "8/8/8/8/8/5k2/5p2/5K2 b - - 0 1",
        "5k2/5P2/8/5K2/8/8/8/8 w - - 0 1",
        "7k/8/6K1/8/8/8/8/R7 w - - 0 1",
    ),
    *_of(
        "endgame",
        "8/8/8/8/8/4k3/8/R3K3 w Q - 0 1",
        "8/8/8/3k4/8/3K4/3P4/8 w - - 0 1",
        "8/8/4k3/8/8/2BNK3/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 99 80",  # a pawn's move avoids the draw
        "8/5k2/8/8/2q5/8/1K6/3Q4 b - - 60 120",
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    ),
    *_of(
        "many moves",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 of them
        "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        "r1b1k2r/2qnbppp/p2ppn2/1p4B1/3NPPP1/2N2Q2/PPP4P/2KR1B1R w kq - 0 11",
    ),
    *_of(
        "move list",
        f"{_START} |",
        f"{_START} | e2e4",
        f"{_START} | e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6",
        f"{_START} | g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1",  # a third repetition is one move away
        f"{_START} | d2d4 d7d5 c2c4 d5c4 e2e3 b7b5 a2a4 c7c6 a4b5 c6b5 d1f3",
        f"{_START} | b2b4 a7a5 b4a5 b7b6 a5b6 c8a6 b6c7 a6b7 c7b8n",  # a knight is promoted
        f"{_START} | f2f4 e7e5 g2g4 d7d6 h2h4 d8h4",
        "4k2r/6P1/8/8/8/8/8/4K3 w k - 0 1 | g7h8q e8d7",
    ),
)
"""Sixty positions, all legal, none of them the end of a game."""

CHESS960_POSITIONS: tuple[AskedPosition, ...] = tuple(
    _of(
        "Chess960",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w KQkq - 1 9",
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1",
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1 | b1h1 b8a8",  # castled both ways
        "1r1k3r/8/8/8/8/8/8/1R1K3R b KQkq - 0 1",
    )
)
"""Positions in which castling is written as the king taking its rook."""
