"""The posterior of every point after noisy trials: a Gaussian process over the space.

The strength of a point over the base, as worth (``toolkit.tuning.models.worth``), is modelled as
m + s(x) + r(x). s is a smooth function (Matérn 5/2, one length scale for each parameter), r an
independent deviation of each point (roughness), and m <= 0 a mean level: far from the measured
points, no point is expected to be better than the base. The worth of the base is known to be 0. The
error variance of a trial's mean is the pair variance divided by its pairs, so a trial of few pairs
has little influence.

Length scales, variances and the level maximise the marginal likelihood times their priors
(Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, chapter 5; the prior of
the length scales, which grow with √dimensions, is that of Hvarfner et al., ICML 2024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from toolkit.stats.elo import normal_cdf
from toolkit.stats.outcome import Floats
from toolkit.tuning.models.final_choice import Candidate
from toolkit.tuning.models.worth import MeasuredPoint, distinct, pair_variance
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

LEARNT_POINTS = 120
"""Points from which lengths and sizes are learnt, evenly taken over the trials, the more measured
ones first; the posterior itself uses all of them, up to the next figure."""
MOST_POINTS = 1500
"""Distinct points that the posterior uses; of more, those of the most pairs, the latest first."""
SIZE = 0.05
"""Prior median of the standard deviation of s: 35 Elo, or 5 % of effort."""
ROUGHNESS = 0.01
"""Prior median of the standard deviation of r: 7 Elo."""
LEVEL = 0.05
"""Prior standard deviation of the level m."""
STEPS = 25
"""Most steps of the search for lengths and sizes."""
EXACT = 1e-10
"""Variance of exactly known values, such as the base's."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """Mean and standard deviation of the worth of some points."""

    mean: Floats
    sd: Floats


@dataclass(frozen=True, slots=True)
class _Scales:
    """Hyperparameters: squared sizes of s and r, a length for each dimension, the level."""

    smooth: float
    rough: float
    lengths: Floats
    level: float


class Surrogate:
    """The posterior of a space after some trials."""

    def __init__(
        self, space: Space, points: Floats, values: Floats, noise: Floats, scales: _Scales
    ) -> None:
        self._space = space
        self._points = points
        self._scales = scales
        covariance = _covariance(points, points, scales) + np.diag(noise)
        self._factor = np.linalg.cholesky(covariance)
        self._weights = cho_solve((self._factor, True), values - scales.level)

    def predict(self, points: Sequence[Point]) -> Posterior:
        """Worth of points over the base. Both arrays are empty for no points."""
        at = _encoded(self._space, points)
        across = _covariance(at, self._points, self._scales)
        mean = self._scales.level + across @ self._weights
        reduced = solve_triangular(self._factor, across.T, lower=True)
        own = self._scales.smooth + self._scales.rough
        variance = own - np.einsum("ij,ij->j", reduced, reduced)
        return Posterior(mean, np.sqrt(np.maximum(variance, 0.0)))

    def better(self, point: Point, other: Point) -> float:
        """Probability that ``point`` is stronger than ``other``; ½ for one and the same."""
        at = _encoded(self._space, [point, other])
        across = _covariance(at, self._points, self._scales)
        mean = across @ self._weights
        reduced = solve_triangular(self._factor, across.T, lower=True)
        covariance = _covariance(at, at, self._scales) - reduced.T @ reduced
        variance = covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]
        if variance <= EXACT:
            return 0.5
        return normal_cdf(float(mean[0] - mean[1]) / math.sqrt(variance))


def fit(
    space: Space, base: Point, measured: Sequence[MeasuredPoint], *, variance: float | None = None
) -> Surrogate:
    """The posterior after ``measured``, any number of trials, some of which may be of one point.
    What two of them found in the same pairs counts once.

    ``variance`` is that of one pair; None: pooled from the trials themselves.
    """
    measured = distinct(measured)
    noise_of_pair = pair_variance(measured) if variance is None else variance
    points, values, noise = _merged(space, base, measured, max(noise_of_pair, EXACT))
    scales = _learnt(space, points, values, noise)
    return Surrogate(space, points, values, noise, scales)


