"""Boards of chess: python-chess's, and one on the core for the referee, which is fast."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import chess

from engines.built import load
from engines.errors import PositionError
from engines.rules.board import REPETITION, Board
from engines.rules.chess_start import board_at
from engines.rules.position import GameEnding

if TYPE_CHECKING:
    from engines.built import ChessRules


def referee_board(fen: str, chess960: bool = False) -> ChessBoard:
    """The game that starts at ``fen``; ``chess960``: by the rules of Chess960, and with its codes
    of castling. Raises PositionError if that is not a legal position.

    The rules are the core's. Without it, and for a rare position that it does not take, they are
    python-chess's, which are slower.
    """
    start = legal_start(fen, chess960)
    core, _ = load()
    with suppress(ValueError):
        if core is not None:
            return CoreBoard(start, core.ChessRules(start.fen(), chess960))
    return ChessBoard(start)


def legal_start(fen: str, chess960: bool) -> chess.Board:
    """A legal position. Raises PositionError for another."""
    try:
        start = chess.Board(fen, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"`{fen}` is not a position: {error}") from error
    if not start.is_valid():
        raise PositionError(f"`{fen}` is not a legal position")
    return start


def replay_board(fen: str, chess960: bool = False) -> ChessBoard:
    """A game by python-chess's rules alone, from any position. Raises PositionError for a text that
    is no FEN."""
    try:
        return ChessBoard(board_at(fen, chess960=chess960))
    except ValueError as error:
        raise PositionError(f"`{fen}` is not a position: {error}") from error


class ChessBoard:
    """A game by python-chess's rules, slow and plain."""

    __slots__ = ("_board",)
    in_core: object | None = None

    def __init__(self, start: chess.Board) -> None:
        self._board = start

    @property
    def board(self) -> chess.Board:
        """The position, with the moves that led to it."""
        return self._board

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""
        return self.board.turn

    def push(self, code: int) -> bool:
        """Play the move of that code (see engines.moves); False, and nothing done, when it is
        illegal."""
        try:
            move = _move(code)
        except ValueError:
            return False
        board = self._board
        # A king that takes its rook castles in Chess960 alone; python-chess is not strict there.
        is_castling = board.occupied_co[board.turn] >> move.to_square & 1
        if (is_castling and not board.chess960) or not board.is_legal(move):
            return False
        board.push(move)
        return True

    def ending(self) -> GameEnding | None:
        """How the game has ended by python-chess's rules."""
        board = self._board
        if board.is_checkmate():
            return GameEnding("checkmate", not board.turn)
        if board.is_stalemate():
            return GameEnding("stalemate", None)
        if board.is_insufficient_material():
            return GameEnding("insufficient-material", None)
        if board.is_repetition(3):
            return GameEnding(REPETITION, None)
        return GameEnding("fifty-moves", None) if board.halfmove_clock >= 100 else None

    def moves(self) -> Sequence[int]:
        """All legal moves."""
        return sorted(
            move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
            for move in self.board.legal_moves
        )

    def text(self) -> str:
        """The FEN."""
        return self.board.fen()

    def place(self, *, clocks: bool = False) -> str:
        """EPD."""
        board = self.board
        told = f" hmvc {board.halfmove_clock}; fmvn {board.fullmove_number};"
        return board.epd() + (told if clocks else "")

    def spelled(self, code: int) -> str:
        """A legal move in SAN."""
        return self.board.san(_move(code))

    def number(self) -> int:
        """The number of the next move."""
        return self.board.fullmove_number

    def begins_number(self) -> bool:
        """White's move does."""
        return self.board.turn

    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        return self.board.is_check()

    def squares(self) -> str:
        """The pieces, row by row from a8."""
        return str(self.board).replace(" ", "").replace("\n", "")

    def marked(self, code: int) -> Sequence[int]:
        """The squares of the move, as its code has them."""
        return [(code & 63) ^ 56, (code >> 6 & 63) ^ 56]

    def tally(self) -> str:
        """Empty: chess has no points."""
        return ""


def chess_board(board: Board) -> chess.Board:
    """The position of a board of chess; no other game has what asks for it."""
    assert isinstance(board, ChessBoard)
    return board.board


class CoreBoard(ChessBoard):
    """A game by the rules of the core. python-chess follows when it is asked, not move by move."""

    __slots__ = ("in_core",)
    in_core: ChessRules

    def __init__(self, start: chess.Board, rules: ChessRules) -> None:
        super().__init__(start)
        self.in_core = rules

    @property
    def board(self) -> chess.Board:
        """The position, with the moves that led to it."""
        board = self._board
        for code in self.in_core.moves_from(len(board.move_stack)):
            board.push(_move(code))
        return board

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""
        return self.in_core.white_to_move()

    def push(self, code: int) -> bool:
        """Play the move of that code (see engines.moves); False, and nothing done, when it is
        illegal."""
        return self.in_core.push(code)

    def ending(self) -> GameEnding | None:
        """How the game is over after the last push; None if it continues.

        Call this exactly once after every push, because it counts the position.
        """
        ended = self.in_core.ending()
        return None if ended is None else GameEnding(*ended)


def _move(code: int) -> chess.Move:
    """The move of a code. Raises ValueError for the code of none."""
    promotion = code >> 12
    if promotion == chess.PAWN or promotion > chess.QUEEN:
        raise ValueError(f"{code:#06x} is not a move")
    return chess.Move(code & 63, code >> 6 & 63, promotion or None)
