"""Counts of expanded and re-expanded nodes agree with independent counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import chess
import pytest

from engines.backend import make_searcher
from engines.reference import ReferenceSearcher
from engines.reference.drivers.catalog import TREES
from engines.reference.games.chess import ChessGame, position_key
from engines.reference.search.nodes import Tree
from engines.registry import DRIVERS
from engines.spec import Pass, Searcher, SearchLimit, SearchResult
from engines.variant import parse_variant

ENDING = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
MIDDLE = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
MATES = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"


def _search(searcher: Searcher, fen: str, depth: int) -> SearchResult:
    searcher.set_position(fen)
    return searcher.search(SearchLimit(depth=depth), exact=True, expansions=True)


def _sum(passes: Iterable[Pass]) -> tuple[int, int]:
    told = list(passes)
    return sum(one.expanded or 0 for one in told), sum(one.re_expanded or 0 for one in told)


def _places(board: chess.Board, depth: int) -> Iterable[tuple[object, int]]:
    """Every node of the full tree that has moves, as position and depth left."""
    if depth == 0 or not any(board.legal_moves):
        return
    yield position_key(board), depth
    for move in list(board.legal_moves):
        board.push(move)
        yield from _places(board, depth - 1)
        board.pop()


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize(("fen", "depth"), [(ENDING, 5), (MIDDLE, 2), (MATES, 3)])
def test_minimax_expands_each_node_of_the_tree(
    backend: str, fen: str, depth: int, request: pytest.FixtureRequest
) -> None:
    variant = parse_variant("minimax:eval=pst,quiescence=off")
    if backend == "native":
        request.getfixturevalue("core")
        result = _search(make_searcher(variant), fen, depth)
    else:
        result = _search(ReferenceSearcher(variant), fen, depth)
    for iteration in result.iterations:
        places = list(_places(chess.Board(fen), iteration.depth))
        assert _sum(iteration.passes) == (len(places), len(places) - len(set(places)))


@pytest.mark.parametrize("driver", [driver for driver in DRIVERS if driver != "minimax"])
def test_reference_counts_nodes_whose_moves_it_generated(driver: str) -> None:
    asked: list[tuple[object, int]] = []
    stack: list[int] = []

    class Witness(Tree[Any]):
        """Notes for which node, at which depth left, the moves are searched in which pass."""

        def alpha_beta(
            self, depth: int, alpha: int, beta: int, ply: int
        ) -> tuple[int, list[chess.Move]]:
            stack.append(depth)
            try:
                return super().alpha_beta(depth, alpha, beta, ply)
            finally:
                stack.pop()

        def search_child(
            self, depth: int, alpha: int, beta: int, ply: int, first: bool
        ) -> tuple[int, list[chess.Move]]:
            if first:
                board = cast("ChessGame", self.game).board.copy()
                board.pop()
                asked.append((position_key(board), depth))
            return super().search_child(depth, alpha, beta, ply, first)

    witness = type("WitnessTree", (Witness, TREES[driver]), {})
    searcher = ReferenceSearcher(parse_variant(f"{driver}:eval=pst,entries=2^8"), witness)
    result = _search(searcher, ENDING, 4)
    places = iter(asked)
    seen = set()
    for iteration in result.iterations:
        seen.clear()
        for one in iteration.passes:
            again = 0
            for place in [next(places) for _ in range(one.expanded or 0)]:
                again += place in seen
                seen.add(place)
            assert one.re_expanded == again
    assert next(places, None) is None


@pytest.mark.native
@pytest.mark.parametrize("driver", list(DRIVERS))
def test_counting_does_not_change_the_search(core: Any, driver: str) -> None:
    table = "" if driver == "minimax" else "entries=2^12,"
    searcher = make_searcher(parse_variant(f"{driver}:{table}eval=pst"))
    counted = _search(searcher, MIDDLE, 2)
    searcher.set_position(MIDDLE)
    plain = searcher.search(SearchLimit(depth=2), exact=True)
    assert [one.nodes for one in counted.iterations] == [one.nodes for one in plain.iterations]
    assert all(one.expanded is None for each in plain.iterations for one in each.passes)
    for iteration in counted.iterations:
        expanded, again = _sum(iteration.passes)
        assert 0 <= again < expanded <= iteration.interior
        for number, one in enumerate(iteration.passes):
            assert one.expanded and one.re_expanded is not None
            # Every pass but the first begins at the root again.
            assert (number > 0) <= one.re_expanded <= one.expanded


@pytest.mark.native
def test_second_pass_repeats_more_without_a_table(core: Any) -> None:
    counts = {}
    for table in ("hash=0", "entries=2^16"):
        searcher = make_searcher(parse_variant(f"mtdf:{table},eval=pst"))
        counts[table] = _sum(_search(searcher, MIDDLE, 3).iterations[-1].passes)
    assert counts["hash=0"][1] > 2 * counts["entries=2^16"][1]


@pytest.mark.native
def test_selective_search_counts_none(core: Any) -> None:
    searcher = make_searcher(parse_variant("mtdf:eval=pst"))
    searcher.set_position(MIDDLE)
    result = searcher.search(SearchLimit(depth=3), expansions=True)
    assert all(one.expanded is None for each in result.iterations for one in each.passes)
