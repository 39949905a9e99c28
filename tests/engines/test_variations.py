"""Principal variations are legal and end where the game ends, by python-chess."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import chess
import pytest

from engines.moves import encode_move
from engines.registry import DRIVERS
from engines.spec import Iteration, Searcher, SearchLimit
from engines.variant import parse_variant

MakePlayer = Callable[[str], Searcher]

SHUFFLED = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1".split()
"""Black can bring the initial position about for the third time."""
ENDINGS = [
    "8/8/8/3k4/8/8/4R3/4K3 w - - 93 80",
    "8/8/4k3/8/3QK3/8/8/8 w - - 96 90",
    "8/5pk1/6p1/3P3p/1P5P/6P1/3r1PK1/1R6 b - - 97 90",
    "8/8/8/2k5/8/2K5/1p6/8 w - - 0 1",
    "7k/8/8/8/8/1q6/8/K5R1 b - - 98 80",
    "8/8/8/8/8/k7/p7/K7 b - - 3 60",
]


def check(board: chess.Board, iteration: Iteration) -> None:
    """Every move is legal, and none but the first is played after the end of the game."""
    line = board.copy()
    assert iteration.pv[0] == iteration.move
    for place, text in enumerate(iteration.pv):
        over = (
            line.is_repetition(3)
            or line.halfmove_clock >= 100
            or line.is_insufficient_material()
            or line.is_game_over()
        )
        assert place == 0 or not over, (board.fen(), iteration.pv, place)
        move = chess.Move.from_uci(text)
        assert line.is_legal(move)
        line.push(move)


@cache
def boards() -> list[chess.Board]:
    """Positions near a draw by the path, with the game that led to them."""
    found = [chess.Board(fen) for fen in ENDINGS]
    board = chess.Board()
    for text in SHUFFLED:
        board.push_uci(text)
        found.append(board.copy())
    rng = random.Random(7)
    for fen in ENDINGS[:3]:
        board = chess.Board(fen.replace(" 93 ", " 10 ").replace(" 96 ", " 10 "))
        # Men that go to and fro, so that most positions have stood before.
        for _ in range(12):
            last = board.peek() if board.move_stack else None
            before = board.move_stack[-2] if len(board.move_stack) > 1 else last
            back = chess.Move(before.to_square, before.from_square) if before else None
            legal = list(board.legal_moves)
            if not legal or board.is_game_over():
                break
            board.push(back if back in legal and rng.random() < 0.8 else rng.choice(legal))
            found.append(board.copy())
    return [board for board in found if any(board.legal_moves)]


@pytest.mark.parametrize("driver", DRIVERS)
def test_variations_end_with_the_game(make_player: MakePlayer, driver: str) -> None:
    slow = "Reference" in type(make_player("pvs:entries=2^4")).__name__
    table = "" if driver == "minimax" else ",entries=2^14"
    player = make_player(f"{driver}:eval=pst,quiescence={'off' if slow else 'on'}{table}")
    # One game: what was learned about earlier positions lengthens later variations.
    player.new_game()
    for board in boards()[:: 4 if slow else 2]:
        moves = [encode_move(move.uci()) for move in board.move_stack]
        player.set_position(board.root().fen(), moves)
        limit = SearchLimit(nodes=150 if slow else 4000)
        for iteration in player.search(limit).iterations:
            check(board, iteration)


@pytest.mark.native
def test_long_variations_of_the_core_end_with_the_game() -> None:
    from engines.backend import make_searcher

    for text in ("mtdf", "pvs"):
        player = make_searcher(parse_variant(f"{text}:entries=2^16"))
        for board in boards()[::2]:
            moves = [encode_move(move.uci()) for move in board.move_stack]
            player.set_position(board.root().fen(), moves)
            for iteration in player.search(SearchLimit(nodes=20_000)).iterations[-3:]:
                check(board, iteration)
