"""Games between two engines that are programs, for :mod:`strength`.

A limit is either a time a move or a clock. With a time a move, equal CPU time is the aim and
punctuality is not judged: a move that takes longer than the limit and a margin is counted as late,
and only an engine that does not answer at all forfeits. With a clock, an engine that oversteps it
by more than the margin forfeits the game.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import chess
import chess.engine
from opponents import COMMON_OPTIONS, Opponent
from process_cpu import CpuReading, CpuSpent, cpu_spent, read_cpu

MAX_PLIES = 600
"""A game of this length is drawn. Nothing else is adjudicated."""
MARGIN_S = 0.25
"""How late a move may be."""
_START_TIMEOUT_S = 30.0
_ANSWER_TIMEOUT_S = 15.0
"""An engine that answers this much later than its limit is taken for hung."""

# It warns of every line that the protocol does not know, and phalanx talks.
logging.getLogger("chess.engine").setLevel(logging.CRITICAL)

Result = Literal["1-0", "0-1", "1/2-1/2"]
Who = Literal["ours", "theirs"]
"""The engine under test and the other one."""


class EngineStartError(RuntimeError):
    """An engine did not start or did not shake hands."""


class StoppedError(RuntimeError):
    """A game was broken off, because all play is to stop."""


class _Forfeit(RuntimeError):
    """The side to move loses; the message is the end reason."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """What a move may cost, in seconds."""

    move_s: float | None = None
    base_s: float = 0.0
    inc_s: float = 0.0

    def __str__(self) -> str:
        if self.move_s is not None:
            return f"{self.move_s * 1000:g} ms/move"
        return f"{self.base_s:g}+{self.inc_s:g} s"


@dataclass(slots=True)
class SideCost:
    """What one side used in its moves; times in ms, summed."""

    moves: int = 0
    cpu_ms: float = 0.0
    """All threads of the engine, in its own moves."""
    search_ms: float = 0.0
    """The busiest thread, in its own moves."""
    wall_ms: float = 0.0
    idle_ms: float = 0.0
    """CPU time while the other side was to move: thinking then would show here."""
    late: int = 0
    """Moves later than limit and margin."""

    def add(self, other: SideCost) -> None:
        """Sum the other one into this."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(slots=True)
class GameReport:
    """One finished game."""

    white: Who
    result: Result
    reason: str
    plies: int
    moves: str
    """UCI, from the opening position."""
    costs: dict[Who, SideCost]


class Program:
    """A running engine in an empty directory of its own. A context manager."""

    def __init__(self, opponent: Opponent, hash_mb: int) -> None:
        self.opponent = opponent
        self._directory = tempfile.mkdtemp(prefix="strength-")
        try:
            self.engine = _start(opponent, hash_mb, self._directory)
        except BaseException:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise
        self.pid = self.engine.transport.get_pid()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.engine.quit()
        except (chess.engine.EngineError, TimeoutError):
            pass  # It crashed, or hangs: close() ends it.
        self.engine.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def files_left(self) -> list[str]:
        """Names of the files that it made in its directory."""
        return sorted(path.name for path in Path(self._directory).iterdir())


def _start(opponent: Opponent, hash_mb: int, directory: str) -> chess.engine.SimpleEngine:
    popen = (
        chess.engine.SimpleEngine.popen_xboard
        if opponent.protocol == "xboard"
        else chess.engine.SimpleEngine.popen_uci
    )
    words = opponent.words(hash_mb)
    try:
        # In a session of its own, so that Ctrl-C reaches this program alone.
        engine = popen(words, cwd=directory, timeout=_START_TIMEOUT_S, start_new_session=True)
    except (OSError, chess.engine.EngineError) as error:
        raise EngineStartError(f"{opponent.name} does not start: {error!r}") from error
    engine.timeout = _ANSWER_TIMEOUT_S
    if opponent.protocol == "uci":
        wanted = {"Hash": hash_mb, **COMMON_OPTIONS}
        engine.configure({key: value for key, value in wanted.items() if key in engine.options})
    engine.configure(dict(opponent.options))
    return engine


