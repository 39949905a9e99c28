"""Stockman's SSS* on its list, and the driver ``sss``: the same leaves in the same order.

On trees without transpositions, with a fixed order of children, an unlimited table and no
deepening.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Hashable, Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from engines.reference.alphabeta import alphabeta
from engines.reference.game import Game, M
from engines.reference.limits import Meter
from engines.reference.ordering import Ordering
from engines.reference.search import Tree
from engines.reference.sss import sss
from engines.reference.table import Table
from engines.spec import SearchLimit

Node = tuple[int, ...]
INFINITE = 10**9


class UniqueTree:
    """A tree of fixed depth whose nodes are the ways to them; widths and values are random."""

    def __init__(self, seed: int, depth: int, width: int, span: int) -> None:
        rng = random.Random(seed)
        self.depth = depth
        self._widths: dict[Node, int] = {}
        self._values: dict[Node, int] = {}
        level: list[Node] = [()]
        for _ in range(depth):
            for node in level:
                self._widths[node] = rng.randint(1, width)
            level = [(*node, i) for node in level for i in range(self._widths[node])]
        for node in level:
            self._values[node] = rng.randint(-span, span)
        self._path: list[int] = []
        self.evaluated: list[Node] = []

    def children(self, node: Node) -> list[Node]:
        """The nodes below, from left to right; none at a leaf."""
        return [(*node, i) for i in range(self._widths.get(node, 0))]

    def value(self, leaf: Node) -> int:
        """The value of a leaf for the side to move at the root."""
        return self._values[leaf]

    def key(self) -> Hashable:
        return tuple(self._path)

    def moves(self) -> Sequence[int]:
        return range(self._widths[tuple(self._path)])

    def has_move(self) -> bool:
        return True

    def terminal_value(self) -> int:
        raise AssertionError("no node ends the game")

    def static(self) -> int:
        leaf = tuple(self._path)
        self.evaluated.append(leaf)
        return self._values[leaf] * (1 if self.depth % 2 == 0 else -1)

    def phase(self) -> int:
        return 0

    def is_forced(self) -> bool:
        return False

    def captures(self) -> Sequence[int]:
        return []

    def promise(self, move: int) -> int:
        return 0

    def push(self, move: int) -> None:
        self._path.append(move)

    def pop(self) -> None:
        self._path.pop()

    def is_path_draw(self) -> bool:
        return False

    def near_path_draw(self, depth: int) -> bool:
        return False


class FixedOrder(Ordering[M]):
    """Children from left to right, whatever the table says."""

    def sort(self, game: Game[M], moves: Iterable[M], first: M | None) -> list[M]:
        return list(moves)


def stockman(tree: UniqueTree) -> tuple[int, list[Node]]:
    """SSS* as published: the value, and the leaves in the order of their evaluation.

    States (node, solved, merit) on a list; the one of the greatest merit is taken, of several the
    leftmost. G. Stockman, Artificial Intelligence 12 (1979), with the order of M. Campbell and
    T. Marsland, Artificial Intelligence 20 (1983).
    """
    states: dict[Node, tuple[bool, int]] = {(): (False, INFINITE)}
    evaluated: list[Node] = []
    while True:
        node = min(states, key=lambda one: (-states[one][1], one))
        solved, merit = states.pop(node)
        is_max = len(node) % 2 == 0
        if not solved:
            children = tree.children(node)
            if not children:
                evaluated.append(node)
                states[node] = True, min(merit, tree.value(node))
            elif is_max:
                states.update((child, (False, merit)) for child in children)
            else:
                states[children[0]] = False, merit
        elif not node:
            return merit, evaluated
        elif not is_max:
            parent = node[:-1]
            purged = [other for other in states if other[: len(parent)] == parent]
            for other in purged:
                del states[other]
            states[parent] = True, merit
        else:
            brothers = tree.children(node[:-1])
            if node[-1] + 1 < len(brothers):
                states[brothers[node[-1] + 1]] = False, merit
            else:
                states[node[:-1]] = True, merit


def minimax(tree: UniqueTree, node: Node = ()) -> int:
    """The value of the tree."""
    children = tree.children(node)
    if not children:
        return tree.value(node)
    values = [minimax(tree, child) for child in children]
    return max(values) if len(node) % 2 == 0 else min(values)


def searched(tree: UniqueTree, driver: str) -> tuple[int, list[Node]]:
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


@given(**TREES)
def test_sss_evaluates_the_leaves_of_stockmans_list_in_its_order(
    seed: int, depth: int, width: int, span: int
) -> None:
    tree = UniqueTree(seed, depth, width, span)
    value, leaves = stockman(tree)
    assert value == minimax(tree)
    assert searched(tree, "sss") == (value, leaves)


def test_the_order_is_another_than_that_of_alpha_beta() -> None:
    differ = fewer = 0
    for seed in range(50):
        tree = UniqueTree(seed, 5, 4, 20)
        (value, leaves), (same, others) = searched(tree, "sss"), searched(tree, "alphabeta")
        assert value == same
        assert set(leaves) <= set(others)  # Stockman's theorem: it dominates alpha-beta
        differ += leaves != others
        fewer += len(leaves) < len(others)
    assert differ > 40
    assert fewer > 25
