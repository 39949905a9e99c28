"""What null windows have proved of a value, and the loop of all drivers that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.reference.search.game import INFINITY
from engines.spec import MATE, MATE_BOUND, Pass

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
        """Take in what a pass that failed returned, with ``beta`` as its upper end; True when it
        failed high."""
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

    def reopen(self, high: bool) -> None:
        """Forget the bound that the last pass, which failed high or low, contradicted."""
        if high:
            self.upper = INFINITY
        else:
            self.lower = -INFINITY

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


@dataclass(frozen=True, slots=True)
class Ending:
    """When an iteration ends before its bounds have met, and what it does when they contradict each
    other. Both concern a search in play only."""

    tolerance: int = 0
    """Bounds that lie no further apart end the iteration."""
    reported: str = "lower"
    """The value between them that is reported then, see ``REPORTED`` of the registry."""
    estimate: int = 0
    """What the iteration expected."""
    reopen: bool = False
    """A bound that a later pass contradicts by more than the tolerance is forgotten, instead of
    ending the iteration."""

    def tolerated(self, bounds: Bounds) -> int | None:
        """The value to report where the bounds are near enough. Mates are always told exactly."""
        lower, upper = bounds.lower, bounds.upper
        near = bounds.are_finite and 0 < upper - lower <= self.tolerance
        if not near or lower < -MATE_BOUND or upper > MATE_BOUND:
            return None
        if self.reported == "middle":
            return lower + (upper - lower) // 2
        return min(max(self.estimate, lower), upper) if self.reported == "estimate" else lower


MET = Ending()
"""The bounds have met."""
_REOPENINGS = 2
"""So often an iteration reopens a contradicted bound."""


def close(
    search: Search,
    first: int,
    next_window: Callable[[Bounds, Answer], tuple[int, int]],
    ending: Ending = MET,
) -> int:
    """The value of the root by null windows from ``first`` on, or from the end of all values where
    it lies beyond them, until the bounds meet, or are as near as ``ending`` tolerates.

    ``next_window`` says the window that follows; a wider one that holds the value ends the
    iteration. Every pass raises the lower or lowers the upper bound, and few reopen one, so it
    ends. The comments quote A. Plaat's Pascal of MTD(f).
    """
    bounds = Bounds()  # upperbound := +INFINITY; lowerbound := -INFINITY;
    reopenings = _REOPENINGS if ending.reopen else 0
    alpha, beta = null(bounds.clamp(first))  # g := f; beta := g
    while True:  # repeat
        g = search(alpha, beta)  # g := AlphaBetaWithMemory(root, beta - 1, beta, d);
        if alpha < g < beta:
            return g
        high = bounds.learn(g, beta)  # if g < beta then upperbound := g else lowerbound := g
        tolerated = ending.tolerated(bounds)
        if tolerated is not None:
            return tolerated
        if bounds.have_met:  # until lowerbound >= upperbound;
            if not reopenings or bounds.lower - bounds.upper <= ending.tolerance:
                return g  # return g;
            reopenings -= 1
            bounds.reopen(high)
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
