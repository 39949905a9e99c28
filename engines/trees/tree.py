"""A game tree that is known as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engines.recorded import TreePlace

TREE = "tree"
"""The game of trees made by hand; variants that search them have it as the parameter ``game``."""
MOST_NODES = 10_000
"""Nodes of a tree at most; one that stands twice counts twice."""
MOST_PLIES = 60
"""Plies from the root to a leaf at most."""
MOST_VALUE = 30_000
"""Greatest size of a leaf's value; mates lie beyond."""
MOST_PLACES = 2_000
"""Places of a tree that are listed at most."""


@dataclass(frozen=True, slots=True)
class GameTree:
    """Nodes by number, the last one is the root. A node that stands twice is a transposition.

    Values are as the side to move at the root, MAX, sees them.
    """

    children: tuple[tuple[int, ...], ...]
    """Of each node; children have smaller numbers. A leaf has none."""
    values: tuple[int | None, ...]
    """Of leaves."""
    names: tuple[str, ...]
    """Of nodes that have one, else empty."""
    heights: tuple[int, ...]
    """Plies from each node to the deepest leaf below it."""
    sizes: tuple[int, ...]
    """Nodes of each subtree, counted as often as they stand in it."""

    @property
    def root(self) -> int:
        """The number of the root."""
        return len(self.children) - 1

    @property
    def height(self) -> int:
        """Plies from the root to the deepest leaf."""
        return self.heights[-1]

    def moves(self, node: int) -> list[str]:
        """Names of the moves to the children: a child's name, or its place from 1."""
        names = list[str]()
        for place, child in enumerate(self.children[node], 1):
            name = self.names[child] or str(place)
            names.append(f"{name}-{place}" if name in names else name)
        return names

    def minimax(self, node: int, is_max: bool) -> int:
        """The value of a node by plain minimax; MAX is to move or not."""
        value = self.values[node]
        if value is not None:
            return value
        below = [self.minimax(child, not is_max) for child in self.children[node]]
        return max(below) if is_max else min(below)

    def value_of(self, move: str) -> int:
        """The minimax value of a move of the root."""
        child = self.children[self.root][self.moves(self.root).index(move)]
        return self.minimax(child, is_max=False)

    def places(self) -> list[TreePlace] | None:
        """All places, parents first, from left to right; None if there are too many."""
        if self.sizes[-1] > MOST_PLACES:
            return None
        rows = list[TreePlace]()

        def add(node: int, parent: int, move: str) -> None:
            row = len(rows)
            rows.append(TreePlace(parent, move, self.names[node], self.values[node]))
            for child, name in zip(self.children[node], self.moves(node), strict=True):
                add(child, row, name)

        add(self.root, -1, "")
        return rows

    def __str__(self) -> str:
        """The tree as text; a named node is written where it stands first."""
        written = set[int]()

        def parts(node: int) -> Iterator[str]:
            if (value := self.values[node]) is not None:
                yield str(value)
                return
            yield self.names[node]
            if node not in written:
                written.add(node)
                yield f"({' '.join(''.join(parts(child)) for child in self.children[node])})"

        return "".join(parts(self.root))
