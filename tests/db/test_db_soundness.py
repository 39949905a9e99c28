"""What ``mtdf db check`` finds."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.records.events import EventRecord
from db.schema.soundness import game_digest
from db.session import open_database


@pytest.fixture
def path(rich_file: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copyfile(rich_file, tmp_path / "mtdf.db"))


def findings_after(path: Path, statement: str) -> list[str]:
    """What a check finds after a change that references do not prevent."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount
    with open_database(path) as database:
        return database.repository.damage()


def test_digest_of_a_game_never_changes() -> None:
    """Databases contain it."""
    assert game_digest(2, 1, b"\x0c\x07", 1, b"\x00\xff").hex() == "23aae99a9c2cadc9"
    assert game_digest(1).hex() == "463570ff8fef943e"


def test_sound_database(path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_database(path) as database:
        database.check()
        assert database.repository.damage(lambda *numbers: told.append(numbers)) == []
    assert told[-1] == (22, 22)


def test_changed_game_is_found(path: Path) -> None:
    """Its result, its moves and its searches."""
    for statement in (
        "UPDATE games SET white_score = (white_score + 1) % 3 WHERE id = 1",
        "UPDATE games SET digest = x'00' WHERE id = 1",
        "UPDATE game_moves SET moves = zeroblob(60) WHERE game_id = 1",
        "UPDATE game_moves SET moves_version = 2 WHERE game_id = 1",
        "UPDATE game_moves SET search_version = 2 WHERE game_id = 1",
        "UPDATE game_moves SET search_data = zeroblob(9) WHERE game_id = 1",
        "DELETE FROM game_moves WHERE game_id = 1",
        "INSERT INTO game_moves SELECT 9, 1, moves, 1, x'', NULL FROM game_moves WHERE game_id = 1",
    ):
        copy = Path(shutil.copyfile(path, path.with_name("copy.db")))
        game = 9 if statement.startswith("INSERT") else 1
        found = findings_after(copy, statement)
        assert f"game {game}: it is not what was stored" in found, statement


def test_missing_moves_are_found(path: Path) -> None:
    assert findings_after(path, "UPDATE games SET plies = 31 WHERE id = 1") == [
        "game 1: 30 moves for 31 plies"
    ]


def test_findings_of_a_kind_are_limited(path: Path) -> None:
    found = findings_after(path, "UPDATE game_moves SET search_data = x'00'")
    assert len(found) == 20 and all("not what was stored" in line for line in found)


def test_rows_that_refer_to_missing_rows_are_counted(path: Path) -> None:
    assert findings_after(path, "UPDATE games SET opening_id = 77 WHERE event_id = 1") == [
        "games: rows that refer to a missing row of openings: 4"
    ]


def test_trigger_of_another_program_is_named(
    tmp_path: Path,
    copy_empty: Callable[[Path], Path],
    fill_database: Callable[..., EventRecord],
) -> None:
    file = copy_empty(tmp_path / "m.db")
    with open_database(file) as database:
        fill_database(database)
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
