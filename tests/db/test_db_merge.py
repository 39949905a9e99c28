"""Merging databases: every run and every game once, as if all had been played in one."""

from __future__ import annotations

import hashlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple, replace
from sqlalchemy import Connection

from db.errors import DatabaseForeign, DatabaseMissing, DatabaseNewer, EventLocked
from db.merging import games, merge
from db.records.engines import NamedEngineRecord, VariantRecord
from db.records.events import EventPlayerRecord, EventRecord, PairFailureRecord
from db.records.games import GameFilter, GameProblemRecord, GameRecord
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.records.ratings import RatingListRecord
from db.records.runs import RunStatus
from db.records.studies import EncounterRecord, StudyRecord, TrialRecord
from db.session import Database, open_database
from db.storage.engine import Store
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.runs.merging import MergeOutcome, merge_database

Make = Callable[..., GameRecord]
MakeEvent = Callable[..., EventRecord]
Copy = Callable[[Path], Path]
LETTERS = "ABC"
RESULTS = ("1-0", "0-1", "1/2-1/2")


class World:
    """Databases in a folder, and events whose games depend on their settings alone."""

    def __init__(
        self, folder: Path, copy: Copy, game: Make, event: MakeEvent, variant: Any
    ) -> None:
        self.folder = folder
        self._copy = copy
        self._game = game
        self._event = event
        self._variant: Callable[[str], VariantRecord] = variant
        self._stored = 0
        self.paths: dict[str, Path] = {}

    def path(self, name: str) -> Path:
        if name not in self.paths:
            self.paths[name] = self._copy(self.folder / f"{name}.db")
        return self.paths[name]

    def open(self, name: str, **options: Any) -> Database:
        return open_database(self.path(name), **options)

    def new_event(self, where: str, **changes: Any) -> EventRecord:
        """An event of three players in the database of that name, at a moment of its own."""
        self._stored += 1
        with self.open(where) as db:
            return self.add_event(db, **changes)

    def add_event(self, db: Database, **changes: Any) -> EventRecord:
        second = self._stored % 60
        values: dict[str, Any] = {
            "created_at": f"2026-11-21T10:{self._stored // 60:02}:{second:02}.000Z",
            "pairs_planned": 30,
        }
        players = [
            EventPlayerRecord(i, letter, self._variant(letter).id)
            for i, letter in enumerate(LETTERS)
        ]
        record = self._event(**values | changes)
        return db.repository.create_event(record, players, map(self._variant, LETTERS))

    def pair(
        self, event: EventRecord, pairing: int, number: int, timed: str = ""
    ) -> list[GameRecord]:
        """Two games that are functions of seed, pairing and number: events of one seed have the
        same ones. Some repeat others of the event. ``timed``: games by a clock, of that moment."""
        letters = ("AB", "AC", "BC")[pairing]
        which = number % 7 if pairing == 2 else number
        games = []
        for game in (1, 2):
            white, black = letters if game == 1 else letters[::-1]
            digest = hashlib.sha256(
                f"{event.seed} {pairing} {which} {game} {timed}".encode()
            ).digest()
            games.append(
                self._game(
                    *(0, pairing, number, game),
                    white=white,
                    black=black,
                    white_id=self._variant(white).id,
                    black_id=self._variant(black).id,
                    book_id=None,
                    opening_line=None,
                    result=RESULTS[digest[0] % 3],
                    moves=digest[:6],
                    white_cpu_us=random.randrange(10**6),
                    game_key=None if timed else digest[:16].hex(),
                    speed=10**6 + digest[2] if timed else 0,
                    problems=(GameProblemRecord(True, "warning", "it slept", None, "./a"),)
                    if digest[1] % 4 == 0
                    else (),
                )
            )
        return games

    def play(self, name: str, key: str, places: list[tuple[int, int]], timed: str = "") -> None:
        with self.open(name) as db:
            event = db.repository.find_event(key)
            pairs = [self.pair(event, *place, timed) for place in places]
            db.repository.commit_pairs(event.id, pairs)

    def merge(self, into: str, other: str, **options: Any) -> MergeOutcome:
        path = self.path(other)
        with self.open(into) as db:
            outcome = merge_database(db, path, **options)
            if not options.get("dry_run"):
                assert db.repository.damage() == []
        return outcome


