"""The driver ``hybrid``: MTD(f) first, and PVS on what its passes leave.

Common practice without a publication that we know; see ``mtdf`` and ``pvs`` for its parts.
"""

from __future__ import annotations

from engines.reference.bounds import Answer, Bounds, Search, close, null
from engines.reference.convergence import Convergence, Pace


def hybrid(search: Search, first_guess: int, convergence: Convergence, null_passes: int) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    Null windows as in MTD(f), until there were ``null_passes`` of them or the value lies between
    two finite bounds; then one window over what is left, in which later moves are scouted.
    """
    pace, passes = Pace(convergence), 0

    def next_window(bounds: Bounds, last: Answer) -> tuple[int, int]:
        nonlocal passes
        passes += 1
        if passes >= null_passes or bounds.are_finite:
            return bounds.lower, bounds.upper
        return null(pace.next(bounds, last))

    return close(search, first_guess, next_window)
