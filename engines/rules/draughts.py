"""English draughts (checkers).

The 32 dark squares have the numbers of PDN, 1 to 32. Black's men start on 1 to 12, move first, and
go down the board to higher numbers; White's start on 21 to 32. Men step and capture forward only,
kings in all four diagonal directions, always one square at a time. Captures are compulsory, with a
free choice among them; a capture goes on until the piece can jump no more, and takes no man twice.
A man that reaches the last row is crowned, which ends its move. Each distinct path of jumps is a
move, also of two that take the same men. A side without a legal move has lost. The game is drawn
when a position comes for the third time, and after forty moves of each side without a capture or
a move of a man.

A move is ``from | to << 5 | capture << 10 | path << 11`` with squares from 0. ``path`` numbers the
captures with the same ends in the lexicographic order of the squares where they land; at most nine
share them. The native core has the same code (``engines/core/games/draughts``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
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

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
"""The text of the position in which a game starts."""
EMPTY = NOTHING
"""A square of :attr:`DraughtsPosition.board` on which nothing stands."""

_LIMIT = 80
"""Plies without a capture or a move of a man that draw: forty moves of each side."""
_MOST = 12
"""At most so many men and kings has a side."""
_CAPTURE = 1 << 10

_Square = int
"""A dark square from 0, row by row from the top: the number of PDN less one."""
_Path = tuple[_Square, ...]
"""The squares on which a piece stands in a move, the first and the last included."""

_UP = ((-1, -1), (-1, 1))
_DOWN = ((1, -1), (1, 1))
_DIRECTIONS = {"b": _DOWN, "w": _UP, "B": _UP + _DOWN, "W": _UP + _DOWN}
"""Rows and columns by which each kind of piece goes; capitals are kings."""

_ITEM = re.compile(r"(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?")
_COUNT = re.compile(r"[HF][0-9]{1,3}")
_NAME = re.compile(r"([0-9]{1,2})([-x])([0-9]{1,2})(?:/([0-9]{1,2}))?")


class DraughtsPosition(Struct, frozen=True):
    """A position of draughts, immutable."""

    board: str
    """32 characters, a square each: ``b`` and ``w`` for men, ``B`` and ``W`` for kings, ``.``."""
    white_to_move: bool
    """Whose turn it is."""
    reversible_plies: int
    """Plies since the last capture or move of a man."""

    @classmethod
    def read(cls, text: str) -> Self:
        """The position in ``text``, as PDN writes it in its tag FEN: ``B:W21,22,K31:B1-12``.

        A field ``H`` has the plies since the last capture or move of a man; ``F`` is ignored.
        Raises PositionError with one line.
        """
        try:
            return cls(*_parse(text.strip().removesuffix(".").split(":")))
        except PositionError as error:
            raise PositionError(f"`{text}` is not a draughts position: {error}") from None

    def __str__(self) -> str:
        """The canonical text: White before Black, numbers ascending, ``:H`` only where not 0."""
        clock = f":H{self.reversible_plies}" if self.reversible_plies else ""
        turn = "W" if self.white_to_move else "B"
        return f"{turn}:W{self._squares('w')}:B{self._squares('b')}{clock}"

    def moves(self) -> list[int]:
        """All legal moves, in ascending order; none only where the side to move has lost."""
        return sorted(_legal(self.board, self.white_to_move))

    def after(self, move: int) -> Self:
        """The position after a legal move. Raises PositionError where it is not legal."""
        path = self.path(move)
        board = list(self.board)
        piece = board[path[0]]
        for square in (path[0], *_jumped(path)):
            board[square] = EMPTY
        board[path[-1]] = piece.upper() if _is_last_row(piece, path[-1]) else piece
        reversible = piece.isupper() and not move & _CAPTURE
        clock = self.reversible_plies + 1 if reversible else 0
        return type(self)("".join(board), not self.white_to_move, clock)

    def ending(self) -> GameEnding | None:
        """A side without a move has lost; that counts before the draw by forty moves."""
        if not _legal(self.board, self.white_to_move):
            return GameEnding("no-moves", not self.white_to_move)
        return GameEnding("forty-moves", None) if self.reversible_plies >= _LIMIT else None

    def key(self) -> tuple[str, bool]:
        """The board and whose turn it is."""
        return self.board, self.white_to_move

    def spelled(self, move: int) -> str:
        """A legal move as in PDN: ``11-15``, ``15x22``, and with all squares where it lands
        (``2x9x18x11x2``) where others share its ends. Raises PositionError where it is illegal."""
        path = self.path(move)
        if not move & _CAPTURE:
            return f"{path[0] + 1}-{path[-1] + 1}"
        ends = move & 0x3FF
        alone = sum(ends == code & 0x3FF for code in _legal(self.board, self.white_to_move)) == 1
        shown = (path[0], path[-1]) if alone else path
        return "x".join(str(square + 1) for square in shown)

    def squares(self) -> str:
        """The board with its light squares, Black's home row first."""
        squares = (_at(row, column) for row in range(8) for column in range(8))
        return "".join(EMPTY if square is None else self.board[square] for square in squares)

    def marked(self, move: int) -> Sequence[int]:
        """The squares on which the piece stands in a legal move."""
        return [8 * row + column for row, column in map(_place, self.path(move))]

    def tally(self) -> str:
        """Empty: draughts has no points."""
        return ""

    def path(self, move: int) -> _Path:
        """The squares of a legal move, from 0. Raises PositionError where it is not legal."""
        path = _legal(self.board, self.white_to_move).get(move)
        if path is None:
            raise PositionError(f"move {move_name(move)} is not legal in `{self}`")
        return path

    def taken(self, move: int) -> str:
        """What a legal move takes, in the letters of :attr:`board`."""
        return "".join(self.board[square] for square in _jumped(self.path(move)))

    def must_capture(self) -> bool:
        """Whether the legal moves are captures."""
        return any(move & _CAPTURE for move in _legal(self.board, self.white_to_move))

    def _squares(self, man: str) -> str:
        kinds = {man: "", man.upper(): "K"}
        pieces = enumerate(self.board, 1)
        return ",".join(f"{kinds[piece]}{n}" for n, piece in pieces if piece in kinds)


