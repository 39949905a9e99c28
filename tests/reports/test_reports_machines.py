"""Machines of an event have the mean speed of their games, and unequal ones are told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from db.records.games import Origin
from toolkit.reports.machines import are_unequal, machines_of, machines_text

Failing = Callable[..., list[str]]


def origin(host: str, speed: int, games: int) -> Origin:
    return Origin(host, "1.0", "native", "f" * 16, speed, games)


def test_machine_has_mean_speed_of_its_games() -> None:
    """It may have been measured several times, and not for games of other limits."""
    origins = [origin("a", 4_000_000, 30), origin("b", 2_000_000, 60), origin("a", 5_000_000, 10)]
    one, two = machines_of([*origins, origin("a", 0, 100)])
    assert (one.host, one.games, one.speed) == ("a", 140, pytest.approx(4_250_000))
    assert (two.host, two.games, two.speed) == ("b", 60, 2_000_000)
    assert machines_text([one, two]) == (
        "a (4.25 million nodes/s) 140 games, b (2.00 million nodes/s) 60 games"
    )
    assert machines_text([two]) == "b (2.00 million nodes/s)"
    assert machines_text(machines_of([origin("c", 0, 1)])) == "c"


def test_machines_differ_from_one_tenth(failing: Failing) -> None:
    def check(speeds: tuple[int, ...], unequal: bool) -> None:
        machines = machines_of(origin(f"m{n}", speed, 2) for n, speed in enumerate(speeds))
        assert are_unequal(machines) == unequal

    assert not failing(
        check,
        [
            ((100, 105), False),
            ((100, 120), True),
            ((100, 0), False),
            ((100,), False),
            ((), False),
        ],
    )
