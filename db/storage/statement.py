"""One SQL statement of a user, on a read-only connection.

SQLite checks the clock between two steps of its virtual machine, and one call of an SQL function is
one step, however long it takes. So SQLite runs in a separate thread, and the calling thread waits
for its rows only until the time limit or a signal. Nothing can stop the thread inside a function.
It is abandoned, ends with the function or the process, and delays neither.
"""

from __future__ import annotations

import queue
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import StatementError

from db.errors import StatementRefused, StatementTimeout
from db.storage.server_errors import QUERY_STOPPED, connection_lost, reason, server_error

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_xinfo"}
_LONGEST_VALUE = 100_000_000
"""Bytes of one text or blob; a statement could otherwise create arbitrarily long ones."""
_STEPS = 10_000
"""Steps of SQLite's virtual machine between two checks of the clock: about a millisecond."""
_OWN_END_S = 0.2
"""How long SQLite may take to end after the time limit, which closes its files at once."""
_PIECES = 2
"""How many pieces of the answer may be queued."""
_PIECE_ROWS = 256
_PIECE_BYTES = 1_000_000
"""Approximate size of a piece; a larger row is a piece by itself."""
_DECLARE = "DECLARE asked NO SCROLL CURSOR FOR "
_WITHOUT_EFFECT = ("random", "clock_timestamp", "timeofday", "gen_random_uuid")
"""Volatile functions without side effects."""
_WRONG_SYNTAX = "42601"
_NO_QUERY = ("25006", "42P11", "0A000")
"""Errors for what changes something, and for queries that a cursor does not accept."""


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """The result of a statement; rows are read on demand."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def ask_sqlite(
    connection: sqlite3.Connection, statement: str, timeout_s: float
) -> Iterator[StatementAnswer]:
    """The answer to one statement. The connection must be read-only and usable from another thread;
    it is closed afterwards.

    Raises StatementRefused for anything but a single query, StatementTimeout.
    """
    reader = _Reader(connection, statement, timeout_s)
    try:
        columns = reader.next()
        if columns is None:
            raise StatementRefused("not a query: give one SELECT")

        def rows() -> Iterator[tuple[Any, ...]]:
            while part := reader.next():
                yield from part

        yield StatementAnswer(columns, rows())
    finally:
        reader.close()


class _Reader:
    """A thread that queries SQLite. Its pieces are first the names of the columns (None without
    columns), then lists of rows, and an empty list at the end."""

    def __init__(self, connection: sqlite3.Connection, statement: str, timeout_s: float) -> None:
        self._connection = connection
        self._statement = statement
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._pieces: queue.Queue[Any] = queue.Queue(_PIECES)
        self._abandoned = False
        # The program does not wait for a daemon thread when it ends.
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def next(self) -> Any:
        """The next piece. Raises the thread's exceptions, and StatementTimeout."""
        left_s = max(self._deadline - time.monotonic(), 0.0)
        try:
            piece = self._pieces.get(timeout=left_s + _OWN_END_S)
        except queue.Empty:
            raise _timeout(self._timeout_s) from None
        if isinstance(piece, Exception):
            raise piece
        return piece

    def close(self) -> None:
        """Let the thread end; abandon it if it is inside a function."""
        self._abandoned = True
        with suppress(sqlite3.ProgrammingError):  # it has closed the connection
            self._connection.interrupt()
        with suppress(queue.Empty):
            while True:  # the thread may wait for space
                self._pieces.get_nowait()
        self._thread.join(_OWN_END_S)

    def _read(self) -> None:
        with closing(self._connection):
            try:
                _check_text(self._statement)
                self._prepare()
                with _translated(self._timeout_s):
                    cursor = self._connection.execute(self._statement)
                    about = cursor.description
                    self._pieces.put(None if about is None else [column[0] for column in about])
                    piece: list[tuple[Any, ...]] = []
                    size = 0
                    for row in cursor:
                        piece.append(row)
                        for value in row:
                            if value.__class__ is str or value.__class__ is bytes:
                                size += len(value)
                        if len(piece) >= _PIECE_ROWS or size >= _PIECE_BYTES:
                            self._pieces.put(piece)
                            piece, size = [], 0
                        if self._abandoned:
                            return
                    if piece:
                        self._pieces.put(piece)
                self._pieces.put([])
            except Exception as error:
                self._pieces.put(error)

    def _prepare(self) -> None:
        connection = self._connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.set_progress_handler(self._is_over, _STEPS)
        connection.set_authorizer(_authorize)

    def _is_over(self) -> bool:
        return self._abandoned or time.monotonic() > self._deadline


