"""The process of an external engine: raw pipes, deadlines, and an end for it and its children.

Nothing here waits for ever on a program, whatever it prints, does not read, or leaves behind. What
it prints in excess is read and dropped: a flood costs an engine its time and nothing else. Every
failure kills the process, so that nothing it says later is taken for an answer.
"""

from __future__ import annotations

import atexit
import errno
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from engines.backend import conversation
from engines.errors import EngineFailure
from engines.external import sweep
from engines.external.builds import TREE, built
from engines.external.log import EngineLog
from engines.external.text import shown, shown_command
from engines.spec import UciCommand

MAX_LINE = 256 << 10
"""Bytes of a line that are kept; the rest of a longer one is dropped."""
SEND_PATIENCE_S = 10.0
"""How long an engine may leave what we send unread, once its pipe is full."""
QUIT_GRACE_S = 1.0
"""How long an engine may take to quit."""
COMMON_GRACE_S = 0.8
"""How long all engines of a process together may take to quit when that process ends."""

_KEPT = 1 << 20
"""Bytes of output that are kept: beyond it, the older half is dropped."""
_STDERR_KEPT = 2048
_CHUNK = 1 << 16
_PIPE_BYTES = 1 << 20
"""The most that a pipe holds, unless its user is root and enlarged it: pipe(7)."""
_DEATH_GRACE_S = 0.5
"""Time between the end of a program's output and its own end."""
_KILL_GRACE_S = 30.0
"""How long a killed program may take to be gone: the system frees a large table slowly where it has
other work."""
_LOOK_EVERY_MS = 2
_NEWLINE = 10
_BLANKS = b" \t\r"
_BROKEN = select.POLLERR | select.POLLHUP | select.POLLNVAL
_PR_SET_PDEATHSIG = 1

_live: dict[int, EngineProcess] = {}
"""The engines that were started and not yet killed, by process group."""
_killed_before: int | None = None
"""How many processes Linux had killed for want of memory when it was asked last."""
_ending = False
"""Whether this process is about to end, and starts no engine any more."""


