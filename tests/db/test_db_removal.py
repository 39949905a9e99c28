"""Removing runs: what is left is as if they had never been."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.queries import events as event_queries
from db.records.engines import VariantRecord
from db.records.events import EventPlayerRecord, EventRecord, PairFailureRecord
from db.records.games import GameRecord, ImportedGame, Result
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.records.ratings import RatingListRecord, RatingRow
from db.records.runs import Removed
from db.records.studies import EncounterRecord, StudyRecord, TrialRecord
from db.session import Database, open_database

EVENTS = 4
LABELS = "ABC"
MEETINGS = [(0, 1), (0, 2), (1, 2)]
"""The players of pairings 0, 1 and 2."""


@dataclass(frozen=True)
class Planned:
    """A pair as hypothesis draws it."""

    event: int
    pairing: int
    results: tuple[Result, Result]
    keys: tuple[str | None, str | None]


RESULTS: st.SearchStrategy[Result] = st.sampled_from(["1-0", "0-1", "1/2-1/2"])
KEYS = st.one_of(st.none(), st.sampled_from(["01", "02", "03", "04", "05"]))
PLANS = st.lists(
    st.builds(
        Planned,
        event=st.integers(0, EVENTS - 1),
        pairing=st.integers(0, 2),
        results=st.tuples(RESULTS, RESULTS),
        keys=st.tuples(KEYS, KEYS),
    ),
    min_size=3,
    max_size=14,
)
EXAMPLES = settings(max_examples=3, phases=[Phase.explicit, Phase.generate])

MakeEvent = Callable[..., EventRecord]
MakeGame = Callable[..., GameRecord]


def stored(
    database: Database,
    plans: Sequence[Planned],
    without: set[int],
    make_event: MakeEvent,
    make_game: MakeGame,
) -> list[EventRecord]:
    """Store events and pairs in the order of the plans, apart from some events. Keys of events
    are given, so that they can be compared."""
    repository = database.repository
    made: dict[int, EventRecord] = {}
    for number in range(EVENTS):
        if number in without:
            continue
        # Event n has a player that only it has.
        names = [*LABELS, f"own{number}"]
        variants = [VariantRecord(name * 4, "native", name, {}, name) for name in names]
        players = [EventPlayerRecord(i, name, name * 4) for i, name in enumerate(names)]
        with patch.object(event_queries, "free_key", return_value=f"r00{number}"):
            made[number] = repository.create_event(make_event(name=f"e{number}"), players, variants)
    for number, plan in enumerate(plans):
        if plan.event in without:
            continue
        one, two = (LABELS[n] for n in MEETINGS[plan.pairing])
        games = [
            make_game(
                *(made[plan.event].id, plan.pairing, 7 * number % 17, game),
                white=white,
                black=black,
                white_id=white * 4,
                black_id=black * 4,
                book_id=None,
                opening_line=None,
                result=plan.results[game - 1],
                game_key=plan.keys[game - 1],
            )
            for game, white, black in ((1, one, two), (2, two, one))
        ]
        repository.commit_pairs(made[plan.event].id, [games])
    return list(made.values())


_CONTENT = {
    "games": """
        SELECT e.key, g.pairing, g.pair, g.game, f.key, o.pairing, o.pair, o.game, g.digest
        FROM games g JOIN events e ON e.id = g.event_id
        LEFT JOIN games o ON o.id = g.repeats_id LEFT JOIN events f ON f.id = o.event_id""",
    "pairs": """
        SELECT e.key, p.pairing, p.pair, p.score1, p.score2, p.counted
        FROM pairs p JOIN events e ON e.id = p.event_id""",
    "pairings": """
        SELECT e.key, p.pairing, p.first_player, p.second_player
        FROM pairings p JOIN events e ON e.id = p.event_id""",
    "moves": "SELECT e.key, m.moves FROM game_moves m JOIN games g ON g.id = m.game_id "
    "JOIN events e ON e.id = g.event_id",
    "events": "SELECT key, name, status, settings, seed, pairs_planned FROM events",
    "players": "SELECT label FROM event_players",
    "variants": "SELECT identity FROM variants",
}


def content(path: Path | None) -> dict[str, list[Any]]:
    """All that a database has, with the names of rows in place of their numbers."""
    assert path is not None
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: sorted(connection.execute(query).fetchall(), key=repr)
            for name, query in _CONTENT.items()
        }


def told(database: Database) -> list[Any]:
    """What statistics are made of."""
    games, pairs = database.repository.games_and_pairs()
    columns = [games.players, games.counts.tolist(), games.white.tolist(), games.black.tolist()]
    scores = [
        database.repository.event_pair_scores(event.id) for event in database.repository.events()
    ]
    counted = [pairs.players, pairs.first.tolist(), pairs.second.tolist(), pairs.joint.tolist()]
    return [*columns, *counted, scores, database.repository.excluded_games()]


@contextmanager
def empty(copy_empty: Callable[[Path], Path]) -> Iterator[Database]:
    with TemporaryDirectory() as folder, open_database(copy_empty(Path(folder) / "a.db")) as opened:
        yield opened


@given(plans=PLANS, gone=st.sets(st.integers(0, EVENTS - 1), min_size=1, max_size=3))
@EXAMPLES
def test_rest_is_as_if_removed_events_never_were(
    copy_empty: Callable[[Path], Path],
    make_event: MakeEvent,
    make_game: MakeGame,
    plans: list[Planned],
    gone: set[int],
) -> None:
    with empty(copy_empty) as one, empty(copy_empty) as other:
        events = stored(one, plans, set(), make_event, make_game)
        before = one.repository.count_games()
        removed = one.repository.remove_runs([events[number] for number in gone])
        stored(other, plans, gone, make_event, make_game)
        assert content(one.path) == content(other.path)
        assert told(one) == told(other)
        assert one.repository.damage() == []
        one.check()
        assert removed.games == before - one.repository.count_games()
        assert removed.events == tuple(f"r00{number}" for number in sorted(gone))
        assert removed.variants == len(gone)


def test_next_repetition_counts_after_removal(
    database: Database, make_event: MakeEvent, make_game: MakeGame
) -> None:
    """Four events have one game; the others of its pair are different."""
    numbers = range(4)
    events = [Planned(event, 0, ("1-0", "1-0"), ("aa", f"0{event}")) for event in numbers]
    made = stored(database, events, set(), make_event, make_game)
    counted = [game.counted for game in database.repository.games() if game.game == 1]
    assert counted == [True, False, False, False]
    # The second event goes with the first, so the third one counts.
    removed = database.repository.remove_runs([made[0], made[1]])
    assert (removed.games, removed.now_counted) == (4, 1)
    assert [g.counted for g in database.repository.games() if g.game == 1] == [True, False]
    assert database.repository.remove_runs([made[3]]).now_counted == 0
    (score,) = database.repository.event_pair_scores(made[2].id)
    assert score.pairs == 1


def test_books_and_variants_go_with_their_last_event(
    database: Database, event: EventRecord, make_event: MakeEvent, make_game: MakeGame
) -> None:
    repository = database.repository
    repository.commit_pairs(event.id, [[make_game(event.id, 0, 0, n) for n in (1, 2)]])
    second = repository.create_event(event, repository.event_players(event.id))
    assert repository.remove_runs([event]) == Removed(events=(event.key,), games=2)
    assert len(repository.openings("feedbeef")) == 2
    assert repository.remove_runs([second]) == Removed(events=(second.key,), variants=2, books=1)
    assert repository.variants() == [] and repository.events() == []
    with pytest.raises(NotFound):
        repository.book("feedbeef")
    if database.path:  # the index made for this is gone
        with closing(sqlite3.connect(database.path)) as connection:
            for table in ("openings", "games", "game_moves", "pairs", "pairings"):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_rating_lists_stay_with_their_variants(database: Database, event: EventRecord) -> None:
    """And no later event gets the key of one that a list names."""
    repository = database.repository
    row = RatingRow("a" * 16, "A", 10.0, 5.0, 2, 0.5, None)
    record = RatingListRecord(0, "", "0.1.0", "pairs", {"event": event.key}, (row,))
    repository.add_rating_list(record)
    assert repository.remove_runs([event]).variants == 1
    assert [variant.id for variant in repository.variants()] == ["a" * 16]
    newest = repository.newest_rating_list(lambda _: True)
    assert newest is not None and newest.rows == (row,)
    keys = iter([event.key[1:] + "000000", "fff000"])
    with patch.object(event_queries.secrets, "token_hex", lambda _: next(keys)):
        players = [EventPlayerRecord(0, "A", "a" * 16), EventPlayerRecord(1, "B", "a" * 16)]
        again = repository.create_event(replace(event, book_id=None), players)
    assert again.key == "rfff"


def test_failures_and_confirmations_are_removed(
    database: Database, event: EventRecord, make_study: Callable[..., StudyRecord]
) -> None:
    repository = database.repository
    study = repository.create_study(make_study())
    repository.add_confirmation(study.id, event.id)
    repository.record_failures([PairFailureRecord(event.id, 0, 5, 3, "crash")])
    repository.remove_runs([event])
    assert repository.confirmations(study.id) == []
    assert repository.study(study.id) == study


def study_with_games(database: Database, event: EventRecord, make_study: Any) -> StudyRecord:
    """A study with a trial, an encounter and an event of tuning, beside that other event."""
    repository = database.repository
    players = repository.event_players(event.id)[:1]
    tuning = repository.create_event(replace(event, kind="tuning", name="lmr"), players)
    study = repository.create_study(
        make_study(event_id=tuning.id, settings={"name": "lmr", "pruner": None})
    )
    encounter = EncounterRecord(0, "search", {"x": 1}, 0, 2, 0)
    trial = TrialRecord(study.id, 0, "running", {"x": 1}, {}, (), None, "", None)
    repository.begin_trial(trial, [encounter])
    repository.add_players(
        tuning.id, [EventPlayerRecord(1, "0+", "c" * 16)],
        [VariantRecord("c" * 16, "native", "mtdf", {"x": 1}, "mtdf:x=1")],
    )  # fmt: skip
    return study


def test_study_is_removed_with_its_event(
    database: Database, event: EventRecord, make_study: Any, make_game: MakeGame
) -> None:
    repository = database.repository
    study = study_with_games(database, event, make_study)
    repository.add_confirmation(study.id, event.id)
    assert study.event_id is not None
    assert repository.study_of_event(study.event_id) == "lmr"
    tuning = repository.event(study.event_id)
    with pytest.raises(RecordError, match="study `lmr` needs the games of its event"):
        repository.remove_runs([tuning])
    games = [
        make_game(tuning.id, 0, 0, n, black="0+", black_id="c" * 16)
        if n == 1
        else make_game(
            tuning.id, 0, 0, n, white="0+", white_id="c" * 16, black="A", black_id="a" * 16
        )
        for n in (1, 2)
    ]
    repository.commit_pairs(tuning.id, [games])
    removed = repository.remove_runs([study])
    assert removed == Removed(events=(tuning.key,), games=2, variants=1)
    assert repository.studies() == [] and [e.id for e in repository.events()] == [event.id]
    assert repository.remove_runs([repository.event(event.id)]).books == 1


def lab_run(database: Database, name: str) -> LabRunRecord:
    repository = database.repository
    run = repository.create_lab_run(
        LabRunRecord(
            *(0, name, "planned", {"suite": "s", "suite_id": "i", "depths": [1]}),
            *("", None, None, "0.1.0", "native", "0123456789abcdef", "tower", "compare"),
        ),
        [LabEngineRecord(0, "A", "a" * 16, 0), LabEngineRecord(1, name, name[0] * 16, 0)],
        [LabPositionRecord(at, f"p{at}", "fen") for at in range(3)],
        [
            VariantRecord(one * 16, "native", "mtdf", {"guess": one.upper(), "hash": 16}, "mtdf")
            for one in ("a", name[0])
        ],
    )
    searches = [LabSearchRecord(0, at, 1, 0, "e2e4", 1, 1, 1, 1, 1, []) for at in range(3)]
    repository.add_lab_searches(run.id, searches)
    return run


def test_laboratory_run_is_removed_with_its_searches(database: Database) -> None:
    first, second = lab_run(database, "xena"), lab_run(database, "yara")
    assert database.repository.remove_runs([first]) == Removed(searches=3, variants=1)
    assert database.repository.lab_names() == ["yara"]
    assert len(database.repository.lab_searches(second.id)) == 3
    assert database.repository.remove_runs([second]) == Removed(searches=3, variants=2)


def test_study_and_run_are_renamed(database: Database, event: EventRecord, make_study: Any) -> None:
    repository = database.repository
    study = study_with_games(database, event, make_study)
    repository.rename_run(study, "razor")
    found = repository.find_study("razor")
    assert found.settings == {"name": "razor", "pruner": None}
    assert repository.event(found.event_id or 0).name == "razor"
    assert len(repository.trials(study.id)) == len(repository.encounters(study.id)) == 1
    run = lab_run(database, "xena")
    repository.rename_run(run, "yara")
    assert len(repository.lab_searches(repository.find_lab_run("yara").id)) == 3
    repository.create_study(make_study(name="other"))
    with pytest.raises(RecordError, match="study `other` already exists"):
        repository.rename_run(found, "other")
    assert repository.event(found.event_id or 0).name == "razor"


def test_note_is_added_and_removed(database: Database, event: EventRecord) -> None:
    repository = database.repository
    repository.note(event, note="on battery")
    assert repository.event(event.id).note == "on battery"
    repository.note(event, note=None)
    repository.note(event, note=None)
    assert repository.event(event.id) == event


def test_removed_run_is_not_found(
    database: Database, event: EventRecord, make_event: MakeEvent
) -> None:
    """Although a new one has its id."""
    repository = database.repository
    players = repository.event_players(event.id)
    variants = repository.variants()
    repository.remove_runs([event])
    later = make_event(created_at="2026-11-22T10:00:00.000Z")
    new = repository.create_event(later, players, variants)
    if database.path:
        assert new.id == event.id
    for act in (lambda: repository.remove_runs([event]), lambda: repository.rename_run(event, "x")):
        with pytest.raises(NotFound, match="no event with id"):
            act()
    assert repository.event(new.id) == new


def copy_of(original: int, key: bytes) -> ImportedGame:
    return ImportedGame("A", "B", 1, "unknown", 3, None, b"", None, None, key, copy_of=original)


def imported(database: Database, name: str, games: Sequence[ImportedGame]) -> EventRecord:
    repository = database.repository
    record = EventRecord(
        *(0, name, "planned", {"limit": {}, "files": []}, "", None, None),
        *("0.1.0", "imported", "", "tower", "", "import", 0, 0, 0, 0),
    )
    event = repository.open_import(record)
    players = [VariantRecord(n * 8, "imported", "", {"name": n}, n) for n in "AB"]
    repository.add_imported(repository.import_place(event), [(game,) for game in games], players)
    return event


def test_one_copy_of_a_removed_timed_game_counts(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    """The original has no key. Two files have the same text of it, and a third another one; of the
    three one counts."""
    repository = database.repository
    (games,) = repository.commit_pairs(event.id, [[make_game(event.id, 0, 0, n) for n in (1, 2)]])
    first, second = games[0].id, games[1].id
    one = imported(database, "one", [copy_of(first, b"x" * 16), copy_of(second, b"z" * 16)])
    imported(database, "two", [copy_of(first, b"x" * 16)])
    imported(database, "three", [copy_of(first, b"y" * 16)])
    assert repository.excluded_games() == 4
    assert repository.remove_runs([event]).now_counted == 2
    counted = {(g.event_id, g.game_key) for g in repository.games() if g.counted}
    assert counted == {(one.id, "78" * 16), (one.id, "7a" * 16)}
    assert repository.excluded_games() == 2


@pytest.mark.parametrize("earlier", [True, False])
def test_first_of_two_equal_texts_counts(
    database: Database, event: EventRecord, make_game: MakeGame, earlier: bool
) -> None:
    """The same text was imported when the original was not there: one game of a key counts, the
    first of all."""
    repository = database.repository
    (games,) = repository.commit_pairs(event.id, [[make_game(event.id, 0, 0, n) for n in (1, 2)]])
    known = copy_of(games[0].id, b"x" * 16)
    text_alone = known._replace(copy_of=None)
    # ``earlier``: the event in which the text counts stands before that with the copy.
    order = [text_alone, known] if earlier else [known, text_alone]
    events = [imported(database, f"file{n}", [game]) for n, game in enumerate(order)]
    repository.remove_runs([event])
    counted = [game.event_id for game in repository.games() if game.counted]
    assert counted == [events[0].id]


REMOVE = """
import os, signal, sys
import sqlalchemy.event
from db.session import open_database
left = int(sys.argv[2])
def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
with open_database(sys.argv[1]) as database:
    repository = database.repository
    (first, _) = repository.events()
    sqlalchemy.event.listen(database._store.engine, "after_cursor_execute", count)
    repository.remove_runs([first])
"""


@pytest.mark.slow
def test_killed_removal_changes_nothing(
    tmp_path: Path, make_event: MakeEvent, make_game: MakeGame, copy_empty: Callable[[Path], Path]
) -> None:
    path = copy_empty(tmp_path / "killed.db")
    plans = [Planned(event, 0, ("1-0", "1-0"), ("aa", "bb")) for event in (0, 1)]
    with open_database(path) as database:
        stored(database, plans, {2, 3}, make_event, make_game)
    before = content(path)
    for statements in (12, 30):
        line = [sys.executable, "-c", REMOVE, str(path), str(statements)]
        assert subprocess.run(line, check=False).returncode == -signal.SIGKILL
        with open_database(path) as database:
            database.check()
            assert database.repository.damage() == []
        assert content(path) == before
