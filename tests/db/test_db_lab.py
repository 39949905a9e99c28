"""Runs of the laboratory: what is stored is what comes back, once, and nothing by halves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.records.engines import VariantRecord
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.repository import Repository
from db.session import Database

RUN = LabRunRecord(
    id=0,
    name="drivers",
    kind="compare",
    status="planned",
    settings={"suite": "lab-60", "suite_id": "fedcba98", "depths": [4, 5]},
    created_at="2026-11-21T12:30:00.000Z",
    started_at=None,
    ended_at=None,
    version="0.1.0",
    backend="native",
    signature="0123456789abcdef",
    host="tower",
)
ENGINES = [
    LabEngineRecord(0, "base", "a" * 16, 0),
    LabEngineRecord(1, "other", "b" * 16, 0, "grain", "4"),
    LabEngineRecord(2, "again", "b" * 16, 0, "first_guess_offset", "-40"),
]
POSITIONS = [LabPositionRecord(0, "lab-01", "fen one"), LabPositionRecord(1, "lab-02", "fen two")]


def search(engine: int, position: int, **changes: Any) -> LabSearchRecord:
    """A search of two iterations."""
    passes = [{"alpha": 6, "beta": 7, "value": 20, "nodes": 25}]
    iterations = [
        {"depth": 1, "value": 20, "move_value": None, "passes": passes},
        {"depth": 2, "value": -3, "quiescence": 2**33, "passes": []},
    ]
    record = LabSearchRecord(
        *(engine, position, 2, -3, "d2d4", 6, 60, 2**33 + 4, 3, 240, iterations),
        searched_at="2026-11-21T13:00:00.000Z",
    )
    return replace(record, **changes)


@pytest.fixture
def repository(database: Database) -> Repository:
    """The repository of an empty database."""
    return database.repository


@pytest.fixture
def run(repository: Repository, make_variant: Callable[[str], VariantRecord]) -> LabRunRecord:
    """A stored run of three engines, two of them of one variant."""
    variants = [make_variant("A"), make_variant("B")]
    return repository.create_lab_run(RUN, ENGINES, POSITIONS, variants)


def test_run_comes_back(repository: Repository, run: LabRunRecord) -> None:
    assert run == replace(RUN, id=run.id, uid=run.uid)
    assert repository.lab_run(run.id) == run
    assert repository.lab_runs() == [run]
    assert repository.lab_engines(run.id) == ENGINES
    assert repository.lab_positions(run.id) == POSITIONS
    for text in ("drivers", "dri", "last"):
        assert repository.find_lab_run(text) == run
    with pytest.raises(NotFound, match="no laboratory run `nothing`"):
        repository.find_lab_run("nothing")


def test_search_is_stored_once(repository: Repository, run: LabRunRecord) -> None:
    repository.add_lab_searches(run.id, [search(1, 1), search(0, 1)])
    repository.add_lab_searches(run.id, [search(1, 1, value=99), search(0, 0)])
    assert repository.lab_searches(run.id) == [search(0, 0), search(0, 1), search(1, 1)]
    assert repository.lab_searched(run.id) == {(0, 0), (0, 1), (1, 1)}
    assert repository.count_lab_searches() == {run.id: 3}


def test_pace_is_the_mean_time_between_searches(repository: Repository, run: LabRunRecord) -> None:
    times = [(0, 0, "10:00:00.000"), (1, 0, "10:00:01.500"), (0, 1, "10:00:04.000")]
    paces = []
    for engine, position, at in times:
        stored = search(engine, position, searched_at=f"2026-11-21T{at}Z")
        repository.add_lab_searches(run.id, [stored])
        paces.append(repository.lab_pace(run.id))
    assert paces == [None, 1.5, 2.0]


def test_all_searches_of_a_call_or_none(repository: Repository, run: LabRunRecord) -> None:
    for wrong in (search(3, 0), search(0, 2)):
        with pytest.raises(RecordError, match="has no engine"):
            repository.add_lab_searches(run.id, [search(0, 0), wrong])
    assert repository.lab_searches(run.id) == []


def test_note_is_added_to_the_settings(repository: Repository, run: LabRunRecord) -> None:
    repository.note(run, jobs=2)
    repository.note(run, jobs=3, cores=["native:0123"])
    noted = {**RUN.settings, "jobs": 3, "cores": ["native:0123"]}
    assert repository.lab_run(run.id) == replace(run, settings=noted)
    with pytest.raises(NotFound):
        repository.note(replace(run, id=run.id + 1), jobs=2)


def test_status_has_its_moments(repository: Repository, run: LabRunRecord) -> None:
    repository.set_status(run, "running")
    running = repository.lab_run(run.id)
    assert running.started_at is not None and running.ended_at is None
    repository.set_status(run, "done")
    assert repository.lab_run(run.id).ended_at is not None
    with pytest.raises(NotFound):
        repository.set_status(replace(run, id=run.id + 1), "done")


CONTRADICTORY = [
    (replace(RUN, name=" "), ENGINES, POSITIONS),
    (replace(RUN, name="last"), ENGINES, POSITIONS),
    (replace(RUN, kind="other"), ENGINES, POSITIONS),
    (replace(RUN, settings={"suite": "lab-60", "depths": [4]}), ENGINES, POSITIONS),
    (replace(RUN, settings={**RUN.settings, "depths": [5, 4]}), ENGINES, POSITIONS),
    (RUN, [], POSITIONS),
    (RUN, ENGINES, []),
    (RUN, ENGINES[1:], POSITIONS),
    (RUN, ENGINES, POSITIONS[::-1]),
    (RUN, [replace(ENGINES[0], baseline=1)], POSITIONS),
    (RUN, [replace(ENGINES[0], variant_id="c" * 16)], POSITIONS),
]


def test_contradictory_records_are_refused(
    repository: Repository, make_variant: Callable[[str], VariantRecord]
) -> None:
    variants = [make_variant("A"), make_variant("B")]
    for number, (run, engines, positions) in enumerate(CONTRADICTORY):
        with pytest.raises(RecordError):
            repository.create_lab_run(run, engines, positions, variants)
        assert repository.lab_runs() == [] and repository.variants() == [], number


def test_name_is_taken_once(repository: Repository, run: LabRunRecord) -> None:
    with pytest.raises(RecordError, match="laboratory run `drivers` already exists"):
        repository.create_lab_run(RUN, ENGINES, POSITIONS)