def posterior(
    space: Space, base: Point, measured: Sequence[MeasuredPoint], at: Sequence[Point]
) -> Posterior:
    """Worth over the base of the points ``at`` after ``measured``."""
    return fit(space, base, measured).predict(at)


def leading(
    surrogate: Surrogate, measured: Sequence[MeasuredPoint], base: Point, number: int = 8
) -> tuple[Candidate, ...]:
    """The ``number`` − 1 distinct measured points of the best posterior mean, best first.

    The base, which is always one of the leading points, is not among them.
    """
    distinct = {_key(one.point): one.point for one in measured if one.pairs}
    distinct.pop(_key(base), None)
    points = list(distinct.values())
    found = surrogate.predict(points)
    order = np.argsort(-found.mean, kind="stable")[: number - 1]
    return tuple(Candidate(points[i], float(found.mean[i]), float(found.sd[i])) for i in order)


def _key(point: Point) -> tuple[tuple[str, object], ...]:
    """What two equal points share, whatever the order of their names."""
    return tuple(sorted(point.items()))


def _encoded(space: Space, points: Sequence[Point]) -> Floats:
    """Points as rows: ordered parameters in unit coordinates, choices as one-hot columns.

    A parameter that is inactive in a point is set to the middle of its range, or has no choice set,
    so that two points in which it is inactive do not differ by it.
    """
    rows = np.empty((len(points), sum(_widths(space))))
    for row, point in zip(rows, points, strict=True):
        column = 0
        for dimension in space.dimensions:
            value = point.get(dimension.name)
            if dimension.ordered:
                row[column] = 0.5 if value is None else dimension.to_unit(value)
                column += 1
                continue
            for choice in dimension.choices:
                # Two different choices are a distance of 1 apart.
                row[column] = math.sqrt(0.5) if value is not None and value == choice else 0.0
                column += 1
    return rows


def _widths(space: Space) -> list[int]:
    """Columns of each dimension."""
    return [1 if one.ordered else len(one.choices) for one in space.dimensions]


def _merged(
    space: Space, base: Point, measured: Sequence[MeasuredPoint], variance: float
) -> tuple[Floats, Floats, Floats]:
    """Distinct points, the base first, with their means and the variances of these."""
    totals: dict[tuple[tuple[str, object], ...], list[float]] = {}
    points: dict[tuple[tuple[str, object], ...], Point] = {}
    for one in measured:
        key = _key(one.point)
        if one.pairs and key != _key(base):
            total = totals.pop(key, [0.0, 0.0])  # put in anew: the latest come last
            totals[key] = [total[0] + one.pairs, total[1] + one.pairs * one.mean]
            points[key] = one.point
    keys = list(totals)
    if len(keys) >= MOST_POINTS:
        latest = sorted(range(len(keys)), key=lambda i: (-totals[keys[i]][0], -i))
        keys = [keys[i] for i in sorted(latest[: MOST_POINTS - 1])]
    encoded = _encoded(space, [base, *(points[key] for key in keys)])
    values = np.array([0.0, *(totals[key][1] / totals[key][0] for key in keys)])
    noise = np.array([EXACT, *(variance / totals[key][0] for key in keys)])
    return encoded, values, noise


def _matern(squared: Floats) -> Floats:
    """Matérn 5/2 of squared distances in lengths."""
    distance = np.sqrt(5.0 * squared)
    result: Floats = (1.0 + distance + distance * distance / 3.0) * np.exp(-distance)
    return result


def _covariance(left: Floats, right: Floats, scales: _Scales) -> Floats:
    """Prior covariance of m + s + r between rows; r is shared by equal rows alone."""
    a, b = left / scales.lengths, right / scales.lengths
    squared = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2.0 * (a @ b.T)
    squared = np.maximum(squared, 0.0)
    result: Floats = scales.smooth * _matern(squared) + scales.rough * (squared < 1e-12)
    return result


def _inverse(factor: NDArray[np.floating[Any]]) -> Floats:
    """The inverse of the matrix whose lower Cholesky factor this is."""
    lower: Floats = np.tril(dpotri(factor, lower=1)[0])
    return lower + np.tril(lower, -1).T


