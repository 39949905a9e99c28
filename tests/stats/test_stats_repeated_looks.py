"""The boundary of repeated looks holds in simulated random walks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from toolkit.stats.repeated_looks import critical_value, crossing_probability

Failing = Callable[..., list[str]]


def test_one_look_is_single_test() -> None:
    assert critical_value(0.05, 1, 1.0) == pytest.approx(1.959964, abs=1e-5)
    assert critical_value(0.01, 1, 1.0) == pytest.approx(2.575829, abs=1e-5)


def test_more_looks_need_higher_value() -> None:
    values = [critical_value(0.05, looks, float(looks)) for looks in (1, 2, 5, 20, 100, 1000)]
    assert values == sorted(values) and len(set(values)) == len(values)


def test_value_is_not_below_pocock_boundary(failing: Failing) -> None:
    """S. Pocock, Biometrika 64 (1977); here looks may be at any moment, so more is needed."""

    def check(looks: int, pocock: float) -> None:
        value = critical_value(0.05, looks, float(looks))
        assert pocock <= value <= pocock + 0.4

    assert not failing(check, [(2, 2.178), (5, 2.413), (10, 2.555), (20, 2.672)])


@pytest.mark.parametrize(("z", "steps"), [(2.5, 200), (3.0, 1000)])
def test_probability_agrees_with_random_walks(z: float, steps: int) -> None:
    rng = np.random.default_rng(5)
    first = steps // 40
    times = np.arange(1, steps + 1)
    crossed = np.zeros(0, dtype=bool)
    for _ in range(8):
        walks = rng.normal(size=(1000, steps)).cumsum(axis=1) / np.sqrt(times)
        crossed = np.append(crossed, (np.abs(walks[:, first - 1 :]) > z).any(axis=1))
    bound = crossing_probability(z, steps, steps / first)
    # Steps miss some of the crossings of a motion, and never add any.
    assert 0.6 * bound < crossed.mean() <= bound
