"""Exact intervals and tests of shares, against SciPy's own."""

from __future__ import annotations

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


def test_mcnemar_is_the_binomial_test_of_scipy() -> None:
    for first, second in (0, 0), (1, 0), (3, 4), (0, 6), (11, 2), (40, 60):
        told = binomtest(first, first + second).pvalue if first + second else 1.0
        assert mcnemar(first, second) == pytest.approx(told), (first, second)
