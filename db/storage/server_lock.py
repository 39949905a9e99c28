"""The locks of a database on a server: advisory locks of PostgreSQL, held by one connection.

They hold against processes on other machines too, and die with the connection that took them. So
the process that has such a lock must write by that connection: where the connection is lost, as
when the server is restarted, its transaction is lost with it, and nothing can be stored after
another process has taken the lock.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import StatementError

from db.errors import DatabaseUnusable
from db.storage.engine import translate
from db.storage.lock import PATIENCE_S, PAUSE_S, RUN_KEY, Holder

_USAGE = 0
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGEST_NUMBER = 12
"""The most digits in that base that fit into a lock's number."""
_TRY = {
    False: text("SELECT pg_try_advisory_lock(:number)"),
    True: text("SELECT pg_try_advisory_lock_shared(:number)"),
}
_UNLOCK = {
    False: text("SELECT pg_advisory_unlock(:number)"),
    True: text("SELECT pg_advisory_unlock_shared(:number)"),
}
_HELD = text("""
    SELECT (l.classid::bigint << 32) | l.objid::bigint, a.application_name
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.mode = 'ExclusiveLock'
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
""")
_PREPARE = text("""
    SELECT set_config(name, CASE name WHEN 'application_name' THEN :signature
        WHEN 'idle_session_timeout' THEN '0' WHEN 'tcp_keepalives_count' THEN '3' ELSE '20' END,
        false)
    FROM pg_settings WHERE name IN ('application_name', 'idle_session_timeout',
        'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count')
""")
"""The name says whose locks they are. A connection that waits for games is not ended, and one whose
machine is gone is noticed within 80 seconds."""


class ServerLocks:
    """The locks of one database on a server. ``name``: the name of the database in messages."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._guard = threading.RLock()
        self._session: Connection | None = None
        self._held: Counter[tuple[int, bool]] = Counter()
        """Numbers of the locks of this process, and whether they are shared."""

    @property
    def name(self) -> str:
        """See :class:`LockPlace`."""
        return self._name

    def usage(self) -> ServerLock:
        """See :class:`LockPlace`."""
        return ServerLock(self, _USAGE)

    def event(self, key: str) -> ServerLock:
        """See :class:`LockPlace`."""
        return ServerLock(self, _number_of(key))

    def running(self) -> dict[str, Holder]:
        """See :class:`LockPlace`."""
        held = {_key_of(number): holder for number, holder in self.holders().items()}
        return {key: held[key] for key in sorted(held) if re.fullmatch(RUN_KEY, key)}

    def holders(self) -> dict[int, Holder]:
        """The processes with exclusive locks, by the numbers of the locks."""
        with self._translated(), self._engine.connect() as connection:
            rows = connection.execute(_HELD).all()
        return {number: _holder(signature) for number, signature in rows}

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """The connection to write by: the one that has the locks of this process, if it has any.
        Raises DatabaseUnusable if that one was lost."""
        with self._guard:
            if self._session is not None:
                self._check_alive(self._session)
                yield self._session
                return
        with self._engine.connect() as connection:
            yield connection.execution_options(isolation_level="READ COMMITTED")

    def take(self, number: int, shared: bool) -> bool:
        """Take a lock; False if another owner has it, in this process or elsewhere."""
        with self._guard, self._translated():
            # The locks of one connection do not exclude each other.
            if self._held[number, False] or (not shared and self._held[number, True]):
                return False
            session = self._opened()
            try:
                with session.begin():
                    taken = session.execute(_TRY[shared], {"number": number}).scalar_one()
                self._held[number, shared] += bool(taken)
                return bool(taken)
            finally:
                self._close_if_unused()

    def give_back(self, number: int, shared: bool) -> None:
        """Give a lock back. A lock whose connection was lost is already released."""
        with self._guard:
            self._held[number, shared] -= 1
            session = self._session
            try:
                if session is not None and not session.invalidated:
                    with session.begin():
                        session.execute(_UNLOCK[shared], {"number": number})
            except StatementError:
                pass  # it was lost just now
            finally:
                self._close_if_unused()

    def _opened(self) -> Connection:
        if self._session is None:
            session = self._engine.connect().execution_options(isolation_level="READ COMMITTED")
            with session.begin():
                session.execute(_PREPARE, {"signature": _signature()})
            self._session = session
        self._check_alive(self._session)
        return self._session

    def _close_if_unused(self) -> None:
        if self._session is not None and not +self._held:
            session, self._session = self._session, None
            session.invalidate()  # it is ended, and serves nothing else: its settings are its own
            session.close()

    def _check_alive(self, session: Connection) -> None:
        # SQLAlchemy would connect again, without the locks.
        if session.invalidated:
            raise DatabaseUnusable(
                f"{self._name}: the connection to the server was lost, and with it the lock of "
                "this run, so nothing more is stored; what was stored before is safe"
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except StatementError as error:
            raise translate(error, self._name) from error


class ServerLock:
    """One advisory lock."""

    def __init__(self, place: ServerLocks, number: int) -> None:
        self._place = place
        self._number = number
        self._shared: bool | None = None

    def acquire(self, *, shared: bool = False) -> bool:
        """See :class:`Lock`."""
        deadline = time.monotonic() + PATIENCE_S
        while not self._place.take(self._number, shared):
            if time.monotonic() > deadline:
                return False
            time.sleep(PAUSE_S)
        self._shared = shared
        return True

    def release(self) -> None:
        """See :class:`Lock`."""
        shared, self._shared = self._shared, None
        if shared is not None:
            self._place.give_back(self._number, shared)

    def holder(self) -> Holder | None:
        """See :class:`Lock`."""
        return self._place.holders().get(self._number)


def _number_of(key: str) -> int:
    """The number of a lock: for an event its key, read as a number, from which the key can be
    restored; below 0 for other names."""
    if re.fullmatch(RUN_KEY, key) and len(key) <= _LONGEST_NUMBER:
        return int(key, len(_DIGITS))
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return -1 - int.from_bytes(digest) // 2


def _key_of(number: int) -> str:
    """The key that a number above 0 was made from."""
    key = ""
    while number > 0:
        number, digit = divmod(number, len(_DIGITS))
        key = _DIGITS[digit] + key
    return key


def _signature() -> str:
    """What the connection with the locks is called in ``pg_stat_activity``, which cuts names after
    63 bytes."""
    return f"mtdf {os.getpid()} {socket.gethostname()}"


def _holder(signature: str) -> Holder:
    match = re.fullmatch(r"mtdf (\d+) (.*)", signature)
    if match is None:
        return Holder(0)
    return Holder(int(match[1]), "" if signature == _own(match[1]) else match[2])


def _own(pid: str) -> str:
    return f"mtdf {pid} {socket.gethostname()}"[:63]
