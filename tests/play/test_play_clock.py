"""Limits, and the clocks of a game."""

from __future__ import annotations

import pytest

from engines.spec import TIME_MANAGER, Limit, MoveReport, SearchLimit
from engines.uci_go import parse_go
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.games.clock import (
    GameClock,
    check_limit,
    check_time_manager,
    describe_limit,
    parse_clock,
)


@pytest.mark.parametrize(
    ("text", "base_ms", "inc_ms"),
    [("10+0.1", 10_000, 100), ("60", 60_000, 0), ("0.5+0", 500, 0), (" 1.25+0.01 ", 1250, 10)],
)
def test_clocks_are_read(text: str, base_ms: int, inc_ms: int) -> None:
    assert parse_clock(text) == Limit(base_ms=base_ms, inc_ms=inc_ms)


@pytest.mark.parametrize("text", ["10x0.1", "", "+1", "10+", "-5+1", "1e3", "0+1", "9999999+0"])
def test_bad_clocks_get_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"\A[^\n]+\Z"):
        parse_clock(text)


def test_the_message_shows_how_a_clock_is_written() -> None:
    with pytest.raises(UsageError) as caught:
        parse_clock("10x0.1")
    assert str(caught.value) == "clock `10x0.1`: expected BASE+INC in seconds, as in `10+0.1`"


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
    with pytest.raises(UsageError, match=r"\A[^\n]+\Z"):
        check_limit(limit)


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
    assert describe_limit(check_limit(limit)) == text


def test_each_side_pays_for_its_own_moves_and_gets_the_increment() -> None:
    clock = GameClock(Limit(base_ms=1000, inc_ms=100), margin_ms=0)
    assert clock.spend(True, 400_000)
    assert clock.remaining_ms(True) == 700
    assert clock.remaining_ms(False) == 1000
    assert clock.spend(False, 1_000_000)
    assert clock.remaining_ms(False) == 100
    assert not clock.spend(False, 100_001)


def test_the_margin_forgives_once_but_gives_nothing() -> None:
    clock = GameClock(Limit(base_ms=1000), margin_ms=50)
    assert clock.spend(True, 1_050_000)
    assert clock.remaining_ms(True) == 0
    assert not clock.spend(True, 50_001)


def test_time_a_move_starts_afresh_each_move() -> None:
    clock = GameClock(Limit(movetime_ms=100), margin_ms=20)
    assert all(clock.spend(True, 120_000) for _ in range(50))
    assert not clock.spend(True, 120_001)


def test_a_search_is_given_less_than_what_is_left() -> None:
    clock = GameClock(Limit(base_ms=1000, inc_ms=0, nodes=5000), margin_ms=0)
    clock.spend(False, 900_000)
    white, black = clock.search_limit(True), clock.search_limit(False)
    assert white.nodes == black.nodes == 5000
    assert white.hard_ms is not None and black.hard_ms is not None
    assert black.hard_ms < white.hard_ms < 1000
    assert black.hard_ms < 100


def test_a_search_of_fixed_time_is_given_that_time_at_most() -> None:
    limit = GameClock(Limit(movetime_ms=100), margin_ms=0).search_limit(True)
    assert limit.hard_ms == 99


def test_a_game_shares_out_its_clock_as_uci_does() -> None:
    clock = GameClock(Limit(base_ms=2000, inc_ms=20), margin_ms=0)
    uci = parse_go("wtime 2000 btime 2000 winc 20 binc 20".split())
    assert clock.search_limit(True) == uci.limit(white=True)
    assert GameClock(Limit(movetime_ms=70), margin_ms=0).search_limit(False) == parse_go(
        ["movetime", "70"]
    ).limit(white=False)


def test_cpu_time_is_what_the_search_used_and_not_what_passed() -> None:
    clock = GameClock(Limit(cpu_ms=100, nodes=9), margin_ms=20)
    assert clock.search_limit(True) == SearchLimit(nodes=9, cpu_ms=100)
    report = MoveReport(1, 0, 1, 9, 1, time_us=900_000, cpu_us=120_000)
    assert clock.used_us(report, 999_000) == 120_000
    assert all(clock.spend(True, 120_000) for _ in range(50))
    assert not clock.spend(True, 120_001)
    assert GameClock(Limit(movetime_ms=100), margin_ms=20).used_us(report, 999_000) == 999_000


def test_a_limit_of_cpu_time_is_not_deterministic_and_older_limits_are_kept_as_ever() -> None:
    assert not Limit(nodes=5, cpu_ms=5).deterministic
    old = {"nodes": 5, "depth": None, "movetime_ms": None, "base_ms": None, "inc_ms": 0}
    assert Limit(nodes=5).to_json() == old
    for limit in (Limit(nodes=5), Limit(depth=3), Limit(cpu_ms=7)):
        assert "time_manager" not in limit.to_json()
        assert Limit.from_json(limit.to_json()) == limit


@pytest.mark.parametrize("limit", [Limit(movetime_ms=50), Limit(base_ms=10_000, inc_ms=100)])
def test_a_timed_limit_carries_the_version_of_the_time_manager(limit: Limit) -> None:
    """What was stored before there were versions is of the first, and is kept as it was."""
    data = limit.to_json()
    assert data["time_manager"] == TIME_MANAGER == 2
    assert Limit.from_json(data) == limit
    old = {name: value for name, value in data.items() if name != "time_manager"}
    first = Limit.from_json(old)
    assert first.time_manager == 1
    assert first != limit
    assert first.to_json() == old
    assert describe_limit(first) == f"{describe_limit(limit)}, time manager 1"
    check_time_manager("event x", limit)
    check_time_manager("event x", Limit.from_json({"nodes": 5}))
    with pytest.raises(EngineProblem, match="event x began with version 1 of the time manager"):
        check_time_manager("event x", first)
