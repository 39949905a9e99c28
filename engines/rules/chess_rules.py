"""Boards of chess on python-chess: a fast one for the referee, a plain one to check it.

For the referee, python-chess keeps the position. Questions that it answers slowly are answered here
from its bitboards, exactly and in a few microseconds: whether a move is legal, whether there is any
legal move, and how often the position has occurred. Tests compare all answers with python-chess's.
"""

from __future__ import annotations

from collections.abc import Sequence

import chess

from engines.errors import PositionError
from engines.moves import decode_move
from engines.rules.board import REPETITION, Board
from engines.rules.chess_start import board_at
from engines.rules.position import GameEnding

_QUEEN_LINES = tuple(
    sum(1 << other for other in range(64) if chess.ray(square, other)) & ~(1 << square)
    for square in range(64)
)
"""Squares that share a rank, file or diagonal with a square; only pieces there can be pinned."""
_LAST_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8
_START_RANKS = (chess.BB_RANK_7, chess.BB_RANK_2)
_PROMOTIONS = (None, None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)

_Key = tuple[int, ...]


class ChessBoard:
    """What both boards answer by python-chess."""

    __slots__ = ("board",)
    board: chess.Board

    @property
    def white_to_move(self) -> bool:
        """Whose turn it is."""
        return self.board.turn

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


class ReplayBoard(ChessBoard):
    """A game by python-chess's own rules, slow and plain."""

    __slots__ = ()

    def __init__(self, fen: str, chess960: bool = False) -> None:
        """Raises PositionError for a text that is no FEN."""
        try:
            self.board = board_at(fen, chess960=chess960)
        except ValueError as error:
            raise PositionError(f"`{fen}` is not a position: {error}") from error

    def push(self, code: int) -> bool:
        """Play the move of that code; False if it is illegal."""
        try:
            move = _move(code)
        except ValueError:
            return False
        if not self.board.is_legal(move):
            return False
        self.board.push(move)
        return True

    def ending(self) -> GameEnding | None:
        """How the game has ended by python-chess's rules."""
        board = self.board
        if board.is_checkmate():
            return GameEnding("checkmate", not board.turn)
        if board.is_stalemate():
            return GameEnding("stalemate", None)
        if board.is_insufficient_material():
            return GameEnding("insufficient-material", None)
        if board.is_repetition(3):
            return GameEnding(REPETITION, None)
        return GameEnding("fifty-moves", None) if board.halfmove_clock >= 100 else None


def _move(code: int) -> chess.Move:
    """The move of a code. Raises ValueError for the code of none."""
    try:
        return chess.Move.from_uci(decode_move(code))
    except (ValueError, IndexError):
        raise ValueError(f"{code:#06x} is not a move") from None


