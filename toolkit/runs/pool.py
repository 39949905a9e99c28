"""The worker pool: tasks in processes of this machine, robust against crashes of workers.

Each worker has a pipe. It gets several short tasks at once, so that it does not have to wait, and
answers them one by one, in order. A worker's death shows as the end of its pipe, and the oldest
unanswered task is the one that killed it. Answers that arrive within a short time are returned
together, so that the caller can store them in one transaction.

Workers ignore SIGINT and SIGTERM, because a terminal sends them to the whole process group and the
coordinator decides how to react. A thread of each worker reads its pipe and ends the process when
the other end is closed, which happens at the latest when the coordinator dies.
"""

from __future__ import annotations

import atexit
import math
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from types import ModuleType
from typing import Any, Generic, Self

from msgspec import Struct, field

from toolkit.base.printable import in_one_line
from toolkit.runs.batches import BatchSize
from toolkit.runs.executor import (
    GATHER_S,
    MAX_ATTEMPTS,
    Cores,
    Done,
    Failed,
    Result,
    Retried,
    Task,
    TaskReport,
    Tidy,
    Work,
)
from toolkit.runs.stopping import SIGNALS, deferred_signals

_AHEAD = 2
"""Minimum number of tasks of a worker: one running and one waiting."""
_LOOK_EVERY_S = 0.02
"""How often pipes are emptied meanwhile."""
_END_GRACE_S = 2.5
"""How long workers may take to end what they started (:func:`at_end_of_worker`)."""
_NAME = "mtdf-worker"
_AT_END: list[Callable[[], None]] = []
"""What a worker process does when its pipe is closed."""


class WorkerPool(Generic[Task, Result]):
    """An :class:`~toolkit.runs.executor.Executor` of worker processes. A context manager, which
    kills the workers at its end. Starts no process before the first task."""

    def __init__(
        self,
        work: Work[Task, Result],
        jobs: int,
        cores: Sequence[Cores] = (),
        tidy: Tidy | None = None,
    ) -> None:
        """``cores``: those that each process is pinned to. ``tidy``: called after a process died,
        and at the end."""
        self._work = work
        self._jobs = jobs
        self._cores = cores
        self._tidy = tidy
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker[Task]] = []
        self._waiting: deque[_Try[Task]] = deque()
        self._reports: list[TaskReport[Task, Result]] = []
        self._reported_s = -math.inf
        self._size = BatchSize()

    @property
    def pending(self) -> int:
        """Tasks that were submitted and whose end was not reported yet."""
        ended = sum(not isinstance(report, Retried) for report in self._reports)
        return self._unfinished() + ended

    @property
    def room(self) -> int:
        """How many more tasks keep all workers busy."""
        return max(self._jobs * self._ahead() - self._unfinished(), 0)

    @property
    def in_play(self) -> list[Task]:
        """Tasks that workers are doing."""
        return [worker.tries[0].task for worker in self._workers if worker.tries]

    @property
    def mean_s(self) -> float:
        """See :class:`toolkit.runs.executor.Executor`."""
        return self._size.mean_s

    def submit(self, task: Task) -> None:
        """Have a task done. Workers get it with the next call of :meth:`finished`."""
        self._waiting.append(_Try(task))

    def finished(self, timeout_s: float) -> list[TaskReport[Task, Result]]:
        """See :meth:`toolkit.runs.executor.Executor.finished`."""
        self._hand_out()
        self._listen(timeout_s)
        # A long task is reported at once: what waits here is lost if this process is killed.
        gathers = timeout_s > 0 and self._ahead() > _AHEAD
        while gathers and self._reports and all(worker.tries for worker in self._workers):
            left_s = self._reported_s + GATHER_S - time.monotonic()
            if left_s <= 0:
                break
            time.sleep(min(left_s, _LOOK_EVERY_S))
            self._listen(0)
        reports, self._reports = self._reports, []
        if reports:
            self._reported_s = time.monotonic()
        if self._tidy is not None and any(not isinstance(report, Done) for report in reports):
            self._tidy()
        return reports

    def close(self) -> None:
        """End the workers, also in the middle of a task, and together; the time they have is for
        ending what they started. Safe to call twice."""
        with deferred_signals():
            for worker in self._workers:
                worker.pipe.close()
            deadline = time.monotonic() + _END_GRACE_S
            while self._workers:
                self._workers.pop().end(deadline - time.monotonic())
        if self._tidy is not None:
            self._tidy()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _unfinished(self) -> int:
        return len(self._waiting) + sum(len(worker.tries) for worker in self._workers)

    def _ahead(self) -> int:
        """How many tasks a worker should have."""
        return max(self._size.tasks, _AHEAD)

    def _hand_out(self) -> None:
        """Give waiting tasks to the workers that have fewest, so that few are spread over all."""
        ahead = self._ahead()
        given: dict[_Worker[Task], list[Task]] = {}
        while self._waiting:
            worker = min(self._workers, key=lambda each: len(each.tries), default=None)
            if (worker is None or worker.tries) and len(self._workers) < self._jobs:
                worker = self._start()
            assert worker is not None
            if len(worker.tries) >= ahead:
                break
            if not worker.tries and not worker.process.is_alive():
                self._bury(worker)  # it died while it had nothing to do
                continue
            attempt = self._waiting.popleft()
            worker.tries.append(attempt)
            given.setdefault(worker, []).append(attempt.task)
        for worker, tasks in given.items():
            worker.send(tasks)

    def _listen(self, timeout_s: float) -> None:
        """Take all answers that are there, after waiting for the first one."""
        while busy := {worker.pipe: worker for worker in self._workers if worker.tries}:
            heard = wait(list(busy), timeout_s)
            for pipe in heard:
                assert isinstance(pipe, Connection)
                self._hear(busy[pipe])
            if not heard:
                return
            timeout_s = 0

    def _hear(self, worker: _Worker[Task]) -> None:
        """Take one answer, or notice that there will be none."""
        try:
            seconds, result, problem = worker.pipe.recv()
        except (EOFError, OSError):
            self._mourn(worker)
            return
        task = worker.tries.popleft().task
        self._size.learn(seconds)
        if problem is None:
            self._reports.append(Done(task, result))
        else:
            self._reports.append(Failed(task, 1, problem))

    def _mourn(self, worker: _Worker[Task]) -> None:
        """Charge a death to the task that was being done, or that was to be the worker's first;
        the others wait again."""
        guilty = worker.tries.popleft()
        guilty.deaths += 1
        how = self._bury(worker)
        if guilty.deaths < MAX_ATTEMPTS:
            self._waiting.appendleft(guilty)
            self._reports.append(Retried(guilty.task, how))
        else:
            reason = f"its worker process died {guilty.deaths} times ({how})"
            self._reports.append(Failed(guilty.task, guilty.deaths, reason))

    def _bury(self, worker: _Worker[Task]) -> str:
        """Take back the tasks of a dead worker; says how it died."""
        self._workers.remove(worker)
        self._waiting.extendleft(reversed(worker.tries))
        return worker.end()

    def _start(self) -> _Worker[Task]:
        # It is started with the first process, and would unblock the signals for that one.
        resource_tracker.ensure_running()
        taken = {worker.cores for worker in self._workers}
        cores = next((some for some in self._cores if some not in taken), None)
        with deferred_signals():
            ours, theirs = self._context.Pipe()
            process = self._context.Process(
                target=_serve, args=(theirs, cores), name=_NAME, daemon=True
            )
            # A worker inherits the blocked signals, so they cannot hit one that is still starting.
            old = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            try:
                with _main_where_needed():
                    process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, old)
            theirs.close()
            worker = _Worker[Task](process, ours, cores)
            self._workers.append(worker)
        worker.send(self._work)
        return worker


