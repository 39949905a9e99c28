"""A UCI engine that plays legal chess, and has a fault for each flag; without one it is healthy.

    python tests/reliability/faulty_uci.py --die --log DIR

It chooses its moves by a hash of the position, so it repeats itself. A fault of a search happens in
move ``--at`` of each game, so that a game has some moves before it. ``--log`` names a directory of
this engine alone, in which it keeps what an observer needs: ``starts`` and ``faults``, a line for
each of them (seconds since 1970, process, milliseconds left on its clock), and ``processes``, the
numbers of all processes that it started. Nothing here can harm the machine: memory and floods that
end are bounded by ``--megabytes``, and processes left behind end after two minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import chess

LINE = b"info depth 1 seldepth 1 score cp 1 nodes 1 time 1 pv a2a3\n"
CHUNK = LINE * (65536 // len(LINE))
STUBBORN_S = 120.0
"""How long what should have ended lives on at most."""
LEFT_BEHIND = """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
time.sleep(120)
"""

Fault = Callable[["Engine"], None]
Answer = Callable[["Engine", "chess.Move"], str]
_faults: dict[str, tuple[tuple[str, ...], Fault]] = {}
_answers: dict[str, Answer] = {}


class Engine:
    """The engine: its conversation, and the places where a fault can happen."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.name: str = arguments.fault or ""
        self.places, self.fault = _faults.get(self.name, ((), _nothing))
        self.log = Path(arguments.log) if arguments.log else None
        self.data = b""
        self.newline = b"\r\n" if self.name == "crlf" else b"\n"
        self.games = 0
        """Of this process."""
        self.moves = 0
        """Own moves of this game that were asked for."""
        self.score = "cp 13"
        self.pv = ""
        self.last_answer = ""
        self.last_legal: set[str] = set()
        """The moves that were possible when it was last asked."""
        self.clock_ms = 0
        self.writing = {1: threading.Lock(), 2: threading.Lock()}
        self.quiet = threading.Event()
        """Set while a thread that floods should let a line through."""
        self.stubborn = False
        self.held: list[bytearray] = []
        self.starts = self.note("starts")
        self.note_process(os.getpid())

    # Speaking and hearing

    def write(self, data: bytes, number: int = 1) -> None:
        """All of these bytes to standard output, or to another file."""
        view = memoryview(data)
        with self.writing[number]:
            while view:
                view = view[os.write(number, view) :]

    def say(self, text: str) -> None:
        """A line, which comes before those of a thread that floods."""
        self.quiet.set()
        self.write(text.encode() + self.newline)
        self.quiet.clear()

    def hear(self, seconds: float | None = None) -> str | None:
        """The next line; None when none comes in time. The end of the input is ``quit``."""
        while b"\n" not in self.data:
            if not select.select([0], [], [], seconds)[0]:
                return None
            chunk = os.read(0, 65536)
            if not chunk:
                return "quit"
            self.data += chunk
        line, _, self.data = self.data.partition(b"\n")
        return line.decode()

    def note(self, kind: str) -> int:
        """Write a line to a file of the log; which one it is there, from 1."""
        if self.log is None:
            return 1
        with (self.log / kind).open("a") as file:
            file.write(f"{time.time():.6f} {os.getpid()} {self.clock_ms}\n")
        return len((self.log / kind).read_text().splitlines())

    def note_process(self, number: int) -> None:
        """Remember a process that must not outlive the event."""
        if self.log is not None:
            with (self.log / "processes").open("a") as file:
                file.write(f"{number}\n")

    # The conversation

    def run(self) -> None:
        """Answer commands until ``quit``."""
        self.reach("start")
        while True:
            line = self.hear() or ""
            command, _, rest = line.partition(" ")
            if command == "quit":
                if self.stubborn:
                    self.note("faults")
                    time.sleep(STUBBORN_S)
                return
            if command == "uci":
                self.say("id name Faulty 1.0")
                self.say("id author nobody")
                self.reach("uci")
                self.say("option name Hash type spin default 1 min 1 max 1024")
                self.say("option name Threads type spin default 1 min 1 max 8")
                self.say("uciok")
            elif command == "isready":
                import chess  # noqa: F401  (slow, so not while a clock runs)

                self.reach("isready")
                self.say("readyok")
            elif command == "ucinewgame":
                self.games += 1
                self.moves = 0
                self.last_answer, self.last_legal = "", set()
                self.reach("newgame")
            elif command == "position":
                self.position = rest
            elif command == "go":
                self.go(rest)

    def go(self, limits: str) -> None:
        """Search, and answer."""
        self.board = board = _board(self.position)
        self.moves += 1
        self.clock_ms = _clock(limits, board.turn)
        move = _chosen(board)
        self.pv = move.uci()
        if self.moves == self.arguments.at + 1:
            self.reach("next go")
        self.say(self.info())
        if self.moves == self.arguments.at:
            self.reach("go")
        answer = move.uci()
        if self.name in _answers and self.moves == self.arguments.at:
            self.note("faults")
            answer = _answers[self.name](self, move)
        self.last_answer = answer
        self.last_legal = {legal.uci() for legal in board.legal_moves}
        self.say(self.info())
        self.say(f"bestmove {answer}".rstrip())
        if self.moves == self.arguments.at:
            self.reach("answered")

    def info(self) -> str:
        """What it says of its search."""
        return f"info depth 3 seldepth 4 multipv 1 score {self.score} nodes 100 time 1 pv {self.pv}"

    def reach(self, place: str) -> None:
        """Let the fault happen, if this is its place."""
        if place not in self.places:
            return
        if place in ("start", "uci", "isready") and not self.is_faulty_start():
            return
        self.fault(self)

    def is_faulty_start(self) -> bool:
        """Whether this is a start that fails: the first ones may be sound, and later ones."""
        number = self.starts - self.arguments.sound_starts
        last = self.arguments.faulty_starts
        return number > 0 and (last is None or number <= last)

    # What several faults do

    def wait_for_ever(self) -> NoReturn:
        """Do nothing, whatever is said."""
        while True:
            time.sleep(STUBBORN_S)

    def flood(self, number: int = 1, megabytes: int | None = None) -> None:
        """Print lines: so much, or for ever."""
        times = repeat(0) if megabytes is None else range(megabytes * 1_000_000 // len(CHUNK))
        for _ in times:
            self.write(CHUNK, number)

    def in_thread(self, work: Callable[[], None]) -> None:
        """Do something beside the conversation."""
        threading.Thread(target=work, daemon=True).start()

    def die(self, number: int = signal.SIGSEGV) -> NoReturn:
        """End by a signal."""
        self.note("faults")
        os.kill(os.getpid(), number)
        raise SystemExit

    def exit(self, code: int) -> NoReturn:
        """End at once with this exit code."""
        self.note("faults")
        os._exit(code)

    def leave_child(self, *, own_session: bool = False) -> None:
        """Start a process that has our pipes and ignores signals; in this process group, or not."""
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LEFT_BEHIND], start_new_session=own_session
        )
        self.note_process(child.pid)


