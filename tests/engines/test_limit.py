"""Limits are parsed, checked, described, stored, compared, spelled and sorted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import convert, to_builtins

from db.limits import UNKNOWN_LIMIT, limit_key
from engines.errors import LimitError
from engines.limit import (
    KINDS,
    TIME_MANAGER,
    Limit,
    limit_of_key,
    order_of_limit,
    parse_clock,
    parse_time_control,
    read_limit,
    spell_limit,
    spell_limit_key,
)
from toolkit.selection.events import asked_fields

Failing = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "base_ms", "inc_ms"),
    [("10+0.1", 10_000, 100), ("60", 60_000, 0), ("0.5+0", 500, 0), (" 1.25+0.01 ", 1250, 10)],
)
def test_clocks_are_parsed(text: str, base_ms: int, inc_ms: int) -> None:
    assert parse_clock(text) == Limit(base_ms=base_ms, inc_ms=inc_ms)


@pytest.mark.parametrize(
    "text", ["10x0.1", "", "+1", "10+", "-5+1", "1e3", "0+1", "9999999+0", "10+0.0001"]
)
def test_bad_clocks_give_one_line(text: str) -> None:
    with pytest.raises(LimitError, match=r"\A[^\n]+\Z"):
        parse_clock(text)


def test_message_shows_how_a_clock_is_written() -> None:
    with pytest.raises(LimitError) as caught:
        parse_clock("10x0.1")
    assert str(caught.value) == (
        "clock `10x0.1`: expected BASE+INC or MOVES/BASE+INC in seconds, as in `10+0.1` or `40/60`"
    )


@pytest.mark.parametrize(
    "limit",
    [
        Limit(),
        Limit(nodes=0),
        Limit(nodes=-5),
        Limit(nodes=10**13),
        Limit(depth=0),
        Limit(depth=1000),
        Limit(movetime_ms=0),
        Limit(movetime_ms=10**12),
        Limit(base_ms=0),
        Limit(base_ms=1000, inc_ms=-1),
        Limit(base_ms=1000, movetime_ms=10),
        Limit(cpu_ms=0),
        Limit(cpu_ms=10**12),
        Limit(base_ms=1000, cpu_ms=10),
        Limit(movetime_ms=1000, cpu_ms=10),
        Limit(nodes=100, inc_ms=10),
    ],
)
def test_senseless_limits_are_refused(limit: Limit) -> None:
    with pytest.raises(LimitError, match=r"\A[^\n]+\Z"):
        limit.checked()


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (Limit(nodes=20_000), "20000 nodes/move"),
        (Limit(nodes=500, depth=6), "500 nodes/move, depth 6"),
        (Limit(movetime_ms=50), "50 ms/move"),
        (Limit(nodes=70, cpu_ms=50), "70 nodes/move, 50 ms CPU/move"),
        (Limit(base_ms=10_000, inc_ms=100), "10+0.1 s"),
    ],
)
def test_limits_are_described(limit: Limit, text: str) -> None:
    assert str(limit.checked()) == text


def test_limits_are_spelled_as_options(failing: Failing) -> None:
    """As events keep them: the present version of the time manager is not said, others are."""

    def check(limit: Limit, text: str) -> None:
        data = to_builtins(limit)
        assert spell_limit(data) == text
        assert spell_limit_key(limit_key(data)) == text

    assert not failing(
        check,
        [
            (Limit(nodes=2000), "nodes=2000"),
            (Limit(depth=6), "depth=6"),
            (Limit(movetime_ms=50), "movetime=50"),
            (Limit(cpu_ms=50, nodes=9), "cpu-ms=50,nodes=9"),
            (parse_clock("10+0.1"), "tc=10+0.1"),
            (Limit(base_ms=90_000), "tc=90+0"),
            (Limit(movetime_ms=50, time_manager=1), "movetime=50,time_manager=1"),
            (Limit(base_ms=9_000, nodes=5, time_manager=9), "tc=9+0,nodes=5,time_manager=9"),
        ],
    )


def test_an_unknown_limit_is_empty() -> None:
    assert spell_limit({}) == "unknown" and spell_limit(None) == "mixed"
    assert to_builtins(Limit()) == {}


def test_requested_limit_matches_every_time_manager() -> None:
    stored = to_builtins(Limit(movetime_ms=50, nodes=9, time_manager=1))
    asked = asked_fields(stored)
    assert asked == {"movetime_ms": 50, "nodes": 9}
    assert spell_limit(asked) == "movetime=50,nodes=9"
    assert spell_limit(stored) == "movetime=50,nodes=9,time_manager=1"


def test_keys_are_equal_as_data() -> None:
    key = limit_key(to_builtins(Limit(nodes=5, depth=3)))
    assert key == limit_key({"depth": 3, "nodes": 5}) != limit_key({"nodes": 5})
    assert limit_key(to_builtins(Limit())) == UNKNOWN_LIMIT
    assert limit_of_key(key) == {"nodes": 5, "depth": 3}


def test_limits_are_listed_from_low_to_high() -> None:
    limits = [{"nodes": 2000}, {"depth": 4}, {}, {"nodes": 60}]
    order = sorted(map(limit_key, limits), key=order_of_limit)
    assert [limit_of_key(key) for key in order] == [limits[i] for i in (1, 3, 0, 2)]


def test_limit_is_read_from_the_items_that_it_gives() -> None:
    limits = [
        Limit(nodes=5, depth=3),
        Limit(cpu_ms=7),
        Limit(base_ms=60_000, inc_ms=500, moves=40),
        Limit(movetime_ms=50, nodes=9),
    ]
    for limit in limits:
        assert read_limit(limit.items) == convert(to_builtins(limit), Limit) == limit
        if limit.is_timed:
            assert parse_time_control(limit.time_control).time_control == limit.time_control
    assert read_limit(dict.fromkeys(KINDS)) is None


def test_time_of_a_game_is_estimated_from_the_whole_clock() -> None:
    def s(text: str) -> float | None:
        return parse_clock(text).game_s

    assert s("60") == pytest.approx(2 * 0.85 * 60)
    assert s("40/60") == pytest.approx(1.5 * 2 * 0.85 * 60)
    assert s("10/60") == pytest.approx(6 * 2 * 0.85 * 60)
    assert s("120/60") == s("60")
    assert s("60+1") == pytest.approx(2 * 0.85 * 60 + 120)
    assert (Limit(nodes=5).game_s, Limit(movetime_ms=50).game_s) == (None, 6)


def test_only_timed_limits_have_a_version_of_the_time_manager() -> None:
    assert not Limit(nodes=5, cpu_ms=5).deterministic
    assert to_builtins(Limit(nodes=5, time_manager=1)) == {"nodes": 5}
    for limit in (Limit(movetime_ms=50), parse_clock("10+0.1")):
        data = to_builtins(limit)
        assert data["time_manager"] == TIME_MANAGER == 2
        first = convert({**data, "time_manager": 1}, Limit)
        assert first != limit
        assert str(first) == f"{limit}, time manager 1"
