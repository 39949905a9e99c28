"""Whole events store the right games, resume, and refuse what cannot be continued."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from functools import partial
from io import StringIO
from itertools import product
from pathlib import Path
from types import ModuleType

import chess.pgn
import pytest
from msgspec import structs

from db.errors import EventLocked, NotFound
from db.records.events import EventRecord
from db.records.games import GameFilter, GameRecord
from db.session import Database, open_database
from db.storage import file_lock
from db.storage.lock import Holder
from engines.backend import backend_name, signature
from engines.limit import TIME_MANAGER, Limit
from engines.variant import parse_variant
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.books.book import Book, load_book, package_book
from toolkit.events import event as event_module
from toolkit.events import settings as settings_module
from toolkit.events.event import resume_event, start_event
from toolkit.events.players import Contender
from toolkit.events.progress import EventProgress
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings
from toolkit.ratings.rating import store_after_event
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.outcome import EndReason
from toolkit.referee.replay import replay_game
from toolkit.reports.games import list_pgn
from toolkit.reports.upkeep import replay_games
from toolkit.runs import lifecycle
from toolkit.selection.events import at_limit
from toolkit.selection.sequential import SprtSettings

BOOK = package_book("default-500")
"""Small, because each database stores the book of its events."""
match_settings = partial(settings_module.match_settings, book=BOOK)
gauntlet_settings = partial(settings_module.gauntlet_settings, book=BOOK)
SHORT = Adjudication(max_plies=20, draw=None, resign=None)
TIMES = ("id", "event_id", "started_at", "ended_at", "load", "jobs", "search_data", "repeats")


def toy_settings(pairs: int, plies: int = 20, second: str = "b") -> EventSettings:
    """A match of toy players."""
    return match_settings(
        "pvs:name=a",
        f"pvs:name={second}",
        pairs=pairs,
        limit=Limit(nodes=1),
        adjudication=Adjudication(max_plies=plies, draw=None, resign=None),
    )


def essence(game: GameRecord) -> dict[str, object]:
    """All of a game but what time and place have a part in."""
    fields = structs.asdict(game)
    cpu = ("white_cpu_us", "black_cpu_us")
    return {key: value for key, value in fields.items() if key not in (*TIMES, *cpu)}


def games(db: Database) -> list[dict[str, object]]:
    return [essence(game) for game in db.repository.games()]


def test_event_is_played_stored_and_replayed(db: Database, tmp_path: Path) -> None:
    settings = gauntlet_settings(
        ["mtdf:hash=1"],
        ["pvs:hash=1", "alphabeta:hash=1"],
        pairs=2,
        limit=Limit(nodes=20),
        seed=7,
        name="first",
        adjudication=Adjudication(max_plies=60),
    )
    seen: list[EventProgress] = []
    outcome = start_event(db, settings, jobs=2, on_progress=seen.append)
    assert (outcome.status, outcome.signal, outcome.problem) == ("done", None, None)
    event = outcome.event
    assert event == db.repository.find_event("first") == db.repository.find_event("last")
    assert (event.status, event.kind, event.seed) == ("done", "gauntlet", 7)
    assert (event.pairs_planned, event.pairs_done, event.pairs_failed) == (4, 4, 0)
    assert (event.backend, event.signature) == (backend_name(), signature())
    assert EventSettings.from_json(event.settings) == settings
    stored = list(db.repository.games(GameFilter(event_id=event.id)))
    places = [(game.pairing, game.pair, game.game) for game in stored]
    assert places == [(p, k, g) for p in (0, 1) for k in (0, 1) for g in (1, 2)]
    for game in stored:
        replay_game(game, settings.adjudication)
        assert game.counted and game.plies > 0
        assert game.white_nodes > 0 and game.black_nodes > 0
        assert (game.white == "mtdf:hash=1") == (game.game == 1)
        assert (game.backend, game.signature) == (backend_name(), signature())
    assert {game.white_id for game in stored} == {player.id for player in settings.players}
    # Everything that is shown is already stored, and the counts are those of the database.
    # Pairs that have arrived together are stored and shown together.
    shown = [progress.games_played for progress in seen]
    assert (shown[0], shown[-1]) == (0, 8)
    # Before its end, somebody may choose when to look at an interval.
    assert [all(p.any_look for p in one.pairings) for one in (seen[0], seen[-1])] == [True, False]
    assert shown == sorted(set(shown)) and all(games % 2 == 0 for games in shown)
    assert_counts_match(db, outcome.progress)


def test_games_from_a_book_of_games_begin_with_its_moves(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "b.pgn"
    path.write_text("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 *\n\n1. e4 e5 *\n")
    book = load_book(path)
    settings = settings_module.match_settings(
        *("mtdf:hash=1", "pvs:hash=1"),
        **dict(pairs=2, limit=Limit(nodes=20), adjudication=SHORT, book=book),
    )
    assert settings.to_json()["book"]["moves"] and settings.book.moves
    assert EventSettings.from_json(settings.to_json()) == settings
    positions = structs.replace(settings, book=structs.replace(settings.book, moves=False))
    for event in (settings, positions):
        assert start_event(db, event, book=book).status == "done"
    assert not replay_games(db).mismatches
    lines = {line.line: line for line in book.openings}
    keys: dict[int, list[str | None]] = {line: [] for line in lines}
    for game in db.repository.games():
        assert game.opening_line is not None
        opening = lines[game.opening_line]
        assert game.start_fen == opening.fen
        keys[opening.line].append(game.game_key)
    # 4 games of a line: only where its positions can come again is its game another one.
    assert [len(set(found)) for found in keys.values()] == [4, 2]


def test_line_of_standard_chess_begins_a_game_of_chess960(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "b.pgn"
    path.write_text("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O Be7 5. Re1 O-O *\n")
    book = load_book(path, chess960=True)
    settings = settings_module.match_settings(
        *("mtdf:hash=1", "pvs:hash=1"),
        **dict(pairs=1, limit=Limit(nodes=20), adjudication=SHORT, book=book, chess960=True),
    )
    assert start_event(db, settings, book=book).status == "done"
    assert not replay_games(db).mismatches
    for text in list_pgn(db):
        assert text.count("O-O {book}") == 2 and chess.pgn.read_game(StringIO(text)).errors == []


def assert_counts_match(db: Database, progress: EventProgress) -> None:
    scores = {s.pairing: s for s in db.repository.event_pair_scores(progress.event.id)}
    for shown in progress.pairings:
        stored = scores[shown.pairing]
        assert (shown.first, shown.second) == (stored.first, stored.second)
        assert shown.games == 2 * stored.pairs
        assert (shown.wins, shown.draws, shown.losses) == (stored.wins, stored.draws, stored.losses)
        assert shown.pentanomial == list(stored.pentanomial)
    assert progress.repetitions == db.repository.excluded_games([progress.event.id])


@pytest.mark.native
def test_every_game_replays_in_python_chess(db: Database) -> None:
    settings = gauntlet_settings(
        ["mtdf"], ["pvs", "mtdf:guess=zero"], pairs=8, limit=Limit(nodes=150), seed=1
    )
    outcome = start_event(db, settings)
    assert outcome.status == "done"
    reasons = set()
    count = 0
    for game in db.repository.games():
        replay_game(game, settings.adjudication)
        reasons.add(game.end_reason)
        count += 1
    assert count == 32
    assert {EndReason.CHECKMATE, EndReason.THREEFOLD_REPETITION} <= reasons
    assert outcome.progress.engine_failures == 0


def test_same_seed_gives_same_games_with_one_and_two_jobs(tmp_path: Path) -> None:
    played = []
    for jobs in (1, 2):
        settings = gauntlet_settings(
            ["mtdf:hash=1,guess=average", "mtdf:hash=1,guess=zero"],
            ["pvs:entries=2^8"],
            pairs=3,
            limit=Limit(nodes=40),
            seed=99,
            adjudication=Adjudication(max_plies=24),
        )
        with open_database(tmp_path / f"{jobs}.db") as db:
            assert start_event(db, settings, jobs=jobs).status == "done"
            played.append(games(db))
    assert len(played[0]) == 12
    assert played[0] == played[1]


def test_stopped_event_resumes_where_it_stopped(
    db: Database, tmp_path: Path, toys: ModuleType
) -> None:
    settings = toy_settings(10)
    stop = threading.Event()

    def stop_after_six(progress: EventProgress) -> None:
        if progress.games_played >= 6:
            stop.set()

    outcome = start_event(
        db, settings, jobs=2, on_progress=stop_after_six, stop=stop, make_player=toys.RandomPlayer
    )
    assert (outcome.status, outcome.event.status) == ("interrupted", "interrupted")
    before = list(db.repository.games())
    assert 6 <= len(before) < 20
    assert outcome.progress.games_played == len(before)
    seen: list[EventProgress] = []
    outcome = resume_event(
        db, "last", jobs=1, on_progress=seen.append, make_player=toys.RandomPlayer
    )
    assert outcome.status == "done"
    assert seen[0].games_played == len(before)
    assert (outcome.progress.games_played, outcome.progress.games_now) == (20, 20 - len(before))
    assert set(before) <= set(db.repository.games())
    assert_counts_match(db, outcome.progress)
    with open_database(tmp_path / "whole.db") as other:
        start_event(other, settings, make_player=toys.RandomPlayer)
        assert games(other) == games(db)


def test_event_resumes_after_error_in_callback(db: Database, toys: ModuleType) -> None:
    seen = 0

    def fail(progress: EventProgress) -> None:
        nonlocal seen
        seen = progress.games_played
        if seen >= 4:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        start_event(db, toy_settings(8), on_progress=fail, make_player=toys.RandomPlayer)
    assert db.repository.find_event("last").status == "interrupted"
    assert 4 <= db.repository.count_games() == seen < 16
    assert resume_event(db, "last", make_player=toys.RandomPlayer).status == "done"
    assert db.repository.count_games() == 16


def test_identical_games_are_excluded_and_counted(
    db: Database, tmp_path: Path, toys: ModuleType
) -> None:
    book = write_book(tmp_path)
    settings = match_settings(
        "pvs:name=a",
        "mtdf:name=b",
        pairs=5,
        limit=Limit(nodes=1),
        book=book,
        repeat_openings=True,
        adjudication=SHORT,
    )
    progress = start_event(db, settings, book=book, make_player=toys.RandomPlayer).progress
    assert (progress.games_played, progress.repetitions) == (10, 6)
    (pairing,) = progress.pairings
    assert pairing.wins + pairing.draws + pairing.losses == 4
    assert sum(pairing.pentanomial) == 2
    assert_counts_match(db, progress)


def test_timed_games_are_never_identical(db: Database, tmp_path: Path, toys: ModuleType) -> None:
    book = write_book(tmp_path)
    settings = match_settings(
        "pvs:name=a",
        "mtdf:name=b",
        pairs=3,
        limit=Limit(base_ms=60_000),
        book=book,
        adjudication=SHORT,
    )
    progress = start_event(db, settings, book=book, make_player=toys.RandomPlayer).progress
    assert (progress.games_played, progress.repetitions) == (6, 0)


def write_book(tmp_path: Path) -> Book:
    path = tmp_path / "two.epd"
    path.write_text("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -\n4k3/4pppp/8/8/8/8/4PPPP/4K3 b - -\n")
    return load_book(path)


def test_book_is_stored_with_event(db: Database, tmp_path: Path, toys: ModuleType) -> None:
    book = write_book(tmp_path)
    settings = match_settings(
        "pvs:name=a", "mtdf:name=b", pairs=2, limit=Limit(nodes=1), book=book, adjudication=SHORT
    )
    stop = threading.Event()
    stop.set()
    event = start_event(db, settings, book=book, stop=stop, make_player=toys.RandomPlayer).event
    assert event.status == "interrupted"
    Path(book.source).unlink()
    assert resume_event(db, event, make_player=toys.RandomPlayer).status == "done"
    starts = {game.start_fen for game in db.repository.games()}
    assert starts == {opening.fen for opening in book.openings}


def test_engine_may_play_itself_under_two_labels(db: Database) -> None:
    settings = match_settings(
        "pvs:hash=1,name=a",
        "pvs:hash=1,name=b",
        pairs=2,
        limit=Limit(nodes=20),
        adjudication=SHORT,
    )
    progress = start_event(db, settings, jobs=1).progress
    # Equal players with equal memories: the two games of a pair are the same game, and both count.
    assert (progress.games_played, progress.repetitions) == (4, 0)
    assert [one.pentanomial for one in progress.pairings] == [[0, 0, 2, 0, 0]]


def test_failing_pairs_stop_event_and_can_be_retried(db: Database, toys: ModuleType) -> None:
    outcome = start_event(db, toy_settings(5), make_player=toys.RaisingPlayer)
    assert (outcome.status, outcome.event.status) == ("failed", "failed")
    assert outcome.problem is not None
    assert outcome.problem.startswith("3 pairs in a row failed, the last one: ZeroDivisionError")
    assert (outcome.progress.pairs_failed, outcome.event.pairs_failed) == (3, 3)
    outcome = resume_event(db, "last", make_player=toys.RandomPlayer)
    assert (outcome.status, outcome.progress.games_played) == ("failed", 4)
    assert outcome.problem is not None and outcome.problem.startswith("3 of 5 pairs could not be")
    assert len(db.repository.failures(outcome.event.id)) == 3
    outcome = resume_event(db, "last", retry_failed=True, make_player=toys.RandomPlayer)
    assert (outcome.status, outcome.progress.games_played) == ("done", 10)
    assert db.repository.failures(outcome.event.id) == []


def test_engine_that_fails_in_every_game_is_out(db: Database, toys: ModuleType) -> None:
    outcome = start_event(db, toy_settings(5, second="c"), make_player=toys.frail_player)
    assert (outcome.status, outcome.progress.games_played) == ("failed", 4)
    assert outcome.problem == (
        "3 of 5 pairs could not be played: `c` hung or died in 4 games in a row, the last time: "
        "the script is over"
    )
    outcome = resume_event(db, "last", retry_failed=True, make_player=toys.RandomPlayer)
    assert (outcome.status, outcome.progress.games_played) == ("done", 10)


def test_late_engine_plays_on(db: Database, toys: ModuleType) -> None:
    settings = toy_settings(5, second="c")
    settings = structs.replace(settings, limit=Limit(cpu_ms=30), time_margin_ms=0)
    outcome = start_event(db, settings, make_player=toys.late_player)
    assert (outcome.status, outcome.progress.time_losses) == ("done", 10)


def test_test_of_an_engine_against_itself_is_refused() -> None:
    sprt = SprtSettings.make(0, 10)
    make = partial(settings_module.sprt_settings, sprt=sprt, max_pairs=4, book=BOOK)
    with pytest.raises(UsageError, match="`mtdf` and `again` are one engine"):
        make("mtdf", "mtdf:name=again", limit=Limit(nodes=1))
    assert make("mtdf:nodes=2", "mtdf:nodes=1", limit=Limit(nodes=1)).kind == "sprt"


@pytest.mark.workers
def test_pair_that_kills_its_worker_is_recorded(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = toy_settings(4)
    schedule = Schedule(settings, BOOK)
    monkeypatch.setenv(toys.DOOMED, schedule.task(0, 1).opening.fen)
    outcome = start_event(db, settings, jobs=2, make_player=toys.DeadlyPlayer)
    assert (outcome.status, outcome.event.status) == ("failed", "failed")
    assert (outcome.progress.games_played, outcome.progress.pairs_failed) == (6, 1)
    assert outcome.progress.repaired == 1
    (failure,) = db.repository.failures(outcome.event.id)
    assert (failure.pairing, failure.pair, failure.attempts) == (0, 1, 2)
    assert "SIGKILL" in failure.reason


def test_running_event_cannot_be_resumed(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lock, "PATIENCE_S", 0.0)
    event = start_event(db, toy_settings(1), make_player=toys.RandomPlayer).event
    with db.run_lock(event.key), pytest.raises(EventLocked, match=event.key):
        resume_event(db, event, make_player=toys.RandomPlayer)
    assert resume_event(db, event, make_player=toys.RandomPlayer).status == "done"


def test_lock_is_held_while_playing(db: Database, toys: ModuleType) -> None:
    running: list[dict[str, Holder]] = []
    outcome = start_event(
        db,
        toy_settings(1),
        on_progress=lambda _: running.append(db.running_events()),
        make_player=toys.RandomPlayer,
    )
    assert all(outcome.event.key in found for found in running)
    assert db.running_events() == {}


def test_changed_program_resumes_only_if_allowed(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    stop.set()
    event = start_event(db, toy_settings(1), stop=stop, make_player=toys.RandomPlayer).event
    own = this_program()
    for backend, message in (
        (own.backend, "a core that played differently"),
        ("other", "this is the other one"),
    ):
        changed = structs.replace(own, signature="1" * 16, backend=backend)
        for module in (event_module, lifecycle):
            monkeypatch.setattr(module, "this_program", lambda *_, changed=changed: changed)
        with pytest.raises(EngineProblem, match=message) as caught:
            resume_event(db, event, make_player=toys.RandomPlayer)
        assert "--allow-changed" in str(caught.value)
    outcome = resume_event(db, event, allow_changed=True, make_player=toys.RandomPlayer)
    assert outcome.status == "done"
    assert {game.signature for game in db.repository.games()} == {"1" * 16}


def lose_last_pair(db: Database, event: EventRecord) -> None:
    """Take a pair and its games out of the file, behind the program's back."""
    assert db.path is not None
    with closing(sqlite3.connect(db.path)) as connection, connection:
        place = f"event_id = {event.id} AND pair = {event.pairs_planned - 1}"
        moves = f"game_id IN (SELECT id FROM games WHERE {place})"
        connection.execute(f"DELETE FROM game_moves WHERE {moves}")
        assert connection.execute(f"DELETE FROM games WHERE {place}").rowcount == 2
        connection.execute(f"DELETE FROM pairs WHERE {place}")


