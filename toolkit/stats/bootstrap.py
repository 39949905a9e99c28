"""Errors by resampling: of ratings from whole openings where pairings share them, from game pairs
where they are known and from single games elsewhere, and of means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from .elo import ELO_PER_NAT
from .fit import Fit, FitRequest, fit_pool
from .likelihood import Ints, PoolGames
from .outcome import Floats
from .pools import strongly_connected
from .tables import PoolPairs, unpaired

WEAK_PRIOR = 1000.0
"""Elo. A resample in which a player won or lost everything has no maximum; a normal prior with this
standard deviation keeps it large but finite."""


def resampled_ratings(
    games: PoolGames,
    pairs: PoolPairs,
    fit: Fit,
    request: FitRequest,
    *,
    size: int,
    seed: Sequence[int],
) -> Floats:
    """Ratings in nats of ``size`` resamples (rows) of the games of one pool.

    The number of pairs and of games of each two players stays as it was played, but for openings
    that not all pairings have.
    """
    random = np.random.default_rng(seed)
    alone = unpaired(games, pairs)
    clusters = _Openings.of(pairs)
    single = pairs.joint if clusters is None else pairs.joint - clusters.joint(None)
    keys = games.white * games.players + games.black
    forth = np.searchsorted(keys, pairs.first * games.players + pairs.second)
    back = np.searchsorted(keys, pairs.second * games.players + pairs.first)
    tied = replace(request, prior=WEAK_PRIOR / ELO_PER_NAT)
    if request.fixed:
        tied = replace(tied, prior_centre=sum(request.fixed.values()) / len(request.fixed))
    result = np.empty((size, games.players))
    for row in range(size):
        counts = _resample(random, alone)
        drawn = _resample(random, single)
        if clusters is not None:
            drawn += clusters.joint(random)
        joint = drawn.reshape(3, 3, -1)
        counts[:, forth] += joint.sum(axis=1)
        counts[:, back] += joint.sum(axis=0)
        sample = replace(games, counts=counts)
        whole = request.prior is not None or strongly_connected(sample, set(request.fixed))
        result[row] = fit_pool(sample, request if whole else tied, start=fit).point[:-2]
    return result


class _Openings(Struct, frozen=True):
    """Pairs that share openings, and where they are counted."""

    number: int
    """Of openings."""
    opening: Ints
    """Of each pair, from 0."""
    place: Ints
    """Of each pair in the flat joint counts."""
    shape: tuple[int, ...]
    """Of the joint counts."""

    @classmethod
    def of(cls, pairs: PoolPairs) -> Self | None:
        """The openings of a pool; None if none are shared."""
        shared = pairs.shared
        if shared is None or not shared.opening.size:
            return None
        found, opening = np.unique(shared.opening, return_inverse=True)
        i, j = np.divmod(shared.result, 3)
        row = np.where(shared.first > shared.second, 3 * j + i, 3 * i + j)
        place = row * pairs.joint.shape[1] + pairs.columns_of(shared.first, shared.second)
        return cls(found.size, opening, place, pairs.joint.shape)

    def joint(self, random: np.random.Generator | None) -> Floats:
        """The joint counts of as many openings, drawn with all their pairs; None: each once."""
        times = np.ones(self.number)
        if random is not None:
            drawn = random.integers(0, self.number, self.number)
            times = np.bincount(drawn, minlength=self.number).astype(np.float64)
        flat = np.bincount(self.place, times[self.opening], math.prod(self.shape))
        return np.asarray(flat.reshape(self.shape), dtype=np.float64)


def mean_interval(values: Sequence[float], *, size: int, seed: int) -> tuple[float, float] | None:
    """The 95 % bootstrap-t interval of the mean of independent values from ``size`` resamples; None
    for fewer than two values, which say nothing of their spread.

    The interval of percentiles is too narrow for few values, and for skewed ones it lies too near
    to the bulk. This one counts in standard errors of each resample. Source: Efron and Tibshirani,
    An Introduction to the Bootstrap, 1993, section 12.5.

    Calls with one seed and one number of values draw the same places: intervals of values that
    belong together, such as those of one suite of positions, rest on the same resamples.
    """
    number = len(values)
    if number < 2:
        return None
    seen = np.asarray(values, dtype=np.float64)
    mean, spread = float(seen.mean()), float(seen.std(ddof=1))
    random = np.random.default_rng([seed, number])
    drawn = seen[random.integers(0, number, (size, number))]
    spreads = drawn.std(axis=1, ddof=1)
    # A resample of one value alone has no standard error.
    some = spreads > 1e-12 * spread
    if not some.any():
        return mean, mean
    ratios = (drawn.mean(axis=1)[some] - mean) / spreads[some]
    low, high = np.quantile(ratios, (0.025, 0.975))
    return mean - float(high) * spread, mean - float(low) * spread


def _resample(random: np.random.Generator, counts: Floats) -> Floats:
    """Resample each column from its own distribution, keeping its sum."""
    number = counts.sum(axis=0)
    chances = np.where(number > 0, counts / np.maximum(number, 1.0), 1.0 / counts.shape[0])
    return random.multinomial(number.astype(np.int64), chances.T).T.astype(np.float64)
