"""What can go wrong with the database; every error's text is one line that a user can act on."""


class DatabaseError(Exception):
    """Root of all errors of this package."""


class DatabaseMissing(DatabaseError, FileNotFoundError):
    """There is no database at that place, and none was to be made."""


class DatabaseUnusable(DatabaseError, OSError):
    """The place holds no file that can be opened: a directory, no permission, a full disk, a
    missing driver or an unreachable server."""


class DatabaseMoved(DatabaseError, OSError):
    """The file was deleted, renamed or replaced while it was open."""


class DatabaseReadOnly(DatabaseError, PermissionError):
    """Something was to be written to a database that may only be read."""


class DatabaseForeign(DatabaseError, ValueError):
    """The file is not SQLite, or belongs to another program."""


class DatabaseCorrupt(DatabaseError, RuntimeError):
    """The database is damaged: its file, or what is stored in it."""


class DatabaseNewer(DatabaseError, RuntimeError):
    """The schema is newer than this program."""


class DatabaseOlder(DatabaseError, RuntimeError):
    """The schema is older than this program and cannot be upgraded now."""


class DatabaseLocked(DatabaseError, TimeoutError):
    """Another process holds what is needed: a write lock, an upgrade, or an event."""


class EventLocked(DatabaseLocked):
    """Another process plays the event."""


class NotFound(DatabaseError, LookupError):
    """Nothing stored answers to that id or name, or more than one thing does."""


class RecordError(DatabaseError, ValueError):
    """A record contradicts itself or what is stored; nothing of it was written."""


class StatementRefused(DatabaseError, ValueError):
    """A user's own statement is wrong, or does not only read."""


class StatementTimeout(DatabaseError, TimeoutError):
    """A user's own statement took longer than it may."""


def damage_found(finding: str, name: str = "the database") -> DatabaseCorrupt:
    """The error for rows that are not what was stored."""
    return DatabaseCorrupt(f"{name} is damaged ({finding}): mtdf db check lists all damage")
