"""CPU time of another process, its children included, fine enough for moves of a few milliseconds.

The kernel keeps a CPU clock for every process, in nanoseconds, all its threads together, living
and ended; its clock id follows from the process id (``clock_getcpuclockid(3)``). ``/proc`` would
give the same in ticks of 10 ms. Time of single threads comes from ``/proc/PID/task/TID/schedstat``.
Linux only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CpuReading:
    """What a process and its descendants had used at one moment."""

    total_ns: int
    threads_ns: dict[int, int]
    """By thread; empty where the kernel does not keep it."""


@dataclass(frozen=True, slots=True)
class CpuSpent:
    """What was used between two readings."""

    total_ms: float
    """All threads of all processes."""
    search_ms: float
    """The busiest thread. An engine that searches with one thread searches with that one; what its
    other threads use, such as polling for input, makes it no stronger."""


def read_cpu(pid: int) -> CpuReading:
    """What process ``pid`` and its living descendants have used; nothing when it has ended."""
    total, threads = 0, {}
    for process in _family(pid):
        try:
            total += time.clock_gettime_ns(_clock_of(process))
        except OSError:
            continue
        for task in _tasks(process):
            try:
                text = (task / "schedstat").read_text()
            except OSError:
                continue
            threads[int(task.name)] = int(text.split()[0])
    return CpuReading(total, threads)


def own_cpu_s(pid: int) -> float:
    """CPU seconds of a process without its children. Raises OSError when it has ended."""
    return time.clock_gettime_ns(_clock_of(pid)) / 1e9


def cpu_spent(before: CpuReading, after: CpuReading) -> CpuSpent:
    """The difference of two readings of one process."""
    total = max(after.total_ns - before.total_ns, 0) / 1e6
    deltas = [ns - before.threads_ns.get(tid, 0) for tid, ns in after.threads_ns.items()]
    return CpuSpent(total, max(deltas) / 1e6 if deltas else total)


def _clock_of(pid: int) -> int:
    """The id of a process's CPU clock: its number inverted, and 2 for the scheduler's count."""
    return (~pid << 3) | 2


def _family(pid: int) -> Iterator[int]:
    """The process and all that descend from it."""
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        yield process
        for task in _tasks(process):
            try:
                waiting.extend(map(int, (task / "children").read_text().split()))
            except OSError:
                continue


def _tasks(pid: int) -> list[Path]:
    """The directories of a process's threads."""
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
