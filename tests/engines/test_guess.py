"""First guesses of the reference follow their formulas; ``test_backends_agree`` tests the core."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engines.choices import GUESSES as REGISTERED
from engines.reference.drivers.guess import GUESSES, Seen, first_guess
from engines.registry import PARAMETERS
from engines.spec import MATE, Value


def parameters(guess: str, **changes: Value) -> dict[str, Value]:
    """All parameters of guesses."""
    names = [name for name in PARAMETERS if (PARAMETERS[name].needs or ("",))[0] == "guess"]
    return {name: PARAMETERS[name].default for name in names} | {"guess": guess} | changes


def test_registry_has_the_same_guesses() -> None:
    assert GUESSES.keys() == REGISTERED.keys()


BY_HAND: list[tuple[str, float, list[int], int]] = [
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
]


def test_guesses_by_hand() -> None:
    for name, weight, values, guess in BY_HAND:
        found = first_guess(parameters(name, weight=weight), Seen(values, 17))
        assert found == guess, (name, weight, values)


LATER_BY_HAND: list[tuple[str, dict[str, Value], list[int], int]] = [
    ("offset", {"offset_odd": 5, "offset_even": -3}, [], 22),
    ("offset", {"offset_odd": 5, "offset_even": -3}, [30], 27),
    ("offset", {"offset_odd": 5, "offset_even": -3}, [30, 40], 45),
    ("drift", {"rate": 50}, [], 17),
    ("drift", {"rate": 50}, [10, 20], 20),
    # Depth 4: values changed by 10 to depth 2, of which half is learned.
    ("drift", {"rate": 50}, [10, 20, 31], 36),
    # Depth 7: by 20 to depth 3 and by -10 to depth 5: 10, then 0.
    ("drift", {"rate": 50}, [10, 20, 40, 60, 50, 70], 70),
    ("drift", {"rate": 100}, [10, 20, 40, 60, 50, 70], 60),
    ("drift", {"rate": 0}, [10, 20, 40, 60, 50, 70], 70),
    ("ema", {"rate": 50}, [], 17),
    ("ema", {"rate": 50}, [30], 30),
    ("ema", {"rate": 50}, [30, 40], 30),
    # 10, 40 and 50 at odd depths: 10, 25, 37.5.
    ("ema", {"rate": 50}, [10, 20, 40, 60, 50, 70], 38),
    ("ema", {"rate": 50}, [-10, -20, -40, -60, -50, -70], -38),
    ("trend", {"trend": 50}, [], 17),
    ("trend", {"trend": 50}, [30, 40, 50], 40),
    ("trend", {"trend": 50}, [10, 20, 40, 60, 50, 70], 55),
    ("trend", {"trend": -200}, [10, 20, 40, 60, 50, 70], 30),
    ("game", {}, [], 103),
    ("game", {}, [30], 104),
    ("game", {}, [30, 40], 30),
]


def test_later_guesses_by_hand() -> None:
    for name, changes, values, guess in LATER_BY_HAND:
        seen = Seen(values, 17, game=[101, 102, 103, 104])
        assert first_guess(parameters(name, **changes), seen) == guess, (name, changes, values)


@given(
    st.sampled_from(sorted(GUESSES)),
    st.lists(st.integers(-MATE, MATE), max_size=9),
    st.integers(-30_000, 30_000),
)
def test_guesses_stay_within_the_values(name: str, values: list[int], static: int) -> None:
    ends = {key: PARAMETERS[key].high or 0 for key in ("offset_odd", "rate", "trend")}
    guess = first_guess(parameters(name, **ends), Seen(values, static))
    assert -MATE <= guess <= MATE


@given(
    st.sampled_from(["previous", "parity", "average", "blend"]),
    st.floats(0, 1),
    st.lists(st.integers(-32_000, 32_000), min_size=1, max_size=6),
)
def test_guesses_lie_between_the_last_two_values(
    name: str, weight: float, values: list[int]
) -> None:
    guess = first_guess(parameters(name, weight=weight), Seen(values, 99_999))
    assert min(values[-2:]) <= guess <= max(values[-2:])
