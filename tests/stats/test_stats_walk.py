"""The walk between two bounds equals gambler's ruin and simulated walks."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.stats.walk import walk_ending


@pytest.mark.parametrize("win", [0.3, 0.45, 0.6])
def test_equal_steps_agree_with_gamblers_ruin(win: float) -> None:
    ending = walk_ending([-1.0, 1.0], [1.0 - win, win], low=-1.5, high=3.5)
    ratio = (1.0 - win) / win
    upper = (1.0 - ratio**2) / (1.0 - ratio**6)
    assert ending.upper == pytest.approx(upper, abs=1e-6)
    assert ending.lower == pytest.approx(1.0 - upper, abs=1e-6)
    assert ending.mean_steps == pytest.approx((6.0 * upper - 2.0) / (2.0 * win - 1.0), abs=1e-4)


def test_limit_leaves_walks_unended() -> None:
    ending = walk_ending([-1.0, 1.0], [0.5, 0.5], low=-2.5, high=2.5, limit=3)
    assert (ending.upper, ending.lower) == pytest.approx((0.125, 0.125))
    assert (ending.mean_steps, ending.steps95) == pytest.approx((3.0, 3.0))


def test_steps_beyond_both_bounds_end_at_once() -> None:
    ending = walk_ending([-50.0, 0.0, 50.0], [0.2, 0.5, 0.3], low=-3.0, high=3.0)
    assert (ending.upper, ending.lower) == pytest.approx((0.6, 0.4), abs=1e-6)
    assert ending.mean_steps == pytest.approx(2.0, abs=1e-5)
    assert ending.steps95 == 5.0


def test_unequal_steps_agree_with_simulation() -> None:
    jumps, chances = np.array([-0.83, -0.31, 0.02, 0.4, 0.71]), [0.1, 0.25, 0.3, 0.25, 0.1]
    random = np.random.default_rng(8)
    places = np.cumsum(random.choice(jumps, p=chances, size=(10_000, 400)), axis=1)
    over, under = places >= 2.2, places <= -2.9
    first_over = np.where(over.any(axis=1), over.argmax(axis=1), 999)
    first_under = np.where(under.any(axis=1), under.argmax(axis=1), 999)
    ending = walk_ending(list(jumps), chances, low=-2.9, high=2.2)
    ends = np.minimum(first_over, first_under) + 1
    assert ending.upper == pytest.approx(float((first_over < first_under).mean()), abs=0.014)
    assert ending.mean_steps == pytest.approx(float(ends.mean()), rel=0.03)
    assert ending.steps95 == pytest.approx(float(np.quantile(ends, 0.95)), abs=2.0)
