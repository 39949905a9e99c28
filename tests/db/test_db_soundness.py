"""Contradictions between rows of tuning; those of games are tested by ``mtdf db check``."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from db.records import TUNING_KIND, EventPlayerRecord, EventRecord, GameRecord, VariantRecord
from db.session import open_database
from db.tuning import EncounterRecord, StudyRecord, TrialRecord


@pytest.fixture
def path(
    tmp_path: Path,
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
    make_study: Callable[..., StudyRecord],
    make_game: Callable[..., GameRecord],
) -> Path:
    """A sound database with a study of two trials, one of which has ended."""
    file = tmp_path / "mtdf.db"
    with open_database(file) as database:
        repository = database.repository
        repository.add_variants(make_variant(letter) for letter in "AB")
        players = [EventPlayerRecord(0, "A", "a" * 16), EventPlayerRecord(1, "B", "b" * 16)]
        # Planned for 9 pairs and done with fewer: equal engines need not play.
        record = make_event(kind=TUNING_KIND, status="done", pairs_planned=9)
        event = repository.create_event(record, players)
        other = repository.create_event(make_event(kind="match"), players)
        study = repository.create_study(make_study(event_id=event.id))
        repository.add_confirmation(study.id, other.id)
        for number in range(2):
            trial = TrialRecord(study.id, number, "running", {"grain": 4})
            own = EncounterRecord(study.id, number, number, "search", {}, None, None, 4, 2)
            repository.begin_trial(trial, [own])
        for pair in (4, 5):
            games = [make_game(event.id, 0, pair, n) for n in (1, 2)]
            bookless = [replace(game, book_id=None, opening_line=None) for game in games]
            repository.commit_pair(event.id, bookless)
        repository.finish_trial(study.id, 0, "complete", 0.5, scores={0: (0.5, None)})
        assert repository.contradictions() == []
    return file


@pytest.mark.parametrize(
    ("damage", "findings"),
    [
        ("UPDATE tuning_trials SET value = NULL", ["trial 0: it is complete, and has no value"]),
        (
            "UPDATE tuning_trials SET ended_ms = NULL",
            ["trial 0: whether it has ended is not what its state says"],
        ),
        (
            "UPDATE tuning_trials SET ended_ms = 1",
            ["trial 1: whether it has ended is not what its state says"],
        ),
        (
            "UPDATE tuning_encounters SET scores = NULL",
            ["trial 0: it is complete, and an encounter of it is not finished"],
        ),
        (
            "DELETE FROM tuning_trials WHERE number = 1",
            ["encounter 1: its trial is missing"],
        ),
        (
            "UPDATE tuning_encounters SET scores = x'00'",
            [f"encounter {n}: it has another number of scores than pairs" for n in range(2)],
        ),
        (
            "UPDATE tuning_encounters SET second = '{}', opponent = 1 WHERE number = 1",
            ["encounter 1: it has both a second point and an opponent"],
        ),
        (
            "UPDATE tuning_encounters SET first_pair = 5",
            ["encounter 0: pairs of its event are outside of its numbers"],
        ),
        ("UPDATE tuning_studies SET event_id = 9", [": its event is not one of tuning"]),
        ("UPDATE tuning_studies SET event_id = 2", [": its event is not one of tuning"]),
        (
            "UPDATE tuning_confirmations SET event_id = 1",
            [": an event cannot confirm it, because it is missing or one of tuning"],
        ),
    ],
)
def test_what_contradicts_is_found(path: Path, damage: str, findings: list[str]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    with open_database(path) as database:
        found = database.repository.contradictions()
    expected = [f"study lmr{'' if end[0] == ':' else ', '}{end}" for end in findings]
    assert [line for line in found if "refer to a missing row" not in line] == expected


def test_rows_that_refer_to_missing_ones_are_counted(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("UPDATE games SET opening_id = 77").rowcount == 4
        connection.execute("UPDATE tuning_studies SET event_id = 9")
    with open_database(path) as database:
        found = database.repository.contradictions()
    assert [line for line in found if "refer to a missing row" in line] == [
        "games: rows that refer to a missing row of openings: 4",
        "tuning_studies: rows that refer to a missing row of events: 1",
    ]


def test_what_a_missing_study_leaves_is_found(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM tuning_studies")
    with open_database(path) as database:
        found = database.repository.contradictions()
    assert [line for line in found if line.startswith("trial")] == [
        "trial 0 of study 1: its study is missing",
        "trial 1 of study 1: its study is missing",
    ]
    assert [line for line in found if line.startswith("study")] == [
        "study (missing), encounter 0: its study is missing",
        "study (missing), encounter 1: its study is missing",
    ]
