"""Any variant as a UCI engine over standard input and output.

One thread reads. Another runs the searches and the commands that change the state, in order. So
``isready``, ``stop`` and ``quit`` are answered during a search, and commands that come too early
wait for its end. Invalid input is answered with an ``info string error`` line. Every ``go`` is
answered with a ``bestmove``. The last ``info`` line before it, with ``MultiPV`` the last one of the
first line, has that move first in its variation, and counts all nodes of the search.
"""

from __future__ import annotations

import io
import queue
import threading
import time
from typing import TextIO

from msgspec.structs import replace

from engines.backend import fallback_reason, make_searcher
from engines.cores import available_cores
from engines.errors import EngineError, PositionError
from engines.moves import encode_move
from engines.spec import (
    MATE,
    MATE_BOUND,
    Iteration,
    Searcher,
    SearchLimit,
    Variant,
)
from engines.uci.go import Go, parse_go
from engines.uci.options import Options, split_setoption

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_NO_GO = parse_go(["depth", "1"])
_QUEUED = frozenset(["isready", "ucinewgame", "setoption", "position", "go"])
_TOLERATED = frozenset(["", "debug", "register"])


def serve(variant: Variant, stdin: TextIO, stdout: TextIO, version: str) -> None:
    """Speak UCI as engine ``variant`` of the program's ``version`` until ``quit`` or the end of the
    input.

    When the input ends, a search with a limit runs to its limit; ``quit`` stops it at once.
    """
    if isinstance(stdin, io.TextIOWrapper):
        stdin.reconfigure(errors="replace")
    session = _Session(variant, stdout, version)
    session.start()
    try:
        for line in stdin:
            if not session.read(line.split()):
                break
    except KeyboardInterrupt:
        session.interrupt()
        raise
    finally:
        session.finish()


def format_score(value: int) -> str:
    """A value as ``cp``, or as ``mate`` in full moves, negative if the side to move is mated."""
    if abs(value) <= MATE_BOUND:
        return f"cp {value}"
    moves = (MATE - abs(value) + 1) // 2
    return f"mate {moves if value > 0 else -moves}"


class _Session:
    """One UCI session: the public methods run in one thread, ``_work`` in another."""

    def __init__(self, variant: Variant, stdout: TextIO, version: str) -> None:
        self._out = _Output(stdout)
        self._name = f"mtdf {version} ({variant.label})"
        self._option_lines = list(Options(variant).lines())
        self._work_queue: queue.Queue[list[str] | None] = queue.Queue()
        self._searches = _Searches()
        self._thread = threading.Thread(
            target=_work,
            args=(self._work_queue, _Engine(variant, self._out, self._searches)),
            name="uci-search",
            daemon=True,
        )

    def start(self) -> None:
        """Start to run commands."""
        self._thread.start()

    def read(self, words: list[str]) -> bool:
        """Handle one command; False if it ends the session."""
        command = words[0] if words else ""
        if command == "quit" or self._out.closed or not self._thread.is_alive():
            self._searches.stop()
            return False
        if command == "uci":
            self._greet()
        elif command == "stop":
            self._searches.stop()
        elif command == "ponderhit":
            self._searches.ponderhit()
        elif command == "isready" and self._searches.is_asked_at_once():
            self._out.say("readyok")
        elif command in _QUEUED:
            if command == "go":
                self._searches.ask()
            self._work_queue.put(words)
        elif command not in _TOLERATED:
            self._out.say(f"info string error unknown command `{command[:40]}`")
        return True

    def interrupt(self) -> None:
        """Stop the search and the searches queued after it."""
        self._searches.stop()

    def finish(self) -> None:
        """Wait for the search, which now ends only at its limit."""
        self._work_queue.put(None)
        self._searches.end_input()
        self._thread.join()

    def _greet(self) -> None:
        self._out.say(f"id name {self._name}")
        self._out.say("id author the mtdf project")
        for line in self._option_lines:
            self._out.say(line)
        reason = fallback_reason()
        if reason is not None:
            self._out.say(f"info string reference backend: {reason}")
        self._out.say("uciok")