class EngineProcess:
    """A running engine. Raises EngineFailure when it cannot be started.

    It leads a process group, in a session without a terminal. On Linux it is killed when the thread
    that started it ends, so that it dies with its worker.
    """

    def __init__(
        self, command: UciCommand, name: str | None = None, log: EngineLog | None = None
    ) -> None:
        self.name = shown(name) if name else shown_command(command)
        """What messages call it."""
        self._memory_mb = command.memory_mb
        self._ended = True
        if _ending:
            raise EngineFailure(f"`{self.name}` is not started: its worker ends")
        self._mark = sweep.new_mark()
        self._process = _start(command, self._mark)
        self._ended = False
        self.pid = self._process.pid
        _live[self.pid] = self
        self._log = log
        if log is not None:
            log.started(self.pid, shown_command(command))
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        self._files = (stdin, stdout, stderr)
        self._in, self._out, self._err = (file.fileno() for file in self._files)
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._poll.register(self._in, 0)  # for POLLERR, once nobody can read it any more
        self._death = _open_death(self.pid)
        if self._death >= 0:
            self._poll.register(self._death, select.POLLIN)
        self._core = conversation() if self._death >= 0 else None
        if self._core is not None:
            self._aside = select.epoll()
            """Is readable when something happens beside the output: one file for the core."""
            self._aside.register(self._err, select.EPOLLIN)
            self._aside.register(self._in, 0)
            self._aside.register(self._death, select.EPOLLIN)
            self._side = self._aside.fileno()
        self.answered_before = False
        """Whether it had printed the word of an answer before it was asked last."""
        self._buffer = bytearray()
        self._stderr = bytearray()
        self._skips_line = False
        """Whether what comes up to the next newline belongs to a line that was dropped."""
        self._chunks_after_death = 0
        self.printed = 0
        """Bytes of standard output and standard error that were read so far."""
        self._clock = (~self.pid << 3) | 2
        """Its CPU clock, see clock_getcpuclockid(3)."""

    @property
    def running(self) -> bool:
        """False once it failed or was killed."""
        return not self._ended

    def cpu_ns(self) -> int:
        """CPU time of all its threads so far; 0 where the system does not tell."""
        if not sys.platform.startswith("linux"):
            return 0
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError:
            return 0

    def send(self, data: bytes, patience_s: float = SEND_PATIENCE_S) -> None:
        """Write to its input. Raises EngineFailure when it is gone, or reads nothing in time."""
        try:
            sent = os.write(self._in, self._logged(data))
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._lost() from None
        if sent < len(data):
            self._send_rest(data[sent:], time.monotonic() + patience_s)

    def ask(
        self, data: bytes, word: bytes, patience_s: float | None, sent: int = 0, came: bytes = b""
    ) -> bytes | None:
        """What it prints after ``data`` was sent, as :meth:`read_until`; what it printed before is
        forgotten. ``sent``: how much of it the core has sent, and ``came`` what it has read since.
        Raises EngineFailure as :meth:`send` and :meth:`read_until`."""
        self.answered_before = not sent and self.discard()
        self.printed += len(came)
        self._buffer += came
        if sent < len(data):
            self.send(data[sent:])
        return self.read_until(word, patience_s)

    def files_of_core(self) -> tuple[int, int, int, int] | None:
        """What the core needs to ask by itself: input, output, what is readable when something
        happens beside it, and the CPU clock; None when somebody else needs to see it now."""
        if self._buffer or not self._is_quiet():
            return None
        return self._in, self._out, self._side, self._clock

    def read_until(self, word: bytes, patience_s: float | None) -> bytes | None:
        """All that it prints up to and with the line that begins with ``word``; None when that does
        not come in time (None: wait for ever). What comes in vain stays unread.

        Of very long output only the end is returned, and of a very long line only its begin. Raises
        EngineFailure when it is gone.
        """
        deadline = None if patience_s is None else time.monotonic() + patience_s
        buffer, line = self._buffer, 0
        if not buffer and (chunk := self._read_quietly(word, b"", deadline)):
            if _is_answer(chunk, word):
                return chunk[:-1]  # as nearly always
            buffer += chunk
        while True:
            answer = self._take(word, line)
            if answer is not None:
                return answer
            if len(buffer) > MAX_LINE:
                answer = self._trim(word)
                if answer is not None:
                    return answer
            line = buffer.rfind(b"\n") + 1
            if chunk := self._read_quietly(word, bytes(buffer[line:]), deadline):
                buffer += chunk
                continue
            left_ms = _milliseconds_until(deadline)
            if left_ms == 0 or not self._receive(left_ms):
                return None

    def discard(self) -> bool:
        """Forget what it printed so far; whether a ``bestmove`` was among it. Raises EngineFailure
        when it is gone.

        That is at most what a pipe holds; what a flood brings after that was printed later.
        """
        until = self.printed + _PIPE_BYTES
        found = False
        while self.printed < until:
            found |= self._drop()
            before = self.printed
            self._receive(0)
            if self.printed == before:
                break
        return self._drop() or found

    def end_input(self) -> None:
        """Close its input; what is sent later goes nowhere."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._in, inheritable=False)
        os.close(nowhere)

    def ends_within(self, grace_s: float) -> bool:
        """Whether it ends by itself in time, as after ``quit``; what it prints is forgotten."""
        return self._ended or self._await_exit(grace_s)

    @property
    def exit_code(self) -> int | None:
        """How it ended, once :meth:`kill` or :meth:`close` has been called; negative for a signal,
        None if it is not known."""
        return self._process.returncode

    def close(self, grace_s: float = QUIT_GRACE_S) -> None:
        """Ask it to quit, and kill it and its children. Safe to call twice."""
        if not self._ended:
            with suppress(OSError):
                os.write(self._in, self._logged(b"quit\n"))
            self._files[0].close()
            self._await_exit(grace_s)
        self.kill()

    def kill(self) -> None:
        """Kill it and its children at once. Safe to call twice."""
        if self._ended:
            return
        self._ended = True
        # Before it is waited for: until then, no other group can have the number.
        _kill_group(self.pid)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_GRACE_S)
        if self._log is not None:
            self._log.ended()
        _live.pop(self.pid, None)
        sweep.kill_marked(self._mark, _live)
        for file in self._files:
            with suppress(OSError):
                file.close()
        if self._core is not None:
            self._aside.close()
        if self._death >= 0:
            os.close(self._death)
        # Other files may get these numbers now.
        self._in = self._out = self._err = self._death = -1

    def _take(self, word: bytes, line: int) -> bytes | None:
        """Take the output up to and with a line that begins with ``word``, of the lines from the
        one at ``line`` on; None if it is not there, or incomplete."""
        buffer = self._buffer
        at = buffer.find(word, line)
        while at >= 0 and not _is_word(buffer, at, at + len(word)):
            at = buffer.find(word, at + 1)
        end = buffer.find(b"\n", at) if at >= 0 else -1
        if end < 0:
            return None
        answer = bytes(buffer[:end])
        del buffer[: end + 1]
        return answer

    def _trim(self, word: bytes) -> bytes | None:
        """Drop the older half of much output, and a very long line; of one that begins with
        ``word`` the begin is taken."""
        buffer = self._buffer
        line = buffer.rfind(b"\n") + 1
        answer = None
        if len(buffer) - line > MAX_LINE:
            if buffer.startswith(word, line) and _is_word(buffer, line, line + len(word)):
                answer = bytes(buffer[: line + MAX_LINE])
                line = 0
            del buffer[line:]
            self._skips_line = True
        if len(buffer) > _KEPT:
            del buffer[: buffer.find(b"\n", len(buffer) - _KEPT // 2) + 1]
        return answer

    def _drop(self) -> bool:
        """Forget the output that was read, with the rest of its last line; whether a ``bestmove``
        was among it."""
        buffer = self._buffer
        if not buffer:
            return False
        found = buffer.startswith(b"bestmove") or b"\nbestmove" in buffer
        self._skips_line = not buffer.endswith(b"\n")
        buffer.clear()
        return found

    def _read_quietly(self, word: bytes, begun: bytes, deadline: float | None) -> bytes:
        """What comes up to a line with ``word``, of which ``begun`` came before, read in the core:
        that costs less than waking here for each line that an engine prints. Whatever else happens
        is left to :meth:`_receive`, as is output for the log, which notes when it came."""
        if not self._is_quiet():
            return b""
        assert self._core is not None
        left_ms = _milliseconds_until(deadline)
        chunk: bytes = self._core.read_answer(self._out, self._side, word, begun, left_ms, _CHUNK)
        self.printed += len(chunk)
        return chunk

    def _is_quiet(self) -> bool:
        """Whether nobody but the core needs to see what it prints now."""
        quiet = self._core is not None and self._log is None
        return quiet and not self._skips_line and not self._ended

    def _receive(self, timeout_ms: float | None) -> bool:
        """Take what is there, after waiting for it; False when nothing came in time.

        Raises EngineFailure at the end of its output.
        """
        if self._ended:
            raise self._lost()
        events = self._poll.poll(timeout_ms)
        for number, _ in events:
            if number == self._out:
                if len(events) > 1 and self._death in (other for other, _ in events):
                    self._read_after_death()
                chunk = os.read(number, _CHUNK)
                if not chunk:
                    raise self._lost()
                self._log_output(chunk)
                self.printed += len(chunk)
                if self._skips_line:
                    _, newline, chunk = chunk.partition(b"\n")
                    self._skips_line = not newline
                self._buffer += chunk
                break
        else:
            # That its input could be written is no news here.
            self._look_aside([at for at, what in events if at != self._in or what & _BROKEN])
        return bool(events)

    def _read_after_death(self) -> None:
        """It is dead, and what it printed before is read first; then a child of it prints."""
        self._chunks_after_death += 1
        if self._chunks_after_death > _PIPE_BYTES // _CHUNK:
            raise self._lost()

    def _look_aside(self, readable: Collection[int]) -> None:
        """Take what is there beside its output: standard error, its death, and the end of its
        input. A child of it may keep the output open."""
        if self._err in readable:
            chunk = os.read(self._err, _CHUNK)
            if chunk:
                self._keep_stderr(chunk)
            else:
                self._poll.unregister(self._err)
                if self._core is not None:
                    self._aside.unregister(self._err)
        if self._death in readable or self._in in readable:
            raise self._lost()

    def _keep_stderr(self, chunk: bytes) -> None:
        if self._log is not None:
            self._log.complained(chunk)
        self.printed += len(chunk)
        self._stderr += chunk[-_STDERR_KEPT:]
        del self._stderr[:-_STDERR_KEPT]

    def _send_rest(self, data: bytes, deadline: float) -> None:
        """Write as the engine reads, and read meanwhile: it may be waiting for that."""
        self._poll.modify(self._in, select.POLLOUT)
        try:
            while data:
                left_ms = _milliseconds_until(deadline)
                if not left_ms:
                    raise self._failed("does not read what it is sent")
                self._receive(left_ms)
                if len(self._buffer) > MAX_LINE:
                    self._drop()  # whatever it prints now answers nothing
                with suppress(BlockingIOError):
                    data = data[os.write(self._in, data) :]
        except BrokenPipeError:
            raise self._lost() from None
        finally:
            if not self._ended:
                self._poll.modify(self._in, 0)

    def _lost(self) -> EngineFailure:
        """What to raise when its pipes are closed: how it ended, and its last words."""
        if self._ended:
            return EngineFailure(f"`{self.name}` is not running")
        exited = self._await_exit(_DEATH_GRACE_S)
        words = self._last_words()
        self.kill()
        code = self._process.returncode
        if code is None or (code == -signal.SIGKILL and not exited):  # we killed it
            how = "closed its input or output"
        elif code == -signal.SIGKILL and _system_killed():
            how = "was killed by the system, which ran out of memory"
        elif code < 0:
            how = f"died ({_signal_name(-code)})"
        else:
            how = f"ended (exit code {code})"
        if self._memory_mb is not None:
            how += f" with memory={self._memory_mb}"
        return EngineFailure(f"`{self.name}` {how}{words}")

    def _failed(self, what: str) -> EngineFailure:
        self.kill()
        return EngineFailure(f"`{self.name}` {what}")

    def _logged(self, data: bytes) -> bytes:
        """What is about to be sent, noted in the log."""
        if self._log is not None:
            self._log.sent(data)
        return data

    def _log_output(self, chunk: bytes) -> None:
        if self._log is not None:
            self._log.printed(chunk)

    def _last_words(self) -> str:
        """The last line of its standard error, or else of its ``info string``s, for a message."""
        with suppress(OSError):
            for _ in range(_PIPE_BYTES // _CHUNK):
                chunk = os.read(self._err, _CHUNK)
                if not chunk:
                    break
                self._keep_stderr(chunk)
        told = [line for line in self._buffer.splitlines() if line.startswith(b"info string ")]
        lines = [line for line in self._stderr.splitlines() if line.strip()] or told
        return f": {shown(lines[-1].strip(), 200)}" if lines else ""

    def _await_exit(self, grace_s: float) -> bool:
        """Whether it ends by itself in time; what it prints meanwhile is read, or it would not."""
        deadline = time.monotonic() + grace_s
        reading = select.poll()
        for number in (self._out, self._err):
            reading.register(number, select.POLLIN)
        while not self._has_exited():
            if time.monotonic() >= deadline:
                return False
            for number, _ in reading.poll(_LOOK_EVERY_MS):
                with suppress(BlockingIOError):
                    chunk = os.read(number, _CHUNK)
                    if not chunk:
                        reading.unregister(number)
                    elif number == self._err:
                        self._keep_stderr(chunk)
                    else:
                        self._log_output(chunk)
        return True

    def _has_exited(self) -> bool:
        """Whether it has ended, without waiting for it where the system can do so."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True  # the system buries our children itself, because SIGCHLD is ignored


