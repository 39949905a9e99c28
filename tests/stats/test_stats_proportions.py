"""Exact intervals and tests of shares, against SciPy's own."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom, binomtest

from toolkit.stats.proportions import clopper_pearson, mcnemar


def test_clopper_pearson_is_the_exact_interval_of_scipy() -> None:
    for trials in (1, 2, 24, 200):
        for successes in {0, 1, trials // 3, trials - 1, trials}:
            told = binomtest(successes, trials).proportion_ci(method="exact")
            assert clopper_pearson(successes, trials) == pytest.approx((told.low, told.high)), (
                successes,
                trials,
            )


def test_clopper_pearson_covers_at_least_its_level() -> None:
    trials = 24
    for share in (0.02, 0.3, 0.5, 0.77, 0.99):
        covered = sum(
            binom.pmf(successes, trials, share)
            for successes in range(trials + 1)
            if clopper_pearson(successes, trials)[0]
            <= share
            <= clopper_pearson(successes, trials)[1]
        )
        assert covered >= 0.95, share


def test_each_end_leaves_half_of_the_chance() -> None:
    def at_least(hits: int, n: int, share: float) -> float:
        """The chance of so many hits or more."""
        return math.fsum(
            math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(hits, n + 1)
        )

    for hits, n in (0, 1), (0, 40), (1, 12), (6, 12), (39, 40), (40, 40):
        for chance in (0.05, 0.025):
            low, high = clopper_pearson(hits, n, chance)
            assert 0 <= low <= hits / n <= high <= 1, (hits, n)
            below = at_least(hits, n, low) if hits else chance / 2
            above = 1 - at_least(hits + 1, n, high) if hits < n else chance / 2
            assert (below, above) == pytest.approx((chance / 2, chance / 2)), (hits, n)
            assert (low == 0, high == 1) == (hits == 0, hits == n), (hits, n)


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_invalid_shares_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="not a share"):
        clopper_pearson(hits, n)


def test_mcnemar_is_the_binomial_test_of_scipy() -> None:
    for first, second in (0, 0), (1, 0), (3, 4), (0, 6), (11, 2), (40, 60):
        told = binomtest(first, first + second).pvalue if first + second else 1.0
        assert mcnemar(first, second) == pytest.approx(told), (first, second)
