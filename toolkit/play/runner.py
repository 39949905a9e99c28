"""Playing many pairs in worker processes, and surviving the death of workers.

Short pairs travel in batches, so that a worker spends its time playing and not waiting. One dead
worker breaks a whole process pool, and nothing tells whose pair it was. So all pairs in flight are
played again, one at a time; only a pair that kills a process that played nothing else is charged.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Protocol, Self

from toolkit.play.schedule import PairTask
from toolkit.play.worker import Assignment, Batch, Games, play_batch, start_worker

MAX_ATTEMPTS = 2
"""How often a pair may kill a worker that plays nothing else."""
_IN_FLIGHT = 2
"""Batches a worker has, one of them waiting, so that it need not wait for the coordinator."""
_BATCH_S = 0.4
"""How long a worker should play between two reports, where pairs are shorter."""
_MOST_IN_BATCH = 100
_POLL_S = 0.1
"""How soon a request to stop is seen."""
_GRACE_S = 0.1
"""How long after a worker's death the signal that killed it may take to reach us."""


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """A pair and its two games, not stored yet."""

    task: PairTask
    games: Games


@dataclass(frozen=True, slots=True)
class PlayedPairs:
    """Pairs that were found finished at one moment, in about the order of the schedule."""

    pairs: tuple[PlayedPair, ...]


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


RunnerEvent = PlayedPairs | FailedPair | PoolBroken


