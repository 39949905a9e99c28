"""The database of the server: opened for reading, and again when another file has its place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from db.session import Database, open_database

Identity = tuple[int, ...] | None
"""What tells a file from another one at its place; None where there is no file to look at."""

_STALE_S = 60


@dataclass(slots=True)
class _Opened:
    """An open database, and how many threads use it."""

    db: Database
    identity: Identity
    users: int = 0


class ServedDatabase:
    """A database for several threads, never written to."""

    def __init__(self, location: str) -> None:
        """Raises DatabaseError if it cannot be read now."""
        self._location = location
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        with self.reading(60.0) as db:
            self.name = db.name

    @contextmanager
    def reading(self, seconds: float) -> Iterator[Database]:
        """The database as it is now, in one state; all queries together may take so long. Raises
        DatabaseError, StatementTimeout."""
        opened = self._enter()
        try:
            with opened.db.time_limit(seconds), opened.db.one_moment():
                yield opened.db
        finally:
            self._leave(opened)

    def close(self) -> None:
        """Close it, now or when the last thread has left it."""
        with self._lock:
            self._give_up()

    def _enter(self) -> _Opened:
        with self._lock:
            if self._opened is not None and self._opened.identity != self._identity():
                self._give_up()
            if self._opened is None:
                # What it is is asked first: a file that is replaced meanwhile is opened again.
                identity = self._identity()
                self._opened = _Opened(open_database(self._location, read_only=True), identity)
            self._opened.users += 1
            return self._opened

    def _leave(self, opened: _Opened) -> None:
        with self._lock:
            opened.users -= 1
            if not opened.users and opened is not self._opened:
                opened.db.close()

    def _give_up(self) -> None:
        """Use the open database no more."""
        opened, self._opened = self._opened, None
        if opened is not None and not opened.users:
            opened.db.close()

    def state(self) -> str:
        """Changes with every write to the file, and each minute, because a killed run writes
        nothing any more; of a server database with the time alone."""
        found = [int(time.time()) // (1 if "://" in self._location else _STALE_S)]
        for end in ("", "-wal"):
            with suppress(OSError):
                status = Path(self._location + end).stat()
                found += [status.st_ino, status.st_size, status.st_mtime_ns]
        return "-".join(map(str, found))

    def _identity(self) -> Identity:
        """Of the file. Where its folder cannot be written to, SQLite reads a file without a log as
        one that never changes, so a change of it, or a new log, makes it another file."""
        if "://" in self._location:
            return None
        path = Path(self._location)
        try:
            status = path.stat()
            log = path.with_name(f"{path.name}-wal").exists()
        except OSError:
            return None
        return status.st_dev, status.st_ino, *((status.st_mtime_ns, 0) if not log else (0, 1))
