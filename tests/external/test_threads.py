"""Engines that use more threads than they should, by their CPU time."""

from __future__ import annotations

from collections.abc import Callable

from engines.external.threads import ThreadWatch

Failing = Callable[..., list[str]]


def test_cpu_time_beyond_threads_is_reported(failing: Failing) -> None:
    def check(threads: int, wall_ms: int, cpu_ms: int, is_told: bool) -> None:
        watch = ThreadWatch(threads)
        for _ in range(10):
            watch.add(100 * wall_ms, 100 * cpu_ms)
        assert (watch.take_remark() is not None) == is_told

    assert not failing(
        check,
        [
            (1, 2000, 3900, True),
            (1, 2000, 2000, False),
            (1, 2000, 2400, False),  # an input thread
            (1, 2000, 2600, True),
            (1, 2000, 600, False),  # a busy machine
            (1, 900, 9000, False),  # too little to judge
            (4, 2000, 7900, False),
            (4, 2000, 8600, True),
            (1, 2000, 0, False),  # where the system does not tell
        ],
    )


def test_short_games_are_added_up() -> None:
    watch = ThreadWatch(1)
    told = []
    for game in range(30):
        watch.add(100_000, 300_000 if game < 10 else 100_000)
        told.append(watch.take_remark())
    assert [game for game, remark in enumerate(told) if remark] == [9]
    assert told[9] == "used more CPU time than one thread can, so it disturbs games beside it"
