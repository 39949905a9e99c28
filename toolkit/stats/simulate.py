"""Sequential tests played with random results, many at once, with the exact likelihood ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .elo import score_of_elo
from .errors import StatisticsError
from .outcome import Floats
from .sprt import ZERO_COUNT, SprtTest, hypotheses, support, t_of_nelo

CountArray = NDArray[np.int64]

_RUNS_AT_ONCE = 512
_BLOCK = 128
"""Results drawn at a time for each run."""
_FEW = 256
"""Units up to which the exact ratio is computed after each."""
_MARGIN = 0.4
_JUMPS = 4.0
"""Further on it is computed where its normal approximation, set right at the start of the block,
comes as near to a bound as the margin and so many of the largest jump of one result: the
correction moves less within a block."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """Outcomes of simulated tests, one entry a run."""

    passed: NDArray[np.bool_]
    """H1 was accepted."""
    failed: NDArray[np.bool_]
    """H0 was accepted; neither, where the limit came first."""
    counts: CountArray
    """Results at the stop, worst first; one row per run."""

    @property
    def units(self) -> CountArray:
        """Game pairs (games for trinomial tests) played in each run."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.int64)

    @property
    def pass_rate(self) -> float:
        """Share of runs that accepted H1."""
        return float(self.passed.mean())

    @property
    def mean_units(self) -> float:
        """Mean length of a run."""
        return float(self.units.mean())


def simulate_tests(
    test: SprtTest,
    distribution: Sequence[float],
    *,
    runs: int,
    seed: int,
    limit: int = 1_000_000,
) -> Simulated:
    """Play ``runs`` tests whose results come from ``distribution`` (worst first), each at most
    ``limit`` units long.

    :raises StatisticsError: a model that does not know the distribution, or hypotheses too far
        out for it.
    """
    random = np.random.default_rng(seed)
    ratios, counts = np.empty(runs), np.empty((runs, len(distribution)), dtype=np.int64)
    for begin in range(0, runs, _RUNS_AT_ONCE):
        part = slice(begin, min(begin + _RUNS_AT_ONCE, runs))
        counts[part], ratios[part] = _play(
            test, distribution, part.stop - part.start, random, limit
        )
    return Simulated(ratios >= test.upper, ratios <= test.lower, counts)


def llr_many(counts: NDArray[np.integer], test: SprtTest) -> Floats:
    """:func:`toolkit.stats.sprt.llr` of many rows of counts, to about 1e-8."""
    weights = np.where(counts > 0, counts, ZERO_COUNT).astype(np.float64)
    number = weights.sum(axis=1)
    p = weights / number[:, None]
    outcomes = counts.shape[1]
    a = np.array(support(outcomes))
    if test.model == "normalized":
        q0, q1 = (_with_t(p, a, t_of_nelo(elo, outcomes)) for elo in (test.elo0, test.elo1))
    else:
        q0, q1 = (_tilted(p, a - score[:, None]) for score in _scores(p, test))
    return np.asarray(number * np.sum(p * (np.log(q1) - np.log(q0)), axis=1), dtype=np.float64)


def _play(
    test: SprtTest,
    distribution: Sequence[float],
    runs: int,
    random: np.random.Generator,
    limit: int,
) -> tuple[CountArray, Floats]:
    """Counts and likelihood ratio at the stop of each run."""
    cumulative = np.cumsum(distribution)
    outcomes = len(distribution)
    counts = np.zeros((runs, outcomes), dtype=np.int64)
    ratios = np.zeros(runs)
    q0, q1 = hypotheses(distribution, test)
    largest = max(abs(math.log(b / a)) for a, b in zip(q0, q1, strict=True))
    margin = _MARGIN + _JUMPS * largest
    running = np.arange(runs)
    played = 0
    while running.size and played < limit:
        length = min(_BLOCK, limit - played)
        draws = np.searchsorted(
            cumulative, random.random((running.size, length)) * cumulative[-1], side="right"
        )
        seen = np.stack([np.cumsum(draws == k, axis=1) for k in range(outcomes)], axis=2)
        seen += counts[running, None, :]
        ratio = _ratios(seen, test, margin if played >= _FEW else None)
        over = (ratio >= test.upper) | (ratio <= test.lower)
        stop = np.where(over.any(axis=1), over.argmax(axis=1), length - 1)
        rows = np.arange(running.size)
        counts[running], ratios[running] = seen[rows, stop], ratio[rows, stop]
        running = running[~over.any(axis=1)]
        played += length
    return counts, ratios


def _ratios(seen: CountArray, test: SprtTest, margin: float | None) -> Floats:
    """Likelihood ratio of each run (row) after each result (column): exact within the margin of a
    bound and at the end, 0 if no bound is near; without a margin all are exact."""
    near = np.ones(seen.shape[:2], dtype=np.bool_)
    result = np.zeros(seen.shape[:2])
    if margin is not None:
        quick = _normal_ratio(seen, test)
        quick += (llr_many(seen[:, 0], test) - quick[:, 0])[:, None]
        near = (quick >= test.upper - margin) | (quick <= test.lower + margin)
        near[:, -1] = True
    result[near] = llr_many(seen[near], test)
    return result


