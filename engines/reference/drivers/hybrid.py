"""The driver ``hybrid``: MTD(f) first, and PVS on what its passes leave.

Common practice without a publication that we know; see ``mtdf`` and ``pvs`` for its parts.
"""

from __future__ import annotations

from engines.reference.drivers.bounds import MET, Answer, Bounds, Ending, Search, close, null
from engines.reference.drivers.convergence import Convergence, Pace
from engines.reference.search.game import INFINITY

_GROWTH = 4
_WIDEST = 1_000
"""A capped side is this many times as far each time, and beyond the widest it is open."""


def hybrid(
    search: Search,
    first_guess: int,
    convergence: Convergence,
    null_passes: int,
    cap: int = 0,
    ending: Ending = MET,
) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    Null windows as in MTD(f), until there were ``null_passes`` of them or the value lies between
    two finite bounds; then one window over what is left, in which later moves are scouted. Where
    ``cap`` is not 0, a side without a bound is open for so many centipawns only, and further each
    time the window fails there.
    """
    pace, passes = Pace(convergence), 0
    reach = cap or _WIDEST + 1

    def next_window(bounds: Bounds, last: Answer) -> tuple[int, int]:
        nonlocal passes, reach
        passes += 1
        if passes < null_passes and not bounds.are_finite:
            return null(pace.next(bounds, last))
        alpha, beta = bounds.lower, bounds.upper
        if reach <= _WIDEST and beta == INFINITY:
            beta = max(min(alpha + reach, INFINITY), alpha + 1)
        elif reach <= _WIDEST and alpha == -INFINITY:
            alpha = max(beta - reach, -INFINITY)
        reach *= _GROWTH
        return alpha, beta

    return close(search, first_guess, next_window, ending)