def move_name(move: int) -> str:
    """The name of a code, which needs no position: ``11-15``, ``15x22``, and ``15x22/1`` for the
    second capture with these ends. Hexadecimal where the code means no move."""
    if not 0 <= move < 1 << 16:
        return hex(move)
    sign = "x" if move & _CAPTURE else "-"
    path = f"/{move >> 11}" if move >> 11 else ""
    return f"{(move & 31) + 1}{sign}{(move >> 5 & 31) + 1}{path}"


def move_of_name(name: str) -> int:
    """The code with this :func:`move_name`. Raises PositionError when the text is none."""
    found = _NAME.fullmatch(name)
    if found is not None:
        start, end, path = int(found[1]) - 1, int(found[3]) - 1, int(found[4] or 0)
        code = start | end << 5 | (found[2] == "x") * _CAPTURE | path << 11
        if 0 <= start < 32 and 0 <= end < 32 and path < 32 and code and move_name(code) == name:
            return code
    raise PositionError(f"`{name}` is not a move of draughts, such as 11-15 or 15x22")


# The board ----------------------------------------------------------------------------------------


def _place(square: _Square) -> tuple[int, int]:
    """Row and column; even rows have the odd columns."""
    row = square // 4
    return row, 2 * (square % 4) + (row + 1) % 2


def _at(row: int, column: int) -> _Square | None:
    """The dark square there; None for light squares and off the board."""
    inside = 0 <= row < 8 and 0 <= column < 8
    return 4 * row + column // 2 if inside and (row + column) % 2 else None


def _neighbours(square: _Square, distance: int) -> dict[tuple[int, int], _Square]:
    row, column = _place(square)
    found = {(d, r): _at(row + distance * d, column + distance * r) for d, r in _UP + _DOWN}
    return {direction: there for direction, there in found.items() if there is not None}


STEPS = tuple(_neighbours(square, 1) for square in range(32))
"""By square: the neighbour in each direction (rows down, columns right) that has one."""
JUMPS = tuple(_neighbours(square, 2) for square in range(32))
"""By square: where a jump in each direction lands."""


def _is_last_row(piece: str, square: _Square) -> bool:
    return square // 4 == {"b": 7, "w": 0}.get(piece)


def _jumped(path: _Path) -> list[_Square]:
    """The squares over which a path jumps."""
    jumped = []
    for before, after in zip(path, path[1:], strict=False):
        for direction, landing in JUMPS[before].items():
            if landing == after:
                jumped.append(STEPS[before][direction])
    return jumped


# Moves --------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)
def _legal(board: str, white_to_move: bool) -> Mapping[int, _Path]:
    """The squares of each legal move, by its code."""
    own = "wW" if white_to_move else "bB"
    starts = [square for square, piece in enumerate(board) if piece in own]
    captures = sorted(path for start in starts for path in _captures(board, start))
    if not captures:
        steps = (path for start in starts for path in _steps(board, start))
        return MappingProxyType({path[0] | path[1] << 5: path for path in steps})
    moves: dict[int, _Path] = {}
    for path in captures:
        code = path[0] | path[-1] << 5 | _CAPTURE
        while code in moves:
            code += 1 << 11
        moves[code] = path
    return MappingProxyType(moves)


