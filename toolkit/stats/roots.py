"""The root of a function of one number. That of :mod:`scipy.optimize` takes 50 MB to import."""

from __future__ import annotations

from collections.abc import Callable

_MOST_STEPS = 300
_RELATIVE = 4e-16
"""No two numbers are nearer to each other, by their size."""


def root_between(
    function: Callable[[float], float], low: float, high: float, *, xtol: float = 2e-12
) -> float:
    """Where a continuous function is 0, which has different signs at ``low`` and ``high``, within
    ``xtol``: false position, with the value of an end halved that stays (Illinois; Dowell and
    Jarratt, BIT 11, 1971), and bisection where that does not halve the bracket. Raises ValueError
    for equal signs."""
    at_low, at_high = function(low), function(high)
    if at_low == 0.0 or at_high == 0.0:
        return low if at_low == 0.0 else high
    if (at_low < 0.0) == (at_high < 0.0):
        raise ValueError(f"the function has one sign at {low:g} and {high:g}")
    halves = False
    for _ in range(_MOST_STEPS):
        width = high - low
        if width <= xtol + _RELATIVE * abs(high):
            break
        middle = low + width / 2.0 if halves else low - at_low * width / (at_high - at_low)
        value = function(middle)
        if value == 0.0:
            return middle
        if (value < 0.0) == (at_low < 0.0):
            low, at_low, at_high = middle, value, at_high if halves else at_high / 2.0
        else:
            high, at_high, at_low = middle, value, at_low if halves else at_low / 2.0
        halves = high - low > width / 2.0
    return low + (high - low) / 2.0