def at(*places: str) -> Callable[[Fault], Fault]:
    """Make a function a fault: its name is the flag, its docstring the help."""

    def named(function: Fault) -> Fault:
        _faults[function.__name__.replace("_", "-")] = (places, function)
        return function

    return named


def answer(function: Answer) -> Answer:
    """Make a function a fault: what it returns is answered."""
    _answers[function.__name__.replace("_", "-")] = function
    return function


def _nothing(engine: Engine) -> None:
    pass


# Starting


@at("start")
def exit_at_start(e: Engine) -> None:
    """Exit with code 1 when started."""
    e.exit(1)


@at("start")
def die_at_start(e: Engine) -> None:
    """Die of SIGSEGV when started."""
    e.die()


@at("uci")
def exit_before_uciok(e: Engine) -> None:
    """Exit with code 0 instead of uciok."""
    e.exit(0)


@at("uci")
def die_before_uciok(e: Engine) -> None:
    """Die of SIGSEGV instead of uciok."""
    e.die()


@at("uci")
def hang_uci(e: Engine) -> None:
    """Never answer uci."""
    e.note("faults")
    e.wait_for_ever()


@at("isready")
def hang_isready(e: Engine) -> None:
    """Never answer isready."""
    e.note("faults")
    e.wait_for_ever()


