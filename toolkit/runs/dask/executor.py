"""The tasks of a run on a cluster: batches, answers, and the deaths of workers.

Dask gives a task to another worker as soon as the worker that has it is gone, so one that kills
workers kills several before anybody can stop it; it blames the death of a worker on all tasks that
this worker had; and a dead scheduler loses everything. So each batch of tasks is for one worker,
which is chosen here; little is in flight; results come to the coordinator as soon as they are
there; and deaths are counted here.
"""

from __future__ import annotations

import math
import pickle
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import CancelledError
from concurrent.futures import Future as Promise
from typing import TYPE_CHECKING, Any, Generic, Self
from uuid import uuid4

from toolkit.base.errors import ExecutorLost
from toolkit.base.printable import in_one_line
from toolkit.runs.batches import BatchSize
from toolkit.runs.dask.channel import RunChannel
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.dask.workers import Batch, ClusterWorkers
from toolkit.runs.executor import (
    GATHER_S,
    MAX_ATTEMPTS,
    Failed,
    Fitted,
    Result,
    Retried,
    Task,
    TaskReport,
    Tidy,
)

if TYPE_CHECKING:
    from toolkit.runs.dask.worker_side import BatchAnswer

_LIST_EVERY_S = 10.0
"""How often the list of workers is read: an event may come before anybody hears it."""
_LOOK_EVERY_S = 0.25
"""How often at least it is seen whether the scheduler is there, and whom to ask again."""


