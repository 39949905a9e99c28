"""Connections, transactions, and the translation of a driver's errors into ours."""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, StatementError
from sqlalchemy.pool import QueuePool

from db.errors import (
    DatabaseCorrupt,
    DatabaseError,
    DatabaseForeign,
    DatabaseLocked,
    DatabaseReadOnly,
    DatabaseUnusable,
    RecordError,
    StatementTimeout,
)
from db.schema.version import APPLICATION_ID
from db.storage.log import VERSIONS, next_version
from db.storage.open_file import OpenFile
from db.storage.server_errors import QUERY_STOPPED, server_error

_WRITES = "mtdf_writes"
_DAMAGE = re.compile(r"no such (table|column): |table \w+ has no column |malformed JSON")
"""SQLite's errors for dropped or changed tables and for damaged JSON. They mean damage, because our
statements match our tables, and we store valid JSON."""
_SYNCHRONOUS = "FULL"
"""With NORMAL, a power failure loses what was committed since the log was last merged into the file
(https://www.sqlite.org/pragma.html#pragma_synchronous)."""
_STEPS = 10_000
"""Steps of SQLite's virtual machine between two checks of the clock: about a millisecond."""
_WRITER_LOCK = 0x6D746466
"""Key of the advisory lock in PostgreSQL that corresponds to SQLite's single writer."""
_STALLED_S = 60
"""After this time a server ends a transaction of a writer that says nothing, such as a machine that
sleeps: all others wait for it."""
_TO_SERVER: dict[str, Any] = {
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "fallback_application_name": "mtdf",
    "keepalives_idle": 20,
    "keepalives_interval": 20,
    "keepalives_count": 3,
    "tcp_user_timeout": 80_000,
}
"""How to connect to a server unless the URL says otherwise: a database of any encoding answers with
text, and a lost network is noticed within 80 seconds."""
_INSTALL = "pip install 'mtdf[postgres]'"


class TimeLimit(threading.local):
    """Until when the queries of a thread may take; each thread has its own."""

    until: float | None = None
    """Moment of the monotonic clock; None: no limit."""
    seconds: float = 0.0
    """What was given, for messages."""

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """Limit the queries of this thread within the context, all together."""
        self.until, self.seconds = time.monotonic() + seconds, seconds
        try:
            yield
        finally:
            self.until = None

    def is_over(self) -> bool:
        """Whether a query must end."""
        return self.until is not None and time.monotonic() > self.until

    def left_ms(self) -> int | None:
        """How long the next query may take, at least a millisecond; None: no limit."""
        if self.until is None:
            return None
        return max(round(1000 * (self.until - time.monotonic())), 1)


class _Held(threading.local):
    """The connection of a thread that sees one moment."""

    connection: Connection | None = None


