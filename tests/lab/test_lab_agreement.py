"""A driver agrees with the baseline by its value, or by a move of that value."""

from __future__ import annotations

import pytest
from msgspec import convert, structs

from engines.backend import make_searcher, plain_value
from engines.moves import encode_move
from engines.reference.search.game import from_child
from engines.registry import DRIVERS
from engines.spec import Pass, SearchLimit
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.lab.agreement import agrees, check_one_tree, move_values, proves_move
from toolkit.lab.effort import DepthEffort
from toolkit.lab.measuring import Searchers, SearchTask, run_task

PLAIN = "entries=2^12,eval=pst"
JUDGE = parse_variant(f"pvs:window=0,{PLAIN}")
ENDGAME = "8/8/1p2pK2/1N2P3/P2n1k2/8/8/8 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
FOUND = DepthEffort(
    **{"depth": 4, "value": 31, "move": "e2e4", "move_value": None, "first_guess": 28},
    **{"interior": 10, "leaves": 20, "quiescence": 30, "probes": 9, "hits": 4, "cutoffs": 1},
    **{"cpu_us": 500, "wall_us": 600},
    passes=(Pass(30, 31, 31, 40), Pass(31, 32, 31, 20, "e2e4")),
)


def test_iteration_round_trips_through_json() -> None:
    assert convert(FOUND.to_json(), DepthEffort) == FOUND
    known = {"alpha": 30, "beta": 31, "value": 31, "nodes": 40, "probes": 0, "hits": 0}
    assert FOUND.to_json()["passes"][0] == known
    assert FOUND.nodes == 60


def test_values_must_be_equal() -> None:
    assert agrees(FOUND, FOUND)
    assert not agrees(structs.replace(FOUND, value=30), FOUND)


def test_proven_move_must_have_the_value() -> None:
    proven = structs.replace(FOUND, value=12, move_value=31)
    assert agrees(proven, FOUND), "its own value is a lower bound"
    assert not agrees(structs.replace(proven, move_value=30), FOUND)
    assert not agrees(structs.replace(proven, value=32), FOUND), "no lower bound"


@pytest.mark.parametrize("fen", [ENDGAME, MATE_IN_ONE])
def test_value_of_a_move_matches_plain_minimax(fen: str) -> None:
    searcher = make_searcher(JUDGE)
    searcher.set_position(fen)
    iterations = searcher.search(SearchLimit(depth=3), exact=True).iterations
    found = move_values(make_searcher(JUDGE), JUDGE, fen, iterations)
    assert found == [
        from_child(plain_value(JUDGE, fen, one.depth - 1, [encode_move(one.move)]))
        for one in iterations
    ]
    assert found == [one.value for one in iterations], "it was the best move"


def test_another_move_has_another_value() -> None:
    searcher = make_searcher(JUDGE)
    searcher.set_position(MATE_IN_ONE)
    (_, second) = searcher.search(SearchLimit(depth=2), exact=True).iterations
    worse = structs.replace(second, move="d1d2")
    assert move_values(searcher, JUDGE, MATE_IN_ONE, [worse])[0] < second.value


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_of_the_registry_agrees(driver: str) -> None:
    table = "" if driver == "minimax" else "entries=2^12,"
    variant = parse_variant(f"{driver}:{table}eval=pst")
    searchers = Searchers(make_searcher)
    (truth,) = run_task(SearchTask(0, (JUDGE,), ENDGAME, 3, judge=JUDGE), searchers)
    (effort,) = run_task(SearchTask(0, (variant,), ENDGAME, 3, judge=JUDGE), searchers)
    assert [one.depth for one in effort.iterations] == [1, 2, 3]
    for found, true in zip(effort.iterations, truth.iterations, strict=True):
        assert agrees(found, true)
        assert (found.move_value is not None) == proves_move(variant)
    assert effort.nodes == sum(one.nodes for one in effort.iterations)
    assert effort.passes == sum(len(one.passes) for one in effort.iterations)


def test_different_trees_are_refused_in_one_line() -> None:
    variants = [parse_variant(text) for text in ("mtdf", "pvs:window=0", "mtdf:grain=4")]
    check_one_tree(variants[:2])
    with pytest.raises(UsageError, match=r"grain=1 and grain=4; give all engines the same") as said:
        check_one_tree(variants)
    assert "\n" not in str(said.value)
