"""Worker processes play every pair once, also when workers die."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engines.limit import Limit
from toolkit.base.version import Provenance
from toolkit.books.book import package_book
from toolkit.events.event import make_assignment
from toolkit.events.runner import (
    FailedPair,
    ListedTasks,
    PlayedPair,
    PlayedPairs,
    RetriedPair,
    RunnerEvent,
    _told,
    play_pairs,
)
from toolkit.events.schedule import Schedule
from toolkit.events.settings import EventSettings, match_settings
from toolkit.events.worker import PairTask, PlayerFactory
from toolkit.referee.adjudication import Adjudication
from toolkit.runs.executor import Done, Failed, Retried, TaskReport

BOOK = package_book("default-500")
PROGRAM = Provenance(version="1", backend="toy", signature="0" * 16, host="here")


def settings(pairs: int, plies: int = 20) -> EventSettings:
    short = Adjudication(max_plies=plies, draw=None, resign=None)
    return match_settings(
        "pvs:name=a",
        "pvs:name=b",
        pairs=pairs,
        limit=Limit(nodes=1),
        book=BOOK,
        adjudication=short,
    )


def tasks(of: EventSettings) -> list[PairTask]:
    return list(Schedule(of, BOOK).missing(frozenset()))


def run(of: EventSettings, make_player: PlayerFactory, jobs: int = 2) -> list[RunnerEvent]:
    assignment = make_assignment(of, jobs, PROGRAM, make_player)
    return list(
        play_pairs(ListedTasks(tasks(of)), assignment, assignment.jobs, stop=threading.Event())
    )


def played_pairs(events: list[RunnerEvent]) -> list[PlayedPair]:
    return [pair for event in events if isinstance(event, PlayedPairs) for pair in event.pairs]


def played(events: list[RunnerEvent]) -> set[int]:
    pairs = [pair.task.pair for pair in played_pairs(events)]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


def test_every_pair_is_played_once_with_both_colours(toys: ModuleType) -> None:
    of = settings(7)
    events = run(of, toys.RandomPlayer)
    assert played(events) == set(range(7))
    assert all(isinstance(event, PlayedPairs) for event in events)
    for event in played_pairs(events):
        first, second = event.games
        assert (first.game, first.white, first.black) == (1, "a", "b")
        assert (second.game, second.white, second.black) == (2, "b", "a")
        assert first.start_fen == second.start_fen == event.task.opening.fen
        assert first.opening_line == event.task.opening.line
        assert first.seed == second.seed == event.task.seed
        assert (first.plies, first.jobs, first.signature) == (20, 2, "0" * 16)
        assert first.game_key != second.game_key


@pytest.mark.slow
@pytest.mark.workers
def test_only_pair_that_kills_its_worker_fails(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = settings(8)
    monkeypatch.setenv(toys.DOOMED, tasks(of)[3].opening.fen)
    events = run(of, toys.DeadlyPlayer)
    assert played(events) == set(range(8)) - {3}
    (failure,) = (event for event in events if isinstance(event, FailedPair))
    assert (failure.task.pair, failure.attempts) == (3, 2)
    assert failure.reason == "its worker process died 2 times (killed by SIGKILL)"
    retried = [event for event in events if isinstance(event, RetriedPair)]
    assert [(one.task.pair, one.reason) for one in retried] == [(3, "killed by SIGKILL")]


@pytest.mark.slow
@pytest.mark.workers
def test_single_death_fails_no_pair(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of = settings(6)
    monkeypatch.setenv(toys.DOOMED, tasks(of)[2].opening.fen)
    monkeypatch.setenv(toys.SPARED, str(tmp_path / "spared"))
    events = run(of, toys.DeadlyPlayer)
    assert (tmp_path / "spared").exists()
    assert played(events) == set(range(6))
    assert [event.task.pair for event in events if isinstance(event, RetriedPair)] == [2]
    assert not any(isinstance(event, FailedPair) for event in events)


def test_exception_in_player_fails_its_pair_only(toys: ModuleType) -> None:
    events = run(settings(2), toys.RaisingPlayer, jobs=1)
    reasons = [event.reason for event in events if isinstance(event, FailedPair)]
    assert reasons == ["ZeroDivisionError: a bug in two lines"] * 2


def test_results_keep_their_order() -> None:
    """What counts failures in a row depends on it."""
    todo = tasks(settings(6))
    games: Any = ()
    reports: list[TaskReport[PairTask, Any]] = [
        Failed(todo[0], 1, "why"),
        Done(todo[1], games),
        Done(todo[2], games),
        Retried(todo[3], "how"),
        Failed(todo[4], 1, "why"),
        Done(todo[5], games),
    ]
    assert list(_told(reports)) == [
        FailedPair(todo[0], 1, "why"),
        PlayedPairs((PlayedPair(todo[1], games), PlayedPair(todo[2], games))),
        RetriedPair(todo[3], "how"),
        FailedPair(todo[4], 1, "why"),
        PlayedPairs((PlayedPair(todo[5], games),)),
    ]


@pytest.mark.slow
@pytest.mark.workers
def test_stop_kills_workers_during_games(toys: ModuleType) -> None:
    # A game takes 80 s: nothing can be finished before the workers are killed.
    assignment = make_assignment(settings(4, 400), 2, PROGRAM, toys.SlowPlayer)
    stop = threading.Event()
    threading.Timer(1.5, stop.set).start()
    assert (
        list(play_pairs(ListedTasks(tasks(settings(4))), assignment, assignment.jobs, stop=stop))
        == []
    )
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.workers
def test_closing_results_kills_workers(toys: ModuleType) -> None:
    assignment = make_assignment(settings(50), 2, PROGRAM, toys.RandomPlayer)
    results = play_pairs(
        ListedTasks(tasks(settings(50))), assignment, assignment.jobs, stop=threading.Event()
    )
    next(results)
    assert multiprocessing.active_children() != []
    results.close()
    assert multiprocessing.active_children() == []


def test_no_pairs_start_no_process(toys: ModuleType) -> None:
    assignment = make_assignment(settings(1), 2, PROGRAM, toys.RandomPlayer)
    assert (
        list(play_pairs(ListedTasks([]), assignment, assignment.jobs, stop=threading.Event())) == []
    )
    assert multiprocessing.active_children() == []


class Growing:
    """Pairs that are put in while others are played."""

    def __init__(self) -> None:
        self.tasks: list[PairTask] = []

    def take(self, at_most: int) -> list[PairTask]:
        found, self.tasks = self.tasks[:at_most], self.tasks[at_most:]
        return found


@pytest.mark.slow
@pytest.mark.workers
def test_later_pairs_go_to_same_workers(toys: ModuleType) -> None:
    of = settings(40, plies=4)
    assignment = make_assignment(of, 2, PROGRAM, toys.RandomPlayer)
    source, found = Growing(), set[int]()
    workers: list[set[int | None]] = []
    source.tasks = tasks(of)[:10]
    results = play_pairs(source, assignment, assignment.jobs, stop=threading.Event())
    for end in (10, 11, 40):
        source.tasks = tasks(of)[len(found) : end]
        while len(found) < end:
            found |= played([next(results)])
        workers.append({child.pid for child in multiprocessing.active_children()})
    assert len(workers[0]) == 2
    assert workers == [workers[0]] * 3
    assert list(results) == []
    assert found == set(range(40))
    assert multiprocessing.active_children() == []
