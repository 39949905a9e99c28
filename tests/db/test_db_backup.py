"""Copies of a database that is in use: one state of it, whole under their name or not there."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from db.errors import DatabaseCorrupt, DatabaseLocked, DatabaseMissing, DatabaseUnusable
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.schema import version as schema
from db.session import back_up_database, open_database
from db.storage import backup

Make = Callable[..., GameRecord]
PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def stored(
    tmp_path_factory: pytest.TempPathFactory,
    copy_empty: Callable[[Path], Path],
    fill_database: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> Path:
    """A database with some hundred kilobytes of games."""
    file = copy_empty(tmp_path_factory.mktemp("stored") / "mtdf.db")
    with open_database(file) as database:
        event = fill_database(database)
        pairs = [
            [make_game(event.id, 0, pair, n, search_data=b"\x01" * 2000) for n in (1, 2)]
            for pair in range(100)
        ]
        database.repository.commit_pairs(event.id, pairs)
    return file


@pytest.fixture
def path(stored: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copyfile(stored, tmp_path / "mtdf.db")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_copy_has_all_games_and_no_log(path: Path) -> None:
    target = path.with_name("copy.db")
    name, size = back_up_database(str(path), target)
    assert (name, size) == (str(path), target.stat().st_size)
    assert names(path.parent) == {"mtdf.db", "copy.db"}
    with open_database(path) as here, open_database(target) as there:
        assert list(here.repository.games()) == list(there.repository.games())
        assert there.repository.damage() == []


def test_backup_ends_while_others_write(
    path: Path, make_game: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step of the copy comes after another commit: a copy that begins again with each would
    never end. What is copied is the state at the beginning."""
    monkeypatch.setattr(backup, "_STEP_BYTES", 65_536)
    target = path.with_name("copy.db")
    commits = 0
    with open_database(path) as database:
        (event,) = database.repository.events()
        before = list(database.repository.games())

        def commit(done: int, size: int) -> None:
            nonlocal commits
            pair = [make_game(event.id, 0, 100 + commits, n) for n in (1, 2)]
            database.repository.commit_pairs(event.id, [pair])
            commits += 1

        back_up_database(path, target, on_progress=commit)
        assert commits > 10
        assert database.repository.count_games() == len(before) + 2 * commits
    with open_database(target) as copy:
        assert list(copy.repository.games()) == before
        copy.check()
        assert copy.repository.damage() == []


def test_writer_does_not_wait_for_backup(path: Path, make_game: Make) -> None:
    """A commit in the middle of a copy, with no patience at all."""
    began, go_on = threading.Event(), threading.Event()

    def hold(done: int, size: int) -> None:
        began.set()
        assert go_on.wait(PATIENCE_S)

    target = path.with_name("copy.db")
    thread = threading.Thread(
        target=back_up_database, args=(path, target), kwargs={"on_progress": hold}
    )
    thread.start()
    assert began.wait(PATIENCE_S)
    assert not target.exists()
    with open_database(path, busy_timeout_s=0.0) as database:
        (event,) = database.repository.events()
        games = [make_game(event.id, 0, 100, n) for n in (1, 2)]
        database.repository.commit_pairs(event.id, [games])
    go_on.set()
    thread.join()
    assert target.exists()


def test_running_event_is_interrupted_in_the_copy(path: Path) -> None:
    from toolkit.runs.lifecycle import lock_of, shown_status

    target = path.with_name("copy.db")
    with open_database(path) as database:
        (event,) = database.repository.events()
        with lock_of(database, event):
            database.repository.set_status(event, "running")
            back_up_database(path, target)
            with open_database(target) as copy:
                (copied,) = copy.repository.events()
                assert copied.status == "running" and shown_status(copy, copied) == "interrupted"
                assert copy.running_events() == {}


def test_older_schema_is_copied_unchanged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = path.with_name("copy.db")
    before = path.read_bytes()
    monkeypatch.setattr(schema, "SCHEMA", "99.0.0")
    back_up_database(path, target)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(target)) as connection:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert found == ("0.1.0",)


def test_existing_files_are_kept_without_replace(path: Path) -> None:
    target = path.with_name("copy.db")
    target.write_bytes(path.read_bytes())
    with pytest.raises(DatabaseUnusable, match="exists: give another name, or --force"):
        back_up_database(path, target)
    other = path.with_name("notes.txt")
    other.write_text("notes")
    with pytest.raises(DatabaseUnusable, match="is no SQLite database, and is kept"):
        back_up_database(path, other, replace=True)
    assert other.read_text() == "notes"
    link = path.with_name("link.db")
    link.symlink_to(path)
    for same in (path, link):
        with pytest.raises(DatabaseUnusable, match="is the database itself"):
            back_up_database(path, same, replace=True)
    link.unlink()
    target.write_bytes(b"")
    back_up_database(path, target, replace=True)
    assert names(path.parent) == {"mtdf.db", "copy.db", "notes.txt"}
    with open_database(target) as copy:
        assert copy.repository.count_games() == 200


