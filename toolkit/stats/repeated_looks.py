"""Repeated looks at a difference: how far it must be from 0 in standard deviations.

Who looks after every round and stops at the first significant difference finds one too often. A
constant boundary that holds over all looks corrects for this. In units of its standard deviation,
an estimated difference is about B(t)/√t with B a Brownian motion and t its information. The
probability that |B(t)|/√t exceeds z anywhere in an interval whose ends have the ratio T is about

    φ(z)·((z − 1/z)·ln T + 4/z)

(R. Miller and D. Siegmund, "Maximally selected chi square statistics", Biometrics 38, 1982). It
assumes looks at every moment, so it is an upper bound for any schedule of looks.
"""

from __future__ import annotations

import math

from .elo import normal_cdf

_HIGHEST = 40.0


def crossing_probability(z: float, looks: int, ratio: float) -> float:
    """Upper bound of the probability that a difference of 0 is more than ``z`` standard deviations
    from 0 at any of some looks; ``ratio``: of the information at the last and the first look."""
    bonferroni = looks * 2.0 * normal_cdf(-z)
    density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
    motion = density * ((z - 1.0 / z) * math.log(ratio) + 4.0 / z)
    return min(bonferroni, motion, 1.0)


def critical_value(alpha: float, looks: int, ratio: float) -> float:
    """The number of standard deviations with :func:`crossing_probability` ``alpha``."""
    low, high = 1.0, _HIGHEST
    for _ in range(100):
        middle = (low + high) / 2.0
        if crossing_probability(middle, looks, ratio) > alpha:
            low = middle
        else:
            high = middle
    return high
