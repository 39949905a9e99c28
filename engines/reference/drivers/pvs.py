"""The driver ``pvs``: null windows after the first move, in an aspiration window at the root.

T. Marsland and M. Campbell, Parallel search of strongly ordered game trees, Computing Surveys 14
(1982); A. Reinefeld, An improvement to the Scout tree search algorithm, ICCA Journal 6 (4) (1983).
"""

from __future__ import annotations

from collections.abc import Callable

from engines.reference.search.game import INFINITY, M
from engines.reference.search.nodes import Tree


def pvs(
    search: Callable[[int, int], int], previous: int | None, window: int, below: int = 0
) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    The window is ``previous`` - ``below`` ± ``window``; the side on which a pass fails is opened.
    Open from the start at depth 1, or when ``window`` is 0.
    """
    if previous is None or window == 0:
        return search(-INFINITY, INFINITY)
    alpha, beta = previous - below - window, previous - below + window
    value = search(alpha, beta)
    while not alpha < value < beta:
        if value <= alpha:
            alpha = -INFINITY
        else:
            beta = INFINITY
        value = search(alpha, beta)
    return value


class ScoutTree(Tree[M]):
    """The tree of ``pvs``: moves after the first must prove that they are better."""

    def search_child(
        self, depth: int, alpha: int, beta: int, ply: int, first: bool
    ) -> tuple[int, list[M]]:
        """NegaScout's inner loop: a null window, then again with the window (value, beta)."""
        if first or beta - alpha == 1:
            return super().search_child(depth, alpha, beta, ply, first)
        value, line = super().search_child(depth, alpha, alpha + 1, ply, first)
        if alpha < value < beta and not self.is_exact_scout(depth):
            value, line = super().search_child(depth, value, beta, ply, first)
        return value, line

    def is_exact_scout(self, depth: int) -> bool:
        """Whether a scout from a node of ``depth`` tells the value itself. Where quiescence follows
        it may be a bound at every depth."""
        return False
