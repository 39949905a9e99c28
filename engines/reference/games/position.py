"""A game whose rules are a class of positions as a :class:`~engines.reference.search.game.Game`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from engines.reference.evaluation.tapered import LIMIT, round_to_grain
from engines.rules.position import Position
from engines.spec import MATE_BOUND


class Judgement(Protocol):
    """What a search needs to know of a game besides its rules. Positions are of its own class."""

    reversible_limit: int | None
    """Plies without an irreversible move that draw; None where every move is one."""

    def value(self, position: Any) -> int:
        """Value for the side to move, before swing and grain."""

    def is_forced(self, position: Any) -> bool:
        """Whether the side to move has no free choice."""

    def captures(self, position: Any) -> Sequence[int]:
        """The moves of quiescence where nothing is forced."""

    def promise(self, position: Any, move: int) -> int:
        """How early to try a move: above 0 for a capture, 0 for a quiet move."""

    def terminal_value(self, position: Any) -> int:
        """The value of a position without moves."""


class PositionGame:
    """The positions since the start of the game, and the leaves' evaluation."""

    def __init__(
        self, positions: Sequence[Position], judgement: Judgement, grain: int, swing: int
    ) -> None:
        """``positions``: of the game so far, the present one last; ``swing`` is added to every
        value for the side to move."""
        self._stack = list(positions)
        self._names: list[int] = []
        self._judgement = judgement
        self._grain = grain
        self._swing = swing

    @property
    def position(self) -> Position:
        """The present position."""
        return self._stack[-1]

    def played(self, plies: int) -> Sequence[int]:
        """The last moves of the search."""
        return self._names[len(self._names) - plies :]

    def key(self) -> Hashable:
        """That of the position."""
        return self.position.key()

    def moves(self) -> Sequence[int]:
        """All legal moves."""
        return self.position.moves()

    def has_move(self) -> bool:
        """Whether there is a legal move."""
        return bool(self.position.moves())

    def terminal_value(self) -> int:
        """What the game is worth that ends here, rounded to the grain unless it is a mate."""
        value = self._judgement.terminal_value(self.position)
        return value if abs(value) >= MATE_BOUND else round_to_grain(value, self._grain)

    def static(self) -> int:
        """The evaluation of the variant, rounded to its grain."""
        value = self._judgement.value(self.position) + self._swing
        return round_to_grain(max(-LIMIT, min(LIMIT, value)), self._grain)

    def is_forced(self) -> bool:
        """Whether the side to move has no free choice."""
        return self._judgement.is_forced(self.position)

    def captures(self) -> Sequence[int]:
        """The moves of quiescence."""
        return self._judgement.captures(self.position)

    def promise(self, move: int) -> int:
        """How early to try a move."""
        return self._judgement.promise(self.position, move)

    def push(self, move: int) -> None:
        """Play a legal move."""
        self._stack.append(self.position.after(move))
        self._names.append(move)

    def pop(self) -> None:
        """Take the last move back."""
        self._stack.pop()
        self._names.pop()

    def is_path_draw(self) -> bool:
        """Repetition (once is enough inside a search), or a draw by the count of moves."""
        position = self.position
        clock = position.reversible_plies
        if clock >= 4:
            key, earlier = position.key(), self._stack[-3 : -clock - 2 : -2]
            if any(one.key() == key for one in earlier):
                return True
        limit = self._judgement.reversible_limit
        return limit is not None and clock >= limit and self.has_move()

    def near_path_draw(self, depth: int) -> bool:
        """Whether such a draw by the count of moves may come within ``depth`` plies."""
        limit = self._judgement.reversible_limit
        return limit is not None and self.position.reversible_plies + depth >= limit
