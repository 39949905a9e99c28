"""Databases to test on, and records to fill them with. What takes the fixture ``database`` is the
contract of the repository: it is tested on SQLite, and by the slow tests on PostgreSQL."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from db import session
from db.records.engines import VariantRecord
from db.records.events import EventPlayerRecord, EventRecord
from db.records.games import GameRecord
from db.records.openings import BookRecord, OpeningRecord
from db.records.studies import StudyRecord
from db.schema import version as schema
from db.session import Database, open_database
from db.storage import file_lock

REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "99.0.0"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("event_players", recreate={recreate}) as batch:
        batch.add_column(sa.Column("colour", sa.String(), server_default="red"))
    {last}
"""
ROWS = Path(__file__).with_name("data") / "rows.sql"
BOOK = BookRecord("feedbeef", "small", "small.epd", 2)
OPENINGS = [
    OpeningRecord(1, "start w", b"\x0c\x07", "after e4 b", "Open"),
    OpeningRecord(2, "start w", b"\x0b\x06", "after d4 b"),
]


@pytest.fixture(autouse=True)
def held_locks_are_not_awaited(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody but the test gives a lock back; in slow tests there are other processes."""
    if "slow" not in request.keywords:
        monkeypatch.setattr(file_lock, "PATIENCE_S", 0.0)
        monkeypatch.setattr(session, "_WHOLE_PATIENCE_S", 0.0)


def identity(letter: str) -> str:
    """The identity of the variant that tests call by a letter."""
    return letter.lower() * 16


def variant(letter: str) -> VariantRecord:
    """A variant whose label in events is the letter."""
    return VariantRecord(
        identity(letter), "native", "mtdf", {"guess": letter, "hash": 16}, f"mtdf:guess={letter}"
    )


def event_record(**changes: Any) -> EventRecord:
    """An event as it is before it is stored."""
    record = EventRecord(
        id=0,
        key="",
        name="first",
        kind="gauntlet",
        status="planned",
        settings={"limit": {"nodes": 1000}, "pairs": 2},
        seed=7,
        pairs_planned=2,
        pairs_done=0,
        pairs_failed=0,
        created_at="2026-11-21T10:00:00.000Z",
        started_at=None,
        ended_at=None,
        version="0.1.0",
        backend="native",
        signature="0123456789abcdef",
        host="tower",
    )
    return replace(record, **changes)


def study_record(**changes: Any) -> StudyRecord:
    """A study as it is before it is stored."""
    record = StudyRecord(
        id=0,
        name="lmr",
        status="planned",
        settings={"sampler": "spsa"},
        created_at="2026-11-21T12:30:00.000Z",
        started_at=None,
        ended_at=None,
        version="0.1.0",
        backend="native",
        signature="0123456789abcdef",
        host="tower",
    )
    return replace(record, **changes)


def game_record(event_id: int, pairing: int, pair: int, game: int, **changes: Any) -> GameRecord:
    """A game of A with White against B, or, the second of a pair, of B against A."""
    white, black = ("A", "B") if game == 1 else ("B", "A")
    record = GameRecord(
        id=0,
        event_id=event_id,
        pairing=pairing,
        pair=pair,
        game=game,
        white=white,
        black=black,
        white_id=identity(white),
        black_id=identity(black),
        book_id=BOOK.id,
        opening_line=1,
        start_fen=OPENINGS[0].fen,
        result="1/2-1/2",
        end_reason="threefold-repetition",
        plies=3,
        moves=b"\x01\x02\x03\x04\x05\x06",
        moves_version=1,
        search_data=b"\x00\xff",
        search_version=1,
        white_nodes=2**40,
        black_nodes=2,
        white_cpu_us=3,
        black_cpu_us=4,
        started_at="2026-11-21T10:02:30.123Z",
        ended_at="2026-11-21T10:02:31.999Z",
        host="tower",
        load=0.25,
        jobs=2,
        backend="native",
        signature="0123456789abcdef",
        version="0.1.0",
        seed=7,
        game_key=None,
    )
    return replace(record, **changes)


def fill(database: Database, letters: str = "AB") -> EventRecord:
    """Store variants, the book and one event of these players."""
    repository = database.repository
    repository.add_variants(variant(letter) for letter in letters)
    repository.add_book(BOOK, OPENINGS)
    players = [EventPlayerRecord(i, letter, identity(letter)) for i, letter in enumerate(letters)]
    return repository.create_event(event_record(book_id=BOOK.id), players)


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Become a later program, with one schema more that rebuilds a table others refer to."""

    def become(last: str = "pass", recreate: str = "always") -> None:
        scripts = tmp_path / "migrations"
        shutil.copytree(schema.MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
        text = REVISION.format(before=schema.SCHEMA, last=last, recreate=repr(recreate))
        (scripts / "versions" / "later.py").write_text(text)
        monkeypatch.setattr(schema, "SCHEMA", "99.0.0")
        monkeypatch.setattr(schema, "MIGRATIONS", scripts)

    return become


@pytest.fixture(scope="session")
def rich_file(empty_file: Path) -> Path:
    """A database with a match played twice, an import, a comparison of the laboratory, a study
    with games, and rating lists, as commands have left them; to copy."""
    template = shutil.copyfile(empty_file, empty_file.with_name("rich.db"))
    with closing(sqlite3.connect(template)) as connection:
        connection.executescript(ROWS.read_text(encoding="utf-8"))
    return template


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database, to copy."""
    template = tmp_path_factory.mktemp("template") / "empty.db"
    open_database(template).close()
    return template


@pytest.fixture(scope="session")
def filled_file(empty_file: Path) -> Path:
    """A database with an event of A and B and the book, to copy."""
    template = shutil.copyfile(empty_file, empty_file.with_name("filled.db"))
    with open_database(template) as opened:
        fill(opened)
    return template


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> str:
    """Where a database is: a file or a URL. It is empty unless the test takes ``event``."""
    has_event = "filled_file" in request.fixturenames
    if request.param == "sqlite":
        template = request.getfixturevalue("filled_file") if has_event else empty_file
        return str(shutil.copyfile(template, tmp_path / "mtdf.db"))
    url: str = request.getfixturevalue("on_server")
    if has_event:
        with open_database(url) as opened:
            fill(opened)
    return url


@pytest.fixture
def database(request: pytest.FixtureRequest, place: str) -> Iterator[Database]:
    """That database, open. It is sound after the test, unless that ``damages`` it."""
    with open_database(place) as opened:
        yield opened
        if "damages" not in request.keywords:
            assert opened.repository.damage() == []


@pytest.fixture
def event(filled_file: Path, database: Database) -> EventRecord:
    """An event of A and B in that database, with the book."""
    (stored,) = database.repository.events()
    return stored


@pytest.fixture(scope="session")
def make_game() -> Callable[..., GameRecord]:
    """:func:`game_record`, for tests."""
    return game_record


@pytest.fixture(scope="session")
def make_event() -> Callable[..., EventRecord]:
    """:func:`event_record`, for tests."""
    return event_record


@pytest.fixture(scope="session")
def make_study() -> Callable[..., StudyRecord]:
    """:func:`study_record`, for tests."""
    return study_record


@pytest.fixture(scope="session")
def make_variant() -> Callable[[str], VariantRecord]:
    """:func:`variant`, for tests."""
    return variant


@pytest.fixture(scope="session")
def fill_database() -> Callable[..., EventRecord]:
    """:func:`fill`, for tests that open a database themselves."""
    return fill


@pytest.fixture(scope="session")
def copy_empty(empty_file: Path) -> Callable[[Path], Path]:
    """Copy an empty database to a place."""
    return lambda path: shutil.copyfile(empty_file, path)
