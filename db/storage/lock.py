"""Locks that die with their process, so that ``resume`` works right after ``kill -9``.

They are ``flock`` locks on small files beside the database. All playing processes share
``mtdf.db.lock``; what changes the whole database, as an upgrade does, holds it exclusively. The
process that plays event ``r3f9`` holds ``mtdf.db.r3f9.lock`` exclusively. A file left over from a
killed process locks nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy.engine import URL

from db.errors import DatabaseLocked, DatabaseUnusable, EventLocked

_PATIENCE_S = 0.5
"""How long to retry: checking a lock takes it briefly, too."""
_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class LockPlace:
    """The folder of the lock files of one database, and its name in messages."""

    folder: Path
    stem: str
    name: str

    @classmethod
    def beside(cls, path: Path, name: str) -> LockPlace:
        """For a database file: beside it, after resolving links."""
        real = path.resolve()
        return cls(real.parent, real.name, name)

    @classmethod
    def of_server(cls, url: URL) -> LockPlace:
        """For a database server: in this user's folder in the temporary directory, named after the
        server's address. It locks only against processes of the same machine."""
        folder = Path(tempfile.gettempdir()) / f"mtdf-locks-{os.getuid()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            owner = folder.lstat().st_uid
        except OSError as error:
            raise DatabaseUnusable(f"{folder}: {error.strerror}") from None
        if owner != os.getuid():
            raise DatabaseUnusable(f"{folder} belongs to another user: remove it or set TMPDIR")
        address = f"{url.host}:{url.port}/{url.database}"
        stem = hashlib.sha256(address.encode()).hexdigest()[:16]
        return cls(folder, stem, url.render_as_string(hide_password=True))

    def usage(self) -> Path:
        """The file that playing processes share; what changes the whole database locks it
        exclusively."""
        return self.folder / f"{self.stem}.lock"

    def event(self, key: str) -> Path:
        """The file that the coordinator of an event locks exclusively."""
        return self.folder / f"{self.stem}.{key}.lock"

    def running(self) -> dict[str, int]:
        """The events, studies without games and laboratory runs in progress: their keys and the
        ids of their processes."""
        found = {}
        pattern = re.compile(re.escape(self.stem) + r"\.(r[0-9a-z]+|study[0-9]+|lab[0-9]+)\.lock")
        for path in sorted(self.folder.iterdir()):
            match = pattern.fullmatch(path.name)
            pid = _FileLock(path).holder() if match else None
            if match and pid is not None:
                found[match[1]] = pid
        return found


class RunLock:
    """The lock for playing an event: one process at a time. A context manager.

    ``verify`` is called once the lock is held, and may raise to give it back. ``what`` names the
    event in messages instead of its key.
    """

    def __init__(
        self,
        place: LockPlace,
        key: str,
        verify: Callable[[], None] = lambda: None,
        what: str | None = None,
    ) -> None:
        self._place = place
        self._what = what or f"event {key}"
        self._verify = verify
        self._usage = _FileLock(place.usage())
        self._event = _FileLock(place.event(key))

    def acquire(self) -> None:
        """Take the lock. Raises EventLocked if another process is playing the event,
        DatabaseLocked if one is changing the whole database, DatabaseUnusable if the lock file
        cannot be created."""
        if not self._usage.acquire(shared=True):
            raise DatabaseLocked(
                f"{self._place.name} is being upgraded, vacuumed or relabelled: try again later"
            )
        try:
            if not self._event.acquire():
                holder = self._event.holder()
                by = f" in process {holder}" if holder else ""
                raise EventLocked(
                    f"{self._what} in {self._place.name} is already running{by}: wait for it or "
                    "stop it"
                )
            self._verify()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give the lock back and remove its files. Safe to call twice."""
        self._event.release()
        self._usage.release()

    def holder(self) -> int | None:
        """Id of the process that is playing the event; None if there is no such process."""
        return self._event.holder()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class WholeLock:
    """The lock for changing the whole database, as an upgrade does: no other process may do so or
    play. ``done``: what is done to the database, in messages."""

    def __init__(self, place: LockPlace, patience_s: float, done: str) -> None:
        self._place = place
        self._patience_s = patience_s
        self._done = done
        self._usage = _FileLock(place.usage())

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self._patience_s
        while not self._usage.acquire():
            running = self._place.running()
            if running:
                key, pid = next(iter(running.items()))
                raise DatabaseLocked(
                    f"{self._place.name} is in use by a running event ({key}, process {pid}): "
                    f"it can be {self._done} when the event has ended"
                )
            if time.monotonic() > deadline:
                raise DatabaseLocked(
                    f"{self._place.name} is being {self._done} by another process: try again later"
                )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._usage.release()


class _FileLock:
    """A ``flock`` on a file that holds the owner's process id."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self, *, shared: bool = False) -> bool:
        """Take the lock; False if another process holds it. Raises DatabaseUnusable."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            handle = self._open()
            if self._lock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX):
                if self._is_current(handle):
                    break
                os.close(handle)  # meanwhile its last owner has removed the file
                continue
            os.close(handle)
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
        self._handle = handle
        if not shared:
            self._sign(handle)
        return True

    def release(self) -> None:
        """Give the lock back; the last owner removes the file."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        # Removing a file that others share, or wait for, would let two of them own it.
        if self._lock(handle, fcntl.LOCK_EX) and self._is_current(handle):
            self._path.unlink(missing_ok=True)
        os.close(handle)

    def holder(self) -> int | None:
        """Id of the process with the exclusive lock, 0 if not known yet; otherwise None."""
        try:
            handle = os.open(self._path, os.O_RDONLY)
        except OSError:
            return None
        try:
            if self._lock(handle, fcntl.LOCK_SH):
                return None
            text = os.pread(handle, 32, 0).decode(errors="replace").strip()
            return int(text) if text.isdecimal() else 0
        finally:
            os.close(handle)

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._unusable(error) from None

    def _sign(self, handle: int) -> None:
        """Write the owner's id. If that fails, as on a full disk, the lock is released."""
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            self.release()
            raise self._unusable(error) from None

    def _unusable(self, error: OSError) -> DatabaseUnusable:
        return DatabaseUnusable(f"lock file {self._path}: {error.strerror}")

    def _is_current(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _lock(self, handle: int, kind: int) -> bool:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise DatabaseUnusable(
                f"{self._path.parent} is on a file system without locks: {error.strerror}"
            ) from None
        return True
