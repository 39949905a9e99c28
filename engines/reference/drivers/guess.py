"""First guesses of null-window drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engines.reference.evaluation.chess import round_half_away
from engines.reference.evaluation.tapered import divide_half_away
from engines.spec import MATE, Value

_TENTHS = 10
"""Means that are learned within a search are kept in tenths of a centipawn."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a guess is made from."""

    values: Sequence[int]
    """The values of the finished iterations, depth 1 first."""
    static: int
    """The static value of the root."""
    game: Sequence[int] = ()
    """The values of the player's search two plies earlier in the same game, depth 1 first."""

    def back(self, plies: int) -> int:
        """The value so many iterations back; where too few are known, the oldest, at first the
        static value."""
        if plies <= len(self.values):
            return self.values[-plies]
        return self.values[0] if self.values else self.static

    @property
    def depth(self) -> int:
        """The depth of the iteration to come."""
        return len(self.values) + 1


def _blend(seen: Seen, parameters: Mapping[str, Value]) -> int:
    weight = float(parameters["weight"])
    return round_half_away(weight * seen.back(1) + (1 - weight) * seen.back(2))


def _offset(seen: Seen, parameters: Mapping[str, Value]) -> int:
    return seen.back(1) + int(parameters["offset_odd" if seen.depth % 2 else "offset_even"])


def _towards(mean: int, new: int, rate: int) -> int:
    """An exponential mean, one step on: towards ``new``, which like it is in tenths."""
    return mean + divide_half_away(rate * (new - mean), 100)


def _drift(seen: Seen, parameters: Mapping[str, Value]) -> int:
    mean, values = 0, seen.values
    for depth in range(2, len(values) + 1):
        if depth % 2 == seen.depth % 2:
            change = values[depth - 1] - values[depth - 2]
            mean = _towards(mean, _TENTHS * change, int(parameters["rate"]))
    return seen.back(1) + divide_half_away(mean, _TENTHS)


def _ema(seen: Seen, parameters: Mapping[str, Value]) -> int:
    same = seen.values[(seen.depth + 1) % 2 :: 2]
    if not same:
        return seen.back(1)
    mean = _TENTHS * same[0]
    for value in same[1:]:
        mean = _towards(mean, _TENTHS * value, int(parameters["rate"]))
    return divide_half_away(mean, _TENTHS)


def _trend(seen: Seen, parameters: Mapping[str, Value]) -> int:
    before = seen.back(2)
    change = before - seen.back(4) if len(seen.values) >= 4 else 0
    return before + divide_half_away(int(parameters["trend"]) * change, 100)


def _game(seen: Seen, parameters: Mapping[str, Value]) -> int:
    place = seen.depth + 1  # of the depth two plies greater
    return seen.game[place] if place < len(seen.game) else seen.back(2)


GUESSES: dict[str, Callable[[Seen, Mapping[str, Value]], int]] = {
    "zero": lambda seen, parameters: 0,
    "static": lambda seen, parameters: seen.static,
    "previous": lambda seen, parameters: seen.back(1),
    "parity": lambda seen, parameters: seen.back(2),
    "average": lambda seen, parameters: round_half_away((seen.back(1) + seen.back(2)) / 2),
    "blend": _blend,
    "offset": _offset,
    "drift": _drift,
    "ema": _ema,
    "trend": _trend,
    "game": _game,
}
"""What each makes of what was seen and of the parameters that it has."""


def first_guess(parameters: Mapping[str, Value], seen: Seen) -> int:
    """The guess for the next iteration, a value.

    Where too few iterations are known the nearest older value stands in, at first the static one.
    """
    guess = GUESSES[str(parameters["guess"])](seen, parameters)
    return min(max(guess, -MATE), MATE)
