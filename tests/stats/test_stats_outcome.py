"""The draw model satisfies its equations, limits and derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from toolkit.stats.outcome import likelihood_terms, outcomes

Failing = Callable[..., list[str]]

X = np.array([-9.0, -3.0, -1.0, -0.3, -1e-3, 0.01, 0.5, 2.0, 8.0, 30.0])
RATES = (0.01, 0.3, 0.5, 0.7, 0.99, 0.999)


def theta_of(rate: float) -> float:
    return math.log(rate / (1.0 - rate))


def test_model_equations_hold(failing: Failing) -> None:
    def check(rate: float) -> None:
        win, draw, loss = outcomes(X, theta_of(rate)).probability
        score = 1.0 / (1.0 + np.exp(-X))
        assert win + draw / 2.0 == pytest.approx(score, rel=1e-12)
        assert win + draw + loss == pytest.approx(np.ones_like(X), rel=1e-13)
        factor = (2.0 * rate / (1.0 - rate)) ** 2
        assert draw**2 == pytest.approx(factor * win * loss, rel=1e-8)

    assert not failing(check, zip(RATES))


def test_equal_players_draw_at_rate(failing: Failing) -> None:
    def check(rate: float) -> None:
        assert outcomes(np.zeros(1), theta_of(rate)).probability[1, 0] == pytest.approx(rate)

    assert not failing(check, zip(RATES))


def test_model_without_draws_is_logistic() -> None:
    win, draw, loss = outcomes(X, None).probability
    assert win == pytest.approx(1.0 / (1.0 + np.exp(-X)))
    assert not draw.any()
    limit = outcomes(X, theta_of(1e-9)).probability
    assert limit == pytest.approx(np.stack([win, draw, loss]), abs=1e-8)


def test_far_differences_stay_finite() -> None:
    far = np.array([-5000.0, -800.0, 800.0, 5000.0])
    for theta in (None, -20.0, 0.0, 9.0):
        model = outcomes(far, theta)
        for table in (model.probability, model.by_x, model.by_theta):
            assert np.isfinite(table).all()


def test_derivatives_match_likelihood(failing: Failing) -> None:
    def check(rate: float | None) -> None:
        theta = None if rate is None else theta_of(rate)
        counts = np.random.default_rng(1).integers(1, 6, (3, X.size)).astype(np.float64)
        if theta is None:
            counts[1] = 0.0
        h = 1e-6
        here = likelihood_terms(X, theta, counts)
        up, down = likelihood_terms(X + h, theta, counts), likelihood_terms(X - h, theta, counts)
        assert (up.value - down.value) / (2 * h) == pytest.approx(here.by_x, rel=1e-5, abs=1e-5)
        assert (down.by_x - up.by_x) / (2 * h) == pytest.approx(here.xx, rel=1e-4, abs=1e-4)
        assert (down.by_theta - up.by_theta) / (2 * h) == pytest.approx(here.xt, rel=1e-4, abs=1e-4)
        if theta is not None:
            up, down = (
                likelihood_terms(X, theta + h, counts),
                likelihood_terms(X, theta - h, counts),
            )
            by_theta = (up.value - down.value) / (2 * h)
            assert by_theta == pytest.approx(here.by_theta, rel=1e-5, abs=1e-5)
            second = (down.by_theta - up.by_theta) / (2 * h)
            assert second == pytest.approx(here.tt, rel=1e-4, abs=1e-4)

    assert not failing(check, zip([*RATES, None]))
