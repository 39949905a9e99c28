"""Encounters of games are stored before they are reported, and never played twice."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import structs

from db.records.events import EventRecord
from db.records.games import GameFilter, GameRecord
from db.records.studies import EncounterRecord
from db.session import Database, open_database
from engines.backend import backend_name, make_searcher
from engines.limit import Limit
from engines.variant import parse_variant, variant_of
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.books.book import Book, load_book, package_book
from toolkit.events.event import resume_event, start_event, store_event
from toolkit.events.settings import EventSettings, match_settings
from toolkit.events.worker import PlayerFactory
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.pgn import game_to_pgn
from toolkit.reports.event_statistics import event_stats
from toolkit.reports.upkeep import replay_games
from toolkit.tuning.measuring.games import GamesEvaluator
from toolkit.tuning.space.point import Point

NODES, PLIES = (100, 40) if backend_name() == "native" else (20, 24)
BOOK = package_book("default-500")
"""Small, because each database stores the book of its events."""
VARYING = ("id", "started_at", "ended_at", "load", "jobs", "search_data", "repeats")
VARYING_CPU = ("white_cpu_us", "black_cpu_us")
BASE = "mtdf:hash=1,name=base"
POINTS: Sequence[Point] = [{"grain": grain} for grain in (2, 3, 5, 8, 13, 21)]

PROGRAM = """
import json, os, sys
from db.session import open_database
from toolkit.runs.stopping import stop_on_signals
from toolkit.events.worker import PlayerFactory
from db.records.studies import EncounterRecord
from toolkit.tuning.measuring.games import GamesEvaluator

path, encounters, number = sys.argv[1:]
with open_database(path) as db, stop_on_signals() as request:
    evaluator = GamesEvaluator(db, db.repository.find_event("last"), jobs=2, stop=request.event)
    for fields in json.loads(encounters):
        evaluator.submit(EncounterRecord(**fields))
    print("submitted", flush=True)
    while (finished := evaluator.next_finished()) is not None:
        print(finished.number, flush=True)
        os.kill(os.getpid(), int(number))
    evaluator.close()
    print("stopped", request.signal, evaluator.progress().games_now)
