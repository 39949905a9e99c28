"""The driver ``mtd-step``: null windows from above by steps.

A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax algorithms,
Artificial Intelligence 87 (1996).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import HIGHEST, Search, close, null


def mtd_step(search: Search, stride: int, grain: int = 1) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    From above all values, each window lies ``stride`` below the value just returned, but above the
    lower bound, on multiples of the grain.
    """
    return close(
        search,
        HIGHEST,
        lambda bounds, last: null(bounds.on_grain(last.value - stride, grain)),
    )
