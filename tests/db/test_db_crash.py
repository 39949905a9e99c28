"""``kill -9`` at any moment: what was committed stays, and nothing is there by halves."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from db.records.events import EventRecord
from db.session import open_database

pytestmark = pytest.mark.slow

PREPARE = """
import importlib.util, os, signal, sys
spec = importlib.util.spec_from_file_location("samples", sys.argv[2])
samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(samples)
from db.queries import pairs
from db.session import open_database
"""
PLAY = """
with open_database(sys.argv[1]) as database:
    repository = database.repository
    event = repository.find_event(sys.argv[3])
    with database.run_lock(event.key):
        done = repository.finished_pairs(event.id)
        for pair in range(int(sys.argv[4])):
            if (0, pair) not in done:
                games = [samples.game_record(event.id, 0, pair, n) for n in (1, 2)]
                repository.commit_pairs(event.id, [games])
                print(pair, flush=True)
"""
DIE_IN_THE_SECOND_GAME = """
move_values = pairs._move_values
def die(game_id, game):
    # The rows of both games are written, and the moves of none.
    if game.game == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return move_values(game_id, game)
pairs._move_values = die
"""


@pytest.fixture
def path(place: str, fill_database: Callable[..., EventRecord]) -> str:
    """A database with one event and no games."""
    with open_database(place) as database:
        fill_database(database)
    return place


def start(
    path: str, script: str, event: str = "last", pairs: int = 100_000
) -> subprocess.Popen[str]:
    """Another process that plays the event, as far as that."""
    samples = Path(__file__).with_name("conftest.py")
    command = [sys.executable, "-c", PREPARE + script, str(path), str(samples), event, str(pairs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check_whole(path: str) -> list[int]:
    """The numbers of the stored pairs, each with both its games and their moves."""
    with open_database(path) as database:
        database.check()
        games = list(database.repository.games())
        (event,) = database.repository.events()
        done = sorted(pair for _, pair in database.repository.finished_pairs(event.id))
        assert event.pairs_done == len(done)
    assert [(g.pair, g.game) for g in games] == [(pair, n) for pair in done for n in (1, 2)]
    assert all(g.moves and g.search_data for g in games)
    return done


def test_event_survives_repeated_kills(path: str) -> None:
    """Each life goes on where the last one was killed, at once."""
    moments = random.Random(3)
    told: list[int] = []
    for _ in range(3):
        with start(path, PLAY) as child:
            assert child.stdout is not None
            told.append(int(child.stdout.readline()))
            time.sleep(moments.uniform(0.0, 0.1))
            child.send_signal(signal.SIGKILL)
            told += map(int, child.stdout.read().split())
        done = check_whole(path)
        assert set(told) <= set(done), "what was printed is stored"
        assert len(done) - len(told) <= 4, "at most one pair a life was stored and not told"
    assert len(told) == len(set(told)), "nothing was played twice"
    assert done == list(range(len(done))), "nothing was left out"


def test_kill_within_a_pair_stores_nothing_of_it(path: str) -> None:
    with start(path, DIE_IN_THE_SECOND_GAME + PLAY) as child:
        child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert check_whole(path) == []
    with open_database(path) as database, database.repository._store.read() as connection:
        for table in ("pairings", "pairs", "games", "game_moves", "end_reasons"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


def test_two_events_are_played_at_once(path: str) -> None:
    with open_database(path) as database:
        repository = database.repository
        (first,) = repository.events()
        second = repository.create_event(first, repository.event_players(first.id))
        children = [start(path, PLAY, event.key, 60) for event in (first, second)]
        for child in children:
            child.communicate()
        assert [child.returncode for child in children] == [0, 0]
        assert [event.pairs_done for event in repository.events()] == [60, 60]


def test_others_read_while_one_plays(path: str) -> None:
    """Readers see whole pairs, ever more of them, and never wait for the writer."""
    with start(path, PLAY) as child, open_database(path, read_only=True) as reader:
        assert child.stdout is not None
        told = int(child.stdout.readline())
        (event,) = reader.repository.events()
        assert event.pairs_done > told
        seen = 0
        for _ in range(20):
            told = int(child.stdout.readline())
            (score,) = reader.repository.event_pair_scores(event.id)
            games = score.wins + score.draws + score.losses
            assert games == 2 * score.pairs == 2 * sum(score.pentanomial)
            assert score.pairs > max(told, seen - 1)
            seen = score.pairs
        child.kill()
