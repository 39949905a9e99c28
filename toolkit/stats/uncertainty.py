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

How much a game says depends on the draw rate q: if draws are likely, a decisive game says much. Few
games leave q uncertain, and near q = 1, where no game seems to go against the favourite, the
information at equality grows without end. So errors take the lower value of q at which the
log-likelihood of the results, the ratings unchanged, is 1 below its maximum. Of many games it
is the estimate; of only draws it is the rate at which one more game would be decisive.

Nothing is added for small samples: where many thin pairings make up one rating, their errors are as
large as the model says, and anything that makes a single one safer adds up
(``benchmarks/rating_errors.py``).
"""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from .fit import Fit, FitRequest, anchored
from .likelihood import (
    Ints,
    PoolGames,
    Products,
    assemble,
    evaluate,
    expected_information,
    solve_positive,
)
from .outcome import Floats, outcomes
from .tables import PoolPairs, unpaired

PAIRS_OF_MODEL = 10.0
"""Number of pairs of two players at which data and model have equal weight."""
LOST = 1.0
"""Log-likelihood by which the draw rate of the errors is less likely than the estimate."""
_FIRST_STEP = 0.25
_CLEAR = 30.0
"""Nats; further down the draw rate is 0."""
_STEPS = 20
_CLOSE = 1e-4
"""Of the root of the loss: far less than moves an error."""


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
        point[-1] = _cautious_theta(games, point)
    theta = float(point[-1]) if fit.draws else None
    prior = np.diag(request.prior_precision(n))
    information = expected_information(games, point, theta)
    matrix = anchored(information + prior, free, n, request.floating)
    inverse = np.zeros((n + 2, n + 2))
    inverse[np.ix_(free, free)] = solve_positive(matrix, np.eye(matrix.shape[0]))
    meat = _meat(games, pairs, point, theta) + prior
    return np.asarray(inverse @ meat @ inverse, dtype=np.float64)


def _cautious_theta(games: PoolGames, point: Floats) -> float:
    """The draw parameter below the estimate at which the log-likelihood is ``LOST`` lower. The root
    of the loss is nearly linear in it, so the secant through two places needs few steps."""
    moved = point.copy()
    top = evaluate(games, point, True).value

    def root(theta: float) -> float:
        moved[-1] = theta
        return math.sqrt(max(top - evaluate(games, moved, True).value, 0.0))

    aim = math.sqrt(LOST)
    high, low, step = float(point[-1]), float(point[-1]) - _FIRST_STEP, _FIRST_STEP
    at_high, at_low = 0.0, root(low)
    while at_low < aim and step < _CLEAR:
        step *= 2.0
        high, at_high = low, at_low
        low -= step
        at_low = root(low)
    for _ in range(_STEPS):
        theta = low + (high - low) * (at_low - aim) / max(at_low - at_high, 1e-12)
        here = root(theta)
        if abs(here - aim) < _CLOSE:
            break
        if here > aim:
            low, at_low = theta, here
        else:
            high, at_high = theta, here
    return theta


def _meat(games: PoolGames, pairs: PoolPairs, point: Floats, theta: float | None) -> Floats:
    """B: scores by pair as far as there are pairs to trust, the model's variance for the rest."""
    number = pairs.joint.sum(axis=0)
    trusted = replace(pairs, joint=pairs.joint * (number / (number + PAIRS_OF_MODEL)))
    rest = replace(games, counts=unpaired(games, trusted))
    matrix = expected_information(rest, point, theta)
    matrix += _scores_by_pair(trusted, games.players, point, theta)
    return matrix + _scores_by_opening(pairs, games.players, point, theta)


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
