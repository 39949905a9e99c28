"""The database file deleted, renamed or replaced while a run writes to it: the run ends in one
line, and another database at that path stays as it is."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from db.errors import DatabaseMoved
from db.records.openings import BookRecord, OpeningRecord
from db.session import Database, open_database
from db.storage.open_file import OpenFile
from engines.limit import Limit
from engines.variant import parse_variant
from toolkit.base.errors import ExitCode, exit_code_of
from toolkit.books.book import package_book
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings
from toolkit.lab.plan import compare_plan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import start_lab
from toolkit.referee.adjudication import Adjudication
from toolkit.tuning.study.request import StudyKeywords, make_settings
from toolkit.tuning.study.run import run_study

Progress = Callable[[Any], None]


def play(db: Database, on_progress: Progress) -> Any:
    """An event of some pairs."""
    settings = match_settings(
        *("pvs:hash=1", "alphabeta:hash=1"),
        pairs=6,
        limit=Limit(depth=1),
        book=package_book("default-500"),
        adjudication=Adjudication(max_plies=4, draw=None, resign=None),
    )
    return start_event(db, settings, on_progress=on_progress)


def tune(db: Database, on_progress: Progress) -> Any:
    """A study of a function."""
    options = StudyKeywords(
        parameters=["x=-100..100", "y=0.0..1.0"],
        objective="simulated:landscape_of_two:ordered",
        budget_pairs=200,
        seed=3,
        sampler="spsa",
        name="s",
    )
    return run_study(db, make_settings(**options), on_progress=on_progress)


def search(db: Database, on_progress: Progress) -> Any:
    """A comparison in the laboratory."""
    plan = compare_plan(
        [parse_variant("mtdf:entries=2^12,eval=pst")], load_suite("lab-60", 3), (1,)
    )
    return start_lab(db, plan, name="moved", on_progress=on_progress)


RUNS = {"event": (play, 2), "study": (tune, 3), "laboratory": (search, 1)}
"""What runs, and at which progress the file is moved."""


def delete(path: Path, _: Path) -> None:
    path.unlink()


def rename(path: Path, _: Path) -> None:
    path.rename(path.with_name("kept.db"))


def replace(path: Path, other: Path) -> None:
    path.rename(path.with_name("kept.db"))
    shutil.copyfile(other, path)


def overwrite(path: Path, other: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copyfile(other, copy)
    copy.replace(path)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another database, in one file."""
    path = tmp_path / "other.db"
    with open_database(path) as db:
        add_book(db, "small")
    assert list(tmp_path.iterdir()) == [path]
    return path


def add_book(db: Database, name: str) -> None:
    """Store a book of one line."""
    line = OpeningRecord(1, "start", b"\0\0", "end", "")
    db.repository.add_book(BookRecord(name, name, "", 1), [line])


def opened(path: Path) -> tuple[Any, list[Any], list[str]]:
    """What SQLite says of a file, how many trials, games and searches it has, and its books."""
    with closing(sqlite3.connect(path)) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchone()
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("games", "tuning_trials", "lab_searches")
        ]
        books = [name for (name,) in connection.execute("SELECT name FROM books")]
        return whole, counts, books


