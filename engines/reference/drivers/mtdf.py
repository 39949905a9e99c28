"""The driver ``mtdf``: null windows only, from a first guess until the bounds meet, or, in games,
lie within a tolerance.

A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax algorithms,
Artificial Intelligence 87 (1996), figure of MTD(f).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import MET, Answer, Bounds, Ending, Search, close, null
from engines.reference.drivers.convergence import Convergence, Pace

PLAAT = Convergence()
"""As published: the next window lies at the bound just found."""


def mtdf(
    search: Search,
    first_guess: int,
    convergence: Convergence = PLAAT,
    max_passes: int = 0,
    ending: Ending = MET,
) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    With the minimax value, or one more, as first guess it takes exactly two passes by ``plaat``,
    ``growth`` and ``secant``. After
    ``max_passes`` null windows, where that is not 0, one window over what they leave ends it.
    """
    pace, passes = Pace(convergence), 0

    def next_window(bounds: Bounds, last: Answer) -> tuple[int, int]:
        nonlocal passes
        passes += 1
        if passes == max_passes:
            return bounds.lower, bounds.upper
        return null(pace.next(bounds, last))

    return close(search, first_guess, next_window, ending)
