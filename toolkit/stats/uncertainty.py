"""Covariance of fitted ratings, for many games and for few.

It is a sandwich J⁻¹·B·J⁻¹ (H. White, 1982; K.-Y. Liang and S. Zeger, 1986). J is the Fisher
information, B the variance of the scores s (derivatives of the log-likelihood). The two games of a
pair share an opening, so their scores are not independent: B has s·sᵀ of both games together. A few
pairs give a poor estimate of this, so n pairs of two players have the weight n/(n + 10), and the
rest of the weight goes to the model with independent games. Without pairs B is J.

Where pairings share their openings, the pairs of one opening are not independent either: an
opening that suits one hero of a gauntlet suits the others. B then also has the products of the
scores of different pairs of an opening (clusters by opening), so that what openings do to all
heroes alike is not counted as an error of their differences.

In small samples this is still too narrow. B is widened as Student's distribution is relative to the
normal one. Also, a rating may depend on a handful of results of two players. The *leverage* of a
pairing, h = J_ij·r_ij, is the share of the information on the difference i − j that comes from the
games of i and j (r_ij: the difference's variance by J⁻¹). If h is 1, as with two players, the
difference has the error of :mod:`toolkit.stats.match` for these games; if other games contribute
much, almost nothing is added. That error is in Elo of the mean score p. If colour decides many
games, the mean score changes less with the difference than between equal players of either colour:
with p_k the expected score of game k, p(1 − p)/mean(p_k(1 − p_k)) nats of the difference correspond
to one nat of Elo of the mean score.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .elo import ELO_PER_NAT, Z95
from .fit import Fit, FitRequest, anchored
from .likelihood import (
    Ints,
    PoolGames,
    Products,
    assemble,
    expected_information,
    laplacian,
    solve_positive,
)
from .match import elo_errors
from .outcome import Floats, outcomes
from .tables import PoolPairs, unpaired

PAIRS_OF_MODEL = 10.0
"""Number of pairs of two players at which data and model have equal weight."""
LEAST_LEVERAGE = 0.1
"""A pairing of less adds so little that it is not worked out."""
_CLEAR = 30.0
"""Nats; further apart games say no more."""
_ALONE = 6.0
"""Power of the leverage: where opponents share in it, many small errors go into a difference, and
their sum is nearly normal."""


def variances_of_differences(c: Floats, first: Ints, second: Ints) -> Floats:
    """c_ii + c_jj - 2 c_ij of a covariance c, for places i and j of any shapes that go together;
    at least 0, whatever rounding makes of it."""
    own = np.diag(c)
    return np.asarray(
        np.maximum(own[first] + own[second] - 2.0 * c[first, second], 0.0), dtype=np.float64
    )


def covariance(games: PoolGames, pairs: PoolPairs, fit: Fit, request: FitRequest) -> Floats:
    """Covariance of all parameters in nats, zero for those that were not estimated.

    The mean of the ratings has no meaning where nothing fixed it: use differences only.
    """
    n, free = games.players, fit.free
    point = fit.point.copy()
    if fit.draws:
        # Against the limit of only draws information grows without end, as if the next game could
        # not be decisive. One decisive game in one more than were played is what is known.
        point[-1] = min(point[-1], math.log(float(games.counts.sum())))
    theta = float(point[-1]) if fit.draws else None
    prior = np.diag(request.prior_precision(n))
    information = expected_information(games, point, theta)
    matrix = anchored(information + prior, free, n, request.floating)
    inverse = np.zeros((n + 2, n + 2))
    inverse[np.ix_(free, free)] = solve_positive(matrix, np.eye(matrix.shape[0]))
    meat = _meat(games, pairs, point, theta) * _widening(games, pairs, fit, request) + prior
    spread = inverse @ meat @ inverse
    meat[:n, :n] += _small_sample(games, pairs, point, information, inverse, spread)
    return np.asarray(inverse @ meat @ inverse, dtype=np.float64)


def _meat(games: PoolGames, pairs: PoolPairs, point: Floats, theta: float | None) -> Floats:
    """B: scores by pair as far as there are pairs to trust, the model's variance for the rest."""
    number = pairs.joint.sum(axis=0)
    trusted = replace(pairs, joint=pairs.joint * (number / (number + PAIRS_OF_MODEL)))
    rest = replace(games, counts=unpaired(games, trusted))
    matrix = expected_information(rest, point, theta)
    matrix += _scores_by_pair(trusted, games.players, point, theta)
    return matrix + _scores_by_opening(pairs, games.players, point, theta)