class Store:
    """An engine with its two kinds of transaction. ``name`` is the name of the database in
    messages; ``file`` is the file that a writer of SQLite opened; ``limit`` bounds the time of
    queries on a database that is open for reading only; ``writer`` gives the connection to a server
    to write by; a writer waits ``busy_timeout_s`` for another one there."""

    def __init__(
        self,
        engine: Engine,
        name: str,
        *,
        read_only: bool,
        file: OpenFile | None = None,
        limit: TimeLimit | None = None,
        writer: Callable[[], AbstractContextManager[Connection]] | None = None,
        busy_timeout_s: float = 10.0,
    ) -> None:
        self.limit = limit or TimeLimit()
        self._held = _Held()
        self._writer = writer or engine.connect
        self._busy_timeout_s = busy_timeout_s
        self.engine = engine
        self.name = name
        self.read_only = read_only
        self._file = file

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view of the database. Raises DatabaseError."""
        self._check_file()
        with self._translated():
            if self._held.connection is not None:
                yield self._held.connection
                return
            with self.engine.connect() as connection:
                yield connection

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Within the context, this thread reads one state of the database. Raises DatabaseError."""
        with self.read() as connection:
            before, self._held.connection = self._held.connection, connection
            try:
                yield
            finally:
                self._held.connection = before

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One atomic transaction that holds the write lock from its start.
        Raises DatabaseError."""
        if self.read_only:
            raise DatabaseReadOnly(f"{self.name} was opened for reading only")
        self._check_file()
        with self._translated(), self._writer() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    self._wait_for_turn(connection)
                    yield connection
                else:
                    before = _changes(connection)
                    yield connection
                    if _changes(connection) > before:
                        _number(connection)
                self._check_file()

    def _wait_for_turn(self, connection: Connection) -> None:
        """Let one transaction at a time write to a server, as SQLite does."""
        connection.exec_driver_sql(
            f"SET LOCAL lock_timeout = {round(1000 * self._busy_timeout_s)}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {round(1000 * _STALLED_S)}; "
            f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})"
        )

    def size(self) -> int:
        """The bytes that the database on a server takes."""
        with self.read() as connection:
            query = "SELECT pg_database_size(current_database())"
            return int(connection.exec_driver_sql(query).scalar_one())

    def used_bytes(self) -> int:
        """The size of the content of a SQLite file, without free pages."""
        with self.read() as connection:
            pages, free, size = (
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("page_count", "freelist_count", "page_size")
            )
        return int((pages - free) * size)

    def vacuum(self) -> bool:
        """Write a SQLite file anew; returns whether it has its new size, which it gets when no
        other program reads it. Raises DatabaseError."""
        if self.read_only:
            raise DatabaseReadOnly(f"{self.name} was opened for reading only")
        self._check_file()
        try:
            # Outside of a transaction, which this engine would begin.
            with closing(self.engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute("VACUUM")
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise _translate_sqlite(error.sqlite_errorcode, error, self.name) from error
        return not busy

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        if self._file is not None:
            self._file.settle(self.engine)
        self.engine.dispose()

    def _check_file(self) -> None:
        if self._file is not None:
            self._file.check()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except StatementError as error:
            if self.limit.until is not None and _is_stopped(error.orig):
                raise StatementTimeout(
                    f"{self.name}: no answer within {self.limit.seconds:g} seconds"
                ) from None
            raise translate(error, self.name) from error
        except UnicodeDecodeError:
            # Python's driver cannot decode an error that quotes damaged bytes of the schema.
            raise corrupt(self.name, "its schema is not UTF-8") from None
        except (OverflowError, UnicodeEncodeError) as error:
            raise RecordError(f"{self.name} refused the data: {_first_line(error)}") from None


def _changes(connection: Connection) -> int:
    """Rows that a connection to SQLite has changed so far."""
    driver: Any = connection.connection.driver_connection
    return int(driver.total_changes)


def _number(connection: Connection) -> None:
    """Number a transaction, to tell later to which file a log belongs."""
    version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    connection.exec_driver_sql(f"PRAGMA user_version = {next_version(version)}")


def server_engine(url: URL, limit: TimeLimit) -> Engine:
    """An engine for a PostgreSQL server, by psycopg. Raises DatabaseUnusable for an invalid URL or
    if psycopg is not installed."""
    options = {name: value for name, value in _TO_SERVER.items() if name not in url.query}
    try:
        engine = create_engine(
            url,
            connect_args=options,
            isolation_level="REPEATABLE READ",  # a reader sees one moment, as with SQLite
            pool_pre_ping=True,
            json_serializer=to_json,
            json_deserializer=from_json,
        )
    except ArgumentError as error:
        raise DatabaseUnusable(f"database URL: {_first_line(error)}") from None
    except ImportError:
        raise DatabaseUnusable(
            f"database URL: the driver psycopg is not installed: {_INSTALL}"
        ) from None

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:
        from db.storage.server_types import read_numbers

        read_numbers(connection.adapters)

    @event.listens_for(engine, "before_cursor_execute")
    def bound(_: Connection, cursor: Any, *__: object) -> None:
        left_ms = limit.left_ms()
        if left_ms is not None:
            cursor.execute(f"SET LOCAL statement_timeout = {left_ms}")

    return engine


def sqlite_engine(
    path: Path,
    *,
    read_only: bool,
    busy_timeout_s: float,
    file: OpenFile | None = None,
    migrating: bool = False,
    limit: TimeLimit | None = None,
) -> Engine:
    """An engine for an existing SQLite file; it never creates one.

    ``file``: refuse to connect once the path leads to another file. ``migrating``: allow
    rebuilding tables that other tables or users' views refer to. ``limit``: end the queries of a
    thread when its time is over.

    Writers set WAL mode, so readers never wait for them. ``synchronous`` is FULL: SQLite flushes
    the log to the disk before a commit returns, so committed data survives a power failure.
    """

    path = path.absolute()  # later connections open the same file even if the folder changes

    def connect() -> sqlite3.Connection:
        if file is not None:
            file.check()
        connection = _connect(path, read_only, busy_timeout_s, migrating)
        if limit is not None:
            connection.set_progress_handler(limit.is_over, _STEPS)
        return connection

    engine = create_engine(
        "sqlite+pysqlite://",
        creator=connect,
        poolclass=QueuePool,
        json_serializer=to_json,
        json_deserializer=from_json,
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _connect(
    path: Path, read_only: bool, busy_timeout_s: float, migrating: bool
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        _uri(path, read_only),
        uri=True,
        timeout=busy_timeout_s,
        isolation_level=None,  # only Store begins and ends transactions
        check_same_thread=False,
    )
    try:
        connection.execute(f"PRAGMA foreign_keys = {'OFF' if migrating else 'ON'}")
        connection.execute(f"PRAGMA legacy_alter_table = {'ON' if migrating else 'OFF'}")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        elif _is_ours_or_empty(connection):
            _begin_numbers(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            connection.execute("PRAGMA fullfsync = ON")  # macOS only: flush the drive's cache, too
    except BaseException:
        connection.close()
        raise
    return connection


def reading_connection(path: Path) -> sqlite3.Connection:
    """A plain read-only connection to an existing SQLite file, usable from any one thread.
    Raises DatabaseUnusable."""
    try:
        return sqlite3.connect(
            _uri(path, read_only=True), uri=True, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise DatabaseUnusable(f"cannot open {path}: {error}") from None


def _is_ours_or_empty(connection: sqlite3.Connection) -> bool:
    """Whether the journal mode may be set. It is written into the file, and a file of another
    program must be rejected unchanged."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    return bool(mark == APPLICATION_ID or pages == 0)


