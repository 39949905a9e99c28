"""The clocks of a game."""

from __future__ import annotations

from msgspec.structs import replace

from engines.clock import clock_limit, movetime_limit
from engines.limit import TIME_MANAGER, Limit
from engines.spec import Clocks, MoveReport, SearchLimit
from toolkit.base.errors import EngineProblem


def check_time_manager(what: str, limit: Limit) -> None:
    """Raises EngineProblem for a timed limit of another version of the time manager."""
    if limit.is_timed and limit.time_manager != TIME_MANAGER:
        raise EngineProblem(
            f"{what} began with version {limit.time_manager} of the time manager and this program "
            f"has version {TIME_MANAGER}: its games would not be under one limit; start over"
        )


class GameClock:
    """The time of both sides of a game, in microseconds, each under its own limit.

    A side forfeits if it used more than its time plus the margin. With a limit of time or CPU time
    per move, it gets the full time again for each move. An external engine without a clock or a
    time per move has hung after ``patience_ms``.
    """

    __slots__ = ("_margin_ms", "_patience_ms", "_sides")

    def __init__(self, white: Limit, black: Limit, margin_ms: int, patience_ms: int) -> None:
        self._sides = (_Side(black), _Side(white))
        self._margin_ms = margin_ms
        self._patience_ms = patience_ms

    def remaining_ms(self, white: bool) -> int:
        """What White (``white`` true) or Black has left, at least 0."""
        return self._sides[white].remaining_ms

    def search_limit(self, white: bool) -> SearchLimit:
        """What the next search of that side may cost."""
        side = self._sides[white]
        limit = side.limit
        if not limit.is_timed:
            fixed = side.fixed
            if fixed is None:
                fixed = side.fixed = SearchLimit(
                    nodes=limit.nodes,
                    depth=limit.depth,
                    cpu_ms=limit.cpu_ms,
                    patience_ms=self._patience_ms,
                )
            return fixed
        if limit.movetime_ms is not None:
            timed = movetime_limit(limit.movetime_ms)
            patience_ms = limit.movetime_ms
        else:
            patience_ms = side.remaining_ms
            timed = clock_limit(patience_ms, limit.inc_ms, side.moves_to_go)
        return replace(
            timed,
            nodes=limit.nodes,
            depth=limit.depth,
            movetime_ms=limit.movetime_ms,
            clocks=None if limit.base_ms is None else self._clocks(side),
            patience_ms=patience_ms + self._margin_ms,
        )

    def spend(self, white: bool, report: MoveReport, elapsed_us: int) -> bool:
        """Book a move of that side, which took so long on the wall; False if it overstepped its
        time. Under a limit of CPU time, the CPU time of the search counts."""
        side = self._sides[white]
        used_us = elapsed_us if side.limit.cpu_ms is None else report.cpu_us
        return side.spend(used_us, 1000 * self._margin_ms)

    def overstepped_ms(self, white: bool) -> int:
        """By how much that side overstepped its time with the last move, in whole milliseconds,
        rounded up; 0 if it did not."""
        return -(-self._sides[white].overstepped_us // 1000)

    def _clocks(self, mover: _Side) -> Clocks:
        black, white = self._sides
        return Clocks(
            white_ms=white.remaining_ms,
            black_ms=black.remaining_ms,
            white_inc_ms=white.limit.inc_ms,
            black_inc_ms=black.limit.inc_ms,
            moves_to_go=mover.moves_to_go,
        )


class _Side:
    """One side: its limit, what it has left, and the moves it made."""

    __slots__ = ("_a_move_us", "_moves", "_remaining_us", "fixed", "limit", "overstepped_us")

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.fixed: SearchLimit | None = None
        """The limit of every search, where no clock changes it."""
        a_move_ms = limit.movetime_ms if limit.cpu_ms is None else limit.cpu_ms
        self._a_move_us = None if a_move_ms is None else 1000 * a_move_ms
        self._remaining_us = 1000 * (limit.base_ms or 0)
        self._moves = 0
        self.overstepped_us = 0
        """By how much the last move overstepped the time."""

    @property
    def remaining_ms(self) -> int:
        return max(self._remaining_us, 0) // 1000

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the base is added again; None for a clock that gets no base again."""
        moves = self.limit.moves
        return None if moves is None else moves - self._moves % moves

    def spend(self, used_us: int, margin_us: int) -> bool:
        """Book a move; False if it overstepped the time."""
        if self._a_move_us is not None:
            self.overstepped_us = max(used_us - self._a_move_us, 0)
            return self.overstepped_us <= margin_us
        if self.limit.base_ms is None:
            return True
        self._moves += 1
        left = self._remaining_us - used_us
        self.overstepped_us = max(-left, 0)
        self._remaining_us = max(left, 0) + 1000 * self.limit.inc_ms
        if self.limit.moves is not None and self._moves % self.limit.moves == 0:
            self._remaining_us += 1000 * self.limit.base_ms
        return self.overstepped_us <= margin_us
