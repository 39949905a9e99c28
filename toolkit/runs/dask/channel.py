"""The connection of one run to its cluster: what it sends, and what comes back, in order.

Dask calls back in threads of its own. Whatever comes is put into one queue, which the run reads in
its thread.
"""

from __future__ import annotations

import asyncio
import queue
from concurrent.futures import Future as Promise
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.dask.workers import Batch

if TYPE_CHECKING:
    from distributed import Future as Pledge

    from toolkit.runs.dask.worker_side import Taken

_DROP_S = 3.0
"""How long workers may take to hear that a run is over."""
_FETCH_AGAIN_S = 0.2
BatchPromise = tuple[str, Promise[Any]]
"""The name of a batch, and what became of it."""


class RunChannel:
    """The connection of one run. Making one raises OperationFailed for a cluster that does not
    answer."""

    def __init__(self, cluster: Cluster, run: str, contract: bytes) -> None:
        """``contract``: the pickled :class:`~toolkit.runs.dask.worker_side.Contract`."""
        self.client = cluster.client
        loop: Any = self.client.loop
        self._loop: asyncio.AbstractEventLoop = loop.asyncio_loop
        self._run = run
        self._contract = contract
        self._came: queue.SimpleQueue[dict[str, Any] | BatchPromise | None] = queue.SimpleQueue()
        self._pledges: dict[str, Pledge[Any]] = {}
        for topic in ("all", run):
            self.client.subscribe_topic(topic, self._take_event)

    @property
    def is_open(self) -> bool:
        """Whether the scheduler is there."""
        return self.client.status == "running"

    def received(self, timeout_s: float) -> list[dict[str, Any] | BatchPromise]:
        """What came since the last call: events of the cluster and answers. Waits at most so long
        for the first."""
        found: list[dict[str, Any] | BatchPromise] = []
        with suppress(queue.Empty):
            come = self._came.get(timeout=timeout_s) if timeout_s > 0 else self._came.get_nowait()
            while True:
                if come is not None:
                    found.append(come)
                come = self._came.get_nowait()
        return found

    def workers(self) -> list[str]:
        """The addresses of all workers."""
        return list(self.client.nthreads())

    def ask(self, worker: str) -> Promise[Taken]:
        """Ask a worker to take the run on."""
        from toolkit.runs.dask.worker_side import take_on, this_build

        async def asked() -> Taken:
            answers = await self.client.run(
                take_on,
                self._run,
                this_build(),
                self._contract,
                workers=[worker],
                asynchronous=True,
            )
            taken: Taken = answers[worker]
            return taken

        promise = self._soon(asked())
        promise.add_done_callback(lambda _: self._came.put(None))
        return promise

    def send(self, name: str, batch: Batch[Any], slots: int) -> None:
        """Have a batch done by its worker, where it takes so many slots."""
        from toolkit.runs.dask.worker_side import do_batch

        pledge = self.client.submit(
            do_batch,
            self._run,
            name,
            batch.tasks,
            batch.alone,
            key=name,
            workers=[batch.worker],
            resources={self._run: slots},
            pure=False,
        )
        self._pledges[name] = pledge
        pledge.add_done_callback(partial(self._fetch, name))

    def recall(self, name: str) -> None:
        """Nobody waits for this batch any more."""
        pledge = self._pledges.pop(name, None)
        if pledge is not None:
            self._soon(self.client.cancel([pledge], asynchronous=True))

    def close(self, workers: list[str]) -> None:
        """Cancel all batches, and let these workers end the run. A cluster that does not answer has
        ended it, or will: its workers end what nobody waits for."""
        if not self.is_open:
            return
        from toolkit.runs.dask.worker_side import drop

        pledges = list(self._pledges.values())
        self._pledges.clear()

        async def closed() -> None:
            await self.client.cancel(pledges, asynchronous=True)
            await self.client.run(
                drop, self._run, workers=workers, on_error="ignore", asynchronous=True
            )

        for topic in ("all", self._run):
            self.client.unsubscribe_topic(topic)
        with suppress(TimeoutError, OSError, ValueError):
            self._soon(closed()).result(_DROP_S)

    def _fetch(self, name: str, pledge: Pledge[Any]) -> None:
        """Fetch what a batch gave. Called when it has ended, also if by an error."""
        promise = self._soon(self.client.gather(pledge, asynchronous=True))
        promise.add_done_callback(partial(self._fetched, name, pledge))

    def _fetched(self, name: str, pledge: Pledge[Any], promise: Promise[Any]) -> None:
        broken = not promise.cancelled() and isinstance(promise.exception(), OSError)
        if broken and pledge.status == "finished" and self.is_open and name in self._pledges:
            # The result is there, and a connection on the way broke.
            self._loop.call_later(_FETCH_AGAIN_S, self._fetch, name, pledge)
        elif self._pledges.pop(name, None) is not None:
            self._came.put((name, promise))

    def _soon(self, awaitable: Any) -> Promise[Any]:
        async def awaited() -> Any:
            return await awaitable

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop)

    def _take_event(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict):
            self._came.put(message)