def test_target_with_a_log_is_refused(path: Path) -> None:
    """SQLite would replay the log into the copy."""
    target = path.with_name("copy.db")
    back_up_database(path, target)
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE more (a)")
        with pytest.raises(DatabaseUnusable, match="copy.db-wal exists, so another program uses"):
            back_up_database(path, target, replace=True)
    path.with_name("new.db-journal").write_bytes(b"")
    with pytest.raises(DatabaseUnusable, match="new.db-journal exists"):
        back_up_database(path, path.with_name("new.db"))


def test_second_backup_to_the_same_file_is_refused(path: Path) -> None:
    target = path.with_name("copy.db")

    def again(done: int, size: int) -> None:
        with pytest.raises(DatabaseLocked, match=r"another process is writing .*copy.db: wait"):
            back_up_database(path, target)

    back_up_database(path, target, on_progress=again)
    assert names(path.parent) == {"mtdf.db", "copy.db"}


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        (".", "exists: give another name"),
        ("nowhere/copy.db", "No such file or directory"),
        ("", "is not a file name"),
        ("postgresql://host/name", "is a server"),
    ],
)
def test_invalid_targets_are_refused(path: Path, target: str, problem: str) -> None:
    with pytest.raises(DatabaseUnusable, match=problem):
        back_up_database(path, target and (target if "//" in target else str(path.parent / target)))
    assert names(path.parent) == {"mtdf.db"}


def test_invalid_sources_are_refused(path: Path) -> None:
    target = path.with_name("copy.db")
    with pytest.raises(DatabaseUnusable, match="its tool for backups is pg_dump"):
        back_up_database("postgresql://me:secret@host/name", target)
    with pytest.raises(DatabaseMissing):
        back_up_database(path.with_name("none.db"), target)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 100_000] = bytes(100_000)
    path.write_bytes(data)
    with pytest.raises(DatabaseCorrupt, match="mtdf.db is damaged"):
        back_up_database(path, target)
    assert names(path.parent) == {"mtdf.db"}


def test_full_disk_leaves_the_target_unchanged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noticed before the copy, and in its middle."""
    target = path.with_name("copy.db")
    free = shutil.disk_usage(path.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free._replace(free=100_000))
    with pytest.raises(DatabaseUnusable, match="a copy of mtdf.db needs .* nothing was changed"):
        back_up_database(path, target)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    back_up_database(path, target)
    before = target.read_bytes()

    def fill(done: int, size: int) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with pytest.raises(DatabaseUnusable, match="cannot write the backup .*disk is full"):
        back_up_database(path, target, replace=True, on_progress=fill)
    assert target.read_bytes() == before and names(path.parent) == {"mtdf.db", "copy.db"}


_WAITING = """
import sys
from db.session import back_up_database
from db.storage import backup
from db.schema import version as schema
backup._STEP_BYTES = 4096
def wait(done, size):
    print(done, flush=True)
    sys.stdin.readline()
back_up_database(sys.argv[1], sys.argv[2], on_progress=wait)
"""


@pytest.mark.slow
def test_killed_backup_leaves_no_target(path: Path) -> None:
    """What is left has another name, and the next copy uses its place."""
    target = path.with_name("copy.db")
    words = [sys.executable, "-c", _WAITING, str(path), str(target)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline()
            process.stdin.write("go on\n")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not target.exists() and list(path.parent.glob("copy.db.*.part"))
    back_up_database(path, target)
    left = names(path.parent) - {"mtdf.db-wal", "mtdf.db-shm"}
    assert left == {"mtdf.db", "copy.db"}


def test_backup_pauses_between_steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(backup, "_STEP_BYTES", 8192)
    own = SimpleNamespace(monotonic=time.monotonic, sleep=slept.append)
    monkeypatch.setattr(backup, "time", own)
    back_up_database(path, path.with_name("copy.db"))
    assert len(slept) > 20 and all(pause > 0 for pause in slept)
    slept.clear()
    kept = backup.make_backup(path, "0.1.0")
    assert kept.name == "mtdf.db.bak-v0.1.0" and not any(slept)
    assert os.stat(kept).st_size == path.stat().st_size
