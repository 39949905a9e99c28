"""The driver ``sss``: SSS* as a series of null windows from above.

G. Stockman, A minimax algorithm better than alpha-beta?, Artificial Intelligence 12 (1979); as null
windows with memory: A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth
minimax algorithms, Artificial Intelligence 87 (1996).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import HIGHEST, Search, close, null


def sss(search: Search) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    From above all values, each window lies at the upper bound just found, until one does not fail
    low. With an unlimited table and a fixed order of moves it evaluates the leaves that Stockman's
    list evaluates, in the same order.
    """
    return close(search, HIGHEST, lambda bounds, last: null(bounds.upper))