def _widening(games: PoolGames, pairs: PoolPairs, fit: Fit, request: FitRequest) -> float:
    """By how much the square of Student's quantile is above the normal one's, to first order, at as
    many degrees of freedom as there are pairs and single games beyond the fitted parameters."""
    units = float(games.counts.sum() - pairs.joint.sum())
    if pairs.shared is not None and pairs.shared.opening.size:
        units -= pairs.shared.opening.size - np.unique(pairs.shared.opening).size
    fitted = float(fit.free.sum()) - request.floating  # only differences of floating ratings are
    return 1.0 + (Z95**2 + 1.0) / (2.0 * max(units - fitted, 1.0))


def _small_sample(
    games: PoolGames,
    pairs: PoolPairs,
    point: Floats,
    information: Floats,
    inverse: Floats,
    spread: Floats,
) -> Floats:
    """What is added to B among the ratings: h⁶·(h/r)²·(h·σ² − v) of each pairing, with σ its error
    in a match and v the variance of the difference without this."""
    n = games.players
    first, second = np.divmod(np.unique(_pairings(games)), n)
    known = variances_of_differences(inverse, first, second)
    leverage = np.minimum(-information[first, second] * known, 1.0)
    heavy = leverage >= LEAST_LEVERAGE
    first, second, known, leverage = first[heavy], second[heavy], known[heavy], leverage[heavy]
    sigma = _match_errors(games, pairs, first, second) / (Z95 * ELO_PER_NAT)
    sigma *= _stretch(games, point, first, second)
    without = variances_of_differences(spread, first, second)
    extra = leverage**_ALONE * (leverage / known) ** 2 * (leverage * sigma**2 - without)
    none = np.zeros((3, first.size))
    return laplacian(PoolGames(n, first, second, none), extra)


def _stretch(games: PoolGames, point: Floats, first: Ints, second: Ints) -> Floats:
    """By how much the differences of players ``first`` < ``second`` change for one of Elo of their
    mean score: 1 without an advantage of White."""
    at, here = _places(first * games.players + second, _pairings(games))
    number = games.counts.sum(axis=0)[here]
    x = np.where(games.white > games.black, -1.0, 1.0) * games.differences(point)
    p = 1.0 / (1.0 + np.exp(-np.clip(x[here], -_CLEAR, _CLEAR)))
    total, score, slope = (
        np.bincount(at[here], number * each, first.size)
        for each in (np.ones_like(p), p, p * (1 - p))
    )
    mean = score / total
    return np.asarray(mean * (1.0 - mean) * total / slope, dtype=np.float64)


def _match_errors(games: PoolGames, pairs: PoolPairs, first: Ints, second: Ints) -> Floats:
    """Errors of the matches of players ``first`` < ``second``: of their pairs, or of their games
    where not all of them are in pairs."""
    keys = first * games.players + second
    size = keys.size
    results = np.zeros((size, 3))
    swapped = games.white > games.black
    at, here = _places(keys, _pairings(games))
    from_first = np.where(swapped, games.counts, games.counts[::-1])
    for column in range(3):
        results[:, column] = np.bincount(at[here], from_first[column, here], size)
    errors = elo_errors(results)
    at, here = _places(keys, pairs.first * games.players + pairs.second)
    points = pairs.pentanomial().T[here]
    whole = 2.0 * points.sum(axis=1) == results[at[here]].sum(axis=1)
    errors[at[here][whole]] = elo_errors(points[whole])
    return errors


