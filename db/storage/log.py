"""Whether the write-ahead log beside a database belongs to it.

A killed process leaves a log, which SQLite applies to any file with the name before it, such as a
backup that was put in its place. So each of our transactions writes a new number, ``user_version``,
into the first page; its high bits are a checksum of the previous number, its low bits are random. A
log belongs to the file if it begins with a number that follows the file's, or contains the file's
number, as it does if a part of it was already merged into the file. A copy that was played on
separately has other numbers. https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import fcntl
import os
import secrets
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from db.storage.open_file import open_files
from db.storage.sides import SQLITE_MAGIC, free_name, head_of

VERSIONS = 2**31
"""Upper bound of numbers, exclusive."""
_RANDOM_BITS = 16
_LOG_MAGIC = (0x377F0682, 0x377F0683)
_HEAD, _FRAME = 32, 24
"""Bytes before the first frame of a log, and before the page of each."""
_MODE, _VERSION = 18, 60
"""Where the first page has its journal mode, 1 for no log, and ``user_version``."""
_USERS_BYTE = 128
"""Of the log's index: locked by each process that uses it (UNIX_SHM_DMS in SQLite's os_unix.c)."""


def next_version(version: int) -> int:
    """A number that follows another one."""
    return _mark(version) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)


def _mark(version: int) -> int:
    """The high bits of numbers that follow this one."""
    return crc32((version % 2**32).to_bytes(4)) % (VERSIONS >> _RANDOM_BITS)


def set_aside_foreign_log(path: Path) -> Path | None:
    """Rename the log beside a database if it belongs to another file and no process uses it;
    returns its new name, or None if there is nothing to do. Raises OSError if that fails."""
    real = Path(os.path.realpath(path))
    log, index = (real.with_name(real.name + suffix) for suffix in ("-wal", "-shm"))
    if _belongs(log, real):
        return None
    with _unused(index) as unused:
        if not unused or _belongs(log, real):
            return None
        aside = free_name(log.with_name(f"{log.name}.old"))
        log.rename(aside)
        return aside


def _belongs(log: Path, database: Path) -> bool:
    """Whether SQLite may apply a log to a database; True also if the log is empty or cannot be
    read."""
    try:
        with log.open("rb") as file:
            head = file.read(_HEAD)
            if len(head) < _HEAD or struct.unpack(">I", head[:4])[0] not in _LOG_MAGIC:
                return True
            first_page = _first_page(database)
            if not first_page:  # SQLite would remove the log, also of a file that was moved away
                return not any(True for _ in _versions(head, file))
            if len(first_page) < 100 or not first_page.startswith(SQLITE_MAGIC):
                return True
            return _continues(first_page, head, file)
    except OSError:
        return True  # there is no log, or SQLite says what is wrong with it


def _first_page(database: Path) -> bytes:
    """The head of a database's first page; empty also where there is no file."""
    try:
        return head_of(database, 100)
    except FileNotFoundError:
        return b""


def _continues(first_page: bytes, head: bytes, file: BinaryIO) -> bool:
    (version,) = struct.unpack_from(">I", first_page, _VERSION)
    begins = True
    for found in _versions(head, file):
        if first_page[_MODE] == 1:
            return False
        if found is None:
            continue
        if found == version or (begins and found >> _RANDOM_BITS == _mark(version)):
            return True
        begins = False
    return begins


def _versions(head: bytes, file: BinaryIO) -> Iterator[int | None]:
    """For each frame of a log: the number, if its page is the first one."""
    (size,) = struct.unpack_from(">I", head, 8)
    place = _HEAD
    while True:
        file.seek(place)
        frame = file.read(_FRAME + 100)
        # Behind the last frame may be some of an earlier log.
        if len(frame) < _FRAME + 100 or frame[8:16] != head[16:24]:
            return
        is_first = struct.unpack_from(">I", frame)[0] == 1
        yield struct.unpack_from(">I", frame, _FRAME + _VERSION)[0] if is_first else None
        place += _FRAME + size


@contextmanager
def _unused(index: Path) -> Iterator[bool]:
    """Whether no process uses the log of that index; within the context none can begin to."""
    try:
        status = index.stat()
        # Closing a file gives back all locks of this process on it.
        if (status.st_dev, status.st_ino) in open_files():
            yield False
            return
        file = os.open(index, os.O_RDWR)
    except FileNotFoundError:
        yield True
        return
    try:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _USERS_BYTE)
        except (BlockingIOError, PermissionError):
            yield False
            return
        yield True
    finally:
        os.close(file)
