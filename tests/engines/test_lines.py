"""Searches of several lines find the best moves in order, on both backends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import chess
import pytest
from exact_values import values_below

from engines.moves import encode_move
from engines.native import NativeSearcher
from engines.registry import DRIVERS
from engines.spec import MATE, Iteration, Searcher, SearchLimit
from engines.variant import parse_variant

MakePlayer = Callable[[str], Searcher]
TWO_MATES = "6k1/5ppp/8/8/8/8/8/K2RR3 w - - 0 1"


def small(driver: str) -> str:
    return f"{driver}:eval=pst,quiescence=off{'' if driver == 'minimax' else ',entries=2^10'}"


def by_depth(iterations: Sequence[Iteration]) -> list[list[Iteration]]:
    return [list(lines) for _, lines in groupby(iterations, key=lambda one: one.depth)]


@pytest.mark.parametrize("driver", DRIVERS)
def test_lines_are_the_best_moves_in_order(
    make_player: MakePlayer, driver: str, endgame_fens: list[str]
) -> None:
    """Plain minimax below each move says which moves are best, and what they are worth."""
    player = make_player(small(driver))
    wanted = 4
    for fen in endgame_fens[::30]:
        player.set_position(fen)
        result = player.search(SearchLimit(depth=2), exact=True, lines=wanted)
        count = min(wanted, len(values_below(fen, 1)))
        depths = by_depth(result.iterations)
        assert [lines[0].depth for lines in depths] == [1, 2]
        for depth, lines in enumerate(depths, 1):
            values = values_below(fen, depth)
            assert [one.line for one in lines] == list(range(1, count + 1))
            assert {one.lines for one in lines} == {count}
            assert len({one.move for one in lines}) == count
            best = sorted(values.values(), reverse=True)[:count]
            assert [values[one.move] for one in lines] == best
            if DRIVERS[driver].proves == "value":
                assert [one.value for one in lines] == best
            else:
                assert all(one.value <= values[one.move] for one in lines)
        assert (result.move, result.value) == (depths[-1][0].move, depths[-1][0].value)


@pytest.mark.native
@pytest.mark.parametrize("driver", sorted(set(DRIVERS) - {"minimax"}))
def test_lines_agree_with_searches_of_each_move_alone(
    core: Any, driver: str, book_fens: list[str]
) -> None:
    depth = 3
    player, alone = (
        NativeSearcher(core, parse_variant(f"{name}:hash=1")) for name in (driver, "alphabeta")
    )
    for fen in book_fens[:40:20]:
        moves = [move.uci() for move in chess.Board(fen).legal_moves]
        for one in (player, alone):
            one.set_position(fen)
        values = {
            move: alone.search(
                SearchLimit(depth=depth), exact=True, root_moves=[encode_move(move)]
            ).value
            for move in moves
        }
        result = player.search(SearchLimit(depth=depth), exact=True, lines=6)
        lines = by_depth(result.iterations)[-1]
        best = sorted(values.values(), reverse=True)[:6]
        assert [values[one.move] for one in lines] == best
        if DRIVERS[driver].proves == "value":
            assert [one.value for one in lines] == best
        for one in lines:
            board = chess.Board(fen)
            for move in one.pv:
                board.push_uci(move)
            assert one.pv[0] == one.move


@pytest.mark.parametrize("driver", DRIVERS)
def test_limits_apply_to_all_lines_together(make_player: MakePlayer, driver: str) -> None:
    player = make_player(small(driver))
    for nodes in (1, 150, 500):
        player.new_game()
        result = player.search(SearchLimit(nodes=nodes), lines=3)
        assert result.nodes == sum(one.nodes for one in result.iterations)
        assert result.nodes == nodes + result.overrun
        assert result.overrun == 0 or result.depth == 1
        depths = by_depth(result.iterations)
        assert [[one.line for one in lines] for lines in depths[:-1]] == [[1, 2, 3]] * (
            len(depths) - 1
        )
        assert all(one.finished for one in result.iterations[:-1])
        first = [one for one in result.iterations if one.line == 1][-1]
        assert (result.move, result.value) == (first.move, first.value)
    # A move left out is no line, and there are no more lines than moves.
    chosen = [encode_move(text) for text in ("a2a3", "h2h4")]
    result = player.search(SearchLimit(depth=2), root_moves=chosen, lines=9)
    assert [{one.move for one in lines} for lines in by_depth(result.iterations)] == [
        {"a2a3", "h2h4"}
    ] * 2


@pytest.mark.parametrize("driver", sorted(set(DRIVERS) - {"minimax"}))
def test_lines_leave_no_wrong_bounds_in_the_table(make_player: MakePlayer, driver: str) -> None:
    """The last line is the worst reply, which gives a rook away: it says nothing of the position,
    where the queen is lost."""
    before = "k7/8/8/3q4/8/8/P6P/1R4K1 b - - 0 1"
    player = make_player(f"{driver}:eval=pst,entries=2^12")
    player.new_game()
    player.set_position(before, [encode_move("d5b3")])
    lines = player.search(SearchLimit(depth=1), lines=50).iterations
    assert lines[0].value > 300 and lines[-1].value < -300
    player.set_position(before)
    assert player.search(SearchLimit(depth=2)).move != "d5b3"


@pytest.mark.parametrize("driver", ["mtdf", "pvs", "bns"])
def test_mate_does_not_end_the_search_of_other_lines(make_player: MakePlayer, driver: str) -> None:
    player = make_player(f"{driver}:eval=pst,entries=2^12")
    player.set_position(TWO_MATES)
    # Both lines are mates, and no limit but that would end the search.
    result = player.search(SearchLimit(), lines=2)
    assert {one.move for one in result.iterations[-2:]} == {"d1d8", "e1e8"}
    assert {one.value for one in result.iterations} == {MATE - 1}
    assert result.iterations[-1].depth < 3
    player.new_game()
    result = player.search(SearchLimit(depth=3), lines=3)
    assert result.iterations[-1].depth == 3
    assert result.iterations[-1].value < MATE - 1
