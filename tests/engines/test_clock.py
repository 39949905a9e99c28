"""Time allocation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.clock import OVERHEAD_MS, clock_limit, movetime_limit

TIMES = st.integers(-1_000, 10_000_000)


@given(TIMES, st.integers(0, 60_000), st.none() | st.integers(1, 200))
def test_no_move_can_use_up_the_clock(remaining: int, inc: int, moves_to_go: int | None) -> None:
    limit = clock_limit(remaining, inc, moves_to_go)
    assert limit.soft_ms is not None
    assert limit.hard_ms is not None
    assert 1 <= limit.soft_ms <= limit.hard_ms
    assert limit.hard_ms <= max(1, 0.9 * remaining)
    if remaining >= 4 * OVERHEAD_MS:
        assert remaining - limit.hard_ms >= OVERHEAD_MS


@given(st.integers(10_000, 600_000), st.integers(0, 10_000), st.none() | st.integers(1, 60))
def test_a_player_that_takes_all_it_may_never_loses_on_time(
    base: int, inc: int, moves_to_go: int | None
) -> None:
    remaining, left = base, moves_to_go
    for _ in range(80):
        hard = clock_limit(remaining, inc, left).hard_ms
        assert hard is not None
        remaining -= hard + 2
        assert remaining > 0
        remaining += inc
        if left is not None:
            left -= 1
            if left == 0:
                left, remaining = moves_to_go, remaining + base


def test_more_time_and_fewer_moves_mean_more_time_a_move() -> None:
    def soft(remaining: int, inc: int = 0, moves_to_go: int | None = None) -> int:
        return clock_limit(remaining, inc, moves_to_go).soft_ms or 0

    assert soft(10_000) < soft(60_000) < soft(600_000)
    assert soft(60_000) < soft(60_000, 1_000)
    assert soft(60_000) < soft(60_000, 0, 5) < soft(60_000, 0, 1)


def test_a_whole_game_gets_through_much_of_its_time() -> None:
    # Sixty moves that each take the soft limit use most of the clock, and leave something.
    remaining = 60_000
    for _ in range(60):
        remaining -= clock_limit(remaining).soft_ms or 0
    assert 10_000 < remaining < 30_000


@pytest.mark.parametrize(("movetime", "most"), [(1, 1), (10, 5), (100, 80), (1_000, 960)])
def test_a_move_time_is_kept(movetime: int, most: int) -> None:
    limit = movetime_limit(movetime)
    assert limit.soft_ms is None
    assert limit.hard_ms is not None
    assert movetime // 2 <= limit.hard_ms <= most
