"""A database on a server: how it is reached, asked, upgraded and checked."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer
from sqlalchemy import MetaData, create_engine

from db.errors import (
    DatabaseCorrupt,
    DatabaseLocked,
    DatabaseMissing,
    DatabaseNewer,
    DatabaseOlder,
    DatabaseReadOnly,
    DatabaseUnusable,
    StatementRefused,
    StatementTimeout,
)
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.schema import version as schema
from db.schema.soundness import damage
from db.session import Database, database_schema, open_database

pytestmark = pytest.mark.slow

Fill = Callable[..., EventRecord]
MakeGame = Callable[..., GameRecord]


def answer(database: Database, statement: str, timeout_s: float = 30.0) -> list[tuple[Any, ...]]:
    """All rows of an answer."""
    with database.ask(statement, timeout_s=timeout_s) as found:
        return list(found.rows)


def message(kind: type[Exception], url: str, **options: Any) -> str:
    """What is said when a database cannot be opened."""
    with pytest.raises(kind) as caught:
        open_database(url, **options)
    said = str(caught.value)
    assert "\n" not in said
    return said


# How it is reached


def test_connection_errors_are_one_line_without_the_password(
    postgres: PostgresServer, made_on_server: str, tmp_path: Path
) -> None:
    postgres.sql("CREATE ROLE guarded LOGIN PASSWORD 'right' IN ROLE pg_read_all_data")
    try:
        wrong = postgres.url(made_on_server, "guarded", "hush")
        said = message(DatabaseUnusable, wrong)
        assert said.endswith('FATAL: password authentication failed for user "guarded"')
        assert said.startswith(f"postgresql+psycopg://guarded@/{made_on_server}?host=")
        for url in (wrong, wrong.replace(":hush@", "@") + "&password=hush"):
            assert "hush" not in message(DatabaseUnusable, url)
        with open_database(postgres.url(made_on_server, "guarded", "right"), read_only=True) as db:
            assert "right" not in db.name
    finally:
        postgres.sql("DROP ROLE guarded")
    said = message(DatabaseUnusable, postgres.url("nothing"))
    assert said.endswith('FATAL: database "nothing" does not exist')
    gone = f"postgresql://user:hush@/x?host={tmp_path}"
    for said in (message(DatabaseUnusable, gone), message(DatabaseUnusable, gone, read_only=True)):
        assert "No such file or directory" in said and "hush" not in said
    with pytest.raises(DatabaseUnusable, match="No such file or directory"):
        database_schema(gone)


def test_empty_database_is_filled_once_requested(
    empty_on_server: str, postgres: PostgresServer
) -> None:
    for options in ({"create": False}, {"create": False, "read_only": True}):
        assert "it is an empty database" in message(DatabaseMissing, empty_on_server, **options)
    with pytest.raises(DatabaseMissing):
        database_schema(empty_on_server)
    heard: list[str] = []
    with open_database(empty_on_server, on_notice=heard.append) as database:
        assert database.repository.damage() == []
        assert heard == [f"made {database.name} (schema {schema.SCHEMA})"]
        assert database.size() > 1_000_000
        with pytest.raises(DatabaseUnusable, match="is on a server, which reuses space by itself"):
            database.vacuum()
    assert database_schema(empty_on_server)[1] == schema.SCHEMA


def test_first_uses_at_once_make_one_database(empty_on_server: str) -> None:
    line = [sys.executable, "-c", OPEN, empty_on_server]
    children = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * 3
    (one,) = filter(None, said)
    assert one.startswith("made ")


def test_killed_first_use_leaves_an_empty_database(empty_on_server: str) -> None:
    line = [sys.executable, "-c", OPEN, empty_on_server, "die"]
    assert subprocess.run(line, check=False).returncode < 0
    heard: list[str] = []
    with open_database(empty_on_server, on_notice=heard.append) as database:
        assert database.repository.damage() == []
    assert len(heard) == 1 and heard[0].startswith("made ")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_database_of_another_encoding_is_refused(postgres: PostgresServer, encoding: str) -> None:
    options = f"TEMPLATE template0 ENCODING {encoding} LOCALE_PROVIDER libc LOCALE 'C'"
    postgres.sql(f"CREATE DATABASE latin {options}")
    try:
        said = message(DatabaseUnusable, postgres.url("latin"))
        assert said.endswith(f"has the encoding {encoding}: make a database with UTF8")
    finally:
        postgres.drop("latin")


def test_role_that_may_only_read_can_read(
    on_server: str, postgres: PostgresServer, fill_database: Fill
) -> None:
    name = re.search(r"/(test\d+)\?", on_server)
    assert name is not None
    postgres.sql("CREATE ROLE reader LOGIN")
    postgres.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", name[1])
    try:
        with open_database(on_server) as owner:
            event = fill_database(owner)
        with open_database(on_server.replace("mtdf@", "reader@")) as reader:
            assert reader.repository.events() == [event]
            assert reader.repository.damage() == []
            assert answer(reader, "SELECT count(*) FROM v_events") == [(1,)]
            with pytest.raises(DatabaseUnusable, match="permission denied for table"):
                reader.repository.set_status(event, "done")
    finally:
        postgres.sql("DROP OWNED BY reader", name[1])
        postgres.sql("DROP ROLE reader")


def test_database_opened_for_reading_is_not_written(on_server: str, fill_database: Fill) -> None:
    with open_database(on_server, read_only=True) as database:
        with pytest.raises(DatabaseReadOnly, match="opened for reading only"):
            fill_database(database)


# What it is asked


FORBIDDEN = [
    "copy games to '/tmp/games'",
    "set statement_timeout = 0",
    "select 1 into other",
    "select * from games for update",
    "select set_config('statement_timeout', '0', false)",
    "select pg_advisory_lock(1)",
    'select "pg_terminate_backend" (1)',
    "select pg_sleep /* not now */ (1)",
    "select pg_catalog.pg_read_file('/etc/passwd')",
    "select lo_create(0)",
    "select E'\\'' || lo_create(0)::text",
    'select U&"pg\\005fadvisory_lock"(1)',
    "select 1 as a$$, pg_advisory_lock(1), 2 as b$$",
    "select 'a' /* x /* y */ ' */, pg_advisory_lock(1) --'",
    "select E'a'\n'\\'', pg_advisory_lock(1) --'",
    "select PG_ADVISORY_LOCK(1)",
    'select "Does, more"()',
    "notify x",
]


def test_statements_with_effects_are_refused(
    on_server: str, postgres: PostgresServer, fill_database: Fill
) -> None:
    name = re.search(r"/(test\d+)\?", on_server)
    assert name is not None
    with open_database(on_server) as database:
        fill_database(database)
        body = "LANGUAGE sql VOLATILE AS 'SELECT 1'"
        postgres.sql(f'CREATE OR REPLACE FUNCTION "Does, more"() RETURNS int {body}', name[1])
        for statement in FORBIDDEN:
            with pytest.raises(
                StatementRefused, match="only reading|not allowed (here|in the form)"
            ):
                answer(database, statement)


def test_other_types_of_a_server_are_text(on_server: str) -> None:
    with open_database(on_server) as database:
        (row,) = answer(
            database,
            "select date '2026-11-21', array[1, 2], '{\"a\": 1}'::jsonb, 2.50, 10::numeric",
        )
        assert row == ("2026-11-21", "{1,2}", '{"a": 1}', 2.5, 10)


def test_queries_of_a_page_have_a_time_limit(on_server: str) -> None:
    slow = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b"
    with open_database(on_server, read_only=True) as database:
        with database.time_limit(0.2), pytest.raises(StatementTimeout, match="within 0.2 seconds"):
            with database.repository._store.read() as connection:
                connection.exec_driver_sql(slow)
        assert database.repository.events() == []


def test_large_answer_takes_little_memory(on_server: str) -> None:
    with open_database(on_server) as database:
        statement = "select repeat('x', 1000) from generate_series(1, 10000)"
        tracemalloc.start()
        try:
            with database.ask(statement) as found:
                assert sum(len(row[0]) for row in found.rows) == 10_000_000
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()
        with pytest.raises(StatementRefused, match="too big"):
            answer(database, "select repeat('x', 100000001)")


def test_views_equal_those_of_a_file(
    rich_file: Path,
    on_server: str,
) -> None:
    with open_database(on_server) as server, open_database(rich_file, read_only=True) as file:
        copy_rows(rich_file, on_server)
        for view, columns in file.views().items():
            rows = [
                sorted(answer(one, f"select * from {view}"), key=repr) for one in (file, server)
            ]
            assert rows[0] == rows[1], view
            assert rows[0] or view in ("v_failures", "v_problems"), view
            assert server.views()[view] == columns
            kinds = [
                [{type(one) for one in column} for column in zip(*part, strict=True)]
                for part in rows
            ]
            assert kinds[0] == kinds[1], view
        assert server.repository.damage() == []
        assert list(file.repository.games()) == list(server.repository.games())


def copy_rows(path: Path, url: str) -> None:
    """Copy all rows of a file into tables of the same names on a server."""
    engine = create_engine(url)
    with closing(sqlite3.connect(path)) as source, engine.begin() as target:
        tables = MetaData()
        tables.reflect(target)
        for table in tables.sorted_tables:
            if table.name != "alembic_version":
                columns = [column.name for column in table.columns]
                names = ", ".join(f'"{one}"' for one in columns)
                rows = source.execute(f'SELECT {names} FROM "{table.name}" ORDER BY 1')
                # The server knows the types of texts that it is given.
                marks = ", ".join(["%s"] * len(columns))
                insertion = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
                for row in rows:
                    values = tuple(x if x is None or isinstance(x, bytes) else str(x) for x in row)
                    target.exec_driver_sql(insertion, values)
    engine.dispose()


# Upgrades


OPEN = """
import os, signal, sys
from db import session
from db.schema import version as schema
make = schema.migrate
def die(connection):
    make(connection)
    os.kill(os.getpid(), signal.SIGKILL)
