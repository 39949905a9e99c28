"""Programs of others that play Othello or draughts, as players: Rhino, and OpenSpiel's MCTS bot.

*Rhino* is ``gtp-rhino`` of Debian's package ``grhino``. It speaks the Go Text Protocol and gets
every game by ``play`` from the start position. Each game has a new process, without its opening
book and without randomness, so after one opening it always plays the same.

*MCTS* is the bot of OpenSpiel (PyPI ``open_spiel``): Monte-Carlo tree search with random playouts
on OpenSpiel's game ``checkers``. That game has our moves, but a jump an action, and Black, who
begins, at the bottom. Its end differs: it is drawn after 40 plies without a capture, even where men
move, and knows no repetition. Our rules draw at the third repetition, and after 80 plies without a
capture or a man's move. OpenSpiel offers no way to go on from a position, so a game is drawn too
where only OpenSpiel's has ended (:class:`OtherDrawError`); such games are counted apart.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, cast

from opponents import DEBIAN_GAMES
from process_cpu import cpu_spent, read_cpu

from db.records.openings import OpeningRecord
from engines.errors import EngineFailure
from engines.rules.board import PositionBoard, Rules
from engines.rules.draughts import DraughtsPosition
from engines.rules.position import Position
from engines.spec import MoveReport, SearchLimit
from toolkit.referee.searchdata import decode_moves

_PATIENCE_S = 600.0
"""How long Rhino may take for an answer before it is killed; level 5 takes minutes."""


class AbsentError(Exception):
    """The program is not installed. The message says how to get it."""


class OtherDrawError(Exception):
    """The rules of the other program have drawn a game that ours would continue."""


class Rival(ABC):
    """What both have in common: a game that is known from the start position on."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._opening: OpeningRecord | None = None
        self._position = self._read(rules.start)

    def prepare(self, opening: OpeningRecord) -> None:
        """The next game begins after the moves of this line."""
        self._opening = opening

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Play the moves of the opening. Raises EngineFailure where they do not lead to ``fen``."""
        assert self._opening is not None
        self._position = self._read(self._opening.start_fen)
        line = decode_moves(self._opening.moves, self._rules.moves_version)
        for move in (*line, *moves):
            self.push(move)
        if str(self._position) != fen:
            raise EngineFailure(f"the moves of the opening lead to {self._position}, not {fen}")

    def push(self, move: int) -> None:
        """Play a legal move."""
        after = self._position.after(move)
        self._follow(move, after)
        self._position = after

    @abstractmethod
    def new_game(self) -> None:
        """Stand at the start position."""

    @abstractmethod
    def go(self, limit: SearchLimit) -> MoveReport:
        """Its move. Raises EngineFailure."""

    @abstractmethod
    def close(self) -> None:
        """Free what is held."""

    @abstractmethod
    def _follow(self, move: int, after: Position) -> None:
        """Let the program play this move too."""

    def _read(self, text: str) -> Position:
        return cast("PositionBoard", self._rules.board(text)).position


# Rhino --------------------------------------------------------------------------------------------


class RhinoPlayer(Rival):
    """``gtp-rhino`` at a level. Raises AbsentError."""

    def __init__(self, rules: Rules, level: int) -> None:
        super().__init__(rules)
        path = os.pathsep.join((os.environ.get("PATH", os.defpath), DEBIAN_GAMES))
        program = shutil.which("gtp-rhino", path=path)
        if program is None:
            raise AbsentError("no program gtp-rhino (Debian: apt-get install grhino)")
        self._words = [program, "--book=0", "--rand=0", f"--level={level}"]
        self._process: subprocess.Popen[str] | None = None
        self.new_game()
        self.title = f"Rhino {self._ask('version')}, level {level}, no book, no randomness"

    def new_game(self) -> None:
        """Start a new process: its table is empty."""
        self.close()
        self._process = subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._ask("set_game Othello")
        self._played: int | None = None

    def go(self, limit: SearchLimit) -> MoveReport:
        """Its move; the limit is its level. Raises EngineFailure."""
        assert self._process is not None
        before, begin = read_cpu(self._process.pid), time.perf_counter_ns()
        answer = self._ask(f"genmove {self._colour()}")
        elapsed_us = (time.perf_counter_ns() - begin) // 1000
        spent = cpu_spent(before, read_cpu(self._process.pid))
        self._played = self._rules.move_code(answer.lower())
        return MoveReport(
            self._played, None, None, None, None, elapsed_us, round(1000 * spent.total_ms)
        )

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _follow(self, move: int, after: Position) -> None:
        # It has already played what it answered. It takes no pass: it plays one itself when the
        # next move is of the other colour.
        name = self._rules.move_name(move)
        if move != self._played and name != "pass":
            self._ask(f"play {self._colour()} {name}")
        self._played = None

    def _colour(self) -> str:
        return "w" if self._position.white_to_move else "b"

    def _ask(self, command: str) -> str:
        """The answer to a command. Raises EngineFailure."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        watchdog = threading.Timer(_PATIENCE_S, process.kill)
        watchdog.start()
        try:
            process.stdin.write(command + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            while answer.strip() and process.stdout.readline().strip():
                pass  # the rest of the answer, up to an empty line
        except OSError as error:
            raise EngineFailure(f"Rhino ended at `{command}`: {error}") from error
        finally:
            watchdog.cancel()
        if not answer.startswith("="):
            raise EngineFailure(f"Rhino answered `{command}` with `{answer.strip()}`")
        return answer[1:].strip()


# MCTS ---------------------------------------------------------------------------------------------

_PIECES = str.maketrans("o8+*.", "bBwW.")
"""OpenSpiel's letters, and ours: its first player is our Black."""
_EXPLORATION = 2.0
_MEMORY_MB = 1000


class MctsPlayer(Rival):
    """OpenSpiel's MCTS bot with so many simulations a move, a random playout each. Raises
    AbsentError."""

    def __init__(self, rules: Rules, simulations: int, seed: int) -> None:
        super().__init__(rules)
        try:
            self._spiel: Any = importlib.import_module("pyspiel")
        except ImportError:
            raise AbsentError("no module pyspiel (PyPI: pip install open_spiel)") from None
        self._game = self._spiel.load_game("checkers")
        self._simulations, self._seed = simulations, seed
        version = importlib.metadata.version("open_spiel")
        self.title = (
            f"MCTS of OpenSpiel {version}, {simulations:,} simulations a move, one random playout "
            f"each, UCT constant {_EXPLORATION:g}, proven results kept"
        )
        self.new_game()

    def new_game(self) -> None:
        """A new bot, whose seed is the same in every game."""
        playouts = self._spiel.RandomRolloutEvaluator(1, self._seed)
        self._bot = self._spiel.MCTSBot(
            self._game,
            playouts,
            _EXPLORATION,
            self._simulations,
            _MEMORY_MB,
            True,
            self._seed,
            False,
        )
        self._state = self._game.new_initial_state()

    def go(self, limit: SearchLimit) -> MoveReport:
        """Its move; the limit is the simulations, for each jump of a capture."""
        begin = time.thread_time_ns()
        state, mover = self._state.clone(), self._state.current_player()
        while not state.is_terminal() and state.current_player() == mover:
            state.apply_action(self._bot.step(state))
        spent_us = (time.thread_time_ns() - begin) // 1000
        reached = board_of(state)
        for move in self._position.moves():
            if cast("DraughtsPosition", self._position.after(move)).board == reached:
                return MoveReport(move, None, None, None, None, spent_us, spent_us)
        raise EngineFailure(f"MCTS went from {self._position} to {reached}")

    def close(self) -> None:
        """Nothing to free."""

    def _follow(self, move: int, after: Position) -> None:
        board = cast("DraughtsPosition", after).board
        mover = self._state.current_player()
        found = next((s for s in _turns(self._state, mover) if board_of(s) == board), None)
        if found is None:
            name = self._position.spelled(move)
            raise EngineFailure(f"OpenSpiel has no {name} in {self._position}")
        self._state = found
        if found.is_terminal() and after.ending() is None:
            raise OtherDrawError


def board_of(state: Any) -> str:
    """The board of a state of ``checkers`` as :attr:`DraughtsPosition.board` has it."""
    rows = str(state).splitlines()[:8]
    dark = (row[1:][k] for number, row in enumerate(rows) for k in range(1 - number % 2, 8, 2))
    return "".join(dark)[::-1].translate(_PIECES)


def _turns(state: Any, mover: int) -> Iterator[Any]:
    """The states after each whole turn of the side to move."""
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_terminal() or after.current_player() != mover:
            yield after
        else:
            yield from _turns(after, mover)
