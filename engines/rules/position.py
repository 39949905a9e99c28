"""What a game is in Python: immutable positions, from which boards, books and searches are made.

The rules of a game stand in one file of this package, as a class of positions. Chess alone has
none: python-chess is its rules (:mod:`engines.rules.chess_rules`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, Self

from msgspec import Struct


class GameEnding(Struct, frozen=True):
    """How the rules of a game end it."""

    reason: str
    """A value of :class:`toolkit.referee.outcome.EndReason`, such as ``no-moves``."""
    winner: bool | None
    """True for White, False for Black, None for a draw."""


class Position(Protocol):
    """A position of a game, immutable. Moves are two-byte codes of the game, none of them 0."""

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""

    @property
    def reversible_plies(self) -> int:
        """Plies since the last move that cannot be taken back; 0 where none can. Positions before
        that move cannot occur again."""

    @classmethod
    def read(cls, text: str) -> Self:
        """The position in ``text``. Raises PositionError with one line."""

    def __str__(self) -> str:
        """The text from which :meth:`read` makes an equal position."""

    def moves(self) -> Sequence[int]:
        """All legal moves, in ascending order; none only where the game is over."""

    def after(self, move: int) -> Self:
        """The position after a legal move."""

    def ending(self) -> GameEnding | None:
        """How the game has ended here by the position alone; None where it goes on. Repetitions are
        the board's business."""

    def key(self) -> Hashable:
        """Equal for positions that are the same under the rule of repetition."""

    def spelled(self, move: int) -> str:
        """A legal move as people write it, such as ``d3`` or ``22x15``; no other legal move here
        is written the same way."""

    def squares(self) -> str:
        """As :meth:`engines.rules.board.Board.squares`."""

    def marked(self, move: int) -> Sequence[int]:
        """As :meth:`engines.rules.board.Board.marked`."""

    def tally(self) -> str:
        """As :meth:`engines.rules.board.Board.tally`."""
