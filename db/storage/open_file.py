"""Whether a path still leads to the database file that was opened.

SQLite continues to write to a file that was deleted, renamed or replaced, and leaves its log at the
old path, where the next database of that name would use it as its own.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from db.errors import DatabaseError, DatabaseMoved

_DESCRIPTORS = Path("/proc/self/fd")
"""Where Linux lists the open files of this process, with their current paths."""
_PATIENCE_MS = 1000
"""How long to wait for readers of a file that was moved."""


class OpenFile:
    """The file at a path when it was opened, identified by device and inode."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path.absolute()  # the working directory may change
        self._name = name
        self._file = _identity(path)
        self._sides: set[tuple[int, int] | None] = set()
        """Log and index at the last check at which the path led to the file."""

    def check(self) -> None:
        """Raises DatabaseMoved if the path leads to another file or to no file."""
        if _identity(self._path) != self._file:
            where = self._where()
            raise DatabaseMoved(
                f"{self._name} was moved, replaced or deleted while it was in use"
                + (f"; all data is in {where}" if where else "")
            )
        self._sides = {_identity(side) for side in self._side_files()} - {None}

    def settle(self, engine: Engine) -> None:
        """Before the last connection to a moved file is closed: write all committed data into it,
        and leave no log behind for another database of that name. Failures are ignored: the move
        itself has already been reported."""
        if _identity(self._path) == self._file:
            return
        # If no connection to the old file is left, its log is closed as well.
        with suppress(DBAPIError, sqlite3.Error, DatabaseError, OSError):
            # SQLite works on the files it has open, whatever these paths lead to now.
            with closing(engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if busy or _identity(self._path) is None:
                    self._take_side_files(keep=bool(busy))

    def _take_side_files(self, keep: bool) -> None:
        """Take log and index away from the path if they are still ours. An empty log is removed;
        one that is still being read (``keep``) is moved to the file, or gets a name that no other
        database uses for its log."""
        place = self._where() or self._path.with_name(f"{self._path.name}.moved")
        for side in self._side_files():
            if _identity(side) not in self._sides:
                continue
            if keep:
                suffix = side.name.removeprefix(self._path.name)
                os.replace(side, place.with_name(place.name + suffix))
            else:
                side.unlink(missing_ok=True)

    def _side_files(self) -> list[Path]:
        return [self._path.with_name(self._path.name + suffix) for suffix in ("-wal", "-shm")]

    def _where(self) -> Path | None:
        """Where the file is now; None if it was deleted or its place is not known."""
        return open_files().get(self._file)


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file at a path; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_files() -> dict[tuple[int, int] | None, Path | None]:
    """The open files of this process with their paths, None for deleted ones. Empty on systems that
    do not list them."""
    found: dict[tuple[int, int] | None, Path | None] = {}
    try:
        links = list(_DESCRIPTORS.iterdir())
    except OSError:
        return found
    for link in links:
        try:
            state, target = link.stat(), Path(os.readlink(link))
        except OSError:
            continue  # closed in the meantime
        key = (state.st_dev, state.st_ino)
        found[key] = target if state.st_nlink and _identity(target) == key else None
    return found
