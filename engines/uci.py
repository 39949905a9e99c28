"""Any variant as a UCI engine over standard input and output.

One thread reads. Another carries out, in order, the searches and the commands that change the
state, so that ``isready``, ``stop`` and ``quit`` are answered while a search runs, and commands
that come too early wait for its end. What cannot be understood is answered by an ``info string
error`` line.
"""

from __future__ import annotations

import io
import queue
import threading
from typing import TextIO

from engines.backend import fallback_reason, make_searcher
from engines.errors import EngineError, PositionError
from engines.moves import encode_move
from engines.spec import MATE, MATE_BOUND, Iteration, Searcher, Variant
from engines.uci_go import Go, parse_go
from engines.uci_options import Options, split_setoption

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_QUEUED = frozenset(["isready", "ucinewgame", "setoption", "position", "go"])
_TOLERATED = frozenset(["", "ponderhit", "debug", "register"])


def serve(variant: Variant, stdin: TextIO, stdout: TextIO) -> None:
    """Speak UCI as engine ``variant`` until ``quit`` or the end of the input.

    At the end of the input a search that has a limit is finished; ``quit`` ends it at once.
    """
    if isinstance(stdin, io.TextIOWrapper):
        stdin.reconfigure(errors="replace")
    session = _Session(variant, stdout)
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
    """A value as ``cp``, or as ``mate`` in full moves, negative for the side that is mated."""
    if abs(value) <= MATE_BOUND:
        return f"cp {value}"
    moves = (MATE - abs(value) + 1) // 2
    return f"mate {moves if value > 0 else -moves}"


class _Session:
    """One conversation: ``read`` and the like run in one thread, ``_work`` in another."""

    def __init__(self, variant: Variant, stdout: TextIO) -> None:
        self._out = _Output(stdout)
        self._name = variant.label
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
        """Begin to carry out commands."""
        self._thread.start()

    def read(self, words: list[str]) -> bool:
        """Take one command; False when it ends the conversation."""
        command = words[0] if words else ""
        if command == "quit" or self._out.closed or not self._thread.is_alive():
            self._searches.stop()
            return False
        if command == "uci":
            self._greet()
        elif command == "stop":
            self._searches.stop()
        elif command == "isready" and self._searches.running:
            self._out.say("readyok")
        elif command in _QUEUED:
            if command == "go":
                self._searches.ask()
            self._work_queue.put(words)
        elif command not in _TOLERATED:
            self._out.say(f"info string error unknown command `{command[:40]}`")
        return True

    def interrupt(self) -> None:
        """Stop the search, and those that wait for its end."""
        self._searches.stop()

    def finish(self) -> None:
        """Wait for the search, which ends by its limit; nothing else can stop it any more."""
        self._work_queue.put(None)
        self._searches.end_input()
        self._thread.join()

    def _greet(self) -> None:
        self._out.say(f"id name mtdf {self._name}")
        self._out.say("id author the mtdf project")
        for line in self._option_lines:
            self._out.say(line)
        reason = fallback_reason()
        if reason is not None:
            self._out.say(f"info string reference backend: {reason}")
        self._out.say("uciok")


class _Output:
    """Lines written by two threads; a reader that has gone away is no error."""

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
    """Which searches were asked for, and up to which one they were told to stop.

    They are numbered as they are asked for: a ``stop`` that comes before the search has begun
    still ends it, and never a later one.
    """

    def __init__(self) -> None:
        self.running = False
        self._asked = 0
        self._begun = 0
        self._stopped = 0
        self._input_ended = False
        self._changed = threading.Condition()
        self._searcher: Searcher | None = None

    def ask(self) -> None:
        """Count a search that will be begun."""
        with self._changed:
            self._asked += 1

    def stop(self) -> None:
        """Stop all searches that were asked for."""
        with self._changed:
            self._stopped = self._asked
            if self._searcher is not None:
                self._searcher.stop()
            self._changed.notify_all()

    def end_input(self) -> None:
        """Stop all searches without a limit, as no ``stop`` can come any more."""
        with self._changed:
            self._input_ended = True
            self._changed.notify_all()

    def begin(self, searcher: Searcher) -> None:
        """The next search begins."""
        with self._changed:
            self.running = True
            self._begun += 1
            self._searcher = searcher

    def skip(self) -> None:
        """The next search is not begun, as its command was wrong."""
        with self._changed:
            self._begun += 1

    def must_stop(self, infinite: bool) -> bool:
        """Whether the running search is to end now."""
        with self._changed:
            return self._begun <= self._stopped or (infinite and self._input_ended)

    def end(self, infinite: bool) -> bool:
        """The running search has ended. An infinite one waits here for its ``stop``. Returns
        whether the searcher may have been told to stop."""
        with self._changed:
            if infinite:
                self._changed.wait_for(lambda: self._input_ended or self._begun <= self._stopped)
            self.running = False
            self._searcher = None
            return self._input_ended or self._begun <= self._stopped


