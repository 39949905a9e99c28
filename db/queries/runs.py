"""What events, studies and laboratory runs share: storing and finding them."""

from __future__ import annotations

import uuid
from typing import Any, Generic, TypeVar, get_args

from sqlalchemy import ColumnElement, Connection, Select, Table, func, insert, select, update

from db.errors import DatabaseCorrupt, NotFound, RecordError
from db.queries.variants import provenance_key
from db.records.runs import RunRecord, RunStatus
from db.schema.declared import PROVENANCE
from db.times import milliseconds_of, optional_milliseconds_of, utc_now, with_texts

_Record = TypeVar("_Record", bound=RunRecord)
SHORT_UID = 6
"""Digits of an identity by which a run can be named."""


class RunTable(Generic[_Record]):
    """The table of one kind of run, whose rows are records of the class ``record``.

    ``columns``: the columns beyond those of :class:`RunRecord`, named like the fields. ``key``: the
    column that identifies a run besides its name; without it names are unique. ``hidden``: which
    runs are parts of others, which a name means last.
    """

    def __init__(
        self,
        record: type[_Record],
        table: Table,
        *columns: ColumnElement[Any],
        key: ColumnElement[str] | None = None,
        hidden: ColumnElement[bool] | None = None,
    ) -> None:
        self._class = record
        self._table = table
        self._key = key
        self._order = () if hidden is None else (hidden,)
        self._query: Select[Any] = (
            select(
                *(table.c.id, table.c.uid, table.c.name, table.c.status, table.c.settings),
                *(table.c.created_ms, table.c.started_ms, table.c.ended_ms),
                *(PROVENANCE.c.version, PROVENANCE.c.backend),
                *(PROVENANCE.c.signature, PROVENANCE.c.host),
                *columns,
            )
            .join(PROVENANCE, PROVENANCE.c.id == table.c.provenance_id)
            .order_by(table.c.id)
        )

    def all(self, connection: Connection, *conditions: ColumnElement[bool]) -> list[_Record]:
        """All runs that meet the conditions, the oldest first. Raises DatabaseCorrupt."""
        rows = connection.execute(self._query.where(*conditions)).all()
        for row in rows:
            if not isinstance(row.settings, dict):
                raise damaged(f"settings of {self._class.what} {row.name}")
        return [self._class(**with_texts(row._asdict())) for row in rows]

    def get(self, connection: Connection, run_id: int) -> _Record:
        """The run with that id. Raises NotFound."""
        found = self.all(connection, self._table.c.id == run_id)
        if not found:
            raise self.missing(run_id)
        return found[0]

    def find(self, connection: Connection, text: str) -> _Record:
        """The run with a key (of an event), a name, a unique prefix of a key (of an event) or of a
        name, or ``last``: the newest. Of several events with one name it is the newest that is
        not of a study. Raises NotFound if no run or more than one matches."""
        what, table, key = self._class.what, self._table, self._key
        if text == "last":
            newest = connection.execute(select(func.max(table.c.id))).scalar_one()
            if newest is None:
                raise NotFound(f"there is no {what} yet")
            return self.get(connection, newest)
        shown = table.c.name if key is None else key
        beginning = shown.istartswith(text, autoescape=True)
        for condition in (shown == text, table.c.name == text, beginning):
            order = (*self._order, table.c.id.desc())
            query = select(table.c.id, shown).where(condition).order_by(*order).limit(5)
            found = connection.execute(query).all() if text else []
            if len(found) > 1 and condition is beginning:
                names = [name if key is not None else f"`{name}`" for _, name in reversed(found)]
                more = "give the id" if key is not None else "give more of the name"
                raise NotFound(f"`{text}` matches {what} {' or '.join(names)}: {more}")
            if found:
                return self.get(connection, found[0][0])
        raise NotFound(f"no {what} `{text}`")

    def matching(self, connection: Connection, text: str, exact: bool) -> list[_Record]:
        """The runs with exactly this key (of an event) or name, or of which it is the beginning of
        the key, else of the name, or of the identity in all databases; ``last``: all of them. The
        oldest first."""
        shown, uid = self._table.c.name if self._key is None else self._key, self._table.c.uid
        if text == "last":
            return self.all(connection)
        if exact:
            keyed = self.all(connection, shown == text)
            return keyed or self.all(connection, self._table.c.name == text)
        own = shown.istartswith(text, autoescape=True)
        if len(text) >= SHORT_UID:
            own |= uid.istartswith(text, autoescape=True)
        return self.all(connection, own) if text else []

    def named(self, connection: Connection, text: str) -> list[_Record]:
        """The runs with exactly this name or key, the oldest first."""
        own = self._table.c.name == text
        if self._key is not None:
            own |= self._key == text
        return self.all(connection, own)

    def check_name(self, connection: Connection, name: str) -> None:
        """Raises RecordError for a name that is reserved or taken."""
        what, table = self._class.what, self._table
        if not name.strip() or name == "last":
            raise RecordError(f"`{name}` is not a valid name for a {what}")
        if connection.execute(select(table.c.id).where(table.c.name == name)).first() is not None:
            raise RecordError(f"{what} `{name}` already exists")

    def insert(self, connection: Connection, run: _Record, **values: Any) -> int:
        """Store a run, with more columns; returns its id. Raises RecordError for an
        invalid status."""
        _check_status(run.status)
        provenance = (run.host, run.version, run.backend, run.signature)
        values |= {
            "uid": uuid.uuid4().hex,
            "name": run.name,
            "status": run.status,
            "settings": dict(run.settings),
            "created_ms": milliseconds_of(run.created_at or utc_now()),
            "started_ms": optional_milliseconds_of(run.started_at),
            "ended_ms": optional_milliseconds_of(run.ended_at),
            "provenance_id": provenance_key(connection, *provenance),
        }
        query = insert(self._table).values(values).returning(self._table.c.id)
        run_id: int = connection.execute(query).scalar_one()
        return run_id

    def change(self, connection: Connection, run_id: int, **values: Any) -> None:
        """Set columns of a run. Raises NotFound."""
        own = self._table.c.id == run_id
        if connection.execute(update(self._table).where(own).values(values)).rowcount != 1:
            raise self.missing(run_id)

    def note(self, connection: Connection, /, run_id: int, **values: Any) -> None:
        """Add to a run's settings how it was continued, or what a user noted; None removes a key.
        Raises NotFound."""
        settings = dict(self.get(connection, run_id).settings)
        for name, value in values.items():
            if value is None:
                settings.pop(name, None)
            else:
                settings[name] = value
        self.change(connection, run_id, settings=settings)

    def rename(self, connection: Connection, run_id: int, name: str) -> None:
        """Change the name of a run, in its settings too. Raises NotFound, RecordError for a name
        that is reserved or taken."""
        if self._key is None:
            self.check_name(connection, name)
        settings = self.get(connection, run_id).settings
        if "name" in settings:
            settings = {**settings, "name": name}
        self.change(connection, run_id, name=name, settings=settings)

    def check_same(self, connection: Connection, run: _Record) -> None:
        """Raises NotFound if the run was removed, whether or not a new one has its id."""
        table = self._table
        own = (table.c.id == run.id, table.c.uid == run.uid)
        if connection.execute(select(table.c.id).where(*own)).first() is None:
            raise self.missing(run.id)

    def set_status(self, connection: Connection, run_id: int, status: RunStatus) -> None:
        """Record that a run has begun or ended, and when. Raises NotFound, RecordError."""
        _check_status(status)
        values: dict[str, Any] = {"status": status}
        now = milliseconds_of(utc_now())
        if status == "running":
            values |= {"started_ms": func.coalesce(self._table.c.started_ms, now), "ended_ms": None}
        elif status != "planned":
            values |= {"ended_ms": now}
        self.change(connection, run_id, **values)

    def check_id(self, connection: Connection, run_id: int) -> None:
        """Raises NotFound for an unknown id."""
        table = self._table
        if connection.execute(select(table.c.id).where(table.c.id == run_id)).first() is None:
            raise self.missing(run_id)

    def missing(self, run_id: int) -> NotFound:
        """The error for an unknown id."""
        return NotFound(f"no {self._class.what} with id {run_id}")


def damaged(what: str) -> DatabaseCorrupt:
    """The error for stored JSON of another kind."""
    return DatabaseCorrupt(f"the database is damaged ({what}): restore a backup")


def _check_status(status: str) -> None:
    if status not in get_args(RunStatus):
        raise RecordError(f"`{status}` is not a status; use {', '.join(get_args(RunStatus))}")
