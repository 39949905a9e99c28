"""How the null windows of an iteration of MTD(f) move.

Windows of all choices but ``plaat`` and ``growth``, which are older than the grain's part in this,
lie at multiples of the grain: between two of them all windows ask the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.reference.drivers.bounds import Answer, Bounds

_LEAP = 8
"""A secant goes at most so many times as far as the last pass returned beyond its window."""


@dataclass(frozen=True, slots=True)
class Convergence:
    """The rule for the next window, see ``CONVERGENCES`` of the registry."""

    name: str = "plaat"
    step: int = 1
    """Fixed or first step, in centipawns."""
    above: bool = True
    """The side from which ``one-side`` comes."""
    grain: int = 1


class Pace:
    """The windows of one iteration by a rule."""

    def __init__(self, convergence: Convergence) -> None:
        self._convergence = convergence
        self._step = 1
        if convergence.name not in ("plaat", "growth"):
            step = convergence.step if convergence.name != "secant" else 1
            self._step = max(step, convergence.grain)
        self._before: Answer | None = None

    def next(self, bounds: Bounds, last: Answer) -> int:
        """The beta after an answer."""
        rule, before, self._before = self._convergence, self._before, last
        if rule.name == "plaat":
            return self._beyond(bounds, last.high, 1)
        if rule.name == "step":
            return self._on_grain(bounds, last.high, rule.step)
        if rule.name == "one-side":
            if last.high != rule.above:
                return self._on_grain(bounds, last.high, 1)
            step, self._step = self._step, self._step * 2
            return self._on_grain(bounds, last.high, step)
        if rule.name == "bisect" and bounds.are_finite:
            middle = bounds.lower + (bounds.upper - bounds.lower + 1) // 2
            return bounds.on_grain(middle, rule.grain)
        self._grow(before, last.high)
        if rule.name == "growth":
            return self._beyond(bounds, last.high, self._step)
        leap = None
        if rule.name == "secant" and before is not None:
            leap = _secant(before, last)
        return self._on_grain(bounds, last.high, self._step if leap is None else leap)

    def _grow(self, before: Answer | None, high: bool) -> None:
        """Double the step while passes fail the same way, halve it after the value was crossed."""
        least = self._convergence.grain if self._convergence.name == "secant" else 1
        if before is not None:
            self._step = self._step * 2 if before.high == high else max(self._step // 2, least)

    def _beyond(self, bounds: Bounds, high: bool, step: int) -> int:
        """So far beyond the bound just found, inside the bounds. With 1 it is the published
        window: if g = lowerbound then beta := g + 1 else beta := g."""
        return bounds.clamp(bounds.lower + step if high else bounds.upper + 1 - step)

    def _on_grain(self, bounds: Bounds, high: bool, step: int) -> int:
        return bounds.on_grain(self._beyond(bounds, high, step), self._convergence.grain)


def _secant(before: Answer, last: Answer) -> int | None:
    """How far beyond the bound just found two passes let expect the value, if they do: the secant
    method on what a pass returns beyond its own window, nothing at the value."""
    first, second = (answer.value - answer.beta + answer.high for answer in (before, last))
    run, rise = last.beta - before.beta, second - first
    if rise == 0:
        return None
    # The line must lead on in the direction in which the last pass failed.
    forward = (-second * run * rise > 0) - (-second * run * rise < 0)
    if forward != (1 if last.high else -1):
        return None
    leap = abs(second * run) // abs(rise)
    # From the window of the last pass; what it returned beyond it is known already.
    beyond = min(leap, _LEAP * abs(second)) - abs(second) + 1
    return beyond if beyond >= 1 else None
