"""Our errors for those of a PostgreSQL server and its driver."""

from __future__ import annotations

import re

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, StatementError

from db.errors import (
    DatabaseCorrupt,
    DatabaseError,
    DatabaseLocked,
    DatabaseReadOnly,
    DatabaseUnusable,
    RecordError,
)

_DAMAGE = ("42P01", "42703", "XX001", "XX002")
"""A table or column is missing, a page or an index is damaged. Our statements match our tables."""
_BUSY = ("55P03", "40P01", "40001", "55006")
"""A lock was not granted in time, a deadlock, a conflict, an object in use."""
_CLOSED = ("57P01", "57P02", "57P05", "25P03")
"""The server was stopped, or ended this connection."""
_USED = "2BP01"
_READ_ONLY = "25006"
QUERY_STOPPED = "57014"
"""The time limit of a statement is over."""


def server_error(error: StatementError, name: str) -> DatabaseError:
    """Our error for a driver's, in one line about the database called ``name``."""
    cause = error.orig
    state, why = getattr(cause, "sqlstate", None) or "", reason(cause)
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    if lost or state in _CLOSED:
        return connection_lost(cause, name)
    if state in _DAMAGE:
        return DatabaseCorrupt(f"{name} is damaged ({why}): restore a backup")
    if state in _BUSY:
        return DatabaseLocked(f"{name} is locked by another program: try again later")
    if state == _READ_ONLY:
        return DatabaseReadOnly(f"{name} allows only reading ({why})")
    if state == _USED:
        return DatabaseUnusable(f"{name}: {_dependents(cause)}: drop it and try again")
    if state.startswith("42501") or isinstance(error, OperationalError | InterfaceError):
        return DatabaseUnusable(f"{name}: {why}")
    return RecordError(f"{name} refused the data: {why}")


def connection_lost(error: BaseException | None, name: str) -> DatabaseUnusable:
    """The error for a connection that ended while it was used."""
    return DatabaseUnusable(
        f"{name}: the connection to the server was lost ({reason(error)}); what was stored before "
        "is safe"
    )


def reason(error: BaseException | None) -> str:
    """The first line of a driver's error, without what it repeats."""
    lines = str(error).strip().splitlines()
    line = lines[0] if lines else type(error).__name__
    return re.sub(r"\s+", " ", re.sub(r"^connection (failed|is bad): ", "", line))


def _dependents(error: BaseException | None) -> str:
    """What depends on a view of ours, as the server says it: a view of the user, usually."""
    detail = getattr(getattr(error, "diag", None), "message_detail", None)
    return detail.splitlines()[0] if detail else reason(error)
