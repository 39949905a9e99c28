"""A search of some root moves finds the best of them, on both backends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from exact_values import values_below

from engines.errors import EngineFailure
from engines.moves import encode_move
from engines.registry import DRIVERS
from engines.spec import Searcher, SearchLimit

MakePlayer = Callable[[str], Searcher]


def small(driver: str) -> str:
    return f"{driver}:eval=pst,quiescence=off{'' if driver == 'minimax' else ',entries=2^10'}"


@pytest.mark.parametrize("driver", DRIVERS)
def test_value_is_the_best_of_the_chosen_moves(
    make_player: MakePlayer, driver: str, endgame_fens: list[str]
) -> None:
    """Plain minimax below each move says what the search of some of them must find."""
    player = make_player(small(driver))
    for fen in endgame_fens[::18]:
        values = {encode_move(move): value for move, value in values_below(fen, 2).items()}
        moves = list(values)
        for chosen in (moves[:1], moves[1::3], moves[::-1]):
            if not chosen:
                continue
            player.set_position(fen)
            result = player.search(SearchLimit(depth=2), exact=True, root_moves=chosen)
            best = max(values[move] for move in chosen)
            assert result.move is not None
            assert encode_move(result.move) in chosen
            assert values[encode_move(result.move)] == best
            if DRIVERS[driver].proves == "value":
                assert result.value == best
            else:
                assert result.value <= best
            assert {encode_move(one.move) for one in result.iterations} <= set(chosen)


@pytest.mark.parametrize("driver", DRIVERS)
def test_selective_search_leaves_out_other_moves(make_player: MakePlayer, driver: str) -> None:
    player = make_player(small(driver))
    chosen = [encode_move(text) for text in ("a2a3", "h2h4")]
    result = player.search(SearchLimit(nodes=400), root_moves=chosen)
    assert result.move in ("a2a3", "h2h4")
    assert all(one.pv[0] in ("a2a3", "h2h4") for one in result.iterations)


@pytest.mark.parametrize("driver", sorted(set(DRIVERS) - {"minimax"}))
def test_root_moves_leave_no_wrong_bounds_in_the_table(
    make_player: MakePlayer, driver: str
) -> None:
    """That one poor reply is worth little says nothing of the position: the queen is still lost."""
    before = "k7/8/8/3q4/8/8/P6P/1R4K1 b - - 0 1"
    player = make_player(f"{driver}:eval=pst,entries=2^12")
    player.new_game()
    player.set_position(before, [encode_move("d5b3")])
    player.search(SearchLimit(depth=2), root_moves=[encode_move("h2h3")])
    player.set_position(before)
    assert player.search(SearchLimit(depth=2)).move != "d5b3"
    player.set_position(before, [encode_move("d5b3")])
    assert player.search(SearchLimit(depth=1)).value > 300


def test_illegal_moves_are_refused(make_player: MakePlayer) -> None:
    player = make_player("mtdf:entries=2^8")
    assert player.is_legal(encode_move("e2e4"))
    for code in (encode_move("e2e5"), encode_move("e7e5"), 0, 0xFFFF):
        assert not player.is_legal(code)
        with pytest.raises(EngineFailure, match="not"):
            player.search(SearchLimit(depth=1), root_moves=[encode_move("e2e4"), code])
    assert player.search(SearchLimit(depth=1)).move is not None
