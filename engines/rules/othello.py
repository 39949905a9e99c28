"""Othello: the rules, written to be read.

Squares count from a1 in the top left corner (0) along the rows to h8 (63); a board is a set of
squares as the bits of an int. The code of a move is its square plus one, that of a pass is 65. A
pass is a move that is legal only where there is no other and the opponent has one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Self

from msgspec import Struct

from engines.errors import PositionError
from engines.rules.board import (
    NOTHING,
    Adjudicable,
    Board,
    Look,
    Piece,
    Rules,
    position_board,
)
from engines.rules.position import GameEnding

START = "---------------------------OX------XO--------------------------- X"
"""The position in which a game starts."""
PASS = 65
"""The code of a pass."""
SQUARES = range(64)

BLACK, WHITE, EMPTY = "X", "O", "-"

_ALL = (1 << 64) - 1
_NOT_A = 0xFEFE_FEFE_FEFE_FEFE
_NOT_H = 0x7F7F_7F7F_7F7F_7F7F

Step = Callable[[int], int]
"""Moves every square of a board one step; squares that leave the board vanish."""

STEPS: tuple[Step, ...] = (
    lambda board: board >> 9 & _NOT_H,
    lambda board: board >> 8,
    lambda board: board >> 7 & _NOT_A,
    lambda board: board >> 1 & _NOT_H,
    lambda board: board << 1 & _NOT_A,
    lambda board: board << 7 & _NOT_H & _ALL,
    lambda board: board << 8 & _ALL,
    lambda board: board << 9 & _NOT_A & _ALL,
)
"""One step in each of the eight directions."""


class OthelloPosition(Struct, frozen=True):
    """The discs of both sides and whose turn it is."""

    black: int
    """Squares with a black disc."""
    white: int
    """Squares with a white disc."""
    white_to_move: bool

    @classmethod
    def read(cls, text: str) -> Self:
        """The position in ``text``: 64 characters from a1 on, ``X`` for Black, ``O`` for White
        and ``-`` where it is empty, a space, and ``X`` or ``O`` for the side to move. Raises
        PositionError."""
        reason = _fault(text)
        if reason is not None:
            raise PositionError(f"`{text}` is not a legal othello position: {reason}")
        board, side = text.split(" ", 1)
        black = sum(1 << square for square in SQUARES if board[square] == BLACK)
        white = sum(1 << square for square in SQUARES if board[square] == WHITE)
        return cls(black, white, side == WHITE)

    def __str__(self) -> str:
        board = "".join(self._disc(square) for square in SQUARES)
        return f"{board} {WHITE if self.white_to_move else BLACK}"

    @property
    def own(self) -> int:
        """Discs of the side to move."""
        return self.white if self.white_to_move else self.black

    @property
    def other(self) -> int:
        """Discs of the opponent."""
        return self.black if self.white_to_move else self.white

    @property
    def empty(self) -> int:
        """The empty squares."""
        return ~(self.black | self.white) & _ALL

    @property
    def reversible_plies(self) -> int:
        """Always 0: no disc leaves the board, and no two passes follow each other."""
        return 0

    def moves(self) -> Sequence[int]:
        """All legal moves, in ascending order; none only where the game is over."""
        targets = placements(self.own, self.other)
        if targets:
            return [square + 1 for square in SQUARES if targets >> square & 1]
        return [PASS] if placements(self.other, self.own) else []

    def after(self, move: int) -> Self:
        """The position after a legal move."""
        if move == PASS:
            return self._turned(self.own, self.other)
        square = 1 << (move - 1)
        turned = flips(self.own, self.other, square)
        return self._turned(self.own | square | turned, self.other & ~turned)

    def ending(self) -> GameEnding | None:
        """How the game has ended; None where a side can still place a disc."""
        if placements(self.own, self.other) or placements(self.other, self.own):
            return None
        black, white = self.black.bit_count(), self.white.bit_count()
        return GameEnding("most-discs", None if black == white else white > black)

    def key(self) -> Hashable:
        """The position itself: no position occurs twice in a game."""
        return self.black, self.white, self.white_to_move

    def spelled(self, move: int) -> str:
        """A legal move: its square, such as ``d3``, or ``pass``."""
        return move_name(move)

    def squares(self) -> str:
        """The discs, row by row from a1."""
        return str(self)[: len(SQUARES)].replace(EMPTY, NOTHING)

    def marked(self, move: int) -> Sequence[int]:
        """The square of a disc; none for a pass."""
        return () if move == PASS else (move - 1,)

    def tally(self) -> str:
        """The discs of both sides at the end."""
        if self.ending() is None:
            return ""
        return f"{self.white.bit_count()}-{self.black.bit_count()}"

    def _disc(self, square: int) -> str:
        if self.black >> square & 1:
            return BLACK
        return WHITE if self.white >> square & 1 else EMPTY

    def _turned(self, own: int, other: int) -> Self:
        """The position with these discs of the side that has moved and of its opponent."""
        black, white = (other, own) if self.white_to_move else (own, other)
        return type(self)(black, white, not self.white_to_move)


def move_name(move: int) -> str:
    """The name of a move, which says as much as its code."""
    if move == PASS:
        return "pass"
    row, column = divmod(move - 1, 8)
    return f"{'abcdefgh'[column]}{row + 1}"


def placements(own: int, other: int) -> int:
    """The empty squares on which ``own`` may place a disc: behind a run of ``other``."""
    found = 0
    for step in STEPS:
        run = step(own) & other
        for _ in range(5):
            run |= step(run) & other
        found |= step(run)
    return found & ~(own | other)


def flips(own: int, other: int, square: int) -> int:
    """The discs of ``other`` that a disc of ``own`` on ``square`` (one bit) turns over: every run
    between it and another disc of ``own``."""
    found = 0
    for step in STEPS:
        run, end = 0, step(square)
        while end & other:
            run |= end
            end = step(end)
        if end & own:
            found |= run
    return found


def _fault(text: str) -> str | None:
    """What is wrong with the text of a position."""
    board, space, side = text.partition(" ")
    if not space:
        return "the side to move is missing"
    if side not in (BLACK, WHITE):
        return f"the side to move is X or O, not `{side}`"
    if len(board) != len(SQUARES):
        return f"a board has 64 squares, this one has {len(board)}"
    strange = next((disc for disc in board if disc not in (BLACK, WHITE, EMPTY)), None)
    if strange is not None:
        return f"a square is X, O or -, not `{strange}`"
    return "the board is empty" if set(board) == {EMPTY} else None


def move_code(name: str) -> int:
    """The inverse of :func:`move_name`. Raises PositionError."""
    if name == "pass":
        return PASS
    if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
        raise PositionError(f"`{name}` is not a move of Othello, such as d3 or pass")
    return 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) + 1


def _board(text: str) -> Board:
    return position_board(OthelloPosition.read, text)


LOOK = Look(
    columns=8,
    squares=tuple(move_name(square + 1) for square in SQUARES),
    pieces={BLACK: Piece("disc", white=False), WHITE: Piece("disc", white=True)},
    checkered=False,
)
RULES = Rules(
    game="othello",
    title="Othello",
    moves_version=3,
    start=START,
    board=_board,
    replay=_board,
    move_name=move_name,
    move_code=move_code,
    balanced=300,
    adjudicable=Adjudicable(draw_cp=None, resign_cp=None),
    default_book="othello-4k",
    default_suite="othello-4k",
    look=LOOK,
    tag="Othello",
)
