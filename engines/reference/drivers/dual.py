"""The driver ``dual``: DUAL*, the mirror of SSS*, as null windows from below.

T. Marsland, A. Reinefeld and J. Schaeffer, Low overhead alternatives to SSS*, Artificial
Intelligence 31 (1987); A. Plaat and others, Artificial Intelligence 87 (1996).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import HIGHEST, Search, close, null


def dual(search: Search) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    From below all values, each window lies just above the lower bound found, until one does not
    fail high.
    """
    return close(search, 1 - HIGHEST, lambda bounds, last: null(bounds.lower + 1))
