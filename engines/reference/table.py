"""The transposition table: per node a lower and an upper bound, and the move that was best."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic

from engines.reference.game import INFINITY, M

ENTRIES_PER_MB = 2**15
"""Entries that one megabyte stands for, at 32 bytes each as a compact table would take."""


@dataclass(slots=True)
class Entry(Generic[M]):
    """What is known of one node at one depth."""

    key: Hashable
    depth: int
    lower: int = -INFINITY
    upper: int = INFINITY
    move: M | None = None


class Table(Generic[M]):
    """At most ``size`` entries, one a slot; a new entry replaces the old one.

    The full key is compared, so an entry never answers for another node.
    """

    def __init__(self, size: int, *, both_bounds: bool = True) -> None:
        """Without ``both_bounds`` an entry keeps only the bound that was found last, or a value."""
        self.size = size
        self._both_bounds = both_bounds
        self._slots: dict[int, Entry[M]] = {}

    def clear(self) -> None:
        """Forget everything."""
        self._slots.clear()

    def probe(self, key: Hashable) -> Entry[M] | None:
        """The entry of the node, at whatever depth it was searched."""
        entry = self._slots.get(hash(key) % self.size)
        return entry if entry is not None and entry.key == key else None

    def store(
        self, key: Hashable, depth: int, move: M | None, lower: int | None, upper: int | None
    ) -> None:
        """Keep a bound or two. A bound that is not given stays, when key and depth are the same;
        so does the move."""
        entry = self.probe(key)
        if entry is None or entry.depth != depth:
            known_move = entry.move if entry is not None else None
            entry = Entry(key, depth, move=known_move)
            self._slots[hash(key) % self.size] = entry
        elif not self._both_bounds and (lower, upper) != (None, None):
            entry.lower, entry.upper = -INFINITY, INFINITY
        if lower is not None:
            entry.lower = lower
        if upper is not None:
            entry.upper = upper
        if move is not None:
            entry.move = move


def table_size(hash_mb: int, entries: int) -> int:
    """The number of entries that a variant asks for; 0 for no table."""
    return entries or hash_mb * ENTRIES_PER_MB
