"""Talking with the engine under test: its process, and searches of which all is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.errors import EngineFailure
from engines.external.handshake import greet, set_options
from engines.external.process import EngineProcess
from engines.external.protocol import Announced, Info, last_info
from engines.spec import UciEngine
from toolkit.compliance.finding import Progress, WaitingTimes

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 9"
"""A position without a forced line, in which no engine is done at once."""
QUICK = "depth 4"
"""The limit of searches of which only the move counts: every engine knows it."""
_IMPATIENT_S = 0.1
_MOST_KEPT = 400


@dataclass(frozen=True, slots=True)
class AskedSearch:
    """One search, as it was asked for and answered."""

    fen: str
    moves: tuple[str, ...]
    """From ``fen`` on."""
    chess960: bool
    limit: str
    """What followed ``go``."""
    lines: tuple[str, ...]
    """What the engine printed, the ``bestmove`` line last."""
    info: Info
    elapsed_ms: float
    overdue: bool
    """It had to be stopped."""

    @property
    def move(self) -> str:
        """The answer; empty if there is none."""
        words = self.lines[-1].split()
        return words[1] if len(words) > 1 else ""

    @property
    def pv(self) -> tuple[str, ...]:
        """The variation of the last ``info`` line of the best move that has one."""
        for line in reversed(self.lines[:-1]):
            words = line.split()
            is_first = "multipv" not in words or words[words.index("multipv") + 1 :][:1] == ["1"]
            if words[:1] == ["info"] and "pv" in words and "string" not in words and is_first:
                return tuple(words[words.index("pv") + 1 :])
        return ()


@dataclass(slots=True)
class Conversation:
    """With one engine, in as many processes as it takes: a point that kills one leaves the next
    point a new one. Every method that talks raises EngineFailure when the engine fails, and the
    process then is gone."""

    engine: UciEngine
    pace: WaitingTimes
    progress: Progress
    announced: Announced = field(default_factory=lambda: Announced("", "", {}))
    start_ms: float = 0.0
    """From the start of the last process to ``uciok``."""
    searches: list[AskedSearch] = field(default_factory=list)
    """Those that may be judged later, the oldest first."""
    extra_answers: int = 0
    """``bestmove`` lines that no ``go`` asked for."""
    _process: EngineProcess | None = None
    _impatient: bool = False
    """It kept no limit of depth before."""

    @property
    def process(self) -> EngineProcess:
        """The process, started and set up where there is none."""
        if self._process is None or not self._process.running:
            self._process = self._start()
        return self._process

    def fresh(self) -> EngineProcess:
        """A new process."""
        self.close()
        return self.process

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _start(self) -> EngineProcess:
        begin = time.perf_counter()
        process = EngineProcess(self.engine.command, self.engine.label)
        try:
            self.announced = greet(process, self.pace.start_s)
            self.start_ms = (time.perf_counter() - begin) * 1000
            process.send(set_options(self.engine.options) + b"isready\n")
            if process.read_until(b"readyok", self.pace.start_s) is None:
                raise EngineFailure(
                    f"`{process.name}` did not get ready within {self.pace.start_s:g} s"
                )
        except BaseException:
            process.kill()
            raise
        return process

    def say(self, text: str) -> None:
        """Send one line or more."""
        self.process.send(text.encode() + b"\n")

    def hears(self, word: str, patience_s: float) -> str | None:
        """All that it prints up to the line that begins with ``word``; None if none comes."""
        answer = self.process.read_until(word.encode(), patience_s)
        return None if answer is None else answer.decode("utf-8", "replace")

    def sync(self, commands: str = "") -> str:
        """Send commands and wait until they are carried out; what was printed meanwhile."""
        self.say(f"{commands}\nisready" if commands else "isready")
        text = self.hears("readyok", self.pace.start_s)
        if text is None:
            raise self.failure(f"did not answer `isready` within {self.pace.start_s:g} s")
        self.extra_answers += sum(line.startswith("bestmove") for line in text.splitlines())
        return text

    def failure(self, what: str) -> EngineFailure:
        """The error to raise for an engine that cannot go on; its process is killed."""
        process = self.process
        process.kill()
        return EngineFailure(f"`{process.name}` {what}")

    def new_game(self) -> None:
        """Make it forget."""
        self.sync("ucinewgame")

    def position(self, fen: str, moves: Sequence[str] = ()) -> str:
        """The ``position`` command."""
        start = "startpos" if fen == START else f"fen {fen}"
        return f"position {start}" + (f" moves {' '.join(moves)}" if moves else "")

    def quick(self, fen: str, moves: Sequence[str] = (), *, chess960: bool = False) -> AskedSearch:
        """A short search, of which only the move counts. An engine that does not keep to a depth
        is stopped."""
        patience_s = _IMPATIENT_S if self._impatient else self.pace.search_s
        found = self.search(fen, moves, QUICK, patience_s, chess960=chess960)
        self._impatient = self._impatient or found.overdue
        return found

    def search(
        self,
        fen: str,
        moves: Sequence[str],
        limit: str,
        patience_s: float,
        *,
        chess960: bool = False,
        keep: bool = True,
    ) -> AskedSearch:
        """Search under a limit, as it follows ``go``. A search that takes longer is stopped."""
        self.sync(self.position(fen, moves))
        begin = time.perf_counter()
        self.say(f"go {limit}")
        text = self.hears("bestmove", patience_s)
        overdue = text is None
        if text is None:
            self.say("stop")
            text = self.hears("bestmove", self.pace.stop_s)
        if text is None:
            raise self.failure(f"did not answer `go {limit}` in {patience_s:g} s, nor `stop`")
        found = AskedSearch(
            fen=fen,
            moves=tuple(moves),
            chess960=chess960,
            limit=limit,
            lines=tuple(text.splitlines()),
            info=last_info(text.encode()),
            elapsed_ms=(time.perf_counter() - begin) * 1000,
            overdue=overdue,
        )
        if keep and len(self.searches) < _MOST_KEPT:
            self.searches.append(found)
        return found
