"""Extending an event changes nothing that was planned or played."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec.structs import replace

from db.errors import DatabaseError
from db.records.games import GameFilter
from db.session import Database
from db.storage import file_lock
from engines.limit import Limit
from toolkit.base.errors import UsageError
from toolkit.books.book import Book, load_book
from toolkit.events.event import extend_event, resume_event, start_event
from toolkit.events.schedule import Schedule
from toolkit.events.settings import (
    EventSettings,
    Openings,
    gauntlet_settings,
    match_settings,
    sprt_settings,
)
from toolkit.events.worker import PairTask
from toolkit.pairing.forms import SwissForm
from toolkit.referee.adjudication import Adjudication
from toolkit.runs.lifecycle import lock_of
from toolkit.selection.sequential import SprtSettings
from toolkit.show.tables.events import extension_text

NODES = Limit(nodes=60)
SHORT = Adjudication(max_plies=8)
FILES = "abcdefgh"
LINES = 24


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A king each, and a pawn on one of 24 squares."""
    path = tmp_path_factory.mktemp("books") / "small.epd"
    ranks = [f"{file or ''}P{7 - file or ''}" for file in range(8)]
    boards = [
        "/".join(["4k3", *(pawn if at == row else "8" for at in range(1, 7)), "4K3"])
        for row in (3, 4, 5)
        for pawn in ranks
    ]
    path.write_text("".join(f"{board} w - -\n" for board in boards))
    made = load_book(str(path))
    assert len(made.openings) == LINES
    return made


def settings(book: Book, pairs: int = 2, openings: Openings = "distinct") -> EventSettings:
    return gauntlet_settings(
        ["mtdf"],
        ["pvs", "alphabeta", "mtdf:guess=zero"],
        pairs=pairs,
        limit=NODES,
        book=book,
        openings=openings,
        adjudication=SHORT,
    )


def tasks(of: EventSettings, book: Book) -> dict[tuple[int, int], PairTask]:
    found = Schedule(of, book).missing(frozenset())
    return {(task.pairing, task.pair): task for task in found}


@pytest.mark.parametrize("openings", ["distinct", "shared"])
def test_extension_renumbers_nothing(book: Book, openings: Openings) -> None:
    of = settings(book, openings=openings)
    seen = tasks(of, book)
    for extensions in [(3,), (3, 1), (3, 1, 2)]:
        longer = tasks(replace(of, extensions=extensions), book)
        assert {place: longer[place] for place in seen} == seen
        per_pairing = 2 + sum(extensions)
        assert sorted(longer) == [(p, pair) for p in range(3) for pair in range(per_pairing)]
        assert len({task.seed for task in longer.values()}) == len(longer)
        assert replace(of, extensions=extensions).total_pairs == len(longer)
        lines = Counter(task.opening.line for task in longer.values())
        # While the book lasts no line comes twice, but in other pairings if they share them.
        assert set(lines.values()) == {3 if openings == "shared" else 1}
        seen = longer


@given(
    pairs=st.integers(1, LINES),
    extensions=st.lists(st.integers(1, 9), max_size=4),
    start=st.integers(1, LINES),
)
@hypothesis_settings(max_examples=40)
def test_pairing_plays_no_line_twice(
    book: Book, pairs: int, extensions: list[int], start: int
) -> None:
    """Even where the pairings together need more lines than the book has."""
    while pairs + sum(extensions) > LINES:
        pairs, extensions = max(1, pairs - 9), extensions[1:]
    of = settings(book, pairs)
    of = replace(of, book=replace(of.book, start=start), extensions=tuple(extensions))
    found = tasks(of, book)
    for pairing in range(3):
        lines = [task.opening.line for place, task in found.items() if place[0] == pairing]
        assert len(set(lines)) == len(lines) == pairs + sum(extensions)
    earlier = tasks(replace(of, extensions=of.extensions[:-1]), book)
    assert all(found[place] == task for place, task in earlier.items())


