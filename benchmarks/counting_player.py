"""A player that only counts discs or men, one or two plies ahead: the weakest sensible opponent.

One ply is the greedy player: it plays the move after which it leads by most. Two plies also look at
the replies. Both are plain minimax without quiescence search.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from engines.rules.board import PositionBoard, Rules
from engines.rules.draughts import DraughtsPosition
from engines.rules.othello import OthelloPosition
from engines.rules.position import Position
from engines.spec import MoveReport, SearchLimit

_WON = 1000
"""More than any count."""


def _discs(position: Position) -> int:
    board = cast("OthelloPosition", position)
    return board.white.bit_count() - board.black.bit_count()


def _men(position: Position) -> int:
    board = cast("DraughtsPosition", position).board
    return 2 * (board.count("w") - board.count("b")) + 3 * (board.count("W") - board.count("B"))


COUNTS: Mapping[str, Callable[[Position], int]] = {"othello": _discs, "draughts": _men}
"""By game, what White leads by: discs; half men, where a king is worth one and a half men."""


class CountingPlayer:
    """Implements :class:`engines.spec.Player`. Moves of one value are drawn by lot; the seed and
    the position in which the game begins decide the lot."""

    def __init__(self, rules: Rules, plies: int, seed: int) -> None:
        self._rules, self._plies, self._seed = rules, plies, seed
        self._count = COUNTS[rules.game]
        self._lot = random.Random()
        self._position = self._read(rules.start)

    def new_game(self) -> None:
        """Nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at this position. Raises PositionError."""
        self._lot.seed(f"{self._seed} {self._plies} {fen}")
        self._position = self._read(fen)
        for move in moves:
            self.push(move)

    def push(self, move: int) -> None:
        """Play a legal move."""
        self._position = self._position.after(move)

    def go(self, limit: SearchLimit) -> MoveReport:
        """The best move by the count after :attr:`plies`, whatever the limit is."""
        begin = time.thread_time_ns()
        position = self._position
        values = {
            move: -self._value(position.after(move), self._plies - 1) for move in position.moves()
        }
        best = max(values.values())
        move = self._lot.choice([move for move, value in values.items() if value == best])
        spent_us = (time.thread_time_ns() - begin) // 1000
        return MoveReport(move, None, self._plies, None, None, spent_us, spent_us)

    def close(self) -> None:
        """Nothing to free."""

    def _value(self, position: Position, plies: int) -> int:
        """The minimax value for the side to move."""
        sign = 1 if position.white_to_move else -1
        ended = position.ending()
        if ended is not None:
            return 0 if ended.winner is None else sign * (_WON if ended.winner else -_WON)
        if not plies:
            return sign * self._count(position)
        return max(-self._value(position.after(move), plies - 1) for move in position.moves())

    def _read(self, text: str) -> Position:
        return cast("PositionBoard", self._rules.board(text)).position
