"""What moves may cost: reading limits, and the clocks of a game."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from engines.clock import clock_limit, movetime_limit
from engines.spec import MAX_DEPTH, TIME_MANAGER, Limit, MoveReport, SearchLimit
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.ranges import check_whole

MAX_NODES = 10**12
MAX_TIME_MS = 7 * 24 * 3_600_000
"""A week, for a move or for a side of a game."""

_CLOCK = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(?:\+(\d{1,9}(?:\.\d{1,9})?))?")


def parse_clock(text: str) -> Limit:
    """A clock from ``BASE+INC`` or ``BASE`` in seconds, such as ``10+0.1``. Raises UsageError."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"clock `{text}`: expected BASE+INC in seconds, as in `10+0.1`")
    base_ms, inc_ms = (int(Decimal(part or "0") * 1000) for part in match.groups())
    return check_limit(Limit(base_ms=base_ms, inc_ms=inc_ms))


def check_limit(limit: Limit) -> Limit:
    """``limit`` itself, when it makes sense. Raises UsageError."""
    if limit.nodes is not None:
        check_whole("nodes a move", limit.nodes, 1, MAX_NODES)
    if limit.depth is not None:
        check_whole("depth", limit.depth, 1, MAX_DEPTH)
    if limit.movetime_ms is not None:
        check_whole("milliseconds a move", limit.movetime_ms, 1, MAX_TIME_MS)
    if limit.cpu_ms is not None:
        check_whole("milliseconds of CPU time a move", limit.cpu_ms, 1, MAX_TIME_MS)
        if limit.movetime_ms is not None or limit.base_ms is not None:
            raise UsageError("CPU time and time by the clock exclude each other")
    if limit.base_ms is not None:
        check_whole("milliseconds on the clock", limit.base_ms, 1, MAX_TIME_MS)
        check_whole("milliseconds of increment", limit.inc_ms, 0, MAX_TIME_MS)
        if limit.movetime_ms is not None:
            raise UsageError("a clock and a time a move exclude each other")
    elif limit.inc_ms:
        raise UsageError("an increment needs a clock")
    if limit == Limit():
        raise UsageError("a limit is missing: nodes, depth, time or CPU time a move, or a clock")
    return limit


def check_time_manager(what: str, limit: Limit) -> None:
    """Raises EngineProblem for a timed limit of another version of the time manager."""
    if limit.is_timed and limit.time_manager != TIME_MANAGER:
        raise EngineProblem(
            f"{what} began with version {limit.time_manager} of the time manager and this program "
            f"has version {TIME_MANAGER}: its games would not be under one limit; start over"
        )


def describe_limit(limit: Limit) -> str:
    """A limit in words, such as ``20000 nodes/move`` or ``10+0.1 s``. An older version of the time
    manager is named."""
    parts = []
    if limit.nodes is not None:
        parts.append(f"{limit.nodes} nodes/move")
    if limit.depth is not None:
        parts.append(f"depth {limit.depth}")
    if limit.movetime_ms is not None:
        parts.append(f"{limit.movetime_ms} ms/move")
    if limit.cpu_ms is not None:
        parts.append(f"{limit.cpu_ms} ms CPU/move")
    if limit.base_ms is not None:
        parts.append(f"{limit.base_ms / 1000:g}+{limit.inc_ms / 1000:g} s")
    if limit.is_timed and limit.time_manager != TIME_MANAGER:
        parts.append(f"time manager {limit.time_manager}")
    return ", ".join(parts)


class GameClock:
    """The time of both sides, in microseconds, under a time limit.

    A side forfeits if it used more than its time plus the margin. With a limit of time or CPU time
    per move, it gets the full time again for each move.
    """

    __slots__ = ("_inc_us", "_limit", "_margin_us", "_movetime_us", "_remaining_us")

    def __init__(self, limit: Limit, margin_ms: int) -> None:
        self._limit = limit
        a_move_ms = limit.movetime_ms if limit.cpu_ms is None else limit.cpu_ms
        self._movetime_us = None if a_move_ms is None else a_move_ms * 1000
        base_us = (limit.base_ms or 0) * 1000
        self._remaining_us = [base_us, base_us]
        self._inc_us = limit.inc_ms * 1000
        self._margin_us = margin_ms * 1000

    def remaining_ms(self, white: bool) -> int:
        """What White (``white`` true) or Black has left, at least 0."""
        return max(self._remaining_us[white], 0) // 1000

    def search_limit(self, white: bool) -> SearchLimit:
        """What the next search of that side may cost."""
        limit = self._limit
        if limit.cpu_ms is not None:
            timed = SearchLimit(cpu_ms=limit.cpu_ms)
        elif limit.movetime_ms is not None:
            timed = movetime_limit(limit.movetime_ms)
        else:
            timed = clock_limit(self.remaining_ms(white), limit.inc_ms)
        return replace(timed, nodes=limit.nodes, depth=limit.depth)

    def used_us(self, report: MoveReport, elapsed_us: int) -> int:
        """The time of a move by this clock: its CPU time, or the elapsed time."""
        return elapsed_us if self._limit.cpu_ms is None else report.cpu_us

    def spend(self, white: bool, elapsed_us: int) -> bool:
        """Book a move of that side; False when it overstepped its time."""
        if self._movetime_us is not None:
            return elapsed_us <= self._movetime_us + self._margin_us
        left = self._remaining_us[white] - elapsed_us
        self._remaining_us[white] = max(left, 0) + self._inc_us
        return left >= -self._margin_us
