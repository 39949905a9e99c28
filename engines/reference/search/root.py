"""The root of one iteration, as drivers see it."""

from __future__ import annotations

from typing import Generic, Protocol

from engines.reference.search.game import M
from engines.reference.search.nodes import Tree


class RootMoves(Protocol):
    """The moves of the root, which a driver searches one by one."""

    @property
    def count(self) -> int:
        """How many there are."""

    def test(self, place: int, beta: int) -> int:
        """A pass over one move alone, by the null window at ``beta``: its fail-soft value."""

    def choose(self, place: int) -> None:
        """Tell that the move at this place was proved to be the best."""


class Root(Generic[M]):
    """The passes of one iteration over a tree; it is the :class:`RootMoves` of its driver."""

    def __init__(self, tree: Tree[M], depth: int, first: M | None) -> None:
        """``first`` is the best move of the iteration before."""
        self._tree = tree
        self._depth = depth
        self._moves = tree.ordering.sort(tree.game, tree.root_moves(), first)
        self._lines: dict[int, list[M]] = {}

    def search(self, alpha: int, beta: int) -> int:
        """One pass over all moves."""
        return self._tree.search_root(self._depth, alpha, beta)

    @property
    def count(self) -> int:
        """How many moves there are."""
        return len(self._moves)

    def test(self, place: int, beta: int) -> int:
        """A pass over one move alone, by the null window at ``beta``: its fail-soft value."""
        value, line = self._tree.search_root_move(self._depth, self._moves[place], beta)
        if value >= beta:
            self._lines[place] = line
        return value

    def choose(self, place: int) -> None:
        """Keep the proved move, with the line of its last null window that failed high."""
        line = self._lines[place]
        self._tree.log.line, self._tree.log.proven = line, True
        self._tree.store_root_move(self._depth, line[0])
