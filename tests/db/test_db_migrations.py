"""Schemas: what the revisions make, how an older one is upgraded, and that a newer one is not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from db.errors import DatabaseCorrupt, DatabaseLocked, DatabaseNewer, DatabaseOlder
from db.records import EventRecord, GameFilter, GameRecord
from db.session import Database, open_database
from db.tables import schema
from db.tables.declared import METADATA
from toolkit.play.settings import EventSettings
from toolkit.reports.upkeep import Replayed, replay_games

OLD = Path(__file__).with_name("data") / "schema1.sql"
"""A database of schema 1 with two events, as `sqlite3 old.db .dump` writes it."""
MATCH = OLD.with_name("schema1_match.sql")
"""The same of `mtdf match mtdf pvs --pairs 2 --nodes 50 --seed 5` with a book of two lines."""
STUDY = OLD.with_name("schema2.sql")
"""A database of schema 2 with a study of effort, as the program of that time left it."""
LABORATORY = OLD.with_name("schema3.sql")
"""A database of schema 3 with a comparison and a sweep of the laboratory."""
EVERYTHING = OLD.with_name("schema4.sql")
"""A database of schema 4: a match played twice, an import, a comparison of the laboratory, a study
with games, and rating lists."""
PLAYED = OLD.with_name("schema5.sql")
"""A database of schema 5 with `match mtdf pvs --pairs 2 --nodes 40 --max-plies 20`, played on the
reference backend with a book of two lines."""

REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "{number:04}"
down_revision = "{before:04}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("event_players", recreate="always") as batch:
        batch.add_column(sa.Column("colour{number}", sa.String(), server_default="red"))
    {last}
"""


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Become a later program, with one schema more that rebuilds a table others refer to."""

    def become(last: str = "pass") -> None:
        number = schema.SCHEMA + 1
        scripts = tmp_path / f"migrations{number}"
        shutil.copytree(schema.MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
        text = REVISION.format(number=number, before=number - 1, last=last)
        (scripts / "versions" / f"r{number:04}_later.py").write_text(text)
        monkeypatch.setattr(schema, "SCHEMA", number)
        monkeypatch.setattr(schema, "MIGRATIONS", scripts)

    return become


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


def load_old(path: Path, dump: Path = OLD) -> None:
    """Make a file of schema 1, as a program of that time left it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")


