"""Reading the lines of a PGN file in bounded memory: files and pipes, compressed or not.

Only one block of the file and the current line are kept in memory, and at most
:data:`MAX_GAME_BYTES` of the line, whatever the size of the unpacked file.
"""

from __future__ import annotations

import bz2
import codecs
import hashlib
import itertools
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from toolkit.base.errors import UsageError

STANDARD_INPUT = "-"
"""The name that means standard input."""
MAX_GAME_BYTES = 4_000_000
"""A longer game or line is treated as damage."""
_PIECE = 1 << 18
"""Bytes that are looked at together."""
_GUESSED_FROM = 1 << 16
"""Bytes at the beginning of a file that show its encoding and how its lines end."""
_XZ_MEMORY = 256 << 20
"""Bytes that a dictionary of xz may take; `xz -9` takes 65 MiB."""


class GameSource:
    """An open file of games."""

    def __init__(self, file: BinaryIO, size: int | None, name: str = "the file") -> None:
        self.size = size
        """Bytes of the file; None for a pipe."""
        self._name = name
        self._file = file
        self._head = b""
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
        with _translated(self._name):
            yield from self._plain_lines(suffix)

    def _plain_lines(self, suffix: str) -> Iterator[bytes]:
        self._head = self._take(8)
        packed = next((f for f in _FORMATS if self._head.startswith(f.magic)), None)
        if packed is None:
            packed = next((f for f in _FORMATS if f.suffix == suffix.lower()), None)
        plain = iter(partial(self.read, _PIECE), b"")
        return _lines(plain if packed is None else _unpacked(self, packed))

    def read(self, size: int) -> bytes:
        """Up to this many of the next bytes; none at the end of the file."""
        if self._head:
            head, self._head = self._head, b""
            return head
        return self._take(size)

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        self._read += len(data)
        self._hash.update(data)
        return data


class _Format(NamedTuple):
    """A compression."""

    suffix: str
    magic: bytes
    new: Callable[[], Any]
    """Makes what unpacks one stream."""
    piece: int
    """Bytes that are unpacked at once: few, where no limit of what comes out can be given."""
    limited: bool
    """Whether such a limit can be given."""


def _zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


_FORMATS = (
    # A byte of deflate gives 1,032 at most; four bytes of Zstandard may be a block of 128 KiB.
    _Format(".gz", b"\x1f\x8b", partial(zlib.decompressobj, 31), 1 << 13, False),
    _Format(".zst", b"\x28\xb5\x2f\xfd", _zstd, 1 << 9, False),
    _Format(".bz2", b"BZh", bz2.BZ2Decompressor, 1 << 16, True),
    _Format(
        ".xz", b"\xfd7zXZ\0", partial(lzma.LZMADecompressor, memlimit=_XZ_MEMORY), 1 << 16, True
    ),
)


@contextmanager
def open_games(path: str | Path) -> Iterator[GameSource]:
    """A PGN file, or standard input for ``-``. Raises UsageError if it cannot be read or unpacked,
    also while its lines are read. The reader's own errors pass through."""
    shown = shown_path(path)
    with ExitStack() as stack:
        if str(path) == STANDARD_INPUT:
            file = _standard_input()
        else:
            with _translated(shown):
                file = stack.enter_context(open(path, "rb"))
        yield GameSource(file, _size(file), shown)


@contextmanager
def _translated(shown: str) -> Iterator[None]:
    """While a file is opened, read or unpacked, and nothing else happens."""
    import zstandard

    try:
        yield
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, _BadData) as error:
        raise UsageError(f"{shown} cannot be decompressed: {error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} starts like UTF-16 but is not: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror or error}") from error


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


class _BadData(Exception):
    """bz2 calls damage an OSError, as if the file could not be read."""


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


def _unpacked(source: GameSource, packed: _Format) -> Iterator[bytes]:
    """What a compressed file holds; several streams may follow each other, with zeros between."""
    data = b""
    while data := data.lstrip(b"\0") or source.read(packed.piece):
        if data.startswith(b"\0"):
            continue
        stream = packed.new()
        while not stream.eof:
            if not data and (not packed.limited or stream.needs_input):
                data = source.read(packed.piece)
                if not data:
                    raise EOFError("it ends too early: cut off?")
            yield from _slices(_step(stream, data, packed.limited))
            data = b""
        data = stream.unused_data


def _step(stream: Any, data: bytes, limited: bool) -> bytes:
    try:
        unpacked: bytes = stream.decompress(data, _PIECE) if limited else stream.decompress(data)
    except OSError as error:
        raise _BadData(str(error)) from error
    return unpacked


def _slices(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), _PIECE):
        yield data[start : start + _PIECE]


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
