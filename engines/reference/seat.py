"""Where a reference player stands, in any game: what its searcher asks of the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import chess

from engines.errors import PositionError
from engines.moves import encode_move
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame, move_name, push_code, read_board, read_move
from engines.reference.games.position import Judgement, PositionGame
from engines.reference.search.game import Game
from engines.rules.position import Position
from engines.spec import Value
from engines.trees.tree import TREE


class Seat(Protocol):
    """A position that is reached by moves, and the game from there on."""

    is_by_hand: bool
    """Whether it is a tree made by hand: nodes above the leaves have no value, so that there is one
    iteration, and moves are searched from left to right."""

    def stand(self, text: str, moves: Sequence[int], chess960: bool) -> None:
        """Stand at a position after moves. Raises PositionError and stays where it was."""

    def push(self, code: int) -> None:
        """Play a move. Raises PositionError."""

    def legal(self, code: int) -> Any | None:
        """The legal move of a code, as the game has it; None where it is not legal."""

    def text(self) -> str:
        """The position as text."""

    def place(self) -> tuple[str, int]:
        """The start of the game, and the plies since."""

    def game(self) -> Game[Any]:
        """The game that stands here, to be searched."""

    def name(self, move: Any) -> str:
        """The name of a move of the game."""

    def named(self, code: int) -> str:
        """The name of a code, legal or not."""

    def code(self, name: str) -> int:
        """The code of a move by its name."""


class ChessSeat:
    """Of chess."""

    is_by_hand = False

    def __init__(self, parameters: Mapping[str, Value]) -> None:
        self._evaluation = load_evaluation(str(parameters["eval"]))
        self._values = int(parameters["grain"]), int(parameters["swing"])
        self.board = chess.Board()

    def stand(self, text: str, moves: Sequence[int], chess960: bool) -> None:
        """Stand at a FEN after moves."""
        self.board = read_board(text, moves, chess960)

    def push(self, code: int) -> None:
        """Play a move."""
        push_code(self.board, code)

    def legal(self, code: int) -> chess.Move | None:
        """The legal move of a code."""
        return read_move(self.board, code)

    def text(self) -> str:
        """The FEN."""
        return self.board.fen()

    def place(self) -> tuple[str, int]:
        """The start of the game, and the plies since."""
        return self.board.root().fen(), len(self.board.move_stack)

    def game(self) -> Game[chess.Move]:
        """A copy to be searched."""
        return ChessGame(self.board.copy(), self._evaluation, *self._values)

    def name(self, move: chess.Move) -> str:
        """UCI."""
        return move.uci()

    def named(self, code: int) -> str:
        """UCI, or the code where it means nothing."""
        return move_name(code)

    def code(self, name: str) -> int:
        """Of a move in UCI."""
        return encode_move(name)


class PositionSeat:
    """Of a game whose rules are a class of positions."""

    is_by_hand = False

    def __init__(
        self,
        read: Callable[[str], Position],
        start: str,
        judgement: Judgement,
        names: tuple[Callable[[int], str], Callable[[str], int]],
        parameters: Mapping[str, Value],
    ) -> None:
        self._read = read
        self._judgement = judgement
        self.name, self.code = names
        self._values = int(parameters["grain"]), int(parameters["swing"])
        self._positions = [read(start)]

    def stand(self, text: str, moves: Sequence[int], chess960: bool) -> None:
        """Stand at a position after moves."""
        if chess960:
            raise PositionError("only chess has Chess960")
        before, self._positions = self._positions, [self._read(text)]
        try:
            for code in moves:
                self.push(code)
        except PositionError:
            self._positions = before
            raise

    def push(self, code: int) -> None:
        """Play a move."""
        if self.legal(code) is None:
            raise PositionError(f"move {self.named(code)} is not legal in `{self.text()}`")
        self._positions.append(self._positions[-1].after(code))

    def legal(self, code: int) -> int | None:
        """The code itself where it is legal."""
        return code if code in self._positions[-1].moves() else None

    def text(self) -> str:
        """The position."""
        return str(self._positions[-1])

    def place(self) -> tuple[str, int]:
        """The start of the game, and the plies since."""
        return str(self._positions[0]), len(self._positions) - 1

    def game(self) -> Game[int]:
        """The game to be searched."""
        return PositionGame(self._positions, self._judgement, *self._values)

    def named(self, code: int) -> str:
        """The name of a code, legal or not."""
        return self.name(code)


def _othello(parameters: Mapping[str, Value]) -> Seat:
    from engines.reference.games.othello import Othello
    from engines.rules.othello import RULES, OthelloPosition

    judgement = Othello(str(parameters["eval"]))
    names = (RULES.move_name, RULES.move_code)
    return PositionSeat(OthelloPosition.read, RULES.start, judgement, names, parameters)


def _draughts(parameters: Mapping[str, Value]) -> Seat:
    from engines.reference.games.draughts import Draughts
    from engines.rules.draughts import RULES, DraughtsPosition

    judgement = Draughts(str(parameters["eval"]))
    names = (RULES.move_name, RULES.move_code)
    return PositionSeat(DraughtsPosition.read, RULES.start, judgement, names, parameters)


def _connect_four(parameters: Mapping[str, Value]) -> Seat:
    from engines.reference.games.connect_four import ConnectFour
    from engines.rules.connect_four import RULES, ConnectFourPosition

    judgement = ConnectFour(str(parameters["eval"]))
    names = (RULES.move_name, RULES.move_code)
    return PositionSeat(ConnectFourPosition.read, RULES.start, judgement, names, parameters)


def _tree(parameters: Mapping[str, Value]) -> Seat:
    from engines.reference.games.tree import TreeSeat

    return TreeSeat()


SEATS: dict[str, Callable[[Mapping[str, Value]], Seat]] = {
    "chess": ChessSeat,
    "othello": _othello,
    "draughts": _draughts,
    "connect-four": _connect_four,
    TREE: _tree,
}
"""By the parameter ``game``."""


def seat_of(parameters: Mapping[str, Value]) -> Seat:
    """A seat at the start of the game that the parameters name."""
    return SEATS[str(parameters["game"])](parameters)


def seat_at(game: str, text: str, evaluation: str = "pst", grain: int = 1) -> Seat:
    """A seat at a position. Raises PositionError."""
    values: dict[str, Value] = {"game": game, "eval": evaluation, "grain": grain, "swing": 0}
    seat = seat_of(values)
    seat.stand(text, (), False)
    return seat
