"""How much time a move may take. Pure functions of the clock."""

from __future__ import annotations

from engines.spec import SearchLimit

OVERHEAD_MS = 25
"""What passes between the search and the clock: pipes, scheduling, a slow poll of the limit."""

_MOVES_LEFT = 30
"""Moves that a clock without a time control in sight has to last for."""


def clock_limit(remaining_ms: int, inc_ms: int = 0, moves_to_go: int | None = None) -> SearchLimit:
    """The limit of the next move of a player with ``remaining_ms`` on the clock.

    ``inc_ms`` is added after each move; ``moves_to_go``: moves until time is added, ``None`` for
    the rest of the game. The hard limit leaves a margin, however little remains: a search of at
    most this length never loses on time, as long as the overhead stays below the margin.
    """
    usable = _less_margin(remaining_ms)
    moves = min(max(1, moves_to_go or _MOVES_LEFT), _MOVES_LEFT)
    share = usable / moves + 0.75 * max(0, inc_ms)
    most = 0.9 * usable if moves == 1 else 0.4 * usable
    # An iteration takes several times as long as the one before: starting one late is a waste.
    soft = min(0.6 * share, 0.6 * most)
    hard = min(2.0 * share, most)
    return SearchLimit(soft_ms=max(1, int(soft)), hard_ms=max(1, int(hard)))


def movetime_limit(movetime_ms: int) -> SearchLimit:
    """The limit of a move that may take ``movetime_ms`` and no longer."""
    return SearchLimit(hard_ms=max(1, int(_less_margin(movetime_ms))))


def _less_margin(time_ms: int) -> float:
    """What remains after the overhead; at least half of very little."""
    return max(time_ms - OVERHEAD_MS - time_ms / 50, time_ms / 2, 1)
