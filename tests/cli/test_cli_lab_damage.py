"""A lab run whose rows were changed is refused in one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
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


def refused(mtdf: Run, *words: str) -> str:
    """The one line that a command ends in."""
    result = mtdf(*words)
    assert result.code == 3, (words, result.out, result.err)
    assert len(result.errors) == 1 and not result.out, (words, result.out, result.err)
    return str(result.errors[0])


def test_complete_run_is_valid(mtdf: Run, hurt: Callable[[str], None]) -> None:
    result = mtdf("db", "check")
    assert result.code == 0 and "is sound" in result.out


@each(
    "statement",
    [
        "DELETE FROM lab_engines WHERE engine = 1",
        "DELETE FROM lab_positions WHERE position = 1",
        "DELETE FROM variants WHERE driver = 'bns'",
        "UPDATE lab_engines SET baseline = 1 WHERE engine = 2",
        "UPDATE lab_runs SET settings = 'nope'",
        "UPDATE lab_runs SET created_ms = 'abc'",
        "UPDATE lab_runs SET provenance_id = 99",
        "UPDATE lab_positions SET label = x'ff'",
        "UPDATE lab_positions SET fen = 'x' WHERE position = 1",
        f"UPDATE lab_searches SET value = value + 7 {_FIRST}",
        f"UPDATE lab_searches SET iterations = 'not json' {_FIRST}",
        f"UPDATE lab_searches SET iterations = json_set(iterations, '$[1][4]', 1) {_FIRST}",
        "UPDATE lab_searches SET engine = 99 WHERE engine = 1 AND position = 1",
    ],
)
def test_changed_run_is_refused_unmodified(
    mtdf: Run, hurt: Callable[[str], None], statement: str
) -> None:
    hurt(statement)
    with closing(sqlite3.connect("mtdf.db")) as connection:
        before = connection.execute("SELECT * FROM lab_runs").fetchall()
    for words in (
        ("show", "hurt"),
        ("show", "hurt", "--searches"),
        ("resume", "hurt"),
    ):
        line = refused(mtdf, *words)
        assert "laboratory run hurt" in line and "it is not what was stored" in line, words
        told = line.partition("(")[2].rpartition(")")[0]
    check = mtdf("db", "check")
    assert check.code == 3 and told in check.out.splitlines()
    with closing(sqlite3.connect("mtdf.db")) as connection:
        assert connection.execute("SELECT * FROM lab_runs").fetchall() == before


def test_missing_search_is_repeated(mtdf: Run, hurt: Callable[[str], None]) -> None:
    whole = mtdf("show", "hurt", "--searches", "--json").json
    hurt(f"DELETE FROM lab_searches {_FIRST}")
    check = mtdf("db", "check")
    assert check.code == 3
    assert "laboratory run hurt: searches: 6 stored, 5 present" in check.out
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


def test_damaged_run_does_not_affect_others(mtdf: Run, hurt: Callable[[str], None]) -> None:
    """It is named beside the list of the others, which can be made and read."""
    hurt("UPDATE lab_runs SET settings = '{}'")
    words = "lab compare --engine mtdf:eval=pst --depth 4 --limit-positions 12 --name well -q"
    assert mtdf(*words.split()).code == 0
    assert mtdf("show", "well").code == 0
    assert mtdf("resume", "well", "-q").code == 0
    listed = mtdf("lab", "list", "--json")
    assert listed.code == 3 and "well" in [run["name"] for run in listed.json]
    assert "hurt" not in [run["name"] for run in listed.json]
    (error,) = listed.errors
    assert "laboratory run hurt: it is not what was stored" in error
    taken = mtdf("lab", "compare", *_ENGINE, *_SMALL)
    assert taken.code == 2 and "run `hurt` exists" in taken.err


def test_list_reads_no_searches(mtdf: Run, hurt: Callable[[str], None]) -> None:
    hurt("UPDATE lab_searches SET value = value + 1")
    assert mtdf("lab", "list").code == 0
    assert "laboratory run hurt, engine 0 on position 0" in refused(mtdf, "show", "hurt")
