"""Claim 11: SSS* is a series of alpha-beta calls with storage.

Nothing is stored of this experiment: it needs Stockman's own algorithm, which only the readable
reference has, and trees without transpositions. They follow from their seeds and are searched
again, within a second or two, whenever the claim is judged.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.measured import Figure, figure_of_logs, figure_of_share
from claims.random_tree import FixedOrder, Node, RandomTree
from claims.stockman import stockman
from engines.reference.drivers.alphabeta import alphabeta
from engines.reference.drivers.bounds import Search
from engines.reference.drivers.sss import sss
from engines.reference.search.limits import Meter
from engines.reference.search.nodes import Tree
from engines.reference.search.table import Table
from engines.spec import SearchLimit

_TREES = 400
_DEPTHS = (2, 3, 4, 5, 6)
_WIDTH = 4
_SPANS = (3, 20, 1000)
"""Of values: many that are equal, some, almost none."""
_UNLIMITED = 2**61 - 1
"""Places of a table in which each key has its own."""
_ALWAYS = 0.99
"""No sample shows that something is always so; this is what 400 trees without an exception show."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One tree searched by Stockman's list and by others; leaves in the order of evaluation."""

    depth: int
    value: int
    leaves: Sequence[Node]
    """Of the list."""
    stored_value: int
    stored: Sequence[Node]
    """Null windows with a table; a leaf may be evaluated again."""
    bare: int
    """Evaluations of null windows without a table."""
    alphabeta: Sequence[Node]

    @property
    def is_same(self) -> bool:
        """Whether null windows with a table evaluate the leaves of the list in its order."""
        return list(dict.fromkeys(self.stored)) == list(self.leaves)


def compared(seed: int, entries: int = _UNLIMITED) -> Compared:
    """The tree of a seed; null windows have a table of so many entries."""
    depth, span = _DEPTHS[seed % len(_DEPTHS)], _SPANS[seed % len(_SPANS)]
    tree = RandomTree(seed, depth, _WIDTH, span)
    value, leaves = stockman(tree)
    stored_value, stored = _searched(tree, sss, Table[int](entries))
    _, bare = _searched(tree, sss, None)
    _, others = _searched(tree, alphabeta, None)
    return Compared(depth, value, leaves, stored_value, stored, len(bare), others)


def _searched(
    tree: RandomTree, driver: Callable[[Search], int], table: Table[int] | None
) -> tuple[int, list[Node]]:
    """The value by a driver, and the leaves it evaluated."""
    meter = Meter(SearchLimit(), threading.Event())
    below = Tree[int](tree, table, meter, exact=True, quiescence=False, ordering=FixedOrder[int]())
    tree.evaluated.clear()
    value = driver(lambda alpha, beta: below.search_root(tree.depth, alpha, beta))
    return value, list(tree.evaluated)


def weigh_trees(trees: Sequence[Compared]) -> Weighed:
    """What compared trees say of the claim."""
    return Weighed(
        figures={
            "leaves": figure_of_share(sum(one.is_same for one in trees), len(trees)),
            "value": figure_of_share(
                sum(one.value == one.stored_value for one in trees), len(trees)
            ),
            "storage": _over_list(trees, lambda one: one.bare),
        },
        further=[
            ("share of trees with no leaf that alpha-beta does not evaluate",
             figure_of_share(sum(set(one.leaves) <= set(one.alphabeta) for one in trees),
                             len(trees))),
            ("leaves of alpha-beta over those of the list",
             _over_list(trees, lambda one: len(one.alphabeta))),
            ("evaluations of null windows with a table over those of the list",
             _over_list(trees, lambda one: len(one.stored))),
        ],
        drawing=ClaimChart(
            across="Depth of the tree",
            up="Evaluations of null windows over those of Stockman's list",
            points=[
                ChartPoint.of(series, depth,
                      _over_list([one for one in trees if one.depth == depth], evaluations))
                for series, evaluations in _SERIES.items()
                for depth in _DEPTHS
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )  # fmt: skip


_SERIES: dict[str, Callable[[Compared], int]] = {
    "with a table, each leaf once": lambda one: len(set(one.stored)),
    "with a table": lambda one: len(one.stored),
    "without a table": lambda one: one.bare,
    "alpha-beta": lambda one: len(one.alphabeta),
}


def _over_list(trees: Sequence[Compared], evaluations: Callable[[Compared], int]) -> Figure:
    return figure_of_logs([math.log(evaluations(one) / len(one.leaves)) for one in trees])


def _weigh(evidence: Evidence) -> Weighed:
    return weigh_trees([compared(seed) for seed in range(_TREES)])


CLAIM = Claim(
    number=11,
    title="SSS* is a series of alpha-beta calls with storage",
    statement="Null-window alpha-beta calls from above, with a table that keeps everything, "
    "evaluate the same leaves in the same order as Stockman's SSS* on its sorted list. (Judged on "
    f"{_TREES} random trees of depth {_DEPTHS[0]} to {_DEPTHS[-1]}, in both sizes.)",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996; SSS*: "
    "Stockman, Artificial Intelligence 12, 1979",
    experiments=(),
    parts=(
        ClaimPart(
            "leaves", "share of trees with the same leaves in the same order", "above", _ALWAYS
        ),
        ClaimPart("value", "share of trees with the same value", "above", _ALWAYS),
        # Storage is part of the claim: without it the same calls must cost at least twice as much.
        ClaimPart("storage", "evaluations without a table over those of the list", "above", 2.0),
    ),
    weigh=_weigh,
    found="The share of random trees with the same leaves in the same order is {leaves}. "
    "Without storage the calls evaluate {storage} times as many leaves.",
)
