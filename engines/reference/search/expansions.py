"""Which nodes an iteration expands more than once: the price of passes that start at the root."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Expansions:
    """The nodes of the running iteration whose moves were searched."""

    expanded: int = 0
    """Of the running pass."""
    re_expanded: int = 0
    """Those of them whose position had been expanded at the same depth before, in the iteration."""
    _places: set[tuple[Hashable, int]] = field(default_factory=set)

    def begin_pass(self, first: bool) -> None:
        """A pass begins; ``first``: and with it an iteration."""
        if first:
            self._places = set()
        self.expanded = self.re_expanded = 0

    def know(self, key: Hashable, depth: int) -> bool:
        """Whether the position was expanded at this depth before."""
        return (key, depth) in self._places

    def add(self, key: Hashable, depth: int) -> None:
        """Count a node whose moves were searched."""
        self.expanded += 1
        self.re_expanded += self.know(key, depth)
        self._places.add((key, depth))
