"""The swing is added to every evaluation for the side to move, before rounding."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import chess
import pytest
from exact_values import exact_value

from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame
from engines.reference.oracle import minimax
from engines.spec import Searcher, SearchLimit
from engines.variant import parse_variant

QUIET = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "8/1p3pk1/p2r2p1/3P3p/P1R2P1P/1P4P1/5K2/8 b - - 0 36",
]
"""Nobody is mated or stalemated within two plies."""
DRIVERS = ["alphabeta", "pvs:window=0", "pvs", "mtdf", "mtdf:convergence=plaat", "sss", "bns"]


def test_without_quiescence_all_values_of_a_depth_shift_equally() -> None:
    for fen, swing, depth in itertools.product(QUIET, (3, 35, 200), (0, 1, 2)):
        level = exact_value(fen, depth, quiescence=False)
        swung = exact_value(fen, depth, quiescence=False, swing=swing)
        # The side at the root moves at the leaves of even depths only.
        assert swung == level + (swing if depth % 2 == 0 else -swing)


def test_swing_is_added_before_rounding() -> None:
    for fen in QUIET:
        fine = exact_value(fen, 0, quiescence=False)
        for swing in (3, 4, 5, 6):
            coarse = exact_value(fen, 0, quiescence=False, grain=10, swing=swing)
            assert coarse % 10 == 0 and abs(coarse - (fine + swing)) <= 5


@pytest.mark.native
def test_both_backends_have_the_same_trees(core: Any, random_boards: list[chess.Board]) -> None:
    few = [board for board in random_boards if chess.popcount(board.occupied) < 16]
    for board, (grain, swing) in zip(few[::25], itertools.cycle(((1, 15), (10, 40))), strict=False):
        game = ChessGame(board.copy(), load_evaluation("full"), grain, swing)
        found = core.minimax(board.fen(), 1, "full", grain, True, swing)
        assert found == minimax(game, 1), board.fen()


@pytest.mark.parametrize("driver", DRIVERS)
def test_drivers_find_the_value_of_the_tree(
    make_player: Callable[[str], Searcher], driver: str
) -> None:
    tree = "eval=pst,grain=4,swing=25"
    player = make_player(f"{driver}{',' if ':' in driver else ':'}{tree}")
    for fen in QUIET:
        player.set_position(fen)
        result = player.search(SearchLimit(depth=2), exact=True)
        exact = exact_value(fen, 2, grain=4, swing=25)
        if driver != "bns":
            assert result.value == exact
        assert result.value <= exact


def test_identity_ignores_a_swing_of_zero() -> None:
    plain = parse_variant("mtdf")
    assert parse_variant("mtdf:swing=0").identity == plain.identity
    assert parse_variant("mtdf:swing=1").identity != plain.identity
    assert "swing" not in plain.effective
