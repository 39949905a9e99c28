"""The workers of a cluster, as one run knows them, and which of them gets a batch."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from concurrent.futures import Future as Promise
from typing import TYPE_CHECKING, Any, Generic

from msgspec import Struct, field

from toolkit.base.errors import OperationFailed
from toolkit.base.format import count_of
from toolkit.base.printable import in_one_line
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.executor import MAX_ATTEMPTS, Task

if TYPE_CHECKING:
    from toolkit.runs.dask.worker_side import Taken

_ASK_AGAIN_S = 0.5
"""After so long a worker is asked again that could not be asked."""


class Batch(Struct, Generic[Task], eq=False):
    """Tasks that are done together, and how many workers died while they had them."""

    tasks: list[Task]
    deaths: int = 0
    worker: str = ""
    """The worker that has it."""
    begun: bool = False
    """Whether that worker has begun it, if it has nothing else to do."""

    @property
    def alone(self) -> bool:
        """Whether it needs a worker alone: it may be what kills workers."""
        return self.deaths >= MAX_ATTEMPTS


class ClusterWorkers(Struct):
    """The workers of a cluster, as far as one run knows them."""

    cluster: Cluster
    fit: dict[str, int] = {}
    """Those that took the run on, by address, with their slots."""
    slots: int = 0
    """All of them."""
    _load: Counter[str] = field(default_factory=Counter)
    """Their batches that share a worker."""
    _idle: deque[str] = field(default_factory=deque)
    """The worker of each slot without a batch; also workers that are gone."""
    _ahead: deque[str] = field(default_factory=deque)
    """The worker of each slot that has no second batch, besides those."""
    _reserved: set[str] = set()
    """Workers that have a batch for themselves."""
    candidates: dict[str, float] = {}
    """Those that are still to be asked, and not before that time."""
    _asked: dict[str, Promise[Taken]] = {}
    _refused: dict[str, str] = {}
    _has_begun: bool = False
    _told_empty: bool = False

    def add(self, worker: str) -> None:
        """A worker that may be new."""
        if not any(worker in known for known in (self.fit, self._asked, self._refused)):
            self.candidates.setdefault(worker, 0.0)

    def take_list(self, workers: Collection[str]) -> None:
        """All workers that are there now."""
        for worker in workers:
            self.add(worker)
        for worker in [one for one in self.candidates if one not in workers]:
            del self.candidates[worker]

    def remove(self, worker: str) -> None:
        """Forget a worker that is gone."""
        self.slots -= self.fit.get(worker, 0)
        for known in (self.fit, self.candidates, self._asked, self._refused, self._load):
            known.pop(worker, None)
        self._reserved.discard(worker)

    @property
    def places(self) -> int:
        """How many batches would find a place now, or a few more."""
        return len(self._idle) + len(self._ahead)

    def place(self, batch: Batch[Any], *, ahead: bool) -> bool:
        """Choose the worker of a batch; whether there is one. ``ahead``: also one that is busy, so
        that it need not wait for its next batch."""
        if batch.alone:
            worker = next((one for one in self.fit if one not in self._reserved), None)
            if worker is not None:
                self._reserved.add(worker)
                batch.worker = worker
            return worker is not None
        for places in (self._idle, self._ahead) if ahead else (self._idle,):
            while places:
                worker = places.popleft()
                if worker in self.fit:
                    self._load[worker] += 1
                    batch.worker = worker
                    return True
        return False

    def release(self, batch: Batch[Any]) -> None:
        """A batch has come to an end; there is a place for another one."""
        worker = batch.worker
        if batch.alone:
            self._reserved.discard(worker)
        elif worker in self.fit:
            self._load[worker] -= 1
            is_idle = self._load[worker] < self.fit[worker]
            (self._idle if is_idle else self._ahead).append(worker)

    def recruit(self, ask: Callable[[str], Promise[Taken]]) -> None:
        """Ask new workers by ``ask``, and hear those that were asked. Raises OperationFailed if
        there are workers and none of them is fit."""
        now_s = time.monotonic()
        for worker in [one for one, at_s in self.candidates.items() if at_s <= now_s]:
            del self.candidates[worker]
            self._asked[worker] = ask(worker)
        for worker in [one for one, promise in self._asked.items() if promise.done()]:
            self._take(worker, self._asked.pop(worker))
        if self.fit:
            self._has_begun, self._told_empty = True, False
            return
        if self._asked or self.candidates:
            return
        if self._refused and not self._has_begun:
            worker, reason = next(iter(self._refused.items()))
            others = len(self._refused) - 1
            more = f"; {count_of(others, 'other')} neither" if others else ""
            raise OperationFailed(
                f"no worker of {self.cluster} can do this: {worker} refused, {reason}{more}"
            )
        if not self._told_empty:
            self._told_empty = True
            self.cluster.notice(
                f"{self.cluster} has no worker: waiting for one (mtdf worker "
                f"{self.cluster.address})"
            )

    def _take(self, worker: str, promise: Promise[Taken]) -> None:
        error = promise.exception()
        if error is not None:
            if isinstance(error, (OSError, KeyError, ValueError)):
                # It is not there yet, or not any more: then we hear that soon.
                self.candidates[worker] = time.monotonic() + _ASK_AGAIN_S
                return
            self._refuse(worker, f"it is not an mtdf worker ({in_one_line(error)})")
            return
        answer = promise.result()
        if answer.refusal is None:
            self.fit[worker] = answer.slots
            self.slots += answer.slots
            self._idle += [worker] * answer.slots
            self._ahead += [worker] * answer.slots
        else:
            self._refuse(worker, answer.refusal)

    def _refuse(self, worker: str, reason: str) -> None:
        self._refused[worker] = reason
        if self.fit or self._has_begun or self._asked or self.candidates:
            self.cluster.notice(f"the worker at {worker} refused: {reason}")