class Pacer:
    """Turns a limit of CPU time a move into the time that the engines are told.

    Engines count the time on the wall, of which a busy machine gives them a share only; and each
    keeps it in its own way: one oversteps it by 10 ms, one takes it for an average. So the opponent
    gets the limit, divided by its share; and our engine gets what the opponent's search used in a
    move on average so far, and a quarter of what it is behind or ahead of that in sum, divided by
    its own share. No move of ours is told less than a third of the limit, or more than three times.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_ms = limit_s * 1000
        self._moves: dict[Who, int] = {"ours": 0, "theirs": 0}
        self._search_ms: dict[Who, float] = {"ours": 0.0, "theirs": 0.0}
        self._wall_ms: dict[Who, float] = {"ours": 0.0, "theirs": 0.0}

    def note(self, who: Who, search_ms: float, wall_ms: float) -> None:
        """Book one move."""
        self._moves[who] += 1
        self._search_ms[who] += search_ms
        self._wall_ms[who] += wall_ms

    def time_s(self, who: Who) -> float:
        """The time on the wall for the next move of that side."""
        limit = self._limit_ms
        if who == "theirs":
            return limit / self._share("theirs") / 1000
        # Until they have moved, the limit is the best guess of what they use.
        mean = (self._search_ms["theirs"] + limit) / (self._moves["theirs"] + 1)
        behind = self._moves["ours"] * mean - self._search_ms["ours"]
        wanted = min(max(mean + behind / 4, limit / 3), limit * 3)
        return wanted / self._share("ours") / 1000

    def _share(self, who: Who) -> float:
        """CPU time per time on the wall so far, starting from 1, at least a quarter."""
        limit = self._limit_ms
        return max((self._search_ms[who] + limit) / (self._wall_ms[who] + limit), 0.25)


class _Side:
    """One engine in one game."""

    def __init__(self, who: Who, program: Program, limit: TimeLimit, pacer: Pacer | None) -> None:
        self.who = who
        self.cost = SideCost()
        self.left_s = limit.base_s
        self._program = program
        self._limit = limit
        self._pacer = pacer
        self._last: CpuReading | None = None

    def move(self, board: chess.Board, game: object, clocks: tuple[float, float]) -> chess.Move:
        """Ask for a move and book what it cost. Raises _Forfeit."""
        before = read_cpu(self._program.pid)
        if self._last is not None:
            self.cost.idle_ms += cpu_spent(self._last, before).total_ms
        begun = time.perf_counter()
        try:
            answer = self._program.engine.play(board, self._asked(game, clocks), game=game)
        except TimeoutError as error:
            raise _Forfeit("time-forfeit") from error
        except chess.engine.EngineTerminatedError as error:
            raise _Forfeit("engine-failure") from error
        except chess.engine.EngineError as error:
            raise _Forfeit("illegal-move") from error
        wall_s = time.perf_counter() - begun
        self._last = read_cpu(self._program.pid)
        self._book(cpu_spent(before, self._last), wall_s)
        if answer.move is None:
            raise _Forfeit("resign" if answer.resigned else "no-move")
        return answer.move

    def _asked(self, game: object, clocks: tuple[float, float]) -> chess.engine.Limit:
        """What the engine is told that it may use."""
        limit = self._limit
        if limit.move_s is not None:
            move_s = limit.move_s if self._pacer is None else self._pacer.time_s(self.who)
            return chess.engine.Limit(time=move_s * self._program.opponent.pace)
        return chess.engine.Limit(
            white_clock=clocks[0],
            black_clock=clocks[1],
            white_inc=limit.inc_s,
            black_inc=limit.inc_s,
            clock_id=game,
        )

    def _book(self, spent: CpuSpent, wall_s: float) -> None:
        cost = self.cost
        cost.moves += 1
        cost.cpu_ms += spent.total_ms
        cost.search_ms += spent.search_ms
        cost.wall_ms += wall_s * 1000
        if self._pacer is not None:
            self._pacer.note(self.who, spent.search_ms, wall_s * 1000)
        if self._limit.move_s is not None:
            cost.late += wall_s > self._limit.move_s + MARGIN_S
            return
        self.left_s -= wall_s
        if self.left_s < -MARGIN_S:
            cost.late += 1
            raise _Forfeit("time-forfeit")
        self.left_s = max(self.left_s, 0.0) + self._limit.inc_s


def play_game(
    programs: Mapping[Who, Program],
    white: Who,
    fen: str,
    limit: TimeLimit,
    pacer: Pacer | None,
    stop: threading.Event,
) -> GameReport:
    """One game from ``fen``; with a ``pacer`` our engine's time follows it.

    Python-chess judges how the game ends; a side that fails to move loses. Raises StoppedError
    soon after ``stop`` was set.
    """
    board = chess.Board(fen)
    black: Who = "theirs" if white == "ours" else "ours"
    sides = {
        color: _Side(who, programs[who], limit, pacer)
        for color, who in ((chess.WHITE, white), (chess.BLACK, black))
    }
    game = object()
    outcome: tuple[Result, str] | None = None
    while outcome is None:
        if stop.is_set():
            raise StoppedError
        clocks = (sides[chess.WHITE].left_s, sides[chess.BLACK].left_s)
        try:
            board.push(sides[board.turn].move(board, game, clocks))
        except _Forfeit as forfeit:
            outcome = ("0-1" if board.turn else "1-0", str(forfeit))
        else:
            outcome = _ending(board)
    return GameReport(
        white=white,
        result=outcome[0],
        reason=outcome[1],
        plies=len(board.move_stack),
        moves=" ".join(move.uci() for move in board.move_stack),
        costs={side.who: side.cost for side in sides.values()},
    )


def _ending(board: chess.Board) -> tuple[Result, str] | None:
    """How the game ended with the last move, if it did."""
    if board.is_checkmate():
        return "0-1" if board.turn else "1-0", "checkmate"
    if board.is_stalemate():
        return "1/2-1/2", "stalemate"
    if board.is_insufficient_material():
        return "1/2-1/2", "insufficient-material"
    if board.is_repetition(3):
        return "1/2-1/2", "threefold-repetition"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty-moves"
    if len(board.move_stack) >= MAX_PLIES:
        return "1/2-1/2", "max-length"
    return None
