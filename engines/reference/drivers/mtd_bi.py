"""The driver ``mtd-bi``: C* with memory, null windows in the middle of the bounds.

K. Coplan, A special-purpose machine for an improved search algorithm for deep chess combinations,
Advances in Computer Chess 3 (1982); A. Plaat and others, Artificial Intelligence 87 (1996).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import HIGHEST, Answer, Bounds, Search, close, null


def mtd_bi(search: Search, grain: int = 1) -> int:
    """The minimax value of the iteration by bisection of all values, on multiples of the grain.

    ``search`` is one pass with the window (alpha, beta).
    """

    def middle(bounds: Bounds, last: Answer) -> tuple[int, int]:
        lower, upper = max(bounds.lower, -HIGHEST), min(bounds.upper, HIGHEST)
        return null(bounds.on_grain(lower + (upper - lower + 1) // 2, grain))

    return close(search, 0, middle)
