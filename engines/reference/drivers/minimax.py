"""The driver ``minimax``: every move of every node, nothing cut above the leaves.

C. Shannon, Programming a computer for playing chess, Philosophical Magazine 41 (1950). The oracle
of the tests, which shares nothing with the drivers, is :mod:`engines.reference.oracle`.
"""

from __future__ import annotations

from engines.reference.drivers.bounds import Search
from engines.reference.search.game import INFINITY, M
from engines.reference.search.nodes import Tree


def minimax(search: Search) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta)."""
    return search(-INFINITY, INFINITY)


class MinimaxTree(Tree[M]):
    """The tree of ``minimax``: it has no table, and every window is open."""

    def search_child(
        self, depth: int, alpha: int, beta: int, ply: int, first: bool
    ) -> tuple[int, list[M]]:
        """The value, seen from its parent, of the child that was just made."""
        return super().search_child(depth, -INFINITY, INFINITY, ply, first)
