"""Opening: what is made, what is refused, and with which words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from db import session
from db.errors import (
    DatabaseCorrupt,
    DatabaseError,
    DatabaseForeign,
    DatabaseLocked,
    DatabaseMissing,
    DatabaseReadOnly,
    DatabaseUnusable,
    StatementRefused,
)
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.schema import version as schema
from db.schema.declared import EVENT
from db.session import back_up_database, open_database
from db.storage.engine import translate
from db.storage.lock import Holder
from db.storage.log import set_aside_foreign_log
from db.storage.sides import refuse_database

Copy = Callable[[Path], Path]
Fill = Callable[..., EventRecord]
MakeGame = Callable[..., GameRecord]

NOBODY = 65534


def names(folder: Path) -> list[str]:
    """What a folder holds."""
    return sorted(entry.name for entry in folder.iterdir())


def refused(
    path: str | Path,
    kind: type[DatabaseError],
    *words: str,
    create: bool = True,
    read_only: bool = False,
) -> None:
    """Opening raises this error, in one line with these words."""
    with pytest.raises(kind) as caught:
        open_database(path, create=create, read_only=read_only, busy_timeout_s=0.1)
    text = str(caught.value)
    assert "\n" not in text and all(word in text for word in words), text


@pytest.fixture
def bare_folder(copy_empty: Copy, tmp_path: Path) -> Iterator[Path]:
    """A folder in which permissions hold even where the tests run as root."""
    folder = Path(tempfile.mkdtemp()).resolve()
    folder.chmod(0o777)
    copy_empty(folder / "mtdf.db").chmod(0o666)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o777)
        for entry in folder.iterdir():
            entry.unlink()
        folder.rmdir()


def test_first_use_makes_a_database_and_says_so(tmp_path: Path) -> None:
    heard: list[str] = []
    path = tmp_path / "new.db"
    with open_database(path, on_notice=heard.append) as database:
        assert database.path == path
        assert database.schema == schema.SCHEMA
        assert not database.read_only
    assert heard == [f"made {path} (schema {schema.SCHEMA})"]
    assert names(tmp_path) == ["new.db"], "no log and no lock is left behind"
    with open_database(path, on_notice=heard.append):
        pass
    assert len(heard) == 1


def test_sqlite_url_is_a_path(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path}/url.db") as database:
        assert database.path == tmp_path / "url.db"
    assert names(tmp_path) == ["url.db"]


def test_unusual_file_names_work(tmp_path: Path) -> None:
    for name in ("a b%20?mode=ro#x.db", "ü*[1].db", "-x.db"):
        with open_database(tmp_path / name) as database:
            with database.run_lock("r123"):
                assert database.running_events() == {"r123": Holder(os.getpid())}
        with open_database(tmp_path / name, read_only=True) as database:
            assert database.repository.events() == []
    assert len(names(tmp_path)) == 3


def test_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "mtdf.db"
    path.touch()
    with open_database(path) as database:
        assert database.repository.variants() == []


def test_writers_use_a_log_and_check_references(
    tmp_path: Path, commits_wait_for_disk: None
) -> None:
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        with database.repository._store.read() as connection:
            pragmas = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("journal_mode", "foreign_keys", "synchronous", "application_id")
            }
    assert pragmas == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "application_id": schema.APPLICATION_ID,
    }


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_database_is_not_created_unless_requested(tmp_path: Path, options: dict[str, bool]) -> None:
    refused(tmp_path / "no.db", DatabaseMissing, "no database at", "no.db", **options)
    refused(tmp_path / "no" / "no.db", DatabaseMissing, "no database at", **options)
    assert names(tmp_path) == []


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    refused(
        tmp_path / "no" / "mtdf.db",
        DatabaseUnusable,
        "does not exist: create it first",
        str(tmp_path / "no"),
    )
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file" / "mtdf.db", DatabaseUnusable, "does not exist")
    assert names(tmp_path) == ["file"]


def test_names_that_are_not_files_are_refused(tmp_path: Path) -> None:
    refused(tmp_path, DatabaseUnusable, "not a regular file")
    refused("", DatabaseUnusable, "is not a file name")
    refused(":memory:", DatabaseUnusable, "is not a file name")
    refused("sqlite://", DatabaseUnusable, "is not a file name")
    refused("a\0b", DatabaseUnusable, "is not a file name")
    refused(tmp_path / ("x" * 300), DatabaseUnusable, "File name too long")
    (tmp_path / "a.db").symlink_to("b.db")
    (tmp_path / "b.db").symlink_to("a.db")
    for options in ({}, {"read_only": True}, {"create": False}):
        refused(tmp_path / "a.db", DatabaseUnusable, "symbolic links", **options)
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", DatabaseUnusable, "not a regular file")


@pytest.mark.parametrize("options", [{}, {"read_only": True}, {"create": False}])
@pytest.mark.parametrize("content", [b"just text\n", b"SQLite format 2\0" + bytes(5000)])
def test_other_files_are_left_alone(
    tmp_path: Path, content: bytes, options: dict[str, bool]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    refused(path, DatabaseForeign, "is not an SQLite database", **options)
    assert path.read_bytes() == content
    assert names(tmp_path) == ["notes.txt"]


def test_other_databases_are_left_alone(tmp_path: Path) -> None:
    for number, script in enumerate(
        (
            "CREATE TABLE t (a)",
            "CREATE TABLE alembic_version (version_num); "
            "INSERT INTO alembic_version VALUES ('v3.0.0.d')",
            "PRAGMA application_id = 7; CREATE TABLE alembic_version (version_num)",
            "CREATE TABLE alembic_version (version_num)",
        )
    ):
        path = tmp_path / f"{number}.db"
        with closing(sqlite3.connect(path)) as other:
            other.executescript(script)
        before = path.read_bytes()
        refused(path, DatabaseForeign, "database of another program")
        refused(path, DatabaseForeign, "database of another program", read_only=True)
        assert path.read_bytes() == before
        assert names(tmp_path) == [path.name]
        path.unlink()


def damage(path: Path, start: int, end: int | None) -> None:
    """Overwrite a part of a file; without an end, cut it off."""
    data = bytearray(path.read_bytes())
    if end is None:
        del data[start:]
    else:
        data[start:end] = b"\xa5" * (end - start)
    path.write_bytes(data)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(("start", "end"), [(100, 4096), (8192, 60000), (20000, None), (100, None)])
def test_damaged_file_is_refused(
    tmp_path: Path, copy_empty: Copy, start: int, end: int | None, read_only: bool
) -> None:
    path = copy_empty(tmp_path / "mtdf.db")
    damage(path, start, end)
    refused(path, DatabaseCorrupt, "mtdf.db is damaged", read_only=read_only)


def test_damage_found_later_is_reported(
    tmp_path: Path, fill_database: Fill, make_game: MakeGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is not read whole at every opening."""
    monkeypatch.setattr("db.session._CHECKED_ON_OPEN_BYTES", 0)
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        event = fill_database(database)
        pairs = [
            [make_game(event.id, 0, pair, n, search_data=bytes(900)) for n in (1, 2)]
            for pair in range(200)
        ]
        database.repository.commit_pairs(event.id, pairs)
    size = path.stat().st_size
    damage(path, size // 2, size)
    with open_database(path) as database:
        with pytest.raises(DatabaseCorrupt, match="is damaged"):
            list(database.repository.games())
        with pytest.raises(DatabaseCorrupt, match="is damaged"):
            database.check()


def test_sound_database_passes_the_check(tmp_path: Path) -> None:
    with open_database(tmp_path / "mtdf.db") as database:
        database.check()


def test_damaged_text_is_reported(tmp_path: Path, fill_database: Fill) -> None:
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        fill_database(database)
    for value in ("'{broken'", "CAST(x'ff' AS TEXT)"):
        with closing(sqlite3.connect(path)) as other, other:
            other.execute(f"UPDATE events SET settings = {value}")
        with open_database(path) as database:
            with pytest.raises(DatabaseCorrupt, match="is damaged"):
                database.repository.events()


def test_reading_writes_nothing(tmp_path: Path, fill_database: Fill) -> None:
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        event = fill_database(database)
    before = path.read_bytes()
    with open_database(path, read_only=True) as database:
        assert database.read_only
        assert database.repository.events() == [event]
        with open_database(path, read_only=True) as second:
            assert second.repository.events() == [event]
        assert database.repository.events() == [event]
        with pytest.raises(DatabaseReadOnly, match="opened for reading only"):
            database.repository.set_status(event, "done")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["mtdf.db"]


def test_file_without_permission(bare_folder: Path) -> None:
    path = bare_folder / "mtdf.db"
    with open_database(path, read_only=True) as database:
        assert database.repository.events() == []
    with _mode(path, 0o444):
        refused(path, DatabaseReadOnly, "is read-only")
        with open_database(path, read_only=True) as database:
            assert database.repository.events() == []
    with _mode(path, 0o000):
        refused(path, DatabaseUnusable, "cannot open", "Permission denied")
        refused(path, DatabaseUnusable, "Permission denied", read_only=True)


def test_folder_without_permission(bare_folder: Path) -> None:
    path = bare_folder / "mtdf.db"
    with _mode(bare_folder, 0o555):
        refused(path, DatabaseReadOnly, "is read-only")
        refused(bare_folder / "new.db", DatabaseReadOnly, "is read-only")
        with open_database(path, read_only=True) as database:
            assert database.repository.events() == []
    with _mode(bare_folder, 0o000):
        refused(path, DatabaseUnusable, "Permission denied")
    assert names(bare_folder) == ["mtdf.db"]


class _mode:
    """Change a file's permissions for a while, as the user who owns it."""

    def __init__(self, path: Path, mode: int) -> None:
        self._path = path
        self._mode = mode

    def __enter__(self) -> None:
        self._before = self._path.stat().st_mode
        self._change(self._mode)

    def __exit__(self, *_: object) -> None:
        self._change(self._before)

    def _change(self, mode: int) -> None:
        effective = os.geteuid()
        os.seteuid(os.getuid())
        self._path.chmod(mode)
        os.seteuid(effective)


def test_locked_database_can_be_read(tmp_path: Path, fill_database: Fill) -> None:
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        event = fill_database(database)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE events SET name = 'half'")
        with open_database(path, busy_timeout_s=0.1) as database:
            assert database.repository.event(event.id).name == "first"
            with pytest.raises(DatabaseLocked, match="locked by another program"):
                database.repository.set_status(event, "done")
            other.execute("ROLLBACK")
            database.repository.set_status(event, "done")
            assert database.repository.event(event.id).status == "done"


def test_exclusively_locked_database_is_refused(tmp_path: Path, copy_empty: Copy) -> None:
    path = copy_empty(tmp_path / "mtdf.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        refused(path, DatabaseLocked, "locked by another program")
        refused(path, DatabaseLocked, "locked by another program", read_only=True)


def test_writer_waits_for_another(tmp_path: Path, fill_database: Fill, copy_empty: Copy) -> None:
    path = copy_empty(tmp_path / "mtdf.db")
    with (
        open_database(path, busy_timeout_s=300.0) as database,
        closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other,
    ):
        event = fill_database(database)
        other.execute("BEGIN IMMEDIATE")
        held = [True]

        def release() -> None:
            held[0] = False
            other.execute("COMMIT")

        timer = threading.Timer(0.1, release)
        timer.start()
        database.repository.set_status(event, "done")
        assert not held[0]
        timer.join()
        assert database.repository.event(event.id).status == "done"


def test_full_disk_is_reported(tmp_path: Path, fill_database: Fill, make_game: MakeGame) -> None:
    with open_database(tmp_path / "mtdf.db") as database:
        event = fill_database(database)
        with database.repository._store.read() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")  # SQLite makes it the size now
        games = [make_game(event.id, 0, 0, n, search_data=bytes(100_000)) for n in (1, 2)]
        with pytest.raises(DatabaseUnusable, match="the disk is full"):
            database.repository.commit_pairs(event.id, [games])
        assert database.repository.finished_pairs(event.id) == set()


def test_invalid_urls_are_refused(tmp_path: Path) -> None:
    refused("nonsense://x", DatabaseUnusable, "database URL")
    refused("postgresql+nodriver://x/y", DatabaseUnusable, "database URL")
    refused(
        "postgresql://u:half@rest@host/x", DatabaseUnusable, "write the `@` of a password as %40"
    )
    refused("postgresql://u@host:54x/x", DatabaseUnusable, "must have the form")
    refused("://", DatabaseUnusable, "database URL")


def test_missing_driver_is_reported_with_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        with pytest.raises(DatabaseUnusable) as caught:
            open_database(f"{scheme}://user:hush@nowhere/x")
        said = str(caught.value)
        assert said == (
            "database URL: the driver psycopg is not installed: pip install 'mtdf[postgres]'"
        )


def test_other_servers_and_drivers_are_refused() -> None:
    for scheme in ("mysql", "postgresql+psycopg2", "oracle"):
        with pytest.raises(DatabaseUnusable) as caught:
            open_database(f"{scheme}://user:hush@nowhere/x")
        assert str(caught.value) == (
            f"database URL: `{scheme}` is not supported: give a path, or "
            "postgresql+psycopg://host/database"
        )


def test_server_that_does_not_answer() -> None:
    cause = ConnectionRefusedError("connection refused\nIs the server running?")
    error = OperationalError("SELECT 1", {}, cause)
    told = translate(error, "postgresql://host/mtdf")
    assert isinstance(told, DatabaseUnusable)
    assert str(told) == "postgresql://host/mtdf: connection refused"


def test_damaged_json_is_damage(tmp_path: Path, fill_database: Fill) -> None:
    path = tmp_path / "mtdf.db"
    with open_database(path) as database:
        fill_database(database)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET settings = '{broken'")
    with open_database(path) as database, pytest.raises(DatabaseCorrupt, match="malformed JSON"):
        limits = select(EVENT.c.settings["limit"]["nodes"].as_integer())
        with database.repository._store.read() as connection:
            connection.execute(limits).all()


@pytest.mark.parametrize("statement", ["select '\ud800'", "\udfff"])
def test_statement_of_invalid_unicode_is_refused(tmp_path: Path, statement: str) -> None:
    with open_database(tmp_path / "mtdf.db") as database:
        with pytest.raises(StatementRefused, match=r"not valid Unicode: it contains '.u\w{4}'\Z"):
            with database.ask(statement):
                pass


def test_failed_start_removes_only_what_it_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not an empty file that was there, a link, or a file that took the place of its own."""
    there, link = tmp_path / "there.db", tmp_path / "link.db"
    there.touch()
    link.symlink_to("there.db")
    (tmp_path / "new link.db").symlink_to("new.db")

    def fail(*_: object, **__: object) -> None:
        raise DatabaseUnusable("no engine")

    monkeypatch.setattr(session, "_opened", fail)
    for name in ("there.db", "link.db", "new.db", "new link.db"):
        refused(tmp_path / name, DatabaseUnusable, "no engine")
    assert names(tmp_path) == ["link.db", "new link.db", "there.db"]

    def replace(*_: object, **__: object) -> None:
        (tmp_path / "new.db").rename(tmp_path / "moved.db")
        (tmp_path / "new.db").touch()
        raise DatabaseUnusable("no engine")

    monkeypatch.setattr(session, "_opened", replace)
    refused(tmp_path / "new.db", DatabaseUnusable, "no engine")
    assert names(tmp_path) == ["link.db", "moved.db", "new link.db", "new.db", "there.db"]


def test_file_with_several_names_is_refused(tmp_path: Path, copy_empty: Copy) -> None:
    """Each name would have a log and locks: two processes would play one event."""
    path, other = copy_empty(tmp_path / "a.db"), tmp_path / "b.db"
    link = tmp_path / "link.db"
    link.symlink_to("a.db")
    open_database(link).close()
    os.link(path, other)
    before = path.read_bytes()
    for name in (path, other, link):
        for read_only in (False, True):
            refused(name, DatabaseUnusable, name.name, "2 names", "hard links", read_only=read_only)
        with pytest.raises(DatabaseUnusable, match="2 names"):
            back_up_database(name, tmp_path / "copy.db")
    assert path.read_bytes() == before and names(tmp_path) == ["a.db", "b.db", "link.db"]
    other.unlink()
    open_database(path).close()


def test_log_of_another_file_is_never_applied(
    tmp_path: Path, copy_empty: Copy, fill_database: Fill, make_game: MakeGame
) -> None:
    """A killed process leaves a log, and a backup is put in the place of its file: whether it was
    made by us, or copied before the process began, or while it ran; or it is another database, or
    a copy that was played on elsewhere."""
    live, copied, own = (tmp_path / name for name in ("live.db", "copied.db", "own.db"))
    copy_empty(live)
    with open_database(live) as database:
        event = fill_database(database)
    shutil.copyfile(live, copied)
    late, unlike, elsewhere = (tmp_path / f"{name}.db" for name in ("late", "unlike", "elsewhere"))
    with open_database(unlike) as database:
        fill_database(database)
        unlike_games = list(database.repository.games())
    shutil.copyfile(live, elsewhere)
    with open_database(elsewhere) as database:  # as many transactions as the log will have
        for pair in (0, 1):
            games = [make_game(event.id, 0, pair, n) for n in (1, 2)]
            database.repository.commit_pairs(event.id, [games])
        elsewhere_games = list(database.repository.games())
    killed = tmp_path / "killed"
    killed.mkdir()
    with open_database(live) as database:
        database.repository.commit_pairs(event.id, [[make_game(event.id, 0, 0, n) for n in (1, 2)]])
        back_up_database(live, own)
        with closing(sqlite3.connect(live)) as other:
            other.execute("PRAGMA wal_checkpoint(FULL)")
        shutil.copyfile(live, late)  # with the log's first half in it
        database.repository.commit_pairs(event.id, [[make_game(event.id, 0, 1, n) for n in (1, 2)]])
        for path in tmp_path.glob("live.db*"):
            shutil.copyfile(path, killed / path.name.replace("live", "m"))
        games = list(database.repository.games())
    assert len(games) == 4
    log = (killed / "m.db-wal").read_bytes()
    for backup, wanted, applied in (
        (killed / "m.db", games, True),
        (late, games, True),
        (copied, [], False),
        (own, games[:2], False),
        (unlike, unlike_games, False),
        (elsewhere, elsewhere_games, False),
    ):
        folder = tmp_path / f"with {backup.stem}"
        shutil.copytree(killed, folder)
        shutil.copyfile(backup, folder / "m.db")
        heard: list[str] = []
        with open_database(folder / "m.db", on_notice=heard.append) as database:
            assert list(database.repository.games()) == wanted, backup
            assert database.repository.damage() == []
        assert len(heard) == (not applied), (backup, heard)
        if not applied:
            assert "m.db replaced a file whose log is kept as" in heard[0]
            assert (folder / "m.db-wal.old").read_bytes() == log


def test_log_of_a_file_that_was_moved_away_is_kept(
    tmp_path: Path, copy_empty: Copy, fill_database: Fill
) -> None:
    """SQLite removes a log beside an empty file: a killed run's games would be lost."""
    live = copy_empty(tmp_path / "live.db")
    with open_database(live) as database:
        fill_database(database)
        log = Path(f"{live}-wal").read_bytes()
    assert log
    for name in ("missing", "empty"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "m.db-wal").write_bytes(log)
        if name == "empty":
            (folder / "m.db").touch()
        heard: list[str] = []
        open_database(folder / "m.db", on_notice=heard.append).close()
        assert "m.db replaced a file whose log is kept as" in heard[0], name
        assert (folder / "m.db-wal.old").read_bytes() == log, name


@pytest.mark.slow
def test_looking_at_an_open_file_gives_back_no_locks(
    tmp_path: Path, copy_empty: Copy, fill_database: Fill
) -> None:
    """Another process would think it was the last one, and remove the log that is written to."""
    path = copy_empty(tmp_path / "m.db")
    other = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('CREATE TABLE t (a)')"
    with open_database(path) as database:
        fill_database(database)
        with pytest.raises(OSError, match="SQLite database"):
            refuse_database(path)
        open_database(path, read_only=True).close()
        subprocess.run([sys.executable, "-c", other, path], check=True)
        assert Path(f"{path}-wal").exists()


def test_log_in_use_stays(tmp_path: Path, copy_empty: Copy, fill_database: Fill) -> None:
    """Whoever put another file below a running program: its log is not taken away."""
    path, backup = copy_empty(tmp_path / "m.db"), tmp_path / "backup.db"
    shutil.copyfile(path, backup)
    with open_database(path) as database:
        event = fill_database(database)
    with open_database(path) as database:
        database.repository.set_status(event, "running")
        shutil.copyfile(backup, path)
        assert set_aside_foreign_log(path) is None
        assert (tmp_path / "m.db-wal").stat().st_size
