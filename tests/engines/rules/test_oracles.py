"""Rules against other programs: random games, compared list of moves by list of moves.

OpenSpiel (``open_spiel``) knows Othello, ``pydraughts`` English draughts; ``pip install
'.[oracles]'`` installs both. Without them the tests are skipped.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from engines.rules import draughts, othello

pytestmark = pytest.mark.slow

GAMES = 40


def numbers(seed: int) -> random.Random:
    return random.Random(20261125 + seed)


def test_othello_matches_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    passes = winners = 0
    for seed in range(GAMES):
        draw, state = numbers(seed), pyspiel.load_game("othello").new_initial_state()
        board = othello.RULES.board(othello.START)
        ending = None
        while not state.is_terminal():
            assert ending is None
            assert state.current_player() == int(board.white_to_move)
            # Its actions are squares from a1, and 64 for a pass: our codes less one.
            assert board.moves() == [action + 1 for action in sorted(state.legal_actions())]
            code = draw.choice(board.moves())
            passes += code == othello.PASS
            state.apply_action(code - 1)
            assert board.push(code)
            ending = board.ending()
        assert ending is not None
        black, _ = state.returns()
        assert ending.winner == {1: False, -1: True, 0: None}[int(black)]
        winners += ending.winner is not None
    assert passes > 10
    assert winners > GAMES / 2


Taken = tuple[int, int, frozenset[int]]
"""A move of draughts: its ends, and the squares of what it takes, by their numbers."""


def ours(position: draughts.DraughtsPosition, code: int) -> Taken:
    before, after = position.board, position.after(code).board
    foes = "bB" if position.white_to_move else "wW"
    squares = enumerate(zip(before, after, strict=True), 1)
    taken = frozenset(square for square, (man, now) in squares if man in foes and now == ".")
    return (code & 31) + 1, (code >> 5 & 31) + 1, taken


def theirs(move: Any) -> Taken:
    return move.steps_move[0], move.steps_move[-1], frozenset(move.captures or ())


def test_draughts_match_pydraughts() -> None:
    library = pytest.importorskip("draughts", reason="pydraughts is not installed")
    kings = captures = ended = 0
    for seed in range(GAMES):
        draw, board = numbers(seed), library.Board(variant="english", fen="startpos")
        position = draughts.DraughtsPosition.read(draughts.START)
        for _ in range(150):
            codes = {ours(position, code): code for code in position.moves()}
            moves = {theirs(move): move for move in board.legal_moves()}
            assert codes.keys() == moves.keys(), (str(position), board.fen)
            assert (board.turn == library.WHITE) == position.white_to_move
            if not codes:
                ending = position.ending()
                assert ending is not None
                winner = library.WHITE if ending.winner else library.BLACK
                assert board.winner() == winner
                ended += 1
                break
            move = draw.choice(sorted(codes, key=codes.__getitem__))
            captures += len(move[2]) > 1
            board.push(moves[move])
            position = position.after(codes[move])
            kings += "B" in position.board or "W" in position.board
    assert captures > 50
    assert kings > 400
    assert ended > GAMES / 2
