"""Files that may be compressed, read and written piece by piece: gzip, bzip2, xz and Zstandard, and
zip archives with one file in them, which are only read.

Whatever the size of what a file unpacks to, only some pieces of it are in memory; how much is too
much is for the reader to decide.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import IO, Any, BinaryIO, NamedTuple

from toolkit.base.errors import UsageError

PIECE = 1 << 18
"""Bytes that are looked at together."""
_XZ_MEMORY = 256 << 20
"""Bytes that a dictionary of xz may take; `xz -9` takes 65 MiB."""
_HEAD = 8
"""Bytes at the beginning of a file that show its compression."""

Read = Callable[[int], bytes]
"""Gives up to so many of the next bytes of a file; none at its end."""


class _Format(NamedTuple):
    """A compression of streams."""

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
_ZIP, _ZIP_MAGIC = ".zip", (b"PK\x03\x04", b"PK\x05\x06")
_SUFFIXES = (*(packed.suffix for packed in _FORMATS), _ZIP)


class _BadData(Exception):
    """Damage, or an archive that cannot be read; bz2 calls it an OSError, as if it were the
    disk."""


class PackedFile:
    """An open file that may be compressed, and the name of what is in it."""

    def __init__(self, read: Read, name: str) -> None:
        self.name = name
        """The file's name without the suffix of its compression; for a zip archive, once a piece
        was read, the name of the file in it."""
        self._read = read
        self._suffix = next((s for s in _SUFFIXES if name.lower().endswith(s)), "")
        if self._suffix:
            self.name = name[: -len(self._suffix)]

    def pieces(self) -> Iterator[bytes]:
        """What the file holds, unpacked if it begins as a compressed one, or is called one.

        Raises errors that only :func:`translated` knows.
        """
        head = self._read(_HEAD)
        packed = next((f for f in _FORMATS if head.startswith(f.magic)), None)
        zipped = head.startswith(_ZIP_MAGIC)
        if packed is None and not zipped:
            packed = next((f for f in _FORMATS if f.suffix == self._suffix), None)
            zipped = self._suffix == _ZIP
        read = _after(head, self._read)
        if zipped:
            return self._from_archive(read)
        return iter(partial(read, PIECE), b"") if packed is None else _unpacked(read, packed)

    def _from_archive(self, read: Read) -> Iterator[bytes]:
        """The only file of a zip archive. The archive is copied first: its directory is at its end,
        and a pipe cannot be read twice."""
        with tempfile.TemporaryFile() as copy:
            for piece in iter(partial(read, PIECE), b""):
                copy.write(piece)
            yield from self._only_file(copy)

    def _only_file(self, copy: IO[bytes]) -> Iterator[bytes]:
        try:
            with zipfile.ZipFile(copy) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
                if len(files) != 1:
                    raise _BadData(f"a zip archive must have one file in it, this has {len(files)}")
                self.name = files[0].filename
                with archive.open(files[0]) as file:
                    yield from iter(partial(file.read, PIECE), b"")
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise _BadData(str(error)) from error  # a RuntimeError asks for a password


@contextmanager
def packing(file: BinaryIO, name: str) -> Iterator[IO[bytes]]:
    """Write ``file`` compressed if its ``name`` says so: what :class:`PackedFile` unpacks. Equal
    data gives equal files. Raises UsageError for a zip archive."""
    suffix = next((s for s in _SUFFIXES if name.lower().endswith(s)), "")
    if suffix == _ZIP:
        raise UsageError(f"{name}: zip archives are only read; use {', '.join(_SUFFIXES[:-1])}")
    with _PACKERS.get(suffix, nullcontext)(file) as packed:
        yield packed


def _gzip(file: BinaryIO) -> gzip.GzipFile:
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)


def _zstd_writer(file: BinaryIO) -> Any:
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


_PACKERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": _gzip,
    ".zst": _zstd_writer,
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
}


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """While a file is opened, read or unpacked, and nothing else happens: gives UsageError for what
    goes wrong. ``shown``: what messages call the file."""
    import zstandard

    try:
        yield
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, _BadData) as error:
        raise UsageError(f"{shown} cannot be decompressed: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror or error}") from error


def _after(head: bytes, read: Read) -> Read:
    """Reads ``head`` first."""
    rest = head

    def again(size: int) -> bytes:
        nonlocal rest
        if rest:
            taken, rest = rest, b""
            return taken
        return read(size)

    return again


def _unpacked(read: Read, packed: _Format) -> Iterator[bytes]:
    """What a compressed file holds; several streams may follow each other, with zeros between."""
    data = b""
    while data := data.lstrip(b"\0") or read(packed.piece):
        if data.startswith(b"\0"):
            continue
        stream = packed.new()
        while not stream.eof:
            if not data and (not packed.limited or stream.needs_input):
                data = read(packed.piece)
                if not data:
                    raise EOFError("it ends too early: cut off?")
            yield from _slices(_step(stream, data, packed.limited))
            data = b""
        data = stream.unused_data


def _step(stream: Any, data: bytes, limited: bool) -> bytes:
    try:
        unpacked: bytes = stream.decompress(data, PIECE) if limited else stream.decompress(data)
    except OSError as error:
        raise _BadData(str(error)) from error
    return unpacked


def _slices(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]
