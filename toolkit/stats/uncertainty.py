"""Covariance of fitted ratings: from the Fisher information, or clustered by game pair.

The two games of a pair share an opening, so the errors that count games as independent are too
wide or too narrow. Where pairs are many enough the covariance is a sandwich, J⁻¹·B·J⁻¹ with J the
Fisher information and B the sum over pairs of s·sᵀ, s being the score of both games together
(H. White, 1982; K.-Y. Liang and S. Zeger, 1986). It needs for each two players the joint counts of
the two results of their pairs. On few pairs B has seen too little of what can happen, so then the
inverse of J stands alone.
"""

from __future__ import annotations

import math

import numpy as np

from .fit import Fit, FitRequest, anchored
from .likelihood import (
    PoolGames,
    Products,
    assemble,
    expected_information,
    solve_positive,
)
from .outcome import Floats, outcomes
from .tables import PoolPairs, unpaired

MIN_PAIRS = 30
"""Pairs that every pairing of a pool needs before its errors are clustered by pair."""


def covariance(games: PoolGames, pairs: PoolPairs | None, fit: Fit, request: FitRequest) -> Floats:
    """Covariance of all parameters in nats, zero for those that were not estimated.

    With ``pairs`` it is clustered by pair, games outside them standing alone. The mean of the
    ratings has no meaning where nothing fixed it: use differences only.
    """
    n = games.players
    point = fit.point.copy()
    if fit.draws:
        # Against the limit of only draws information grows without end, as if the next game could
        # not be decisive. One decisive game in one more than were played is what is known; then
        # only draws give the interval of the likelihood ratio.
        point[-1] = min(point[-1], math.log(float(games.counts.sum())))
    information = expected_information(games, point, float(point[-1]) if fit.draws else None)
    information += np.diag(request.prior_precision(n))
    matrix = anchored(information, fit.free, n, request.floating)
    inverse = solve_positive(matrix, np.eye(matrix.shape[0]))
    if pairs is not None:
        meat = _scores_by_pair(games, pairs, fit)[np.ix_(fit.free, fit.free)]
        inverse = inverse @ meat @ inverse
    result = np.zeros((n + 2, n + 2))
    result[np.ix_(fit.free, fit.free)] = inverse
    return result


def can_cluster(games: PoolGames, pairs: PoolPairs) -> bool:
    """Whether every two players that met have at least :data:`MIN_PAIRS` pairs, with some spread:
    pairs that all scored the same, other than all won, would pass for certainty."""
    n = games.players
    low, high = np.minimum(games.white, games.black), np.maximum(games.white, games.black)
    met = np.unique(low * n + high)
    number = pairs.joint.sum(axis=0)
    enough = number >= MIN_PAIRS
    with_pairs = np.unique(pairs.first[enough] * n + pairs.second[enough])
    if met.size != with_pairs.size or not np.array_equal(met, with_pairs):
        return False
    points = pairs.pentanomial()
    constant = (points[1:4] == number).any(axis=0)
    return not bool(constant.any())


def _scores_by_pair(games: PoolGames, pairs: PoolPairs, fit: Fit) -> Floats:
    """Σ s·sᵀ over pairs, and over the games outside them."""
    forth = PoolGames(games.players, pairs.first, pairs.second, pairs.joint)
    back = PoolGames(games.players, pairs.second, pairs.first, pairs.joint)
    one = outcomes(forth.differences(fit.point), fit.theta)
    two = outcomes(back.differences(fit.point), fit.theta)
    # Every combination of the two results, in the rows' order of the joint counts.
    x1, x2 = np.repeat(one.by_x, 3, axis=0), np.tile(two.by_x, (3, 1))
    t = np.repeat(one.by_theta, 3, axis=0) + np.tile(two.by_theta, (3, 1))
    matrix = _sum_of_products(forth, pairs.joint, x1 - x2, x1 + x2, t)
    alone = unpaired(games, pairs)
    model = outcomes(games.differences(fit.point), fit.theta)
    matrix += _sum_of_products(games, alone, model.by_x, model.by_x, model.by_theta)
    return matrix


def _sum_of_products(games: PoolGames, counts: Floats, r: Floats, a: Floats, t: Floats) -> Floats:
    """Σ count·s·sᵀ for scores by rating difference, advantage and θ."""

    def product(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.sum(counts * one * other, axis=0), dtype=np.float64)

    products = Products(
        product(r, r), product(r, a), product(a, a), product(r, t), product(a, t), product(t, t)
    )
    return assemble(games, products)
