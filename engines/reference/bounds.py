"""What null windows have proved of a value, and the loop of all drivers that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.reference.game import INFINITY
from engines.spec import MATE, Pass

HIGHEST = MATE
"""Values of a root lie strictly between -MATE and MATE: what print calls infinite."""

Search = Callable[[int, int], int]
"""One pass with the window (alpha, beta): its fail-soft value."""


@dataclass(slots=True)
class Bounds:
    """Bounds of a value; what is not known is infinite."""

    lower: int = -INFINITY
    upper: int = INFINITY

    def learn(self, value: int, beta: int) -> bool:
        """Take in what a null window at ``beta`` returned; True when it failed high."""
        if value >= beta:
            self.lower = value
        else:
            self.upper = value
        return value >= beta

    @property
    def have_met(self) -> bool:
        """Nothing is left between the bounds. Beyond each other, they are a contradiction of a
        search in play, and the newer one ends the iteration."""
        return self.lower >= self.upper

    @property
    def are_finite(self) -> bool:
        """The value was approached from both sides."""
        return self.lower > -INFINITY and self.upper < INFINITY

    def clamp(self, wanted: int) -> int:
        """The next null window's beta nearest to ``wanted`` that must raise a bound, and lies among
        the values that there are."""
        return min(max(min(wanted, HIGHEST), 1 - HIGHEST, self.lower + 1), self.upper)

    def on_grain(self, wanted: int, grain: int) -> int:
        """The same at a multiple of ``grain`` unless mates leave none: windows between two
        multiples ask the same."""
        return self.clamp(ceil_to_grain(self.clamp(wanted), grain))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a null window (beta - 1, beta) returned."""

    beta: int
    value: int

    @property
    def high(self) -> bool:
        """It failed high."""
        return self.value >= self.beta


def null(beta: int) -> tuple[int, int]:
    """The null window at ``beta``."""
    return beta - 1, beta


def ceil_to_grain(value: int, grain: int) -> int:
    """The nearest multiple of ``grain`` that is not below ``value``."""
    return -(-value // grain) * grain


def close(
    search: Search, first: int, next_window: Callable[[Bounds, Answer], tuple[int, int]]
) -> int:
    """The value of the root by null windows from ``first`` on, or from the end of all values where
    it lies beyond them, until the bounds meet.

    ``next_window`` says the window that follows; one that is wider than a null window is the last.
    Every pass raises the lower or lowers the upper bound, so it ends. The comments quote A. Plaat's
    Pascal of MTD(f).
    """
    bounds = Bounds()  # upperbound := +INFINITY; lowerbound := -INFINITY;
    alpha, beta = null(bounds.clamp(first))  # g := f; beta := g
    while True:  # repeat
        g = search(alpha, beta)  # g := AlphaBetaWithMemory(root, beta - 1, beta, d);
        if beta - alpha > 1:
            return g
        bounds.learn(g, beta)  # if g < beta then upperbound := g else lowerbound := g
        if bounds.have_met:  # until lowerbound >= upperbound;
            return g  # return g;
        alpha, beta = next_window(bounds, Answer(beta, g))


def crossings(passes: Sequence[Pass]) -> int:
    """How often a pass contradicted an earlier one of the same iteration: the bound it found lies
    beyond the other one, of the root or of the one move that was searched."""
    return len(contradictions(passes))


def contradictions(passes: Sequence[Pass]) -> list[int]:
    """By how much each pass that contradicted an earlier one did so, in centipawns."""
    known: dict[str | None, tuple[int, int]] = {}
    found: list[int] = []
    for one in passes:
        lower, upper = known.get(one.move, (-INFINITY, INFINITY))
        is_lower, is_upper = one.value > one.alpha, one.value < one.beta
        by = max(one.value - upper if is_lower else 0, lower - one.value if is_upper else 0)
        if by > 0:
            found.append(by)
        known[one.move] = (one.value if is_lower else lower, one.value if is_upper else upper)
    return found
