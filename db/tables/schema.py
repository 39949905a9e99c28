"""The schema number, and the migration of an empty or older database to it."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from db.errors import DatabaseCorrupt, DatabaseForeign, DatabaseNewer
from db.tables.views import create_views, drop_views

SCHEMA = 11
"""The schema of this program: the number of its last Alembic revision."""
MIGRATIONS = Path(__file__).with_name("migrations")
NEW = Path(__file__).with_name("new_database.sql")
"""The statements that make a new file."""
APPLICATION_ID = 0x6D746466
"""Marks an SQLite file as ours (``mtdf``)."""
_ALEMBIC = threading.Lock()
"""Alembic keeps what it works on in a global variable."""
_VERSION_TABLE = "alembic_version"


def stored_schema(connection: Connection, name: str) -> int | None:
    """The schema number of a database; None for an empty one.

    Raises DatabaseForeign if the tables belong to another program, and DatabaseNewer if this
    program does not know the schema.
    """
    inspector = inspect(connection)
    mark = APPLICATION_ID
    if connection.dialect.name == "sqlite":
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        if mark not in (0, APPLICATION_ID):
            raise _foreign(name)
    if not inspector.has_table(_VERSION_TABLE):
        tables = set(inspector.get_table_names())
        if {"events", "games"} & tables and mark == APPLICATION_ID:
            raise DatabaseCorrupt(f"{name} is damaged (table {_VERSION_TABLE} is missing)")
        if tables:
            raise _foreign(name)
        return None
    versions = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalars().all()
    if len(versions) != 1 or not re.fullmatch(r"\d{4}", versions[0]):
        raise _foreign(name)
    if int(versions[0]) > SCHEMA:
        raise DatabaseNewer(
            f"{name} has schema {int(versions[0])}, this mtdf supports up to {SCHEMA}: upgrade mtdf"
        )
    return int(versions[0])


def migrate(connection: Connection) -> None:
    """Bring a database to :data:`SCHEMA` within the connection's transaction."""
    drop_views(connection)
    if connection.dialect.name == "sqlite" and not inspect(connection).get_table_names():
        for statement in NEW.read_text(encoding="utf-8").split(";\n")[:-1]:
            connection.exec_driver_sql(statement)
    if stored_schema(connection, str(connection.engine.url)) != SCHEMA:
        _upgrade(connection)
    create_views(connection)


def _upgrade(connection: Connection) -> None:
    """Apply the revisions that are missing, and compute missing digests."""
    # Alembic is slow to import, and neither a new file nor an up-to-date database needs it.
    from alembic import command
    from alembic.config import Config

    from db.tables.digests import seal_all

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with _ALEMBIC:
        command.upgrade(config, f"{SCHEMA:04}")
    seal_all(connection)


def _foreign(name: str) -> DatabaseForeign:
    return DatabaseForeign(f"{name} is a database of another program")