def end_all(grace_s: float = COMMON_GRACE_S) -> None:
    """Ask all engines of this process to quit, give them all together so long, and kill the rest;
    for a process that is about to end, from any thread. No engine starts any more."""
    global _ending
    _ending = True
    engines = left = list(_live.values())
    reading = select.poll()
    printed: dict[int, Callable[[bytes], None]] = {}
    for engine in engines:
        with suppress(OSError):
            # Copies: another thread may close the files, and open others of these numbers.
            to, out, err = (os.dup(number) for number in (engine._in, engine._out, engine._err))
            printed |= {out: engine._log_output, err: engine._keep_stderr}
            for number in (out, err):
                reading.register(number, select.POLLIN)
            os.write(to, engine._logged(b"quit\n"))
    deadline = time.monotonic() + grace_s
    while (left := [one for one in left if not one._has_exited()]) and time.monotonic() < deadline:
        for number, _ in reading.poll(_LOOK_EVERY_MS):
            with suppress(BlockingIOError):
                if chunk := os.read(number, _CHUNK):
                    printed[number](chunk)
                else:
                    reading.unregister(number)
    kill_all()
    for engine in engines:
        if engine._log is not None:
            engine._log.ended()


def kill_all() -> None:
    """Kill all engines of this process and all that they started; for a process that is about to
    end.

    Any thread may call this."""
    groups = list(_live)
    for group in groups:
        _kill_group(group)
    if groups or sweep.adopts_orphans():
        sweep.kill_family()


