"""Copies of a SQLite file that may be in use. A copy gets its name only when it is complete.

A copy is one state of the database. SQLite's backup starts again whenever another process writes,
and would never end during a long event. So its connection holds a read transaction, for which no
writer waits in WAL mode. `VACUUM INTO` would also copy one state, but it builds every index anew
and cannot pause.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from db.errors import DatabaseError, DatabaseLocked, DatabaseUnusable
from db.storage.engine import corrupt, reading_connection
from db.storage.files import check_free
from db.storage.sides import SQLITE_MAGIC, free_name, part_of, side_owner

CopyProgress = Callable[[int, int], None]
"""Gets the number of bytes copied so far, and the total."""

_STEP_BYTES = 4_000_000
"""Copied at once: some milliseconds of work."""
_SHARE = 0.2
"""Of the time, for copying while others play; the rest are pauses."""
_LOGS = ("-wal", "-journal")
"""Endings of files that SQLite would replay into the file with the name before it."""


def back_up(
    path: Path, target: Path, *, replace: bool = False, on_progress: CopyProgress | None = None
) -> int:
    """Copy the database at ``path`` to ``target`` while it may be written to; returns the size of
    the copy. After each step it pauses, so that most of the disk's and a core's time is left to
    others. A killed process leaves at most ``target`` with ``.PID.part`` at its end, which
    the next one removes.

    ``replace``: an existing database there is replaced. Raises DatabaseUnusable, DatabaseLocked,
    DatabaseCorrupt; then nothing was changed.
    """
    _check_target(path, target, replace)
    return _copy(path, target, share=_SHARE, on_progress=on_progress)


def make_backup(path: Path, schema: str) -> Path:
    """A copy of the database file before an upgrade, ``mtdf.db.bak-v0.1.0`` or the next free name.
    Raises as :func:`back_up` does."""
    backup = free_name(path.with_name(f"{path.name}.bak-v{schema}"))
    _copy(path, backup, share=1.0)
    return backup


def _check_target(path: Path, target: Path, replace: bool) -> None:
    """Raises DatabaseUnusable if no copy may be written there."""
    if target.is_symlink() or target.exists():
        _check_replaced(path, target, replace)
    owner = side_owner(target)
    if owner is not None:
        raise DatabaseUnusable(f"{target} belongs to the database {owner}: give another name")
    for log in (target.with_name(target.name + suffix) for suffix in _LOGS):
        if log.exists():
            raise DatabaseUnusable(
                f"{log} exists, so another program uses {target.name}, or was killed: give another "
                "name"
            )


def _check_replaced(path: Path, target: Path, replace: bool) -> None:
    """Raises DatabaseUnusable unless an existing file may be replaced."""
    if target.exists() and target.samefile(path):
        raise DatabaseUnusable(f"{target} is the database itself: give another name")
    if not replace:
        raise DatabaseUnusable(f"{target} exists: give another name, or --force to replace it")
    try:
        with target.open("rb") as file:
            head = file.read(len(SQLITE_MAGIC)) if target.is_file() else None
    except OSError as error:
        raise DatabaseUnusable(f"cannot read {target}: {error.strerror}") from None
    if head not in (SQLITE_MAGIC, b""):
        raise DatabaseUnusable(f"{target} is no SQLite database, and is kept: give another name")


def _copy(
    path: Path, target: Path, *, share: float, on_progress: CopyProgress | None = None
) -> int:
    """Write the copy beside its place, check it, and give it its name. ``share``: of the time for
    copying; the rest are pauses."""
    try:
        with part_of(target) as (part, file):
            _write(path, part, share, on_progress or _ignore)
            os.fsync(file)
            os.replace(part, target)
            _sync_folder(target.parent)
            return target.stat().st_size
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_CORRUPT:
            raise corrupt(str(path), str(error)) from None
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseLocked(f"{path} is locked by another program: try again later") from None
        raise DatabaseUnusable(f"cannot write the backup {target}: {error}") from None
    except BlockingIOError:
        raise DatabaseLocked(f"another process is writing {target}: wait for it") from None
    except OSError as error:
        if isinstance(error, DatabaseError):
            raise
        raise DatabaseUnusable(f"cannot write the backup {target}: {error.strerror}") from None


def _write(path: Path, part: Path, share: float, say: CopyProgress) -> None:
    """Copy one state of the database into an empty file. Raises sqlite3.Error, DatabaseUnusable,
    DatabaseCorrupt."""
    with closing(reading_connection(path)) as source, closing(sqlite3.connect(part)) as target:
        source.execute("BEGIN")
        pages, size = (
            int(source.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "page_size")
        )
        check_free(part.parent, pages * size, f"a copy of {path.name}")
        began = time.monotonic()

        def pause(_: int, remaining: int, total: int) -> None:
            nonlocal began
            say((total - remaining) * size, total * size)
            time.sleep((time.monotonic() - began) * (1 - share) / share)
            began = time.monotonic()

        source.backup(target, pages=max(1, _STEP_BYTES // size), progress=pause)
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        finding = target.execute("PRAGMA quick_check(1)").fetchone()[0]
    if finding != "ok":
        raise corrupt(str(path), str(finding).splitlines()[-1])


def _sync_folder(folder: Path) -> None:
    """Let the name survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _ignore(_: int, __: int) -> None:
    """Ignore progress."""
