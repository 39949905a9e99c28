"""The driver ``alphabeta``: one pass with an open window.

D. Knuth and R. Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

from collections.abc import Callable

from engines.reference.search.game import INFINITY


def alphabeta(search: Callable[[int, int], int]) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta)."""
    return search(-INFINITY, INFINITY)