def _pairings(games: PoolGames) -> Ints:
    """The two players of each row as one number, the lower one first."""
    lower, higher = np.minimum(games.white, games.black), np.maximum(games.white, games.black)
    return np.asarray(lower * games.players + higher, dtype=np.intp)


def _places(keys: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Where each wanted key stands among sorted ones, and whether it does."""
    at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
    return at, (keys[at] == wanted) if keys.size else np.zeros(wanted.size, dtype=np.bool_)


def _scores_by_pair(pairs: PoolPairs, players: int, point: Floats, theta: float | None) -> Floats:
    """Σ s·sᵀ over pairs, each with its weight in the joint counts."""
    forth = PoolGames(players, pairs.first, pairs.second, pairs.joint)
    back = PoolGames(players, pairs.second, pairs.first, pairs.joint)
    one = outcomes(forth.differences(point), theta)
    two = outcomes(back.differences(point), theta)
    # Every combination of the two results, in the rows' order of the joint counts.
    x1, x2 = np.repeat(one.by_x, 3, axis=0), np.tile(two.by_x, (3, 1))
    t = np.repeat(one.by_theta, 3, axis=0) + np.tile(two.by_theta, (3, 1))
    return _sum_of_products(forth, pairs.joint, x1 - x2, x1 + x2, t)


def _scores_by_opening(
    pairs: PoolPairs, players: int, point: Floats, theta: float | None
) -> Floats:
    """Σ s·tᵀ over each two different pairs of an opening, with the weights that pairs have."""
    size = players + 2
    shared = pairs.shared
    if shared is None or not shared.opening.size:
        return np.zeros((size, size))
    from scipy.sparse import csr_array

    none = np.zeros((3, shared.first.size))
    here = np.arange(shared.first.size)
    i, j = np.divmod(shared.result, 3)
    one = outcomes(PoolGames(players, shared.first, shared.second, none).differences(point), theta)
    two = outcomes(PoolGames(players, shared.second, shared.first, none).differences(point), theta)
    x1, x2 = one.by_x[i, here], two.by_x[j, here]
    t = one.by_theta[i, here] + two.by_theta[j, here]
    weight = np.sqrt(_trust(pairs, shared.first, shared.second))
    scores = np.stack([x1 - x2, x2 - x1, x1 + x2, t]) * weight
    columns = np.stack(
        [shared.first, shared.second, np.full_like(here, players), np.full_like(here, players + 1)]
    )
    _, opening = np.unique(shared.opening, return_inverse=True)
    rows = np.tile(opening, 4)
    flat, at = scores.ravel(), columns.ravel()
    by_opening = csr_array((flat, (rows, at)), shape=(int(opening.max()) + 1, size))
    by_pair = csr_array((flat, (np.tile(here, 4), at)), shape=(here.size, size))
    cross = by_opening.T @ by_opening - by_pair.T @ by_pair
    return np.asarray(cross.toarray(), dtype=np.float64)


def _trust(pairs: PoolPairs, first: Ints, second: Ints) -> Floats:
    """The weight n/(n + 10) of the pairs of each two players."""
    number = pairs.joint.sum(axis=0)[pairs.columns_of(first, second)]
    return np.asarray(number / (number + PAIRS_OF_MODEL), dtype=np.float64)


def _sum_of_products(games: PoolGames, counts: Floats, r: Floats, a: Floats, t: Floats) -> Floats:
    """Σ count·s·sᵀ for scores by rating difference, advantage and θ."""

    def product(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.sum(counts * one * other, axis=0), dtype=np.float64)

    products = Products(
        product(r, r), product(r, a), product(a, a), product(r, t), product(a, t), product(t, t)
    )
    return assemble(games, products)