@at("uci")
def slow_start(e: Engine) -> None:
    """Take --seconds to answer uci."""
    e.note("faults")
    time.sleep(e.arguments.seconds)


@at("uci")
def flood_start(e: Engine) -> None:
    """Print --megabytes before uciok."""
    e.note("faults")
    e.flood(megabytes=e.arguments.megabytes)


@at("uci")
def flood_start_endless(e: Engine) -> None:
    """Print for ever instead of uciok."""
    e.note("faults")
    e.flood()


@at("newgame")
def exit_between_games(e: Engine) -> None:
    """Exit when the second game of a process begins."""
    if e.games == 2:
        e.exit(0)


@at("newgame")
def hang_between_games(e: Engine) -> None:
    """Hang when the second game of a process begins."""
    if e.games == 2:
        e.note("faults")
        e.wait_for_ever()


# Ending, or not answering


@at("go")
def die(e: Engine) -> None:
    """Die of SIGSEGV during a search."""
    e.die()


@at("go")
def die_as_black(e: Engine) -> None:
    """Die of SIGSEGV during a search with the black pieces."""
    if not e.board.turn:
        e.die()


@at("go")
def die_every_third_game(e: Engine) -> None:
    """Die of SIGSEGV in every third game, counted over all processes."""
    if e.note("games") % 3 == 0:
        e.die()


@at("go")
def exit_0(e: Engine) -> None:
    """Exit with code 0 during a search."""
    e.exit(0)


@at("go")
def exit_1(e: Engine) -> None:
    """Exit with code 1 during a search."""
    e.exit(1)


@at("go")
def hang_go(e: Engine) -> None:
    """Do not answer go before stop comes."""
    e.note("faults")
    while e.hear() not in ("stop", "quit"):
        pass


@at("go")
def hang_stop(e: Engine) -> None:
    """Do not answer go, nor stop."""
    e.note("faults")
    e.wait_for_ever()


@at("go")
def sigstop(e: Engine) -> None:
    """Stop itself with SIGSTOP during a search."""
    e.note("faults")
    os.kill(os.getpid(), signal.SIGSTOP)


@at("go")
def late(e: Engine) -> None:
    """Answer --seconds after its time is over, whatever is said."""
    e.note("faults")
    time.sleep(e.clock_ms / 1000 + e.arguments.seconds)


@at("go")
def close_output(e: Engine) -> None:
    """Close standard output during a search, and live on."""
    e.note("faults")
    os.close(1)
    e.wait_for_ever()


@at("answered")
def close_input(e: Engine) -> None:
    """Close standard input after an answer, and live on."""
    e.note("faults")
    os.close(0)
    e.wait_for_ever()


@at("answered")
def close_all(e: Engine) -> None:
    """Close all its pipes after an answer, and live on."""
    e.note("faults")
    for number in (0, 1, 2):
        os.close(number)
    e.wait_for_ever()


# Answering wrongly


@answer
def illegal(e: Engine, move: chess.Move) -> str:
    """Answer with an illegal move."""
    return _not_legal(e)


@answer
def null(e: Engine, move: chess.Move) -> str:
    """Answer with the null move, 0000."""
    return "0000"


@answer
def malformed(e: Engine, move: chess.Move) -> str:
    """Answer with a square that does not exist."""
    return f"{move.uci()[:3]}9"


@answer
def san(e: Engine, move: chess.Move) -> str:
    """Answer in algebraic notation."""
    return e.board.san(move)


