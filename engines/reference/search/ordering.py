"""Which moves to try first. It changes the size of the tree, never its value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic

from engines.reference.search.game import Game, M


class Ordering(Generic[M]):
    """The table's move, captures by what they promise, then quiet moves by their history.

    History heuristic: J. Schaeffer, The history heuristic, ICCA Journal 6 (3), 1983.
    """

    def __init__(self) -> None:
        self._history: dict[M, int] = {}

    def clear(self) -> None:
        """Forget the history."""
        self._history.clear()

    def sort(self, game: Game[M], moves: Iterable[M], first: M | None) -> list[M]:
        """The moves, the most promising first."""
        history = self._history

        def key(move: M) -> tuple[bool, int, int]:
            return move != first, -game.promise(move), -history.get(move, 0)

        return sorted(moves, key=key)

    def reward(self, game: Game[M], move: M, depth: int) -> None:
        """Remember that a quiet move caused a cut-off above ``depth`` plies."""
        if game.promise(move) == 0:
            self._history[move] = self._history.get(move, 0) + depth * depth


class LeftToRight(Ordering[M]):
    """Moves in the order of the game, always: as figures of trees are searched in print."""

    def sort(self, game: Game[M], moves: Iterable[M], first: M | None) -> list[M]:
        """The moves."""
        return list(moves)
