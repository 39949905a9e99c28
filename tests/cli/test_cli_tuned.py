"""Reports over all games leave out games of tuning, and say so, unless they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

Run = Callable[..., Any]
MATCH = ("match", "mtdf", "mtdf:grain=9,name=#1+", "--pairs", "3", "--nodes", "60")
SHORT = ("--max-plies", "16", "--seed", "7", "--quiet")
BEFORE = 12
"""Games of the gauntlet that the database has without those of tuning."""


@pytest.fixture(scope="module")
def with_tuning(run_quietly: Callable[..., Path], played: Path, edited: Run) -> Path:
    """``played`` with a newest event of six games, which is said to be one of tuning."""
    path = run_quietly((*MATCH, *SHORT, "--name", "lmr"), start=played)
    with edited(path) as connection:
        connection.execute("UPDATE events SET kind = 'tuning' WHERE name = 'lmr'")
    return path


@pytest.fixture
def tuned(on: Run, with_tuning: Path) -> Run:
    """As ``on``, on a copy of that database."""
    Path("played.db").write_bytes(with_tuning.read_bytes())
    return on


def key_of(run: Run) -> str:
    """Key of the event of tuning."""
    (key,) = [row["id"] for row in run("events", "--json").json if row["kind"] == "tuning"]
    return str(key)


def hint(run: Run) -> str:
    """What is said of the games that are left out."""
    return f"6 games of tuning are excluded; --event {key_of(run)} includes them"


@each(
    "words",
    [
        ("ratings",),
        ("crosstable",),
        ("crosstable", "--all-events"),
        ("h2h", "mtdf", "pvs"),
        ("games",),
        ("games", "--engine", "mtdf"),
        ("games", "--pgn"),
        ("openings", "stats"),
        ("engines", "list"),
    ],
)
def test_reports_ignore_tuning_games(
    edited: Run, on: Run, tuned: Run, words: tuple[str, ...]
) -> None:
    told = tuned(*words)
    assert told.code == 0
    assert hint(tuned) in told.errors
    machine = () if "--pgn" in words else ("--json",)
    answer = tuned(*words, *machine).out
    with edited("played.db") as connection:
        for table in ("game_moves", "games", "pairs", "pairings", "event_players", "events"):
            rows = {
                "game_moves": "game_id IN (SELECT id FROM games WHERE event_id = 2)",
                "events": "id = 2",
            }.get(table, "event_id = 2")
            connection.execute(f"DELETE FROM {table} WHERE {rows}")
        connection.execute("DELETE FROM variants WHERE spelling LIKE '%grain=9%'")
    without = on(*words)
    assert on(*words, *machine).out == answer
    assert not [line for line in without.errors if "tuning" in line]


def test_hidden_tuning_games_are_mentioned(tuned: Run) -> None:
    def total(rows: Any) -> int:
        return sum(row["games"] for row in rows)

    questions: list[tuple[tuple[str, ...], Callable[[Any], int]]] = [
        (("games", "--json"), len),
        (("crosstable", "--json"), total),
        (("ratings", "--json"), lambda rows: total(rows) // 2),
        (("openings", "stats", "--json"), total),
    ]
    for words, games in questions:
        for name in ("lmr", "last"):
            asked = tuned(*words, "--event", name)
            assert (asked.code, games(asked.json)) == (0, 6), words
            assert not [line for line in asked.errors if "tuning" in line]
    assert tuned("h2h", "mtdf", "#1+", "--event", "lmr", "--json").json["games"] == 6
    assert tuned("h2h", "mtdf", "#1+", "--json").code == 5
    assert tuned("stats", "lmr", "--json").json["games"] == 6
    (row,) = [row for row in tuned("events", "--json").json if row["name"] == "lmr"]
    assert (row["kind"], row["engines"]) == ("tuning", ["mtdf", "#1+"])


def test_mention_follows_limit_and_dates(tuned: Run) -> None:
    assert hint(tuned) in tuned("games", "--nodes", "60", "--since", "1d").errors
    for choice in (("--until", "2020-01-01"), ("--nodes", "61")):
        said = tuned("games", *choice)
        assert said.code == 5 and "of tuning" not in said.err
    assert "of tuning" not in tuned("games", "--quiet").err


def test_game_repeated_after_tuning_counts(tuned: Run) -> None:
    """Which game of a key counts is decided among those that are chosen."""
    assert tuned(*MATCH, *SHORT, "--name", "again").code == 0
    assert len(tuned("games", "--json").json) == BEFORE + 6
    rated = tuned("ratings", "--json").json
    assert sum(row["games"] for row in rated) == 2 * (BEFORE + 6)
    listed = {row["engine"]: row["games"] for row in tuned("engines", "list", "--json").json}
    assert listed["#1+"] == 6
    assert tuned("h2h", "mtdf", "#1+", "--json").json["games"] == 6
    assert sum(row["games"] for row in tuned("openings", "stats", "--json").json) == BEFORE + 6


def test_engines_played_only_in_tuning_are_found(tuned: Run) -> None:
    assert "#1+" not in [row["engine"] for row in tuned("engines", "list", "--json").json]
    assert tuned("engines", "show", "#1+", "--json").json["parameters"]["grain"] == 9


def test_tuning_labels_do_not_rename_engines(on: Run, edited: Run) -> None:
    """An engine that a study met is called what it is called elsewhere."""
    again = ("match", "mtdf:grain=9,name=#1+", "pvs:name=#2-", "--pairs", "1", "--nodes", "60")
    assert on(*again, *SHORT, "--name", "lmr").code == 0
    with edited("played.db") as connection:
        connection.execute("UPDATE events SET kind = 'tuning' WHERE name = 'lmr'")
    engines = {row["engine"] for row in on("ratings", "--json").json}
    assert engines == {"mtdf", "coarse", "pvs"}


def test_database_with_tuning_games_only(mtdf: Run, edited: Run) -> None:
    assert mtdf(*MATCH, *SHORT, "--name", "lmr").code == 0
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE events SET kind = 'tuning'")
    for words in (("games",), ("ratings",), ("crosstable",), ("crosstable", "--all-events")):
        told = mtdf(*words)
        assert told.code == 5, words
        (line,) = told.errors
        assert line.endswith(f"; {hint(mtdf)}")


def test_database_info_counts_studies(on: Run) -> None:
    assert on("db", "info", "--json").json["studies"] == 0
    assert "studies       0" in on("db", "info").out
