"""Checks of numbers that users give."""

from __future__ import annotations

from toolkit.base.errors import UsageError

MAX_JOBS = 1024
"""The most worker processes of a run on one machine."""


def check_whole(name: str, value: int, low: int, high: int) -> int:
    """``value`` itself, a whole number from ``low`` to ``high``. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} ({value!r}) must be a whole number from {low} to {high}")
    if not low <= value <= high:
        raise UsageError(f"{name} ({value}) must be from {low} to {high}")
    return value
