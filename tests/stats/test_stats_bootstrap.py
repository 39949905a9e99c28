"""The interval of a mean by resampling is close to Student's, and covers the mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toolkit.stats.bootstrap import mean_interval


def test_interval_is_close_to_student() -> None:
    values = np.random.default_rng(1).normal(0.3, 2.0, 60)
    found = mean_interval(list(values), size=4000, seed=2)
    assert found is not None
    half = 2.0 * values.std(ddof=1) / math.sqrt(60)
    assert found[0] == pytest.approx(values.mean() - half, abs=0.08)
    assert found[1] == pytest.approx(values.mean() + half, abs=0.08)


def test_interval_covers_mean() -> None:
    random = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        interval = mean_interval(list(random.exponential(1.0, 40)), size=500, seed=4)
        assert interval is not None
        held += interval[0] <= 1.0 <= interval[1]
    assert 0.89 <= held / 400 <= 0.98


def test_resamples_depend_on_seed_only() -> None:
    values = [0.5, 1.5, -2.0, 4.0]
    one = mean_interval(values, size=300, seed=5)
    more = mean_interval([value + 1.0 for value in values], size=300, seed=5)
    assert one is not None and more is not None
    assert more == pytest.approx((one[0] + 1.0, one[1] + 1.0))


def test_few_or_equal_values() -> None:
    assert mean_interval([], size=10, seed=1) is None
    assert mean_interval([3.0], size=10, seed=1) is None
    assert mean_interval([3.0, 3.0], size=10, seed=1) == (3.0, 3.0)
