"""Counts of results, worst first: three of games, five of game pairs by points."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import StatisticsError


def checked_counts(counts: Sequence[int]) -> tuple[int, ...]:
    """The counts as a tuple.

    :raises StatisticsError: not three or five counts, or a negative one.
    """
    if len(counts) not in (3, 5):
        raise StatisticsError(
            f"expected 3 counts (losses, draws, wins) or 5 (pairs by points), not {len(counts)}"
        )
    if any(count < 0 for count in counts):
        raise StatisticsError(f"counts must not be negative: {', '.join(map(str, counts))}")
    return tuple(int(count) for count in counts)


def swapped(counts: Sequence[int]) -> tuple[int, ...]:
    """The same results from the other player's view."""
    return tuple(reversed(counts))
