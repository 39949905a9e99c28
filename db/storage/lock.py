"""Locks that die with their process, so that ``resume`` works right after ``kill -9``.

All playing processes share one lock; what changes the whole database, as an upgrade does, holds it
exclusively. The process that plays an event holds the event's lock exclusively. A file has its
locks beside it (:mod:`db.storage.file_lock`), a server has them itself
(:mod:`db.storage.server_lock`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, Self

from msgspec import Struct

from db.errors import DatabaseLocked, EventLocked

PATIENCE_S = 0.5
"""How long to retry, because checking a lock file takes the lock briefly."""
PAUSE_S = 0.02
RUN_KEY = r"r[0-9a-z]+|study[0-9]+|lab[0-9]+"
"""Keys of events, of studies without games and of laboratory runs."""


class Holder(Struct, frozen=True):
    """The process that holds a lock."""

    pid: int
    """Its id; 0 if not known yet."""
    host: str = ""
    """The machine that it is on; empty for this one."""

    def __str__(self) -> str:
        return f"process {self.pid}" + (f" on {self.host}" if self.host else "")


class Lock(Protocol):
    """One lock of a database."""

    def acquire(self, *, shared: bool = False) -> bool:
        """Take the lock; False if another process holds it. Raises DatabaseUnusable."""

    def release(self) -> None:
        """Give the lock back. Safe to call twice."""

    def holder(self) -> Holder | None:
        """The process with the exclusive lock, if there is one."""


class LockPlace(Protocol):
    """The locks of one database."""

    @property
    def name(self) -> str:
        """The name of the database in messages."""

    def usage(self) -> Lock:
        """The lock that playing processes share; what changes the whole database takes it
        exclusively."""

    def event(self, key: str) -> Lock:
        """The lock that the coordinator of an event takes exclusively."""

    def running(self) -> dict[str, Holder]:
        """The events, studies without games and laboratory runs in progress, by their keys."""


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
        self._usage = place.usage()
        self._event = place.event(key)

    def acquire(self) -> None:
        """Take the lock. Raises EventLocked if another process is playing the event,
        DatabaseLocked if one is changing the whole database, DatabaseUnusable if the lock cannot
        be made."""
        if not self._usage.acquire(shared=True):
            raise DatabaseLocked(
                f"{self._place.name} is being upgraded or vacuumed: try again later"
            )
        try:
            if not self._event.acquire():
                holder = self._event.holder()
                by = f" in {holder}" if holder and holder.pid else ""
                raise EventLocked(
                    f"{self._what} in {self._place.name} is already running{by}: wait for it or "
                    "stop it"
                )
            self._verify()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give the lock back. Safe to call twice."""
        self._event.release()
        self._usage.release()

    def holder(self) -> Holder | None:
        """The process that is playing the event; None if there is no such process."""
        return self._event.holder()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


class WholeLock:
    """The lock for changing the whole database, as an upgrade does: no other process may do so or
    play. ``done`` is the participle in messages, such as ``upgraded``."""

    def __init__(self, place: LockPlace, patience_s: float, done: str) -> None:
        self._place = place
        self._patience_s = patience_s
        self._done = done
        self._usage = place.usage()

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self._patience_s
        while not self._usage.acquire():
            running = self._place.running()
            if running:
                key, holder = next(iter(running.items()))
                raise DatabaseLocked(
                    f"{self._place.name} is in use by a running event ({key}, {holder}): "
                    f"it can be {self._done} when the event has ended"
                )
            if time.monotonic() > deadline:
                raise DatabaseLocked(
                    f"{self._place.name} is being {self._done} by another process: try again later"
                )
        return self

    def __exit__(self, *error: object) -> None:
        self._usage.release()