def test_extension_goes_on_in_the_book(book: Book) -> None:
    lines = [
        sorted(task.opening.line for task in tasks(of, book).values())
        for of in (replace(settings(book, 2), extensions=(3, 2)), settings(book, 7))
    ]
    assert lines[0] == lines[1] and len(set(lines[0])) == 21


def test_lines_repeat_evenly(book: Book) -> None:
    of = settings(book, 20)
    of = replace(of, book=replace(of.book, repeat=True), extensions=(20, 20))
    found = tasks(of, book)
    for pairing in range(3):
        lines = Counter(task.opening.line for place, task in found.items() if place[0] == pairing)
        assert set(lines.values()) == {2, 3} and len(lines) == LINES


def stored_games(db: Database, event_id: int) -> dict[tuple[int, int, int], tuple[Any, ...]]:
    """What matters of each stored game, by its place."""
    return {
        (game.pairing, game.pair, game.game): (game.opening_line, game.seed, game.moves)
        for game in db.repository.games(GameFilter(event_id=event_id))
    }


def test_extended_event_is_resumed(db: Database, book: Book) -> None:
    first = start_event(db, settings(book), book=book).event
    before = stored_games(db, first.id)
    extended = extend_event(db, db.repository.event(first.id), 3)
    assert (extended.status, extended.pairs_planned) == ("interrupted", 15)
    assert extended.settings["extensions"] == [3] and stored_games(db, first.id) == before
    again = extend_event(db, first, 1)  # with a record from before the first extension
    assert (again.settings["extensions"], again.pairs_planned) == ([3, 1], 18)
    outcome = resume_event(db, first.key)
    assert (outcome.status, outcome.progress.games_played) == ("done", 36)
    after = stored_games(db, first.id)
    assert {place: after[place] for place in before} == before
    of = EventSettings.from_json(db.repository.event(first.id).settings)
    expected = {place: (task.opening.line, task.seed) for place, task in tasks(of, book).items()}
    assert {place[:2]: game[:2] for place, game in after.items()} == expected


def test_event_beyond_its_book_or_sequential_test_is_not_extended(
    db: Database, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lock, "PATIENCE_S", 0.0)
    match = match_settings("mtdf", "pvs", pairs=4, limit=NODES, book=book, adjudication=SHORT)
    event = start_event(db, match, book=book).event
    with pytest.raises(UsageError, match=f"25 pairs need 25 openings and book {book.name} has 24"):
        extend_event(db, event, 21)
    for more in (0, -1, 10**8):
        with pytest.raises(UsageError, match="pairs of an extension"):
            extend_event(db, event, more)
    with lock_of(db, event), pytest.raises(DatabaseError) as refused:
        extend_event(db, event, 1)
    assert "\n" not in str(refused.value)
    assert db.repository.event(event.id) == event
    test = sprt_settings(
        "mtdf",
        "pvs",
        sprt=SprtSettings.make(elo0=0, elo1=500),
        max_pairs=2,
        limit=NODES,
        book=book,
        adjudication=SHORT,
    )
    event = start_event(db, test, book=book).event
    with pytest.raises(UsageError, match="is a sequential test"):
        extend_event(db, event, 1)
    assert db.repository.event(event.id) == event


def test_tuning_and_swiss_are_not_extended(book: Book) -> None:
    match = match_settings("mtdf", "pvs", pairs=4, limit=NODES, book=book)
    swiss = {"kind": "swiss", "heroes": 0, "form": SwissForm(rounds=1)}
    for values in ({"kind": "tuning", "players": match.players[:1]}, swiss):
        with pytest.raises(UsageError, match="cannot be extended"):
            replace(match, extensions=(1,), **values)


def test_extension_is_all_or_nothing(
    db: Database, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = start_event(db, settings(book), book=book).event

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("db.queries.runs.RunTable.change", killed)
        with pytest.raises(KeyboardInterrupt):
            extend_event(db, event, 1)
    assert db.repository.event(event.id) == event
    assert extend_event(db, event, 1).settings["extensions"] == [1]


def test_extension_text_lists_pairs() -> None:
    assert extension_text([4, 20]).startswith("by 4 and 20 pairs a pairing after it had started")
