"""What the statistics refuse."""

from __future__ import annotations


class StatisticsError(ValueError):
    """Counts or settings from which the statistic cannot be computed; one line that says why."""
