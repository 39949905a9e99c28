"""The schema of this program, and the migration of an empty or older database to it."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from sqlalchemy import Connection, Inspector, inspect, text

from db.errors import DatabaseForeign, DatabaseNewer
from db.schema.declared import METADATA
from db.schema.views import create_views, drop_views

SCHEMA = "0.1.0"
"""The schema of this program: its last Alembic revision, which has the number of the version that
brought it."""
MIGRATIONS = Path(__file__).with_name("migrations")
APPLICATION_ID = 0x6D746466
"""Marks an SQLite file as ours (``mtdf``)."""
_ALEMBIC = threading.Lock()
"""Alembic keeps its state in a global variable."""
_VERSION_TABLE = "alembic_version"


def stored_schema(connection: Connection, name: str) -> str | None:
    """The schema of a database; None for an empty one.

    Raises DatabaseForeign if the tables belong to another program or to one before 0.1.0, and
    DatabaseNewer if this program does not know the schema.
    """
    inspector = inspect(connection)
    if connection.dialect.name == "sqlite":
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        if mark not in (0, APPLICATION_ID):
            raise _foreign(name)
    if not inspector.has_table(_VERSION_TABLE):
        if inspector.get_table_names():
            raise _foreign(name)
        return None
    versions = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalars().all()
    found: str = versions[0] if len(versions) == 1 else ""
    if re.fullmatch(r"\d{4}", found) or not _has(inspector, "provenance", "time_factor"):
        raise DatabaseForeign(
            f"{name} is of an mtdf before 0.1.0: write its games to a file with that program "
            "(mtdf games --pgn FILE), and import them into a new database (mtdf import FILE)"
        )
    if not re.fullmatch(r"\d+\.\d+\.\d+", found):
        raise _foreign(name)
    if _number(found) > _number(SCHEMA):
        raise DatabaseNewer(
            f"{name} has schema {found}, this mtdf supports up to {SCHEMA}: upgrade mtdf"
        )
    return found


def migrate(connection: Connection) -> None:
    """Bring a database to :data:`SCHEMA` within the connection's transaction."""
    if stored_schema(connection, str(connection.engine.url)) is None:
        _create(connection)
    else:
        drop_views(connection)
        _upgrade(connection)
    create_views(connection)


def _create(connection: Connection) -> None:
    """Make the declared tables, which are those of the last revision."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    else:
        for index in (index for table in METADATA.tables.values() for index in table.indexes):
            where = index.dialect_options["sqlite"]["where"]
            index.dialect_options["postgresql"]["where"] = where
    METADATA.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(
        f"CREATE TABLE {_VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
        f"CONSTRAINT {_VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO {_VERSION_TABLE} VALUES ('{SCHEMA}')")


def _upgrade(connection: Connection) -> None:
    """Apply the revisions that are missing."""
    # Neither a new database nor an up-to-date one needs it, and it is slow to import.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with _ALEMBIC:
        command.upgrade(config, SCHEMA)


def _has(inspector: Inspector, table: str, name: str) -> bool:
    """Whether a table has a column that came last to 0.1.0: builds that led to it lack the column.
    True without the table."""
    columns = inspector.get_columns(table) if inspector.has_table(table) else []
    return not columns or any(column["name"] == name for column in columns)


def _number(schema: str) -> tuple[int, ...]:
    return tuple(int(part) for part in schema.split("."))


def _foreign(name: str) -> DatabaseForeign:
    return DatabaseForeign(f"{name} is a database of another program")
