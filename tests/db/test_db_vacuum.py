"""Vacuuming: the file shrinks, alone, and only where the disk has room."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from db.errors import DatabaseLocked, DatabaseReadOnly, DatabaseUnusable
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import Database, open_database


class Usage(NamedTuple):
    """What ``shutil.disk_usage`` gives."""

    total: int
    used: int
    free: int


@pytest.fixture(scope="module")
def stored(
    tmp_path_factory: pytest.TempPathFactory,
    copy_empty: Callable[[Path], Path],
    fill_database: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> Path:
    """A database from which an event with some hundred kilobytes of games was removed."""
    file = copy_empty(tmp_path_factory.mktemp("stored") / "mtdf.db")
    with open_database(file) as database:
        event = fill_database(database)
        pairs = [
            [make_game(event.id, 0, pair, n, search_data=b"\x01" * 2000) for n in (1, 2)]
            for pair in range(100)
        ]
        database.repository.commit_pairs(event.id, pairs)
        kept = database.repository.create_event(event, database.repository.event_players(event.id))
        database.repository.commit_pairs(kept.id, [[make_game(kept.id, 0, 0, n) for n in (1, 2)]])
        database.repository.remove_runs([event])
    return file


@pytest.fixture
def path(stored: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copyfile(stored, tmp_path / "mtdf.db")


def test_vacuum_shrinks_the_file(path: Path) -> None:
    before = path.stat().st_size
    with open_database(path) as database:
        games = list(database.repository.games())
        assert database.vacuum()
        assert path.stat().st_size < before - 300_000
        database.check()
        assert database.repository.damage() == []
        assert list(database.repository.games()) == games and len(games) == 2


def test_file_does_not_shrink_while_it_is_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM games").fetchone()
        with open_database(path, busy_timeout_s=0.1) as database:
            assert not database.vacuum()
    before = path.stat().st_size
    with open_database(path) as database:
        assert len(list(database.repository.games())) == 2
    assert path.stat().st_size <= before


def test_vacuum_is_refused_while_events_run_or_others_write(path: Path) -> None:
    before = path.read_bytes()
    with open_database(path, busy_timeout_s=0.1) as database:
        key = database.repository.events()[0].key
        with database.run_lock(key), pytest.raises(DatabaseLocked) as caught:
            database.vacuum()
        assert f"a running event ({key}" in str(caught.value)
        assert "can be vacuumed when the event has ended" in str(caught.value)
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseLocked, match="is locked by another program"):
                database.vacuum()
    assert path.read_bytes() == before


def test_events_cannot_start_during_vacuum(path: Path) -> None:
    with open_database(path) as database, database.whole_lock("vacuumed"):
        with pytest.raises(DatabaseLocked, match="is being upgraded or vacuumed"):
            database.run_lock("r123").acquire()
        with pytest.raises(DatabaseLocked, match="is being vacuumed by another process"):
            database.vacuum()


def test_vacuum_needs_free_disk_space(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    with open_database(path) as database:
        used = database._store.used_bytes()
        assert 20_000 < used < path.stat().st_size - 300_000
        # Enough for one copy of the content, not for two on one disk.
        free = int(1.5 * used)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - free, free))
        monkeypatch.setenv("SQLITE_TMPDIR", str(path.parent))
        with pytest.raises(DatabaseUnusable, match="vacuuming needs .* nothing was changed"):
            database.vacuum()
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 0, 3 * used))
        assert path.read_bytes() == before
        assert database.vacuum()


def test_read_only_file_is_not_vacuumed(path: Path) -> None:
    before = path.read_bytes()
    with open_database(path, read_only=True) as database:
        with pytest.raises(DatabaseReadOnly):
            database.vacuum()
    assert path.read_bytes() == before


def test_vacuum_is_refused_on_a_server(database: Database) -> None:
    if database.path is None:
        with pytest.raises(DatabaseUnusable, match="reuses space by itself"):
            database.vacuum()
    else:
        assert database.vacuum()
