"""A Dask cluster on this machine, of separate processes as users start them, for benchmarks and
tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

_PATIENCE_S = 300.0
_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
_WORKER = "import cli; cli.main()"


def memory_mb(pid: int) -> float:
    """What a process has in memory now. Linux only."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class LocalCluster:
    """A scheduler and workers. A context manager, which kills what is left of them."""

    def __init__(self, folder: Path, imports: Path | None = None) -> None:
        """``folder``: for what they print; ``imports``: a folder whose modules workers know."""
        self._folder = folder
        self._imports = imports
        self._processes: list[subprocess.Popen[bytes]] = []
        # Stays bound, so that no other program gets the port before the scheduler does, or while it
        # is restarted. Both allow the reuse, and this socket never listens.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port = int(self._reserved.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """Start a scheduler at the address, and wait until it answers."""
        options = ["--host", "127.0.0.1", "--port", str(self.port)]
        options += ["--dashboard-address", "127.0.0.1:0"]
        self.scheduler = self._started(_SCHEDULER, options, "scheduler", {})
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return self.scheduler
            assert time.monotonic() < deadline, "the scheduler does not answer"
            assert self.scheduler.poll() is None, self.said("scheduler")
            time.sleep(0.05)

    def start_worker(
        self, name: str = "worker", slots: int = 1, *, wait: bool = True, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker, and wait until it is connected."""
        words = ["worker", self.address, "--jobs", str(slots)]
        worker = self._started(_WORKER, words, name, environment)
        if wait:
            self.wait_for(name, "connected to")
        return worker

    def said(self, name: str) -> str:
        """What a process has printed until now."""
        return (self._folder / f"{name}.log").read_text()

    def wait_for(self, name: str, text: str) -> None:
        """Wait until a process has printed the text."""
        deadline = time.monotonic() + _PATIENCE_S
        while text not in self.said(name):
            assert time.monotonic() < deadline, self.said(name)
            time.sleep(0.05)

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of its processes."""
        known = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",  # as docs/cluster.md says
            **more,
        }
        if self._imports is not None:
            known["PYTHONPATH"] = str(self._imports)
        return known

    def close(self) -> None:
        """Kill what runs."""
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        self._reserved.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _started(
        self, code: str, words: list[str], name: str, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *words],
                cwd=self._folder,
                env=self.environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process
