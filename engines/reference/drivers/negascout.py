"""The driver ``negascout``: NegaScout as published, with an open window at the root.

A. Reinefeld, An improvement to the Scout tree search algorithm, ICCA Journal 6 (4) (1983).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import Search
from engines.reference.drivers.pvs import ScoutTree
from engines.reference.search.game import INFINITY, M


def negascout(search: Search) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta)."""
    return search(-INFINITY, INFINITY)


class NegaScoutTree(ScoutTree[M]):
    """The tree of ``negascout``: what a scout of one or two plies found is not searched again.

    In a tree of fixed depth without quiescence no leaf is a bound, so that value is exact.
    """

    def is_exact_scout(self, depth: int) -> bool:
        """Whether a scout from a node of ``depth`` tells the value itself."""
        return self.exact and not self.quiescence and depth <= 2
