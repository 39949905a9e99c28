"""Words and numbers of commands are formatted as documented."""

from __future__ import annotations

import math

import pytest

from toolkit.base.format import count_of, format_duration, format_interval, format_los


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("job",), "0 jobs"),
        (1, ("pairing",), "1 pairing"),
        (2, ("pairing",), "2 pairings"),
        (1, ("ply", "plies"), "1 ply"),
        (41_288, ("ply", "plies"), "41 288 plies"),
        (1, ("game was", "games were"), "1 game was"),
        (3, ("game was", "games were"), "3 games were"),
    ],
)
def test_noun_follows_its_number(number: int, words: tuple[str, ...], text: str) -> None:
    assert count_of(number, *words) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-20.0, 8.0, "[-20.0, +8.0]"),
        (-8.0, 20.0, "[-8.0, +20.0]"),
        (-9.5, None, "[-9.5, open]"),
        (None, 9.5, "[open, +9.5]"),
        (-9.0, 11.0, "± 10.0"),
        (None, None, "± 10.0"),
    ],
)
def test_interval_that_is_not_symmetrical_shows_its_ends(
    low: float | None, high: float | None, text: str
) -> None:
    assert format_interval(1.0, 10.0, low, high) == text


def test_intervals_within_five_percent_are_symmetrical() -> None:
    assert format_interval(1.0, 10.0, -9.4, 10.6) == "± 10.0"
    assert format_interval(1.0, 10.0, -9.6, 10.4) == "[-9.6, +10.4]"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "--"),
        (0.0, "<0.01 %"),
        (0.99996, ">99.99 %"),
        (1.0, ">99.99 %"),
        (0.9945, "99.45 %"),
        (0.5, "50.00 %"),
    ],
)
def test_superiority_is_never_printed_as_certain(share: float | None, text: str) -> None:
    assert format_los(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "?"),
        (math.inf, "?"),
        (0, "0s"),
        (0.04, "0s"),
        (0.4, "0.4s"),
        (9.94, "9.9s"),
        (9.96, "10s"),
        (59.4, "59s"),
        (59.6, "1m00s"),
        (72, "1m12s"),
        (763, "12m43s"),
        (3599.6, "1h00m"),
        (4020, "1h07m"),
        (86_399, "23h59m"),
        (86_400, "1d00h"),
        (3 * 86_400 + 4 * 3600, "3d04h"),
    ],
)
def test_duration_is_written_in_one_way(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text
