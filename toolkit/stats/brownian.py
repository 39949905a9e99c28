"""Brownian motion with drift between two absorbing bounds.

A sequential test's log-likelihood ratio is close to one. Chances at a time are sums over mirror
images of the bounds (D. Siegmund, "Sequential Analysis", 1985, chapter III), with exponents added
up before they are taken, in parts none of which is above 0, so that nothing overflows or cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .outcome import Floats
from .roots import root_between

OVERSHOOT = 0.5825971579390107
"""−ζ(½)/√(2π): how far a random walk of small steps passes a bound on average, in standard
deviations of a step. The walk behaves like the motion with its bounds moved out by it."""
_FAR = 9.0
"""Standard deviations beyond which a mirror image no longer counts."""


_LONG = 6.0
"""Spread, in widths between the bounds, after which the motion has certainly ended: the probability
that it continues is below exp(−π²·36/2) = 1e-77. Beyond it, only the number of images would
grow."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Starts at 0 between ``low`` < 0 < ``high``; drift and variance are per unit of time."""

    low: float
    high: float
    drift: float
    variance: float

    def upper_chance(self) -> float:
        """Chance to end at the upper bound."""
        rate = 2.0 * self.drift / self.variance
        width = self.high - self.low
        if abs(rate) * width < 1e-9:
            return -self.low / width
        if rate > 0.0:
            return math.expm1(rate * self.low) / math.expm1(-rate * width)
        return math.exp(rate * self.high) * math.expm1(-rate * self.low) / math.expm1(rate * width)

    def mean_time(self) -> float:
        """Expected time to the end, at either bound."""
        if abs(self.drift) * (self.high - self.low) < 1e-7 * self.variance:
            return -self.low * self.high / self.variance
        upper = self.upper_chance()
        return (self.high * upper + self.low * (1.0 - upper)) / self.drift

    def upper_by(self, time: float) -> float:
        """Chance to have ended at the upper bound by ``time``."""
        if time <= 0.0:
            return 0.0
        spread = math.sqrt(self.variance * time)
        if spread > _LONG * (self.high - self.low):
            return self.upper_chance()
        centres = self.high + 2.0 * (self.high - self.low) * _images(self, spread)
        distance = np.abs(centres)
        lean = self.drift / self.variance
        pull = abs(lean) * distance
        ahead = (abs(self.drift) * time - distance) / spread
        beyond = (abs(self.drift) * time + distance) / spread
        near = lean * self.high - pull + _log_phi(ahead)
        far = lean * self.high - pull - 0.5 * ahead * ahead + _log_tail(beyond)
        total = float(np.sum(np.sign(centres) * (np.exp(near) + np.exp(far))))
        return min(max(total, 0.0), 1.0)

    def lower_by(self, time: float) -> float:
        """Chance to have ended at the lower bound by ``time``."""
        return self.mirrored().upper_by(time)

    def running_at(self, time: float) -> float:
        """Chance not to have ended by ``time``."""
        return max(1.0 - self.upper_by(time) - self.lower_by(time), 0.0)

    def running_below(self, time: float, place: float) -> float:
        """Chance not to have ended by ``time`` and to be below ``place`` then."""
        place = min(max(place, self.low), self.high)
        spread = math.sqrt(self.variance * time)
        if spread > _LONG * (self.high - self.low):
            return 0.0
        images = 2.0 * (self.high - self.low) * _images(self, spread)
        middle = self.drift * time
        begin = max(self.low, middle - _FAR * spread)
        end = min(place, middle + _FAR * spread)
        if end <= begin:
            return 0.0
        x, weights = _nodes(begin, end, 4 + math.ceil(2.0 * (end - begin) / spread))
        density = np.zeros_like(x)
        for image in images:
            density += self._passing(x, np.abs(x - image), time)
            density -= self._passing(x, np.abs(x - 2.0 * self.high - image), time)
        total = float(weights @ density) / (spread * math.sqrt(2.0 * math.pi))
        return min(max(total, 0.0), 1.0)

    def _passing(self, x: Floats, distance: Floats, time: float) -> Floats:
        """Density at ``x`` of paths from an image at ``distance``, but for 1/(spread·√(2π)):
        exp(lean·x − lean·drift·time/2 − distance²/(2·spread²)), distance being at least |x|."""
        lean = self.drift / self.variance
        ahead = distance - abs(self.drift) * time
        exponent = lean * x - abs(lean) * distance - 0.5 * ahead * ahead / (self.variance * time)
        return np.asarray(np.exp(exponent), dtype=np.float64)

    def mean_time_within(self, limit: float) -> float:
        """Expected time to the end where everything stops at ``limit``."""
        times, weights = _nodes(0.0, min(limit, self.time_by_which(1.0 - 1e-9)), 16)
        running = np.array([self.running_at(float(time)) for time in times])
        return float(weights @ running)

    def time_by_which(self, chance: float) -> float:
        """The time by which the motion has ended with this chance."""
        reach = self.mean_time()
        while 1.0 - self.running_at(reach) < chance:
            reach *= 2.0
        return root_between(lambda time: 1.0 - self.running_at(time) - chance, 0.0, reach)

    def mirrored(self) -> Motion:
        """The same motion upside down."""
        return Motion(-self.high, -self.low, -self.drift, self.variance)


def _images(motion: Motion, spread: float) -> Floats:
    """Numbers of the mirror images that reach into the time's spread."""
    width = motion.high - motion.low
    number = 2 + math.ceil(_FAR * spread / (2.0 * width))
    return np.arange(-number, number + 1, dtype=np.float64)


def _log_phi(x: Floats) -> Floats:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(x), dtype=np.float64)


def _log_tail(x: Floats) -> Floats:
    """ln(1 − Φ(x)) + x²/2, for x from 0 up."""
    from scipy.special import erfcx

    return np.asarray(np.log(0.5 * erfcx(x / math.sqrt(2.0))), dtype=np.float64)


def _nodes(begin: float, end: float, pieces: int) -> tuple[Floats, Floats]:
    """Places and weights of Gauss's quadrature, 16 of them on each of equal pieces."""
    x, weights = np.polynomial.legendre.leggauss(16)
    half = (end - begin) / (2.0 * pieces)
    middles = begin + half * (2.0 * np.arange(pieces) + 1.0)
    return (middles[:, None] + half * x).ravel(), np.tile(half * weights, pieces)