@pytest.fixture
def world(
    tmp_path: Path,
    copy_empty: Copy,
    make_game: Make,
    make_event: MakeEvent,
    make_variant: Any,
) -> World:
    return World(tmp_path, copy_empty, make_game, make_event, make_variant)


def contents(db: Database) -> dict[Any, set[Any]]:
    """The games of each event, by what identifies it, without what depends on the machine."""
    repository = db.repository
    found: dict[Any, set[Any]] = {}
    for event in repository.events():
        games = repository.games(GameFilter(event_id=event.id))
        found[event.created_at, event.seed] = {
            (g.pairing, g.pair, g.game, g.white, g.black, g.result, g.moves, g.game_key)
            for g in games
        }
    return found


def statistics(db: Database) -> Any:
    """All counts and ratings, by names."""
    from toolkit.ratings.rating import rate_games
    from toolkit.reports.crosstables import crosstable

    repository = db.repository
    ids = [event.id for event in repository.events()]
    return (
        repository.count_games(),
        repository.excluded_games(),
        [repository.excluded_games([event_id]) for event_id in ids],
        [repository.event_pair_scores(event_id) for event_id in ids],
        [(g.event_id, g.pairing, g.pair, g.game, g.counted) for g in repository.games()],
        [astuple(row) for row in rate_games(db).rows()],
        list(crosstable(db).rows),
    )  # fmt: skip


def of(outcome: MergeOutcome) -> list[tuple[str, int]]:
    return [(run.state, run.games) for run in outcome.runs]


def problem(outcome: MergeOutcome) -> str:
    (run,) = [run for run in outcome.runs if run.state == "refused"]
    assert run.problem is not None
    return run.problem


PLACES = [(pairing, number) for pairing in range(3) for number in range(10)]


def test_merged_statistics_equal_those_of_one_database(world: World) -> None:
    """Ratings, crosstables and counts of A and B merged are those of one database in which both
    events were played, one after the other; the events share half of their games."""
    for where, name in (("a", "first"), ("one", "first"), ("b", "second"), ("one", "second")):
        at = {"first": "2026-11-21T10:00:00.000Z", "second": "2026-11-21T11:00:00.000Z"}[name]
        event = world.new_event(where, name=name, created_at=at)
        some = PLACES if name == "first" else [(p, n + 5) for p, n in PLACES]
        world.play(where, event.key, some)
    assert of(world.merge("a", "b")) == [("new", 60)]
    with world.open("a") as merged, world.open("one") as played:
        assert merged.repository.excluded_games() > 20
        assert statistics(merged) == statistics(played)
    assert of(world.merge("a", "b")) == [("known", 0)]


def test_random_merges_in_any_order(world: World) -> None:
    """Random events, some of one seed, go on where they began, and databases are merged at random:
    nothing is lost, nothing is there twice, and of the games of a key the first one counts."""
    rng = random.Random(0)
    names = "abc"
    known: dict[Any, set[Any]] = {}
    begun: dict[str, list[EventRecord]] = {name: [] for name in names}
    for _ in range(10):
        name = rng.choice(names)
        action = rng.random()
        events = begun[name]
        if action < 0.2 or not events:
            events.append(
                world.new_event(name, seed=rng.randrange(2), name=rng.choice(("x", "y", "")))
            )
        elif action < 0.6:
            event = rng.choice(events)
            places = rng.sample(PLACES, rng.randrange(1, 5))
            world.play(name, event.key, places)
        else:
            world.merge(name, rng.choice([n for n in names if n != name]))
        with world.open(name) as db:  # the others are as they were
            for event_id, games in contents(db).items():
                known[event_id] = known.get(event_id, set()) | games
    for one in rng.sample(names, 3):
        for other in rng.sample(names, 3):
            if one != other:
                world.merge(one, other)
    for one in names:
        outcomes = [world.merge(one, other) for other in names if other != one]
        assert {state for outcome in outcomes for state, _ in of(outcome)} <= {"known"}
        with world.open(one) as db:
            assert contents(db) == known
            firsts: dict[str, Any] = {}
            for game in db.repository.games():  # by event, pairing, pair and game
                assert game.game_key is not None
                assert game.counted == (game.game_key not in firsts)
                firsts.setdefault(game.game_key, game.id)
                assert game.counted or game.repeats == firsts[game.game_key]


