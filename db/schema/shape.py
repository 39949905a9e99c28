"""The tables, columns, indexes and views that a database of this program must have, and which of
them are missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection, Inspector, create_engine, inspect
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import StatementError

from db.schema.declared import METADATA
from db.schema.views import VIEWS, create_views

_Columns = tuple[str, ...] | None
"""Names in order; None for a view that cannot be read."""

_TRIGGERS = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"
_TRIGGERS_ON_SERVER = (
    "SELECT tgname, relname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid "
    "WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Names of tables, indexes and views with their columns."""

    tables: dict[str, _Columns]
    indexes: dict[str, _Columns]
    views: dict[str, _Columns]


def shape_problems(connection: Connection) -> list[str]:
    """A line for each table, column, index and view that is missing or different, and for each
    trigger on a table, which changes what is stored. Other additions by users are ignored."""
    found = _shape(connection)
    wanted = _wanted()
    problems = []
    for word, there, needed in (
        ("table", found.tables, wanted.tables),
        ("index", found.indexes, wanted.indexes),
        ("view", found.views, wanted.views),
    ):
        for name, columns in needed.items():
            if name not in there:
                problems.append(f"{word} {name} is missing")
            elif there[name] is None:
                problems.append(f"{word} {name} cannot be read")
            elif word == "index" and there[name] != columns:
                problems.append(f"index {name} has other columns")
            else:
                missing = [one for one in columns or () if one not in (there[name] or ())]
                problems += [f"{word} {name} has no column {one}" for one in missing]
    return problems + _triggers(connection)


def _triggers(connection: Connection) -> list[str]:
    """A line for each trigger on one of our tables: this program makes none."""
    server = connection.dialect.name == "postgresql"
    rows = connection.exec_driver_sql(_TRIGGERS_ON_SERVER if server else _TRIGGERS)
    return [
        f"trigger {name} of another program changes table {table}: drop it"
        for name, table in sorted({(row[0], row[1]) for row in rows})
        if table in METADATA.tables
    ]


@cache
def _wanted() -> _Shape:
    """The shape of a new database; a test checks that the revisions produce the declared one."""
    engine = create_engine("sqlite+pysqlite://")
    try:
        with engine.begin() as connection:
            METADATA.create_all(connection)
            create_views(connection)
            return _shape(connection)
    finally:
        engine.dispose()


def _shape(connection: Connection) -> _Shape:
    inspector = inspect(connection)
    tables = list(METADATA.tables)
    indexes: dict[str, _Columns] = {}
    for found in inspector.get_multi_indexes(filter_names=tables).values():
        for index in found:
            if index["name"] is not None:
                indexes[index["name"]] = tuple(one or "" for one in index["column_names"])
    return _Shape(_columns(inspector, tables, ObjectKind.TABLE), indexes, _views(inspector))


def _views(inspector: Inspector) -> dict[str, _Columns]:
    try:
        return _columns(inspector, list(VIEWS), ObjectKind.VIEW)
    except StatementError:  # one of them cannot be read
        views: dict[str, _Columns] = {}
        for name in VIEWS.keys() & set(inspector.get_view_names()):
            try:
                views[name] = tuple(column["name"] for column in inspector.get_columns(name))
            except StatementError:
                views[name] = None
        return views


def _columns(inspector: Inspector, names: list[str], kind: ObjectKind) -> dict[str, _Columns]:
    """The columns of those of the tables or views that exist, by few questions."""
    found = inspector.get_multi_columns(filter_names=names, kind=kind)
    return {name: tuple(one["name"] for one in columns) for (_, name), columns in found.items()}
