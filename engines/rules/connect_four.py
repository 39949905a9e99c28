"""Connect Four: seven columns of six rows; four in a row win, and a full board is a draw.

A board is one number, as in the core: seven bits a column, from the bottom, the topmost of which is
always empty, so that no line runs from one column into the next. A move is its column, from 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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

COLUMNS = 7
ROWS = 6
SQUARES = COLUMNS * ROWS
STRIDE = ROWS + 1
"""Bits of a column."""
START = "-" * SQUARES + " x"
"""The text of the empty board."""
LETTERS = "abcdefg"


def region(columns: range, rows: range) -> int:
    """The squares of some columns and rows."""
    return sum(1 << column * STRIDE + row for column in columns for row in rows)


WAYS = (
    (1, region(range(COLUMNS), range(3))),
    (STRIDE, region(range(4), range(ROWS))),
    (STRIDE + 1, region(range(4), range(3))),
    (STRIDE - 1, region(range(4), range(3, ROWS))),
)
"""The ways in which a line runs, up, along a row and along the diagonals: the distance of its
squares, and the squares where one starts."""

_TEXT_ORDER = [c * STRIDE + r for r in reversed(range(ROWS)) for c in range(COLUMNS)]
_BOTTOM = region(range(COLUMNS), range(1))


class ConnectFourPosition(Struct, frozen=True):
    """A position, see :class:`engines.rules.position.Position`."""

    white: int
    """Discs of the player who began."""
    black: int

    @property
    def white_to_move(self) -> bool:
        """White, after as many discs of both."""
        return self.white.bit_count() == self.black.bit_count()

    @property
    def reversible_plies(self) -> int:
        """No disc is ever taken back."""
        return 0

    @property
    def own(self) -> int:
        """Discs of the side to move."""
        return self.white if self.white_to_move else self.black

    @property
    def other(self) -> int:
        """Discs of the side that moved last."""
        return self.black if self.white_to_move else self.white

    @property
    def empty_squares(self) -> int:
        """So many plies are left at most."""
        return SQUARES - (self.white | self.black).bit_count()

    @classmethod
    def read(cls, text: str) -> Self:
        """The position in a text: the squares row by row from the top, a blank, and the side to
        move. Raises PositionError."""
        fault = _fault_in(text)
        if fault is None:
            squares = list(zip(_TEXT_ORDER, text, strict=False))
            white, black = (sum(1 << at for at, disc in squares if disc == side) for side in "xo")
            fault = _fault_of(white, black, text[-1])
        if fault is not None:
            raise PositionError(f"`{text}` is not a position of Connect Four: {fault}")
        return cls(white, black)

    def __str__(self) -> str:
        squares = "".join(self._disc(square) for square in _TEXT_ORDER)
        return f"{squares} {'x' if self.white_to_move else 'o'}"

    def moves(self) -> Sequence[int]:
        """The columns that are not full, from 1."""
        if has_four(self.other):
            return []
        filled = self.white | self.black
        tops = (filled >> column * STRIDE + ROWS - 1 & 1 for column in range(COLUMNS))
        return [column for column, top in enumerate(tops, 1) if not top]

    def after(self, move: int) -> Self:
        """The position after a legal move."""
        disc = self._landing(move)
        if self.white_to_move:
            return type(self)(self.white | disc, self.black)
        return type(self)(self.white, self.black | disc)

    def ending(self) -> GameEnding | None:
        """Four in a row, or a full board."""
        if has_four(self.other):
            return GameEnding("four-in-a-row", not self.white_to_move)
        return GameEnding("full-board", None) if self.empty_squares == 0 else None

    def key(self) -> Hashable:
        """The position itself."""
        return (self.white, self.black)

    def spelled(self, move: int) -> str:
        """The letter of the column."""
        return move_name(move)

    def squares(self) -> str:
        """The discs, row by row from the top."""
        return "".join(self._disc(square) for square in _TEXT_ORDER).replace("-", NOTHING)

    def marked(self, move: int) -> Sequence[int]:
        """The square to which the disc of a legal move falls."""
        return [_TEXT_ORDER.index(self._landing(move).bit_length() - 1)]

    def tally(self) -> str:
        """Empty: Connect Four has no points."""
        return ""

    def _landing(self, move: int) -> int:
        """The lowest empty square of a column that is not full, as a bit."""
        filled = self.white | self.black
        return filled + (1 << (move - 1) * STRIDE) & region(range(move - 1, move), range(ROWS))

    def _disc(self, square: int) -> str:
        if self.white >> square & 1:
            return "x"
        return "o" if self.black >> square & 1 else "-"


def move_name(move: int) -> str:
    """The name of a move, which says as much as its code."""
    return LETTERS[move - 1] if 1 <= move <= COLUMNS else f"{move:#x}"


def move_code(name: str) -> int:
    """The inverse of :func:`move_name` for legal moves. Raises PositionError."""
    if len(name) != 1 or name not in LETTERS:
        raise PositionError(f"`{name}` is not a move of Connect Four, such as d")
    return LETTERS.index(name) + 1


def has_four(discs: int) -> bool:
    """Whether four of these discs are in a row."""
    for distance, _ in WAYS:
        pairs = discs & discs >> distance
        if pairs & pairs >> 2 * distance:
            return True
    return False


def _fault_in(text: str) -> str | None:
    """What is wrong with the form of a text."""
    board, blank, side = text.partition(" ")
    if not blank:
        return "it is a board, a space and a side"
    if len(board) != SQUARES:
        return "a board has 42 squares"
    if not set(board) <= set("xo-"):
        return "a square is `x`, `o` or `-`"
    return None if side in ("x", "o") else "the side is `x` or `o`"


def _fault_of(white: int, black: int, side: str) -> str | None:
    """What is wrong with a board and the side to move."""
    filled = white | black
    # Over what is filled from the bottom, adding 1 to each column leaves one bit a column.
    if filled & filled + _BOTTOM:
        return "a disc hangs in the air"
    if white.bit_count() - black.bit_count() != (0 if side == "x" else 1):
        return "White begins, and the sides take turns"
    own = white if side == "x" else black
    return "the side to move has four in a row" if has_four(own) else None


def _board(text: str) -> Board:
    return position_board(ConnectFourPosition.read, text, white_begins=True)


LOOK = Look(
    columns=COLUMNS,
    squares=tuple(f"{letter}{row}" for row in range(ROWS, 0, -1) for letter in LETTERS),
    pieces={"x": Piece("disc", white=True), "o": Piece("disc", white=False)},
    checkered=False,
)
RULES = Rules(
    game="connect-four",
    title="Connect Four",
    moves_version=5,
    start=START,
    board=_board,
    replay=_board,
    move_name=move_name,
    move_code=move_code,
    adjudicable=Adjudicable(draw_cp=None, resign_cp=None),
    default_book="connect-four-1k",
    default_suite="connect-four-1k",
    look=LOOK,
    tag="Connect Four",
)
