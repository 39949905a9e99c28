"""Every driver of the registry keeps the contract of drivers, on both backends."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pytest

from engines.registry import DRIVERS
from engines.spec import Iteration, Searcher, SearchLimit

MakePlayer = Callable[[str], Searcher]

PAWNS = "8/2k5/8/p2K4/P4p2/5P2/2P5/8 b - - 0 1"
MIDDLE = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8"


def check_passes(driver: str, iteration: Iteration) -> None:
    """Widths, bounds and moves of an exact iteration's passes."""
    spec, value = DRIVERS[driver], iteration.value
    null = [one for one in iteration.passes if one.beta == one.alpha + 1]
    if spec.windows == "null":
        assert len(null) == len(iteration.passes)
    elif spec.windows == "open":
        assert not null
    for one in null:
        assert one.fails_high != one.fails_low
    for one in iteration.passes:
        assert (one.move is not None) == (spec.proves == "move")
        if spec.proves == "value":
            assert not one.fails_high or value >= one.value
            assert not one.fails_low or value <= one.value
            assert one.fails_high or one.fails_low or value == one.value
    assert iteration.crossings == 0


@pytest.mark.parametrize("driver", DRIVERS)
def test_bounds_bracket_the_value_after_every_pass(make_player: MakePlayer, driver: str) -> None:
    at_the_guess = ",below=0" if "below" in DRIVERS[driver].parameters else ""
    player = make_player(f"{driver}:eval=pst{at_the_guess}")
    player.set_position(PAWNS)
    result = player.search(SearchLimit(depth=4), exact=True)
    assert (result.depth, result.stopped) == (4, False)
    assert result.nodes == sum(one.nodes for one in result.iterations)
    for one in result.iterations:
        assert sum(each.nodes for each in one.passes) == one.nodes
        assert (one.first_guess is None) == ("guess" not in DRIVERS[driver].parameters)
        assert one.passes[0].beta == one.first_guess or one.first_guess is None
        check_passes(driver, one)


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_plays_within_its_nodes(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:eval=pst")
    board = chess.Board(MIDDLE)
    for nodes in (1, 300, 600):
        player.set_position(board.fen())
        result = player.search(SearchLimit(nodes=nodes))
        assert result.stopped
        assert result.depth >= 1
        assert result.overrun == max(0, result.nodes - nodes)
        assert result.overrun == 0 or result.depth == 1
        assert result.move is not None
        for iteration in result.iterations:
            line = board.copy()
            assert iteration.pv[0] == iteration.move
            for move in iteration.pv:
                line.push_uci(move)  # raises for an illegal move
        board.push_uci(result.move)


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_takes_a_queen_and_mates(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:eval=pst")
    player.set_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    assert player.search(SearchLimit(depth=2)).move == "e4d5"
    player.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert player.search(SearchLimit(depth=2)).move == "a1a8"
    player.set_position("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1")
    assert player.search(SearchLimit(depth=2)).move is None