def test_event_that_went_on_is_completed(world: World) -> None:
    event = world.new_event("b", status="running")
    world.play("b", event.key, PLACES[:10])
    with world.open("b") as db:
        failures = [PairFailureRecord(event.id, 2, number, 2, "it died") for number in (8, 9)]
        db.repository.record_failures(failures)
    assert of(world.merge("a", "b")) == [("new", 20)]
    with world.open("a") as db:
        (here,) = db.repository.events()
        assert (here.key, here.status, here.pairs_done) == (event.key, "interrupted", 10)
        assert here.pairs_failed == 2
    world.play("b", event.key, [*PLACES[5:], (2, 8)])
    with world.open("b") as db:
        db.repository.note(event, extensions=[20])
        db.repository.set_status(event, "done")
    assert of(world.merge("a", "b", dry_run=True)) == [("added", 40)]
    assert of(world.merge("a", "b")) == [("added", 40)]
    with world.open("a") as db, world.open("b") as other:
        (here,), (there,) = db.repository.events(), other.repository.events()
        assert replace(here, id=0) == replace(there, id=0)
        assert (here.status, here.pairs_done, here.pairs_failed) == ("done", 30, 0)
        ours, theirs = list(db.repository.games()), list(other.repository.games())
        assert [replace(g, id=0, event_id=0, repeats=None) for g in ours] == [
            replace(g, id=0, event_id=0, repeats=None) for g in theirs
        ]
        assert [db.repository.game_problems(g) for g in ours] == [
            other.repository.game_problems(g) for g in theirs
        ]
    assert of(world.merge("b", "a")) == [("known", 0)]


ROUNDS = {"name": "swiss", "pairs": 1, "form": {"rounds": 2}}


def rounds_in_two_copies(world: World) -> EventRecord:
    """An event of rounds with a pair played, in databases ``a`` and ``b``."""
    event = world.new_event("a", name="swiss", settings=ROUNDS)
    world.play("a", event.key, [(0, 0)])
    shutil.copyfile(world.path("a"), world.path("b"))
    return event


def give_up(world: World, where: str, event: EventRecord, *places: tuple[int, int]) -> None:
    with world.open(where) as db:
        failures = [PairFailureRecord(event.id, *place, 2, "it died") for place in places]
        db.repository.record_failures(failures)


def test_event_that_went_on_in_two_places_is_refused(world: World) -> None:
    """Whatever decided the later rounds, until one of them has all that the other has."""
    event = rounds_in_two_copies(world)
    give_up(world, "a", event, (1, 0))
    world.play("a", event.key, [(0, 1)])
    world.play("b", event.key, [(1, 0), (2, 1)])
    for into, here, there in (("a", 1, 2), ("b", 2, 1)):
        with world.open(into) as db:
            before = contents(db)
        for dry_run in (True, False):
            assert problem(world.merge(into, "b" if into == "a" else "a", dry_run=dry_run)) == (
                f"it went on in both databases: {here} of its results are only here, and {there} "
                "only there"
            )
        with world.open(into) as db:
            assert contents(db) == before
    world.play("b", event.key, [(0, 1)])
    assert of(world.merge("a", "b")) == [("added", 4)]


def test_rounds_that_went_on_in_one_copy_are_merged(world: World) -> None:
    """Also if a pair that was given up in the other was played after all."""
    event = rounds_in_two_copies(world)
    give_up(world, "a", event, (1, 0))
    world.play("b", event.key, [(1, 0), (2, 1)])
    assert of(world.merge("a", "b")) == [("added", 4)]
    with world.open("a") as db:
        (here,) = db.repository.events()
        assert (here.pairs_done, here.pairs_failed) == (3, 0)
    world.play("b", event.key, [(0, 1)])
    give_up(world, "b", event, (2, 2))
    assert of(world.merge("a", "b")) == [("added", 2)]
    assert of(world.merge("b", "a")) == [("known", 0)]


def test_copies_with_different_end_times_are_the_same_event(world: World) -> None:
    event = rounds_in_two_copies(world)
    for where in "ab":
        with world.open(where) as db:
            db.repository.set_status(event, "done")
    with world.open("a") as db, world.open("b") as other:
        ends = [one.repository.find_event(event.key).ended_at for one in (db, other)]
    assert of(world.merge("a", "b")) == [("known", 0)]
    with world.open("a") as db:
        assert db.repository.find_event(event.key).ended_at == ends[0]


