"""The errors of the database. Every message is one line that a user can act on."""


class DatabaseError(Exception):
    """Root of all errors of this package."""


class DatabaseMissing(DatabaseError, FileNotFoundError):
    """There is no database at that path, and creation was not requested."""


class DatabaseUnusable(DatabaseError, OSError):
    """The database cannot be opened: a directory, no permission, a full disk, a missing driver or
    an unreachable server."""


class DatabaseMoved(DatabaseError, OSError):
    """The file was deleted, renamed or replaced while it was open."""


class DatabaseReadOnly(DatabaseError, PermissionError):
    """A write to a database that is open for reading only, or whose file is read-only."""


class DatabaseForeign(DatabaseError, ValueError):
    """The file is not SQLite, or belongs to another program, or to one before 0.1.0."""


class DatabaseCorrupt(DatabaseError, RuntimeError):
    """The database is damaged: its file or its content."""


class DatabaseNewer(DatabaseError, RuntimeError):
    """The schema is newer than this program."""


class DatabaseOlder(DatabaseError, RuntimeError):
    """The schema is older than this program and cannot be upgraded now."""


class DatabaseLocked(DatabaseError, TimeoutError):
    """Another process holds a lock: for writing, an upgrade, or an event."""


class EventLocked(DatabaseLocked):
    """Another process is playing the event."""


class NotFound(DatabaseError, LookupError):
    """No stored row has that id or name, or more than one row matches."""


class RecordError(DatabaseError, ValueError):
    """A record contradicts itself or the stored data; nothing of it was written."""


class MergeConflict(DatabaseError, ValueError):
    """A run of another database contradicts the same run here; nothing of it was stored."""


class StatementRefused(DatabaseError, ValueError):
    """A user's SQL statement is invalid, or does more than read."""


class StatementTimeout(DatabaseError, TimeoutError):
    """A user's SQL statement, or the queries for a page, exceeded their time limit."""