def test_missing_games_are_played_again(db: Database, toys: ModuleType) -> None:
    event = start_event(db, toy_settings(3), make_player=toys.RandomPlayer).event
    before = games(db)
    lose_last_pair(db, event)
    again = resume_event(db, event.key, make_player=toys.RandomPlayer)
    assert again.progress.games_now == 2
    assert games(db) == before and db.repository.damage() == []


def test_timed_event_of_other_time_manager_is_not_resumed(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    stop.set()
    timed = structs.replace(toy_settings(1), limit=Limit(base_ms=60_000), name="timed")
    event = start_event(db, timed, stop=stop, make_player=toys.RandomPlayer).event
    done = start_event(db, timed, make_player=toys.RandomPlayer).event
    nodes = start_event(db, toy_settings(1), stop=stop, make_player=toys.RandomPlayer).event
    two = structs.replace(timed, pairs=2)
    lost = start_event(db, two, make_player=toys.RandomPlayer).event
    lose_last_pair(db, lost)
    given_up = start_event(db, timed, make_player=toys.RaisingPlayer).event
    assert (given_up.status, given_up.pairs_failed) == ("failed", 1)
    games = db.repository.count_games()
    monkeypatch.setattr("toolkit.referee.clock.TIME_MANAGER", 3)
    with pytest.raises(EngineProblem, match="version 2 of the time manager"):
        start_event(db, timed, make_player=toys.RandomPlayer)
    for one, allow in product((event, lost, given_up), (False, True)):
        with pytest.raises(EngineProblem, match="began with version 2 of the time manager"):
            resume_event(
                *(db, one),
                allow_changed=allow,
                retry_failed=one != event,
                make_player=toys.RandomPlayer,
            )
        assert db.repository.event(one.id).status == one.status
    assert resume_event(db, given_up, make_player=toys.RandomPlayer).status == "failed"
    assert db.repository.count_games() == games
    assert resume_event(db, done, make_player=toys.RandomPlayer).status == "done"
    assert resume_event(db, nodes, make_player=toys.RandomPlayer).status == "done"


def test_limit_selects_games_of_every_time_manager(db: Database, toys: ModuleType) -> None:
    stop = threading.Event()
    stop.set()
    timed = structs.replace(toy_settings(1), limit=Limit(base_ms=60_000))
    event = start_event(db, timed, stop=stop, make_player=toys.RandomPlayer).event
    limit = dict(event.settings["limit"])
    assert limit.pop("time_manager") == TIME_MANAGER
    older = structs.replace(event, id=event.id + 1, settings={"limit": limit})
    found = at_limit(Limit(base_ms=60_000), [event, older])
    assert found == {event.id: frozenset(), older.id: frozenset()}
    assert at_limit(Limit(base_ms=60_001), [event, older]) == {}


def test_invalid_requests_store_nothing(db: Database, toys: ModuleType, tmp_path: Path) -> None:
    for jobs in (0, -1, 10**6):
        with pytest.raises(UsageError, match="jobs"):
            start_event(db, toy_settings(1), jobs=jobs)
    with pytest.raises(UsageError, match="is not the one of the settings"):
        start_event(db, toy_settings(1), book=write_book(tmp_path))
    unknown = Contender(structs.replace(toy_settings(1).players[0].variant(), driver="scout"))
    settings = structs.replace(toy_settings(1), players=(unknown, toy_settings(1).players[1]))
    with pytest.raises(EngineProblem, match="no driver scout"):
        start_event(db, settings)
    assert db.repository.events() == []
    with pytest.raises(NotFound):
        resume_event(db, "last")


def test_time_losses_and_engine_failures_are_counted(db: Database, toys: ModuleType) -> None:
    timed = match_settings(
        "pvs:name=a",
        "pvs:name=b",
        pairs=1,
        limit=Limit(movetime_ms=10),
        time_margin_ms=20,
        adjudication=SHORT,
    )
    progress = start_event(db, timed, make_player=toys.SlowPlayer).progress
    assert (progress.time_losses, progress.engine_failures) == (2, 0)
    progress = start_event(db, toy_settings(1), make_player=toys.mute_player).progress
    assert (progress.time_losses, progress.engine_failures) == (0, 2)
    event: EventRecord = progress.event
    assert resume_event(db, event, make_player=toys.mute_player).progress.engine_failures == 2


def test_variants_are_stored_with_their_parameters(db: Database, toys: ModuleType) -> None:
    start_event(db, toy_settings(1), make_player=toys.RandomPlayer)
    (variant,) = db.repository.variants()
    expected = parse_variant("pvs")
    assert (variant.id, variant.spelling) == (expected.identity, "pvs")
    assert (variant.kind, variant.driver) == ("native", "pvs")
    assert dict(variant.parameters) == dict(expected.effective)


def test_finished_event_stores_rating_list(db: Database, toys: ModuleType) -> None:
    """Once; what was stopped stores none, and neither does an event that was done before."""
    stop = threading.Event()

    def stop_early(progress: EventProgress) -> None:
        if progress.games_played >= 4:
            stop.set()

    settings = match_settings(
        "pvs:name=a", "mtdf:name=b", pairs=4, limit=Limit(nodes=1), adjudication=SHORT
    )
    first = start_event(
        db, settings, on_progress=stop_early, stop=stop, make_player=toys.RandomPlayer
    )
    assert first.status == "interrupted" and len(db.repository.rating_list_ids()) == 0
    done = resume_event(db, first.event.key, make_player=toys.RandomPlayer)
    assert (done.status, done.unrated) == ("done", None)
    stored = db.repository.newest_rating_list(lambda _: True)
    assert stored and sum(row.games for row in stored.rows) == 2 * 8
    assert (stored.settings["event"], stored.settings["anchors"]) == (None, {})
    again = resume_event(db, first.event.key, make_player=toys.RandomPlayer)
    assert (again.status, again.progress.games_now) == ("done", 0)
    assert len(db.repository.rating_list_ids()) == 1
    start_event(db, structs.replace(settings, seed=8), make_player=toys.RandomPlayer)
    assert len(db.repository.rating_list_ids()) == 2
    both = db.repository.newest_rating_list(lambda _: True)
    assert both and sum(row.games for row in both.rows) == 2 * 16, "of all events together"


def test_event_killed_while_rated_gets_its_list_on_resume(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, wherever it was killed: before the list was stored, or after that."""
    settings = match_settings(
        "pvs:name=a", "mtdf:name=b", pairs=2, limit=Limit(nodes=1), adjudication=SHORT
    )

    def kill(_: Database, game: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(event_module, "store_after_event", kill)
        with pytest.raises(KeyboardInterrupt):
            start_event(db, settings, make_player=toys.RandomPlayer)
    assert db.repository.find_event("last").status == "interrupted"
    assert len(db.repository.rating_list_ids()) == 0

    def kill_late(opened: Database, game: str) -> None:
        store_after_event(opened, game)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(event_module, "store_after_event", kill_late)
        with pytest.raises(KeyboardInterrupt):
            resume_event(db, "last", make_player=toys.RandomPlayer)
    assert len(db.repository.rating_list_ids()) == 1
    assert resume_event(db, "last", make_player=toys.RandomPlayer).status == "done"
    assert len(db.repository.rating_list_ids()) == 1


def test_self_play_stores_no_rating_list(db: Database, toys: ModuleType) -> None:
    settings = match_settings(
        "pvs:name=a", "pvs:name=b", pairs=1, limit=Limit(nodes=1), adjudication=SHORT
    )
    outcome = start_event(db, settings, make_player=toys.RandomPlayer)
    assert (outcome.status, outcome.unrated) == ("done", None)
    assert len(db.repository.rating_list_ids()) == 0