def test_names_and_notes_of_the_target_are_kept(world: World) -> None:
    """Also where its PGN file is: that of the other machine means nothing here."""
    settings = {"name": "there", "pairs": 2, "pgn_out": "/there.pgn"}
    event = world.new_event("b", name="there", settings=settings)
    world.merge("a", "b")
    with world.open("a") as db:
        (here,) = db.repository.events()
        assert "pgn_out" not in here.settings
        db.repository.rename_run(here, "here")
        db.repository.note(here, note="mine", pgn_out="/here.pgn")
    world.play("b", event.key, PLACES[:3])
    assert of(world.merge("a", "b")) == [("added", 6)]
    with world.open("a") as db:
        (here,) = db.repository.events()
        assert (here.name, here.note, here.settings["name"]) == ("here", "mine", "here")
        assert here.settings["pgn_out"] == "/here.pgn"


def test_taken_key_and_name_are_replaced(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from db.queries import events

    with monkeypatch.context() as patch:
        patch.setattr(events.secrets, "token_hex", lambda _: "abcdef")
        ours = world.new_event("a", name="x", seed=1)
        theirs = world.new_event("b", name="x", seed=2)
    assert ours.key == theirs.key == "rabc"
    for name, key in (("a", ours.key), ("b", theirs.key)):
        world.play(name, key, PLACES[:5])
    outcome = world.merge("a", "b")
    (run,) = outcome.runs
    assert run.into != run.name == "rabc" and run.renamed == "x-2"
    assert of(world.merge("a", "b")) == [("known", 0)]
    world.play("b", theirs.key, PLACES[5:8])
    assert of(world.merge("a", "b")) == [("added", 6)]
    assert of(world.merge("b", "a")) == [("new", 10), ("known", 0)]
    with world.open("a") as db:
        assert len(db.repository.events()) == 2
    # Through a third database, in which both keys are free, it is still the same event.
    assert of(world.merge("c", "a")) == [("new", 10), ("new", 16)]
    assert of(world.merge("c", "b")) == [("known", 0), ("known", 0)]
    assert of(world.merge("b", "c")) == [("known", 0), ("known", 0)]


def test_key_of_a_stored_rating_list_is_not_reused(world: World, make_variant: Any) -> None:
    event = world.new_event("b")
    world.new_event("a")
    with world.open("a") as db:
        settings = {"event": event.key}
        db.repository.add_rating_list(RatingListRecord(0, "", "0.1.0", "pairs", settings))
    (run,) = world.merge("a", "b").runs
    assert run.into != event.key


def test_event_with_other_results_is_refused_alone(world: World) -> None:
    """A copied database goes on in both places with a clock."""
    event = world.new_event("a")
    world.play("a", event.key, PLACES[:4], timed="before")
    shutil.copyfile(world.path("a"), world.path("b"))
    world.play("a", event.key, PLACES[4:6], timed="here")
    world.play("b", event.key, PLACES[4:8], timed="there")
    other = world.new_event("b", seed=9)
    world.play("b", other.key, PLACES[:2])
    with world.open("a") as db:
        before = contents(db)
    for dry_run in (True, False):
        outcome = world.merge("a", "b", dry_run=dry_run)
        assert problem(outcome) == "pair 4 of pairing 0 is another one here"
        assert [run.state for run in outcome.runs] == ["refused", "new"]
    with world.open("a") as db:
        after = contents(db)
        assert len(after.pop((other.created_at, other.seed))) == 4
        assert after == before


def test_imported_copies_of_timed_games_stay_repetitions(world: World) -> None:
    """Games by a clock have no key; an import of them has one, and repeats them all the same."""
    event = world.new_event("b")
    world.play("b", event.key, PLACES[:3], timed="x")
    with world.open("b") as db:
        from db.records.games import ImportedGame
        from toolkit.imports.run import _event, imported_variant

        record = db.repository.open_import(_event("games.pgn"))
        place = db.repository.import_place(record)
        units = [
            (
                ImportedGame(
                    *("P", "Q", 2, "unknown", 3, None, b"", None, None),
                    key=bytes([game.id]) * 16,
                    copy_of=game.id,
                ),
            )
            for game in db.repository.games()
        ]
        db.repository.add_imported(place, units, map(imported_variant, "PQ"))
        assert db.repository.excluded_games() == 6
    world.new_event("a")
    assert of(world.merge("a", "b")) == [("new", 6), ("new", 6)]
    with world.open("a") as db:
        assert db.repository.excluded_games() == 6
        originals = {game.id for game in db.repository.games() if game.game_key is None}
        assert {g.repeats for g in db.repository.games() if g.game_key is not None} == originals


def fill_study(db: Database, world: World, trials: int, *, timed: str = "") -> StudyRecord:
    """A study whose event has a pair for each trial, measured but for the last one."""
    repository = db.repository
    found = repository.studies()
    if found:
        study = found[0]
        event = repository.event(study.event_id or 0)
    else:
        event = world.add_event(db, kind="tuning", name="lmr", settings={"name": "lmr"})
        study = repository.create_study(
            StudyRecord(
                *(0, "lmr", "planned", {"name": "lmr", "seed": 1}, "2026-11-21T12:00:00.000Z"),
                *(None, None, "0.1.0", "native", "0123456789abcdef", "tower", event.id),
            )
        )
    repository.set_status(study, "running")
    known = {trial.number: trial for trial in repository.trials(study.id)}
    for number in range(trials):
        if number not in known:
            point = {"a": number}
            encounter = EncounterRecord(number, "search", point, 0, 1, number)
            repository.begin_trial(TrialRecord(study.id, number, "running", point), [encounter])
            repository.commit_pairs(event.id, [world.pair(event, 0, number, timed)])
        if number < trials - 1 and (number not in known or known[number].state == "running"):
            repository.finish_encounter(study.id, number, [0.25])
            repository.finish_trial(study.id, number, "complete", 1.5, {"user": {}})
    return study


def test_study_is_merged(world: World) -> None:
    with world.open("b") as db:
        fill_study(db, world, 3)
    (run,) = world.merge("a", "b").runs
    counts = (run.trials, run.encounters, run.games)
    assert (run.kind, *counts) == ("study", 3, 3, 6)
    with world.open("b") as db:
        study = fill_study(db, world, 6)
        confirming = world.add_event(db, created_at="2026-11-21T13:00:00.000Z")
        db.repository.add_confirmation(study.id, confirming.id)
        db.repository.set_study_result(study.id, {"best": 3})
        db.repository.set_status(study, "done")
    outcome = world.merge("a", "b")
    assert [(r.state, r.trials, r.games) for r in outcome.runs] == [
        ("added", 3, 6),
        ("new", 0, 0),
    ]
    with world.open("a") as db, world.open("b") as other:
        (ours,), (theirs,) = db.repository.studies(), other.repository.studies()
        assert replace(ours, id=0, event_id=0) == replace(theirs, id=0, event_id=0)
        for read in ("trials", "encounters"):
            rows = [getattr(d.repository, read)(s.id) for d, s in ((db, ours), (other, theirs))]
            assert rows[0] == rows[1] and len(rows[0]) == 6
        assert len(db.repository.confirmations(ours.id)) == 1
        assert contents(db) == contents(other)
    assert [run.state for run in world.merge("a", "b").runs] == ["known", "known"]


def test_study_that_went_on_in_two_places(world: World) -> None:
    with world.open("a") as db:
        fill_study(db, world, 3)
    shutil.copyfile(world.path("a"), world.path("b"))
    shutil.copyfile(world.path("a"), world.path("c"))
    for name, trials in (("a", 4), ("b", 6), ("c", 6)):
        with world.open(name) as db:
            fill_study(db, world, trials, timed=name if name == "c" else "")
    (run,) = world.merge("a", "b").runs
    assert (run.state, run.trials) == ("added", 2)
    assert "is another one here" in problem(world.merge("a", "c"))


def test_study_with_a_taken_name_is_renamed(world: World) -> None:
    with world.open("a") as db:
        fill_study(db, world, 2)
    world._stored += 1
    with world.open("b") as db:
        fill_study(db, world, 3)
    (run,) = world.merge("a", "b").runs
    assert (run.state, run.into, run.renamed) == ("new", "lmr-2", "lmr-2")
    with world.open("a") as db:
        study = db.repository.find_study("lmr-2")
        assert study.settings["name"] == "lmr-2"
        assert db.repository.event(study.event_id or 0).name == "lmr-2"
    assert [run.state for run in world.merge("a", "b").runs] == ["known"]


def fill_lab(db: Database, variant: Any, searches: int, value: int = 5) -> LabRunRecord:
    repository = db.repository
    found = repository.lab_runs()
    run = found[0] if found else repository.create_lab_run(
        LabRunRecord(
            *(0, "lab", "planned", {"suite": "s", "suite_id": "i", "depths": [1]}),
            *("2026-11-21T12:00:00.000Z", None, None, "0.1.0", "native", "00", "tower", "compare"),
        ),
        [LabEngineRecord(0, "A", variant("A").id, 0)],
        [LabPositionRecord(n, f"p{n}", f"fen {n}") for n in range(9)],
        [variant("A")],
    )  # fmt: skip
    some = [
        LabSearchRecord(0, n, 1, value, "e2e4", 1, 2, 3, 1, random.randrange(99), [[1]])
        for n in range(searches)
    ]
    repository.add_lab_searches(run.id, some)
    return run


def test_laboratory_run_is_merged(world: World, make_variant: Any) -> None:
    with world.open("b") as db:
        fill_lab(db, make_variant, 4)
    (run,) = world.merge("a", "b").runs
    assert (run.kind, run.state, run.searches) == ("run", "new", 4)
    with world.open("b") as db:
        run_there = fill_lab(db, make_variant, 9)
        db.repository.set_status(run_there, "done")
    with world.open("a") as db:
        fill_lab(db, make_variant, 6)  # in another time
    shutil.copyfile(world.path("a"), world.path("c"))
    (run,) = world.merge("a", "b").runs
    assert (run.state, run.searches) == ("added", 3)
    with world.open("a") as db:
        (here,) = db.repository.lab_runs()
        assert here.status == "done" and len(db.repository.lab_searches(here.id)) == 9
    (run,) = world.merge("a", "b").runs
    assert run.state == "known"
    with world.open("c") as db:
        fill_lab(db, make_variant, 8, value=6)
    assert problem(world.merge("a", "c")) == (
        "the search of position 6 by engine 0 is another one here"
    )


def test_named_engines_are_merged(world: World) -> None:
    for name, settings in (("a", {"argv": ["./one"]}), ("b", {"argv": ["./two"]})):
        with world.open(name) as db:
            db.repository.add_named_engine(NamedEngineRecord("kept", settings))
    with world.open("b") as db:
        db.repository.add_named_engine(NamedEngineRecord("new", {"argv": ["./three"]}))
    for dry_run, there in ((True, 1), (False, 2)):
        outcome = world.merge("a", "b", dry_run=dry_run)
        assert (outcome.engines, outcome.other_engines) == (["new"], ["kept"])
        with world.open("a") as db:
            engines = {one.name: one.settings["argv"] for one in db.repository.named_engines()}
            assert engines["kept"] == ["./one"] and len(engines) == there


def test_unusable_sources_are_refused(world: World, tmp_path: Path) -> None:
    world.new_event("a")
    newer, older, foreign = (tmp_path / f"{name}.db" for name in ("newer", "older", "foreign"))
    for path, version in ((newer, "99.0.0"), (older, "0.0.9")):
        shutil.copyfile(world.path("a"), path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    foreign.write_bytes(b"text" * 99)
    (tmp_path / "link.db").symlink_to(world.path("a"))
    before = {path: path.read_bytes() for path in (newer, older, foreign)}
    with world.open("a") as db:
        for path, error, text in (
            (world.path("a"), UsageError, "is the database itself"),
            (tmp_path / "link.db", UsageError, "is the database itself"),
            (tmp_path / "none.db", DatabaseMissing, "no database at"),
            (foreign, DatabaseForeign, "is not an SQLite database"),
            (newer, DatabaseNewer, "upgrade mtdf"),
            (older, DatabaseProblem, f"mtdf db vacuum --db {older}"),
        ):
            with pytest.raises(error, match=text):
                merge_database(db, path)
    assert {path: path.read_bytes() for path in before} == before


def test_runs_in_progress(world: World) -> None:
    """Here it is refused, there it is merged as far as it is; and one merge at a time."""
    event = world.new_event("b")
    world.play("b", event.key, PLACES[:2])
    world.merge("a", "b")
    world.play("b", event.key, PLACES[:4])
    with world.open("b") as other, other.run_lock(event.key):
        (run,) = world.merge("a", "b", dry_run=True).runs
        assert run.in_progress
    with world.open("a") as db:
        with db.run_lock(event.key):
            assert "already running" in problem(merge_database(db, world.path("b")))
        with db.run_lock("merge"), pytest.raises(EventLocked, match="a merge in .* is already"):
            merge_database(db, world.path("b"))
    assert of(world.merge("a", "b")) == [("added", 4)]


def test_dry_run_writes_nothing(world: World) -> None:
    event = world.new_event("b")
    world.play("b", event.key, PLACES[:4])
    world.new_event("a")
    before = world.path("a").read_bytes(), world.path("b").read_bytes()
    assert of(world.merge("a", "b", dry_run=True)) == [("new", 8)]
    assert (world.path("a").read_bytes(), world.path("b").read_bytes()) == before
    assert {path.name for path in world.folder.iterdir()} == {"a.db", "b.db"}


class Killed(BaseException):
    """The end of a process between two transactions."""


def _merge_killed(world: World, into: str, writes: int) -> bool:
    """Merge `b`, in small transactions, and stop before any after that number; whether it was."""
    left, write = writes, Store.write

    def counted(store: Store) -> AbstractContextManager[Connection]:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return write(store)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "_PAGE", 6)
        patch.setattr(merge, "_SEARCHES", 2)
        patch.setattr(Store, "write", counted)
        with suppress(Killed), world.open(into) as db:
            merge_database(db, world.path("b"))
    with world.open(into) as db:
        assert db.repository.damage() == []
    return left < 0


def _assert_same(world: World, *names: str) -> None:
    """Two databases have the same runs and games."""
    with world.open(names[0]) as db, world.open(names[1]) as other:
        assert contents(db) == contents(other)
        for one, same in zip(
            (*db.repository.studies(), *db.repository.lab_runs(), *db.repository.events()),
            (*other.repository.studies(), *other.repository.lab_runs(), *other.repository.events()),
            strict=True,
        ):
            assert replace(one, id=0) == replace(same, id=0)


def test_merge_continues_after_any_transaction(world: World, make_variant: Any) -> None:
    """However often a merge is killed, the target is sound, and the last one ends as one that was
    not killed."""
    event = world.new_event("b")
    world.play("b", event.key, PLACES[:8])
    with world.open("b") as db:
        fill_study(db, world, 3)
        fill_lab(db, make_variant, 3)
    world.merge("whole", "b")
    step, kills = 1, 0
    while _merge_killed(world, "a", step):
        kills += 1
        step = 1 + kills % 3
        assert kills < 60
    assert kills > 4
    _assert_same(world, "a", "whole")
    assert {state for state, _ in of(world.merge("a", "b"))} == {"known"}


def test_merge_into_known_runs_continues(world: World, make_variant: Any) -> None:
    """Runs that went on and were interrupted again have other statuses and times: no kill keeps a
    second merge from writing them."""
    event = world.new_event("b")

    def go_on(pairs: int, end: RunStatus) -> None:
        world.play("b", event.key, PLACES[:pairs])
        with world.open("b") as db:
            runs = fill_study(db, world, pairs), fill_lab(db, make_variant, pairs)
            for run in (db.repository.find_event(event.key), *runs):
                db.repository.set_status(run, end)

    go_on(3, "interrupted")
    world.merge("a", "b")
    shutil.copyfile(world.path("a"), world.path("before"))
    go_on(6, "failed")
    world.merge("whole", "b")
    kills = 0
    while True:
        shutil.copyfile(world.path("before"), world.path("a"))
        if not _merge_killed(world, "a", kills + 1):
            break
        kills += 4
        world.merge("a", "b")
        _assert_same(world, "a", "whole")
    assert kills > 6


_KILLED = """
import os, signal, sys
from db.merging import games, merge
from db.session import open_database
from db.storage.engine import Store
from toolkit.runs.merging import merge_database
games._PAGE = 6
merge._SEARCHES = 2
left = int(sys.argv[3])
write = Store.write
def counted(self):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(self)
Store.write = counted
with open_database(sys.argv[1]) as db:
    merge_database(db, sys.argv[2])
"""


@pytest.mark.slow
def test_merge_continues_after_kill(world: World) -> None:
    event = world.new_event("b")
    world.play("b", event.key, PLACES[:12])
    world.merge("whole", "b")
    words = [sys.executable, "-c", _KILLED, str(world.path("a")), str(world.path("b")), "3"]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    assert of(world.merge("a", "b"))[0][0] == "added"
    _assert_same(world, "a", "whole")
