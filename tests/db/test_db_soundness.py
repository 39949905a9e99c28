"""What ``mtdf db check`` finds: whatever changed since it was stored."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from db.errors import DatabaseCorrupt, DatabaseError
from db.records.events import EventRecord, PairFailureRecord
from db.records.games import GameFilter, GameRecord
from db.repository import Repository
from db.schema import soundness
from db.schema.soundness import damage
from db.schema.views import VIEWS
from db.session import open_database
from db.storage.engine import sqlite_engine

_HARMLESS = {
    ("alembic_version", "version_num"),  # another number is another schema, or no database of ours
}
"""Columns whose change is told otherwise."""


@pytest.fixture(scope="module")
def sound(rich_file: Path) -> Path:
    """A sound database of this schema, in one file."""
    path = shutil.copyfile(rich_file, rich_file.with_name("sound.db"))
    with open_database(path) as database:
        database.check()
        assert database.repository.damage() == []
        database.vacuum()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    copy = tmp_path / "mtdf.db"
    copy.write_bytes(sound.read_bytes())
    return copy


@pytest.fixture
def loose(path: Path) -> Iterator[Connection]:
    """A connection to it that may break references; what it did is rolled back in the end."""
    engine = sqlite_engine(path, read_only=False, busy_timeout_s=1.0, migrating=True)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def names_of(path: Path, kind: str) -> list[str]:
    """The tables, indexes or views that can be dropped."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'"
        return [name for (name,) in connection.execute(query, (kind,))]


@pytest.mark.parametrize(("kind", "least"), [("table", 22), ("index", 9), ("view", len(VIEWS))])
def test_dropped_objects_are_named(loose: Connection, path: Path, kind: str, least: int) -> None:
    names = set(names_of(path, kind)) - {"alembic_version"}
    assert len(names) >= least
    for name in names:
        loose.exec_driver_sql(f'DROP {kind.upper()} "{name}"')
    assert {f"{kind} {name} is missing" for name in names} <= set(damage(loose))