def _steps(board: str, start: _Square) -> Iterator[_Path]:
    for direction in _DIRECTIONS[board[start]]:
        there = STEPS[start].get(direction)
        if there is not None and board[there] == EMPTY:
            yield start, there


def _captures(board: str, start: _Square) -> Iterator[_Path]:
    """The complete paths of captures of the piece on a square."""
    piece = board[start]
    enemies = "bB" if piece in "wW" else "wW"

    def follow(path: _Path, jumped: frozenset[_Square]) -> Iterator[_Path]:
        complete = True
        for direction in _DIRECTIONS[piece]:
            landing = JUMPS[path[-1]].get(direction)
            if landing is None or (board[landing] != EMPTY and landing != start):
                continue
            over = STEPS[path[-1]][direction]
            if board[over] in enemies and over not in jumped:
                complete = False
                yield from follow((*path, landing), jumped | {over})
        if complete and jumped:
            yield path

    return follow((start,), frozenset())


# Texts --------------------------------------------------------------------------------------------


def _parse(fields: list[str]) -> tuple[str, bool, int]:
    """Board, turn and clock of the fields of a text."""
    turn, *rest = fields
    if turn not in ("B", "W"):
        raise PositionError(f"the side to move is B or W, not `{turn}`")
    sides: dict[str, dict[_Square, str]] = {}
    counts: dict[str, int] = {}
    for field in rest:
        letter = field[:1]
        if letter not in ("B", "W", "H", "F"):
            raise PositionError(f"the field `{field}` is unknown")
        if letter in "BW":
            pieces = _read_squares(field[1:], letter.lower())
        elif not _COUNT.fullmatch(field):
            raise PositionError(f"`{field}` is not {letter} and up to three digits")
        if letter in sides or letter in counts:
            raise PositionError(f"the field {letter} comes twice")
        if letter in "BW":
            sides[letter] = pieces
        else:
            counts[letter] = int(field[1:])
    if len(sides) < 2:
        raise PositionError("the men of both sides are needed, as in B:W32:B1")
    return _read_board(sides), turn == "W", counts.get("H", 0)


def _read_squares(text: str, man: str) -> dict[_Square, str]:
    """The pieces of one side, by square, in a list such as ``21,22,K31`` or ``1-12``."""
    pieces: dict[_Square, str] = {}
    for item in text.split(",") if text else ():
        found = _ITEM.fullmatch(item)
        first = int(found[2]) if found else 0
        last = int(found[3] or first) if found else 0
        if found is None or not (1 <= first <= 32 and 1 <= last <= 32):
            raise PositionError(f"`{item}` is not a square from 1 to 32")
        if first > last:
            raise PositionError(f"the range `{item}` is empty")
        for square in range(first - 1, last):
            if square in pieces:
                raise PositionError(f"square {square + 1} is named twice")
            pieces[square] = man.upper() if found[1] else man
    return pieces


def _read_board(sides: dict[str, dict[_Square, str]]) -> str:
    """The board of the pieces of both sides. Raises PositionError where it is impossible."""
    shared = sides["B"].keys() & sides["W"].keys()
    if shared:
        raise PositionError(f"square {min(shared) + 1} is named twice")
    for letter, name in (("B", "Black"), ("W", "White")):
        pieces = sides[letter]
        for square in sorted(pieces):
            if _is_last_row(pieces[square], square):
                raise PositionError(f"a man of {name} on square {square + 1} would be a king")
        if len(pieces) > _MOST:
            raise PositionError(f"{name} has more than {_MOST} men")
    together = sides["B"] | sides["W"]
    if not together:
        raise PositionError("the board is empty")
    return "".join(together.get(square, EMPTY) for square in range(32))


def _play(text: str) -> Board:
    return position_board(DraughtsPosition.read, text)


_SQUARES = [_at(row, column) for row in range(8) for column in range(8)]
LOOK = Look(
    columns=8,
    squares=tuple("" if square is None else str(square + 1) for square in _SQUARES),
    pieces={
        "W": Piece("king", white=True, shape="crowned disc"),
        "w": Piece("man", white=True),
        "B": Piece("king", white=False, shape="crowned disc"),
        "b": Piece("man", white=False),
    },
    checkered=True,
    numbered=True,
)
RULES = Rules(
    game="draughts",
    title="English draughts",
    moves_version=4,
    start=START,
    board=_play,
    replay=_play,
    move_name=move_name,
    move_code=move_of_name,
    adjudicable=Adjudicable(draw_cp=None, resign_cp=400),
    default_book="draughts-4k",
    default_suite="draughts-4k",
    look=LOOK,
    decided_at=1000,
    tag="English draughts",
    game_type="21,B,8,8,N1,0",
)
