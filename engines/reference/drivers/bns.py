"""The driver ``bns``: Best Node Search, which proves the best move, not its value.

D. Rutko, Fuzzified tree search in real domain games, MICAI (2011).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import Bounds
from engines.reference.drivers.mtd_best import below
from engines.reference.search.game import INFINITY
from engines.reference.search.root import RootMoves


def bns(root: RootMoves, first_guess: int, grain: int = 1) -> int:
    """Prove a move: a null window on every root move that is not known to be worse, until one
    alone reaches it or the interval of the root's value is closed. Of moves that tie then, the
    first in the order of the root is taken, where print takes the last. Returns the lower bound
    of the move: the lower end of the interval that is left.

    The next window lies between the ends of the interval by the number n of moves that reached the
    last one they did, at (n - 1) / n of it, as published; where an end is not known yet, beyond the
    other by a step that doubles. Fail-soft bounds of moves are kept, which print does not.
    """
    bounds = [Bounds() for _ in range(root.count)]
    left = list(range(root.count))
    interval = Bounds()
    test, step = interval.clamp(first_guess), grain
    while True:
        better = [place for place in left if _reaches(root, place, bounds[place], test)]
        if len(better) == 1:
            best = better[0]
            break
        if better:
            left = better
            interval.lower = max(test, *(bounds[place].lower for place in left))
        else:
            interval.upper = min(test - 1, max(bounds[place].upper for place in left))
        if interval.have_met:
            best = max(left, key=lambda place: bounds[place].lower)
            break
        test = _next(interval, len(left), step, grain)
        if not interval.are_finite:
            step *= 2
    root.choose(best)
    return bounds[best].lower


def _reaches(root: RootMoves, place: int, known: Bounds, test: int) -> bool:
    """Whether a move reaches ``test``, by what is known or by a null window."""
    if known.lower >= test:
        return True
    return known.upper >= test and known.learn(root.test(place, test), test)


def _next(interval: Bounds, count: int, step: int, grain: int) -> int:
    lower, upper = interval.lower, interval.upper
    if lower == -INFINITY:
        return below(upper, step, grain)
    if upper == INFINITY:
        return interval.on_grain(lower + step, grain)
    return interval.on_grain(lower + (upper + 1 - lower) * (count - 1) // count, grain)