@answer
def no_move(e: Engine, move: chess.Move) -> str:
    """Answer with bestmove alone."""
    return ""


@answer
def none(e: Engine, move: chess.Move) -> str:
    """Answer with bestmove (none)."""
    return "(none)"


@answer
def previous_position(e: Engine, move: chess.Move) -> str:
    """Answer with a move that was possible only in the position before."""
    legal = {one.uci() for one in e.board.legal_moves}
    return min(e.last_legal - legal - {e.last_answer}, default=_not_legal(e))


@answer
def previous_answer(e: Engine, move: chess.Move) -> str:
    """Answer with the move that it played before."""
    return e.last_answer


@at("answered")
def twice(e: Engine) -> None:
    """Answer twice."""
    e.say(f"bestmove {e.last_answer}")


@at("next go")
def twice_late(e: Engine) -> None:
    """Answer a second time when the next search begins."""
    e.say(f"bestmove {e.last_answer}")


@at("next go")
def twice_slow(e: Engine) -> None:
    """Answer a second time when the next search begins, which then takes --seconds."""
    e.say(f"bestmove {e.last_answer}")
    until = time.monotonic() + e.arguments.seconds
    while time.monotonic() < until:
        e.say(e.info())
        for _ in range(100):
            hashlib.sha256(bytes(1 << 18))


# Printing


@at("go")
def flood_before(e: Engine) -> None:
    """Print --megabytes before an answer."""
    e.flood(megabytes=e.arguments.megabytes)


@at("answered")
def flood_after(e: Engine) -> None:
    """Print --megabytes after an answer."""
    e.flood(megabytes=e.arguments.megabytes)


@at("go")
def flood_always(e: Engine) -> None:
    """Print for ever, and play on."""
    e.in_thread(lambda: _flood_beside(e))
    time.sleep(0.1)


@at("go")
def flood_endless(e: Engine) -> None:
    """Print for ever, and never answer."""
    e.note("faults")
    e.flood()


@at("answered")
def flood_endless_after(e: Engine) -> None:
    """Print for ever after an answer, and hear nothing more."""
    e.note("faults")
    e.flood()


@at("go")
def long_line(e: Engine) -> None:
    """Print a line of 10 MB before an answer."""
    e.write(b"info string " + b"x" * 10_000_000 + b"\n")


@at("go")
def endless_line(e: Engine) -> None:
    """Print a line without an end."""
    e.note("faults")
    while True:
        e.write(b"x" * 65536)


@at("uci", "go")
def invalid_utf8(e: Engine) -> None:
    """Print bytes that are not UTF-8."""
    e.write(
        b"info string \xff\xfe\xc3\x28\n\xf0\x28\x8c\x28\ninfo depth \xff score cp \xfe pv \xc0\n"
    )


@at("uci", "go")
def nul(e: Engine) -> None:
    """Print null characters."""
    e.write(b"info string a\0b\n\0\ninfo depth 3\0 score cp 1\0 pv \0\n")


@at()
def crlf(e: Engine) -> None:
    """End all lines with CR and LF."""


@at("go")
def huge_numbers(e: Engine) -> None:
    """Report numbers of 2^70."""
    big = 2**70
    e.say(f"info depth {big} seldepth {big} score cp {big} nodes {big} time {big} pv a2a3")
    e.say(f"info depth {big} score mate {big} nodes -{big} nps {big} hashfull {big} multipv 1")


@at("go")
def flood_stderr(e: Engine) -> None:
    """Print --megabytes to standard error."""
    e.flood(2, e.arguments.megabytes)


@at("go")
def flood_stderr_endless(e: Engine) -> None:
    """Print to standard error for ever, and play on."""
    e.in_thread(lambda: e.flood(2))


# Processes, memory, threads


@at("go")
def fork(e: Engine) -> None:
    """Leave a process behind that has its pipes, and play on."""
    e.leave_child()


@at("go")
def fork_setsid(e: Engine) -> None:
    """Leave a process behind that has its pipes and a session of its own, and play on."""
    e.leave_child(own_session=True)


