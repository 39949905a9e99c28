"""Errors by resampling: of ratings from game pairs where they are known and from single games
elsewhere, and of means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .elo import ELO_PER_NAT
from .fit import Fit, FitRequest, fit_pool
from .likelihood import PoolGames
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

    The number of pairs and of games of each two players stays as it was played.
    """
    random = np.random.default_rng(seed)
    alone = unpaired(games, pairs)
    keys = games.white * games.players + games.black
    forth = np.searchsorted(keys, pairs.first * games.players + pairs.second)
    back = np.searchsorted(keys, pairs.second * games.players + pairs.first)
    tied = replace(request, prior=WEAK_PRIOR / ELO_PER_NAT)
    if request.fixed:
        tied = replace(tied, prior_centre=sum(request.fixed.values()) / len(request.fixed))
    result = np.empty((size, games.players))
    for row in range(size):
        counts = _resample(random, alone)
        joint = _resample(random, pairs.joint).reshape(3, 3, -1)
        counts[:, forth] += joint.sum(axis=1)
        counts[:, back] += joint.sum(axis=0)
        sample = replace(games, counts=counts)
        whole = request.prior is not None or strongly_connected(sample, set(request.fixed))
        result[row] = fit_pool(sample, request if whole else tied, start=fit).point[:-2]
    return result


def mean_interval(values: Sequence[float], *, size: int, seed: int) -> tuple[float, float] | None:
    """The 95 % percentile interval of the mean of independent values from ``size`` resamples; None
    for fewer than two values, which say nothing of their spread.

    Calls with one seed and one number of values draw the same places: intervals of values that
    belong together, such as those of one suite of positions, rest on the same resamples.
    """
    number = len(values)
    if number < 2:
        return None
    random = np.random.default_rng([seed, number])
    places = random.integers(0, number, (size, number))
    means = np.asarray(values, dtype=np.float64)[places].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def _resample(random: np.random.Generator, counts: Floats) -> Floats:
    """Resample each column from its own distribution, keeping its sum."""
    number = counts.sum(axis=0)
    chances = np.where(number > 0, counts / np.maximum(number, 1.0), 1.0 / counts.shape[0])
    return random.multinomial(number.astype(np.int64), chances.T).T.astype(np.float64)
