"""Digests: what they are of, and that they stay what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select, update

from db.errors import DatabaseCorrupt
from db.records.engines import VariantRecord
from db.records.events import EventRecord
from db.records.games import GameRecord, ImportedGame
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.schema.declared import GAME
from db.schema.digests import GAMES, digest_of, seal
from db.session import Database

CONTENT = ("r3f9", 7, None, -0.1, 1e300, "Žižka 'x' \"y\" \\ \n 🙂", b"\x00'\xff", 2**62)


def test_digest_is_the_same_in_every_version() -> None:
    """Databases hold them. The figures were taken when version 1 was made, by Python 3.11."""
    assert digest_of("games", CONTENT).hex() == "015790630ae064ea"
    assert digest_of("books", CONTENT, [(0, 1, "a"), (0, 2, "b")]).hex() == "01c5ccb999c3a2bc"


@pytest.mark.parametrize(
    "other",
    [
        (*CONTENT[:-1], 2**62 + 1),
        CONTENT[:-1],
        (*CONTENT, None),
        ("r3f9", "7", *CONTENT[2:]),
        ("r3f", "97", *CONTENT[2:]),
        (*CONTENT[:6], "\x00'\xff", 2**62),
        CONTENT[::-1],
    ],
)
def test_other_content_has_another_digest(other: Sequence[Any]) -> None:
    assert digest_of("games", other) != digest_of("games", CONTENT)
    assert digest_of("pairs", CONTENT) != digest_of("games", CONTENT)
    assert digest_of("games", CONTENT, [(0, 1)]) != digest_of("games", CONTENT)


@pytest.mark.parametrize("with_book", [False, True])
def test_game_gets_its_digest_when_it_is_stored(
    database: Database,
    event: EventRecord,
    make_game: Callable[..., GameRecord],
    with_book: bool,
) -> None:
    """The one that reading it again gives, whatever kinds of numbers it was given with."""
    games = [make_game(event.id, 0, 0, n, load=1, game_key=f"0{n}") for n in (1, 2)]
    if not with_book:
        games = [replace(one, book_id=None, opening_line=None) for one in games]
    database.repository.commit_pairs(event.id, [games])
    query = select(GAME.c.digest).order_by(GAME.c.id)
    with database.repository._store.write() as connection:
        before = connection.execute(query).scalars().all()
        connection.execute(update(GAME).values(digest=None))
        seal(connection, GAMES, count=False)
        after = connection.execute(query).scalars().all()
    assert before == after and len(set(after)) == 2 and all(len(one or b"") == 8 for one in after)


@pytest.mark.damages
def test_damaged_repetition_stays_damaged(
    database: Database, event: EventRecord, make_game: Callable[..., GameRecord]
) -> None:
    """Also when another game takes the part of the first one of their key."""
    repository = database.repository

    def pair(number: int) -> list[GameRecord]:
        keys = ("aa", f"0{number}")
        return [
            make_game(event.id, 0, number, game, game_key=key)
            for game, key in enumerate(keys, start=1)
        ]

    for number in (2, 3):
        repository.commit_pairs(event.id, [pair(number)])
    with repository._store.write() as connection:
        repeated = update(GAME).where(GAME.c.pair == 3, GAME.c.game == 1)
        assert connection.execute(repeated.values(plies=2)).rowcount == 1
    (found,) = repository.damage()
    with pytest.raises(DatabaseCorrupt, match="it is not what was stored"):
        repository.commit_pairs(event.id, [pair(1)])
    assert repository.damage() == [found]


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
    """What is sealed is found without reading the games that the event has."""
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
