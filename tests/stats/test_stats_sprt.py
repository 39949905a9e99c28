"""The likelihood ratio follows its definition and symmetries, and refuses bad settings."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from toolkit.stats.errors import StatisticsError
from toolkit.stats.sprt import (
    SprtTest,
    llr,
    mean_and_variance,
    most_likely_with_mean,
    most_likely_with_t,
    sprt_status,
)

Failing = Callable[..., list[str]]

COUNTS = st.lists(st.integers(0, 5000), min_size=5, max_size=5)
MODELS = ("normalized", "logistic")


def constrained(p: list[float], t: float | None, mean: float) -> float:
    """Largest Σ p·ln q under the condition, by a general maximiser."""
    a = np.arange(len(p)) / (len(p) - 1)

    def off(q: np.ndarray) -> float:
        mu = float(q @ a)
        if t is None:
            return mu - mean
        return mu - 0.5 - t * math.sqrt(float(q @ (a - mu) ** 2))

    start = np.array(most_likely_with_mean(p, mean if t is None else 0.5 + 0.2 * t))
    found = minimize(
        lambda q: -float(np.array(p) @ np.log(q)),
        start,
        bounds=[(1e-9, 1.0)] * len(p),
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1.0},
            {"type": "eq", "fun": off},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return -float(found.fun)


def value(p: list[float], q: list[float]) -> float:
    return sum(x * math.log(y) for x, y in zip(p, q, strict=True))


@pytest.mark.parametrize("t", [-0.3, 0.02, 0.4])
def test_normalized_distribution_is_most_likely(t: float) -> None:
    p = [0.05, 0.2, 0.45, 0.22, 0.08]
    q = most_likely_with_t(p, t)
    mean, variance = mean_and_variance(q)
    assert sum(q) == pytest.approx(1.0, abs=1e-12)
    assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(t, abs=1e-12)
    assert value(p, q) == pytest.approx(constrained(p, t, 0.5), abs=1e-8)


def test_logistic_distribution_is_most_likely() -> None:
    p = [0.05, 0.2, 0.45, 0.22, 0.08]
    q = most_likely_with_mean(p, 0.6)
    assert mean_and_variance(q)[0] == pytest.approx(0.6, abs=1e-12)
    assert value(p, q) == pytest.approx(constrained(p, None, 0.6), abs=1e-8)


@given(COUNTS, st.sampled_from(MODELS), st.floats(-20, 20), st.floats(0.5, 20))
@settings(max_examples=30)
def test_swapped_players_and_hypotheses_negate_ratio(
    counts: list[int], model: str, elo0: float, width: float
) -> None:
    one = llr(counts, SprtTest(elo0, elo0 + width, model=model))
    other = llr(counts[::-1], SprtTest(-elo0 - width, -elo0, model=model))
    assert math.isfinite(one)
    assert other == pytest.approx(-one, rel=1e-7, abs=1e-9)


@given(COUNTS, st.sampled_from(MODELS), st.integers(2, 50))
@settings(max_examples=20)
def test_ratio_grows_with_games(counts: list[int], model: str, times: int) -> None:
    counts = [count + 1 for count in counts]
    test = SprtTest(0.0, 5.0, model=model)
    assert llr([times * n for n in counts], test) == pytest.approx(times * llr(counts, test))


@given(COUNTS, st.sampled_from(MODELS))
@settings(max_examples=20)
def test_better_pair_raises_ratio(counts: list[int], model: str) -> None:
    test = SprtTest(0.0, 5.0, model=model)
    counts = [count + 5 for count in counts]
    better = [*counts[:1], counts[1] - 1, counts[2], counts[3] + 1, counts[4]]
    assert llr(better, test) > llr(counts, test)


def test_lopsided_results_converge() -> None:
    """The closed form of normalized Elo says 0.13 here."""
    assert llr([0, 0, 4250], SprtTest(0.0, 10.0)) == pytest.approx(120.548, abs=1e-3)


def test_bounds_and_verdicts() -> None:
    test = SprtTest(0.0, 10.0, alpha=0.05, beta=0.1)
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    assert test.decide(test.upper) == "H1"
    assert test.decide(test.lower) == "H0"
    assert test.decide(0.0) == "continue"


def test_status_has_ratio_and_verdict() -> None:
    status = sprt_status([10, 120, 300, 160, 22], SprtTest(0.0, 10.0, model="logistic"))
    assert status.verdict == "H1" and status.llr > status.upper


def test_no_result_gives_no_ratio() -> None:
    for model in MODELS:
        assert llr([0] * 5, SprtTest(0.0, 5.0, model=model)) == 0.0
    assert llr([0] * 3, SprtTest(0.0, 5.0, model="bayesian")) == 0.0


def test_bayesian_model_needs_games() -> None:
    test = SprtTest(0.0, 5.0, model="bayesian")
    with pytest.raises(StatisticsError, match="trinomial"):
        llr([1, 2, 3, 2, 1], test)
    assert math.isfinite(llr([0, 5, 5], test))


def test_far_hypotheses_are_reached() -> None:
    assert math.isfinite(llr([1, 5, 20, 9, 3], SprtTest(300.0, 500.0)))


def test_invalid_tests_are_refused(failing: Failing) -> None:
    def check(arguments: tuple) -> None:
        with pytest.raises(StatisticsError):
            SprtTest(*arguments)

    assert not failing(
        check,
        zip(
            [
                (5.0, 0.0),
                (5.0, 5.0),
                (0.0, 5.0, 0.0, 0.05),
                (0.0, 5.0, 0.05, 1.0),
                (0.0, 5.0, 0.6, 0.5),
                (math.nan, 5.0),
                (0.0, math.inf),
                (0.0, 4001.0),
                (-1e300, 0.0),
                (0.0, 5.0, 0.05, 0.05, "elo"),
            ]
        ),
    )
