"""Halving of options equals worked examples and finds known effects."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.tuning.samplers.options import (
    OptionsMet,
    all_alive,
    best,
    drawn,
    effects,
    expected,
    halved,
    rounds_needed,
    rounds_over,
)
from toolkit.tuning.space.space import Space

DIMENSIONS = Space.declared(["x=0..9", "a=p|q|r|s|t", "b=false|true"]).dimensions


def test_all_options_are_alive_at_first() -> None:
    assert all_alive(DIMENSIONS) == {"a": (0, 1, 2, 3, 4), "b": (0, 1)}


@pytest.mark.parametrize(
    ("texts", "rounds"),
    [(["x=0..9"], 0), (["b=false|true"], 1), (["a=p|q|r", "b=u|v"], 2), (["a=p|q|r|s|t"], 3)],
)
def test_rounds_halve_longest_list(texts: list[str], rounds: int) -> None:
    assert rounds_needed(Space.declared(texts).categorical) == rounds


def test_rounds_are_equally_long() -> None:
    over = [rounds_over(number, 100, 2, 0.8) for number in (0, 39, 40, 79, 80, 100)]
    assert over == [0, 0, 1, 1, 2, 2]
    assert rounds_over(50, 100, 0, 0.8) == 0


def test_ends_differ_while_two_options_are_alive() -> None:
    alive = {"a": (0, 2, 4), "b": (1,)}
    seen = set()
    for seed in range(60):
        first, second = drawn(alive, np.random.default_rng(seed))
        assert first["a"] != second["a"] and {first["a"], second["a"]} <= {0, 2, 4}
        assert first["b"] == second["b"] == 1
        seen.add((first["a"], second["a"]))
    assert len(seen) == 6


def test_effects_are_found_from_differences_of_two_parameters_at_once() -> None:
    true = {"a": (0.02, -0.01, 0.0, 0.01, -0.02), "b": (-0.005, 0.005)}
    draw = np.random.default_rng(1)
    alive, meetings = all_alive(DIMENSIONS), []
    for _ in range(200):
        first, second = drawn(alive, draw)
        worth = sum(true[name][first[name]] - true[name][second[name]] for name in true)
        meetings.append(OptionsMet(first, second, worth))
    found = effects(DIMENSIONS, meetings, pairs=100_000)  # so many that the prior hardly counts
    for name, values in true.items():
        assert found[name] == pytest.approx(values, abs=1e-4)


def test_few_pairs_leave_effects_near_zero() -> None:
    meetings = [OptionsMet({"a": 0, "b": 0}, {"a": 1, "b": 0}, 0.25)]
    one = effects(DIMENSIONS, meetings, pairs=1)["a"]
    # One pair: posterior mean of a difference, prior 2·(40 Elo)² against 0.35².
    prior = 2 * (40 * np.log(10) / 1600) ** 2
    assert one[0] - one[1] == pytest.approx(0.25 * prior / (prior + 0.35**2))
    assert one[2:] == (0.0, 0.0, 0.0)
    assert effects(DIMENSIONS, [], pairs=1)["b"] == (0.0, 0.0)


def test_option_without_meaning_does_not_count() -> None:
    meetings = [OptionsMet({"a": 0}, {"a": 0, "b": 1}, -0.25)]
    found = effects(DIMENSIONS, meetings, pairs=1)
    assert found["b"][1] > 0.0 and found["b"][0] == 0.0
    assert set(found["a"]) == {0.0}


def test_better_half_is_kept() -> None:
    values = {"a": (0.1, 0.5, 0.3, 0.2, 0.4), "b": (0.0, 0.1)}
    once = halved(all_alive(DIMENSIONS), values)
    assert once == {"a": (1, 2, 4), "b": (1,)}
    assert halved(once, values) == {"a": (1, 4), "b": (1,)}
    assert best(once, values, {"a": 4, "b": 0}) == {"a": 1, "b": 1}


def test_only_alive_options_can_be_best() -> None:
    assert best({"a": (0, 3)}, {"a": (0.1, 0.5, 0.3, 0.2, 0.4)}, {"a": 1}) == {"a": 3}


def test_start_is_best_without_better_option() -> None:
    assert best({"a": (0, 1, 3)}, {"a": (0.1, 0.1, 0.9, 0.1)}, {"a": 1}) == {"a": 1}


def test_expected_worth_is_difference_of_ends() -> None:
    meeting = OptionsMet({"a": 1, "b": 0}, {"a": 2}, 0.0)
    values = {"a": (0.1, 0.5, 0.3), "b": (0.05, 0.0)}
    assert expected(meeting, values) == pytest.approx(0.5 + 0.05 - 0.3)
