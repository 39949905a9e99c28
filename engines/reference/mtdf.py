"""The driver ``mtdf``: null windows only, from a first guess until the bounds meet.

A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax algorithms,
Artificial Intelligence 87 (1996), figure of MTD(f); the comments quote A. Plaat's Pascal.
"""

from __future__ import annotations

from collections.abc import Callable

from engines.reference.game import INFINITY


def mtdf(search: Callable[[int, int], int], first_guess: int) -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    Every pass raises the lower or lowers the upper bound, so it ends. With the minimax value, or
    one more, as first guess it takes exactly two passes.
    """
    g = first_guess  # g := f;
    upper, lower = INFINITY, -INFINITY  # upperbound := +INFINITY; lowerbound := -INFINITY;
    while True:  # repeat
        beta = g + 1 if g == lower else g  # if g = lowerbound then beta := g + 1 else beta := g;
        g = search(beta - 1, beta)  # g := AlphaBetaWithMemory(root, beta - 1, beta, d);
        if g < beta:
            upper = g  # if g < beta then upperbound := g
        else:
            lower = g  # else lowerbound := g;
        if lower >= upper:  # until lowerbound >= upperbound;
            return g  # return g;
