"""First guesses of null-window drivers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.reference.evaluation import round_half_away

GUESSES: dict[str, Callable[[int, int, float], int]] = {
    "zero": lambda newest, older, weight: 0,
    "static": lambda newest, older, weight: older,
    "previous": lambda newest, older, weight: newest,
    "parity": lambda newest, older, weight: older,
    "average": lambda newest, older, weight: round_half_away((newest + older) / 2),
    "blend": lambda newest, older, weight: round_half_away(weight * newest + (1 - weight) * older),
}
"""From the values of the last iteration and of the one before, and the weight of ``blend``."""


def first_guess(name: str, weight: float, static: int, values: Sequence[int]) -> int:
    """The guess for the next iteration, after iterations that returned ``values``, depth 1 first.

    Depth 1 starts from the static value of the root (``zero`` from 0), and depth 2 takes the only
    value there is for both.
    """
    if name == "static" or not values:
        return GUESSES[name](static, static, weight)
    return GUESSES[name](values[-1], values[-2] if len(values) > 1 else values[-1], weight)
