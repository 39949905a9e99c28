"""One statement of a user's own, on a connection that can only read."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import StatementError

from db.errors import StatementRefused, StatementTimeout

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_xinfo"}
_LONGEST_VALUE = 100_000_000
"""Bytes of one text or blob; a statement may make longer ones of nothing."""
_STEPS = 10_000
"""Steps of SQLite's machine between two looks at the clock: about a millisecond."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement gives; the rows are read as they are asked for."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def ask_sqlite(
    connection: sqlite3.Connection, statement: str, timeout_s: float
) -> Iterator[Answer]:
    """The answer to one statement; the connection, which only reads, is closed afterwards.

    Raises StatementRefused for what is no single question, StatementTimeout.
    """
    deadline = time.monotonic() + timeout_s
    with closing(connection):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        connection.set_authorizer(_authorize)
        with _translated(deadline, timeout_s):
            cursor = connection.execute(statement)
        if cursor.description is None:
            raise StatementRefused("this is no question: give one SELECT")

        def rows() -> Iterator[tuple[Any, ...]]:
            with _translated(deadline, timeout_s):
                yield from cursor

        yield Answer([column[0] for column in cursor.description], rows())


@contextmanager
def ask_server(engine: Engine, statement: str, timeout_s: float) -> Iterator[Answer]:
    """As :func:`ask_sqlite`, of a PostgreSQL server."""
    text = statement.strip().removesuffix(";")
    if ";" in text:
        raise StatementRefused("one statement at a time, without `;` in it")
    try:
        with engine.connect().execution_options(
            postgresql_readonly=True, no_parameters=True
        ) as connection:
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {round(1000 * timeout_s)}")
            result = connection.exec_driver_sql(text)
            if not result.returns_rows:
                raise StatementRefused("this is no question: give one SELECT")
            yield Answer(list(result.keys()), (tuple(row) for row in result))
    except StatementError as error:
        lines = str(error.orig).strip().splitlines()
        raise StatementRefused(lines[0] if lines else "the server refused it") from None


def _authorize(action: int, name: str | None, value: str | None, *_: str | None) -> int:
    """Reading and nothing else; attaching another file would open it for writing."""
    if action == sqlite3.SQLITE_PRAGMA:
        allowed = name in _PRAGMAS
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = value != "load_extension"
    else:
        allowed = action in _ALLOWED
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


@contextmanager
def _translated(deadline: float, timeout_s: float) -> Iterator[None]:
    try:
        yield
    except sqlite3.Warning:
        raise StatementRefused("one statement at a time") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            if time.monotonic() <= deadline:
                raise KeyboardInterrupt from None  # which arrived while SQLite was at work
            raise StatementTimeout(f"no answer within {timeout_s:g} seconds") from None
        if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY):
            raise StatementRefused("only reading is allowed: give one SELECT") from None
        raise StatementRefused(str(error).splitlines()[0]) from None
