"""How games end: results and the enumeration of end reasons."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from db.records.games import Result

WHITE_WINS: Result = "1-0"
BLACK_WINS: Result = "0-1"
DRAW: Result = "1/2-1/2"


class EndReason(StrEnum):
    """Why a game ended. If several reasons apply after a ply, the first in this order counts."""

    CHECKMATE = "checkmate"
    """Also on the move that would make fifty moves."""
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    """Neither side can mate by any sequence of legal moves, judging by material alone."""
    THREEFOLD_REPETITION = "threefold-repetition"
    """The position occurred for the third time since ``start_fen``."""
    FIFTY_MOVES = "fifty-moves"
    """A hundred plies without a capture or a pawn move."""
    NO_MOVES = "no-moves"
    """Draughts: the side to move has no legal move, and loses."""
    FORTY_MOVES = "forty-moves"
    """Draughts: eighty plies without a capture or a move of a man."""
    MOST_DISCS = "most-discs"
    """Othello: neither side can move; most discs win."""
    FOUR_IN_A_ROW = "four-in-a-row"
    """Connect Four: the side that moved has four in a row."""
    FULL_BOARD = "full-board"
    """Connect Four: the board is full, and nobody has four in a row."""
    TABLEBASE_ADJUDICATION = "tablebase-adjudication"
    """Endgame tablebases know the result."""
    RESIGN_ADJUDICATION = "resign-adjudication"
    DRAW_ADJUDICATION = "draw-adjudication"
    MAX_LENGTH = "max-length"
    """The game reached its maximum length and is drawn."""
    TIME_FORFEIT = "time-forfeit"
    """The side to move overstepped its time; its move is not in the game."""
    ILLEGAL_MOVE = "illegal-move"
    """The side to move tried one; it is not in the game."""
    ENGINE_FAILURE = "engine-failure"
    """The side to move failed to move at all."""
    RESIGNATION = "resignation"
    """A player resigned. This and what follows is only of imported games."""
    AGREEMENT = "agreement"
    """The players agreed on a draw."""
    ADJUDICATION = "adjudication"
    """The game was ended by another rule than ours, such as endgame tablebases, or by a rule that
    the file does not name."""
    UNKNOWN = "unknown"
    """The file does not say, and the moves do not show it."""


FAULTS = (EndReason.TIME_FORFEIT, EndReason.ILLEGAL_MOVE, EndReason.ENGINE_FAILURE)
"""What the side to move loses by, and not by the rules of the game."""


class GameOutcome(Struct, frozen=True):
    """Result and reason of a finished game."""

    result: Result
    reason: EndReason


def win_for(white: bool, reason: EndReason) -> GameOutcome:
    """A game won by White (``white`` true) or Black."""
    return GameOutcome(WHITE_WINS if white else BLACK_WINS, reason)


def draw_by(reason: EndReason) -> GameOutcome:
    """A drawn game."""
    return GameOutcome(DRAW, reason)
