"""What storing costs does not depend on what is stored already."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from db.records.engines import VariantRecord
from db.records.events import EventRecord
from db.records.games import ImportedGame
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.session import Database


@pytest.fixture
def steps(database: Database) -> Callable[[Callable[[], object]], int]:
    """How much work of SQLite something takes: tens of steps of its machine."""
    if database.path is None:
        pytest.skip("counts steps of SQLite")
    store = database.repository._store

    def count(act: Callable[[], object]) -> int:
        done = [0]

        def step() -> None:
            done[0] += 1

        for handler in (step, None):
            with store.engine.connect() as connection:  # the pool has this one
                connection.connection.driver_connection.set_progress_handler(handler, 10)
            if handler:
                act()
        return done[0]

    return count


def imported(number: int) -> ImportedGame:
    key = number.to_bytes(16)
    return ImportedGame("A", "B", 1, "unknown", 0, None, b"", None, None, key)


def test_repetitions_cost_the_same_in_any_event(
    database: Database,
    make_event: Callable[..., EventRecord],
    steps: Callable[[Callable[[], object]], int],
) -> None:
    repository = database.repository
    players = [VariantRecord(name * 16, "imported", "", {"name": name}, name) for name in "AB"]
    first, second = (
        repository.open_import(make_event(name=name, kind="import")) for name in ("one", "two")
    )
    place = repository.import_place(first)
    repository.add_imported(place, [(imported(n),) for n in range(2000)], players)
    place = repository.import_place(second)
    repository.add_imported(place, [(imported(0),)], players)
    costs = []
    for begin, more in ((1, 21), (1500, 1520)):
        costs.append(
            steps(
                lambda: repository.add_imported(
                    place,
                    [(imported(n),) for n in range(begin, more)],  # noqa: B023
                    [],
                )
            )
        )
        repository.add_imported(place, [(imported(n),) for n in range(100, 1400)], [])
    assert costs[1] < 2 * costs[0], costs


def test_search_costs_the_same_in_any_run(
    database: Database, steps: Callable[[Callable[[], object]], int]
) -> None:
    repository = database.repository
    run = repository.create_lab_run(
        LabRunRecord(
            *(0, "long", "planned", {"suite": "s", "suite_id": "i", "depths": [1]}),
            *("", None, None, "0.1.0", "native", "0123456789abcdef", "tower", "compare"),
        ),
        [LabEngineRecord(0, "A", "a" * 16, 0)],
        [LabPositionRecord(at, f"p{at}", "fen") for at in range(2000)],
        [VariantRecord("a" * 16, "native", "mtdf", {}, "mtdf")],
    )

    def search(at: int) -> LabSearchRecord:
        return LabSearchRecord(0, at, 1, 0, "e2e4", 1, 1, 1, 1, 1, [])

    early = steps(lambda: repository.add_lab_searches(run.id, [search(0)]))
    repository.add_lab_searches(run.id, [search(at) for at in range(1, 1999)])
    late = steps(lambda: repository.add_lab_searches(run.id, [search(1999)]))
    assert late < 2 * early, (early, late)
    assert len(repository.lab_searches(run.id)) == 2000