class ClusterExecutor(Generic[Task, Result]):
    """An :class:`~toolkit.runs.executor.Executor` of the workers of a cluster. A context manager.

    Each worker is asked once whether it is fit for the run (:mod:`toolkit.runs.dask.worker_side`);
    workers that come later are asked, too. When a worker dies, its batches are done elsewhere. The
    tasks of a batch that lost two workers are done one by one, each alone on a worker, and one that
    kills two workers so has failed.

    ``finished`` raises ExecutorLost when the scheduler is gone, and OperationFailed if no worker
    is fit.
    """

    def __init__(
        self, cluster: Cluster, fitted: Fitted[Task, Result], tidy: Tidy | None = None
    ) -> None:
        self._cluster = cluster
        self._run = f"mtdf-{uuid4().hex}"
        self._fitted = fitted
        self._tidy = tidy
        self._fresh: deque[Task] = deque()
        self._again: deque[Batch[Task]] = deque()
        self._flying: dict[str, Batch[Task]] = {}
        self._unfinished = 0
        self._reports: list[TaskReport[Task, Result]] = []
        self._size = BatchSize()
        self._number = 0
        self._reported_s = self._listed_s = -math.inf
        self._channel: RunChannel | None = None
        self._workers = ClusterWorkers(cluster)

    @property
    def pending(self) -> int:
        """Tasks that were submitted and whose end was not reported yet."""
        return self._unfinished + sum(not isinstance(report, Retried) for report in self._reports)

    @property
    def room(self) -> int:
        """How many more tasks keep all slots busy."""
        batches = max(self._workers.slots, 1) * (2 if self._size.is_short else 1)
        return max(batches * self._size.tasks - self._unfinished, 0)

    @property
    def in_play(self) -> list[Task]:
        """Tasks of the batches that workers have begun."""
        return [task for batch in self._flying.values() if batch.begun for task in batch.tasks]

    @property
    def mean_s(self) -> float:
        """See :class:`toolkit.runs.executor.Executor`."""
        return self._size.mean_s

    def submit(self, task: Task) -> None:
        """Have a task done. Workers get it with the next call of :meth:`finished`."""
        self._fresh.append(task)
        self._unfinished += 1

    def finished(self, timeout_s: float) -> list[TaskReport[Task, Result]]:
        """See :meth:`toolkit.runs.executor.Executor.finished`."""
        channel = self._connected()
        deadline_s = time.monotonic() + timeout_s
        left_s = 0.0
        while True:
            self._hear(channel, left_s)
            self._hand_out(channel)
            gathers = timeout_s > 0 and self._size.tasks > 1 and self._flying
            until_s = self._reported_s + GATHER_S if gathers else 0.0
            left_s = (until_s if self._reports else deadline_s) - time.monotonic()
            if left_s <= 0:
                break
        reports, self._reports = self._reports, []
        if reports:
            self._reported_s = time.monotonic()
        return reports

    def close(self) -> None:
        """Cancel what is not done; workers end it also in mid-task. Safe to call twice."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close(list(self._workers.fit))
            self._flying.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _connected(self) -> RunChannel:
        if self._channel is None:
            from toolkit.runs.dask.worker_side import Contract

            contract = pickle.dumps(Contract(self._fitted, self._tidy))
            self._channel = RunChannel(self._cluster, self._run, contract)
        return self._channel

    def _hear(self, channel: RunChannel, timeout_s: float) -> None:
        """Take what comes from the cluster; wait at most so long for it."""
        for come in channel.received(min(timeout_s, _LOOK_EVERY_S)):
            if isinstance(come, dict):
                self._take_event(come, channel)
            else:
                self._take(*come)
        if not channel.is_open:
            raise self._lost()
        if time.monotonic() - self._listed_s > _LIST_EVERY_S:
            self._listed_s = time.monotonic()
            self._workers.take_list(channel.workers())
        self._workers.recruit(channel.ask)

    def _take_event(self, event: dict[str, Any], channel: RunChannel) -> None:
        """Take the word of a worker that it has begun a batch, or of the scheduler that a worker
        has come or gone."""
        worker = event.get("worker", "")
        if (begun := event.get("begun")) in self._flying:
            self._flying[begun].begun = True
        elif event.get("action") == "add-worker":
            self._workers.add(worker)
        elif event.get("action") == "remove-worker":
            self._workers.remove(worker)
            had = set(event["processing-tasks"])
            # Some may have been sent after the worker had gone.
            names = [name for name, batch in self._flying.items() if batch.worker == worker]
            for name in names:
                channel.recall(name)
            lost = [(self._flying.pop(name), name in had) for name in names]
            dead = [batch for batch, was_there in lost if was_there and not event["expected"]]
            self._again.extend(batch for batch, _ in lost if batch not in dead)
            if dead:
                self._mourn(worker, dead)

    def _mourn(self, worker: str, batches: Sequence[Batch[Task]]) -> None:
        """A worker died that had these batches."""
        how = f"the worker at {worker} died"
        self._reports.append(Retried(batches[0].tasks[0], how))
        for batch in batches:
            if not batch.alone or batch.begun:
                batch.deaths += 1
            self._again += self._judged(batch, how)

    def _judged(self, batch: Batch[Task], how: str) -> list[Batch[Task]]:
        """What is done again of a batch after a death."""
        if not batch.alone:
            return [batch]
        if len(batch.tasks) > 1:
            return [Batch([task], batch.deaths) for task in batch.tasks]
        if batch.deaths < 2 * MAX_ATTEMPTS:
            return [batch]
        reason = (
            f"{batch.deaths} workers died while they had it, {MAX_ATTEMPTS} of them with nothing "
            f"else to do ({how})"
        )
        self._end(Failed(batch.tasks[0], batch.deaths, reason))
        return []

    def _take(self, name: str, promise: Promise[BatchAnswer[Task, Result]]) -> None:
        """Take the answer to a batch, or what became of it instead."""
        batch = self._flying.pop(name, None)
        if batch is None:
            return  # recalled, and done in spite of that
        self._workers.release(batch)
        if promise.cancelled() or isinstance(error := promise.exception(), CancelledError):
            raise self._lost()  # nobody but us may cancel it
        if error is not None:
            why = in_one_line(error)
            self._end(*(Failed(task, 1, why) for task in batch.tasks))
            return
        answer = promise.result()
        self._end(*answer.reports)
        if answer.seconds is not None:
            self._size.learn(answer.seconds, len(batch.tasks))

    def _end(self, *reports: TaskReport[Task, Result]) -> None:
        self._reports += reports
        self._unfinished -= sum(not isinstance(report, Retried) for report in reports)

    def _hand_out(self, channel: RunChannel) -> None:
        """Give batches to the workers that have places for them."""
        waiting: list[Batch[Task]] = []
        while self._again or self._fresh:
            batch = self._again.popleft() if self._again else self._next_batch()
            if not self._workers.place(batch, ahead=self._size.is_short):
                waiting.append(batch)
                if batch.alone:
                    continue  # others share a worker
                break
            self._number += 1
            name, batch.begun = f"{self._run}-{self._number}", False
            self._flying[name] = batch
            channel.send(name, batch, self._workers.fit[batch.worker] if batch.alone else 1)
        self._again.extendleft(reversed(waiting))

    def _next_batch(self) -> Batch[Task]:
        """Tasks that nobody has had. Few tasks are spread over all slots."""
        share = math.ceil(len(self._fresh) / max(self._workers.places, 1))
        size = min(self._size.tasks, max(share, 1))
        return Batch([self._fresh.popleft() for _ in range(size)])

    def _lost(self) -> ExecutorLost:
        return ExecutorLost(f"the scheduler at {self._cluster.address} is gone")
