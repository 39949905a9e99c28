"""The transposition table: per node a lower and an upper bound, and the move that was best."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic

from engines.reference.search.game import INFINITY, M

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
    search: int = 0
    """The number of the search that stored it."""

    @property
    def is_bounded(self) -> bool:
        """Whether it tells more than a move."""
        return (self.lower, self.upper) != (-INFINITY, INFINITY)

    def settled(self, alpha: int, beta: int) -> int | None:
        """The bound that answers for the whole window, if there is one."""
        if self.lower >= beta:
            return self.lower
        return self.upper if self.upper <= alpha or self.lower >= self.upper else None

    def inherit(self, old: Entry[M], *, both_bounds: bool) -> None:
        """Take over what an older entry of the node still tells: a move where there is no new one,
        and at the same depth the bounds that are not known, unless the new one contradicts them.

        Without ``both_bounds`` a new bound drops the older one.
        """
        if self.move is None:
            self.move = old.move
        if old.depth != self.depth or (self.is_bounded and not both_bounds):
            return
        if self.lower == -INFINITY and old.lower <= self.upper:
            self.lower = old.lower
        if self.upper == INFINITY and old.upper >= self.lower:
            self.upper = old.upper


@dataclass(frozen=True, slots=True)
class Replacement:
    """What makes room for a new entry: of the places that its key has, that of the shallowest
    entry, of equals the one stored first."""

    places: int
    plies_a_search: int = 0
    """Plies that an entry counts as shallower for each search since."""
    keeps_deeper: bool = False
    """Whether the new entry is not kept where all are deeper."""


_REPLACEMENTS = {
    "always": Replacement(places=1),
    "depth": Replacement(places=4, keeps_deeper=True),
    # D. Breuker, J. Uiterwijk and J. van den Herik, Replacement schemes for transposition tables,
    # ICCA Journal 17 (4) (1994), TwoDeep: the deepest stays, and beside it the newest.
    "two-tier": Replacement(places=2),
    "age": Replacement(places=4, plies_a_search=4),
}


class Table(Generic[M]):
    """Entries in buckets: ``size`` of them, rounded up to whole buckets.

    The full key is compared, so an entry never answers for another node. A node may have entries
    of several depths.
    """

    def __init__(self, size: int, *, both_bounds: bool = True, replacement: str = "age") -> None:
        """Without ``both_bounds`` an entry keeps only the bound that was found last, or a value."""
        self._replacement = _REPLACEMENTS[replacement]
        self._places = min(size, self._replacement.places)
        self._size = -(-size // self._places)
        self._both_bounds = both_bounds
        # Each bucket in the order of storing.
        self._buckets: dict[int, list[Entry[M]]] = {}
        self._entries = 0
        self._search = 0

    def clear(self) -> None:
        """Forget everything."""
        self._buckets.clear()
        self._entries = 0

    @property
    def permille(self) -> int:
        """Thousandths of the places that are filled."""
        return self._entries * 1000 // (self._size * self._places)

    def new_search(self) -> None:
        """Tell that a new search of the same game begins."""
        self._search += 1

    def probe(self, key: Hashable, depth: int) -> Entry[M] | None:
        """The entry of the node: that of exactly ``depth`` if there is one, else the deepest."""
        bucket = self._buckets.get(hash(key) % self._size, ())
        known = (entry for entry in bucket if entry.key == key)
        return max(known, key=lambda entry: (entry.depth == depth, entry.depth), default=None)

    def store(
        self, key: Hashable, depth: int, move: M | None, lower: int | None, upper: int | None
    ) -> None:
        """Keep a move, a bound or two; what is not given is not known.

        A shallower entry of the node is replaced, as is one of the same depth, from which the new
        one inherits; a deeper one is left. Otherwise the replacement makes room.
        """
        entry = Entry(key, depth, move=move, search=self._search)
        if lower is not None:
            entry.lower = lower
        if upper is not None:
            entry.upper = upper
        bucket = self._buckets.setdefault(hash(key) % self._size, [])
        before = len(bucket)
        for old in [one for one in bucket if one.key == key and one.depth <= depth]:
            entry.inherit(old, both_bounds=self._both_bounds)
            bucket.remove(old)
        if len(bucket) < self._places or self._make_room(bucket, depth):
            bucket.append(entry)
        self._entries += len(bucket) - before

    def _make_room(self, bucket: list[Entry[M]], depth: int) -> bool:
        """Drop the entry worth least, unless a new one of ``depth`` is not to be kept."""
        victim = min(bucket, key=self._worth)
        if self._replacement.keeps_deeper and victim.depth > depth:
            return False
        bucket.remove(victim)
        return True

    def _worth(self, entry: Entry[M]) -> int:
        searches_ago = self._search - entry.search
        return entry.depth - self._replacement.plies_a_search * searches_ago


def table_size(hash_mb: int, entries: int) -> int:
    """The number of entries that a variant asks for; 0 for no table."""
    return entries or hash_mb * ENTRIES_PER_MB
