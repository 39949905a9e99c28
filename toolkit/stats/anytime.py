"""Intervals and evidence that hold whenever one looks: betting on the mean score of a game pair.

The capital of a gambler who bets that the mean score is above m, by bets that are fair if it is m,
can hardly grow large if it is not above: it exceeds 1/α at *some* time with probability at most α
(Ville's inequality). So it is evidence that may be looked at after every pair, and the means at
which the capital is still small are an interval that covers the truth at all looks together.

Of each pair the gambler stakes the share κ of the capital on its score v in [0, 1] at the price m,
which multiplies the capital by 1 − κ + κ·v/m. The capital is the mean over many κ, each kept from
the first pair to the last, weighted by a normal density in ln κ around :data:`_CENTRE`. A product
does not depend on the order of its factors, so capital and interval are functions of the five
counts of the pairs alone: no order, no planned number of pairs and no earlier look changes them.
The bound for means above the score is the same bet on 1 − v.

Sources: J. Ville, Étude critique de la notion de collectif (1939); I. Waudby-Smith and A. Ramdas,
Estimating means of bounded random variables by betting, JRSS B 86 (2024), sections 4 and 5 (bets
and their hedge); F. Orabona and K.-S. Jun, Tight concentrations and confidence sequences from the
regret of universal portfolio, IEEE Trans. Inf. Theory 70 (2024) (the mean over constant bets). The
weights were chosen by simulation, see docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .counts import checked_counts
from .elo import elo_of_score
from .match import EMPTY_ELO_ERROR

Floats = NDArray[np.float64]

ALPHA = 0.05
"""Probability that an interval ever misses the truth."""
_SHARES = 40
_LEAST, _MOST = 0.001, 0.97
"""How many shares κ of the capital are staked, and their range."""
_CENTRE, _SPREAD = 0.25, 1.0
"""Of the weights: the share at their middle, and their standard deviation in ln κ."""
_HALVINGS = 34
"""Of the range in which an end is searched: to 1e-10 of a score."""


class AnytimeInterval(Struct, frozen=True):
    """Where the mean score of a pair lies, valid at any look."""

    low: float
    """0 where the counts set no lower end."""
    high: float
    """1 where the counts set no upper end."""

    @property
    def elo_low(self) -> float | None:
        """The lower end in Elo; None if open."""
        return elo_of_score(self.low) if self.low > 0.0 else None

    @property
    def elo_high(self) -> float | None:
        """The upper end in Elo; None if open."""
        return elo_of_score(self.high) if self.high < 1.0 else None

    def elo_error(self, elo: float) -> float:
        """Half of the interval in Elo; where an end is open, the distance of ``elo`` from the other
        one."""
        low, high = self.elo_low, self.elo_high
        if low is not None and high is not None:
            return (high - low) / 2.0
        ends = [end for end in (low, high) if end is not None]
        return abs(ends[0] - elo) if ends else EMPTY_ELO_ERROR


def log_capital(
    counts: Sequence[float] | Floats,
    mean: float,
    *,
    share: float = _CENTRE,
    spread: float = _SPREAD,
) -> Floats | float:
    """The logarithm of the evidence that the mean score of a pair is above ``mean``: that of a
    capital of 1 after bets that are fair at this mean and lose on the average below it.

    ``counts``: the pairs by score, worst first, in the last of its axes; the result has the others.
    It is an e-value at any look: exp(log_capital) ≥ 1/α is a test of level α, however often and for
    whatever reason one looks. ``mean`` lies in (0, 1). ``share`` and ``spread`` are those of the
    weights; whoever looks for a gain that is known before, bets what suits it.
    """
    weights = np.asarray(counts, dtype=np.float64)
    values = np.linspace(0.0, 1.0, weights.shape[-1])
    shares, log_weights = bets(share, spread)
    factors = np.log1p(shares[:, None] * (values / mean - 1.0))
    exponents = weights @ factors.T + log_weights
    most = exponents.max(axis=-1, keepdims=True)
    found = most[..., 0] + np.log(np.exp(exponents - most).sum(axis=-1))
    return float(found) if found.ndim == 0 else found


def anytime_interval(counts: Sequence[int], alpha: float = ALPHA) -> AnytimeInterval:
    """The means at which neither the bet on more nor the bet on less has multiplied its capital by
    2/``alpha``: the probability that the interval excludes the mean score at any look is at most
    ``alpha``.

    :raises StatisticsError: not three or five counts, or a negative one.
    """
    return _anytime_interval(checked_counts(counts), alpha)


@lru_cache(maxsize=1024)  # a live table asks for the same counts again and again
def _anytime_interval(counts: tuple[int, ...], alpha: float) -> AnytimeInterval:
    low = _lower_end(counts, alpha / 2.0)
    return AnytimeInterval(low, 1.0 - _lower_end(counts[::-1], alpha / 2.0))


def _lower_end(counts: Sequence[int], alpha: float) -> float:
    """The least mean at which the bet on more has not multiplied its capital by 1/``alpha``. The
    capital falls as the mean grows, because every factor of it does."""
    total = sum(counts)
    if not total:
        return 0.0
    goal = -math.log(alpha)
    values = [place / (len(counts) - 1) for place in range(len(counts))]
    low, high = 0.0, math.fsum(n * v for n, v in zip(counts, values, strict=True)) / total
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if middle <= 0.0:
            break
        if log_capital(counts, middle) >= goal:
            low = middle
        else:
            high = middle
    return low


@cache
def bets(share: float = _CENTRE, spread: float = _SPREAD) -> tuple[Floats, Floats]:
    """The shares κ, and the logarithms of their weights around ``share``, whose sum is 1."""
    shares = np.geomspace(_LEAST, _MOST, _SHARES)
    weights = np.exp(-0.5 * (np.log(shares / share) / spread) ** 2)
    return shares, np.log(weights / weights.sum())
