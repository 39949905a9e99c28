"""No output replaces a database or its files; killed writers leave no file behind."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from db.storage.sides import SQLITE_MAGIC
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.files import check_place, check_writable, write_output


def test_outputs_never_replace_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor its log, the log's index and its locks, there or not, by whatever path."""
    monkeypatch.chdir(tmp_path)
    database = SQLITE_MAGIC + bytes(4080)
    Path("m.db").write_bytes(database)
    (tmp_path / "m.db-wal").write_text("log")
    (tmp_path / "link.pgn").symlink_to("m.db")
    (tmp_path / "log.pgn").symlink_to("m.db-wal")
    os.link("m.db", "other.pgn")
    itself = ("m.db", "./m.db", "link.pgn", "other.pgn", "../" + tmp_path.name + "/m.db")
    sides = ("m.db-wal", "log.pgn", "m.db-shm", "m.db-journal", "m.db.lock", "m.db.r3f9.lock")
    before = sorted(tmp_path.iterdir())
    for name in (*itself, *sides):
        reason = "is an SQLite database" if name in itself else "belongs to the database m.db"
        for write, error in (
            (lambda path: write_output(path, "games"), OperationFailed),
            (check_place, UsageError),
            (check_writable, OSError),
        ):
            with pytest.raises(error, match=reason):
                write(Path(name))
    assert sorted(tmp_path.iterdir()) == before
    assert Path("m.db").read_bytes() == database and Path("m.db-wal").read_text() == "log"
    for name in ("games.db.lock", "games-wal", "m.dbx", "m.db.pgn"):
        write_output(name, "games")  # no database has these


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    """Others' files are not: nor what another process is writing, which is an error."""
    for name in ("a.pgn.123.part", "a.pgn.123.part-journal", "b.pgn.123.part", "a.pgn.part"):
        (tmp_path / name).write_text("[Event")
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "a.pgn.7.part").symlink_to("victim")
    (tmp_path / f"c.pgn.{os.getpid()}.part").symlink_to("victim")
    write_output(tmp_path / "a.pgn", "games")
    with pytest.raises(OperationFailed, match="cannot write .*c.pgn: File exists"):
        write_output(tmp_path / "c.pgn", "games")
    left = {path.name for path in tmp_path.iterdir() if not path.is_symlink()}
    assert left == {"a.pgn", "a.pgn.part", "b.pgn.123.part", "victim"}
    assert (tmp_path / "victim").read_text() == "mine"
    with (tmp_path / "b.pgn.123.part").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OperationFailed, match="b.pgn: another process is writing it"):
            write_output(tmp_path / "b.pgn", "games")
    assert not (tmp_path / "b.pgn").exists()
