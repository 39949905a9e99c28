"""The time manager never uses up the clock and spends more where there is more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.clock import MOVE_OVERHEAD_MS, clock_limit, movetime_limit

TIMES = st.integers(-1_000, 10_000_000)


def hard_ms(remaining: int, inc: int = 0, left: int | None = None, overhead: int = 10) -> int:
    hard = clock_limit(remaining, inc, left, overhead).hard_ms
    assert hard is not None
    return hard


def soft_ms(remaining: int, inc: int = 0, left: int | None = None) -> int:
    soft = clock_limit(remaining, inc, left).soft_ms
    assert soft is not None
    return soft


@given(TIMES, st.integers(0, 60_000), st.none() | st.integers(0, 200), st.integers(0, 5_000))
def test_no_move_uses_all_the_time(
    remaining: int, inc: int, moves_to_go: int | None, overhead: int
) -> None:
    limit = clock_limit(remaining, inc, moves_to_go, overhead)
    assert limit.soft_ms is not None
    assert limit.hard_ms is not None
    assert 1 <= limit.soft_ms <= limit.hard_ms
    most = 0.8 if moves_to_go == 1 else 0.5
    assert limit.hard_ms <= max(1, most * remaining - overhead)


@settings(max_examples=40)
@given(
    st.integers(200, 600_000),
    st.sampled_from([0, 10, 20, 100, 1_000, 10_000]),
    st.none() | st.integers(1, 60),
    st.integers(0, MOVE_OVERHEAD_MS),
)
def test_player_at_the_hard_limit_never_loses_on_time(
    base: int, inc: int, moves_to_go: int | None, cost: int
) -> None:
    """With an increment that the overhead does not eat up, or a time control to come."""
    remaining, left = base, moves_to_go
    moves = 300 if cost < inc or moves_to_go is not None else 10
    for _ in range(moves):
        remaining -= hard_ms(remaining, inc, left) + cost
        if moves_to_go is None or base > 100 * moves_to_go:
            assert remaining > 0
        remaining = max(remaining, 0) + inc
        if left is not None:
            left -= 1
            if left == 0:
                left, remaining = moves_to_go, remaining + base


@pytest.mark.parametrize("inc", [0, 10, 20, 50, 100])
@pytest.mark.parametrize("pace", [0.6, 1.0, 1.4])
def test_clock_keeps_the_overhead_of_future_moves(inc: int, pace: float) -> None:
    """However small the increment, the clock settles where a machine that is busy for a moment
    loses no game: at the overhead of as many moves as are expected. From two seconds on the clock
    two hundred moves are played here, each with ``pace`` times what the soft limit plans, or up to
    the hard limit, and 2 ms of overhead. Without an increment it lasts for sixty."""
    remaining = 2_000.0
    for move in range(200):
        remaining -= min(pace * soft_ms(int(remaining), inc) / 0.6, hard_ms(int(remaining), inc))
        remaining -= 2
        if inc >= 10 or move < 60:
            assert remaining > 200
        remaining += inc


def test_overhead_is_reserved_for_each_move() -> None:
    few, many = clock_limit(4_000, 20, None, 0), clock_limit(4_000, 20, None, 50)
    assert few.soft_ms is not None and many.soft_ms is not None
    # 41 times 50 ms less for 40 moves.
    assert few.soft_ms - many.soft_ms == pytest.approx(0.6 * 50 * 41 / 40, abs=1)
    assert clock_limit(60_000, 0, 1, 500).hard_ms == 60_000 * 0.8 - 500


def test_more_time_and_fewer_moves_mean_more_time_per_move() -> None:
    assert soft_ms(10_000) < soft_ms(60_000) < soft_ms(600_000)
    assert soft_ms(60_000) < soft_ms(60_000, 1_000)
    assert soft_ms(60_000) < soft_ms(60_000, 0, 5) < soft_ms(60_000, 0, 1)


@given(TIMES, st.integers(0, 60_000))
def test_zero_moves_to_go_means_unknown(remaining: int, inc: int) -> None:
    assert clock_limit(remaining, inc, 0) == clock_limit(remaining, inc, None)


def test_game_uses_most_of_its_time() -> None:
    # Sixty moves that each take the soft limit use most of the clock, and leave something.
    remaining = 60_000
    for _ in range(60):
        remaining -= soft_ms(remaining)
    assert 10_000 < remaining < 30_000


@pytest.mark.parametrize("movetime", [0, 1, 2, 50, 100, 1_000])
def test_move_time_is_used_except_for_a_millisecond(movetime: int) -> None:
    limit = movetime_limit(movetime)
    assert limit.soft_ms is None
    assert limit.hard_ms == max(1, movetime - 1)
