"""Opening a database: finding, creating, checking and upgrading it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Connection, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from db.errors import (
    DatabaseMissing,
    DatabaseOlder,
    DatabaseUnusable,
)
from db.repository import Repository
from db.schema import version as schema
from db.schema.views import VIEWS
from db.storage.engine import (
    Store,
    TimeLimit,
    corrupt,
    reading_connection,
    server_engine,
    sqlite_engine,
)
from db.storage.file_lock import FileLocks
from db.storage.files import check_file, check_space, create_file, remove_empty_log
from db.storage.lock import Holder, LockPlace, RunLock, WholeLock
from db.storage.log import set_aside_foreign_log
from db.storage.open_file import OpenFile

if TYPE_CHECKING:
    from db.merging.merge import Merge
    from db.storage.backup import CopyProgress
    from db.storage.server_lock import ServerLocks
    from db.storage.statement import StatementAnswer

Notice = Callable[[str], None]

_CHECKED_ON_OPEN_BYTES = 8 * 2**20
"""Files up to this size are fully checked at every opening, which takes a few milliseconds."""
_POSTGRES = ("postgresql+psycopg", "postgresql", "postgres")
"""How URLs of servers may begin; the first form is the one in messages."""
_NO_BACKUP = "; no backup was made: the server's administrator makes backups (pg_dump)"
_UPGRADE_PATIENCE_S = 30.0
"""How long to wait while another process creates or upgrades the tables."""
_WHOLE_PATIENCE_S = 2.0
"""How long to wait for another process that changes the whole database."""


class Database:
    """An open database. A context manager; :func:`open_database` returns it."""

    def __init__(
        self,
        store: Store,
        place: LockPlace,
        path: Path | None,
        backup: Path | None = None,
        on_notice: Notice | None = None,
    ) -> None:
        self._store = store
        self._on_notice = on_notice or _ignore
        self._noticed: set[str] = set()
        self.path = path
        """The file; None for a database server."""
        self.backup = backup
        """A copy of the file before the upgrade, if opening it upgraded it."""
        self.locks = place
        self.repository = Repository(store)

    @property
    def name(self) -> str:
        """The name of the database in messages."""
        return self._store.name

    @property
    def schema(self) -> str:
        """The schema: always this program's."""
        return schema.SCHEMA

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return self._store.read_only

    def notice(self, text: str) -> None:
        """Pass a notice to the user, once."""
        if text not in self._noticed:
            self._noticed.add(text)
            self._on_notice(text)

    def run_lock(self, key: str, what: str | None = None) -> RunLock:
        """The lock for playing the event of that key; not yet acquired. ``what`` names it in
        messages instead of the key."""
        return RunLock(self.locks, key, self._verify, what)

    def whole_lock(self, done: str) -> WholeLock:
        """The lock for changing the whole database while nothing is played; not yet acquired.
        ``done`` is the participle in messages, such as ``vacuumed``."""
        return WholeLock(self.locks, _WHOLE_PATIENCE_S, done)

    def vacuum(self) -> bool:
        """Write the file anew, without the space of removed rows; returns whether it has shrunk
        already, which it cannot while another program reads it. The database stays whole if the
        process is killed.

        Raises DatabaseLocked while an event is played or another program writes, DatabaseUnusable
        for a server, or if the disk has not enough space, DatabaseReadOnly.
        """
        if self.path is None:
            raise DatabaseUnusable(f"{self.name} is on a server, which reuses space by itself")
        with self.whole_lock("vacuumed"):
            check_space(self.path, self._store.used_bytes(), self.name)
            return self._store.vacuum()

    def running_events(self) -> dict[str, Holder]:
        """Keys of the events that are being played now, with the processes that play them."""
        return self.locks.running()

    def size(self) -> int:
        """The bytes of the file, or of the database on a server. Raises DatabaseError."""
        return self._store.size() if self.path is None else self.path.stat().st_size

    def check(self) -> None:
        """Read the whole file, indexes included. Raises DatabaseCorrupt with the first finding;
        ``repository.damage()`` checks the content. A server looks after its files itself."""
        with self._store.read() as connection:
            _check(connection, self.name, "integrity_check")

    def ask(
        self, statement: str, *, timeout_s: float = 60.0
    ) -> AbstractContextManager[StatementAnswer]:
        """The answer to one SQL statement, on a separate read-only connection. Raises
        StatementRefused, StatementTimeout; also while the rows are read."""
        from db.storage.statement import ask_server, ask_sqlite

        if self.path is None:
            return ask_server(self._store.engine, self.name, statement, timeout_s)
        return ask_sqlite(reading_connection(self.path), statement, timeout_s)

    def time_limit(self, seconds: float) -> AbstractContextManager[None]:
        """Within the context, all queries of this thread together may take this long; then they
        raise StatementTimeout. It holds for servers, and for SQLite files that are open for reading
        only."""
        return self._store.limit.of(seconds)

    def one_moment(self) -> AbstractContextManager[None]:
        """Within the context, all queries of this thread see one state of the database, even if
        others store something meanwhile. A writer's log grows until it ends."""
        return self._store.one_moment()

    def views(self) -> dict[str, list[str]]:
        """The views for users' SQL, with their columns."""
        with self._store.read() as connection:
            inspector = inspect(connection)
            return {name: [c["name"] for c in inspector.get_columns(name)] for name in VIEWS}

    def merging(self, other: Database) -> AbstractContextManager[Merge]:
        """The merge of the runs of another database into this one. Within the context the other
        database does not change."""
        from db.merging.merge import reading_merge

        return reading_merge(other._store, self._store)

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        self._store.close()
        if self.path is not None and self.read_only:
            remove_empty_log(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _verify(self) -> None:
        # Another program may have upgraded the tables while this one had them open.
        with self._store.read() as connection:
            schema.stored_schema(connection, self.name)


def open_database(
    location: str | Path,
    *,
    create: bool = True,
    read_only: bool = False,
    on_notice: Notice | None = None,
    busy_timeout_s: float = 10.0,
) -> Database:
    """Open the database at a path, or on a PostgreSQL server at a URL such as
    ``postgresql+psycopg://host/name``.

    A missing database is created, unless ``create`` is False or ``read_only`` True. An older schema
    is upgraded, after a backup of the file. A log that another file left beside it, as a killed
    process does, is set aside. ``on_notice`` is called for each, and for later notices. A writer
    waits ``busy_timeout_s`` for another one. Raises DatabaseError; nothing is written partially.
    """
    notice = on_notice or _ignore
    target = _parse(location)
    if isinstance(target, URL):
        store, locks = _on_server(target, read_only=read_only, busy_timeout_s=busy_timeout_s)
        return _opened(store, locks, None, create, notice)
    name = str(location)
    missing = not check_file(target, create=create, read_only=read_only)
    _set_aside_foreign_log(target, name, notice)
    place = FileLocks.beside(target, name)  # resolves links; loops were rejected above
    made = create_file(target) if missing else None
    file = None if read_only else OpenFile(target, name)
    limit = TimeLimit() if read_only else None
    engine = sqlite_engine(
        target, read_only=read_only, busy_timeout_s=busy_timeout_s, file=file, limit=limit
    )
    try:
        store = Store(engine, name, read_only=read_only, file=file, limit=limit)
        return _opened(store, place, target, create, notice)
    except BaseException:
        if made is not None:
            made.remove_if_empty()
        if read_only:
            remove_empty_log(target)
        raise


def database_schema(location: str | Path, on_notice: Notice | None = None) -> tuple[str, str]:
    """The name of a database in messages, and its schema; nothing is changed, but a
    log of another file is set aside. Raises DatabaseError, also if there is no database."""
    target = _parse(location)
    if isinstance(target, URL):
        store, _ = _on_server(target, read_only=True)
    else:
        check_file(target, create=False, read_only=True)
        _set_aside_foreign_log(target, str(location), on_notice or _ignore)
        engine = sqlite_engine(target, read_only=True, busy_timeout_s=10.0)
        store = Store(engine, str(location), read_only=True)
    try:
        with store.read() as connection:
            found = schema.stored_schema(connection, store.name)
    finally:
        store.close()
        if isinstance(target, Path):
            remove_empty_log(target)
    if found is None:
        raise DatabaseMissing(f"no tables in {store.name}: it is an empty database")
    return store.name, found


def _on_server(
    url: URL, *, read_only: bool, busy_timeout_s: float = 10.0
) -> tuple[Store, ServerLocks]:
    """The database on a server, and its locks; nothing is asked of the server yet."""
    from db.storage.server_lock import ServerLocks

    limit = TimeLimit()
    engine = server_engine(url, limit)
    locks = ServerLocks(engine, _without_password(url))
    store = Store(
        *(engine, locks.name),
        read_only=read_only,
        limit=limit,
        writer=locks.connection,
        busy_timeout_s=busy_timeout_s,
    )
    return store, locks


def _without_password(url: URL) -> str:
    """A URL for messages."""
    shown = {name: value for name, value in url.query.items() if "password" not in name}
    return URL.create(
        *(url.drivername, url.username, None, url.host, url.port, url.database), query=shown
    ).render_as_string()


def back_up_database(
    location: str | Path,
    target: str | Path,
    *,
    replace: bool = False,
    on_progress: CopyProgress | None = None,
    on_notice: Notice | None = None,
) -> tuple[str, int]:
    """Copy a SQLite database of any schema, which others may be writing to, to the file ``target``;
    returns its name in messages and the size of the copy. ``replace``: an existing database there
    is replaced.

    Raises DatabaseUnusable for a server, for a target that exists or cannot be written, and if the
    disk has not enough space, DatabaseMissing, DatabaseForeign, DatabaseCorrupt, DatabaseLocked.
    """
    from db.storage.backup import back_up

    source = _parse(location)
    if isinstance(source, URL):
        raise DatabaseUnusable(
            f"{_without_password(source)} is on a server: its tool for backups is pg_dump"
        )
    name, _ = database_schema(location, on_notice)
    copy = _parse(target)
    if isinstance(copy, URL):
        raise DatabaseUnusable(f"`{target}` is a server: give the path of a file")
    try:
        return name, back_up(source, copy, replace=replace, on_progress=on_progress)
    finally:
        remove_empty_log(source)


def _opened(
    store: Store, place: LockPlace, path: Path | None, create: bool, notice: Notice
) -> Database:
    """The database behind ``store``, with this program's tables. Closes the store on failure."""
    backup = None
    try:
        with store.read() as connection:
            found = schema.stored_schema(connection, store.name)
        if found is None and not create:
            raise DatabaseMissing(f"no tables in {store.name}: it is an empty database")
        if found != schema.SCHEMA:
            backup = _bring_up(store, place, path, notice)
        elif path is not None and path.stat().st_size <= _CHECKED_ON_OPEN_BYTES:
            with store.read() as connection:
                _check(connection, store.name)
        return Database(store, place, path, backup, notice)
    except BaseException:
        store.close()
        raise


def _bring_up(store: Store, place: LockPlace, path: Path | None, notice: Notice) -> Path | None:
    """Create or upgrade the tables, alone and in one transaction; returns the backup, if any."""
    if store.read_only:
        raise DatabaseOlder(
            f"{store.name} has an older schema than {schema.SCHEMA} and was opened for reading "
            "only: open it once for writing to upgrade it"
        )
    with WholeLock(place, _UPGRADE_PATIENCE_S, "upgraded"):
        with store.read() as connection:
            found = schema.stored_schema(connection, store.name)
            if found is not None and found != schema.SCHEMA:
                _check(connection, store.name)
        if found == schema.SCHEMA:
            return None  # another process did it while this one waited
        backup = None
        if found is not None and path is not None:
            from db.storage.backup import make_backup

            backup = make_backup(path, found)
        _migrate(store, path)
    if found is None:
        notice(f"made {store.name} (schema {schema.SCHEMA})")
    else:
        kept = _NO_BACKUP if backup is None else f"; the old one is kept as {backup}"
        notice(f"upgraded {store.name} from schema {found} to {schema.SCHEMA}{kept}")
    return backup


def _migrate(store: Store, path: Path | None) -> None:
    if path is None:
        with store.write() as connection:
            letters = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
            if letters != "UTF8":
                raise DatabaseUnusable(
                    f"{store.name} has the encoding {letters}: make a database with UTF8"
                )
            schema.migrate(connection)
        return
    # A revision may rebuild a table that others refer to. SQLite's checks of references can only be
    # switched before a transaction, so references are checked at its end.
    engine = sqlite_engine(path, read_only=False, busy_timeout_s=10.0, migrating=True)
    loose = Store(engine, store.name, read_only=False)
    try:
        with loose.write() as connection:
            schema.migrate(connection)
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if broken is not None:
                raise corrupt(store.name, f"a row of {broken[0]} refers to a missing one")
    finally:
        loose.close()


def _check(connection: Connection, name: str, how: str = "quick_check") -> None:
    if connection.dialect.name == "sqlite":
        finding = connection.exec_driver_sql(f"PRAGMA {how}(1)").scalar_one()
        if finding != "ok":
            # The first line of a finding may be only a heading.
            raise corrupt(name, str(finding).splitlines()[-1])


def _parse(location: str | Path) -> Path | URL:
    """A path, or the URL of a server. Raises DatabaseUnusable."""
    text = str(location)
    if isinstance(location, str) and "://" in location:
        try:
            url = make_url(location)
        except (ArgumentError, ValueError):
            raise DatabaseUnusable(
                "the database URL must have the form name://host/database"
            ) from None
        if "@" in (url.host or ""):  # what stands before it is the rest of a password
            raise DatabaseUnusable("database URL: write the `@` of a password as %40")
        if url.drivername in _POSTGRES:
            return url.set(drivername=_POSTGRES[0])
        if url.get_backend_name() != "sqlite":
            raise DatabaseUnusable(
                f"database URL: `{url.drivername}` is not supported: give a path, or "
                f"{_POSTGRES[0]}://host/database"
            )
        text = url.database or ""
    if text in ("", ":memory:") or "\0" in text:
        raise DatabaseUnusable(f"`{text!r}` is not a file name: give the path of a database file")
    return Path(text)


def _set_aside_foreign_log(path: Path, name: str, notice: Notice) -> None:
    """Raises DatabaseUnusable if SQLite would apply a log to a file that it does not belong to."""
    try:
        aside = set_aside_foreign_log(path)
    except OSError as error:
        raise DatabaseUnusable(
            f"the log beside {name} is of another file, and cannot be set aside: {error.strerror}"
        ) from None
    if aside is not None:
        notice(f"{name} replaced a file whose log is kept as {aside}: it was not applied")


def _ignore(_: str) -> None:
    """Ignore a notice."""
