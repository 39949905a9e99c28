"""The worker's side of a cluster: what a Dask worker does for the runs of coordinators.

A worker has as many slots as threads. A slot is a process of its own, a
:class:`~toolkit.runs.pool.WorkerPool` of one, which keeps what its run needs from batch to batch.
So a crash of a core costs one task and no worker, as on a single machine.

A coordinator first asks a worker to take on its run (:func:`take_on`): the worker checks whether
its machine is fit for it, and only then offers its slots, as a resource that has the run's name.
Then it sends batches, each of which demands one such slot or, alone on the worker, all of them.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic

from distributed import Worker, get_worker

from toolkit.base.errors import MtdfError
from toolkit.base.printable import in_one_line, text_in_one_line
from toolkit.base.version import program_digest, program_version
from toolkit.runs.executor import (
    POLL_S,
    Failed,
    Fitted,
    Result,
    Retried,
    Task,
    TaskReport,
    Tidy,
    Work,
)
from toolkit.runs.pool import WorkerPool

_IDLE_S = 60.0
"""After so long without a batch the processes of a run end: its coordinator may be dead."""
_REAP_EVERY_S = 5.0
_WORD_S = 0.3
"""How long a word to the scheduler may take."""


@dataclass(frozen=True, slots=True)
class Contract(Generic[Task, Result]):
    """What a run asks of each machine; sent to a worker once."""

    fitted: Fitted[Task, Result]
    tidy: Tidy | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A worker's answer to a run."""

    slots: int
    refusal: str | None = None
    """One line: why the machine is not fit for the run."""


@dataclass(frozen=True, slots=True)
class BatchAnswer(Generic[Task, Result]):
    """What became of the tasks of a batch."""

    reports: Sequence[TaskReport[Task, Result]]
    seconds: float | None
    """How long they took; None where that includes the start of a process."""


@dataclass(slots=True)
class _Run(Generic[Task, Result]):
    """A run that this worker has taken on."""

    work: Work[Task, Result]
    tidy: Tidy | None
    idle: list[WorkerPool[Task, Result]] = field(default_factory=list)
    used_s: float = field(default_factory=time.monotonic)
    is_over: bool = False

    def close_idle(self) -> None:
        """End the processes that have nothing to do."""
        with suppress(IndexError):  # another thread may take the last one
            while True:
                self.idle.pop().close()

    @contextmanager
    def slot(self) -> Iterator[tuple[WorkerPool[Task, Result], bool]]:
        """A process for one batch, and whether it is new. One whose batch ended otherwise than by
        answers is killed."""
        try:
            pool, is_new = self.idle.pop(), False
        except IndexError:
            pool, is_new = WorkerPool(self.work, 1, tidy=self.tidy), True
        try:
            yield pool, is_new
        finally:
            self.used_s = time.monotonic()
            if pool.pending or self.is_over:
                pool.close()
            else:
                self.idle.append(pool)


_runs: dict[str, _Run[Any, Any]] = {}
_reapers: list[asyncio.Task[None]] = []
"""The one that ends idle processes, if it runs."""
_refusals: list[str] = []
"""Those that nobody has read yet."""


def this_build() -> str:
    """Version and sources of this program."""
    return f"{program_version()} ({program_digest()})"


async def take_on(run: str, program: str, contract: bytes, dask_worker: Worker) -> Taken:
    """Offer the slots of this worker to a run, if the machine is fit for it. ``program``: that of
    the coordinator, :func:`this_build`."""
    slots = dask_worker.state.nthreads
    here = this_build()
    if program != here:
        return _refused(slots, f"it has mtdf {here} and the coordinator {program}")
    if multiprocessing.current_process().daemon:
        return _refused(
            slots, "its process may start no others: use mtdf worker, or dask worker --no-nanny"
        )
    try:
        os.getcwd()
    except FileNotFoundError:
        return _refused(slots, "the folder in which it was started is gone: start it again")
    try:
        asked: Contract[Any, Any] = pickle.loads(contract)
        work = await asyncio.to_thread(asked.fitted, slots)
    except MtdfError as error:
        return _refused(slots, text_in_one_line(error))
    except Exception as error:  # whatever it is, the coordinator is told
        return _refused(slots, in_one_line(error))
    _runs[run] = _Run(work, asked.tidy)
    if not _reapers:
        _reapers.append(asyncio.create_task(_reap()))
    await dask_worker.set_resources(**{run: slots})
    return Taken(slots)


async def drop(run: str, dask_worker: Worker) -> None:
    """End the processes of a run that is over."""
    dropped = _runs.pop(run, None)
    if dropped is not None:
        dropped.is_over = True
        await dask_worker.set_resources(**{run: 0})
        await asyncio.to_thread(dropped.close_idle)


def do_batch(run: str, name: str, tasks: Sequence[Any], alone: bool) -> BatchAnswer[Any, Any]:
    """Do the tasks of a batch in one slot, which is a thread of the Dask worker. ``name``: that of
    the Dask task. ``alone``: the coordinator wants to know when the batch has begun, because it
    charges the death of this worker to it then."""
    worker = get_worker()
    if alone:
        worker.log_event(run, {"begun": name})
        time.sleep(_WORD_S)  # the task may kill this process before the word is out
    with _runs[run].slot() as (pool, is_new):
        begin_s = time.monotonic()
        for task in tasks:
            pool.submit(task)
        reports: list[TaskReport[Any, Any]] = []
        while pool.pending:
            if _is_unwanted(worker, name):
                break
            reports += pool.finished(POLL_S)
        seconds = time.monotonic() - begin_s
    died = any(isinstance(report, (Retried, Failed)) for report in reports)
    return BatchAnswer(reports, None if is_new or died else seconds)


async def _reap() -> None:
    """End the processes of runs that sent no batch for long, as long as this worker lives."""
    while True:
        await asyncio.sleep(_REAP_EVERY_S)
        for run in list(_runs.values()):
            if time.monotonic() - run.used_s > _IDLE_S:
                await asyncio.to_thread(run.close_idle)


def close_all() -> None:
    """End all processes of all runs."""
    while _runs:
        run = _runs.popitem()[1]
        run.is_over = True
        run.close_idle()
    while _reapers:  # another worker of this process has another event loop, or needs none
        _reapers.pop().cancel()


def new_refusals() -> list[str]:
    """Why runs were refused since the last call, one line each."""
    found = _refusals[:]
    del _refusals[: len(found)]
    return found


def _refused(slots: int, reason: str) -> Taken:
    _refusals.append(reason)
    return Taken(slots, reason)


def _is_unwanted(worker: Worker, name: str) -> bool:
    """Whether nobody waits for a batch any more: it was cancelled, its coordinator is dead, or the
    worker closes."""
    if worker.status.name != "running":
        return True
    state = worker.state.tasks.get(name)
    return state is None or state.state == "cancelled"
