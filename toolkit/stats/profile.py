"""The mean score of counted results by its profile likelihood, for few and many results alike.

Which mean scores mu are compatible with counts n_i of outcomes worth a_i, without any assumption
on their distribution but that scores lie between 0 and 1? For each mu take the distribution with
that mean under which the counts are most likely (A. Owen, "Empirical Likelihood", 2001; here over
all outcomes, seen or not). To the counts one game is added, half of it lost and half won, so that
no outcome is taken for impossible. Of pairs it is half a pair, as 1, 3, 0, 3 and 1 sixteenths: if
all of it were lost or won, errors would be too wide where nearly all pairs are level. With w the
counts after that, M their sum and p = w/M, these distributions form one curve with a parameter u,
in nats:

    q_i = (w_i/g_i)/Z,   g_i = (1 − a_i)·e^(−u/2) + a_i·e^(u/2),   Z = Σ w_i/g_i,

and the log-likelihood lost is S(u) = Σ w_i·ln g_i + M·ln(Z/M). The mean falls as u rises; u = 0 is
the mean of w. Of results that are only won or lost, u is the log-odds that the mean has fallen.

The 95 % interval is where 2·S <= z²·(1 + 3/G), G being the number of games and the one added. LOS
is Φ(r), with r² = 2·S/(1 + 3/G) at a mean of ½. Both constants, the game and the 3, were
chosen by simulation (``benchmarks/stats_coverage.py``). A better result in place of another lowers
no end and no LOS: for u > 0, ln of g_i relative to the mean rises with a_i, and so does its sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from .elo import ELO_PER_NAT, Z95
from .outcome import Floats

ADDED = {3: (0.5, 0.0, 0.5), 5: (0.0625, 0.1875, 0.0, 0.1875, 0.0625)}
"""One game in units of three counts (games) and of five (pairs)."""
_WIDENING = 3.0
_FARTHEST = 150.0
"""Nats; beyond every end, whatever the counts."""


def added_games(counts: Floats) -> Floats:
    """Counts (rows; worst outcome first) with one game added."""
    return np.asarray(counts + np.array(ADDED[counts.shape[1]]), dtype=np.float64)


def widening(counts: Floats) -> Floats:
    """1 + 3/G of each row, by which squared errors of G games are larger than those of many."""
    games = counts.sum(axis=1) * (2.0 if counts.shape[1] == 5 else 1.0) + 1.0
    return np.asarray(1.0 + _WIDENING / games, dtype=np.float64)


def elo_intervals(counts: Floats) -> tuple[Floats, Floats]:
    """Lower and upper 95 % ends of Elo, one of each for every row of three or five counts."""
    both = np.concatenate([counts, counts[:, ::-1]])
    low, high = np.split(elo_at_roots(both, np.full(both.shape[0], Z95)), 2)
    return low, -high


def elo_at_roots(counts: Floats, roots: Floats) -> Floats:
    """The Elo below each row's estimate by so many standard deviations; above it where they are
    negative. ±z are the ends of the interval, and 0 is the Elo of the counts with a game added."""
    above = roots < 0.0
    weights = added_games(np.where(above[:, None], counts[:, ::-1], counts))
    elo = _lower_end(weights, np.abs(roots) * np.sqrt(widening(counts))) * ELO_PER_NAT
    return np.where(above, -elo, elo)


def signed_roots(counts: Floats) -> Floats:
    """By how many standard deviations the first player of each row is ahead: LOS is Φ of it."""
    weights = added_games(counts)

    def behind(u: Floats) -> tuple[Floats, Floats]:
        mean, slope = _mean(weights, u)
        return 0.5 - mean, -slope

    size = weights.shape[0]
    u = _rising_root(behind, np.full(size, -_FARTHEST), np.full(size, _FARTHEST), np.zeros(size))
    lost = np.sqrt(2.0 * _likelihood_lost(weights, u)[0] / widening(counts))
    return np.asarray(np.copysign(lost, u), dtype=np.float64)


def _lower_end(weights: Floats, level: Floats) -> Floats:
    """Log-odds of the mean below which sqrt(2·S) is above ``level``."""

    def excess(u: Floats) -> tuple[Floats, Floats]:
        lost, slope = _likelihood_lost(weights, u)
        root = np.sqrt(2.0 * lost)
        return root - level, np.divide(slope, root, out=np.ones_like(u), where=root > 0.0)

    number = weights.sum(axis=1)
    start = np.minimum(2.0 * level / np.sqrt(number), 1.0)
    u = _rising_root(excess, np.zeros_like(level), np.full_like(level, _FARTHEST), start)
    tilt = _tilt(weights.shape[1], u)
    share = weights / tilt.g
    return np.asarray(np.log(share @ tilt.a) - np.log(share @ (1.0 - tilt.a)), dtype=np.float64)


class _Tilt(Struct, frozen=True):
    """The curve at places u (rows), by outcome (columns)."""

    a: Floats
    g: Floats
    above: Floats
    """g − 1, without loss where u is small."""
    rise: Floats
    """Derivative of ln g by u."""


def _tilt(outcomes: int, u: Floats) -> _Tilt:
    a = np.linspace(0.0, 1.0, outcomes)
    half = u[:, None] / 2.0
    down, up = (1.0 - a) * np.exp(-half), a * np.exp(half)
    above = (1.0 - a) * np.expm1(-half) + a * np.expm1(half)
    return _Tilt(a, down + up, above, 0.5 * (up - down) / (down + up))


def _likelihood_lost(weights: Floats, u: Floats) -> tuple[Floats, Floats]:
    """S and its slope at u. Written with logarithms of 1 + x, so that it keeps its digits where
    many results make u small."""
    tilt = _tilt(weights.shape[1], u)
    number = weights.sum(axis=1)
    p = weights / number[:, None]
    total = np.sum(p / tilt.g, axis=1)
    above_total = -np.sum(p * tilt.above / tilt.g, axis=1)
    lost = np.sum(p * _log(tilt.g, tilt.above), axis=1) + _log(total, above_total)
    q = p / tilt.g / total[:, None]
    return np.maximum(number * lost, 0.0), number * np.sum((p - q) * tilt.rise, axis=1)


def _log(value: Floats, above_one: Floats) -> Floats:
    near = np.abs(above_one) < 0.5
    return np.where(near, np.log1p(np.where(near, above_one, 0.0)), np.log(value))


def _mean(weights: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Mean of the distribution at u, and its slope."""
    tilt = _tilt(weights.shape[1], u)
    q = weights / tilt.g
    q /= q.sum(axis=1, keepdims=True)
    mean = q @ tilt.a
    return mean, mean * np.sum(q * tilt.rise, axis=1) - np.sum(q * tilt.rise * tilt.a, axis=1)


def _rising_root(
    function: Callable[[Floats], tuple[Floats, Floats]], low: Floats, high: Floats, start: Floats
) -> Floats:
    """Where each of many rising functions is 0, between ``low`` and ``high``: steps of Newton's,
    halving the bracket where they leave it."""
    u = start
    for _ in range(200):
        value, slope = function(u)
        low, high = np.where(value < 0.0, u, low), np.where(value < 0.0, high, u)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = u - value / slope
        inside = (step >= low) & (step <= high)
        following = np.where(value == 0.0, u, np.where(inside, step, (low + high) / 2.0))
        moved = np.abs(following - u)
        u = following
        if np.all(moved <= 1e-14 + 1e-12 * np.abs(u)):
            break
    return u
