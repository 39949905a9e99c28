"""Intervals by Student's t: of a mean, and of a ratio that is measured in turns."""

from __future__ import annotations

import math
from collections.abc import Sequence

FEWEST = 3
"""Ratios below which the spread says too little."""


def mean_error(variance: float, number: int) -> float:
    """Half of the 95 % interval of the mean of at least two values of this sample variance."""
    from scipy.special import stdtrit

    return float(stdtrit(number - 1, 0.975)) * math.sqrt(variance / number)


def ratio_interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of positive ratios, and the ends of its 95 % interval by Student's t on
    their logarithms; the interval is everything for fewer than :data:`FEWEST` ratios."""
    number = len(ratios)
    logs = [math.log(one) for one in ratios]
    mean = math.fsum(logs) / number
    if number < FEWEST:
        return math.exp(mean), 0.0, math.inf
    variance = math.fsum((one - mean) ** 2 for one in logs) / (number - 1)
    error = mean_error(variance, number)
    return math.exp(mean), math.exp(mean - error), math.exp(mean + error)
