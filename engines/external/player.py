"""An external engine as a player."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from engines.backend import last_info
from engines.errors import EngineFailure, EngineTimeout, PositionError, StartFailure
from engines.external.files import changed_part
from engines.external.handshake import START_PATIENCE_S, get_ready, greet, set_options
from engines.external.lines import Said, find_lies, line_of, plays_its_best, said_of
from engines.external.log import EngineLog
from engines.external.process import EngineProcess
from engines.external.protocol import CHESS960
from engines.external.text import shown
from engines.moves import decode_move, encode_move
from engines.spec import EngineLine, MoveReport, SearchLimit, UciEngine

STARTS = 3
"""How often an engine may fail in a row to start and to get ready for a game."""
STOP_GRACE_S = 0.5
"""How long an engine whose time is over may take to answer ``stop``."""
REPEAT_GRACE_S = 0.5
"""How long an engine that said its last move once more may do nothing before it says another."""
_BUSY = 0.2
"""The share of a processor, of which this machine may have few to give, that is not nothing."""
FLOOD_BYTES = 8 << 20
"""An engine that prints more for one move is said to flood."""
_MOST_KEPT = 16 << 10
"""Bytes of what it printed for one move that are kept to the end of the game."""
_ENOUGH_US = 1_000_000
"""Wall-clock time of the searches that are judged together."""
_TOLERANCE = 0.25
"""Cores: an input thread, or what is tidied up while the move is on its way to us."""

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_STARTPOS = b"position startpos"

_texts: dict[int, bytes] = {}
"""A blank and a move, by its code."""
_codes: dict[bytes, int] = {}
"""The inverse, without the blank."""


class UciPlayer:
    """Implements :class:`engines.spec.Player`; stands at the initial position at first.

    Its process starts with the first game, or search, and lives until :meth:`close`. When it fails
    it is killed, and the next game has a new one. ``patience_s``: how long it may take to start,
    and to get ready for a game.
    """

    def __init__(self, engine: UciEngine, *, patience_s: float = START_PATIENCE_S) -> None:
        self.engine = engine
        self.log: EngineLog | None = None
        """Where all that is said is kept, from its next process on."""
        self.output = b""
        """What it printed in its last search, up to the answer."""
        self._patience_s = patience_s
        self._process: EngineProcess | None = None
        self._has_chess960 = False
        self._told_chess960 = False
        """Whether the process writes castling as in Chess960."""
        self._chess960 = False
        self._position = _STARTPOS
        self._moves = b""
        self._limit: SearchLimit | None = None
        self._go = b""
        self._answered = b""
        self._answered_at = 0
        """Its last answer in this game, and the length of the moves before it."""
        self._printed = 0
        self._remarks: dict[str, None] = {}
        self._searches: list[Said | tuple[int, bytes]] = []
        """What it said in this game, or the ply and all that it printed, which is read after the
        game: during it, each search displaces Python from the processor's caches."""
        self._threads = ThreadWatch(engine.threads)

    def new_game(self) -> None:
        """Make the engine forget. One that does not get ready is started again. Raises
        StartFailure when it failed to start :data:`STARTS` times in a row."""
        if self.engine.restart:
            self.close()
        self._answered = b""
        self._begin(b"ucinewgame\n")

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves``; they are not checked. ``chess960``: the game has its
        rules, and castling is written as the king taking its own rook. Raises PositionError for
        what cannot be a position, and StartFailure when the engine does not get ready for Chess960,
        or does not play it."""
        words = fen.split()
        if not 4 <= len(words) <= 6 or not (fen.isascii() and fen.isprintable()):
            raise PositionError(f"`{shown(fen)}` is not a position")
        full = " ".join([*words, "0", "1"][:6]) if len(words) != 5 else f"{fen} 1"
        self._position = _STARTPOS if full == _START else f"position fen {full}".encode()
        self._moves = b""
        self._chess960 = chess960
        self._searches.clear()
        for move in moves:
            self.push(move)
        if chess960 != self._told_chess960 and self._process is not None:
            self._begin(b"")  # now, before its clock runs

    def push(self, move: int) -> None:
        """Play a move."""
        try:
            self._moves += _texts[move]
        except KeyError:
            _texts[move] = b" " + decode_move(move).encode()
            self._moves += _texts[move]

    def go(self, limit: SearchLimit) -> MoveReport:
        """Let the engine search. Raises EngineTimeout when it has not answered after
        ``limit.patience_ms``, and EngineFailure when it fails, or its answer is no move."""
        if limit is not self._limit:
            self._go = _go_command(limit)
            self._limit = limit
        process = self._running()
        patience_ms = limit.patience_ms
        patience_s = None if patience_ms is None else patience_ms / 1000
        cpu_ns, begin_ns = process.cpu_ns(), time.perf_counter_ns()
        moves = b" moves" + self._moves if self._moves else b""
        answer = process.ask(self._position + moves + self._go, b"bestmove", patience_s)
        if process.answered_before:
            self._remarks["gave an answer twice"] = None
        if answer is None:
            raise self._overdue(process, patience_ms)
        move = _move_in(answer)
        if move == self._answered and self._is_repeated(move):
            deadline_s = math.inf if patience_s is None else begin_ns / 1e9 + patience_s
            answer = self._other_answer(process, answer, deadline_s)
            move = _move_in(answer)
        end_ns = time.perf_counter_ns()
        self.output = answer
        self._answered, self._answered_at = move, len(self._moves)
        if process.printed - self._printed > FLOOD_BYTES:
            self._remarks[f"printed more than {FLOOD_BYTES >> 20} MB for one move"] = None
        self._printed = process.printed
        printed = (self._moves.count(b" "), answer)
        self._searches.append(printed if len(answer) <= _MOST_KEPT else said_of(*printed))
        value, depth, nodes, _, _ = last_info(answer)
        wall_us, cpu_us = (end_ns - begin_ns) // 1000, (process.cpu_ns() - cpu_ns) // 1000
        self._threads.add(wall_us, cpu_us)
        return MoveReport(self._move(move, answer), value, depth, nodes, None, wall_us, cpu_us)

    def lines(self) -> list[EngineLine]:
        """What it printed of its moves in this game, until its remarks are taken."""
        return [line for said in self._said() if (line := line_of(said)) is not None]

    def _said(self) -> list[Said]:
        """What it said in this game, read once."""
        said = [one if isinstance(one, Said) else said_of(*one) for one in self._searches]
        self._searches[:] = said
        return said

    def take_remarks(self) -> list[str]:
        """What it did wrong that cost it nothing, since the last call; each once."""
        remarks = [*self._remarks, *self._lies()]
        self._remarks.clear()
        self._searches.clear()
        of_log = None if self.log is None else self.log.take_problem()
        return remarks + [text for text in (self._threads.take_remark(), of_log) if text]

    def _lies(self) -> list[str]:
        """What is wrong with what it said in this game."""
        fen = self._position.partition(b" fen ")[2].decode() or _START
        moves = [encode_move(word.decode()) for word in self._moves.split()]
        with suppress(PositionError):  # such as of a start that the core does not take
            best = plays_its_best(self.engine.options)
            return list(find_lies(fen, self._chess960, moves, self._said(), best))
        return []

    def close(self) -> None:
        """End the engine. Safe to call twice."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def kill(self) -> None:
        """End the engine at once, without a word. Safe to call twice."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _begin(self, commands: bytes) -> None:
        """Start the engine if it is not running, and get it ready. Raises StartFailure when it
        failed to start :data:`STARTS` times in a row."""
        failed = 0
        while True:
            is_new = self._process is None or not self._process.running
            try:
                self._get_ready(self._running(), commands)
                return
            except StartFailure:
                raise
            except EngineFailure as error:
                self.kill()
                failed += is_new
                if failed == STARTS:
                    message = f"{error}; it failed to start {STARTS} times in a row"
                    raise StartFailure(self.engine.label, message) from None
                self._remarks[f"{error}; it was started again"] = None

    def _running(self) -> EngineProcess:
        """The process, started where there is none, with its options set and castling agreed."""
        process = self._process
        if process is None or not process.running:
            process = self._process = self._start()
        if self._chess960 != self._told_chess960:
            self._tell_chess960(process)
        return process

    def _start(self) -> EngineProcess:
        engine = self.engine
        changed = changed_part(engine)
        if changed is not None:
            is_program = changed == engine.command.argv[0]
            advice = "" if is_program else "; if the engine itself writes it, give it files=none"
            raise StartFailure(
                engine.label,
                f"engine `{shown(engine.label)}`: `{shown(changed)}` changed while the event "
                f"runs{advice}",
            )
        process = EngineProcess(engine.command, engine.label, self.log)
        try:
            announced = greet(process, self._patience_s)
            # What an engine floods before `uciok` may bury its name.
            if (name := announced.name) and name != (known := engine.facts.get("name", name)):
                raise StartFailure(
                    engine.label,
                    f"engine `{shown(engine.label)}` announced the name `{shown(known)}` before, "
                    f"and now `{name}`: it changed while the event runs",
                )
            get_ready(process, set_options(engine.options), self._patience_s)
        except BaseException:
            process.kill()
            raise
        self._has_chess960 = CHESS960 in announced.options
        self._told_chess960 = False
        return process

    def _tell_chess960(self, process: EngineProcess) -> None:
        if not self._has_chess960:
            raise StartFailure(
                self.engine.label, f"`{process.name}` does not play Chess960: no option {CHESS960}"
            )
        value = "true" if self._chess960 else "false"
        self._get_ready(process, set_options([(CHESS960, value)]))
        self._told_chess960 = self._chess960

    def _get_ready(self, process: EngineProcess, commands: bytes) -> None:
        get_ready(process, commands, self._patience_s)

    def _overdue(self, process: EngineProcess, patience_ms: int | None) -> EngineTimeout:
        """Stop the search: an engine that obeys lives on, another one is killed."""
        late = f"`{process.name}` did not answer within {patience_ms} ms"
        process.send(b"stop\n", STOP_GRACE_S)
        if process.read_until(b"bestmove", STOP_GRACE_S) is None:
            process.kill()
            return EngineTimeout(f"{late}, nor to `stop`, and was killed")
        return EngineTimeout(f"{late}, but to `stop`")

    def _other_answer(self, process: EngineProcess, answer: bytes, deadline_s: float) -> bytes:
        """What it says after its answer of the move before, which may have come twice; that answer
        if nothing comes."""
        while (left_s := min(deadline_s - time.perf_counter(), REPEAT_GRACE_S)) > 0:
            before_ns = process.cpu_ns()
            other = process.read_until(b"bestmove", left_s)
            if other is None:
                # One that computes is about to say more.
                if process.cpu_ns() - before_ns < left_s * _BUSY * 1e9:
                    break
            elif _move_in(other) != self._answered:
                self._remarks["gave an answer twice"] = None
                return other
        return answer

    def _is_repeated(self, move: bytes) -> bool:
        """Whether the move of the answer before is none to this position: no piece goes twice in a
        row from the same square. Only a king of Chess960 may, which castles with its rook and then
        goes to its square."""
        if len(self._moves) <= self._answered_at:
            return False
        return not (self._chess960 and len(move) == 4 and move[1:2] == move[3:4] in (b"1", b"8"))

    def _move(self, text: bytes, answer: bytes) -> int:
        """The code of the move in the last line of an answer."""
        try:
            return _codes[text]
        except KeyError:
            pass
        try:
            code = encode_move(text.decode("ascii", "replace").lower())
        except PositionError:
            name, line = shown(self.engine.label), shown(_last_line(answer))
            raise EngineFailure(f"`{name}` answered `{line}`, which is not a move") from None
        _codes[text] = code
        return code


def _last_line(answer: bytes) -> bytes:
    return answer[answer.rfind(b"\n") + 1 :].strip()


def _move_in(answer: bytes) -> bytes:
    """The move in the line that ends an answer, as the engine writes it; empty if there is none."""
    words = _last_line(answer).split(maxsplit=2)
    return words[1] if len(words) > 1 else b""


def _go_command(limit: SearchLimit) -> bytes:
    """The ``go`` command of a limit, after the line of the position. Raises EngineFailure for CPU
    time, and for a limit that means nothing to an external engine."""
    if limit.cpu_ms is not None:
        raise EngineFailure("a UCI engine cannot be limited by CPU time")
    words = []
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.movetime_ms is not None:
        words.append(f"movetime {limit.movetime_ms}")
    if (clocks := limit.clocks) is not None:
        words.append(
            f"wtime {clocks.white_ms} btime {clocks.black_ms} "
            f"winc {clocks.white_inc_ms} binc {clocks.black_inc_ms}"
        )
        if clocks.moves_to_go is not None:
            words.append(f"movestogo {clocks.moves_to_go}")
    if not words:
        raise EngineFailure("a UCI engine needs a limit of nodes, depth, time or a clock")
    return f"\ngo {' '.join(words)}\n".encode()


class ThreadWatch(Struct):
    """Adds up the searches of an engine that should use so many threads.

    CPU time beyond wall-clock time proves more than one running thread, however busy the machine
    is: other load only makes it less. So there is no false alarm; an engine that never gets the
    cores that it wants is not noticed, and neither are other processes that it starts.
    """

    threads: int
    _wall_us: int = 0
    _cpu_us: int = 0

    def add(self, wall_us: int, cpu_us: int) -> None:
        """Count one search."""
        self._wall_us += wall_us
        self._cpu_us += cpu_us

    def take_remark(self) -> str | None:
        """What to say of the searches since it was judged last; None if they are all right, or too
        few yet."""
        if self._wall_us < _ENOUGH_US:
            return None
        used = self._cpu_us / self._wall_us
        self._wall_us = self._cpu_us = 0
        if used <= self.threads + _TOLERANCE:
            return None
        told = "one thread" if self.threads == 1 else f"{self.threads} threads"
        return f"used more CPU time than {told} can, so it disturbs games beside it"
