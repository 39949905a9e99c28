"""Chess as a :class:`~engines.reference.search.game.Game`, on python-chess."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import chess

from engines.errors import PositionError
from engines.moves import decode_move
from engines.reference.evaluation.chess import LIMIT, Evaluation, round_to_grain
from engines.reference.evaluation.see import see
from engines.spec import MATE

_FIFTY_MOVES = 100

_NOT_STANDARD = "the castling rights are not those of standard chess"
_FAULTS = {
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_NO_WHITE_KING: "no white king",
    chess.STATUS_NO_BLACK_KING: "no black king",
    chess.STATUS_TOO_MANY_KINGS: "too many kings",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "too many white pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "too many black pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn on the first or last rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "too many white pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "too many black pieces",
    chess.STATUS_BAD_CASTLING_RIGHTS: "castling rights without king or rook at home",
    chess.STATUS_INVALID_EP_SQUARE: "an en-passant square that no pawn has just passed",
    chess.STATUS_OPPOSITE_CHECK: "the side that has just moved is in check",
    chess.STATUS_TOO_MANY_CHECKERS: "more than two pieces give check",
    chess.STATUS_IMPOSSIBLE_CHECK: "two checks that no move can have given",
}


class ChessGame:
    """A board, the positions that can still repeat, and the leaves' evaluation."""

    def __init__(
        self, board: chess.Board, evaluation: Evaluation, grain: int, swing: int = 0
    ) -> None:
        """Take ``board`` over; its move stack is the history of the game. ``swing`` is added to
        every value for the side to move."""
        self.board = board
        self._evaluation = evaluation
        self._grain = grain
        self._swing = swing
        self._keys = _history(board)

    def played(self, plies: int) -> Sequence[chess.Move]:
        """The last moves."""
        return self.board.move_stack[len(self.board.move_stack) - plies :]

    def key(self) -> Hashable:
        """Placement, side to move, castling rights, and en passant where it is legal."""
        return self._keys[-1]

    def moves(self) -> Sequence[chess.Move]:
        """All legal moves."""
        return list(self.board.generate_legal_moves())

    def has_move(self) -> bool:
        """Whether there is a legal move."""
        return any(self.board.generate_legal_moves())

    def terminal_value(self) -> int:
        """Checkmate or stalemate."""
        return -MATE if self.board.is_check() else 0

    def static(self) -> int:
        """The evaluation of the variant, rounded to its grain."""
        if not self._swing:
            return self._evaluation.value(self.board, self._grain)
        value = self._evaluation.value(self.board, 1) + self._swing
        return round_to_grain(max(-LIMIT, min(LIMIT, value)), self._grain)

    def is_forced(self) -> bool:
        """Whether the side to move is in check."""
        return self.board.is_check()

    def captures(self) -> Sequence[chess.Move]:
        """Captures, en passant included, with SEE at least 0; no quiet promotions."""
        board, evaluation = self.board, self._evaluation
        captures = board.generate_legal_captures()
        return [move for move in captures if see(evaluation, board, move) >= 0]

    def promise(self, move: chess.Move) -> int:
        """Most valuable victim first, then least valuable attacker; promotions with captures."""
        board = self.board
        victim = board.piece_type_at(move.to_square)
        if board.chess960 and board.is_castling(move):
            return 0  # king takes rook
        if victim is None:
            victim = chess.PAWN if board.is_en_passant(move) else 0
        gain = 8 * (victim + (move.promotion or 0))
        return gain + 7 - (board.piece_type_at(move.from_square) or 0) if gain else 0

    def push(self, move: chess.Move) -> None:
        """Play a legal move."""
        self.board.push(move)
        self._keys.append(position_key(self.board))

    def pop(self) -> None:
        """Take the last move back."""
        self._keys.pop()
        self.board.pop()

    def is_path_draw(self) -> bool:
        """Repetition (once is enough inside a search), fifty moves, or too little material."""
        clock = self.board.halfmove_clock
        if clock >= _FIFTY_MOVES:
            return not self.board.is_checkmate()
        if clock >= 4 and self._keys[-1] in self._keys[-3 : -clock - 2 : -2]:
            return True
        return self.board.is_insufficient_material()

    def near_path_draw(self, depth: int) -> bool:
        """Whether the fifty-move rule may end the game within ``depth`` plies."""
        return self.board.halfmove_clock + depth >= _FIFTY_MOVES


def position_key(board: chess.Board) -> Hashable:
    """Equal for positions that are the same under the repetition rule."""
    passant = board.ep_square if board.has_legal_en_passant() else None
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        -1 if passant is None else passant,
    )


def read_board(fen: str, moves: Sequence[int] = (), chess960: bool = False) -> chess.Board:
    """The board at ``fen`` after ``moves``. Raises PositionError with one line."""
    fault = _fault_in_fields(fen.split(), chess960)
    if fault is not None:
        raise PositionError(f"`{fen}` is not a legal chess position: {fault}")
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError as error:
        reason = str(error).split(": ")[0]
        raise PositionError(f"`{fen}` is not a legal chess position: {reason}") from error
    status = board.status()
    if status == chess.STATUS_BAD_CASTLING_RIGHTS and board.has_chess960_castling_rights():
        raise PositionError(f"`{fen}` is not a legal chess position: {_NOT_STANDARD}")
    if status:
        reasons = ", ".join(text for flag, text in _FAULTS.items() if status & flag)
        raise PositionError(f"`{fen}` is not a legal chess position: {reasons}")
    for code in moves:
        push_code(board, code)
    return board


def _fault_in_fields(fields: list[str], chess960: bool) -> str | None:
    """What python-chess would let pass, and the core does not."""
    if len(fields) not in (4, 6):
        return f"a FEN has six fields, this one has {len(fields)}"
    if fields[2] != "-" and not set(fields[2].lower()) <= set("kqabcdefgh" if chess960 else "kq"):
        return "the castling rights are invalid" if chess960 else _NOT_STANDARD
    return None


def read_move(board: chess.Board, code: int) -> chess.Move | None:
    """The move with this two-byte code; None when it is not legal."""
    if code < 0 or code >> 12 > chess.QUEEN:
        return None
    move = chess.Move(code & 63, code >> 6 & 63, (code >> 12) or None)
    if not board.chess960 and board.occupied_co[board.turn] & chess.BB_SQUARES[move.to_square]:
        return None  # python-chess takes king takes rook in standard chess, too
    return move if board.is_legal(move) else None


def push_code(board: chess.Board, code: int) -> chess.Move:
    """Play the move with this two-byte code. Raises PositionError when it is not legal."""
    move = read_move(board, code)
    if move is None:
        raise PositionError(f"move {move_name(code)} is not legal in `{board.fen()}`")
    board.push(move)
    return move


def perft(board: chess.Board, depth: int) -> int:
    """The number of leaves of the tree of legal moves."""
    if depth == 0:
        return 1
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def _history(board: chess.Board) -> list[Hashable]:
    """Keys of the positions since the last irreversible move, the present one last."""
    past = board.copy(stack=min(board.halfmove_clock, len(board.move_stack)))
    keys = [position_key(past)]
    while past.move_stack:
        past.pop()
        keys.append(position_key(past))
    return keys[::-1]


def move_name(code: int) -> str:
    """The move of a two-byte code in UCI notation, or the code where it means none."""
    return decode_move(code) if 0 <= code >> 12 <= chess.QUEEN and code >> 12 != 1 else hex(code)