"""


def tuning(
    *opponents: str,
    base: str = BASE,
    limit: Limit | None = None,
    plies: int = PLIES,
    book: Book = BOOK,
) -> EventSettings:
    """Settings of the games of a study."""
    settings = match_settings(
        base,
        (*opponents, "pvs:name=nobody")[0],
        pairs=1,
        limit=limit or Limit(nodes=NODES),
        book=book,
        seed=3,
        adjudication=Adjudication(max_plies=plies),
        name="study",
    )
    players = settings.players[: 1 + len(opponents)]
    return structs.replace(settings, kind="tuning", players=players, pairs=1000)


def toy_tuning(*opponents: str, book: Book = BOOK) -> EventSettings:
    """The same for toy players."""
    return tuning(*opponents, base="pvs:name=base", limit=Limit(nodes=1), plies=20, book=book)


def store(db: Database, settings: EventSettings, book: Book = BOOK) -> EventRecord:
    return store_event(db, settings, book, this_program())


def meetings() -> list[EncounterRecord]:
    """Of points with the base, with each other and with an opponent."""
    return [
        EncounterRecord(0, "search", POINTS[0], 0, 3, trial=0),
        EncounterRecord(1, "search", POINTS[1], 3, 2, trial=1, second=POINTS[2]),
        EncounterRecord(2, "search", POINTS[2], 3, 2, trial=2, opponent=0),
        EncounterRecord(3, "choice", POINTS[3], 0, 2, trial=3),
        EncounterRecord(4, "gain", POINTS[0], 5, 2),
    ]


def collect(
    evaluator: GamesEvaluator, encounters: Iterable[EncounterRecord]
) -> dict[int, EncounterRecord]:
    """Submit all and wait for all."""
    waiting = 0
    for encounter in encounters:
        evaluator.submit(encounter)
        waiting += 1
    found: dict[int, EncounterRecord] = {}
    for _ in range(waiting):
        finished = evaluator.next_finished()
        assert finished is not None
        found[finished.number] = finished
    return found


def measure(
    db: Database,
    event: EventRecord,
    encounters: Iterable[EncounterRecord],
    jobs: int = 1,
    make_player: PlayerFactory = make_searcher,
) -> dict[int, EncounterRecord]:
    """Have encounters played by an evaluator of their own."""
    stop = threading.Event()
    evaluator = GamesEvaluator(db, event, jobs=jobs, stop=stop, make_player=make_player)
    with closing(evaluator):
        return collect(evaluator, encounters)


def essence(game: GameRecord) -> dict[str, object]:
    """All of a game but what time and place have a part in."""
    fields = structs.asdict(game)
    same = {key: value for key, value in fields.items() if key not in (*VARYING, *VARYING_CPU)}
    return same | {"counted": game.counted}


def games(db: Database) -> list[dict[str, object]]:
    return [essence(game) for game in db.repository.games()]


def test_games_and_scores_are_same_with_one_and_two_jobs(tmp_path: Path) -> None:
    played, scores = [], []
    for jobs in (1, 2):
        with open_database(tmp_path / f"{jobs}.db") as db:
            event = store(db, tuning("pvs:hash=1,name=rival"))
            found = measure(db, event, meetings(), jobs)
            scores.append({number: one.scores for number, one in sorted(found.items())})
            played.append(games(db))
            assert db.repository.event(event.id).pairs_done == 11
    assert played[0] == played[1]
    assert scores[0] == scores[1]
    assert [len(scores[0][number]) for number in range(5)] == [3, 2, 2, 2, 2]


def test_encounter_is_match_of_its_players(db: Database) -> None:
    settings = tuning()
    event = store(db, settings)
    found = measure(db, event, [EncounterRecord(7, "search", POINTS[2], 0, 4, trial=0)])
    played = list(db.repository.games(GameFilter(event_id=event.id)))
    point = structs.replace(variant_of(parse_variant(BASE), POINTS[2]), label="#0")
    match = structs.replace(
        match_settings(point, BASE, pairs=4, limit=settings.limit, seed=3, book=BOOK),
        adjudication=settings.adjudication,
    )
    outcome = start_event(db, match)
    expected = list(db.repository.games(GameFilter(event_id=outcome.event.id)))
    assert [(g.white, g.black, g.start_fen, g.moves, g.result) for g in played] == [
        (g.white, g.black, g.start_fen, g.moves, g.result) for g in expected
    ]
    points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    pairs = list(zip(expected[::2], expected[1::2], strict=True))
    assert all(one.white == "#0" for one, _ in pairs)
    scores = [(points[one.result] + 1 - points[two.result]) / 2 for one, two in pairs]
    assert list(found[7].scores) == scores


def test_same_number_has_same_opening(db: Database, toys: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "two.epd"
    path.write_text("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n4k3/4pppp/8/8/8/8/4PPPP/4K3 b - -\n")
    book = load_book(path)
    event = store(db, toy_tuning(book=book), book)
    encounters = [
        EncounterRecord(0, "search", POINTS[0], 0, 4, trial=0),
        EncounterRecord(1, "search", POINTS[1], 2, 1, trial=1, second=POINTS[2]),
    ]
    measure(db, event, encounters, make_player=toys.RandomPlayer)
    starts = {(game.pairing, game.pair): game.start_fen for game in db.repository.games()}
    assert starts[0, 0] == starts[0, 2] == starts[1, 2]
    assert starts[0, 1] == starts[0, 3] != starts[0, 0]


def test_points_join_once(db: Database, toys: ModuleType) -> None:
    event = store(db, toy_tuning("pvs:grain=5,name=rival"))
    measure(db, event, meetings(), make_player=toys.RandomPlayer)
    # Point 2 is the rival itself, which does not join again.
    expected = [(0, "base"), (1, "rival"), (2, "#0"), (3, "#1+"), (4, "#3")]
    players = db.repository.event_players(event.id)
    assert [(player.position, player.label) for player in players] == expected
    later = [
        EncounterRecord(5, "gain", POINTS[3], 9, 1),
        EncounterRecord(6, "gain", POINTS[4], 9, 1),
    ]
    measure(db, event, later, make_player=toys.RandomPlayer)
    players = db.repository.event_players(event.id)
    assert [(player.position, player.label) for player in players] == [*expected, (5, "#gain")]
    last = list(db.repository.games())[-4:]
    assert {(game.white, game.black) for game in last[:2]} == {("#3", "base"), ("base", "#3")}


def test_point_equal_to_base_is_even_without_games(db: Database) -> None:
    event = store(db, tuning("pvs:hash=1,name=rival"))
    same: Point = {"grain": parse_variant(BASE).parameters["grain"]}
    encounters = [
        EncounterRecord(0, "search", same, 0, 3, trial=0),
        EncounterRecord(1, "search", POINTS[0], 0, 2, trial=1, second=POINTS[0]),
        EncounterRecord(2, "search", same, 0, 1, trial=2, opponent=0),
    ]
    found = measure(db, event, encounters)
    assert (found[0].scores, found[1].scores) == ((0.5,) * 3, (0.5,) * 2)
    assert {(game.pairing, game.white) for game in db.repository.games()} == {
        (2, "base"),
        (2, "rival"),
    }


def test_equal_engines_play_with_clock(db: Database, toys: ModuleType) -> None:
    settings = tuning(base="pvs:name=base", limit=Limit(base_ms=60_000), plies=20)
    event = store(db, settings)
    same: Point = {"grain": parse_variant("pvs").parameters["grain"]}
    encounters = [
        EncounterRecord(0, "search", same, 0, 1, trial=0),
        EncounterRecord(1, "search", POINTS[0], 0, 1, trial=1, second=POINTS[0]),
    ]
    measure(db, event, encounters, make_player=toys.RandomPlayer)
    played = [(game.white, game.black) for game in db.repository.games()]
    assert played == [("#0", "base"), ("base", "#0"), ("#1+", "#1-"), ("#1-", "#1+")]
    # A second evaluator finds the same seats: it plays the next pairs of the same pairings.
    more = [structs.replace(encounter, first_pair=1) for encounter in encounters]
    measure(db, event, more, make_player=toys.RandomPlayer)
    assert db.repository.count_games() == 8
    assert len(db.repository.event_players(event.id)) == 4


@pytest.mark.native
def test_stored_pairs_are_not_played_again(db: Database, toys: ModuleType) -> None:
    event = store(db, tuning("pvs:hash=1,name=rival"))
    part = [structs.replace(encounter, pairs=1) for encounter in meetings()]
    measure(db, event, part)
    before = list(db.repository.games())
    evaluator = GamesEvaluator(db, event, jobs=1, stop=threading.Event())
    with closing(evaluator):
        found = collect(evaluator, meetings())
        assert evaluator.progress().games_now == 2 * (11 - 5)
        assert evaluator.progress().pairs == 11
    assert set(before) <= set(db.repository.games())
    # All is stored: no player is needed, and both ends of the scores are told the right way round.
    again = measure(db, event, meetings(), make_player=toys.RaisingPlayer)
    assert again == found
    assert any(score != 0.5 for one in found.values() for score in one.scores)


@pytest.mark.slow
@pytest.mark.workers
def test_workers_are_kept_between_trials(db: Database, toys: ModuleType) -> None:
    event = store(db, toy_tuning())
    evaluator = GamesEvaluator(
        db, event, jobs=2, stop=threading.Event(), make_player=toys.RandomPlayer
    )
    with closing(evaluator):
        workers = []
        for number, point in enumerate(POINTS):
            collect(
                evaluator, [EncounterRecord(number, "search", point, 2 * number, 2, trial=number)]
            )
            workers.append({child.pid for child in multiprocessing.active_children()})
        assert len(workers[0]) == 2
        assert all(seen == workers[0] for seen in workers)
    assert multiprocessing.active_children() == []


def test_encounters_are_accepted_while_others_are_played(db: Database, toys: ModuleType) -> None:
    event = store(db, toy_tuning())
    evaluator = GamesEvaluator(
        db, event, jobs=2, stop=threading.Event(), make_player=toys.RandomPlayer
    )
    with closing(evaluator):
        evaluator.submit(EncounterRecord(0, "search", POINTS[0], 0, 8, trial=0))
        evaluator.submit(EncounterRecord(1, "search", POINTS[1], 0, 1, trial=1))
        seen = []
        for number in range(2, 12):
            finished = evaluator.next_finished()
            assert finished is not None
            seen.append(finished.number)
            point = POINTS[number % len(POINTS)]
            evaluator.submit(EncounterRecord(number, "search", point, number, 1, trial=number))
        while len(seen) < 12:
            finished = evaluator.next_finished()
            assert finished is not None
            seen.append(finished.number)
        assert sorted(seen) == list(range(12))
        with pytest.raises(LookupError):
            evaluator.next_finished()


@pytest.mark.slow
@pytest.mark.workers
def test_unplayable_pair_has_no_score(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = store(db, toy_tuning())
    encounter = EncounterRecord(0, "search", POINTS[0], 4, 3, trial=0)
    found = measure(db, event, [encounter], make_player=toys.RandomPlayer)
    doomed = [game.start_fen for game in db.repository.games() if game.pair == 5][0]
    monkeypatch.setenv(toys.DOOMED, doomed)
    other = structs.replace(encounter, number=1)
    scores = measure(db, event, [other], make_player=toys.DeadlyPlayer)[1].scores
    assert scores == (found[0].scores[0], None, found[0].scores[2])
    (failure,) = db.repository.failures(event.id)
    assert (failure.pairing, failure.pair, failure.attempts) == (1, 5, 2)
    # It stays given up.
    assert measure(db, event, [other], make_player=toys.RandomPlayer)[1].scores == scores


def test_repeated_failures_are_engine_problem(db: Database, toys: ModuleType) -> None:
    event = store(db, toy_tuning())
    encounter = EncounterRecord(0, "search", POINTS[0], 0, 9, trial=0)
    with pytest.raises(EngineProblem, match="3 pairs in a row failed, the last one: ZeroDivision"):
        measure(db, event, [encounter], make_player=toys.RaisingPlayer)
    assert len(db.repository.failures(event.id)) == 3


@pytest.mark.slow
@pytest.mark.workers
def test_stopped_evaluation_is_resumed(
    db: Database, toys: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [structs.replace(encounter, pairs=12) for encounter in meetings()]
    with open_database(tmp_path / "whole.db") as whole:
        measure(
            whole, store(whole, toy_tuning("pvs:name=rival")), many, make_player=toys.RandomPlayer
        )
        untroubled = games(whole)
        # The last pair of the last encounter, so that something is left when the stop comes.
        last = max(whole.repository.games(), key=lambda game: game.pair)
    monkeypatch.setenv(toys.DOOMED, last.start_fen)
    event = store(db, toy_tuning("pvs:name=rival"))
    stop = threading.Event()
    evaluator = GamesEvaluator(db, event, jobs=2, stop=stop, make_player=toys.StuckPlayer)
    with closing(evaluator):
        for encounter in many:
            evaluator.submit(encounter)
        assert evaluator.next_finished() is not None
        stop.set()
        assert evaluator.next_finished() is None
        assert evaluator.next_finished() is None
        stored = evaluator.progress().pairs
    assert db.repository.count_games() == 2 * stored < 120
    measure(db, event, many, make_player=toys.RandomPlayer)
    assert games(db) == untroubled


def program(path: Path, encounters: Sequence[EncounterRecord], number: int) -> list[str]:
    """What a process prints that plays encounters by two workers, and that sends itself this signal
    at the end of each."""
    text = json.dumps([structs.asdict(encounter) for encounter in encounters])
    words = [sys.executable, "-c", PROGRAM, str(path), text, str(int(number))]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_coordinator_loses_nothing(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "killed.db"
    many = [structs.replace(encounter, pairs=16) for encounter in meetings()]
    with open_database(path) as db:
        store(db, tuning("pvs:hash=1,name=rival"))
    lines = program(path, many, number)
    assert lines[:2] == ["submitted", "0"]
    if number == signal.SIGTERM:
        assert lines[-1].startswith(f"stopped {int(number)} ")
    with open_database(path) as db:
        event = db.repository.find_event("last")
        before = list(db.repository.games())
        assert 32 <= len(before) < 160
        evaluator = GamesEvaluator(db, event, jobs=2, stop=threading.Event())
        with closing(evaluator):
            found = collect(evaluator, many)
            assert evaluator.progress().games_now == 160 - len(before)
        played = {(game.pairing, game.pair, game.game): game for game in db.repository.games()}
        assert len(played) == db.repository.count_games() == 160
        for game in before:
            after = played[game.pairing, game.pair, game.game]
            assert (after.id, after.moves) == (game.id, game.moves)
        resumed = games(db)
    with open_database(tmp_path / "whole.db") as whole:
        expected = measure(whole, store(whole, tuning("pvs:hash=1,name=rival")), many, 2)
        assert games(whole) == resumed
        assert expected == found


def test_games_of_study_are_resumed_by_study_alone(db: Database) -> None:
    event = store(db, tuning("pvs:hash=1,name=rival"))
    measure(db, event, meetings())
    assert replay_games(db).mismatches == ()
    assert replay_games(db).replayed == 22
    stats = event_stats(db, event.key)
    assert stats.games == 22
    game = list(db.repository.games())[-1]
    pgn = game_to_pgn(game, event=event)
    assert '[White "base"]' in pgn and '[Black "#0"]' in pgn and '[Event "study"]' in pgn
    with pytest.raises(UsageError, match="belongs to study study; continue with: mtdf resume"):
        resume_event(db, event)
    with pytest.raises(UsageError, match="played by its study"):
        start_event(db, tuning())