def bury_strays() -> None:
    """Let go of what engines started, left behind and what has ended since, see
    :func:`engines.external.sweep.adopt_orphans`."""
    sweep.bury_strays(_live)


atexit.register(kill_all)
# A forked process does not own the engines of its parent.
os.register_at_fork(after_in_child=_live.clear)


def _is_answer(chunk: bytes, word: bytes) -> bool:
    """Whether its last line, which is complete, is the only one with ``word``, its first word."""
    last = chunk.rfind(b"\n", 0, -1) + 1
    end = last + len(word)
    is_last = chunk.find(word) == last and chunk.endswith(b"\n")
    return is_last and chunk[end : end + 1].isspace()


def _is_word(buffer: bytearray, at: int, end: int) -> bool:
    """Whether the first word of its line lies from ``at`` to ``end``."""
    if end < len(buffer) and not buffer[end : end + 1].isspace():
        return False
    before = at - 1
    while before >= 0 and buffer[before] in _BLANKS:
        before -= 1
    return before < 0 or buffer[before] == _NEWLINE


def resolve_program(command: UciCommand) -> str:
    """The absolute path of the program that the command means: by PATH, or from the directory where
    it runs. Raises EngineFailure when there is none that can be executed."""
    name, directory = shown_command(command), _folder(command) or os.curdir
    if not os.path.isdir(directory):
        raise EngineFailure(f"engine `{name}`: `{shown(directory)}` is not a directory")
    program = command.argv[0] if command.argv else ""
    if "\0" in "".join((*command.argv, *(text for pair in command.environment for text in pair))):
        raise EngineFailure(f"engine `{name}`: the command contains a null character")
    if command.source is not None:
        return built(command.source).path
    if os.sep not in program:
        found = shutil.which(program, path=_environment(command).get("PATH")) if program else None
        if found is None:
            raise EngineFailure(f"engine `{name}`: no program `{shown(program)}` in PATH")
        return os.path.abspath(found)
    path = os.path.abspath(os.path.join(directory, program))
    if os.path.isdir(path):
        raise EngineFailure(f"engine `{name}`: `{shown(path)}` is a directory, not a program")
    if not os.path.exists(path):
        raise EngineFailure(f"engine `{name}`: `{shown(path)}` does not exist")
    if not os.access(path, os.X_OK):
        raise EngineFailure(f"engine `{name}`: `{shown(path)}` is not executable")
    return path