class TaskSource(Protocol):
    """Where pairs to play come from. It may have none at one moment and some at a later one."""

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs, which the source no longer has then; none when none are waiting."""

    def waiting(self) -> int | None:
        """How many pairs are waiting; None where more may come than anybody counts."""


class ListedTasks:
    """The pairs of an iterable, as a source that ends where it does."""

    def __init__(self, tasks: Iterable[PairTask]) -> None:
        self._tasks = iter(tasks)

    def take(self, at_most: int) -> Sequence[PairTask]:
        """The next pairs of the iterable."""
        return tuple(islice(self._tasks, at_most))

    def waiting(self) -> int | None:
        """Nobody counts them before they are taken."""
        return None


def play_pairs(
    source: TaskSource, assignment: Assignment, *, stop: threading.Event
) -> Generator[RunnerEvent, None, None]:
    """Play what the source has with ``assignment.jobs`` workers, in about its order.

    The source is asked whenever the iterator goes on, so more can be put into it between two
    results, which the same workers play. The iterator ends when it is to go on and nothing is
    waiting or in flight. When ``stop`` is set, or the iterator is closed, pairs in flight are given
    up and their workers killed; pairs that are finished by then are still handed out.
    """
    supply = _Supply(source, assignment.jobs)
    while True:
        with WorkerPool(assignment, assignment.jobs) as pool:
            suspects = yield from _play_until_broken(pool, supply, stop)
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

    def submit(self, tasks: Sequence[PairTask]) -> Future[Batch]:
        """Have pairs played. Raises BrokenProcessPool."""
        # A worker inherits the blocked signal, so that Ctrl-C cannot hit one that is still
        # starting; ours is delivered after the block.
        old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            future = self._executor.submit(play_batch, tasks)
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


class _Supply:
    """The pairs to play, in batches that suit their length."""

    def __init__(self, source: TaskSource, jobs: int) -> None:
        self._source = source
        self._again: deque[PairTask] = deque()
        self._at_once = jobs * _IN_FLIGHT
        self._pairs = 0
        self._seconds = 0.0

    def next_batch(self) -> tuple[PairTask, ...]:
        """The next pairs for one worker; none when none are waiting."""
        if self._again:
            return (self._again.popleft(),)
        return tuple(self._source.take(self._size()))

    def add_played(self, batch: Batch) -> None:
        """Learn how long pairs take."""
        self._pairs += len(batch.games)
        self._seconds += batch.seconds

    def play_singly(self, tasks: Sequence[PairTask]) -> None:
        """Hand these out again, in batches of one."""
        self._again.extend(tasks)

    def _size(self) -> int:
        # No more in flight than were finished before, so that a death costs no more than that.
        size = min(self._pairs // self._at_once, _MOST_IN_BATCH)
        if size * self._seconds > _BATCH_S * self._pairs:
            size = int(_BATCH_S * self._pairs / self._seconds)
        waiting = self._source.waiting()
        if waiting is not None:
            # Few pairs are spread over all workers.
            size = min(size, -(-waiting // self._at_once))
        return max(size, 1)


_Pending = dict[Future[Batch], tuple[PairTask, ...]]


def _play_until_broken(
    pool: WorkerPool, supply: _Supply, stop: threading.Event
) -> Generator[RunnerEvent, None, list[PairTask]]:
    """Play until nothing is left, ``stop`` is set, or a worker dies; returns the pairs that were
    in flight when one died."""
    pending: _Pending = {}
    while True:
        while len(pending) < pool.jobs * _IN_FLIGHT and not stop.is_set():
            tasks = supply.next_batch()
            if not tasks:
                break
            try:
                pending[pool.submit(tasks)] = tasks
            except BrokenProcessPool:
                return [*(yield from _settle(pending, supply)), *tasks]
        if not pending:
            return []
        done, _ = wait(pending, _POLL_S, FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            return (yield from _settle(pending, supply))
        # In the order of submission, which the set of futures has lost.
        ended = [future for future in pending if future in done]
        yield from _hand_out({future: pending.pop(future) for future in ended}, supply)
        if stop.is_set():
            return []


def _settle(pending: _Pending, supply: _Supply) -> Generator[RunnerEvent, None, list[PairTask]]:
    """Hand out what a broken pool has finished; returns the rest in order of submission."""
    wait(pending)
    broken = [f for f in pending if isinstance(f.exception(), BrokenProcessPool)]
    suspects = [task for future in broken for task in pending.pop(future)]
    yield from _hand_out(pending, supply)
    return suspects


def _hand_out(done: _Pending, supply: _Supply) -> Iterator[PlayedPairs | FailedPair]:
    """What has ended, played pairs first. Nothing tells which pair of a batch raised an error, so
    they are played again one by one."""
    played: list[PlayedPair] = []
    failed: list[FailedPair] = []
    for future, tasks in done.items():
        error = future.exception()
        if error is None:
            batch = future.result()
            supply.add_played(batch)
            played += map(PlayedPair, tasks, batch.games)
        elif len(tasks) > 1:
            supply.play_singly(tasks)
        else:
            failed.append(FailedPair(tasks[0], 1, _one_line(error)))
    if played:
        yield PlayedPairs(tuple(played))
    yield from failed


def _play_alone(
    tasks: Iterable[PairTask], assignment: Assignment, stop: threading.Event
) -> Iterator[RunnerEvent]:
    """Play each task while no other is in flight. A process that died is charged to the pair
    that it played when it played no other before."""
    waiting = deque(tasks)
    attempts = 0
    while waiting:
        fresh, broken = True, False
        with WorkerPool(assignment, 1) as pool:
            while waiting and not broken:
                future = pool.submit((waiting[0],))
                while not wait([future], _POLL_S).done:
                    if stop.is_set():
                        return
                broken = isinstance(future.exception(), BrokenProcessPool)
                if broken and stop.wait(_GRACE_S):
                    return
                if not broken:
                    supply = _Supply(ListedTasks(()), 1)
                    yield from _hand_out({future: (waiting.popleft(),)}, supply)
                    fresh, attempts = False, 0
            reason = f"its worker process was {pool.obituary()}" if broken else ""
        attempts += broken and fresh
        if attempts == MAX_ATTEMPTS:
            reason = f"{reason}, {attempts} times, playing it alone"
            yield FailedPair(waiting.popleft(), attempts, reason)
            attempts = 0


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
