"""A Dask cluster of separate processes on this machine, for benchmarks. Linux only."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_BIN = Path(sys.executable).parent
_START_S = 60.0
_END_S = 10.0


@contextmanager
def scheduler() -> Iterator[tuple[str, int]]:
    """A scheduler, started as a user starts one; its address and the id of its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = f"--host 127.0.0.1 --port {port} --dashboard-address 127.0.0.1:0".split()
    with _running([str(_BIN / "dask"), "scheduler", *place]) as process:
        _await(process, port)
        yield f"tcp://127.0.0.1:{port}", process.pid


@contextmanager
def worker(address: str) -> Iterator[int]:
    """A worker of one slot, ``mtdf worker``; the id of its process."""
    with _running([str(_BIN / "mtdf"), "worker", address, "--jobs", "1"]) as process:
        yield process.pid


def memory_mb(pid: int) -> float:
    """What a process has in memory now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def _running(words: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    until_s = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < until_s:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the scheduler does not start")