class RuleBoard(ChessBoard):
    """The position and state of one game, which starts at ``fen``; ``chess960``: by the rules of
    Chess960, and with its codes of castling.

    Raises PositionError if that is not a legal position.
    """

    __slots__ = ("_counts", "_moves", "in_check")

    def __init__(self, fen: str, chess960: bool = False) -> None:
        try:
            self.board = chess.Board(fen, chess960=chess960)
        except ValueError as error:
            raise PositionError(f"`{fen}` is not a position: {error}") from error
        if not self.board.is_valid():
            raise PositionError(f"`{fen}` is not a legal position")
        # python-chess keeps rights without a rook until the next move; keys need them clean.
        self.board.castling_rights = self.board.clean_castling_rights()
        self._moves: dict[int, chess.Move] = {}
        self._counts: dict[_Key, int] = {}
        self.in_check = self.board.is_check()
        self._counts[self._key()] = 1

    def push(self, code: int) -> bool:
        """Play the move of that code (see engines.moves); False, and nothing done, when it is
        illegal."""
        if not self._is_legal(code):
            return False
        move = self._moves.get(code)
        if move is None:
            move = chess.Move(code & 63, code >> 6 & 63, _PROMOTIONS[code >> 12])
            self._moves[code] = move
        self.board.push(move)
        return True

    def ending(self) -> GameEnding | None:
        """How the game is over after the last push; None if it continues.

        Call this exactly once after every push, because it counts the position.
        """
        board = self.board
        turn = board.turn
        own = board.occupied_co[turn]
        king = (board.kings & own).bit_length() - 1
        self.in_check = in_check = bool(board.attackers_mask(not turn, king))
        if (in_check or not self._surely_has_move(own, king)) and not any(
            board.generate_legal_moves()
        ):
            return GameEnding("checkmate", not turn) if in_check else GameEnding("stalemate", None)
        clock = board.halfmove_clock
        if clock == 0:
            # Material changes and positions become unreachable only here.
            if not (board.pawns | board.rooks | board.queens) and board.is_insufficient_material():
                return GameEnding("insufficient-material", None)
            self._counts.clear()
        key = self._key()
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        if count >= 3:
            return GameEnding(REPETITION, None)
        return GameEnding("fifty-moves", None) if clock >= 100 else None

    def _key(self) -> _Key:
        """Equal for equal positions since the last capture or pawn move, and only for these.

        Pawns and Black's pieces are not needed: between two such moves the rest determines them. An
        en passant capture counts if it is legal.
        """
        board = self.board
        key = (
            board.occupied_co[True],
            board.kings,
            board.queens,
            board.rooks,
            board.bishops,
            board.knights,
            board.castling_rights,
            board.turn,
        )
        if board.ep_square is not None and board.has_legal_en_passant():
            return (*key, board.ep_square)
        return key

    def _surely_has_move(self, own: int, king: int) -> bool:
        """Proof that the side to move, not in check, has a legal move; False proves nothing.

        A piece off the lines of its king is not pinned, so any free square will do.
        """
        board = self.board
        unpinned = own & ~_QUEEN_LINES[king]
        pawns = unpinned & board.pawns
        if (pawns << 8 if board.turn else pawns >> 8) & ~board.occupied:
            return True
        pieces = unpinned & ~board.pawns & ~board.kings
        while pieces:
            square = pieces.bit_length() - 1
            if board.attacks_mask(square) & ~own:
                return True
            pieces ^= 1 << square
        return False

    def _is_legal(self, code: int) -> bool:
        board = self.board
        start, end, promotion = code & 63, code >> 6 & 63, code >> 12
        start_bb, end_bb = 1 << start, 1 << end
        turn = board.turn
        own = board.occupied_co[turn]
        if not own & start_bb or promotion == 1 or promotion > 5:
            return False
        if own & end_bb:
            castles = board.chess960 and board.kings & start_bb and not promotion
            return bool(castles) and board.is_legal(chess.Move(start, end))
        if board.pawns & start_bb:
            if bool(promotion) != bool(end_bb & _LAST_RANKS):
                return False
            if end == board.ep_square and (end - start) & 7:
                return board.is_legal(chess.Move(start, end))
            if not self._pawn_reaches(start, end_bb):
                return False
        elif promotion:
            return False
        elif board.kings & start_bb:
            if not chess.BB_KING_ATTACKS[start] & end_bb:
                return board.is_legal(chess.Move(start, end))
            return not board.attackers_mask(not turn, end, board.occupied ^ start_bb)
        elif not board.attacks_mask(start) & end_bb:
            return False
        king = (board.kings & own).bit_length() - 1
        if not self.in_check and not _QUEEN_LINES[king] & start_bb:
            return True
        occupied = board.occupied & ~start_bb | end_bb
        return not board.attackers_mask(not turn, king, occupied) & ~end_bb

    def _pawn_reaches(self, start: int, end_bb: int) -> bool:
        """Whether a pawn's push or plain capture fits the position, its king aside."""
        board = self.board
        turn = board.turn
        if chess.BB_PAWN_ATTACKS[turn][start] & end_bb:
            return bool(board.occupied_co[not turn] & end_bb)
        start_bb = 1 << start
        empty = ~board.occupied
        one = (start_bb << 8 if turn else start_bb >> 8) & empty
        if one & end_bb:
            return True
        two = (one << 8 if turn else one >> 8) & empty
        return bool(two & end_bb and start_bb & _START_RANKS[turn])
