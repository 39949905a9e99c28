"""The driver ``sss`` evaluates the leaves of Stockman's SSS* in its order.

On trees without transpositions, with a fixed order of children, an unlimited table and no
deepening.
"""

from __future__ import annotations

import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from claims.random_tree import FixedOrder, Node, RandomTree
from claims.stockman import stockman
from engines.reference.drivers.alphabeta import alphabeta
from engines.reference.drivers.sss import sss
from engines.reference.search.limits import Meter
from engines.reference.search.nodes import Tree
from engines.reference.search.table import Table
from engines.spec import SearchLimit


def minimax(tree: RandomTree, node: Node = ()) -> int:
    """The value of the tree."""
    children = tree.children(node)
    if not children:
        return tree.value(node)
    values = [minimax(tree, child) for child in children]
    return max(values) if len(node) % 2 == 0 else min(values)


def searched(tree: RandomTree, driver: str) -> tuple[int, list[Node]]:
    """The value by a driver of the reference, and the leaves in the order of first evaluation."""
    meter = Meter(SearchLimit(), threading.Event())
    table = Table[int](2**61 - 1)  # so many places that each key has its own
    below = Tree[int](tree, table, meter, exact=True, quiescence=False, ordering=FixedOrder[int]())

    def search(alpha: int, beta: int) -> int:
        return below.search_root(tree.depth, alpha, beta)

    tree.evaluated.clear()
    value = sss(search) if driver == "sss" else alphabeta(search)
    return value, list(dict.fromkeys(tree.evaluated))


TREES = {
    "seed": st.integers(0, 10**6),
    "depth": st.integers(1, 6),
    "width": st.integers(1, 4),
    "span": st.sampled_from([1, 3, 20, 1000]),
}


@settings(max_examples=40)
@given(**TREES)
def test_sss_evaluates_the_leaves_of_stockmans_list_in_its_order(
    seed: int, depth: int, width: int, span: int
) -> None:
    tree = RandomTree(seed, depth, width, span)
    value, leaves = stockman(tree)
    assert value == minimax(tree)
    assert searched(tree, "sss") == (value, leaves)


def test_order_differs_from_that_of_alpha_beta() -> None:
    differ = fewer = 0
    for seed in range(25):
        tree = RandomTree(seed, 5, 4, 20)
        (value, leaves), (same, others) = searched(tree, "sss"), searched(tree, "alphabeta")
        assert value == same
        assert set(leaves) <= set(others)  # Stockman's theorem: it dominates alpha-beta
        differ += leaves != others
        fewer += len(leaves) < len(others)
    assert differ > 20
    assert fewer > 12
