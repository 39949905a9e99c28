"""Searching many positions in worker processes that stay alive.

Each worker has a pipe of its own and answers its tasks in order. So the death of one is seen as
the end of its pipe, and the oldest task without an answer is the one that it died at.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Self

from engines.backend import make_searcher
from engines.errors import EngineError
from toolkit.errors import EngineProblem
from toolkit.lab.effort import Effort, SearcherFactory, Searchers, SearchTask, run_task

MAX_ATTEMPTS = 2
"""How often a search may be the end of its worker."""
_AHEAD = 3
"""Tasks a worker has, all but one of them waiting, so that it need not wait for us."""
_POLL_S = 0.1
"""How soon a request to stop is seen."""
_GRACE_S = 0.1
"""How long after a worker's death the signal that killed it may take to reach us."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A task that is done."""

    task: SearchTask
    efforts: tuple[Effort, ...]
    """One a variant, in order."""


def search_all(
    tasks: Iterable[SearchTask],
    jobs: int,
    stop: threading.Event,
    on_wait: Callable[[], None] = lambda: None,
) -> Generator[Searched, None, None]:
    """Do all tasks in ``jobs`` processes; what is done comes in any order, and no more of it after
    ``stop`` was set. While none is done, ``on_wait`` is called every :data:`_POLL_S` seconds.
    Raises EngineProblem."""
    source = iter(tasks)
    with SearchPool(jobs) as pool:
        while True:
            while pool.pending < jobs * _AHEAD and (task := next(source, None)) is not None:
                pool.submit(task)
            if not pool.pending:
                return
            searched = pool.next_searched(stop, on_wait)
            if searched is None:
                return
            yield searched


class SearchPool:
    """Worker processes that search. They ignore Ctrl-C, die with this process, and are killed on
    leaving the context; none is started before the first task."""

    def __init__(self, jobs: int, make: SearcherFactory = make_searcher) -> None:
        self._jobs = jobs
        self._make = make
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._waiting: deque[_Try] = deque()
        self._done: deque[Searched] = deque()

    @property
    def pending(self) -> int:
        """Tasks that were submitted and not handed out again."""
        busy = sum(len(worker.tries) for worker in self._workers)
        return len(self._waiting) + len(self._done) + busy

    def submit(self, task: SearchTask) -> None:
        """Have a task done. Does not wait."""
        self._waiting.append(_Try(task))
        self._hand_out()

    def next_searched(
        self, stop: threading.Event, on_wait: Callable[[], None] = lambda: None
    ) -> Searched | None:
        """Wait for any pending task; None when ``stop`` is set. ``on_wait`` is called whenever
        another :data:`_POLL_S` seconds brought nothing.

        A task whose worker dies is tried once more. Raises EngineProblem for one that cannot be
        done; ValueError where none is pending.
        """
        if not self.pending:
            raise ValueError("no task is pending")
        while not stop.is_set():
            if self._done:
                return self._done.popleft()
            self._hand_out()
            busy = {worker.pipe: worker for worker in self._workers if worker.tries}
            heard = wait(list(busy), _POLL_S)
            if not heard:
                on_wait()
            for pipe in heard:
                assert isinstance(pipe, Connection)
                self._hear(busy[pipe], stop)
        return None

    def close(self) -> None:
        """Kill the workers, in the middle of a search too. Safe to call twice."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _hand_out(self) -> None:
        """Give waiting tasks to the workers that have fewest."""
        while self._waiting:
            idle = any(not worker.tries for worker in self._workers)
            if not idle and len(self._workers) < self._jobs:
                self._workers.append(self._start())
            worker = min(self._workers, key=lambda each: len(each.tries))
            if len(worker.tries) >= _AHEAD:
                return
            attempt = self._waiting.popleft()
            worker.tries.append(attempt)
            # One that died while nobody listened is found dead when its answer is waited for.
            with suppress(OSError):
                worker.pipe.send(attempt.task)

    def _hear(self, worker: _Worker, stop: threading.Event) -> None:
        """Take one answer, or notice that there will be none."""
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            if not stop.wait(_GRACE_S):
                self._mourn(worker)
            return
        task = worker.tries.popleft().task
        if isinstance(answer, str):
            raise EngineProblem(f"{_describe(task)} failed: {answer}")
        self._done.append(Searched(task, answer))

    def _mourn(self, worker: _Worker) -> None:
        """Charge a death to the task that was being done."""
        guilty = worker.tries[0]
        guilty.deaths += 1
        end = self._bury(worker)
        if guilty.deaths >= MAX_ATTEMPTS:
            raise EngineProblem(
                f"{_describe(guilty.task)} ended its worker process {guilty.deaths} times ({end})"
            )

    def _bury(self, worker: _Worker) -> str:
        """Take back the tasks of a dead worker; says how it died."""
        self._workers.remove(worker)
        self._waiting.extendleft(reversed(worker.tries))
        return worker.end()

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._make), daemon=True)
        # A worker inherits the blocked signal, so that Ctrl-C cannot hit one that is still
        # starting; ours is delivered after the block.
        old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old)
        theirs.close()
        return _Worker(process, ours)


@dataclass(slots=True)
class _Try:
    """A task and how often a worker died at it."""

    task: SearchTask
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, our end of its pipe, and the tasks that it has not answered, oldest first."""

    process: SpawnProcess
    pipe: Connection
    tries: deque[_Try] = field(default_factory=deque)

    def end(self) -> str:
        """Kill it unless it is dead; how it ended, in words."""
        self.pipe.close()
        self.process.join(_GRACE_S if self.process.is_alive() else None)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        return f"{signal.strsignal(-code)}" if code < 0 else f"exit code {code}"


def _describe(task: SearchTask) -> str:
    names = " and ".join(variant.label for variant in task.variants)
    return f"searching {task.fen} to depth {task.depth} by {names}"


def _work(pipe: Connection, make: SearcherFactory) -> None:
    """What a worker process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: queue.SimpleQueue[SearchTask] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, tasks), daemon=True).start()
    searchers = Searchers(make)
    while True:
        answer: tuple[Effort, ...] | str
        try:
            answer = run_task(tasks.get(), searchers)
        except (EngineError, MemoryError) as error:
            answer = " ".join(str(error).split()) or type(error).__name__
        try:
            pipe.send(answer)
        except OSError:
            os._exit(1)  # nobody listens any more


def _receive(pipe: Connection, tasks: queue.SimpleQueue[SearchTask]) -> None:
    """Queue what comes; die, in the middle of a search, when the other end is closed, which happens
    at the latest when the coordinator dies."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(1)
