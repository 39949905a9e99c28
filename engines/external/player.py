"""An external engine as a player."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct

from engines.backend import conversation, last_info
from engines.errors import EngineFailure, EngineTimeout, PositionError, StartFailure
from engines.external.files import changed_part
from engines.external.handshake import START_PATIENCE_S, get_ready, greet, set_options
from engines.external.lines import Said, find_lies, line_of, plays_its_best, said_of
from engines.external.log import EngineLog
from engines.external.process import EngineProcess
from engines.external.protocol import CHESS960
from engines.external.text import shown
from engines.moves import decode_move, encode_move
from engines.spec import (
    EngineLine,
    JudgeSaid,
    MoveReport,
    Player,
    PliesPlayed,
    SearchLimit,
    UciEngine,
)

STARTS = 3
"""How often an engine may fail in a row to start and to get ready for a game."""
STOP_GRACE_S = 0.5
"""How long an engine whose time is over may take to answer ``stop``."""
REPEAT_GRACE_S = 0.5
"""How long an engine that said its last move once more may do nothing before it says another."""
_BUSY = 0.02
"""The share of a processor that is not nothing: one that waits for input uses none, and one that
computes beside many others gets little."""
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


class _Begun(NamedTuple):
    """A search that began."""

    cpu_ns: int
    """Begin on the engine's clock."""
    wall_ns: int
    """Begin on the monotonic clock."""
    sent: int = 0
    """How many bytes of the command were sent."""
    came: bytes = b""


class _Asked(NamedTuple):
    """An engine that the core asks for moves, see ``play_plies`` in ``engines/_core.pyi``."""

    input: int
    output: int
    aside: int
    clock: int
    go: bytes
    timeout_ms: int | None
    answered: bytes


class UciPlayer:
    """Implements :class:`engines.spec.PlayingOn`; stands at the initial position at first.

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
        self._begun: _Begun | None = None
        """What the core began, for the next :meth:`go`."""

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
        self._begun = None
        self._searches.clear()
        for move in moves:
            self.push(move)
        if chess960 != self._told_chess960 and self._process is not None:
            self._begin(b"")  # now, before its clock runs

    def push(self, move: int) -> None:
        """Play a move."""
        self._moves += _text_of(move)

    def go(self, limit: SearchLimit) -> MoveReport:
        """Let the engine search. Raises EngineTimeout when it has not answered after
        ``limit.patience_ms``, and EngineFailure when it fails, or its answer is no move."""
        process = self._running()
        begun = self._begun or _Begun(process.cpu_ns(), time.perf_counter_ns())
        self._begun = None
        deadline_s = math.inf
        if limit.patience_ms is not None:
            deadline_s = begun.wall_ns / 1e9 + limit.patience_ms / 1000
        left_s = None if math.isinf(deadline_s) else max(0.0, deadline_s - time.perf_counter())
        moves = b" moves" + self._moves if self._moves else b""
        command = self._position + moves + self._go_of(limit)
        answer = process.ask(command, b"bestmove", left_s, begun.sent, begun.came)
        if process.answered_before:
            self._remarks["gave an answer twice"] = None
        if answer is None:
            raise self._overdue(process, limit.patience_ms)
        move = _move_in(answer)
        if move == self._answered and self._is_repeated(move):
            answer = self._other_answer(process, answer, deadline_s)
            move = _move_in(answer)
        wall_us = (time.perf_counter_ns() - begun.wall_ns) // 1000
        cpu_us = (process.cpu_ns() - begun.cpu_ns) // 1000
        self._heard(move, answer, wall_us, cpu_us)
        value, depth, nodes, _, _ = last_info(answer)
        return MoveReport(self._move(move, answer), value, depth, nodes, None, wall_us, cpu_us)

    def play_on(
        self,
        other: Player,
        in_core: object,
        limits: tuple[SearchLimit, SearchLimit],
        judge: Callable[[bool, int | None], JudgeSaid | None],
    ) -> PliesPlayed[JudgeSaid]:
        """Play on in the core, see the protocol. What an engine does that needs a second look, it
        gets: a search that began is ended by the next :meth:`go`."""
        none: PliesPlayed[JudgeSaid] = PliesPlayed([])
        if not isinstance(other, UciPlayer) or other is self:
            return none
        players = (self, other)
        engines = [player._for_core(limit) for player, limit in zip(players, limits, strict=True)]
        core = conversation()
        if core is None or None in engines:
            return none
        plies, ended, verdict, begun = core.play_plies(
            in_core, tuple(engines), self._position, self._moves, judge
        )
        reports = []
        for number, (move, value, depth, nodes, wall_us, cpu_us, answer) in enumerate(plies):
            mover = players[number % 2]
            assert mover._process is not None
            mover._process.printed += len(answer) + 1
            mover._heard(_text_of(move)[1:], answer, wall_us, cpu_us)
            for player in players:
                player.push(move)
            reports.append(MoveReport(move, value, depth, nodes, None, wall_us, cpu_us))
        players[len(plies) % 2]._begun = None if begun is None else _Begun(*begun)
        return PliesPlayed(reports, ended, verdict)

    def _for_core(self, limit: SearchLimit) -> _Asked | None:
        """What the core needs to ask for moves; None when something else is to be done first."""
        process = self._process
        if process is None or not process.running or self._chess960 != self._told_chess960:
            return None
        files = None if self._begun else process.files_of_core()
        if files is None:
            return None
        return _Asked(*files, self._go_of(limit), limit.patience_ms, self._answered)

    def _go_of(self, limit: SearchLimit) -> bytes:
        """The command of a limit, which is mostly that of the move before."""
        if limit is not self._limit:
            self._go = _go_command(limit)
            self._limit = limit
        return self._go

    def _heard(self, move: bytes, answer: bytes, wall_us: int, cpu_us: int) -> None:
        """Keep what it said to this position."""
        process = self._process
        assert process is not None
        self.output = answer
        self._answered, self._answered_at = move, len(self._moves)
        if process.printed - self._printed > FLOOD_BYTES:
            self._remarks[f"printed more than {FLOOD_BYTES >> 20} MB for one move"] = None
        self._printed = process.printed
        printed = (self._moves.count(b" "), answer)
        self._searches.append(printed if len(answer) <= _MOST_KEPT else said_of(*printed))
        self._threads.add(wall_us, cpu_us)

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


def _text_of(move: int) -> bytes:
    """A blank and the move."""
    try:
        return _texts[move]
    except KeyError:
        _texts[move] = b" " + decode_move(move).encode()
        return _texts[move]


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
