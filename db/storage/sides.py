"""The files of an SQLite database, and new files beside others: what no output may replace, and
where a file is written before it has its name.

Only the standard library is imported, because every command that writes a file needs this.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from db.storage.lock import RUN_KEY

SQLITE_MAGIC = b"SQLite format 3\0"
"""How every SQLite file begins."""
_OPEN_FILES = "/dev/fd"
"""Where systems list the open files of a process by their numbers."""
_SIDES = (re.compile(r"(.+)(-wal|-shm|-journal|\.lock)"), re.compile(rf"(.+)\.({RUN_KEY})\.lock"))
"""Names of logs, their index, and locks."""


def refuse_database(path: str | Path) -> None:
    """Raises OSError if a file written there would destroy an SQLite database: the path is a
    database, or the log or lock of one. Links are followed."""
    place = Path(os.path.realpath(path))
    owner = side_owner(place)
    if is_sqlite(place):
        raise OSError(errno.EINVAL, "it is an SQLite database: give another name", str(path))
    if owner is not None:
        raise OSError(
            errno.EINVAL, f"it belongs to the database {owner}: give another name", str(path)
        )


def side_owner(place: Path) -> str | None:
    """The name of the database whose log or lock has that path; None if there is none."""
    matches = (side.fullmatch(place.name) for side in _SIDES)
    stems = (match[1] for match in matches if match)
    return next((stem for stem in stems if is_sqlite(place.with_name(stem))), None)


def is_sqlite(path: Path) -> bool:
    """Whether a regular file there begins as SQLite's do."""
    try:
        return path.is_file() and head_of(path, len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError:
        return False


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file. A file that this process has open is read by its open descriptor,
    because closing another one would release SQLite's locks on it (sqlite.org/howtocorrupt.html,
    2.2), and another process would remove its log. Raises OSError."""
    status = path.stat()
    for file in os.listdir(_OPEN_FILES) if os.path.isdir(_OPEN_FILES) else ():
        with suppress(OSError):  # closed in the meantime, or open for writing only
            if os.path.samestat(os.fstat(int(file)), status):
                return os.pread(int(file), size, 0)
    with path.open("rb") as opened:
        return opened.read(size)


@contextmanager
def part_of(target: Path) -> Iterator[tuple[Path, int]]:
    """A new empty file beside ``target``, open, to be renamed to it; at the end it is removed if it
    still has its name. It belongs to this process alone; leftovers of killed processes are removed.
    Raises OSError, BlockingIOError while another process writes to ``target``."""
    _remove_left(target)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with suppress(OSError):  # without locks, what a killed process leaves stays
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not is_at(part, file):
            raise _busy(target)
        yield part, file
    finally:
        if is_at(part, file):
            _remove(part)
        os.close(file)


def is_at(path: Path, file: int) -> bool:
    """Whether a path leads to an open file, and not by a link."""
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except OSError:
        return False


def _remove_left(target: Path) -> None:
    """Remove unlocked files that killed processes left beside ``target``. Raises BlockingIOError
    for one that is being written."""
    name = re.compile(rf"{re.escape(target.name)}\.\d+\.part")
    for old in (found for found in target.parent.iterdir() if name.fullmatch(found.name)):
        try:
            file = os.open(old, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue  # gone, or not ours
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(old, file):
                _remove(old)
        except BlockingIOError:
            raise _busy(target) from None
        except OSError:
            continue
        finally:
            os.close(file)


def _remove(part: Path) -> None:
    for rest in (part.with_name(f"{part.name}-journal"), part):
        rest.unlink(missing_ok=True)


def _busy(target: Path) -> BlockingIOError:
    return BlockingIOError(errno.EAGAIN, "another process is writing it", str(target))


def free_name(wanted: Path) -> Path:
    """The path, or the first free one with a number at its end."""
    free, number = wanted, 1
    while free.exists():
        number += 1
        free = wanted.with_name(f"{wanted.name}-{number}")
    return free