@contextmanager
def ask_server(
    engine: Engine, name: str, statement: str, timeout_s: float
) -> Iterator[StatementAnswer]:
    """Like :func:`ask_sqlite`, for a PostgreSQL server. Raises DatabaseUnusable too, about the
    database called ``name``.

    A cursor must accept the statement, so it is a single query, in a read-only transaction. Rows
    are read one at a time without the cursor, which would collect them all first.
    """
    _check_text(statement)
    deadline = time.monotonic() + timeout_s
    try:
        connection = _own_connection(engine)
    except StatementError as error:
        raise server_error(error, name) from error
    with _ended(connection), _translated_server(connection, name, statement, timeout_s):
        cursor = connection.cursor()
        _limit(cursor, timeout_s)
        _refuse_effects(cursor, statement)
        cursor.execute(_DECLARE + statement, binary=True)  # the protocol for one statement
        cursor.execute("FETCH 0 FROM asked")
        columns = [column.name for column in cursor.description]
        cursor.execute("CLOSE asked")
        _limit(cursor, deadline - time.monotonic())
        yield StatementAnswer(columns, map(_bounded, cursor.stream(statement)))


def _own_connection(engine: Engine) -> Any:
    """A connection of psycopg that nothing else uses before or afterwards."""
    from psycopg import IsolationLevel

    from db.storage.server_types import read_as_sqlite

    pooled = engine.raw_connection()
    connection: Any = pooled.driver_connection
    pooled.detach()
    connection.read_only = True
    connection.isolation_level = IsolationLevel.REPEATABLE_READ
    read_as_sqlite(connection.adapters)
    return connection


@contextmanager
def _ended(connection: Any) -> Iterator[None]:
    """Close the connection afterwards, and let the server stop what it still does for it."""
    from psycopg import Error
    from psycopg.pq import TransactionStatus

    try:
        yield
    finally:
        if connection.info.transaction_status == TransactionStatus.ACTIVE:
            with suppress(Error):
                connection.cancel_safe(timeout=_OWN_END_S)
        connection.close()


def _limit(cursor: Any, seconds: float) -> None:
    """Let the server cancel the next statements after this many seconds."""
    left_ms = max(round(1000 * seconds), 1)
    cursor.execute(f"SET LOCAL statement_timeout = {left_ms}")


def _refuse_effects(cursor: Any, statement: str) -> None:
    """Raises StatementRefused for names of functions that may do more than read, such as
    ``pg_terminate_backend``. They are those that the server declares volatile. The whole text is
    searched, including comments and strings, because only the server can parse it."""
    if re.search(r'U&"', statement, re.IGNORECASE):
        raise StatementRefused('names are not allowed in the form U&"...": give them as they are')
    words = set(re.findall(r"\w+", statement)) | set(re.findall(r"[\w$]+", statement))
    found = cursor.execute(
        "SELECT proname FROM pg_proc WHERE provolatile = 'v' AND proname <> ALL(%s) "
        "AND (proname = ANY(%s) OR proname !~ '^[\\w$]+$' "
        "AND strpos(%s, replace(proname, '\"', '\"\"')) > 0) LIMIT 1",
        [list(_WITHOUT_EFFECT), [*words, *map(str.lower, words)], statement],
    ).fetchone()
    if found is not None:
        raise StatementRefused(
            f"only reading is allowed: {found[0]}() may do more, and the statement names it"
        )


def _bounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    for value in row:
        if value.__class__ in (str, bytes) and len(value) > _LONGEST_VALUE:
            raise StatementRefused("string or blob too big")
    return row


@contextmanager
def _translated_server(
    connection: Any, name: str, statement: str, timeout_s: float
) -> Iterator[None]:
    from psycopg import Error

    try:
        yield
    except Error as error:
        if error.sqlstate == QUERY_STOPPED:
            raise _timeout(timeout_s) from None
        if connection.broken:
            raise connection_lost(error, name) from None
        place = error.diag.statement_position
        begins = place == str(len(_DECLARE + statement) - len(statement.lstrip()) + 1)
        if error.sqlstate in _NO_QUERY or (error.sqlstate == _WRONG_SYNTAX and begins):
            raise StatementRefused("only reading is allowed: give one SELECT") from None
        if error.sqlstate == _WRONG_SYNTAX and "prepared statement" in str(error):
            raise StatementRefused("only one statement at a time") from None
        raise StatementRefused(reason(error)) from None


def _check_text(statement: str) -> None:
    """Raises StatementRefused for text that cannot be encoded, such as half of a UTF-16 pair."""
    try:
        statement.encode()
    except UnicodeEncodeError as error:
        letter = ascii(statement[error.start])
        raise StatementRefused(
            f"the statement is not valid Unicode: it contains {letter}"
        ) from None


def _authorize(action: int, name: str | None, value: str | None, *_: str | None) -> int:
    """Allow only reading; attaching another file would open it for writing."""
    if action == sqlite3.SQLITE_PRAGMA:
        allowed = name in _PRAGMAS
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = value != "load_extension"
    else:
        allowed = action in _ALLOWED
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


@contextmanager
def _translated(timeout_s: float) -> Iterator[None]:
    try:
        yield
    except sqlite3.Warning:
        raise StatementRefused("only one statement at a time") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise _timeout(timeout_s) from None
        if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY):
            raise StatementRefused("only reading is allowed: give one SELECT") from None
        raise StatementRefused(str(error).splitlines()[0]) from None


def _timeout(timeout_s: float) -> StatementTimeout:
    return StatementTimeout(f"no answer within {timeout_s:g} seconds")
