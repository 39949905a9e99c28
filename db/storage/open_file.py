"""Whether a path still leads to the database file that was opened.

SQLite goes on writing to a file that was deleted, renamed or replaced, and leaves its log beside
the path, where the next database of that name would take it for its own.
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
"""Where Linux says which files this process has open, and what they are called by now."""
_PATIENCE_MS = 1000
"""How long to wait for readers of a file that was moved."""


class OpenFile:
    """The file that a path led to when it was opened, known by device and inode."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path.absolute()  # the working directory may change
        self._name = name
        self._file = _identity(path)
        self._sides: set[tuple[int, int] | None] = set()
        """Log and index, as they were when the path led to the file the last time."""

    def check(self) -> None:
        """Raises DatabaseMoved when the path leads to another file or to none."""
        sides = {_identity(side) for side in self._side_files()}
        found = _identity(self._path)
        if found == self._file:
            self._sides = sides - {None}
            return
        where = self._where()
        if found is not None:
            happened = "was replaced by another file"
        elif not _DESCRIPTORS.is_dir():
            happened = "was deleted or moved"
        else:
            happened = "was deleted" if where is None else "was renamed or moved"
        raise DatabaseMoved(f"{self._name} {happened} while it was in use: {self._advice(where)}")

    def settle(self, engine: Engine) -> None:
        """Before the last connection to a file that was moved is closed: bring all that was
        committed into it, and leave no log behind for another database of that name. What fails
        hides no error: that the file was moved has been said."""
        if _identity(self._path) == self._file:
            return
        # Where no connection to the old file is left, its log is closed as well.
        with suppress(DBAPIError, sqlite3.Error, DatabaseError, OSError):
            # SQLite works on what it has open here, whatever lies at these paths by now.
            with closing(engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if busy or _identity(self._path) is None:
                    self._take_side_files(keep=bool(busy))

    def _take_side_files(self, keep: bool) -> None:
        """Take log and index away from the path, where they are still ours: an empty log is
        removed, and one that somebody reads in (``keep``) follows the file. Where nobody can say
        where that is, it gets a name that no other database takes for its log."""
        where = self._where()
        ours = _open_files() if _DESCRIPTORS.is_dir() else self._sides
        for side in self._side_files():
            if _identity(side) not in ours:
                continue
            suffix = side.name.removeprefix(self._path.name)
            if keep and where is not None:
                os.replace(side, where.with_name(where.name + suffix))
            elif keep and not _DESCRIPTORS.is_dir():
                os.replace(side, side.with_name(f"{self._path.name}.moved{suffix}"))
            else:
                side.unlink(missing_ok=True)

    def _side_files(self) -> list[Path]:
        return [self._path.with_name(self._path.name + suffix) for suffix in ("-wal", "-shm")]

    def _where(self) -> Path | None:
        """Where the file is now; None when it was deleted or nobody can say."""
        return _open_files().get(self._file)

    def _advice(self, where: Path | None) -> str:
        if not _DESCRIPTORS.is_dir():
            return (
                "if it was moved, move it back, or use --db with its new place; if it was deleted, "
                "what was stored in it is gone unless there is a copy or a backup"
            )
        if where is None:
            return "what was stored in it is gone unless there is a copy or a backup"
        return f"all that was stored is in {where}; move it back, or use --db {where}"


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file at a path; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_files() -> dict[tuple[int, int] | None, Path | None]:
    """The files that this process has open: where they are, or None for deleted ones. Empty on
    systems that do not tell."""
    found: dict[tuple[int, int] | None, Path | None] = {}
    try:
        links = list(_DESCRIPTORS.iterdir())
    except OSError:
        return found
    for link in links:
        try:
            state, target = link.stat(), Path(os.readlink(link))
        except OSError:
            continue  # it was closed meanwhile
        key = (state.st_dev, state.st_ino)
        found[key] = target if state.st_nlink and _identity(target) == key else None
    return found
