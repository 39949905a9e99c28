"""What was said to an engine and by it, as a file of bounded size.

Each line has the time in UTC, the game as ``pairing.pair.game``, and what it is: ``>`` sent, ``<``
printed, ``!`` printed on standard error, ``#`` a note of ours.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from msgspec import Struct

from engines.external.text import shown

MOST_LINE = 1000
"""Bytes of a line of an engine that are kept."""
MOST_FILE = 4 << 20
"""Bytes of a file. A longer one becomes the previous one, of which the engine has one."""
MOST_A_TURN = 256 << 10
"""Bytes that are kept of what an engine prints after a command; beyond it, only the end is."""

_TAIL = 2000
_LABEL_CHARACTERS = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._+=-]+")
_NO_GAME = "-"


class _Stream(Struct):
    """One of an engine's outputs."""

    sign: str
    begun: bytearray = bytearray()
    """The begin of a line whose end was not printed yet."""
    cut: int = 0
    """Bytes of that line that are not kept."""


class LogFolder(Struct, frozen=True):
    """Where the logs of an event's engines are."""

    path: str
    event: str
    """Its key."""

    def log_of(self, position: int, label: str) -> EngineLog:
        """The log of an engine of this process. ``position``: that in the event, which keeps
        engines apart whose labels are spelled alike."""
        name = _UNSAFE.sub("_", label)[:_LABEL_CHARACTERS]
        file = f"{_UNSAFE.sub('_', self.event)}-{position + 1}-{name}-{os.getpid()}.log"
        return EngineLog(Path(self.path) / file)


class EngineLog:
    """The log of an engine, whose processes follow each other in it. It begins a file when there
    is something to write, and takes at most ``2 * MOST_FILE`` bytes and a line of the disk.

    Where it cannot be written, it ends: games do not depend on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.game = _NO_GAME
        """The game that is played."""
        self._file = -1
        self._size = 0
        self._problem: str | None = None
        self._ended = False
        self._streams = _Stream("<"), _Stream("!")
        self._left = MOST_A_TURN
        self._skipped = 0
        self._tail = b""

    def started(self, pid: int, command: str) -> None:
        """A process of the engine started."""
        self._end_turn()
        self._write([("#", f"process {pid}: {command}".encode())])

    def ended(self) -> None:
        """It ended, or was killed."""
        self._end_turn()
        for stream in self._streams:
            if stream.begun:
                self._write([(stream.sign, _finished(stream, b""))])
        self._write([("#", b"the process has ended")])

    def sent(self, data: bytes) -> None:
        """Commands were sent."""
        self._end_turn()
        self._write([(">", line) for line in data.splitlines() if line])

    def printed(self, chunk: bytes) -> None:
        """It printed something."""
        self._take(self._streams[0], chunk)

    def complained(self, chunk: bytes) -> None:
        """It printed something on standard error."""
        self._take(self._streams[1], chunk)

    def take_problem(self) -> str | None:
        """Why nothing is written any more; only once."""
        problem, self._problem = self._problem, None
        return problem

    def close(self) -> None:
        """Close the file; what comes later is lost. Safe to call twice."""
        self._ended = True
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _take(self, stream: _Stream, chunk: bytes) -> None:
        if self._ended:
            return
        if self._left <= 0:
            self._skipped += len(chunk)
            self._tail = (self._tail + chunk)[-_TAIL:]
            return
        self._left -= len(chunk)
        *ends, rest = chunk.split(b"\n")
        self._write([(stream.sign, _finished(stream, end)) for end in ends])
        room = MOST_LINE - len(stream.begun)
        stream.begun += rest[:room]
        stream.cut += len(rest[room:])

    def _end_turn(self) -> None:
        """Write what is known of output that was left out."""
        self._left = MOST_A_TURN
        if self._skipped:
            tail = self._tail.split(b"\n")
            kept = [("<", _shortened(line)) for line in tail[1:] if line]
            self._write([("#", b"%d bytes are left out; their end:" % self._skipped), *kept])
            for stream in self._streams:
                stream.begun.clear()
                stream.cut = 0
        self._skipped, self._tail = 0, b""

    def _write(self, lines: list[tuple[str, bytes]]) -> None:
        if self._ended or not lines:
            return
        now = time.time()
        begin = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))
        begin += f".{int(now * 1000) % 1000:03d} {self.game}"
        text = "".join(f"{begin} {sign} {_printable(line)}\n" for sign, line in lines)
        data = text.encode()
        try:
            if self._file < 0 or self._size + len(data) > MOST_FILE:
                self._begin_file()
            self._size += len(data)
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            self._problem = (
                f"engine log {shown(str(self.path), 200)}: {error.strerror}; this engine is logged "
                "no more"
            )
            self.close()

    def _begin_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self.path.replace(self.path.with_suffix(".old.log"))
        # The engine may have been put away for others, and be needed again.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self.path, flags, 0o666)
        self._size = os.fstat(self._file).st_size


def _finished(stream: _Stream, end: bytes) -> bytes:
    """The line of a stream that ends so, which is forgotten."""
    line = _shortened(bytes(stream.begun) + end, stream.cut)
    stream.begun.clear()
    stream.cut = 0
    return line


def _shortened(line: bytes, cut: int = 0) -> bytes:
    """At most so much of a line; ``cut``: bytes of it that are lost already."""
    cut += max(0, len(line) - MOST_LINE)
    return line[:MOST_LINE] + (b" [and %d bytes]" % cut if cut else b"")


def _printable(line: bytes) -> str:
    """Bytes as text without anything that a terminal obeys."""
    text = line.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(escaped)