if len(sys.argv) > 2:
    schema.migrate = die
session.open_database(sys.argv[1], on_notice=print).close()
"""


@pytest.mark.damages
def test_upgrade(on_server: str, later: Callable[..., None], fill_database: Fill) -> None:
    with open_database(on_server) as server:
        event = fill_database(server)
        players = server.repository.event_players(event.id)
    old = schema.SCHEMA
    later(recreate="never")
    assert database_schema(on_server)[1] == old
    with pytest.raises(DatabaseOlder, match="open it once for writing"):
        open_database(on_server, read_only=True)
    heard: list[str] = []
    with open_database(on_server, on_notice=heard.append) as server:
        assert server.repository.damage() == [] and server.backup is None
        assert server.repository.event_players(event.id) == players
        assert heard == [
            f"upgraded {server.name} from schema {old} to {schema.SCHEMA}; no backup was made: "
            "the server's administrator makes backups (pg_dump)"
        ]


def test_no_upgrade_while_an_event_runs(on_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_database(on_server) as database, database.run_lock("r3f9"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schema, "SCHEMA", "99.0.0")
            said = message(DatabaseLocked, on_server)
        assert "in use by a running event (r3f9, process" in said


@pytest.mark.damages
def test_newer_schema_is_refused(on_server: str) -> None:
    engine = create_engine(on_server)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '99.0.0'")
    engine.dispose()
    for read_only in (False, True):
        said = message(DatabaseNewer, on_server, read_only=read_only)
        assert said.endswith(
            f"has schema 99.0.0, this mtdf supports up to {schema.SCHEMA}: upgrade mtdf"
        )


@pytest.mark.damages
def test_user_view_that_blocks_an_upgrade_is_named(
    on_server: str, later: Callable[..., None]
) -> None:
    open_database(on_server).close()
    engine = create_engine(on_server)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE VIEW mine AS SELECT label FROM v_players")
    engine.dispose()
    later(recreate="never")
    said = message(DatabaseUnusable, on_server)
    assert said.endswith("view mine depends on view v_players: drop it and try again")


# Damage


DAMAGE = [
    ("UPDATE games SET plies = plies + 1 WHERE pair = 1 AND game = 1", "3 moves for 4 plies"),
    ("DELETE FROM games WHERE pair = 1 AND game = 2", "pair 1: a game is missing"),
    ("DELETE FROM game_moves WHERE game_id = 4", "game 4: it is not what was stored"),
    ("UPDATE pairs SET counted = NOT counted", "pair 0: it does not match its games"),
    ("DELETE FROM pairs WHERE pair = 1", "game 3: it belongs to no pair"),
]


def test_damage_is_found(on_server: str, fill_database: Fill, make_game: MakeGame) -> None:
    with open_database(on_server) as database:
        event = fill_database(database)
        pairs = [[make_game(event.id, 0, pair, number) for number in (1, 2)] for pair in range(3)]
        database.repository.commit_pairs(event.id, pairs)
        with database._store.engine.connect() as connection:
            for statement, finding in DAMAGE:
                # References are not checked.
                connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
                connection.exec_driver_sql(statement)
                assert any(finding in line for line in damage(connection)), statement
                connection.rollback()
        database.check()
        assert database.repository.damage() == []


@pytest.mark.damages
def test_reading_a_damaged_table_is_reported(on_server: str) -> None:
    engine = create_engine(on_server)
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE games DROP COLUMN load CASCADE")
    engine.dispose()
    with open_database(on_server) as database:
        with pytest.raises(DatabaseCorrupt, match="is damaged .*: restore a backup"):
            list(database.repository.games())
