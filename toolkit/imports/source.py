"""Reading the lines of a PGN file in bounded memory: files and pipes, compressed or not.

Only one block of the file and the current line are kept in memory, and at most
:data:`MAX_GAME_BYTES` of the line, whatever the size of the unpacked file.
"""

from __future__ import annotations

import codecs
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from toolkit.base.compressed import PackedFile, translated
from toolkit.base.errors import UsageError
from toolkit.base.files import open_input

STANDARD_INPUT = "-"
"""The name that means standard input."""
MAX_GAME_BYTES = 4_000_000
"""A longer game or line is treated as damage."""
_GUESSED_FROM = 1 << 16
"""Bytes at the beginning of a file that show its encoding and how its lines end."""


class GameSource:
    """An open file of games."""

    def __init__(self, file: BinaryIO, size: int | None, name: str = "the file") -> None:
        self.size = size
        """Bytes of the file; None for a pipe."""
        self._name = name
        self._file = file
        self._read = 0
        self._hash = hashlib.sha256()

    @property
    def share(self) -> float | None:
        """How much of the file was read, 0 to 1; None for a pipe."""
        return None if self.size is None else min(1.0, self._read / max(self.size, 1))

    @property
    def sha256(self) -> str:
        """Hash of the file, as it is stored, once all lines were read."""
        return self._hash.hexdigest()

    def lines(self, suffix: str = "") -> Iterator[bytes]:
        """The lines without their ends, of a longer one than :data:`MAX_GAME_BYTES` the beginning,
        which is still longer than that. ``suffix``: of the file's name; it names the compression of
        a file that does not begin as one of any. Raises UsageError if the file cannot be read or
        unpacked."""
        with translated(self._name), _decoded(self._name):
            yield from _lines(PackedFile(self._take, suffix).pieces())

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        self._read += len(data)
        self._hash.update(data)
        return data


@contextmanager
def _decoded(shown: str) -> Iterator[None]:
    """While text is decoded: gives UsageError for what is none."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} starts like UTF-16 but is not: {error.reason}") from error


@contextmanager
def open_games(path: str | Path) -> Iterator[GameSource]:
    """A PGN file, or standard input for ``-``. Raises UsageError if it cannot be read or unpacked,
    also while its lines are read. The reader's own errors pass through."""
    shown = shown_path(path)
    with ExitStack() as stack:
        if str(path) == STANDARD_INPUT:
            file = _standard_input()
        else:
            with translated(shown):
                file = stack.enter_context(open_input(path, named_pipe=True))
        yield GameSource(file, _size(file), shown)


def check_readable(path: str | Path) -> None:
    """Raises UsageError for a file that cannot be opened; a pipe is not touched."""
    if str(path) == STANDARD_INPUT or Path(path).is_fifo():
        return
    with open_games(path):
        pass


def shown_path(path: str | Path) -> str:
    """A file as messages name it."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def is_pipe(path: str | Path) -> bool:
    """Whether a path means something that can be read only once, and whose name says nothing."""
    if str(path) == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer


def _size(file: BinaryIO) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except (OSError, AttributeError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in pieces, as UTF-8 if it begins as UTF-16."""
    first = b""
    while len(first) < _GUESSED_FROM and (piece := next(pieces, b"")):
        first += piece
    pieces = itertools.chain((first,), pieces)
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        pieces = _from_utf16(pieces)
        first = next(pieces, b"")
        pieces = itertools.chain((first,), pieces)
    # Old Macs ended lines so. Where other ends occur, it is a blank like others.
    end = b"\r" if b"\r" in first and b"\n" not in first else b"\n"
    begun: list[bytes] = []
    size = 0
    for piece in pieces:
        head, *others = piece.split(end)
        if size <= MAX_GAME_BYTES:
            begun.append(head)
            size += len(head)
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size = [others[-1]], len(others[-1])
    if size:
        yield b"".join(begun)


def _from_utf16(pieces: Iterator[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()