def _begin_numbers(connection: sqlite3.Connection) -> None:
    """Start the transaction numbers of a new file at random, unlike those of other files."""
    pages = "PRAGMA page_count"
    if connection.execute(pages).fetchone() == (0,):
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute(pages).fetchone() == (0,):  # no other process was faster
            connection.execute(f"PRAGMA user_version = {secrets.randbelow(VERSIONS)}")
        connection.execute("COMMIT")


def _uri(path: Path, read_only: bool) -> str:
    uri = f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rw'}"
    wal = path.with_name(path.name + "-wal")
    if read_only and not wal.exists() and not is_writable(path.parent):
        # A database in WAL mode needs side files, which a read-only folder does not allow. Without
        # a log there is no writer, so SQLite may treat the file as immutable.
        uri += "&immutable=1"
    return uri


def is_writable(path: Path) -> bool:
    """Whether this process may write the file, or create files in the folder."""
    effective = os.access in os.supports_effective_ids
    return os.access(path, os.W_OK, effective_ids=effective)


def translate(error: StatementError, name: str) -> DatabaseError:
    """Our error for a driver's, in one line about the database called ``name``."""
    cause = error.orig
    if isinstance(cause, DatabaseError):
        return cause
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return _translate_sqlite(code, cause, name)
    if isinstance(cause, sqlite3.Error) and "decode" in str(cause):
        return corrupt(name, "a text is not UTF-8")
    return server_error(error, name)


def _is_stopped(cause: BaseException | None) -> bool:
    """Whether a query was ended before its end."""
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_INTERRUPT or getattr(cause, "sqlstate", None) == QUERY_STOPPED


def _translate_sqlite(extended: int, cause: BaseException | None, name: str) -> DatabaseError:
    text, code = _first_line(cause), extended & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return not_sqlite(name)
    if code == sqlite3.SQLITE_CORRUPT or _DAMAGE.match(text):
        return corrupt(name, text)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DatabaseLocked(f"{name} is locked by another program: try again later")
    if code == sqlite3.SQLITE_READONLY:
        return read_only_file(name)
    # The index of the log is small: it cannot be extended where there is no space at all, or where
    # the disk fails. SQLite does not say which.
    if code == sqlite3.SQLITE_FULL or extended == sqlite3.SQLITE_IOERR_SHMSIZE:
        what = "is full" if code == sqlite3.SQLITE_FULL else "is full or fails"
        return DatabaseUnusable(
            f"{name}: the disk {what}; what was stored before is safe: free some space"
        )
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM):
        return DatabaseUnusable(f"{name}: {text}")
    return RecordError(f"{name} refused the data: {text}")


def not_sqlite(name: str) -> DatabaseForeign:
    """The error for a file of another format."""
    return DatabaseForeign(f"{name} is not an SQLite database")


def corrupt(name: str, finding: str) -> DatabaseCorrupt:
    """The error for a damaged file."""
    return DatabaseCorrupt(
        f"{name} is damaged ({finding}); restore a backup, or try `sqlite3 {name} .recover`"
    )


def read_only_file(name: str) -> DatabaseReadOnly:
    """The error for a file or folder without permission to write."""
    return DatabaseReadOnly(f"{name} is read-only: make it and its folder writable, or use a copy")


def to_json(value: Any) -> str:
    """Compact JSON text; any mapping becomes an object. Raises RecordError for other values."""
    try:
        return json.dumps(
            value, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
        )
    except (TypeError, ValueError) as error:
        raise RecordError(f"settings cannot be stored as JSON: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def from_json(text: str) -> Any:
    """The value of stored JSON. Raises DatabaseCorrupt."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise DatabaseCorrupt(f"the database is damaged (stored JSON: {error})") from None


def _first_line(error: BaseException | None) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
