"""Axes of pictures: what they show, where their ticks are, and names that keep apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from toolkit.lab.pictures.axes import Axis, even_ticks, log_axis, log_ticks, spread


def test_a_logarithmic_axis_puts_equal_ratios_at_equal_distances() -> None:
    axis = Axis(0.5, 8, 300, 20, is_log=True)
    assert [axis.at(one) for one in (0.5, 1, 2, 4, 8)] == [300, 230, 160, 90, 20]
    assert Axis(-40, 40, 0, 100).at(-20) == 25


@pytest.mark.parametrize(
    ("numbers", "least"), [([0.97, 1.01], 1.1), ([1.0], 2), ([0.01, 1e6], 1.1), ([0.9, 9.1], 1.1)]
)
def test_a_logarithmic_axis_has_room_for_its_numbers(numbers: list[float], least: float) -> None:
    axis = log_axis(numbers, least, 300, 10)
    assert all(15 <= axis.at(one) <= 295 for one in numbers)
    assert axis.high / axis.low >= least


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.96, 1.04, [0.96, 0.97, 0.98, 0.99, 1, 1.01, 1.02, 1.03, 1.04]),
        (0.85, 1.15, [0.86, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98, 1, 1.02, 1.04, 1.06, 1.08, 1.1, 1.12,
                      1.14]),
        (0.78, 1.6, [0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.4, 1.45, 1.5,
                     1.55, 1.6]),
        (0.75, 3.1, [0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3]),
        (0.9, 13, [1, 1.25, 1.5, 2, 3, 5, 8, 10, 12.5]),
        (0.9, 900, [1, 2, 5, 10, 20, 50, 100, 200, 500]),
        (0.9, 1e8, [1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8]),
    ],
)  # fmt: skip
def test_ticks_are_the_finest_round_numbers_that_keep_apart(
    low: float, high: float, ticks: list[float]
) -> None:
    axis = Axis(low, high, 290, 0, is_log=True)
    assert log_ticks(axis, 11) == ticks
    assert all(axis.at(a) - axis.at(b) >= 11 for a, b in pairwise(ticks))


def test_ticks_of_a_linear_axis_are_round() -> None:
    assert even_ticks(-100, 100, 10) == [-100, -50, 0, 50, 100]
    assert even_ticks(1, 199, 12) == [20, 40, 60, 80, 100, 120, 140, 160, 180]
    assert even_ticks(0.1, 0.9, 5) == [0.2, 0.4, 0.6, 0.8]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([20, 60, 90], [20, 60, 90]),  # far enough apart already
        ([50, 50, 50], [40, 50, 60]),  # about their mean
        ([20, 48, 52], [20, 45, 55]),
        ([0, 0, 80], [5, 15, 80]),  # within the panel
        ([99, 99, 99], [75, 85, 95]),
    ],
)
def test_names_stand_as_near_as_they_can(wanted: list[float], places: list[float]) -> None:
    assert spread(wanted, 10, 5, 95) == places
