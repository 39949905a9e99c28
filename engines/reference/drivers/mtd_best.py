"""The driver ``mtd-best``: proves the best move, not its value.

A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax algorithms,
Artificial Intelligence 87 (1996), after the stop criterion of B*: H. Berliner, The B* tree search
algorithm, Artificial Intelligence 12 (1979).
"""

from __future__ import annotations

from engines.reference.drivers.bounds import Bounds, ceil_to_grain
from engines.reference.search.root import RootMoves
from engines.spec import MATE, MATE_BOUND


def mtd_best(root: RootMoves, first_guess: int, grain: int = 1) -> int:
    """Prove a move: a lower bound of it that no other move's upper bound exceeds. Returns that
    bound, which is all that is known of the root's value.

    Disprove the rest: the first move that reaches the first guess, or what lies below it by steps
    that double where none does, and then a null window just above its bound on every other; one
    that fails high takes its place. A tie is no better move, so it always ends.
    """
    bounds = [Bounds() for _ in range(root.count)]
    best = _raised(root, first_guess, grain, bounds)
    while (rival := _rival(best, bounds)) is not None:
        beta = bounds[best].lower + 1
        if bounds[rival].learn(root.test(rival, beta), beta):
            best = rival
    root.choose(best)
    return bounds[best].lower


def _rival(best: int, bounds: list[Bounds]) -> int | None:
    """The first move that may be better than ``best``."""
    least = bounds[best].lower
    rivals = (i for i, known in enumerate(bounds) if i != best and known.upper > least)
    return next(rivals, None)


def _raised(root: RootMoves, first_guess: int, grain: int, bounds: list[Bounds]) -> int:
    """The first move found that fails high, from the first guess downwards."""
    beta, step = Bounds().clamp(first_guess), grain
    while True:
        for place, known in enumerate(bounds):
            if known.upper >= beta and known.learn(root.test(place, beta), beta):
                return place
        beta = below(max(known.upper for known in bounds), step, grain)
        step *= 2


def below(upper: int, step: int, grain: int) -> int:
    """The null window's beta ``step`` below an upper bound, on the grain.

    It stays above mates as long as the bound does, for the bound it proves may be reported.
    """
    floor = -MATE_BOUND if upper > -MATE_BOUND else -MATE
    return min(max(ceil_to_grain(upper + 1 - step, grain), floor), upper)
