"""Where the tasks of a run are done: in processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.errors import UsageError
from toolkit.base.ranges import MAX_JOBS, check_whole
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.executor import Cores, Executor, Fitted, Result, Task, Tidy, Work
from toolkit.runs.pool import WorkerPool

Jobs = int | Cluster
"""A number of processes of this machine, or a cluster."""


def check_jobs(jobs: Jobs) -> None:
    """Raises UsageError for a number of processes that is none, OperationFailed for a cluster that
    does not answer."""
    if isinstance(jobs, Cluster):
        _ = jobs.client
    else:
        check_whole("jobs", jobs, 1, MAX_JOBS)


def at_once(jobs: Jobs) -> int:
    """How many tasks are done at a time; at least 1, also on a cluster without workers. Raises
    OperationFailed."""
    return max(jobs.slots, 1) if isinstance(jobs, Cluster) else jobs


def on_this_machine(option: str, jobs: Jobs) -> int:
    """The number of processes. Raises UsageError for a cluster, with the option that needs it."""
    if isinstance(jobs, Cluster):
        raise UsageError(f"{option} works with processes of this machine only, not with a cluster")
    return jobs


def make_executor(
    work: Work[Task, Result],
    jobs: Jobs,
    *,
    fitted: Fitted[Task, Result],
    cores: Sequence[Cores] = (),
    tidy: Tidy | None = None,
) -> Executor[Task, Result]:
    """What does the tasks of a run. Every run gets its executor here.

    ``fitted``: makes the work on the machines of a cluster. ``cores``: those that each process of
    this machine is pinned to. ``tidy``: ends what workers that died left behind on their machine.
    """
    if isinstance(jobs, Cluster):
        from toolkit.runs.dask.executor import ClusterExecutor

        return ClusterExecutor(jobs, fitted, tidy)
    return WorkerPool(work, jobs, cores, tidy)
