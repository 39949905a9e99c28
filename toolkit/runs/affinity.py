"""Which processor cores the workers of a run are pinned to, so that games do not share them.

A worker's engines inherit its cores. Two processors of one core (hyper-threading) share its units,
so a worker gets whole cores as long as there are enough, and processors of one core only then.
"""

from __future__ import annotations

import os
from pathlib import Path

from toolkit.base.errors import UsageError
from toolkit.base.format import jobs_text
from toolkit.runs.executor import Cores

_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def cores_of_workers(jobs: int, each: int) -> tuple[Cores, ...]:
    """The processors of each of ``jobs`` workers, ``each`` of them. Raises UsageError if there are
    too few, or the system does not pin processes."""
    if not hasattr(os, "sched_setaffinity"):
        raise UsageError("--affinity: this system does not pin processes to processor cores")
    order = _whole_cores_first(sorted(os.sched_getaffinity(0)))
    if jobs * each > len(order):
        fewer = f"--jobs {len(order) // each}" if each <= len(order) else "fewer threads"
        raise UsageError(
            f"--affinity: {jobs_text(jobs, each)} need{'s' if jobs == 1 else ''} {jobs * each} "
            f"processor cores and there are {len(order)}: use {fewer}"
        )
    return tuple(frozenset(order[at : at + each]) for at in range(0, jobs * each, each))


def _whole_cores_first(processors: list[int]) -> list[int]:
    """The processors in an order in which the second ones of a core come last."""
    seen: dict[str, int] = {}
    ranks = {}
    for processor in processors:
        path = Path(_TOPOLOGY.format(processor))
        core = path.read_text().strip() if path.exists() else str(processor)
        ranks[processor] = seen.get(core, 0)
        seen[core] = ranks[processor] + 1
    return sorted(processors, key=lambda processor: (ranks[processor], processor))
