"""Fits of first guesses recover the law of synthetic data."""

from __future__ import annotations

import math
import random

import pytest

from engines.reference.drivers.guess import Seen, first_guess
from engines.spec import MATE
from toolkit.lab.fits.fitting import (
    Example,
    FailingCosts,
    GuessTrial,
    examples_of,
    failing_costs,
    fit_coefficients,
    fit_shifts,
    mean_errors,
)

LAW = {
    "regression_last": 600,
    "regression_before": 300,
    "regression_static": -200,
    "regression_quiescence": 250,
    "regression_odd": 7_000,
    "regression_even": -9_000,
    "regression_odd_phase": 400,
    "regression_even_phase": -300,
}


def drawn(count: int, noise: int, *, phases: tuple[int, int] = (0, 24)) -> list[Example]:
    """Examples that follow the law, but for a noise of equal size to both sides."""
    rng = random.Random(5)
    found = []
    for number in range(count):
        values = [rng.randint(-300, 300) for _ in range(rng.randint(2, 5))]
        static, quiet = rng.randint(-300, 300), rng.randint(-300, 300)
        seen = Seen(values, static, (), quiet, rng.randint(*phases))
        value = first_guess({**LAW, "guess": "regression"}, seen) + rng.randint(-noise, noise)
        found.append(Example(number // 3, seen, value))
    return found


def test_fit_recovers_the_law() -> None:
    fitted = fit_coefficients(drawn(400, 0))
    for name, wanted in LAW.items():
        assert fitted[name] == pytest.approx(wanted, abs=300 if abs(wanted) > 1_000 else 10), name


def test_fit_is_robust_to_outliers() -> None:
    examples = drawn(600, 4)
    wild = [Example(one.position, one.seen, one.value + 900) for one in examples[:40]]
    fitted = fit_coefficients(wild + examples[40:])
    for name in ("last", "before", "static", "quiescence"):
        assert fitted[f"regression_{name}"] == pytest.approx(LAW[f"regression_{name}"], abs=15)
    assert fitted["regression_odd"] == pytest.approx(7_000, abs=2_500)


def test_constant_phase_gets_no_coefficient() -> None:
    fitted = fit_coefficients(drawn(300, 0, phases=(23, 24)))
    assert fitted["regression_odd_phase"] == fitted["regression_even_phase"] == 0
    # What the phase adds there is in the constants.
    assert fitted["regression_odd"] == pytest.approx(7_000 + 23.5 * 400, abs=300)
    assert fitted["regression_even"] == pytest.approx(-9_000 - 23.5 * 300, abs=300)


def test_undetermined_coefficients_repeat_the_value_two_iterations_before() -> None:
    one = Example(0, Seen([0, 0], 0), 0)
    fitted = fit_coefficients([one])
    assert fitted["regression_before"] == 1_000
    assert not any(value for name, value in fitted.items() if name != "regression_before")
    with pytest.raises(ValueError, match="no example"):
        fit_coefficients([])


def test_coefficients_stay_within_the_ranges_of_parameters() -> None:
    examples = [Example(number, Seen([0, 10 * number], 0), 90 * number) for number in range(1, 200)]
    assert fit_coefficients(examples)["regression_last"] == 2_000


def test_examples_are_the_iterations_from_depth_3_without_mates() -> None:
    found = examples_of(7, 11, 12, 13, [1, 2, 3, 4])
    assert [(list(one.seen.values), one.value) for one in found] == [([1, 2], 3), ([1, 2, 3], 4)]
    assert {(one.position, one.seen.static, one.seen.quiescence) for one in found} == {(7, 11, 12)}
    assert {one.seen.phase for one in found} == {13}
    assert [one.value for one in examples_of(0, 0, 0, 0, [1, MATE - 3, 3, 4, 5])] == [5]
    assert examples_of(0, 0, 1 - MATE, 0, [1, 2, 3]) == []
    assert examples_of(0, 0, 0, 0, [1, 2]) == []


def priced(high: float, low: float) -> list[GuessTrial]:
    """Trials whose costs are known; what a tree itself costs differs by far."""
    rng = random.Random(3)
    trials = []
    for tree in range(300):
        size = rng.uniform(1e5, 1e7)
        for error in (rng.randint(-50, 50), rng.randint(-50, 50)):
            cost = high * max(error, 0) + low * max(-error, 0)
            trials.append(GuessTrial(tree, 4, error, round(size * math.exp(cost))))
    return trials


def test_fit_recovers_the_costs_of_failing() -> None:
    costs = failing_costs(priced(0.004, 0.012))
    assert costs.high == pytest.approx(0.004, rel=1e-3)
    assert costs.low == pytest.approx(0.012, rel=1e-3)
    assert costs.share_above == pytest.approx(0.75, rel=1e-3)
    swapped = failing_costs(
        [GuessTrial(one.position, 4, -one.error, one.nodes) for one in priced(0.004, 0.012)]
    )
    assert swapped.share_above == pytest.approx(0.25, rel=1e-3)


def noisy(seed: int, positions: int) -> list[GuessTrial]:
    """Trials of known costs whose trees differ in what a guess costs, position by position."""
    rng = random.Random(seed)
    trials = []
    for position in range(positions):
        own = rng.gauss(0, 0.004)
        for depth, error in ((4, 20), (4, -15), (5, 30), (5, -40), (6, 0), (6, 25)):
            cost = (0.006 + own) * max(error, 0) + (0.009 + own) * max(-error, 0)
            trials.append(GuessTrial(position, depth, error, round(1e6 * math.exp(cost))))
    return trials


def test_intervals_of_costs_hold_them_as_often_as_they_say() -> None:
    found = [failing_costs(noisy(seed, 40)) for seed in range(120)]
    for name, truth in (("high", 0.006), ("low", 0.009)):
        ends = [getattr(one, f"{name}_ends") for one in found]
        held = sum(low <= truth <= high for low, high in ends)
        assert 0.86 * len(found) <= held <= 0.99 * len(found), name
    assert failing_costs(noisy(1, 9)).low_ends is None
    assert failing_costs(noisy(1, 10)).low_ends is not None


def test_costs_need_enough_data() -> None:
    with pytest.raises(ValueError, match="two different guesses"):
        failing_costs([])
    with pytest.raises(ValueError, match="two different guesses"):
        failing_costs([GuessTrial(tree, 4, 5, 100) for tree in range(9)])
    assert FailingCosts(-0.1, 0.2).share_above == 1.0
    with pytest.raises(ValueError, match="neither"):
        _ = FailingCosts(-0.1, 0.0).share_above


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_share_of_values_lies_above_the_shifted_guess(share: float) -> None:
    examples = drawn(2_000, 40)
    shifts = fit_shifts(examples, LAW, share)
    above = {0: [0, 0], 1: [0, 0]}
    for one in examples:
        guess = first_guess({**LAW, **shifts, "guess": "quantile"}, one.seen)
        above[one.seen.depth % 2][one.value > guess] += 1
    for no, yes in above.values():
        assert yes / (yes + no) == pytest.approx(share, abs=0.02)


def test_shift_is_where_the_expected_cost_is_least() -> None:
    examples, costs = drawn(1_500, 40), FailingCosts(high=0.004, low=0.009)

    def cost(shift: int) -> float:
        parameters = {**LAW, "guess": "quantile", "quantile_odd": shift, "quantile_even": shift}
        errors = [one.value - first_guess(parameters, one.seen) for one in examples]
        return sum(costs.high * max(e, 0) + costs.low * max(-e, 0) for e in errors)

    shifts = fit_shifts(examples, LAW, costs.share_above)
    best = min(range(-40, 41), key=cost)
    assert best < 0
    assert list(shifts.values()) == pytest.approx([best, best], abs=4)


def test_parity_without_an_example_is_not_shifted() -> None:
    odd = [one for one in drawn(200, 40) if one.seen.depth % 2]
    shifts = fit_shifts(odd, LAW, 0.9)
    assert shifts["quantile_even"] == 0 > shifts["quantile_odd"]


def test_mean_errors_are_by_position() -> None:
    examples = [
        Example(4, Seen([0, 10], 0), 13),
        Example(4, Seen([0, 10, 20], 0), 19),
        Example(9, Seen([0, 10], 0), 110),
    ]
    assert mean_errors(examples, {"guess": "previous"}) == {4: 2.0, 9: 100.0}
