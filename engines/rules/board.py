"""A game that is being played: what a referee, a book and a page ask of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from engines.rules.position import GameEnding, Position

REPETITION = "threefold-repetition"
"""The end of a game whose position has occurred for the third time."""


class Board(Protocol):
    """A position and the way to it since the start of the game."""

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""

    @property
    def in_core(self) -> object | None:
        """What stands in the core for this board, which may also play on by itself; None without
        it."""

    def moves(self) -> Sequence[int]:
        """The two-byte codes of all legal moves, in ascending order."""

    def push(self, code: int) -> bool:
        """Play the move of that code; False, and nothing done, when it is illegal."""

    def ending(self) -> GameEnding | None:
        """How the rules end the game after the last push; None if it continues.

        Call this exactly once after every push, because it counts the position.
        """

    def text(self) -> str:
        """The position as text. The way to it is not in it."""

    def place(self, *, clocks: bool = False) -> str:
        """What a line of a book has of the position; ``clocks``: with those of the game, and a
        semicolon at its end."""

    def spelled(self, code: int) -> str:
        """A legal move as people write it in this position."""

    def number(self) -> int:
        """The number of the next move of the side to move, from 1."""

    def begins_number(self) -> bool:
        """Whether the next move is the first one of its number: that of the side that begins the
        game."""

    def is_check(self) -> bool:
        """Whether the side to move is in check; False where a game knows no check."""

    def squares(self) -> str:
        """What stands where: a character for each square of :attr:`Look.squares`, a piece or
        :data:`NOTHING`."""

    def marked(self, code: int) -> Sequence[int]:
        """The squares that a legal move concerns, as places in :meth:`squares`, in the order in
        which its piece stands on them."""

    def tally(self) -> str:
        """The points of a finished game for people, White's first, such as ``23-41``; empty where
        the rules have not ended it, and in games without points."""


NOTHING = "."
"""A square without a piece in :meth:`Board.squares`."""


class Piece(Struct, frozen=True):
    """One kind of piece of one side."""

    name: str
    """In words, such as ``king``."""
    white: bool
    shape: Literal["figure", "disc", "crowned disc"] = "disc"
    """How a page draws it; figures are those of chess."""
    symbol: str = ""
    """On a terminal that is not plain; empty: its letter."""


class Look(Struct, frozen=True):
    """How the boards of a game are drawn, with White below."""

    columns: int
    squares: tuple[str, ...]
    """The names of all squares, row by row from the top; empty for one that is not played on."""
    pieces: Mapping[str, Piece]
    """By the letters of :meth:`Board.squares`, the most important first."""
    checkered: bool
    """Whether squares are light and dark by turns; the one in the upper left corner is light."""
    numbered: bool = False
    """Whether each square shows its name; else a letter for each column and a number for each row
    stand at the edge."""


LETTERED = tuple(f"{file}{rank}" for rank in range(8, 0, -1) for file in "abcdefgh")
"""The squares of a board of 8 x 8 with a1 in the lower left corner."""


def diagram(look: Look, squares: str, *, plain: bool) -> list[str]:
    """A position (:meth:`Board.squares`) as lines for a terminal, with coordinates; ``plain``: in
    ASCII."""
    drawn = [
        " " if not name else letter if plain else _symbol(look, letter)
        for name, letter in zip(look.squares, squares, strict=True)
    ]
    lines = []
    for first in range(0, len(drawn), look.columns):
        named = [name for name in look.squares[first : first + look.columns] if name]
        label = f"{named[0]}-{named[-1]}".rjust(5) if look.numbered else named[0][1:]
        lines.append(f"{label}  {' '.join(drawn[first : first + look.columns])}".rstrip())
    if not look.numbered:
        lines.append(f"   {' '.join(name[0] for name in look.squares[: look.columns])}")
    return lines


def _symbol(look: Look, letter: str) -> str:
    return "·" if letter == NOTHING else look.pieces[letter].symbol or letter


class Adjudicable(Struct, frozen=True):
    """What search values of a game say about its result, for the default adjudication."""

    draw_cp: int | None
    """Values this near to 0 for long mean a draw; None: they mean nothing."""
    resign_cp: int | None
    """Values beyond this for long mean a decided game; None: they do not."""


class Rules(Struct, frozen=True):
    """A game as everything outside of this package sees it."""

    game: str
    """The value of the parameter ``game`` of its players."""
    title: str
    """For people."""
    moves_version: int
    """Marks the codes of its moves in stored games."""
    start: str
    """The position in which it usually begins."""
    board: Callable[[str], Board]
    """The game that begins in this position. Raises PositionError."""
    replay: Callable[[str], Board]
    """The same by a second implementation, where there is one, to check the first one."""
    move_name: Callable[[int], str]
    """The name of a code, whatever the position; searches report moves by it."""
    move_code: Callable[[str], int]
    """The inverse. Raises PositionError."""
    adjudicable: Adjudicable
    default_book: str
    """The built-in book whose openings are played without another choice."""
    default_suite: str
    """The built-in suite, or book, whose positions the laboratory searches."""
    look: Look
    balanced: int = 50
    """A line of a book counts as balanced within ± this, in units of the evaluation."""
    decided_at: int | None = None
    """A chart draws greater values at its edge, because they say no more than that the game is
    decided. None: every value counts."""
    tag: str = ""
    """The tag ``Variant`` of a game in PGN."""
    game_type: str = ""
    """The tag ``GameType`` of a game in PGN, by which readers of PDN know its rules."""
    chess960: bool = False
    """Whether players must be told that it is Chess960."""
    uci: bool = False
    """Whether UCI engines play it, its files are EPD, FEN, PGN and Polyglot books, and endgame
    tablebases know it."""


def position_board(
    read: Callable[[str], Position], text: str, *, white_begins: bool = False
) -> PositionBoard:
    """The board that begins in the position in ``text``; ``white_begins``: who begins the game.
    Raises PositionError."""
    return PositionBoard(read(text), white_begins)


class PositionBoard:
    """A board of a game whose rules are a class of positions."""

    __slots__ = ("_counts", "_plies", "position")
    in_core = None

    def __init__(self, position: Position, white_begins: bool) -> None:
        self.position = position
        self._plies = int(position.white_to_move != white_begins)
        self._counts: Counter[Hashable] = Counter({position.key(): 1})

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""
        return self.position.white_to_move

    def moves(self) -> Sequence[int]:
        """All legal moves."""
        return self.position.moves()

    def push(self, code: int) -> bool:
        """Play a move; False if it is illegal."""
        if code not in self.position.moves():
            return False
        self.position = self.position.after(code)
        self._plies += 1
        return True

    def ending(self) -> GameEnding | None:
        """How the game has ended; counts the position."""
        ended = self.position.ending()
        if ended is not None and ended.winner is not None:
            return ended
        if self.position.reversible_plies == 0:
            self._counts.clear()
        key = self.position.key()
        self._counts[key] += 1
        return GameEnding(REPETITION, None) if self._counts[key] >= 3 else ended

    def text(self) -> str:
        """The position as text."""
        return str(self.position)

    def place(self, *, clocks: bool = False) -> str:
        """The position; it has no other clocks than its text."""
        return f"{self.position};" if clocks else str(self.position)

    def spelled(self, code: int) -> str:
        """A legal move as people write it."""
        return self.position.spelled(code)

    def number(self) -> int:
        """The number of the next move; both sides have one of each number."""
        return self._plies // 2 + 1

    def begins_number(self) -> bool:
        """Whether it is the move of the side that begins the game."""
        return self._plies % 2 == 0

    def is_check(self) -> bool:
        """No game but chess has it."""
        return False

    def squares(self) -> str:
        """What stands where."""
        return self.position.squares()

    def marked(self, code: int) -> Sequence[int]:
        """The squares that a legal move concerns."""
        return self.position.marked(code)

    def tally(self) -> str:
        """The points of a finished game."""
        return self.position.tally()
