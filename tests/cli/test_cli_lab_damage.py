"""A lab run whose rows were changed is refused in one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each

from engines.spec import Variant

Run = Callable[..., Any]

_ENGINE = ("--engine", "bns:entries=2^10,eval=pst")
_SMALL = ("--depth", "2", "--limit-positions", "2", "--name", "hurt", "--quiet")
_FIRST = "WHERE engine = 0 AND position = 0"


@pytest.fixture
def hurt(mtdf: Run) -> Callable[[str], None]:
    """A run of two positions by three engines, and who changes its rows, which references do not
    hinder."""
    assert mtdf("lab", "compare", *_ENGINE, *_SMALL).code == 0

    def change(statement: str) -> None:
        with closing(sqlite3.connect("mtdf.db")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            assert connection.execute(statement).rowcount >= 1

    return change


@each(
    "statement",
    [
        "DELETE FROM lab_engines WHERE engine = 1",
        "DELETE FROM variants WHERE driver = 'bns'",
        "UPDATE lab_runs SET settings = 'nope'",
        "UPDATE lab_runs SET settings = '[]'",
        "UPDATE lab_runs SET settings = '{}'",
        "UPDATE lab_runs SET settings = json_set(settings, '$.depths', 'deep')",
        "UPDATE lab_runs SET created_ms = 'abc'",
        f"UPDATE lab_searches SET iterations = 'not json' {_FIRST}",
        "UPDATE lab_searches SET engine = 99 WHERE engine = 1 AND position = 1",
    ],
)
def test_damage_ends_in_one_line(mtdf: Run, hurt: Callable[[str], None], statement: str) -> None:
    hurt(statement)
    for words in (
        ("show", "hurt"),
        ("show", "hurt", "--searches"),
        ("resume", "hurt"),
    ):
        result = mtdf(*words)
        assert result.code == 3 and not result.out, (words, result.out, result.err)
        assert len(result.errors) == 1, (words, result.err)


def test_check_finds_changed_searches(mtdf: Run, hurt: Callable[[str], None]) -> None:
    """Its iterations are the sum of its costs, and end with its value."""
    where = "laboratory run hurt, engine 0, position 0: "
    for values, finding in (
        ("iterations = '[]'", "its iterations are not those that it cost"),
        ("iterations = json_remove(iterations, '$[0]')", "its iterations are not those"),
        ("iterations = json_remove(iterations, '$[0].cutoffs')", "`cutoffs`"),
        ("iterations = '3'", "Expected `array`"),
        ("leaves = leaves + 1", "its iterations are not those that it cost"),
        ("value = value + 1", "its last iteration is not its result"),
    ):
        whole = Path("mtdf.db").read_bytes()
        hurt(f"UPDATE lab_searches SET {values} {_FIRST}")
        result = mtdf("db", "check", "--json")
        Path("mtdf.db").write_bytes(whole)
        assert result.code == 3, values
        (line,) = result.json["contradictions"]
        assert line.startswith(where) and finding in line, values


def test_missing_search_is_repeated(mtdf: Run, hurt: Callable[[str], None]) -> None:
    whole = mtdf("show", "hurt", "--searches", "--json").json
    hurt(f"DELETE FROM lab_searches {_FIRST}")
    assert mtdf("resume", "hurt", "--quiet").code == 0
    again = mtdf("show", "hurt", "--searches", "--json").json
    for row in (*whole, *again):
        row["cpu_us"] = row["wall_us"] = 0
    assert again == whole
    assert mtdf("db", "check").code == 0


def test_other_engine_version_is_no_damage(
    mtdf: Run, hurt: Callable[[str], None], edited: Run
) -> None:
    """It is what its identity says, and this program knows it not."""
    identity = Variant("scout", {}, {"depth": 3}, "scout", "").identity
    with edited("mtdf.db") as connection:
        connection.execute(
            f"UPDATE variants SET driver = 'scout', parameters = '{{\"depth\": 3}}', "
            f"identity = '{identity}' WHERE driver = 'bns'"
        )
    result = mtdf("show", "hurt")
    assert result.code == 4 and len(result.errors) == 1
    assert "laboratory run hurt: engine `bns" in result.err and "no driver scout" in result.err
    assert mtdf("db", "check").code == 0