class _Try(Struct, Generic[Task]):
    """A task and how often a worker died at it."""

    task: Task
    deaths: int = 0


class _Worker(Struct, Generic[Task], eq=False):
    """A process, our end of its pipe, the cores that it is pinned to, and the tasks that it has not
    answered, oldest first."""

    process: SpawnProcess
    pipe: Connection
    cores: Cores | None
    tries: deque[_Try[Task]] = field(default_factory=deque)

    def send(self, message: Any) -> None:
        """Send the work, or tasks. That the worker is dead shows when its answer is awaited."""
        with suppress(OSError):
            self.pipe.send(message)

    def end(self, grace_s: float = GATHER_S) -> str:
        """Kill it unless it ends in time; how it ended, in words."""
        self.pipe.close()
        # One whose pipe ended is about to end: its own way says more than our signal.
        self.process.join(max(0.0, grace_s))
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        return f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"


@contextmanager
def _main_where_needed() -> Iterator[None]:
    """Hide a main module that defines nothing, so that a worker that is started does not import it
    again: no pickled work refers to it. The script of ``mtdf`` is one, and takes long to import."""
    main = sys.modules["__main__"]
    if any(getattr(value, "__module__", None) == "__main__" for value in vars(main).values()):
        yield
        return
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(pipe: Connection, cores: Cores | None) -> None:
    """What a worker process does: the first message is the work, each other one a list of tasks.
    An answer has the seconds that a task took, its result, and what went wrong or None."""
    if cores is not None:
        os.sched_setaffinity(0, cores)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    receiver = threading.Thread(target=_receive, args=(pipe, messages), daemon=True)
    receiver.start()
    do, problem = None, None
    try:
        do = ForkingPickler.loads(messages.get())()
    except BaseException as error:
        problem = in_one_line(error)  # of each task, whose author can do something about it
    while True:
        for task in ForkingPickler.loads(messages.get()):
            begin_s = time.monotonic()
            try:
                result = None if do is None else do(task)
                answer = ForkingPickler.dumps((time.monotonic() - begin_s, result, problem))
            except BaseException as error:  # a panic of the core is not an Exception
                answer = ForkingPickler.dumps((0.0, None, in_one_line(error)))
            try:
                pipe.send_bytes(answer)
            except OSError:
                receiver.join()  # the coordinator is gone, and that thread ends the process
                os._exit(1)


def _receive(pipe: Connection, messages: queue.SimpleQueue[bytes]) -> None:
    """Queue what comes. When the other end is closed, end the process, in the middle of a task:
    nothing of a worker is worth saving."""
    try:
        while True:
            messages.put(pipe.recv_bytes())
    except (EOFError, OSError):
        for end in _AT_END:
            end()
        os._exit(1)


def is_worker() -> bool:
    """Whether this process is a worker."""
    return multiprocessing.current_process().name == _NAME


def at_end_of_worker(end: Callable[[], None]) -> None:
    """Have something done before this worker process ends, which skips ``atexit``; once, however
    often it is asked for. It must not take long. A worker that is killed does not do it."""
    if end not in _AT_END:
        _AT_END.append(end)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@atexit.register
def _kill_workers() -> None:
    """Kill workers left over by an interruption, because the program waits for all its children."""
    for child in multiprocessing.active_children():
        if child.name == _NAME:
            child.kill()
