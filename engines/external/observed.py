"""What the system knows of a running engine and the processes that it started: CPU time, threads.

Only Linux tells it (``/proc``); elsewhere there is nothing to be seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engines.external.process import EngineProcess

_PROC = Path("/proc")
_SESSION, _USER, _SYSTEM, _THREADS = 3, 11, 12, 17
"""Places in /proc/PID/stat after the name, see proc_pid_stat(5)."""


@dataclass(frozen=True, slots=True)
class Observed:
    """An engine and its children at one moment."""

    cpu_s: float
    """CPU time so far."""
    threads: int
    processes: int


def observe(process: EngineProcess) -> Observed | None:
    """All processes in the session of this one that have not ended; None where the system does not
    tell, or nothing is left."""
    found = list(_session(process.pid))
    if not found:
        return None
    ticks = sum(int(words[_USER]) + int(words[_SYSTEM]) for words in found)
    return Observed(
        # The clock of the engine itself is finer than ticks, but knows nothing of children.
        cpu_s=process.cpu_ns() / 1e9 if len(found) == 1 else ticks / os.sysconf("SC_CLK_TCK"),
        threads=sum(int(words[_THREADS]) for words in found),
        processes=len(found),
    )


def _session(leader: int) -> Iterator[list[str]]:
    """The state of each process in a session, zombies left out."""
    with suppress(OSError):
        for entry in os.listdir(_PROC):
            if not entry.isdigit():
                continue
            with suppress(OSError):
                # The name, in brackets, may hold anything.
                words = (_PROC / entry / "stat").read_text(errors="replace").rpartition(") ")[2]
                fields = words.split()
                if int(fields[_SESSION]) == leader and fields[0] not in "ZX":
                    yield fields
