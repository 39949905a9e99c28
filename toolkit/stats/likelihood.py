"""The likelihood of one pool of players: value, gradient, observed and expected information.

Parameters are (R_0 … R_{n−1}, A, θ) in nats; one nat is 400/ln 10 Elo. See
:mod:`toolkit.stats.outcome` for the model.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .outcome import Floats, likelihood_terms, outcomes

Ints = NDArray[np.intp]

_CHUNK = 16_384
"""Encounters worked on at a time, so that the temporary arrays stay in the cache."""


class PoolGames(Struct, frozen=True):
    """The games of one pool as arrays; players are numbers from 0."""

    players: int
    white: Ints
    black: Ints
    counts: Floats
    """Rows: White's wins, draws, Black's wins; a column an ordered encounter."""

    def differences(self, point: Floats) -> Floats:
        """White's rating minus Black's, with the advantage."""
        difference: Floats = point[self.white] - point[self.black] + point[self.players]
        return difference


class Products(Struct, frozen=True):
    """Products of an encounter's scores, summed over its games: r is the score by White's rating
    minus Black's, a by the advantage, t by θ. From them a matrix over all parameters is built."""

    rr: Floats
    ra: Floats
    aa: Floats
    rt: Floats
    at: Floats
    tt: Floats


class LikelihoodValue(Struct, frozen=True):
    """The likelihood at a point."""

    value: float
    gradient: Floats
    information: Floats
    """Observed: minus the second derivatives."""


def evaluate(games: PoolGames, point: Floats, draws: bool) -> LikelihoodValue:
    """Log-likelihood, gradient and observed information at ``point``."""
    n, size = games.players, games.white.size
    theta = float(point[n + 1]) if draws else None
    differences = games.differences(point)
    by_x, xx, xt = np.empty(size), np.empty(size), np.empty(size)
    value = by_theta = tt = 0.0
    for begin in range(0, size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        terms = likelihood_terms(differences[part], theta, games.counts[:, part])
        by_x[part], xx[part], xt[part] = terms.by_x, terms.xx, terms.xt
        value += float(terms.value.sum())
        by_theta += float(terms.by_theta.sum())
        tt += float(terms.tt.sum())
    gradient = np.empty(n + 2)
    gradient[:n] = _at_players(games, by_x)
    gradient[n] = by_x.sum()
    gradient[n + 1] = by_theta
    products = Products(xx, xx, xx, xt, xt, np.array([tt]))
    return LikelihoodValue(value, gradient, assemble(games, products))


def expected_information(games: PoolGames, point: Floats, theta: float | None) -> Floats:
    """Fisher information: the sum over games of E[s·sᵀ] with s the score of one game."""
    number = games.counts.sum(axis=0)
    differences = games.differences(point)
    xx, xt, tt = (np.empty(number.size) for _ in range(3))
    for begin in range(0, number.size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        model = outcomes(differences[part], theta)
        weighted = number[part] * model.probability
        xx[part] = np.sum(weighted * model.by_x * model.by_x, axis=0)
        xt[part] = np.sum(weighted * model.by_x * model.by_theta, axis=0)
        tt[part] = np.sum(weighted * model.by_theta * model.by_theta, axis=0)
    return assemble(games, Products(xx, xx, xx, xt, xt, tt))


def assemble(games: PoolGames, products: Products) -> Floats:
    """The symmetric matrix over all parameters that the encounters' products add up to."""
    n = games.players
    matrix = np.zeros((n + 2, n + 2))
    matrix[:n, :n] = laplacian(games, products.rr)
    matrix[:n, n] = matrix[n, :n] = _at_players(games, products.ra)
    matrix[:n, n + 1] = matrix[n + 1, :n] = _at_players(games, products.rt)
    matrix[n, n] = products.aa.sum()
    matrix[n, n + 1] = matrix[n + 1, n] = products.at.sum()
    matrix[n + 1, n + 1] = products.tt.sum()
    return matrix


def laplacian(games: PoolGames, weights: Floats) -> Floats:
    """Σ w·(e_white − e_black)(e_white − e_black)ᵀ."""
    n = games.players
    edges = _sums(games.white * n + games.black, weights, n * n).reshape(n, n)
    matrix = -(edges + edges.T)
    matrix[np.arange(n), np.arange(n)] = edges.sum(axis=0) + edges.sum(axis=1)
    return matrix


def _at_players(games: PoolGames, weights: Floats) -> Floats:
    """Σ w·(e_white − e_black)."""
    n = games.players
    return _sums(games.white, weights, n) - _sums(games.black, weights, n)


def _sums(index: Ints, weights: Floats, size: int) -> Floats:
    """The sum of the weights at each index."""
    return np.bincount(index, weights, size).astype(np.float64, copy=False)


def solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Solve a symmetric positive definite system, scaled to a unit diagonal so that players with
    very different numbers of games cause no loss of precision.

    :raises numpy.linalg.LinAlgError: the matrix is not positive definite.
    """
    diagonal = np.diag(matrix)
    if not np.all(diagonal > 0.0):
        raise np.linalg.LinAlgError("not positive definite")
    scale = 1.0 / np.sqrt(diagonal)
    scaled = matrix * scale[:, None] * scale[None, :]
    np.linalg.cholesky(scaled)  # raises if it is not positive definite
    # scipy would use the factor, but its import takes longer than most fits.
    solved = np.linalg.solve(scaled, (right.T * scale).T)
    return np.asarray((solved.T * scale).T, dtype=np.float64)
