"""The ratio of two quantities that are measured in turns."""

from __future__ import annotations

import math
from collections.abc import Sequence

FEWEST = 3
"""Ratios below which the spread says too little."""


def ratio_interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of positive ratios, and the ends of its 95 % interval by Student's t on
    their logarithms; the interval is everything for fewer than :data:`FEWEST` ratios."""
    from scipy.special import stdtrit

    number = len(ratios)
    logs = [math.log(one) for one in ratios]
    mean = math.fsum(logs) / number
    if number < FEWEST:
        return math.exp(mean), 0.0, math.inf
    variance = math.fsum((one - mean) ** 2 for one in logs) / (number - 1)
    error = float(stdtrit(number - 1, 0.975)) * math.sqrt(variance / number)
    return math.exp(mean), math.exp(mean - error), math.exp(mean + error)
