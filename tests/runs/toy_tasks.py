"""Work for tests of the pool; a worker process imports it by name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolkit.base.errors import EngineProblem

Task = tuple[Any, ...]


def work() -> Callable[[Task], Any]:
    """Does what the first word of a task says."""
    done = 0

    def do(task: Task) -> Any:
        nonlocal done
        done += 1
        what, *given = task
        return _TRICKS[what](*given), os.getpid(), done

    return do


def fitted(slots: int) -> Callable[[], Callable[[Task], Any]]:
    """The work on any machine of a cluster."""
    return work


def fitted_nowhere(slots: int) -> Callable[[], Callable[[Task], Any]]:
    """No machine is fit."""
    raise EngineProblem(f"{slots} slots are not\nenough")


def fitted_where_allowed(slots: int) -> Callable[[], Callable[[Task], Any]]:
    """Only machines with a variable are fit."""
    if "MTDF_TEST_FIT" not in os.environ:
        raise EngineProblem("a variable is missing")
    return work


def broken_work() -> Callable[[Task], Any]:
    """Cannot begin."""
    raise ImportError("no such\nmodule")


def deadly_work() -> Callable[[Task], Any]:
    """Ends the process that would do it."""
    os._exit(7)


def _die(number: int, spared: str = "") -> None:
    """Kill the process; if a file is named only while it does not exist, which is then made."""
    if spared and Path(spared).exists():
        return
    if spared:
        Path(spared).touch()
    os.kill(os.getpid(), number)
    time.sleep(60)


def _die_with_worker(spared: str = "") -> None:
    """Kill the worker of a cluster whose slot this process is; if a file is named only while it
    does not exist, which is then made."""
    if spared and Path(spared).exists():
        return
    if spared:
        Path(spared).touch()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def _raise() -> None:
    raise ZeroDivisionError("a bug\nin two lines")


class _Mute(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise ZeroDivisionError


def _mute() -> None:
    raise _Mute


def _exit() -> None:
    raise SystemExit(3)


def _lock() -> Any:
    """A result that cannot be sent."""
    return open(os.devnull).__enter__


def _spin() -> None:
    """Work that never leaves the interpreter."""
    while True:
        pass


def _pinned(seconds: float) -> tuple[list[int], list[int]]:
    """The processors of this process, and those of one that it starts."""
    time.sleep(seconds)
    code = "import os; print(*sorted(os.sched_getaffinity(0)))"
    child = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True)
    return sorted(os.sched_getaffinity(0)), [int(word) for word in child.stdout.split()]


_TRICKS: dict[str, Callable[..., Any]] = {
    "double": lambda number: 2 * number,
    "sleep": time.sleep,
    "die": _die,
    "die with worker": _die_with_worker,
    "tell": lambda path: Path(path).write_text(str(os.getpid())),
    "raise": _raise,
    "exit": _exit,
    "mute": _mute,
    "pinned": _pinned,
    "unsendable": _lock,
    "spin": _spin,
    "mask": lambda: sorted(
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is signal.SIG_IGN
    ),
}
