"""External engines that users keep under names."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from db.errors import NotFound, RecordError
from db.queries.order import by_letters
from db.records.engines import NamedEngineRecord
from db.schema.declared import NAMED_ENGINE
from db.times import milliseconds_of, text_of, utc_now


def add_named_engine(connection: Connection, engine: NamedEngineRecord) -> None:
    """Store a new one. Raises RecordError if the name is taken."""
    if _key(connection, engine.name) is not None:
        raise RecordError(f"an engine named `{engine.name}` is kept already")
    values = {
        "name": engine.name,
        "settings": dict(engine.settings),
        "created_ms": milliseconds_of(engine.created_at or utc_now()),
    }
    connection.execute(insert(NAMED_ENGINE), values)


def named_engines(connection: Connection) -> list[NamedEngineRecord]:
    """All of them, by name."""
    query = select(
        NAMED_ENGINE.c.name, NAMED_ENGINE.c.settings, NAMED_ENGINE.c.created_ms
    ).order_by(by_letters(NAMED_ENGINE.c.name))
    return [
        NamedEngineRecord(name, settings, text_of(created_ms))
        for name, settings, created_ms in connection.execute(query)
    ]


def remove_named_engine(connection: Connection, name: str) -> None:
    """Forget one; its games stay. Raises NotFound."""
    if _key(connection, name) is None:
        raise NotFound(f"no engine named `{name}` is kept")
    connection.execute(delete(NAMED_ENGINE).where(NAMED_ENGINE.c.name == name))


def _key(connection: Connection, name: str) -> int | None:
    query = select(NAMED_ENGINE.c.id).where(NAMED_ENGINE.c.name == name)
    return connection.execute(query).scalar_one_or_none()
