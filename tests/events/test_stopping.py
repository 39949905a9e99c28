"""Events stopped by Ctrl-C or SIGTERM lose no finished pair and can be resumed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db.records.games import GameRecord
from db.session import open_database
from engines.limit import Limit
from toolkit.books.book import package_book
from toolkit.events.event import start_event
from toolkit.events.progress import EventProgress
from toolkit.events.settings import EventSettings, match_settings
from toolkit.referee.adjudication import Adjudication
from toolkit.runs.batches import BatchSize

PROGRAM = """
import json, sys
from db.session import open_database
from toolkit.events.event import start_event
from toolkit.events.settings import EventSettings

path, settings = sys.argv[1:]
def show(progress):
    print(progress.games_played, flush=True)
with open_database(path) as db:
    settings = EventSettings.from_json(json.loads(settings))
    outcome = start_event(db, settings, jobs=2, on_progress=show)
print(outcome.status, outcome.signal)
"""
MARK = "MTDF_TEST_MARK"


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """What the environment of every process of the test says, and of no other one."""
    text = uuid.uuid4().hex
    monkeypatch.setenv(MARK, text)
    return text


def settings(size: Any) -> EventSettings:
    """An event of some seconds."""
    return match_settings(
        "mtdf:hash=1",
        "pvs:hash=1",
        pairs=size.pairs,
        limit=Limit(nodes=size.nodes),
        book=package_book("default-500"),  # small: each database stores it
        seed=5,
        adjudication=Adjudication(max_plies=size.plies),
    )


def coordinator(path: Path, what: str) -> subprocess.Popen[str]:
    """A process of its own group that plays, as one started from a shell."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), what],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def with_mark(mark: str) -> Iterator[int]:
    """Running processes of this test, but for the test's own."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in path.read_bytes():
                yield int(path.parent.name)
        except OSError:
            continue  # it has just ended


def assert_all_die(mark: str) -> None:
    deadline = time.monotonic() + 120
    while pids := set(with_mark(mark)):
        assert time.monotonic() < deadline, f"still running: {pids}"
        time.sleep(0.05)


def stored(path: Path) -> list[GameRecord]:
    with open_database(path, create=False) as db:
        return list(db.repository.games())


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_all_processes_saves_and_stops(
    tmp_path: Path, size: Any, mark: str, number: signal.Signals
) -> None:
    path = tmp_path / "stopped.db"
    process = coordinator(path, json.dumps(settings(size).to_json()))
    assert process.stdout is not None
    while int(process.stdout.readline()) < 2:
        pass
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0
    assert out.splitlines()[-1] == f"interrupted {int(number)}"
    assert err == ""
    assert_all_die(mark)
    games = stored(path)
    assert 2 <= len(games) < 2 * size.pairs
    with open_database(path) as db:
        event = db.repository.find_event("last")
        assert (event.status, 2 * event.pairs_done) == ("interrupted", len(games))
        assert (event.pairs_failed, db.running_events()) == (0, {})


@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0.0, 0.1])
def test_signal_during_start_of_workers_prints_nothing(
    tmp_path: Path, size: Any, mark: str, delay_s: float
) -> None:
    process = coordinator(tmp_path / "early.db", json.dumps(settings(size).to_json()))
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    time.sleep(delay_s)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (out.splitlines()[-1], err) == ("interrupted 2", "")
    assert_all_die(mark)


def interrupted(path: Path, interrupts: tuple[int, ...], pairs: int = 40) -> tuple[int, list[str]]:
    """An event of two workers that Ctrl-C stops when so many games are stored: its pairs, and what
    was said; checked to be resumable."""
    told: list[str] = []
    left = list(interrupts)

    def show(progress: EventProgress) -> None:
        if left and progress.games_played >= left[0]:
            left.pop(0)
            signal.raise_signal(signal.SIGINT)

    event = match_settings("mtdf", "pvs", pairs=pairs, limit=Limit(nodes=60))
    with open_database(path, create=True, on_notice=told.append) as db:
        outcome = start_event(db, event, jobs=2, on_progress=show)
        assert (outcome.status, outcome.signal) == ("interrupted", signal.SIGINT)
        assert outcome.event.pairs_done == outcome.progress.games_played // 2
    return outcome.event.pairs_done, told[1:]  # the first is of the new file


def test_first_interrupt_finishes_the_pairs_in_play(tmp_path: Path) -> None:
    pairs, told = interrupted(tmp_path / "a.db", (2,))
    assert pairs == 1 + 2
    assert told == ["stopping after 2 pairs in play, in at most 10m00s; Ctrl-C again stops at once"]
    pairs, _ = interrupted(tmp_path / "b.db", (2, 4))
    assert pairs == 1 + 1


@pytest.mark.slow
@pytest.mark.workers
def test_workers_finish_the_pairs_in_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchSize, "mean_s", 600.0)  # as long as it takes
    pairs, told = interrupted(tmp_path / "a.db", (2,), pairs=4000)
    assert pairs >= 1 + 2 and told[0].startswith("stopping after 2 pairs in play")
    assert multiprocessing.active_children() == []
    with open_database(tmp_path / "a.db") as db:
        assert db.repository.count_games() == 2 * pairs
