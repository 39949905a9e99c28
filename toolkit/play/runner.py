"""Playing many pairs in worker processes, and surviving the death of workers.

One dead worker breaks a whole process pool, and nothing tells whose pair it was. So all pairs in
flight are played again, one at a time, each in a process of its own; only a pair that kills its
process alone is charged.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from db.records import GameRecord
from toolkit.play.schedule import PairTask
from toolkit.play.worker import Assignment, play_pair, start_worker

MAX_ATTEMPTS = 2
"""How often a pair may kill a worker that plays nothing else."""
_IN_FLIGHT = 2
"""Pairs a worker has, one of them waiting, so that it need not wait for the coordinator."""
_POLL_S = 0.1
"""How soon a request to stop is seen."""
_GRACE_S = 0.1
"""How long after a worker's death the signal that killed it may take to reach us."""

Games = tuple[GameRecord, GameRecord]


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """A pair and its two games, not stored yet."""

    task: PairTask
    games: Games


@dataclass(frozen=True, slots=True)
class FailedPair:
    """A pair that could not be played."""

    task: PairTask
    attempts: int
    reason: str
    """One line."""


@dataclass(frozen=True, slots=True)
class PoolBroken:
    """A worker died; the pairs that were in flight are played again."""

    in_flight: int


RunnerEvent = PlayedPair | FailedPair | PoolBroken


def play_pairs(
    tasks: Iterable[PairTask], assignment: Assignment, *, stop: threading.Event
) -> Generator[RunnerEvent, None, None]:
    """Play every task with ``assignment.jobs`` workers, in about the order given.

    When ``stop`` is set, or the iterator is closed, pairs in flight are given up and their workers
    killed; pairs that are finished by then are still handed out.
    """
    source = iter(tasks)
    while True:
        with WorkerPool(assignment, assignment.jobs) as pool:
            suspects = yield from _play_until_broken(pool, source, stop)
        if not suspects or stop.wait(_GRACE_S):
            return
        yield PoolBroken(len(suspects))
        yield from _play_alone(suspects, assignment, stop)
        if stop.is_set():
            return


class WorkerPool:
    """An executor whose workers are killed on leaving the context. Starts no process before the
    first pair."""

    def __init__(self, assignment: Assignment, jobs: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.jobs = jobs
        self._reader, self._lifeline = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            jobs, context, initializer=start_worker, initargs=(assignment, self._reader)
        )
        self._others = set(multiprocessing.active_children())
        self._children: set[BaseProcess] = set()

    def submit(self, task: PairTask) -> Future[Games]:
        """Have a pair played. Raises BrokenProcessPool."""
        # A worker inherits the blocked signal, so that Ctrl-C cannot hit one that is still
        # starting; ours is delivered after the block.
        old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            future = self._executor.submit(play_pair, task)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old)
        if len(self._children) < self.jobs:
            self._children |= set(multiprocessing.active_children()) - self._others
        return future

    def obituary(self) -> str:
        """How the first of the workers to be found dead has died, in words."""
        for child in self._children:
            child.join(1.0)
            code = child.exitcode
            if code is not None and code < 0:
                return f"killed by {_signal_name(-code)}"
            if code is not None:
                return f"ended with exit code {code}"
        return "died"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lifeline.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._reader.close()


def _play_until_broken(
    pool: WorkerPool, source: Iterator[PairTask], stop: threading.Event
) -> Generator[RunnerEvent, None, list[PairTask]]:
    """Play from ``source`` until it is empty, ``stop`` is set, or a worker dies; returns the
    pairs that were in flight when one died."""
    pending: dict[Future[Games], PairTask] = {}
    while True:
        while len(pending) < pool.jobs * _IN_FLIGHT and not stop.is_set():
            task = next(source, None)
            if task is None:
                break
            try:
                pending[pool.submit(task)] = task
            except BrokenProcessPool:
                return [*(yield from _settle(pending)), task]
        if not pending:
            return []
        done, _ = wait(pending, _POLL_S, FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            return (yield from _settle(pending))
        for future in done:
            yield _event_of(pending.pop(future), future)
        if stop.is_set():
            return []


def _settle(
    pending: dict[Future[Games], PairTask],
) -> Generator[RunnerEvent, None, list[PairTask]]:
    """Hand out what a broken pool has finished; returns the rest in order of submission."""
    wait(pending)
    suspects = []
    for future, task in pending.items():
        if isinstance(future.exception(), BrokenProcessPool):
            suspects.append(task)
        else:
            yield _event_of(task, future)
    return suspects


def _play_alone(
    tasks: Iterable[PairTask], assignment: Assignment, stop: threading.Event
) -> Iterator[RunnerEvent]:
    """Play each task in a worker that plays nothing else."""
    for task in tasks:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            with WorkerPool(assignment, 1) as pool:
                future = pool.submit(task)
                while not wait([future], _POLL_S).done:
                    if stop.is_set():
                        return
                broken = isinstance(future.exception(), BrokenProcessPool)
                if broken and stop.wait(_GRACE_S):
                    return
                reason = f"its worker process was {pool.obituary()}" if broken else ""
            if not broken:
                yield _event_of(task, future)
                break
            if attempt == MAX_ATTEMPTS:
                yield FailedPair(task, attempt, f"{reason}, {attempt} times, playing it alone")


def _event_of(task: PairTask, future: Future[Games]) -> PlayedPair | FailedPair:
    error = future.exception()
    if error is None:
        return PlayedPair(task, future.result())
    text = " ".join(str(error).split())
    return FailedPair(task, 1, f"{type(error).__name__}: {text}"[:500])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
