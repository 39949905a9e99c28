"""Bets on the mean score are fair under the null, so their interval is valid at any look."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from toolkit.stats.anytime import anytime_interval, log_capital
from toolkit.stats.elo import elo_of_score
from toolkit.stats.errors import StatisticsError

VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
PAIRS = 5
DRAWISH, EVEN, LOPSIDED = (
    *((0.02, 0.08, 0.8, 0.08, 0.02), (0.2, 0.2, 0.2, 0.2, 0.2), (0.0, 0.1, 0.2, 0.3, 0.4)),
)


def counts_of(results: tuple[int, ...]) -> list[int]:
    return [results.count(one) for one in range(5)]


@pytest.mark.parametrize("chances", [DRAWISH, EVEN, LOPSIDED])
def test_capital_is_a_martingale_at_the_mean(chances: tuple[float, ...]) -> None:
    """Over all sequences of results, the capital after the next pair is what it was before."""
    mean = sum(p * v for p, v in zip(chances, VALUES, strict=True))
    for results in itertools.combinations_with_replacement(range(5), PAIRS):
        now = math.exp(log_capital(counts_of(results), mean))
        later = sum(
            p * math.exp(log_capital(counts_of((*results, one)), mean))
            for one, p in enumerate(chances)
        )
        assert later == pytest.approx(now, rel=1e-9)


def test_capital_starts_at_one_and_loses_below_its_mean() -> None:
    assert log_capital([0, 0, 0, 0, 0], 0.5) == pytest.approx(0.0, abs=1e-12)
    grown = sum(p * math.exp(log_capital(counts_of((one,)), 0.55)) for one, p in enumerate(DRAWISH))
    assert grown < 1.0


def test_interval_holds_at_all_looks_together() -> None:
    """2,000 runs of up to 400 pairs, looked at after each eighth: the share that ever excludes
    the truth is at most 5 %, up to three standard errors."""
    rng = np.random.default_rng(35)
    for chances in (DRAWISH, EVEN, LOPSIDED):
        mean = float(np.dot(chances, VALUES))
        drawn = rng.choice(5, size=(2000, 400), p=chances)
        every = (drawn[:, :, np.newaxis] == np.arange(5)).cumsum(axis=1, dtype=np.int16)
        out = np.zeros(2000, dtype=bool)
        for looks in range(4, 400, 8):
            counts = every[:, looks - 1].astype(np.int64)
            above, below = log_capital(counts, mean), log_capital(counts[:, ::-1], 1.0 - mean)
            out |= np.maximum(above, below) >= math.log(2 / 0.05)
        assert out.mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)


def test_interval_mirrors_and_shrinks() -> None:
    for counts in ([0, 0, 1, 0, 0], [1, 3, 8, 4, 1], [5, 30, 80, 40, 8], [0, 0, 0, 0, 9]):
        one, other = anytime_interval(counts), anytime_interval(counts[::-1])
        assert (one.low, one.high) == pytest.approx((1.0 - other.high, 1.0 - other.low))
        mean = sum(n * v for n, v in zip(counts, VALUES, strict=True)) / sum(counts)
        assert 0.0 <= one.low <= mean <= one.high <= 1.0
        tenfold = anytime_interval([10 * n for n in counts])
        assert one.low < tenfold.low and tenfold.high <= one.high
        strict = anytime_interval(counts, alpha=0.001)
        assert strict.low < one.low


def test_ends_are_where_the_capital_reaches_the_limit() -> None:
    counts = [5, 30, 80, 40, 8]
    interval = anytime_interval(counts)
    assert log_capital(counts, interval.low) == pytest.approx(math.log(40), abs=1e-6)
    assert log_capital(counts[::-1], 1.0 - interval.high) == pytest.approx(math.log(40), abs=1e-6)
    assert interval.elo_low == elo_of_score(interval.low)
    assert interval.elo_error(20.0) == (interval.elo_high - interval.elo_low) / 2  # type: ignore[operator]


def test_without_pairs_nothing_is_known() -> None:
    nothing = anytime_interval([0, 0, 0, 0, 0])
    assert (nothing.low, nothing.high, nothing.elo_low, nothing.elo_high) == (0.0, 1.0, None, None)
    perfect = anytime_interval([0, 0, 0, 0, 50])
    assert perfect.elo_high is None and perfect.elo_low is not None
    assert perfect.elo_error(800.0) == 800.0 - perfect.elo_low
    with pytest.raises(StatisticsError):
        anytime_interval([1, 2])