def test_revisions_make_the_declared_tables(database: Database) -> None:
    with database.repository._store.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_a_new_file_is_what_the_revisions_make(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file is made by shipped statements, because Alembic takes long to start."""
    empty = tmp_path / "empty.sql"
    empty.write_text("", encoding="utf-8")
    open_database(path).close()
    monkeypatch.setattr(schema, "NEW", empty)
    open_database(tmp_path / "revised.db").close()
    with (
        closing(sqlite3.connect(path)) as made,
        closing(sqlite3.connect(tmp_path / "revised.db")) as revised,
    ):
        assert list(made.iterdump()) == list(revised.iterdump())
        for question in ("PRAGMA application_id", "SELECT name FROM sqlite_master ORDER BY rowid"):
            assert made.execute(question).fetchall() == revised.execute(question).fetchall()


def test_last_revision_is_the_schema() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [f"{schema.SCHEMA:04}"]
    numbers = sorted(script.revision for script in scripts.walk_revisions())
    assert numbers == [f"{number:04}" for number in range(1, schema.SCHEMA + 1)]


def test_revisions_import_nothing_of_db() -> None:
    for script in (schema.MIGRATIONS / "versions").glob("*.py"):
        assert "import db" not in script.read_text() and "from db" not in script.read_text()


def shape(path: Path) -> set[tuple[str, ...]]:
    """Tables, columns with their properties, references, indexes and views of a file."""
    found: set[tuple[str, ...]] = set()
    with closing(sqlite3.connect(path)) as connection:
        objects = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        for kind, name in objects:
            found.add((kind, name))
            for pragma in ("table_info", "foreign_key_list", "index_list", "index_info"):
                rows = connection.execute(f"PRAGMA {pragma}('{name}')")
                found |= {(name, pragma, *map(str, row)) for row in rows}
    return found


def test_schema_1_keeps_its_content(path: Path, empty_file: Path) -> None:
    load_old(path)
    open_database(path).close()
    assert shape(path) == shape(empty_file)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    with open_database(path) as database:
        repository = database.repository
        first, second = repository.events()
        assert (first.key, first.name, first.pairs_done, first.pairs_failed) == (
            "r1a2",
            "old",
            2,
            1,
        )
        assert (second.book_id, second.settings) == (None, {"pairs": 1})
        assert [p.label for p in repository.event_players(first.id)] == ["A", "B"]
        games = list(repository.games())
        assert [g.result for g in games] == ["1-0", "1/2-1/2", "0-1", "1-0", "1-0", "0-1"]
        assert [g.repeats for g in games] == [None, None, None, None, 1, None]
        assert games[0].start_fen == "after e4 b" and games[4].start_fen == "free"
        assert games[0].moves == b"\x01\x02\x03\x04\x05\x06"
        assert repository.excluded_games() == 1
        assert repository.meeting_pairs("A", "B") == (1, 0, 0, 1, 0)
        assert repository.count_rating_lists() == 1
        fit = repository.newest_rating_list(lambda settings: True)
        assert fit is not None and [row.elo for row in fit.rows] == [10.5, -10.5]
        assert repository.count_games(GameFilter(engine="A", result="win")) == 3


def test_schema_2_is_upgraded(path: Path, empty_file: Path) -> None:
    load_old(path, STUDY)
    before = rows_of(path)
    with open_database(path) as database:
        (study,) = database.repository.studies()
        assert (study.name, study.status) == ("nodes", "done")
        assert database.repository.lab_runs() == []
    assert shape(path) == shape(empty_file)
    after = rows_of(path)
    assert before.pop("alembic_version") == [("0002",)]
    assert {table: after[table] for table in before} == before


def test_schema_3_is_upgraded(path: Path, tmp_path: Path, empty_file: Path) -> None:
    old = tmp_path / "old.db"
    for file in (path, old):
        load_old(file, LABORATORY)
    open_database(path).close()
    assert shape(path) == shape(empty_file)
    before, after = rows_of(old), rows_of(path)
    assert after.pop("alembic_version") == [(f"{schema.SCHEMA:04}",)]
    assert after.pop("stored_rows")
    assert after.pop("named_engines") == []
    assert after.pop("game_problems") == []
    assert {**after, "alembic_version": [("0003",)]} == before


def test_schema_4_gets_digests(path: Path, tmp_path: Path, empty_file: Path) -> None:
    """Rows stay as they were, each has a digest, and from then on a change is noticed."""
    old = tmp_path / "old.db"
    for file in (path, old):
        load_old(file, EVERYTHING)
    with open_database(path) as database:
        assert database.repository.damage() == []
        assert replay_games(database) == Replayed(22, ())
    assert shape(path) == shape(empty_file)
    before, after = rows_of(old), rows_of(path)
    assert before.pop("alembic_version") == [("0004",)]
    assert {table: after[table] for table in before} == before
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("SELECT count(*), count(digest) FROM games").fetchone() == (
            22,
            22,
        )
        connection.execute("UPDATE game_moves SET moves_version = 2 WHERE game_id = 3")
    with open_database(path) as database:
        assert database.repository.damage() == ["game 3: it is not what was stored"]


def test_schema_5_keeps_its_rows_and_digests(path: Path, tmp_path: Path, empty_file: Path) -> None:
    """Settings of events without limits of single players and without external engines are read
    and written as they were."""
    old = tmp_path / "old.db"
    for file in (path, old):
        load_old(file, PLAYED)
    with open_database(path) as database:
        assert database.repository.damage() == []
        assert replay_games(database) == Replayed(4, ())
        (event,) = database.repository.events()
        assert EventSettings.from_json(event.settings).to_json() == event.settings
    assert shape(path) == shape(empty_file)
    before, after = rows_of(old), rows_of(path)
    assert after.pop("alembic_version") == [(f"{schema.SCHEMA:04}",)]
    assert after.pop("named_engines") == []
    assert after.pop("game_problems") == []
    assert {**after, "alembic_version": [("0005",)]} == before


def test_later_upgrade_hides_no_damage(path: Path, later: Callable[..., None]) -> None:
    """Digests are given to rows that have none, and rows are counted once."""
    load_old(path, EVERYTHING)
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET plies = plies + 1 WHERE id = 3")
        connection.execute("UPDATE tuning_trials SET digest = NULL")
        connection.execute("DELETE FROM lab_searches WHERE engine = 1 AND position = 0")
    later()
    with open_database(path) as database:
        assert database.repository.damage() == [
            "game 3: it is not what was stored",
            "laboratory run small: searches: 6 stored, 5 present",
        ]


def test_iterations_and_passes_of_an_upgraded_run_have_names(path: Path) -> None:
    """What the views say of searches that a program of schema 3 stored, against the JSON itself."""
    load_old(path, LABORATORY)
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        stored = connection.execute(
            "SELECT name, engine, position, iterations FROM lab_searches "
            "JOIN lab_runs ON id = run_id ORDER BY 1, 2, 3"
        ).fetchall()
        told = connection.execute(
            "SELECT run, engine_number, position, depth, value, move, first_guess, interior, "
            "leaves, quiescence, probes, hits, cutoffs, cpu_us, move_value, passes, nodes "
            "FROM v_lab_iterations ORDER BY 1, 2, 3, 4"
        ).fetchall()
        passes = connection.execute(
            "SELECT run, engine_number, position, depth, number, alpha, beta, value, nodes, move "
            "FROM v_lab_passes ORDER BY 1, 2, 3, 4, 5"
        ).fetchall()
    iterations = [(*row[:3], one) for row in stored for one in json.loads(row[3])]
    assert len(iterations) == 4 * 2 * 2 + 4 * 2
    assert told == [(*place, *one[:-1], len(one[-1]), sum(one[4:7])) for *place, one in iterations]
    assert passes == [
        (*place, one[0], number, *ends_of(data), *data[2:4], data[4] if len(data) > 4 else None)
        for *place, one in iterations
        for number, data in enumerate(one[-1], start=1)
    ]
    assert {row[5] is None for row in passes} == {row[9] is None for row in passes} == {True, False}


def ends_of(data: list[Any]) -> list[int | None]:
    """The window of a stored pass, None where it is open."""
    return [None if abs(end) == 32_700 else end for end in data[:2]]


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
        f"upgraded {path} from schema {old} to {old + 1}; the old one is kept as {backup}"
    ]
    assert version_of(path) == f"{old + 1:04}" and version_of(backup) == f"{old:04}"
    assert f"colour{old + 1}" in columns_of(path, "event_players")
    assert f"colour{old + 1}" not in columns_of(backup, "event_players")
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
    precious = path.with_name(f"mtdf.db.bak-v{schema.SCHEMA}")
    precious.write_text("precious")
    later()
    open_database(path).close()
    assert precious.read_text() == "precious"
    assert version_of(precious.with_name(precious.name + "-2")) == f"{schema.SCHEMA - 1:04}"


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
    assert version_of(path) == f"{old:04}"
    assert f"colour{old + 1}" not in columns_of(path, "event_players")


def test_upgrade_checks_references(path: Path, later: Callable[..., None]) -> None:
    open_database(path).close()
    columns = "(event_id, position, label, variant_id)"
    later(f"op.execute(\"INSERT INTO event_players {columns} VALUES (9, 0, 'x', 9)\")")
    with pytest.raises(DatabaseCorrupt, match="a row of event_players refers to a missing one"):
        open_database(path)
    assert version_of(path) == f"{schema.SCHEMA - 1:04}"


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
        with database.run_lock(event.key):
            later()
            with pytest.raises(DatabaseLocked) as caught:
                open_database(path)
            assert f"in use by a running event ({event.key}, process {os.getpid()})" in str(
                caught.value
            )
            assert version_of(path) == f"{schema.SCHEMA - 1:04}"
    open_database(path).close()
    assert version_of(path) == f"{schema.SCHEMA:04}"


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
        "from db.tables import schema\n"
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


def test_played_match_of_schema_1_keeps_its_rows(tmp_path: Path) -> None:
    """A match of two pairs that a program of schema 1 played: every byte of its rows stays."""
    path, old = tmp_path / "mtdf.db", tmp_path / "old.db"
    for file in (path, old):
        load_old(file, MATCH)
    heard: list[str] = []
    with open_database(path, on_notice=heard.append) as database:
        backup = path.with_name("mtdf.db.bak-v1")
        assert heard == [
            f"upgraded {path} from schema 1 to {schema.SCHEMA}; the old one is kept as {backup}"
        ]
        assert database.repository.damage() == []
        assert replay_games(database) == Replayed(4, ())
        assert database.repository.studies() == [] and database.repository.tuning_events() == {}
    tables = [table for table in rows_of(old) if table != "alembic_version"]
    assert {"games", "game_moves", "pairs", "ratings", "variants"} <= set(tables)
    before, kept, after = rows_of(old), rows_of(backup), rows_of(path)
    assert kept == before
    assert {table: after[table] for table in tables} == {table: before[table] for table in tables}
    assert len(after["games"]) == 4 and after["tuning_studies"] == []


def rows_of(path: Path) -> dict[str, list[Any]]:
    """All rows of all tables of a file, in order, without digests and speeds, which came later."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        found = {}
        for (table,) in tables:
            names = [one for one in columns_of(path, table) if one not in ("digest", "speed")]
            columns = ", ".join(f'"{one}"' for one in names)
            found[table] = sorted(connection.execute(f'SELECT {columns} FROM "{table}"'), key=repr)
        return found