@pytest.mark.parametrize(
    ("run", "move"),
    [
        *(("event", move) for move in (delete, rename, replace, overwrite)),
        *(("study", rename), ("laboratory", rename)),
    ],
)
def test_run_on_moved_file_stops_and_touches_no_other_file(
    move: Callable[[Path, Path], None],
    run: str,
    other: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "tuning"))
    path, kept = tmp_path / "mtdf.db", tmp_path / "kept.db"
    begin, moment = RUNS[run]
    seen = 0

    def on_progress(_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            move(path, other)

    with pytest.raises(DatabaseMoved) as caught, open_database(path) as db:
        begin(db, on_progress)
    line = str(caught.value)
    said = f"{path} was moved, replaced or deleted while it was in use"
    assert line == said + (f"; all data is in {kept}" if kept.exists() else "")
    assert exit_code_of(caught.value) == ExitCode.DATABASE
    assert kept.exists() == (move in (rename, replace))
    assert path.exists() == (move in (replace, overwrite))
    if path.exists():
        assert path.read_bytes() == other.read_bytes()
        assert opened(path) == (("ok",), [0, 0, 0], ["small"])
        assert path.read_bytes() == other.read_bytes()
    else:
        assert not list(tmp_path.glob("mtdf.db-*"))
    if kept.exists():
        whole, counts, _ = opened(kept)
        assert whole == ("ok",) and (sum(counts) > 0 or run == "laboratory")
        with open_database(kept) as db:
            assert db.repository.damage() == []
    assert not list(tmp_path.glob("*.lock"))


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system that does not say which files a process has open."""
    monkeypatch.setattr("db.storage.open_file._DESCRIPTORS", tmp_path / "no" / "fd")


@pytest.mark.usefixtures("untold")
@pytest.mark.parametrize("move", [delete, rename, replace])
def test_moved_file_is_noticed_without_open_file_list(
    move: Callable[[Path, Path], None], other: Path, tmp_path: Path
) -> None:
    """Nothing is claimed of the file, and its log is taken away all the same."""
    path, kept = tmp_path / "mtdf.db", tmp_path / "kept.db"
    with pytest.raises(DatabaseMoved) as caught, open_database(path) as db:
        add_book(db, "small")
        move(path, other)
        add_book(db, "later")
    assert str(caught.value).endswith("while it was in use")
    if move is replace:
        assert path.read_bytes() == other.read_bytes() and opened(path)[2] == ["small"]
    else:
        assert not list(tmp_path.glob("mtdf.db*"))
    if kept.exists():
        assert opened(kept)[2] == ["small"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds readers of a log does not wait for them."""
    monkeypatch.setattr("db.storage.open_file._PATIENCE_MS", 0)


@contextmanager
def replaced_while_read(path: Path, other: Path) -> Iterator[None]:
    """A database whose file is replaced and closed while a reader holds its log."""
    db = open_database(path)
    add_book(db, "small")
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM books").fetchone() == (1,)
        add_book(db, "late")
        replace(path, other)
        with pytest.raises(DatabaseMoved):
            add_book(db, "later")
        db.close()
        yield


@pytest.mark.usefixtures("untold", "impatient")
def test_log_in_use_is_kept_apart(other: Path, tmp_path: Path) -> None:
    path = tmp_path / "mtdf.db"
    with replaced_while_read(path, other):
        assert (tmp_path / "mtdf.db.moved-wal").stat().st_size > 0
    assert path.read_bytes() == other.read_bytes() and opened(path)[2] == ["small"]


@pytest.mark.parametrize(
    "problem", [sqlite3.OperationalError("disk I/O error"), OSError(28, "full")]
)
def test_later_failure_does_not_hide_moved_file(
    problem: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    path = tmp_path / "mtdf.db"
    with pytest.raises(DatabaseMoved), open_database(path) as db:
        add_book(db, "small")
        rename(path, path)
        monkeypatch.setattr(OpenFile, "_take_side_files", fail)
        add_book(db, "later")


@pytest.mark.usefixtures("impatient")
def test_reader_of_old_file_keeps_its_log(other: Path, tmp_path: Path) -> None:
    """A reader hinders the log from being emptied; then it follows its file."""
    path, kept = tmp_path / "mtdf.db", tmp_path / "kept.db"
    with replaced_while_read(path, other):
        pass
    assert path.read_bytes() == other.read_bytes()
    assert opened(path)[2] == ["small"]
    assert opened(kept)[2] == ["small", "late"]


def test_reader_is_not_disturbed(tmp_path: Path) -> None:
    """Who only reads sees what was opened to the end."""
    path = tmp_path / "mtdf.db"
    with open_database(path) as db:
        add_book(db, "small")
    with open_database(path, read_only=True) as db:
        path.rename(tmp_path / "kept.db")
        assert db.repository.book("small").name == "small"
