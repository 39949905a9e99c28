"""A Dask worker in this process, as ``mtdf worker`` starts it."""

from __future__ import annotations

import asyncio
import os
import platform
import threading
from collections.abc import Callable
from contextlib import suppress

from distributed import Worker
from distributed.comm.addressing import get_address_host_port
from distributed.utils import get_ip

from toolkit.base.errors import OperationFailed
from toolkit.base.printable import text_in_one_line
from toolkit.runs.dask.cluster import check_tls, scheduler_at
from toolkit.runs.dask.worker_side import close_all, new_refusals, this_build

_LOOK_EVERY_S = 0.2
_TRY_AGAIN_S = 1.0
_TRY_S = 5.0
"""How long a scheduler may take to answer."""
_END_S = 5.0
"""How long a scheduler may take to hear that a worker ends."""

Say = Callable[[str], None]


def serve(address: str, slots: int, stop: threading.Event, *, say: Say, warn: Say) -> None:
    """Be a worker until ``stop`` is set, with as many threads as slots. When the scheduler goes,
    wait for another one at the same address. Raises OperationFailed if the scheduler wants
    certificates and there are none."""
    this_build()  # as it is now, whatever is installed later
    asyncio.run(_serve(address, slots, stop, say, warn))


async def _serve(address: str, slots: int, stop: threading.Event, say: Say, warn: Say) -> None:
    told = ""
    while not stop.is_set():
        try:
            where = scheduler_at(address)
            await _reach(where)
        except (OSError, ValueError, OperationFailed) as error:
            problem = f"waiting for a scheduler at {address} ({text_in_one_line(error)})"
        else:
            check_tls(where, "worker")
            try:
                problem = ""
                await _work(where, slots, stop, say, warn)
            except (OSError, ValueError) as error:
                reason = text_in_one_line(error)
                problem = f"the scheduler at {where} does not take this worker: {reason}"
        if problem and problem != told:
            warn(problem)
        told = problem
        if problem:
            await _pause(_TRY_AGAIN_S, stop)


async def _reach(where: str) -> None:
    """Connect and go, because Dask's own waiting cannot be stopped. Raises OSError, ValueError."""
    host, port = get_address_host_port(where, strict=True)
    _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), _TRY_S)
    writer.close()


async def _work(where: str, slots: int, stop: threading.Event, say: Say, warn: Say) -> None:
    """One worker, until ``stop`` is set or its scheduler goes."""
    worker = Worker(
        where,
        nthreads=slots,
        name=f"{platform.node()}-{os.getpid()}",
        host=get_ip(get_address_host_port(where)[0]),
        memory_limit=0,
        dashboard=False,
        death_timeout=_TRY_S,
    )
    try:
        await worker
        say(f"connected to {where} as {worker.address}")
        while not stop.is_set() and worker.status.name == "running":
            await asyncio.sleep(_LOOK_EVERY_S)
            for reason in new_refusals():
                warn(f"refused a run: {reason}")
        if not stop.is_set():
            warn(f"lost the connection to the scheduler at {where}")
    finally:
        with suppress(TimeoutError, OSError):
            if stop.is_set():
                await asyncio.wait_for(_leave(worker), _END_S)
        with suppress(TimeoutError, OSError):
            await asyncio.wait_for(worker.close(timeout=_END_S), 2 * _END_S)
        close_all()


async def _leave(worker: Worker) -> None:
    """Tell the scheduler that the worker goes because it was asked to. Closing it does not, so it
    would count as a death of the tasks that it has. Raises OSError."""
    if worker.status.name == "running":
        await worker.scheduler.unregister(
            address=worker.address, expected=True, close=False, stimulus_id="mtdf-worker-leaves"
        )


async def _pause(seconds: float, stop: threading.Event) -> None:
    """Wait so long, but not beyond a request to stop."""
    for _ in range(round(seconds / _LOOK_EVERY_S)):
        if stop.is_set():
            return
        await asyncio.sleep(_LOOK_EVERY_S)
