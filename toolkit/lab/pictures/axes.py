"""Axes of a picture: where numbers lie, and at which of them an axis is labelled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_STEPS = (0.01, 0.02, 0.05, 0.1)
"""Steps of ticks where a logarithmic axis is short."""
_MANTISSAS = (
    (1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    (1, 1.25, 1.5, 2, 3, 5, 8),
    (1, 2, 5),
    (1, 3),
    (1,),
)
"""Ticks of each decade where it is longer, the finest first."""
_ROOM = 9
"""Pixels about that are left free at both ends."""
_MANY = 40
"""Ticks that no axis has."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a panel."""

    low: float
    high: float
    """The numbers at its ends."""
    start: float
    end: float
    """Where these ends lie, in pixels."""
    is_log: bool = False

    def at(self, number: float) -> float:
        """Where a number lies, to a tenth of a pixel."""
        low, high, here = self.low, self.high, number
        if self.is_log:
            low, high, here = math.log(low), math.log(high), math.log(here)
        return round(self.start + (here - low) / (high - low) * (self.end - self.start), 1)


def log_axis(numbers: Sequence[float], least: float, start: float, end: float) -> Axis:
    """A logarithmic axis that shows these numbers with some margin. ``least``: the minimum ratio of
    its ends."""
    low, high = min(numbers), max(numbers)
    if high / low < least:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(least), middle * math.sqrt(least)
    room = (high / low) ** (_ROOM / abs(end - start))
    return Axis(low / room, high * room, start, end, is_log=True)


def log_ticks(axis: Axis, gap: float) -> list[float]:
    """Round numbers for a logarithmic axis: the finest family with at least this distance in
    pixels."""
    found: list[float] = []
    for found in _families(axis.low, axis.high):
        if all(abs(axis.at(b) - axis.at(a)) >= gap for a, b in pairwise(found)):
            break
    return found


def _families(low: float, high: float) -> Iterator[list[float]]:
    for step in _STEPS:
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first < _MANY:
            yield [round(number * step, 2) for number in range(first, last + 1)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas in _MANTISSAS:
        every = [float(f"{one}e{decade}") for decade in decades for one in mantissas]
        yield [one for one in every if low <= one <= high]


def even_ticks(low: float, high: float, most: int) -> list[float]:
    """Evenly spaced round numbers for a linear axis, at most this many."""
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(one * size for one in (1, 2, 5, 10, 20) if (high - low) / (one * size) < most)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(number * step, 10) for number in range(first, last + 1)]


def spread(wanted: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Places as near to those wanted as can be, in the same order and ``gap`` apart; ``wanted``
    rises. Where they crowd, a block of them lies about its mean."""
    blocks: list[tuple[float, int]] = []  # mean of what is wanted, less the gaps before; how many
    for number, place in enumerate(wanted):
        mean, size = place - number * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean, size = (mean * size + before * count) / (size + count), size + count
        blocks.append((mean, size))
    means = [mean for mean, size in blocks for _ in range(size)]
    highest = max(top, bottom - (len(means) - 1) * gap)
    return [
        round(min(max(mean, top), highest) + number * gap, 1) for number, mean in enumerate(means)
    ]
