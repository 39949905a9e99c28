"""The Elo scale and the normal distribution, with :mod:`math` alone."""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""Half-width of a two-sided 95 % interval in standard deviations."""
ELO_PER_NAT = 400.0 / math.log(10.0)
"""Elo points of one unit of log-odds."""
NORMALIZED_ELO = 800.0 / math.log(10.0)
"""Normalized Elo points of one standard deviation of a game's score."""


def elo_of_score(score: float) -> float:
    """Elo difference at which ``score`` (0 to 1, exclusive) is expected: −400·log10(1/s − 1)."""
    return 400.0 * math.log10(score / (1.0 - score))


def score_of_elo(elo: float) -> float:
    """Score expected at an Elo difference: 1/(1 + 10^(−elo/400))."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def normal_cdf(x: float) -> float:
    """Φ, exact in both tails."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))