def test_missing_version_is_damage(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE alembic_version")
    with pytest.raises(DatabaseCorrupt, match="table alembic_version is missing"):
        open_database(path)


def test_views_and_indexes_with_other_columns_are_named(loose: Connection) -> None:
    loose.exec_driver_sql("DROP VIEW v_pairs")
    loose.exec_driver_sql("CREATE VIEW v_pairs AS SELECT pair FROM pairs")
    loose.exec_driver_sql("DROP VIEW v_games")
    loose.exec_driver_sql("CREATE VIEW v_games AS SELECT x FROM nowhere")
    loose.exec_driver_sql("DROP INDEX ix_games_repeats")
    loose.exec_driver_sql("CREATE INDEX ix_games_repeats ON games (plies)")
    found = damage(loose)
    assert "view v_pairs has no column points" in found
    assert "view v_games cannot be read" in found
    assert "index ix_games_repeats has other columns" in found


def test_trigger_of_another_program_is_named(
    tmp_path: Path,
    copy_empty: Callable[[Path], Path],
    fill_database: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> None:
    """By the check, and by what it breaks: here a game that is not stored."""
    file = copy_empty(tmp_path / "m.db")
    with open_database(file) as database:
        event = fill_database(database)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE mine (a)")
            connection.execute(
                "CREATE TRIGGER on_mine AFTER INSERT ON mine BEGIN DELETE FROM mine; END"
            )
            assert database.repository.damage() == []
            connection.execute(
                "CREATE TRIGGER no_games BEFORE INSERT ON games BEGIN SELECT RAISE(IGNORE); END"
            )
        found = "trigger no_games of another program changes table games: drop it"
        assert database.repository.damage() == [found]
    games = [make_game(event.id, 0, 0, n) for n in (1, 2)]
    with pytest.raises(DatabaseCorrupt, match=found), open_database(file) as database:
        database.repository.commit_pairs(event.id, [games])


def other(value: Any) -> Any:
    """A different value of the same type."""
    if isinstance(value, bool | int):
        return value + 1
    if isinstance(value, float):
        return value + 0.25
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"\0"
    if isinstance(value, str):
        # A digit for a digit leaves JSON what it was.
        return value.translate(_TURNED) if value.translate(_TURNED) != value else value + "x"
    return 1


_TURNED = str.maketrans("0123456789abcdef", "1032547698badcfe")


@pytest.fixture
def rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the tables, which takes longest, is left out."""
    monkeypatch.setattr(soundness, "shape_problems", lambda _: [])


@pytest.mark.usefixtures("rows_only")
def test_every_column_of_every_table_is_covered(loose: Connection, path: Path) -> None:
    """A different value of the same type, or one in the place of NULL, in one row."""
    loose.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
    tried = 0
    for table in names_of(path, "table"):
        row = loose.exec_driver_sql(f'SELECT * FROM "{table}" LIMIT 1').mappings().first()
        for column, value in (row or {}).items():
            if (table, column) in _HARMLESS:
                continue
            place = " AND ".join(f'"{name}" IS ?' for name in row)
            changed = loose.exec_driver_sql(
                f'UPDATE OR REPLACE "{table}" SET "{column}" = ? WHERE {place}',
                (other(value), *row.values()),
            )
            assert changed.rowcount == 1
            assert damage(loose), f"{table}.{column}: {value!r} -> {other(value)!r}"
            loose.rollback()
            tried += 1
    assert tried > 150


@pytest.mark.usefixtures("rows_only")
def test_every_emptied_table_is_found(loose: Connection, path: Path) -> None:
    tried = 0
    for table in names_of(path, "table"):
        if table == "alembic_version":
            continue
        if loose.exec_driver_sql(f'DELETE FROM "{table}"').rowcount:
            assert damage(loose), table
            tried += 1
        loose.rollback()
    assert tried >= 20


def test_missing_pair_is_found(loose: Connection) -> None:
    for table, pair in (("game_moves", "game_id IN (5, 6)"), ("games", "id IN (5, 6)")):
        assert loose.exec_driver_sql(f"DELETE FROM {table} WHERE {pair}").rowcount == 2
    loose.exec_driver_sql("DELETE FROM pairs WHERE event_id = 2 AND pair = 0")
    (key,) = loose.exec_driver_sql("SELECT key FROM events WHERE id = 2").one()
    assert f"event {key}: games: 4 stored, 2 present" in damage(loose)


def content_of(path: Path) -> Any:
    """All rows of all tables; None where they cannot be read."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return [
                (name, connection.execute(f'SELECT * FROM "{name}"').fetchall())
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                ).fetchall()
            ]
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def findings_of(path: Path) -> list[str]:
    """What ``db check`` says."""
    try:
        with open_database(path) as database:
            database.check()
            return database.repository.damage()
    except DatabaseError as error:
        return [str(error)]


def flipped(data: bytes, seed: int) -> bytes:
    """The file with one other byte, behind its header and outside unused space."""
    drawn = random.Random(seed)
    place = drawn.choice([place for place in range(100, len(data)) if data[place]])
    return data[:place] + bytes([data[place] ^ drawn.randrange(1, 256)]) + data[place + 1 :]


@pytest.mark.usefixtures("rows_only")
def test_bytes_that_change_a_row_are_found(sound: Path, path: Path) -> None:
    """Bytes that no row shows may be unused space, or an index or a view, which are found too."""
    seeds = range(40)
    data, before = sound.read_bytes(), content_of(sound)
    changes = 0
    for seed in seeds:
        path.write_bytes(flipped(data, seed))
        if content_of(path) != before:
            changes += 1
            assert findings_of(path), f"seed {seed}"
    assert changes > len(seeds) / 10


