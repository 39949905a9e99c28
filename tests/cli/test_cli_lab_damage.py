"""A laboratory run whose rows were changed by other hands: it is noticed, and told in a line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

Run = Callable[..., Any]

_ENGINE = ("--engine", "bns:entries=2^10,eval=pst")
_SMALL = ("--depth", "2", "--limit-positions", "2", "--name", "hurt", "--quiet")
_FIRST = "WHERE engine = 0 AND position = 0"


@pytest.fixture
def damage(mtdf: Run) -> Callable[[str], None]:
    """A run of two positions by two engines, and who changes it."""
    assert mtdf("lab", "compare", *_ENGINE, *_SMALL).code == 0

    def change(statement: str) -> None:
        with closing(sqlite3.connect("mtdf.db")) as connection, connection:
            assert connection.execute(statement).rowcount == 1

    return change


def test_a_whole_run_is_sound(mtdf: Run, damage: Callable[[str], None]) -> None:
    result = mtdf("db", "check")
    assert result.code == 0 and "is sound" in result.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("value = value + 7", "value or move is not that of its last iteration"),
        ("move = 'a1a1'", "value or move is not that of its last iteration"),
        ("interior = interior + 1", "its nodes are not those of its iterations"),
        ("passes = passes + 1", "another number of passes than its iterations"),
        ("iterations = '[]'", "its iterations cannot be read"),
        ("iterations = 'not json'", "its iterations cannot be read"),
        ("iterations = json_set(iterations, '$[1][0]', 5)", "not those of its depth"),
        ("iterations = json_set(iterations, '$[1][#-1][0][3]', 1e9)", "more nodes than it has"),
    ],
)
def test_a_changed_search_is_noticed(
    mtdf: Run, damage: Callable[[str], None], change: str, said: str
) -> None:
    damage(f"UPDATE lab_searches SET {change} {_FIRST}")
    result = mtdf("db", "check")
    assert result.code == 3 and said in result.out + result.err
    assert "laboratory run hurt" in result.out + result.err


@pytest.mark.parametrize("text", ["[]", "not json", "[[1]]", "{}", "[null, 3]"])
def test_a_search_that_cannot_be_read_ends_in_one_line(
    mtdf: Run, damage: Callable[[str], None], text: str
) -> None:
    damage(f"UPDATE lab_searches SET iterations = '{text}' {_FIRST}")
    result = mtdf("lab", "show", "hurt")
    assert result.code == 3 and len(result.errors) == 1
    assert "traceback" not in result.err.lower()


def test_a_search_that_is_missing_is_searched_again(
    mtdf: Run, damage: Callable[[str], None]
) -> None:
    whole = mtdf("lab", "show", "hurt", "--searches", "--json").json
    damage(f"DELETE FROM lab_searches {_FIRST}")
    check = mtdf("db", "check")
    assert check.code == 3 and "another number of searches than planned" in check.out + check.err
    assert mtdf("lab", "resume", "hurt", "--quiet").code == 0
    again = mtdf("lab", "show", "hurt", "--searches", "--json").json
    for row in (*whole, *again):
        row["cpu_us"] = 0
    assert again == whole
    assert mtdf("db", "check").code == 0