class _Output:
    """Lines written by two threads. It is no error if the reader has closed the pipe."""

    def __init__(self, stdout: TextIO) -> None:
        self.closed = False
        self._stdout = stdout
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        """Write one line at once."""
        with self._lock:
            try:
                self._stdout.write(line + "\n")
                self._stdout.flush()
            except BrokenPipeError:
                self.closed = True


class _Searches:
    """The requested searches, and the ``stop`` and ``ponderhit`` commands since.

    Searches are numbered in the order of the requests. A ``stop`` or ``ponderhit`` that comes
    before its search has begun still applies to it, and never to a later one.
    """

    def __init__(self) -> None:
        self._running = False
        self._unanswered = 0
        """``isready`` commands in the queue."""
        self._answered = 0
        """``isready`` commands in the queue that a search has answered already."""
        self._asked = 0
        self._begun = 0
        self._stopped = 0
        self._hit = 0
        self._input_ended = False
        self._changed = threading.Condition()
        self._searcher: Searcher | None = None
        self._told_to_stop = False
        self._go = _NO_GO
        self._time = SearchLimit()
        self._time_starts = 0.0
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """Count a requested search."""
        with self._changed:
            self._asked += 1

    def stop(self) -> None:
        """Stop all requested searches."""
        with self._changed:
            self._stopped = self._asked
            self._stop_searcher()
            self._changed.notify_all()

    def ponderhit(self) -> None:
        """The opponent played the pondered move: time counts from now on."""
        with self._changed:
            was_held = self._is_held()
            self._hit = self._asked
            if was_held and not self._is_held():
                self._time_starts = time.perf_counter()
                if self._time.hard_ms is not None:
                    seconds = self._time.hard_ms / 1000
                    self._timer = threading.Timer(seconds, self._time_is_up, [self._begun])
                    self._timer.daemon = True
                    self._timer.start()
            self._changed.notify_all()

    def end_input(self) -> None:
        """Stop all searches whose move is held back: no command can release it any more."""
        with self._changed:
            self._input_ended = True
            if self._is_held():
                self._stop_searcher()
            self._changed.notify_all()

    def is_asked_at_once(self) -> bool:
        """Whether a search is running, so that ``isready`` must not wait in the queue."""
        with self._changed:
            self._unanswered += not self._running
            return self._running

    def take_unanswered(self) -> int:
        """The number of ``isready`` commands in the queue, which would wait for the search that has
        begun; it answers them."""
        with self._changed:
            taken, self._unanswered = self._unanswered, 0
            self._answered += taken
            return taken

    def is_unanswered(self) -> bool:
        """Whether the ``isready`` whose turn has come was not answered by a search before."""
        with self._changed:
            if self._answered:
                self._answered -= 1
                return False
            self._unanswered -= 1
            return True

    def begin(self, searcher: Searcher, go: Go, limit: SearchLimit) -> SearchLimit:
        """Begin the next search; returns its limit before a ``ponderhit``."""
        with self._changed:
            self._running = True
            self._begun += 1
            self._searcher = searcher
            self._told_to_stop = False
            self._go, self._time = go, limit
            return replace(limit, soft_ms=None, hard_ms=None) if self._is_held() else limit

    def skip(self) -> None:
        """Skip the next search because its preparation failed."""
        with self._changed:
            self._begun += 1

    def must_stop(self) -> bool:
        """Whether the running search must end now, after an iteration."""
        with self._changed:
            soft_ms = self._time.soft_ms
            late = (
                self._timer is not None
                and soft_ms is not None
                and time.perf_counter() - self._time_starts >= soft_ms / 1000
            )
            return late or self._may_end_held()

    def end(self) -> bool:
        """End the running search, and wait until its move may be sent. Returns whether ``stop`` may
        have reached the searcher after its end."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_held() or self._may_end_held())
            self._running = False
            self._searcher = None
            self._go = _NO_GO
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            return self._told_to_stop

    def _is_held(self) -> bool:
        """Whether the running search must hold its move back until ``stop`` or ``ponderhit``."""
        return self._go.infinite or (self._go.ponder and self._begun > self._hit)

    def _may_end_held(self) -> bool:
        return self._begun <= self._stopped or (self._input_ended and self._is_held())

    def _time_is_up(self, number: int) -> None:
        with self._changed:
            if number == self._begun:
                self._stop_searcher()

    def _stop_searcher(self) -> None:
        if self._searcher is not None:
            self._told_to_stop = True
            self._searcher.stop()


def _work(commands: queue.Queue[list[str] | None], engine: _Engine) -> None:
    """Run commands until None comes."""
    while (words := commands.get()) is not None:
        engine.carry_out(words)
    engine.close()


class _Engine:
    """The variant with its options, and the current position."""

    def __init__(self, variant: Variant, out: _Output, searches: _Searches) -> None:
        self._out = out
        self._searches = searches
        self._options = Options(variant)
        self._searcher: Searcher | None = None
        self._fen = _START
        self._words: list[str] = []
        self._moves: list[int] = []
        self._chess960 = False
        self._told_to_stop = False

    def carry_out(self, words: list[str]) -> None:
        """Run one command. An error is reported in one line and changes nothing."""
        try:
            match words[0]:
                case "isready":
                    self._get_ready()
                case "ucinewgame":
                    self._ready().new_game()
                case "setoption":
                    if self._options.set(*split_setoption(words[1:])):
                        self.close()
                case "position":
                    self._set_position(words[1:])
                case "go":
                    self._go(words[1:])
        except (EngineError, ValueError) as error:
            self._complain(error)

    def close(self) -> None:
        """Free the searcher; the next command that needs one creates a new one."""
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None

    def _get_ready(self) -> None:
        try:
            self._ready()
        except EngineError as error:
            self._complain(error)
        if self._searches.is_unanswered():
            self._out.say("readyok")

    def _ready(self) -> Searcher:
        if self._searcher is None:
            variant = self._options.variant()
            self._searcher = make_searcher(variant)
            if variant.threads > (cores := available_cores()):
                self._out.say(f"info string {variant.threads} threads share {cores} cores")
            self._stand(self._searcher)
        return self._searcher

    def _stand(self, searcher: Searcher) -> None:
        searcher.set_position(self._fen, self._moves, self._chess960)

    def _set_position(self, words: list[str]) -> None:
        end = words.index("moves") if "moves" in words else len(words)
        start = words[:end]
        if start == ["startpos"]:
            fen = _START
        elif start[:1] == ["fen"] and 5 <= len(start) <= 7:
            fen = " ".join([*start[1:], "0", "1"][:6])
        else:
            raise PositionError("position must read: position startpos|fen FEN [moves MOVE ...]")
        words = words[end + 1 :]
        known, chess960 = len(self._words), self._options.chess960
        same_game = fen == self._fen and chess960 == self._chess960
        if same_game and words[:known] == self._words:
            self._play_on(words[known:])
            return
        moves = [encode_move(text) for text in words]
        self._ready().set_position(fen, moves, chess960)
        self._fen, self._words, self._moves = fen, words, moves
        self._chess960 = chess960

    def _play_on(self, words: list[str]) -> None:
        """Play the new moves of the game: all of them, or none."""
        searcher = self._ready()
        moves = [encode_move(text) for text in words]
        try:
            for move in moves:
                searcher.push(move)
        except PositionError:
            self._stand(searcher)
            raise
        self._words += words
        self._moves += moves

    def _go(self, words: list[str]) -> None:
        """Search, and send the best move: every ``go`` gets one."""
        best = None
        try:
            best = self._search(parse_go(words))
        except (EngineError, ValueError) as error:
            self._complain(error)
        if best is None:
            self._out.say("bestmove 0000")
            return
        reply = f" ponder {best.pv[1]}" if self._options.ponder and len(best.pv) > 1 else ""
        self._out.say(f"bestmove {best.move}{reply}")

    def _complain(self, error: Exception | str) -> None:
        self._out.say(f"info string error {' '.join(str(error).split())}")

    def _search(self, go: Go) -> Iteration | None:
        """Search and report, then wait until the move may be sent. Returns the best line; None if
        there is no legal move."""
        for error in go.errors:
            self._complain(error)
        try:
            searcher = self._ready()
            if self._told_to_stop:
                # A stop that came just after the last search must not stop this one.
                self._stand(searcher)
            root_moves = self._root_moves(go, searcher)
        except (EngineError, ValueError):
            self._searches.skip()
            raise
        white = (self._fen.split()[1] == "w") == (len(self._moves) % 2 == 0)
        limit = self._searches.begin(searcher, go, go.limit(white, self._options.overhead_ms))
        for _ in range(self._searches.take_unanswered()):
            self._out.say("readyok")
        lines = self._options.multipv
        progress = _Progress(numbered=lines > 1)

        def report(iteration: Iteration) -> None:
            told = progress.add(iteration)
            for line in told:
                self._out.say(line)
            if (told and self._searches.must_stop()) or self._out.closed:
                searcher.stop()

        try:
            result = searcher.search(limit, on_iteration=report, root_moves=root_moves, lines=lines)
            if result.move is None:
                self._out.say(f"info depth 0 score {format_score(result.value)}")
        finally:
            self._told_to_stop = self._searches.end()
        return progress.best[0] if progress.best else None

    def _root_moves(self, go: Go, searcher: Searcher) -> list[int]:
        """The legal moves of ``searchmoves``, none for all moves; illegal ones are reported."""
        if go.searchmoves is None:
            return []
        found = {text: _code(text) for text in go.searchmoves}
        legal = [code for code in found.values() if code is not None and searcher.is_legal(code)]
        for text, code in found.items():
            if code not in legal:
                self._complain(f"go: searchmoves: `{text[:40]}` is not legal here")
        if not legal:
            self._out.say("info string go: searchmoves has no legal move; all moves are searched")
        return legal


def _code(text: str) -> int | None:
    """A move's code; None if the text is not a move."""
    try:
        return encode_move(text)
    except PositionError:
        return None


