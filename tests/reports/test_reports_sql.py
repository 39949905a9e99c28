"""A user's own SQL through the program gives what SQLite itself gives."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.records.events import EventRecord
from db.session import Database
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.reports.sql import ask, list_views

Failing = Callable[..., list[str]]

PLAYERS = {"anna": "a" * 16, "bert": "b" * 16}
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def stored(db: Database, store_event: Callable[..., EventRecord]) -> Database:
    """Two pairs of anna and bert."""
    store_event(
        db,
        PLAYERS,
        [
            [("anna", "bert", "1-0"), ("bert", "anna", "1/2-1/2")],
            [("anna", "bert", "0-1"), ("bert", "anna", "0-1")],
        ],
    )
    return db


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT white, result, count(*) AS n FROM v_games GROUP BY 1, 2 ORDER BY 1, 2",
        "SELECT * FROM v_games ORDER BY 1",
        "SELECT name, sql FROM sqlite_master ORDER BY 1",
        "SELECT 1 WHERE 0",
    ],
)
def test_rows_are_those_of_sqlite(statement: str, stored: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "games.db")) as connection:
        cursor = connection.execute(statement)
        columns = [about[0] for about in cursor.description]
        rows = [
            tuple(value.hex() if isinstance(value, bytes) else value for value in row)
            for row in cursor
        ]
    with ask(stored, statement) as answer:
        assert answer.columns == columns
        assert [tuple(row.values()) for row in answer.rows] == rows


def test_column_names_are_unique(stored: Database) -> None:
    with ask(stored, "SELECT 1 AS n, 2 AS n, 3 AS n_2, 4 AS n, 5 AS m") as answer:
        assert answer.columns == ["n", "n_2", "n_2_2", "n_3", "m"]
        assert list(answer.rows) == [{"n": 1, "n_2": 2, "n_2_2": 3, "n_3": 4, "m": 5}]


def test_values_are_plain_data(stored: Database) -> None:
    with ask(stored, "SELECT x'00fF' AS a, NULL AS b, 0.5 AS c, 'ä' AS d, 2 AS e") as answer:
        assert list(answer.rows) == [{"a": "00ff", "b": None, "c": 0.5, "d": "ä", "e": 2}]


def test_other_statements_are_refused(failing: Failing, stored: Database, tmp_path: Path) -> None:
    def check(statement: str) -> None:
        with (
            pytest.raises(UsageError, match="^query: .*--list-views"),
            ask(stored, statement) as answer,
        ):
            list(answer.rows)
        with closing(sqlite3.connect(tmp_path / "games.db")) as connection:
            assert connection.execute("SELECT count(*) FROM games").fetchone() == (4,)

    assert not failing(check, zip(["DELETE FROM games", "SELECT wrong FROM v_games", "", "?"]))


def test_long_query_ends(stored: Database) -> None:
    begin = time.monotonic()
    with (
        pytest.raises(OperationFailed, match="^query: .*--timeout"),
        ask(stored, ENDLESS, timeout_s=0.05) as answer,
    ):
        list(answer.rows)
    assert time.monotonic() - begin < 20, "in its own time, not that of the default"


def test_timeout_is_limited_to_one_day(failing: Failing, stored: Database) -> None:
    def check(timeout_s: float) -> None:
        with (
            pytest.raises(UsageError, match="timeout"),
            ask(stored, "SELECT 1", timeout_s=timeout_s),
        ):
            pass

    assert not failing(check, zip([0.0, -1.0, 86_401.0, float("nan"), float("inf")]))


def test_every_view_is_listed_with_columns(stored: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "games.db")) as connection:
        views = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
        wanted = {
            (view, row[1])
            for (view,) in views
            for row in connection.execute(f"PRAGMA table_info({view})")
        }
    rows = [(row.view, row.column) for row in list_views(stored)]
    assert wanted and set(rows) == wanted and len(rows) == len(wanted)
