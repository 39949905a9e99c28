"""Limits are enforced by the clocks of a game."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engines.limit import Limit, parse_clock
from engines.spec import Clocks, MoveReport, SearchLimit
from engines.uci.go import parse_go
from toolkit.base.errors import EngineProblem
from toolkit.referee.clock import GameClock, check_time_manager

REPORT = MoveReport(1, 0, 1, 9, 1, time_us=0, cpu_us=0)


def test_each_side_pays_for_its_own_moves_and_gets_the_increment() -> None:
    clock = _clock(Limit(base_ms=1000, inc_ms=100), 0)
    assert clock.spend(True, REPORT, 400_000)
    assert clock.remaining_ms(True) == 700
    assert clock.remaining_ms(False) == 1000
    assert clock.spend(False, REPORT, 1_000_000)
    assert clock.remaining_ms(False) == 100
    assert not clock.spend(False, REPORT, 100_001)


def test_margin_forgives_once_but_gives_nothing() -> None:
    clock = _clock(Limit(base_ms=1000), 50)
    assert clock.spend(True, REPORT, 1_050_000)
    assert clock.remaining_ms(True) == 0
    assert not clock.spend(True, REPORT, 50_001)


def test_time_a_move_starts_afresh_each_move() -> None:
    clock = _clock(Limit(movetime_ms=100), 20)
    assert all(clock.spend(True, REPORT, 120_000) for _ in range(50))
    assert not clock.spend(True, REPORT, 120_001)


def test_search_is_given_less_than_what_is_left() -> None:
    clock = _clock(Limit(base_ms=1000, inc_ms=0, nodes=5000), 0)
    clock.spend(False, REPORT, 900_000)
    white, black = clock.search_limit(True), clock.search_limit(False)
    assert white.nodes == black.nodes == 5000
    assert white.hard_ms is not None and black.hard_ms is not None
    assert black.hard_ms < white.hard_ms < 1000
    assert black.hard_ms < 100


def test_search_of_fixed_time_is_given_that_time_at_most() -> None:
    limit = _clock(Limit(movetime_ms=100), 0).search_limit(True)
    assert limit.hard_ms == 99


def test_game_shares_out_its_clock_as_uci_does() -> None:
    clock = _clock(Limit(base_ms=2000, inc_ms=20), 0)
    uci = parse_go("wtime 2000 btime 2000 winc 20 binc 20".split())
    assert _own(clock.search_limit(True)) == uci.limit(white=True)
    fixed = _clock(Limit(movetime_ms=70), 0).search_limit(False)
    assert _own(fixed) == parse_go(["movetime", "70"]).limit(white=False)


def test_cpu_time_is_what_the_search_used_and_not_what_passed() -> None:
    clock = _clock(Limit(cpu_ms=100, nodes=9), 20)
    assert _own(clock.search_limit(True)) == SearchLimit(nodes=9, cpu_ms=100)
    used = MoveReport(1, 0, 1, 9, 1, time_us=900_000, cpu_us=120_000)
    assert all(clock.spend(True, used, 999_000) for _ in range(50))
    assert not clock.spend(True, replace(used, cpu_us=120_001), 0)
    assert not _clock(Limit(movetime_ms=100), 20).spend(True, used, 999_000)


def test_base_is_added_after_the_moves_of_the_time_control() -> None:
    clock = _clock(parse_clock("3/1+0.1"), 0)
    assert [clock.search_limit(True).clocks.moves_to_go] == [3]
    left = []
    for _ in range(4):
        assert clock.spend(True, REPORT, 300_000)
        left.append(clock.remaining_ms(True))
    assert left == [800, 600, 1400, 1200]
    assert clock.search_limit(True).clocks.moves_to_go == 2
    assert clock.search_limit(False).clocks.moves_to_go == 3
    assert clock.search_limit(True).patience_ms == 1200


def test_each_side_has_its_own_limit() -> None:
    clock = GameClock(Limit(nodes=500), Limit(base_ms=2000, inc_ms=50), 20, patience_ms=7000)
    assert clock.search_limit(True) == SearchLimit(nodes=500, patience_ms=7000)
    assert clock.spend(True, REPORT, 10**9)
    black = clock.search_limit(False)
    assert black.nodes is None and black.patience_ms == 2020
    assert black.clocks == Clocks(0, 2000, 0, 50, None)
    assert not clock.spend(False, REPORT, 2_020_001)


def _clock(limit: Limit, margin_ms: int) -> GameClock:
    return GameClock(limit, limit, margin_ms, patience_ms=60_000)


def _own(limit: SearchLimit) -> SearchLimit:
    """Without what only external engines are told."""
    return replace(limit, clocks=None, movetime_ms=None, patience_ms=None)


def test_games_go_on_only_under_the_same_time_manager() -> None:
    for limit in (Limit(movetime_ms=50), Limit(nodes=5)):
        check_time_manager("event x", limit)
    with pytest.raises(EngineProblem, match="event x began with version 1 of the time manager"):
        check_time_manager("event x", Limit(movetime_ms=50, time_manager=1))
