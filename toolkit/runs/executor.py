"""Executors, which perform the tasks of a run and report their results.

Events, studies, laboratory runs and book making use only this interface. The executor for a single
machine is :class:`~toolkit.runs.pool.WorkerPool`, that for many machines
:class:`~toolkit.runs.dask.executor.ClusterExecutor`; :mod:`toolkit.runs.jobs` chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, Self, TypeVar

from msgspec import Struct

Task = TypeVar("Task")
Result = TypeVar("Result")

Cores = frozenset[int]
"""Numbers of processors, to which a worker is pinned."""
Work = Callable[[], Callable[[Task], Result]]
"""Makes, once in each worker, the function that does the tasks. It is pickled, and so are tasks and
results."""


Fitted = Callable[[int], Work[Task, Result]]
"""Makes the work on another machine, for so many slots there. It is pickled. Raises MtdfError if
that machine is not fit for it."""
Tidy = Callable[[], object]
"""Ends what workers that died left behind on a machine. It is pickled."""


class Done(Struct, Generic[Task, Result], frozen=True):
    """A task that is done."""

    task: Task
    result: Result


class Retried(Struct, Generic[Task], frozen=True):
    """A task whose worker died while it did this task. It is tried again."""

    task: Task
    reason: str
    """How the worker died."""


class Failed(Struct, Generic[Task], frozen=True):
    """A task that cannot be done: it raised an error, or its worker died each time."""

    task: Task
    attempts: int
    reason: str
    """One line."""


TaskReport = Done[Task, Result] | Retried[Task] | Failed[Task]


MAX_ATTEMPTS = 2
"""How many workers a task may kill."""
GATHER_S = 0.2
"""Answers of short tasks that arrive within so long are handed out together, while no worker is
idle."""
POLL_S = 0.1
"""The longest time that callers wait for reports, so that they notice a request to stop."""


class Executor(Protocol[Task, Result]):
    """Does tasks in any order, independently of each other. Each submitted task ends as one
    :class:`Done` or :class:`Failed`."""

    @property
    def pending(self) -> int:
        """Tasks that were submitted and whose end was not reported yet."""

    @property
    def room(self) -> int:
        """How many more tasks it takes to keep all workers busy."""

    @property
    def in_play(self) -> list[Task]:
        """Tasks that workers are doing."""

    @property
    def mean_s(self) -> float:
        """The mean duration of the tasks that are done; 0 before there is one."""

    def submit(self, task: Task) -> None:
        """Have a task done. Does not wait for it."""

    def finished(self, timeout_s: float) -> list[TaskReport[Task, Result]]:
        """The reports since the last call. Waits at most ``timeout_s`` for the first report, and
        a moment longer for others that can share a transaction with it; with 0 it does not wait."""

    def close(self) -> None:
        """End all workers at once, also in the middle of a task. Safe to call twice."""

    def __enter__(self) -> Self:
        """The executor itself."""

    def __exit__(self, *error: object) -> None:
        """Close it."""