def _work(commands: queue.Queue[list[str] | None], engine: _Engine) -> None:
    """Carry out commands until None comes."""
    while (words := commands.get()) is not None:
        engine.carry_out(words)
    engine.close()


class _Engine:
    """The variant at its options, and the position that it stands at."""

    def __init__(self, variant: Variant, out: _Output, searches: _Searches) -> None:
        self._out = out
        self._searches = searches
        self._options = Options(variant)
        self._searcher: Searcher | None = None
        self._fen = _START
        self._words: list[str] = []
        self._moves: list[int] = []
        self._told_to_stop = False

    def carry_out(self, words: list[str]) -> None:
        """One command; what is wrong with it is said in one line, and nothing has changed."""
        try:
            match words[0]:
                case "isready":
                    self._ready()
                    self._out.say("readyok")
                case "ucinewgame":
                    self._ready().new_game()
                case "setoption":
                    self._options.set(*split_setoption(words[1:]))
                    self.close()
                case "position":
                    self._set_position(words[1:])
                case "go":
                    self._go(words[1:])
        except (EngineError, ValueError) as error:
            self._out.say(f"info string error {' '.join(str(error).split())}")

    def close(self) -> None:
        """Free the searcher; the next command that needs one makes it anew."""
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None

    def _ready(self) -> Searcher:
        if self._searcher is None:
            self._searcher = make_searcher(self._options.variant())
            self._searcher.set_position(self._fen, self._moves)
        return self._searcher

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
        known = len(self._words)
        if fen == self._fen and words[:known] == self._words:
            self._play_on(words[known:])
            return
        moves = [encode_move(text) for text in words]
        self._ready().set_position(fen, moves)
        self._fen, self._words, self._moves = fen, words, moves

    def _play_on(self, words: list[str]) -> None:
        """Play the moves by which the game has gone on; all of them, or none."""
        searcher = self._ready()
        moves = [encode_move(text) for text in words]
        try:
            for move in moves:
                searcher.push(move)
        except PositionError:
            searcher.set_position(self._fen, self._moves)
            raise
        self._words += words
        self._moves += moves

    def _go(self, words: list[str]) -> None:
        try:
            go, searcher = parse_go(words), self._ready()
            if self._told_to_stop:
                # A stop that came just after the last search must not end this one.
                searcher.set_position(self._fen, self._moves)
        except (EngineError, ValueError):
            self._searches.skip()
            raise
        for word in go.unsupported:
            self._out.say(f"info string {word} is not supported and left out of account")
        self._searches.begin(searcher)
        try:
            move = self._search(go, searcher)
        finally:
            self._told_to_stop = self._searches.end(go.infinite)
        self._out.say(f"bestmove {move or '0000'}")

    def _search(self, go: Go, searcher: Searcher) -> str | None:
        """Search and report; the best move."""
        nodes = time_us = 0

        def report(iteration: Iteration) -> None:
            nonlocal nodes, time_us
            nodes += iteration.nodes
            time_us += iteration.time_us
            if iteration.finished:
                self._out.say(_info(iteration, nodes, time_us))
            if self._searches.must_stop(go.infinite) or self._out.closed:
                searcher.stop()

        white = (self._fen.split()[1] == "w") == (len(self._moves) % 2 == 0)
        result = searcher.search(go.limit(white), on_iteration=report)
        if result.move is None:
            self._out.say(f"info depth 0 score {format_score(result.value)}")
        return result.move


def _info(iteration: Iteration, nodes: int, time_us: int) -> str:
    """The ``info`` line of an iteration, with totals of the search so far."""
    nps = nodes * 1_000_000 // max(1, time_us)
    return (
        f"info depth {iteration.depth} score {format_score(iteration.value)} nodes {nodes} "
        f"nps {nps} time {time_us // 1000} pv {' '.join(iteration.pv)}"
    )
