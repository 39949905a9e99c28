"""Positions with the moves that solve them: built-in suites, and files in EPD.

A line has a position and operations: ``bm`` (best moves), ``am`` (moves to avoid), ``dm`` (mate in
so many moves) and ``c0 "Nf3=10, d4=5"`` (points of moves), of which at least one is needed. Moves
are in SAN or UCI notation, in other games than chess as the game writes them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

from msgspec import Struct
from msgspec.json import encode

from engines.errors import PositionError
from engines.external.text import shown
from engines.rules.board import Rules
from engines.rules.catalog import rules_of
from engines.suggestion import did_you_mean
from toolkit.base.errors import UsageError
from toolkit.books.book import text_lines

ANSWERED = {"bratko-kopec": "bratko-kopec.epd", "proven-200": "proven-200.epd"}
"""The suites that come with the program, all of chess; recipes/make_proven_suite.py made the second
one."""
_OPERATION = re.compile(r'\s*([A-Za-z]\w*)((?:\s+(?:"[^"]*"|[^\s;"]+))*)\s*(?:;|$)')
_OPERAND = re.compile(r'"([^"]*)"|([^\s"]+)')
_POINTS = re.compile(r"\s*\S+=\d+\s*(?:,|$)")
"""How a ``c0`` begins that has points, and is no comment."""
_ITEM = re.compile(r"(\S+)=(\d{1,6})")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_MOST_MOVES = 1000
"""Of a mate."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """What solves a position. Moves are those of :attr:`engines.rules.board.Rules.move_name`; every
    condition that is given must hold."""

    best: tuple[str, ...] = ()
    """``bm``: the move must be one of them."""
    avoid: tuple[str, ...] = ()
    """``am``: the move must be none of them."""
    mate: int | None = None
    """``dm``: the value must be a mate in at most so many moves."""
    points: Mapping[str, int] | None = None
    """``c0``: of each move; others have 0. Without other conditions the move must be one of the
    most points."""


class SuitePosition(Struct, frozen=True):
    """A position with its answer."""

    label: str
    fen: str
    answer: Answer


class AnsweredSuite(Struct, frozen=True):
    """Positions to solve."""

    name: str
    game: str
    positions: tuple[SuitePosition, ...]

    @property
    def identity(self) -> str:
        """Hash of positions and answers, in order."""
        told = [(one.fen, one.answer) for one in self.positions]
        return hashlib.sha256(encode(told, order="sorted")).hexdigest()[:16]


def load_answered(text: str, game: str = "chess") -> AnsweredSuite:
    """A built-in suite by its name, or a file. Raises UsageError for what cannot be read, with the
    line and the operation."""
    if text in ANSWERED:
        if not rules_of(game).uci:
            raise UsageError(f"the positions of {text} are of chess: give a file of {game}")
        with resources.as_file(resources.files("toolkit") / "data" / ANSWERED[text]) as file:
            return _read(text, file, rules_of(game))
    if not Path(text).exists():
        hint = did_you_mean(text, ANSWERED) or f" (built in: {', '.join(ANSWERED)})"
        raise UsageError(f"no suite `{shown(text)}`{hint}")
    return _read(Path(text).stem, Path(text), rules_of(game))


def _read(name: str, path: Path, rules: Rules) -> AnsweredSuite:
    positions = []
    for number, line in text_lines(path, "suite"):
        try:
            positions.append(read_position(line, rules, f"line {number}"))
        except PositionError as error:
            raise UsageError(f"suite {path} line {number}: {error}") from error
    if not positions:
        raise UsageError(f"suite {path} has no positions")
    return AnsweredSuite(name, rules.game, tuple(positions))


def read_position(line: str, rules: Rules, label: str = "") -> SuitePosition:
    """A line of a suite; ``label`` is for one without an ``id``. Raises PositionError with one
    line that names the operation."""
    fen, rest, move_of = (_chess_position if rules.uci else _plain_position)(line, rules)
    operations = dict[str, list[str]]()
    for name, operands in _operations(rest):
        if name in operations:
            raise PositionError(f"{name} is given twice")
        operations[name] = operands
    answer = _answer(operations, move_of)
    if answer == Answer():
        raise PositionError(
            'it has neither bm, am nor dm, nor points such as c0 "Nf3=10, d4=5": nothing to solve '
            "(mtdf lab compare searches positions without answers)"
        )
    told = " ".join(operations.get("id", [])).strip()
    return SuitePosition(
        "".join(one for one in told[:100] if one.isprintable()) or label, fen, answer
    )


def _operations(text: str) -> Iterator[tuple[str, list[str]]]:
    text, at = text.strip("; \t"), 0
    while at < len(text):
        found = _OPERATION.match(text, at)
        if found is None:
            raise PositionError(
                f"`{shown(text[at:].strip())}` is not a list of operations such as `bm Nf3;`"
            )
        operands = [quoted or plain for quoted, plain in _OPERAND.findall(found[2])]
        yield found[1], operands
        at = found.end()


def _answer(operations: Mapping[str, Sequence[str]], move_of: Callable[[str], str]) -> Answer:
    """Raises PositionError."""

    def moves(name: str) -> tuple[str, ...]:
        if name not in operations:
            return ()
        if not operations[name]:
            raise PositionError(f"{name} has no move")
        return tuple(dict.fromkeys(_move(name, text, move_of) for text in operations[name]))

    mate = None
    if "dm" in operations:
        told = " ".join(operations["dm"])
        if not told.isdecimal() or not 1 <= int(told[:9]) <= _MOST_MOVES:
            raise PositionError(f"dm `{shown(told)}`: expected the number of moves to the mate")
        mate = int(told)
    best, avoid = moves("bm"), moves("am")
    if both := set(best) & set(avoid):
        raise PositionError(f"{sorted(both)[0]} is a move of bm and of am")
    return Answer(best, avoid, mate, _points(" ".join(operations.get("c0", [])), move_of))


def _points(text: str, move_of: Callable[[str], str]) -> dict[str, int] | None:
    """The points in a ``c0``; None for a comment. Raises PositionError."""
    if not _POINTS.match(text):
        return None
    points: dict[str, int] = {}
    for item in text.rstrip(", ").split(","):
        found = _ITEM.fullmatch(item.strip())
        if found is None:
            raise PositionError(f"c0: `{shown(item.strip())}` is not of the form MOVE=POINTS")
        move = _move("c0", found[1], move_of)
        if move in points:
            raise PositionError(f"c0: {shown(found[1])} is given twice")
        points[move] = int(found[2])
    if not any(points.values()):
        raise PositionError("c0: no move has points")
    return points


def _move(name: str, text: str, move_of: Callable[[str], str]) -> str:
    try:
        return move_of(text)
    except ValueError as error:
        raise PositionError(f"{name} {shown(text)}: {error}") from error


_Read = tuple[str, str, Callable[[str], str]]
"""A position, the text after it, and what reads a move in it."""


def _chess_position(line: str, _: Rules) -> _Read:
    import chess

    from engines.rules.chess_start import position_problem, split_position

    fields, clocks, rest = split_position(line) or (line, "", "")
    try:
        board = chess.Board(f"{fields} {clocks or '0 1'}")
    except ValueError as error:
        raise PositionError(f"not a position in EPD or FEN ({shown(str(error))})") from error
    if problem := position_problem(board):
        raise PositionError(problem)

    def move_of(text: str) -> str:
        bare = text.rstrip("!?")
        if _UCI.fullmatch(bare) and board.is_legal(chess.Move.from_uci(bare)):
            return bare
        try:
            return board.parse_san(bare).uci()
        except chess.AmbiguousMoveError:
            raise PositionError("several pieces can make this move") from None
        except chess.InvalidMoveError:
            raise PositionError("it is not a move in SAN or UCI notation") from None
        except chess.IllegalMoveError:
            raise PositionError("the move is illegal here") from None

    return board.fen(), rest, move_of


def _plain_position(line: str, rules: Rules) -> _Read:
    position, _, rest = line.partition(";")
    board = rules.board(position.strip())
    text = board.text()
    if rules.board(text).ending() is not None:
        raise PositionError("the game is over there")
    names = {board.spelled(code): rules.move_name(code) for code in board.moves()}

    def move_of(told: str) -> str:
        if told in names:
            return names[told]
        if told in names.values():
            return told
        raise PositionError(f"no move here (moves: {' '.join(list(names)[:8])})")

    return text, rest, move_of