@at("go")
def fork_die(e: Engine) -> None:
    """Leave a process behind that has its pipes, and die."""
    e.leave_child()
    e.die()


@at("go")
def fork_setsid_die(e: Engine) -> None:
    """Leave a process behind that has its pipes and a session of its own, and die."""
    e.leave_child(own_session=True)
    e.die()


@at("start")
def stubborn(e: Engine) -> None:
    """Ignore quit, SIGTERM and the end of the input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    e.stubborn = True


@at("go")
def memory(e: Engine) -> None:
    """Take --megabytes of memory, and keep it."""
    e.held.append(bytearray(b"x") * (e.arguments.megabytes * 1_000_000))


@at("go")
def threads(e: Engine) -> None:
    """Search with four threads more than it was told."""
    until = time.monotonic() + 0.1
    block = bytes(1 << 20)

    def work() -> None:
        while time.monotonic() < until:
            hashlib.sha256(block)  # releases the interpreter's lock

    for _ in range(4):
        e.in_thread(work)
    work()


# Telling lies


@at("start")
def false_mate(e: Engine) -> None:
    """Report that it mates with the next move."""
    e.score = "mate 1"


@at("start")
def false_loss(e: Engine) -> None:
    """Report that it is mated with the next move."""
    e.score = "mate -1"


@at("start")
def false_draw(e: Engine) -> None:
    """Report a draw."""
    e.score = "cp 0"


@at("go")
def illegal_line(e: Engine) -> None:
    """Report a variation that begins with its move and goes on with illegal ones."""
    e.pv += f" {_not_legal(e)} 0000 xyzzy e9e9"


def _flood_beside(engine: Engine) -> None:
    """Print for ever, in whole lines, but not into an answer."""
    while True:
        while engine.quiet.is_set():
            time.sleep(0.001)
        engine.write(CHUNK)


def _board(position: str) -> chess.Board:
    import chess

    start, _, moves = position.partition(" moves ")
    kind, _, fen = start.partition(" ")
    board = chess.Board() if kind == "startpos" else chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    return board


def _chosen(board: chess.Board) -> chess.Move:
    """A legal move that depends on the position alone."""
    moves = sorted(board.legal_moves, key=str)
    digest = hashlib.sha256(board.epd().encode()).digest()
    return moves[digest[0] % len(moves)]


def _not_legal(engine: Engine) -> str:
    """A move from a square of ours to one that cannot be reached."""
    import chess

    legal = {move.uci() for move in engine.board.legal_moves}
    king = engine.board.king(engine.board.turn)
    squares = (chess.SQUARE_NAMES[king or 0] + name for name in chess.SQUARE_NAMES)
    return next(text for text in squares if text not in legal and text[:2] != text[2:])


def _clock(limits: str, white: bool) -> int:
    """Milliseconds left on our clock; 0 without one."""
    words = limits.split()
    name = "wtime" if white else "btime"
    return int(words[words.index(name) + 1]) if name in words else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    one = parser.add_mutually_exclusive_group()
    kinds: dict[str, Fault | Answer] = {name: fault for name, (_, fault) in _faults.items()}
    kinds |= _answers
    for name, function in kinds.items():
        one.add_argument(
            f"--{name}", dest="fault", action="store_const", const=name, help=function.__doc__
        )
    parser.add_argument("--at", type=int, default=2, help="Own move of a game with the fault.")
    parser.add_argument("--seconds", type=float, default=3.0, help="How slow or late it is.")
    parser.add_argument("--megabytes", type=int, default=100, help="How much it prints or takes.")
    parser.add_argument("--sound-starts", type=int, default=0, help="First starts without fault.")
    parser.add_argument("--faulty-starts", type=int, help="Starts with the fault after these.")
    parser.add_argument("--log", help="Directory for notes of this engine.")
    return parser.parse_args()


if __name__ == "__main__":
    Engine(_arguments()).run()
