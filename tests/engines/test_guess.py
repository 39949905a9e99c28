"""First guesses of the reference; that the core makes the same is tested with exact searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.reference.guess import GUESSES, first_guess
from engines.registry import GUESSES as REGISTERED


def test_the_registry_knows_the_same_guesses() -> None:
    assert GUESSES.keys() == REGISTERED.keys()


@pytest.mark.parametrize(
    ("name", "weight", "values", "guess"),
    [
        ("zero", 0.5, [], 0),
        ("zero", 0.5, [30, 40], 0),
        ("static", 0.5, [], 17),
        ("static", 0.5, [30, 40], 17),
        ("previous", 0.5, [], 17),
        ("previous", 0.5, [30], 30),
        ("previous", 0.5, [30, 40], 40),
        ("parity", 0.5, [], 17),
        ("parity", 0.5, [30], 30),
        ("parity", 0.5, [30, 40], 30),
        ("parity", 0.5, [30, 40, 50], 40),
        ("average", 0.5, [30], 30),
        ("average", 0.5, [30, 41], 36),
        ("average", 0.5, [-30, -41], -36),
        ("blend", 0.25, [30, 40], 33),
        ("blend", 0.25, [-30, -40], -33),
        ("blend", 1.0, [30, 40], 40),
        ("blend", 0.0, [30, 40], 30),
        ("blend", 0.3, [25], 25),
        ("blend", 0.3, [], 17),
    ],
)
def test_guesses_by_hand(name: str, weight: float, values: list[int], guess: int) -> None:
    assert first_guess(name, weight, 17, values) == guess


@given(
    st.sampled_from(["previous", "parity", "average", "blend"]),
    st.floats(0, 1),
    st.lists(st.integers(-32_000, 32_000), min_size=1, max_size=6),
)
def test_guesses_lie_between_the_last_two_values(
    name: str, weight: float, values: list[int]
) -> None:
    guess = first_guess(name, weight, 99_999, values)
    assert min(values[-2:]) <= guess <= max(values[-2:])