def _folder(command: UciCommand) -> str | None:
    """Where an engine runs; None: where this program runs. Raises EngineFailure."""
    if command.directory is None and command.source is not None:
        return str(built(command.source).folder / TREE)
    return command.directory


def _environment(command: UciCommand) -> dict[str, str]:
    return {**os.environ, **dict(command.environment)}


def _start(command: UciCommand, mark: str | None) -> subprocess.Popen[bytes]:
    global _killed_before
    program = resolve_program(command)
    if _killed_before is None:
        _killed_before = _killed_for_memory()
    try:
        return subprocess.Popen(
            command.argv,
            executable=program,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=_folder(command),
            env=_environment(command) | ({} if mark is None else {sweep.OWNER: mark}),
            start_new_session=True,
            preexec_fn=child_setup(os.getpid(), command.memory_mb),
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        name = shown_command(command)
        raise EngineFailure(f"engine `{name}`: {_why(error, program)}") from None


def _why(error: Exception, program: str) -> str:
    """Why a program that exists did not start."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOEXEC:
        return f"`{shown(program)}` is not a program for this machine, nor a script with `#!`"
    if number == errno.ENOENT:
        return f"the interpreter or loader that `{shown(program)}` names does not exist"
    return f"it did not start: {shown(os.strerror(number) if number else str(error))}"


def _system_killed() -> bool:
    """Whether Linux killed a process for want of memory since this was asked last, as it counts in
    /proc/vmstat."""
    global _killed_before
    before, _killed_before = _killed_before, _killed_for_memory()
    return before is not None and _killed_before is not None and _killed_before > before


def _killed_for_memory() -> int | None:
    with suppress(OSError), open("/proc/vmstat", "rb") as file:
        for line in file:
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
    return None


def child_setup(parent: int, memory_mb: int | None) -> Callable[[], None]:
    """What the new process does before it becomes the engine.

    It drops what workers do with signals, offers itself when memory is short, and asks to die with
    its parent.
    """
    die_with_parent = sweep.prctl()

    def setup() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        # When memory is short, the kernel should take an engine, and neither us nor others.
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        if die_with_parent is not None:
            die_with_parent(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)  # it died before we asked
        if memory_mb is not None:
            # Data and not addresses: tablebases and networks are mapped files, which cost nothing.
            resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20, memory_mb << 20))

    return setup


def _open_death(pid: int) -> int:
    """A file descriptor that is readable once the process has ended; -1 where there are none."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            return os.pidfd_open(pid)
    return -1


def end_group(group: int, mark: str | None) -> None:
    """Kill a group that is no engine's, and all with its mark."""
    _kill_group(group)
    sweep.kill_marked(mark, _live)


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _milliseconds_until(deadline: float | None) -> float | None:
    """For poll: at least 0; None for ever."""
    return None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
