"""Trees as games: every node is the way to it, so none is reached in two ways."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Sequence

from engines.reference.search.game import Game, M
from engines.reference.search.ordering import Ordering

Node = tuple[int, ...]
"""The moves that lead to a node from the root."""


class PathGame:
    """A game whose nodes are their paths: all moves are quiet, no node ends the game, and every
    leaf may stand pat. What is left to say is which moves a node has, and what a leaf is worth."""

    def __init__(self) -> None:
        self._path: list[int] = []

    def key(self) -> Hashable:
        """The node itself."""
        return tuple(self._path)

    def moves(self) -> Sequence[int]:
        """All children, from left to right."""
        raise NotImplementedError

    def has_move(self) -> bool:
        """No node ends the game."""
        return True

    def terminal_value(self) -> int:
        """Never asked."""
        raise AssertionError("no node ends the game")

    def static(self) -> int:
        """The value of a leaf for its side to move."""
        raise NotImplementedError

    def is_forced(self) -> bool:
        """Every node may stand pat."""
        return False

    def captures(self) -> Sequence[int]:
        """None."""
        return ()

    def promise(self, move: int) -> int:
        """All moves are quiet."""
        return 0

    def push(self, move: int) -> None:
        """Go to a child."""
        self._path.append(move)

    def pop(self) -> None:
        """Go back."""
        self._path.pop()

    def is_path_draw(self) -> bool:
        """Never."""
        return False

    def near_path_draw(self, depth: int) -> bool:
        """Never."""
        return False


class RandomTree(PathGame):
    """A tree of fixed depth whose widths and values are random."""

    def __init__(self, seed: int, depth: int, width: int, span: int) -> None:
        """Nodes have 1 to ``width`` children, leaves have values from ``-span`` to ``span``."""
        super().__init__()
        rng = random.Random(seed)
        self.depth = depth
        self._widths: dict[Node, int] = {}
        self._values: dict[Node, int] = {}
        level: list[Node] = [()]
        for _ in range(depth):
            for node in level:
                self._widths[node] = rng.randint(1, width)
            level = [(*node, i) for node in level for i in range(self._widths[node])]
        for node in level:
            self._values[node] = rng.randint(-span, span)
        self.evaluated: list[Node] = []
        """The leaves that searches evaluated, as often as they did so."""

    def children(self, node: Node) -> list[Node]:
        """The nodes below, from left to right; none at a leaf."""
        return [(*node, i) for i in range(self._widths.get(node, 0))]

    def value(self, leaf: Node) -> int:
        """The value of a leaf for the side to move at the root."""
        return self._values[leaf]

    def moves(self) -> Sequence[int]:
        """All children, from left to right."""
        return range(self._widths[tuple(self._path)])

    def static(self) -> int:
        """The value of a leaf for its side to move."""
        leaf = tuple(self._path)
        self.evaluated.append(leaf)
        return self._values[leaf] * (1 if self.depth % 2 == 0 else -1)


class FixedOrder(Ordering[M]):
    """Children from left to right, whatever the table says."""

    def sort(self, game: Game[M], moves: Iterable[M], first: M | None) -> list[M]:
        """The moves as they are."""
        return list(moves)
