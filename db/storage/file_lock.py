"""The locks of a database file: ``flock`` locks on small files beside it.

All playing processes share ``mtdf.db.lock``; what changes the whole database, as an upgrade does,
holds it exclusively. The process that plays event ``r3f9`` holds ``mtdf.db.r3f9.lock`` exclusively.
A file left over from a killed process locks nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from pathlib import Path

from msgspec import Struct

from db.errors import DatabaseUnusable
from db.storage.lock import PATIENCE_S, PAUSE_S, RUN_KEY, Holder
from db.storage.sides import is_at

_LONGEST = 32
_OWNER = re.compile(rb"(\d+\n)?")
"""What a lock file holds."""


class FileLocks(Struct, frozen=True):
    """The folder of the lock files of one database, and its name in messages."""

    folder: Path
    stem: str
    name: str

    @classmethod
    def beside(cls, path: Path, name: str) -> FileLocks:
        """For a database file: beside it, after resolving links."""
        real = path.resolve()
        return cls(real.parent, real.name, name)

    def usage(self) -> FileLock:
        """See :class:`LockPlace`."""
        return FileLock(self.folder / f"{self.stem}.lock")

    def event(self, key: str) -> FileLock:
        """See :class:`LockPlace`."""
        return FileLock(self.folder / f"{self.stem}.{key}.lock")

    def running(self) -> dict[str, Holder]:
        """See :class:`LockPlace`."""
        found = {}
        pattern = re.compile(rf"{re.escape(self.stem)}\.({RUN_KEY})\.lock")
        for path in sorted(self.folder.iterdir()):
            match = pattern.fullmatch(path.name)
            holder = FileLock(path).holder() if match else None
            if match and holder is not None:
                found[match[1]] = holder
        return found


class FileLock:
    """A ``flock`` on a file that holds the owner's process id."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, *, shared: bool = False) -> bool:
        """See :class:`Lock`."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                handle = self._open(os.O_RDWR | os.O_CREAT)
            except OSError as error:
                raise self._unusable(error) from None
            if self._lock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX):
                if is_at(self.path, handle):
                    break
                os.close(handle)  # meanwhile its last owner has removed the file
                continue
            os.close(handle)
            if time.monotonic() > deadline:
                return False
            time.sleep(PAUSE_S)
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
        if self._lock(handle, fcntl.LOCK_EX) and is_at(self.path, handle):
            self.path.unlink(missing_ok=True)
        os.close(handle)

    def holder(self) -> Holder | None:
        """See :class:`Lock`."""
        try:
            handle = self._open(os.O_RDONLY)
        except OSError:
            return None
        try:
            if self._lock(handle, fcntl.LOCK_SH):
                return None
            text = os.pread(handle, _LONGEST, 0).decode(errors="replace").strip()
            return Holder(int(text) if text.isdecimal() else 0)
        finally:
            os.close(handle)

    def _open(self, flags: int) -> int:
        """Open the file of the lock. Raises OSError, also for a link and for a file that is
        not ours: the owner's id would be written into it."""
        handle = os.open(self.path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        status = os.fstat(handle)
        plain = stat.S_ISREG(status.st_mode) and status.st_nlink <= 1
        if plain and _OWNER.fullmatch(os.pread(handle, _LONGEST + 1, 0)):
            return handle
        os.close(handle)
        raise OSError(errno.EINVAL, "not a lock file of this program: remove it")

    def _sign(self, handle: int) -> None:
        """Write the owner's id. If that fails, as on a full disk, the lock is released."""
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            self.release()
            raise self._unusable(error) from None

    def _unusable(self, error: OSError) -> DatabaseUnusable:
        reason = "it is a link: remove it" if error.errno == errno.ELOOP else error.strerror
        return DatabaseUnusable(f"lock file {self.path}: {reason}")

    def _lock(self, handle: int, kind: int) -> bool:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise DatabaseUnusable(
                f"{self.path.parent} is on a file system without locks: {error.strerror}"
            ) from None
        return True