def _normal_ratio(seen: CountArray, test: SprtTest) -> Floats:
    """The ratio as if scores were normal, from their mean and variance."""
    outcomes = seen.shape[2]
    a = np.array(support(outcomes))
    number = seen.sum(axis=2)
    mean = seen @ a / number
    variance = np.maximum(seen @ (a * a) / number - mean * mean, 1e-12)
    if test.model == "normalized":
        t0, t1 = (t_of_nelo(elo, outcomes) for elo in (test.elo0, test.elo1))
        t = (mean - 0.5) / np.sqrt(variance)
        odds = (1.0 + (t - t0) ** 2) / (1.0 + (t - t1) ** 2)
    else:
        p = np.maximum(seen, ZERO_COUNT) / np.maximum(seen, ZERO_COUNT).sum(axis=2, keepdims=True)
        s0, s1 = _scores(p, test)
        odds = (variance + (mean - s0) ** 2) / (variance + (mean - s1) ** 2)
    return np.asarray(number / 2.0 * np.log(odds), dtype=np.float64)


def _scores(p: Floats, test: SprtTest) -> tuple[Floats, Floats]:
    """Mean scores under H0 and H1 of the logistic or the bayesian model, for distributions along
    the last axis: :func:`toolkit.stats.sprt.score_bounds` of many."""
    elos = (test.elo0, test.elo1)
    if test.model == "logistic":
        s0, s1 = (np.full(p.shape[:-1], score_of_elo(elo)) for elo in elos)
        return s0, s1
    loss, draw, win = p[..., 0], p[..., 1], p[..., 2]
    odds = (draw + win) / loss * (loss + draw) / win  # 10^(draw_elo/200)
    s0, s1 = (_bayes_scores(elo, np.sqrt(odds)) for elo in elos)
    return s0, s1


def _bayes_scores(elo: float, strength: Floats) -> Floats:
    """:func:`toolkit.stats.sprt.score_of_bayes_elo` of draw parameters, as 10^(draw_elo/400)."""
    lead = math.pow(10.0, elo / 400.0)
    win, loss = 1.0 / (1.0 + strength / lead), 1.0 / (1.0 + strength * lead)
    return np.asarray((1.0 + win - loss) / 2.0, dtype=np.float64)


def _with_t(p: Floats, a: Floats, t: float) -> Floats:
    """Rows of :func:`toolkit.stats.sprt.most_likely_with_t`."""
    q = np.full_like(p, 1.0 / p.shape[1])
    rows = np.arange(p.shape[0])
    for _ in range(200):
        last = q[rows]
        mean = last @ a
        sigma = np.sqrt(np.maximum(last @ (a * a) - mean * mean, 1e-300))
        away = (a - mean[:, None]) / sigma[:, None]
        slope = a - 0.5 - (t / 2.0) * sigma[:, None] * (1.0 + away * away)
        if np.any(slope.min(axis=1) >= 0.0) or np.any(slope.max(axis=1) <= 0.0):
            raise StatisticsError("the hypotheses are too far out for the simulation")
        q[rows] = _tilted(p[rows], slope)
        rows = rows[np.abs(q[rows] - last).max(axis=1) >= 1e-11]
        if not rows.size:
            break
    return q


def _tilted(p: Floats, slope: Floats) -> Floats:
    """Rows of the tilt in :mod:`toolkit.stats.sprt`, solved in the same way."""
    low, high = slope.min(axis=1), slope.max(axis=1)
    up = np.sum(p * slope, axis=1) < 0.0
    steep, other = np.where(up, high, low), np.where(up, low, high)
    at_pole = 1.0 - slope / steep[:, None]
    end, poles = 1.0 / steep, 1.0 / steep - 1.0 / other
    inner, outer = np.zeros_like(end), end.copy()
    x = end / 2.0
    for _ in range(200):
        parts = slope / (at_pole + x[:, None] * slope)
        weighted = p * parts
        value, fall = weighted.sum(axis=1), np.sum(weighted * parts, axis=1)
        past = (value > 0.0) == up
        inner, outer = np.where(past, x, inner), np.where(past, outer, x)
        flat = x * (poles - x)
        step = x - flat * value / ((poles - 2.0 * x) * value - flat * fall)
        # At the root a step is rounding, and may fall on either side of the bracket's end.
        there = np.abs(step - x) <= 1e-12 * np.abs(x)
        within = there | ((step - inner) * (step - outer) < 0.0)
        x = np.where(within, step, (inner + outer) / 2.0)
        if there.all():
            break
    return np.asarray(p / (at_pole + x[:, None] * slope), dtype=np.float64)
