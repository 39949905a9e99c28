"""Schemas: how an older one is upgraded; a newer one, and one before 0.1.0, are refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from db.errors import (
    DatabaseCorrupt,
    DatabaseForeign,
    DatabaseLocked,
    DatabaseNewer,
    DatabaseOlder,
)
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.schema import version as schema
from db.session import back_up_database, open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is."""
    return tmp_path / "mtdf.db"


def version_of(path: Path) -> str:
    """The revision that a file says it has."""
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def columns_of(path: Path, table: str) -> list[str]:
    """The columns of a table."""
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_last_revision_is_the_schema() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [schema.SCHEMA]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE alembic_version SET version_num = '0011'",
        "ALTER TABLE provenance RENAME COLUMN time_factor TO other",
    ],
)
def test_database_before_0_1_0_is_refused_and_left_alone(path: Path, change: str) -> None:
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(DatabaseForeign) as caught:
            open_database(path, read_only=read_only)
        assert str(caught.value) == (
            f"{path} is of an mtdf before 0.1.0: write its games to a file with that program "
            "(mtdf games --pgn FILE), and import them into a new database (mtdf import FILE)"
        )
    with pytest.raises(DatabaseForeign, match="before 0.1.0"):
        back_up_database(path, path.with_name("copy.db"))
    assert path.read_bytes() == before
    assert list(path.parent.glob("*")) == [path]


def test_upgrade_keeps_everything_and_a_backup(
    path: Path,
    later: Callable[..., None],
    fill_database: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> None:
    with open_database(path) as database:
        event = fill_database(database)
        games = [make_game(event.id, 0, 0, number, game_key=f"0{number}") for number in (1, 2)]
        stored = database.repository.commit_pairs(event.id, [games])[0]
        players = database.repository.event_players(event.id)
    old = schema.SCHEMA
    later()
    heard: list[str] = []
    with open_database(path, on_notice=heard.append) as database:
        assert tuple(database.repository.games()) == stored
        assert database.repository.event_players(event.id) == players
    backup = path.with_name(f"mtdf.db.bak-v{old}")
    assert heard == [
        f"upgraded {path} from schema {old} to {schema.SCHEMA}; the old one is kept as {backup}"
    ]
    assert (version_of(path), version_of(backup)) == (schema.SCHEMA, old)
    assert "colour" in columns_of(path, "event_players")
    assert "colour" not in columns_of(backup, "event_players")
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT count(*) FROM v_games").fetchone() == (2,)


def test_views_survive_an_upgrade(path: Path, later: Callable[..., None]) -> None:
    """Ours are made anew, and people's own stay, although a table under both was rebuilt."""
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE VIEW v_mine AS SELECT p.label FROM event_players p, v_players")
    later()
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        for view in ("v_players", "v_mine"):
            assert connection.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)


def test_backup_replaces_no_other(path: Path, later: Callable[..., None]) -> None:
    open_database(path).close()
    old = schema.SCHEMA
    precious = path.with_name(f"mtdf.db.bak-v{old}")
    precious.write_text("precious")
    later()
    open_database(path).close()
    assert precious.read_text() == "precious"
    assert version_of(precious.with_name(precious.name + "-2")) == old


def test_newer_schema_is_refused_and_left_alone(path: Path, later: Callable[..., None]) -> None:
    known = schema.SCHEMA
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "SCHEMA", known)
        later()
        open_database(path).close()
        newest = schema.SCHEMA
    schema.SCHEMA = known
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(DatabaseNewer) as caught:
            open_database(path, read_only=read_only)
        expected = f"{path} has schema {newest}, this mtdf supports up to {known}: upgrade mtdf"
        assert str(caught.value) == expected
    assert path.read_bytes() == before
    assert list(path.parent.glob("mtdf.db*")) == [path]


def test_reading_only_upgrades_nothing(path: Path, later: Callable[..., None]) -> None:
    open_database(path).close()
    later()
    before = path.read_bytes()
    with pytest.raises(DatabaseOlder, match="open it once for writing"):
        open_database(path, read_only=True)
    assert path.read_bytes() == before
    assert list(path.parent.glob("mtdf.db*")) == [path]


