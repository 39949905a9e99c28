"""The posterior of trials shrinks and is calibrated, also with conditions and many trials."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from toolkit.tuning.models import posterior as module
from toolkit.tuning.models.posterior import fit, leading, posterior
from toolkit.tuning.models.worth import MeasuredPoint, distinct
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Dimension, Space

PLAIN = Space.declared([f"p{place}=0.0..1.0" for place in range(4)])
BASE: Point = {name: 0.5 for name in PLAIN.names}


def bowl(point: Point) -> float:
    """Worth over the base, which is a little off the optimum in every parameter."""
    return sum(0.01 - (float(point[name]) - 0.6) ** 2 for name in PLAIN.names) * 0.5


def trials(
    truth: Callable[[Point], float], number: int, pairs: int, seed: int = 1, sd: float = 0.35
) -> list[MeasuredPoint]:
    random = np.random.default_rng(seed)
    points: list[Point] = [
        dict(zip(PLAIN.names, map(float, random.uniform(size=4)), strict=True))
        for _ in range(number)
    ]
    return [
        MeasuredPoint(
            one, pairs, truth(one) + random.normal() * sd / pairs**0.5, sd**2 * (pairs - 1)
        )
        for one in points
    ]


def test_without_trials_nothing_beats_base() -> None:
    found = posterior(PLAIN, BASE, [], [BASE, {**BASE, "p0": 1.0}])
    assert found.mean == pytest.approx([0.0, 0.0])
    assert found.sd[0] < 1e-3 < found.sd[1]
    assert not len(fit(PLAIN, BASE, []).predict([]).mean)


def test_lucky_trial_is_shrunk() -> None:
    point = {**BASE, "p0": 0.9}
    few = posterior(PLAIN, BASE, [MeasuredPoint(point, 8, 0.2, 0.9)], [point])
    many = posterior(PLAIN, BASE, [MeasuredPoint(point, 4000, 0.2, 490.0)], [point])
    assert 0.0 < few.mean[0] < 0.1
    assert many.mean[0] == pytest.approx(0.2, abs=0.01)
    assert many.sd[0] < few.sd[0]


def test_posterior_corrects_best_raw_mean() -> None:
    raw, believed = [], []
    for seed in range(12):
        measured = trials(bowl, 60, 24, seed)
        top = max(measured, key=lambda one: one.mean)
        raw.append(top.mean - bowl(top.point))
        (first, *_) = leading(fit(PLAIN, BASE, measured), measured, BASE)
        believed.append(first.mean - bowl(first.point))
    assert np.mean(raw) > 0.08
    assert abs(np.mean(believed)) < 0.03


def test_mean_far_from_data_is_not_above_base() -> None:
    random = np.random.default_rng(2)
    measured = [
        MeasuredPoint({name: 0.5 + 0.02 * random.normal() for name in PLAIN.names}, 50, 0.1, 6.0)
        for _ in range(20)
    ]
    surrogate = fit(PLAIN, BASE, measured)
    surrogate._scales.lengths[:] = 0.05
    far = module.Surrogate(
        PLAIN, surrogate._points, np.full(21, 0.1), np.full(21, 1e-3), surrogate._scales
    ).predict([{name: 1.0 for name in PLAIN.names}])
    assert far.mean[0] <= 1e-9


def test_posterior_covers_truth() -> None:
    inside, distances = [], []
    for seed in range(10):
        measured = trials(bowl, 80, 20, seed)
        asked = [one.point for one in trials(bowl, 50, 1, seed + 100)]
        found = fit(PLAIN, BASE, measured).predict(asked)
        truth = np.array([bowl(point) for point in asked])
        inside.extend(abs(truth - found.mean) <= 1.96 * found.sd)
        distances.append(np.mean((truth - found.mean) ** 2) ** 0.5 / truth.std())
    assert np.mean(inside) >= 0.85
    assert np.mean(distances) < 0.65


def test_gradient_of_the_evidence() -> None:
    random = np.random.default_rng(3)
    gaps = np.stack([np.square(np.subtract.outer(x, x)) for x in random.uniform(size=(3, 12))])
    problem = module._Evidence(gaps, random.normal(0.0, 0.1, 12), np.full(12, 0.003))
    at = problem.prior_mean + random.normal(0.0, 0.3, 5)
    slopes = [(problem(at + step)[0] - problem(at - step)[0]) / 2e-5 for step in np.eye(5) * 1e-5]
    assert problem(at)[1] == pytest.approx(slopes, rel=1e-4, abs=1e-5)


def test_posterior_handles_options_and_conditions() -> None:
    space = Space(
        (
            Dimension("mode", "choice", choices=("plain", "wide")),
            Dimension("reach", "int", 1, 9, needs=("mode", ("wide",))),
        )
    )
    base: Point = {"mode": "plain"}
    wide = [
        MeasuredPoint({"mode": "wide", "reach": reach}, 200, 0.02 * reach - 0.1, 24.0)
        for reach in (1, 3, 5, 7, 9)
    ]
    found = posterior(space, base, wide, [base, {"mode": "wide", "reach": 8}])
    assert found.mean[0] == pytest.approx(0.0, abs=1e-6)
    assert found.mean[1] == pytest.approx(0.06, abs=0.02)


def test_chance_to_be_better_is_symmetric() -> None:
    measured = trials(bowl, 100, 200)
    surrogate = fit(PLAIN, BASE, measured)
    good, bad = {name: 0.6 for name in PLAIN.names}, {name: 0.0 for name in PLAIN.names}
    assert surrogate.better(good, bad) > 0.99
    assert surrogate.better(good, bad) + surrogate.better(bad, good) == pytest.approx(1.0)
    assert surrogate.better(good, dict(good)) == 0.5
    # Also where nothing is clear, and one point is better known than the other.
    unsure = fit(PLAIN, BASE, trials(bowl, 5, 20))
    edge = {name: 1.0 for name in PLAIN.names}
    chance = unsure.better(BASE, edge)
    assert 0.01 < chance < 0.99 and chance != 0.5
    assert chance + unsure.better(edge, BASE) == pytest.approx(1.0)


def test_leading_points_are_distinct_without_base() -> None:
    measured = trials(bowl, 12, 400)
    measured += [
        MeasuredPoint(BASE, 100, 0.3, 12.0),
        measured[0],
        MeasuredPoint({**BASE, "p1": 1.0}, 0, 0, 0),
    ]
    surrogate = fit(PLAIN, BASE, measured)
    found = leading(surrogate, measured, BASE)
    assert len(found) == 7
    assert len({tuple(one.point.values()) for one in found}) == 7
    assert all(one.point != BASE for one in found)
    assert [one.mean for one in found] == sorted((one.mean for one in found), reverse=True)
    assert len(leading(surrogate, measured[:2], BASE)) == 2


def test_equal_points_are_merged() -> None:
    point = {**BASE, "p2": 0.1}
    parts = [MeasuredPoint(point, 10, 0.0, 1.0), MeasuredPoint(point, 30, 0.2, 3.0)]
    whole = [MeasuredPoint(point, 40, 0.15, 4.0)]
    one = fit(PLAIN, BASE, parts, variance=0.1).predict([point])
    two = fit(PLAIN, BASE, whole, variance=0.1).predict([point])
    assert one.mean == pytest.approx(two.mean) and one.sd == pytest.approx(two.sd)


def test_same_pairs_of_a_point_count_once() -> None:
    point = {**BASE, "p2": 0.1}
    short, long = MeasuredPoint(point, 10, 0.0, 1.0, 32), MeasuredPoint(point, 16, 0.2, 2.0, 32)
    other = MeasuredPoint(point, 16, 0.1, 2.0, 48)
    found = fit(PLAIN, BASE, [short, long, long, other], variance=0.1).predict([point])
    wanted = fit(PLAIN, BASE, [long, other], variance=0.1).predict([point])
    assert (found.mean, found.sd) == (wanted.mean, wanted.sd)
    unknown = MeasuredPoint(point, 16, 0.2, 2.0)  # of games that need not be the same
    assert distinct([unknown, long, unknown, short, other]) == [unknown, long, unknown, other]


def test_trials_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 60)
    monkeypatch.setattr(module, "LEARNT_POINTS", 30)
    measured = trials(bowl, 200, 10) + trials(bowl, 20, 300, seed=9)
    surrogate = fit(PLAIN, BASE, measured)
    assert len(surrogate._points) == 60
    well = [one.point for one in measured[200:]]
    found = surrogate.predict(well)
    assert np.abs(found.mean - [bowl(point) for point in well]).max() < 0.08


def test_results_without_noise_are_interpolated() -> None:
    measured = trials(bowl, 30, 10, sd=0.0)
    found = fit(PLAIN, BASE, measured, variance=0.0).predict([one.point for one in measured])
    assert found.mean == pytest.approx([one.mean for one in measured], abs=1e-4)
