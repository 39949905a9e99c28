"""The time manager: how much time a move may take. Pure functions of the clock.

Whatever changes here changes timed games: raise :data:`engines.limit.TIME_MANAGER` with it.
"""

from __future__ import annotations

from engines.spec import SearchLimit

MOVE_OVERHEAD_MS = 10
"""What a move costs beside its search, where nobody says otherwise: pipes, scheduling, a slow
user interface."""

_POLL_MS = 1
"""A search looks at the clock at least this often."""
_HORIZON = 40
"""Moves that a clock without a time control in sight has to last for."""


def clock_limit(
    remaining_ms: int,
    inc_ms: int = 0,
    moves_to_go: int | None = None,
    overhead_ms: int = MOVE_OVERHEAD_MS,
) -> SearchLimit:
    """The limit of the next move of a player with ``remaining_ms`` on the clock.

    ``inc_ms`` is added after each move; ``moves_to_go``: moves until time is added; ``None`` or 0
    for the rest of the game. The time, and three quarters of the increments of the moves expected,
    less the overhead of each of them and of one more, are shared out evenly. So the clock settles
    well above zero, by about that overhead, however small the increment is. No move may take more
    than half of what remains, or four fifths when it is the last before time is added.
    """
    remaining, inc = max(0, remaining_ms), max(0, inc_ms)
    moves = min(moves_to_go or _HORIZON, _HORIZON)
    budget = remaining + 0.75 * (moves - 1) * inc - (moves + 1) * overhead_ms
    # Where the overhead would eat up everything, it is better to hope that it is less.
    share = max(budget / moves, remaining / 100)
    most = (0.8 if moves == 1 else 0.5) * remaining - overhead_ms
    hard = max(1, min(3 * share, most))
    # An iteration takes several times as long as the one before: starting one late is a waste.
    soft = max(1, min(0.6 * share, 0.6 * hard))
    return SearchLimit(soft_ms=int(soft), hard_ms=int(hard))


def movetime_limit(movetime_ms: int) -> SearchLimit:
    """The limit of a move that may take ``movetime_ms`` and no longer: all but what may pass
    between two looks at the clock."""
    return SearchLimit(hard_ms=max(1, movetime_ms - _POLL_MS))