class _Progress:
    """The ``info`` lines of a search, with totals so far."""

    def __init__(self, *, numbered: bool) -> None:
        """``numbered``: mark each line with its number, as ``MultiPV`` demands."""
        self.best: list[Iteration] = []
        """The best moves, best first, each with its last iteration that counts."""
        self._numbered = numbered
        self._nodes = 0
        self._time_us = 0
        self._first: Iteration | None = None
        self._of_depth: list[Iteration] = []

    def add(self, iteration: Iteration) -> list[str]:
        """The ``info`` lines after an iteration: those of all best moves once a depth is complete
        or cut short, else none."""
        self._nodes += iteration.nodes
        self._time_us += iteration.time_us
        if iteration.line == 1:
            iteration = self._first = self._named(iteration)
            self._of_depth = [iteration]
        elif iteration.finished:
            self._of_depth.append(iteration)
        if iteration.finished and iteration.line < iteration.lines:
            return []
        self._merge(iteration.lines)
        return [
            _info(one, self._nodes, self._time_us, number if self._numbered else None)
            for number, one in enumerate(self.best, 1)
        ]

    def _named(self, iteration: Iteration) -> Iteration:
        """An unfinished iteration has its own depth only if a move that it found is played; then
        its value is a lower bound. It is not marked as such, because programs ignore marked lines
        when they look for the move's variation."""
        first = self._first
        if first is not None and not iteration.finished:
            if (iteration.move, iteration.value) == (first.move, first.value):
                return replace(iteration, depth=first.depth)
        return iteration

    def _merge(self, count: int) -> None:
        """Put what the last depth found before what it did not reach, and both in order of value:
        in selective search a later line may turn out better than one before it."""
        moves = {one.move for one in self._of_depth}
        known = [*self._of_depth, *(one for one in self.best if one.move not in moves)]
        self.best = sorted(known, key=lambda one: (-one.depth, -one.value))[:count]


def _info(iteration: Iteration, nodes: int, time_us: int, number: int | None) -> str:
    """The ``info`` line of an iteration, with totals of the search so far."""
    # Of less than a millisecond a speed says nothing.
    nps = f"nps {nodes * 1_000_000 // time_us} " if time_us >= 1_000 else ""
    multipv = "" if number is None else f"multipv {number} "
    return (
        f"info depth {iteration.depth} seldepth {iteration.seldepth} {multipv}"
        f"score {format_score(iteration.value)} nodes {nodes} {nps}"
        f"hashfull {iteration.hashfull} time {time_us // 1000} pv {' '.join(iteration.pv)}"
    )
