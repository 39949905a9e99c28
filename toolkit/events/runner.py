"""Playing many pairs with the workers of an executor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Protocol

from msgspec import Struct

from engines.external.sweep import kill_orphans
from engines.spec import UciEngine
from toolkit.events.machine import bundles_of, player_of_machine
from toolkit.events.worker import Assignment, Games, NotStarted, PairTask, pair_player
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.executor import POLL_S, Done, Executor, Retried, TaskReport
from toolkit.runs.jobs import Jobs, make_executor


class PlayedPair(Struct, frozen=True):
    """A pair and its two games, not stored yet."""

    task: PairTask
    games: Games


class PlayedPairs(Struct, frozen=True):
    """Pairs that were found finished at one moment, none of them behind one that failed, in about
    the order of the schedule."""

    pairs: tuple[PlayedPair, ...]


class FailedPair(Struct, frozen=True):
    """A pair that could not be played."""

    task: PairTask
    attempts: int
    reason: str
    """One line."""
    out: str | None = None
    """The label of an engine that does not start, if that is the reason."""


class RetriedPair(Struct, frozen=True):
    """A pair whose worker died while it played this pair, which is played again."""

    task: PairTask
    reason: str
    """How the worker died."""


RunnerEvent = PlayedPairs | FailedPair | RetriedPair


Finish = Callable[[int, float], bool]
"""Whether so many pairs in play may be finished, for at most so many seconds, although a stop was
requested. It is asked again and again."""


class TaskSource(Protocol):
    """Where pairs to play come from. It may have none at one moment and some at a later one."""

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs, which the source no longer has then; none when none are waiting."""


class ListedTasks:
    """The pairs of an iterable, as a source that ends with it."""

    def __init__(self, tasks: Iterable[PairTask]) -> None:
        self._tasks = iter(tasks)

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs of the iterable."""
        return tuple(islice(self._tasks, at_most))


def play_pairs(
    source: TaskSource,
    assignment: Assignment,
    jobs: Jobs,
    *,
    stop: threading.Event,
    finish: Finish = lambda pairs, seconds: False,
) -> Generator[RunnerEvent, None, None]:
    """Play the source's pairs in processes or on a cluster, roughly in order.

    The source is queried at each step of the iterator, so pairs can be added to it between two
    results; the same workers play them. The iterator ends when nothing is waiting or in flight. If
    ``stop`` is set or the iterator is closed, pairs in flight are dropped and their workers killed;
    pairs that are already finished are still returned, and so are those in play that end within the
    mean time of a pair while ``finish`` allows it. Nothing that an external engine started is left
    in the end.
    """
    sweeps = any(isinstance(engine, UciEngine) for engine in assignment.engines)
    bundles = bundles_of(assignment) if isinstance(jobs, Cluster) else {}
    with make_executor(
        partial(pair_player, assignment),
        jobs,
        fitted=partial(player_of_machine, assignment, bundles),
        cores=assignment.cores,
        tidy=kill_orphans if sweeps else None,
    ) as pool:
        while not stop.is_set():
            for task in source.take(pool.room):
                pool.submit(task)
            if not pool.pending:
                return
            yield from _told(pool.finished(POLL_S))
        yield from _finished_in_play(pool, finish)
        yield from _told(pool.finished(0))


def _finished_in_play(
    pool: Executor[PairTask, Games | NotStarted], finish: Finish
) -> Iterator[RunnerEvent]:
    """What becomes of the pairs in play within the mean time of a pair."""
    left = {(task.pairing, task.pair) for task in pool.in_play}
    end_s = time.monotonic() + pool.mean_s
    while left and (left_s := end_s - time.monotonic()) > 0 and finish(len(left), left_s):
        reports = pool.finished(min(POLL_S, left_s))
        ended = [one.task for one in reports if not isinstance(one, Retried)]
        left -= {(task.pairing, task.pair) for task in ended}
        yield from _told(reports)


def _told(reports: Sequence[TaskReport[PairTask, Games | NotStarted]]) -> Iterator[RunnerEvent]:
    """Reports as events of a run, in their order; played pairs that follow each other are one."""
    for _, group in groupby(reports, key=lambda report: isinstance(report, Done)):
        played: list[PlayedPair] = []
        for report in group:
            if isinstance(report, Done):
                result = report.result
                if isinstance(result, NotStarted):
                    yield FailedPair(report.task, 1, result.reason, result.label)
                else:
                    played.append(PlayedPair(report.task, result))
            elif isinstance(report, Retried):
                yield RetriedPair(report.task, report.reason)
            else:
                yield FailedPair(report.task, report.attempts, report.reason)
        if played:
            yield PlayedPairs(tuple(played))