def test_failed_upgrade_changes_nothing(path: Path, later: Callable[..., None]) -> None:
    open_database(path).close()
    old = schema.SCHEMA
    later('op.execute("INSERT INTO no_such_table VALUES (1)")')
    with pytest.raises(DatabaseCorrupt, match="no_such_table"):
        open_database(path)
    assert version_of(path) == old
    assert "colour" not in columns_of(path, "event_players")


def test_upgrade_checks_references(path: Path, later: Callable[..., None]) -> None:
    open_database(path).close()
    old = schema.SCHEMA
    columns = "(event_id, position, label, variant_id)"
    later(f"op.execute(\"INSERT INTO event_players {columns} VALUES (9, 0, 'x', 9)\")")
    with pytest.raises(DatabaseCorrupt, match="a row of event_players refers to a missing one"):
        open_database(path)
    assert version_of(path) == old


def test_damaged_database_is_not_upgraded(
    path: Path,
    later: Callable[..., None],
    fill_database: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> None:
    """Not even where the upgrade would never meet the damage: here, in the moves of a game."""
    with open_database(path) as database:
        event = fill_database(database)
        games = [make_game(event.id, 0, 0, n, search_data=bytes(200_000)) for n in (1, 2)]
        database.repository.commit_pairs(event.id, [games])
    data = bytearray(path.read_bytes())
    page = len(data) - 10 * 4096
    data[page : page + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    later()
    with pytest.raises(DatabaseCorrupt):
        open_database(path)
    assert path.read_bytes() == data
    assert not list(path.parent.glob("*.bak*"))


def test_no_upgrade_while_an_event_runs(
    path: Path, later: Callable[..., None], fill_database: Callable[..., EventRecord]
) -> None:
    with open_database(path) as database:
        event = fill_database(database)
        old = schema.SCHEMA
        with database.run_lock(event.key):
            later()
            with pytest.raises(DatabaseLocked) as caught:
                open_database(path)
            assert f"in use by a running event ({event.key}, process {os.getpid()})" in str(
                caught.value
            )
            assert version_of(path) == old
    open_database(path).close()
    assert version_of(path) == schema.SCHEMA


def test_no_event_runs_on_tables_of_a_later_program(
    path: Path,
    later: Callable[..., None],
    fill_database: Callable[..., EventRecord],
) -> None:
    known = schema.SCHEMA
    with open_database(path) as database:
        event = fill_database(database)
        later()
        open_database(path).close()
        schema.SCHEMA = known
        lock = database.run_lock(event.key)
        with pytest.raises(DatabaseNewer):
            lock.acquire()
        assert lock.holder() is None


@pytest.mark.slow
def test_first_uses_at_once_make_one_database(path: Path) -> None:
    script = (
        "import sys\n"
        "from db.session import open_database\n"
        "with open_database(sys.argv[1], on_notice=print) as database:\n"
        "    database.repository.events()\n"
    )
    command = [sys.executable, "-W", "error", "-c", script, str(path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * 3
    assert sorted(filter(None, said)) == [f"made {path} (schema {schema.SCHEMA})\n"]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
def test_killed_first_use_leaves_an_empty_file(path: Path) -> None:
    """Killed when the tables are made and not yet committed."""
    script = (
        "import os, signal, sys\n"
        "from db import session\n"
        "from db.schema import version as schema\n"
        "make = schema.migrate\n"
        "def die(connection):\n"
        "    make(connection)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "schema.migrate = die\n"
        "session.open_database(sys.argv[1])\n"
    )
    child = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert child.returncode == -signal.SIGKILL
    heard: list[str] = []
    with open_database(path, on_notice=heard.append) as database:
        assert database.repository.events() == []
    assert heard == [f"made {path} (schema {schema.SCHEMA})"]


def test_closing_closes_every_connection(path: Path) -> None:
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        # SQLite leaves WAL mode only when nobody else is connected.
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