def _learnt(space: Space, points: Floats, values: Floats, noise: Floats) -> _Scales:
    """Hyperparameters of the greatest posterior density."""
    widths = np.array(_widths(space))
    chosen = _chosen(noise)
    rows, values, noise = points[chosen], values[chosen], noise[chosen]
    ends = np.cumsum(widths)
    gaps = np.empty((len(widths), len(rows), len(rows)))
    for k, (width, end) in enumerate(zip(widths, ends, strict=True)):
        part = rows[:, end - width : end]
        gaps[k] = ((part[:, None, :] - part[None, :, :]) ** 2).sum(2)
    problem = _Evidence(gaps, values, noise)
    start = problem.prior_mean
    found = minimize(
        problem,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(one - 4.0, one + 4.0) for one in start],
        options={"maxiter": STEPS},
    )
    smooth, rough, *lengths = np.exp(found.x)
    return _Scales(
        smooth**2, rough**2, np.repeat(np.array(lengths), widths), problem.level_of(found.x)
    )


def _chosen(noise: Floats) -> NDArray[np.intp]:
    """Places of the points to learn from: the base, and the best measured of every stretch."""
    if len(noise) <= LEARNT_POINTS:
        return np.arange(len(noise))
    stretches = np.array_split(np.arange(1, len(noise)), LEARNT_POINTS - 1)
    return np.array([0, *(part[np.argmin(noise[part])] for part in stretches)])


class _Evidence:
    """Negative log of marginal likelihood times priors, with its gradient, in log scales."""

    def __init__(self, gaps: Floats, values: Floats, noise: Floats) -> None:
        self._gaps = gaps
        self._values = values
        self._noise = noise
        dimensions = len(gaps)
        length = math.log(math.sqrt(dimensions)) + 0.3
        self.prior_mean = np.array([math.log(SIZE), math.log(ROUGHNESS)] + [length] * dimensions)
        self._prior_sd = np.array([1.0, 1.0] + [1.0] * dimensions)

    def _parts(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Covariance of s, squared distances in lengths, inverse of the whole covariance."""
        weights = np.exp(-2.0 * at[2:])
        squared = np.tensordot(weights, self._gaps, axes=1)
        smooth = math.exp(2.0 * at[0]) * _matern(squared)
        whole = smooth.copy()
        whole[np.diag_indices_from(whole)] += self._noise + math.exp(2.0 * at[1])
        return smooth, squared, whole

    def _level(self, inverse: Floats) -> float:
        """The likeliest level, which is not above the base."""
        ones = inverse.sum(1)
        return min(0.0, float(ones @ self._values) / (float(ones.sum()) + LEVEL**-2))

    def level_of(self, at: Floats) -> float:
        """The level that goes with the scales ``at``."""
        whole = self._parts(at)[2]
        return self._level(_inverse(np.linalg.cholesky(whole)))

    def __call__(self, at: Floats) -> tuple[float, Floats]:
        smooth, squared, whole = self._parts(at)
        factor = np.linalg.cholesky(whole)
        inverse = _inverse(factor)
        level = self._level(inverse)
        rest = self._values - level
        solved = inverse @ rest
        off = (at - self.prior_mean) / self._prior_sd
        value = 0.5 * float(rest @ solved) + float(np.log(np.diag(factor)).sum())
        value += 0.5 * (level / LEVEL) ** 2 + 0.5 * float(off @ off)
        # d value / d covariance, then the chain rule; the level is at its optimum.
        slope = 0.5 * (inverse - np.outer(solved, solved))
        gradient = off / self._prior_sd
        gradient[0] += 2.0 * float((slope * smooth).sum())
        gradient[1] += 2.0 * math.exp(2.0 * at[1]) * float(np.trace(slope))
        # d Matérn / d squared distance = −5/6·(1 + √5 d)·exp(−√5 d).
        distance = np.sqrt(5.0 * squared)
        size = math.exp(2.0 * at[0])
        inner = slope * (-5.0 / 6.0 * size * (1.0 + distance) * np.exp(-distance))
        pulls = np.tensordot(self._gaps, inner, axes=2)
        gradient[2:] += pulls * -2.0 * np.exp(-2.0 * at[2:])
        return value, gradient
