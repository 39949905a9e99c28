"""What the search knows of a game, and how values travel between a node and its child."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

from engines.spec import MATE, MATE_BOUND

INFINITY = MATE + 1
"""Beyond every value; the open window is (-INFINITY, INFINITY)."""

M = TypeVar("M", bound=Hashable)
"""A move of the game at hand."""


class Game(Protocol[M]):
    """A two-player zero-sum game that stands at one node. Values are seen by the side to move."""

    def key(self) -> Hashable:
        """Equal for two nodes exactly when everything below them is equal in exact search."""

    def moves(self) -> Sequence[M]:
        """All legal moves; none at the end of the game."""

    def has_move(self) -> bool:
        """Whether there is a legal move, found as cheaply as can be."""

    def terminal_value(self) -> int:
        """The value of a node without moves: lost now (``-MATE``) or drawn (0)."""

    def static(self) -> int:
        """The static value, rounded to the grain."""

    def is_forced(self) -> bool:
        """Whether quiescence must try all moves here and may not stand pat."""

    def captures(self) -> Sequence[M]:
        """The moves of quiescence: captures that lose no material (SEE at least 0)."""

    def promise(self, move: M) -> int:
        """How early to try a move: above 0 for a capture, 0 for a quiet move."""

    def push(self, move: M) -> None:
        """Play a legal move."""

    def pop(self) -> None:
        """Take the last move back."""

    def is_path_draw(self) -> bool:
        """Whether the way to this node makes it a draw, whatever its children are worth."""

    def near_path_draw(self, depth: int) -> bool:
        """Whether such a draw by move count may come within ``depth`` plies."""


def from_child(value: int) -> int:
    """A child's value seen from its parent: negated, and a mate is one ply farther."""
    if value > MATE_BOUND:
        return 1 - value
    if value < -MATE_BOUND:
        return -value - 1
    return -value


def to_child(bound: int) -> int:
    """The child's bound that holds exactly when ``bound`` holds at the parent.

    The inverse of :func:`from_child`; no value lies between an evaluation and a mate.
    """
    if bound >= MATE_BOUND:
        return -bound - 1
    if bound <= -MATE_BOUND:
        return 1 - bound
    return -bound


def truncated(numerator: int, denominator: int) -> int:
    """The quotient, cut toward zero."""
    size = abs(numerator) // denominator
    return size if numerator >= 0 else -size