def test_reading_a_changed_row_reports_damage(path: Path) -> None:
    """In the words of ``db check``."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in (
            "UPDATE game_moves SET search_data = x'00' WHERE game_id = 3",
            "UPDATE tuning_trials SET params = '{}' WHERE number = 1",
            "UPDATE tuning_encounters SET scores = zeroblob(16) WHERE number = 0",
            "UPDATE lab_searches SET value = value + 1 WHERE engine = 1 AND position = 1",
            "UPDATE openings SET label = 'x' WHERE line = 1",
        ):
            assert connection.execute(statement).rowcount == 1
    with open_database(path) as database:
        repository = database.repository
        found = repository.damage()
        said = []
        book = repository.events()[0].book_id
        for read in (
            lambda: repository.openings(book or ""),
            lambda: list(repository.games(GameFilter(game_id=3))),
            lambda: repository.trials(1),
            lambda: repository.encounters(1),
            lambda: repository.lab_searches(1),
        ):
            with pytest.raises(DatabaseCorrupt) as caught:
                read()
            said.append(str(caught.value).partition("(")[2].rpartition(")")[0])
        assert [*repository.games(GameFilter(game_id=4))]
    assert sorted(said) == sorted(found) and len(found) == 5


def test_progress_counts_compared_rows(path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_database(path) as database:
        assert database.repository.damage(lambda done, rows: told.append((done, rows))) == []
    with closing(sqlite3.connect(path)) as connection:
        ((stored,),) = connection.execute("SELECT sum(rows) FROM stored_rows")
    assert told == sorted(told) and told[-1] == (stored, stored)


def test_rows_that_refer_to_missing_rows_are_counted(loose: Connection) -> None:
    loose.exec_driver_sql("UPDATE games SET opening_id = 77 WHERE event_id = 1")
    assert "games: rows that refer to a missing row of openings: 4" in damage(loose)


CHANGES: dict[str, tuple[str, Callable[[Repository], object]]] = {
    "the status of an event": (
        "UPDATE events SET name = 'x' WHERE id = 1",
        lambda db: db.set_status(db.event(1), "done"),
    ),
    "a pair that failed": (
        "UPDATE events SET seed = seed + 1 WHERE id = 1",
        lambda db: db.record_failures([PairFailureRecord(1, 0, 77, 1, "why")]),
    ),
    "the end of an import": (
        "UPDATE events SET seed = seed + 1 WHERE kind = 'import'",
        lambda db: db.finish_import(
            next(one.id for one in db.events() if one.kind == "import"), {}, changed=True
        ),
    ),
    "the status of a study": (
        "UPDATE tuning_studies SET name = 'x'",
        lambda db: db.set_status(db.study(1), "done"),
    ),
    "an event that confirms": (
        "UPDATE tuning_studies SET name = 'x'",
        lambda db: db.add_confirmation(1, 2),
    ),
    "the status of a laboratory run": (
        "UPDATE lab_runs SET name = 'x'",
        lambda db: db.set_status(db.lab_run(1), "done"),
    ),
}


@pytest.mark.usefixtures("rows_only")
def test_changing_a_damaged_row_is_refused(sound: Path, path: Path) -> None:
    """A change gives a row a new digest, and must not do so to a damaged one."""
    for change, (statement, act) in CHANGES.items():
        path.write_bytes(sound.read_bytes())
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement).rowcount >= 1, change
        with open_database(path) as database:
            found = database.repository.damage()
            assert found, change
            with pytest.raises(DatabaseCorrupt, match="is not what was stored"):
                act(database.repository)
            assert database.repository.damage() == found, change


def test_lost_games_are_damage_until_they_are_played_again(path: Path) -> None:
    """Those of pairs that are gone are played again; a game whose pair is there is not. A status
    changes nothing: an import or a study plays nothing again."""
    lose = "DELETE FROM game_moves WHERE game_id = :id", "DELETE FROM games WHERE id = :id"
    with closing(sqlite3.connect(path)) as connection, connection:
        for game_id in (5, 6, 7):
            for statement in lose:
                assert connection.execute(statement, {"id": game_id}).rowcount == 1
        connection.execute("DELETE FROM pairs WHERE event_id = 2 AND pair = 0")
    with open_database(path) as database:
        repository = database.repository
        key = repository.event(2).key
        repository.set_status(repository.event(2), "running")
        assert f"event {key}: games: 4 stored, 1 present" in repository.damage()
        assert repository.forget_lost_games(2) == 2
        assert f"event {key}: games: 2 stored, 1 present" in repository.damage()
        assert repository.forget_lost_games(2) == 0


def test_lost_searches_are_damage_until_they_are_repeated(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        lost = connection.execute("DELETE FROM lab_searches WHERE position = 1").rowcount
    with open_database(path) as database:
        repository = database.repository
        repository.set_status(repository.lab_run(1), "running")
        assert any("searches: " in line for line in repository.damage())
        assert repository.forget_lost_lab_searches(1) == lost > 0
        assert repository.damage() == []
