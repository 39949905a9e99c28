"""The driver ``mtdf``: null windows only, from a first guess until the bounds meet.

A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax algorithms,
Artificial Intelligence 87 (1996), figure of MTD(f); the comments quote A. Plaat's Pascal.
"""

from __future__ import annotations

from collections.abc import Callable

from engines.reference.game import INFINITY


def mtdf(search: Callable[[int, int], int], first_guess: int, convergence: str = "plaat") -> int:
    """The minimax value of the iteration. ``search`` is one pass with the window (alpha, beta).

    Every pass raises the lower or lowers the upper bound, so it ends. With the minimax value, or
    one more, as first guess it takes exactly two passes. ``convergence``: with ``plaat`` the next
    window lies at the bound just found, as published; with ``growth`` beyond it by a step that
    doubles while passes fail the same way and halves after the value was crossed.
    """
    upper, lower = INFINITY, -INFINITY  # upperbound := +INFINITY; lowerbound := -INFINITY;
    beta = max(first_guess, 1 - INFINITY)  # g := f; beta := g
    step = 1
    failed_high: bool | None = None
    while True:  # repeat
        g = search(beta - 1, beta)  # g := AlphaBetaWithMemory(root, beta - 1, beta, d);
        high = g >= beta
        if high:
            lower = g  # if g >= beta then lowerbound := g
        else:
            upper = g  # else upperbound := g;
        if lower >= upper:  # until lowerbound >= upperbound;
            return g  # return g;
        if convergence == "growth" and failed_high is not None:
            step = step * 2 if failed_high == high else max(step // 2, 1)
        failed_high = high
        # if g = lowerbound then beta := g + 1 else beta := g; that is, with steps of 1.
        beta = min(lower + step, upper) if high else max(upper + 1 - step, lower + 1)
