"""Players for tests of the referee and the workers; a worker process imports them by name."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import chess

from engines.errors import EngineFailure
from engines.moves import decode_move, encode_move
from engines.spec import EngineLine, MoveReport, SearchLimit, Variant
from toolkit.runs.pool import is_worker

DOOMED = "MTDF_TEST_DOOMED"
"""Names the opening position on which a deadly player kills its process, and a stuck one waits."""
SPARED = "MTDF_TEST_SPARED"
"""Names a file; once it exists, deadly players kill nobody."""


class RandomPlayer:
    """Plays legal moves that only look random: they depend on position and label alone."""

    def __init__(self, variant: Variant) -> None:
        self.label = variant.label
        self.board = chess.Board()

    def new_game(self) -> None:
        """There is nothing to forget."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand there."""
        self.board = chess.Board(fen)
        for move in moves:
            self.push(move)

    def push(self, move: int) -> None:
        """Play the move."""
        self.board.push_uci(decode_move(move))

    def choose(self) -> str:
        """A legal move."""
        moves = sorted(move.uci() for move in self.board.legal_moves)
        digest = hashlib.sha256(f"{self.label} {self.board.fen()}".encode()).digest()
        return moves[int.from_bytes(digest[:4]) % len(moves)]

    def go(self, limit: SearchLimit) -> MoveReport:
        """A legal move, valued as not quite even."""
        return report(self.choose())

    def close(self) -> None:
        """There is nothing to free."""


class TalkingPlayer(RandomPlayer):
    """Prints of each of its moves a variation, in which every fifth has an illegal move at its end,
    and other things by turns; as a stand-in for an external engine."""

    printed: ClassVar[list[EngineLine]] = []
    """By all of these players together since it was emptied."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant)
        self._lines: list[EngineLine] = []

    def go(self, limit: SearchLimit) -> MoveReport:
        """A legal move."""
        board, pv, ply = self.board, [], len(self.board.move_stack)
        for _ in range(ply % 4 + 1):
            if not any(board.legal_moves):
                break
            pv.append(self.choose())
            board.push_uci(pv[-1])
        for _ in pv:
            board.pop()
        words = [*pv, *["a1a1"] * (ply % 5 == 4)]
        line = EngineLine(
            ply, " ".join(words), ply, ply or None, ply * 10**9, f'{{"é"}} {ply // 4}'[: ply * 9]
        )
        self._lines.append(line)
        self.printed.append(line)
        return report(pv[0])

    def lines(self) -> list[EngineLine]:
        """What it printed since its remarks were taken."""
        return self._lines

    def take_remarks(self) -> list[str]:
        """It does nothing wrong."""
        self._lines = []
        return []


class DeadlyPlayer(RandomPlayer):
    """Kills its process on the doomed opening, unless spared."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        super().set_position(fen, moves)
        spared = os.environ.get(SPARED)
        if fen != os.environ[DOOMED] or (spared and Path(spared).exists()):
            return
        if spared:
            Path(spared).touch()
        assert is_worker(), "mark this test with `workers`"
        os.kill(os.getpid(), signal.SIGKILL)


class StuckPlayer(RandomPlayer):
    """Waits on the doomed opening until its process is killed."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        super().set_position(fen, moves)
        if fen == os.environ[DOOMED]:
            assert is_worker(), "mark this test with `workers`"
            threading.Event().wait()


class RaisingPlayer(RandomPlayer):
    """Has a bug."""

    def go(self, limit: SearchLimit) -> MoveReport:
        raise ZeroDivisionError("a bug\nin two lines")


class SlowPlayer(RandomPlayer):
    """Takes its time."""

    def go(self, limit: SearchLimit) -> MoveReport:
        time.sleep(0.2)
        return super().go(limit)


class DearPlayer(RandomPlayer):
    """Says that it used 30.001 ms of CPU time."""

    def go(self, limit: SearchLimit) -> MoveReport:
        return report(self.choose(), time_us=30_001)


class HearingPlayer(RandomPlayer):
    """Notes what it is told."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant)
        self.heard: list[object] = []

    def new_game(self) -> None:
        self.heard.append("new game")

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        self.heard += [fen, *moves]
        super().set_position(fen, moves)

    def push(self, move: int) -> None:
        self.heard.append(move)
        super().push(move)

    def go(self, limit: SearchLimit) -> MoveReport:
        self.heard.append(limit)
        return super().go(limit)


class ScriptedPlayer(RandomPlayer):
    """Plays given moves, legal or not, and values them as given; then fails."""

    def __init__(self, script: Sequence[tuple[str, int]]) -> None:
        self.script = list(script)
        self.board = chess.Board()

    def go(self, limit: SearchLimit) -> MoveReport:
        if not self.script:
            raise EngineFailure("the script is over")
        uci, value = self.script.pop(0)
        return report(uci, value)


def report(uci: str, value: int = 50, *, nodes: int = 10, time_us: int = 7) -> MoveReport:
    """What a search might have said."""
    return MoveReport(
        move=encode_move(uci),
        value=value,
        depth=1,
        nodes=nodes,
        passes=1,
        time_us=time_us,
        cpu_us=time_us,
    )


def frail_player(variant: Variant) -> RandomPlayer:
    """One that fails at its first move if it is called ``c``."""
    return ScriptedPlayer([]) if variant.label == "c" else RandomPlayer(variant)


def late_player(variant: Variant) -> RandomPlayer:
    """One that takes too much CPU time if it is called ``c``."""
    return DearPlayer(variant) if variant.label == "c" else RandomPlayer(variant)


def mute_player(variant: Variant) -> ScriptedPlayer:
    """One that fails at its first move."""
    return ScriptedPlayer([])
