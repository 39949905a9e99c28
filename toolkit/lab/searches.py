"""Searching many positions with the workers of an executor."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Self

from msgspec import Struct

from engines.backend import make_searcher
from engines.errors import EngineError
from toolkit.base.errors import EngineProblem
from toolkit.base.printable import text_in_one_line
from toolkit.base.version import Provenance, check_program, this_program
from toolkit.lab.effort import Effort
from toolkit.lab.measuring import SearcherFactory, Searchers, SearchTask, run_task
from toolkit.runs.executor import (
    POLL_S,
    Done,
    Executor,
    Failed,
    Result,
    Task,
    TaskReport,
    Work,
)
from toolkit.runs.jobs import Jobs, make_executor

Efforts = tuple[Effort, ...]
"""One a variant of a task, in order."""


class Refused(Struct, frozen=True):
    """Why an engine could not do a search, in its own words."""

    reason: str

    @classmethod
    def by(cls, error: EngineError | MemoryError) -> Self:
        """By an error of the search."""
        return cls(text_in_one_line(error) or type(error).__name__)


SearchAnswer = Efforts | Refused
Searched = Done[SearchTask, Efforts]
"""A task that is done."""


def search_pool(
    jobs: Jobs, make: SearcherFactory = make_searcher, *, game: str = "chess"
) -> Executor[SearchTask, SearchAnswer]:
    """Workers for one game that keep their searchers from task to task."""
    fitted = partial(_searching_there, make, this_program(game))
    return make_executor(partial(_searching, make), jobs, fitted=fitted)


def searched(pool: Executor[Task, Result | Refused]) -> list[Done[Task, Result]]:
    """The searches finished since the last call; waits at most ``POLL_S`` if there are none.
    Raises EngineProblem for a search that cannot be done."""
    found, problem = _told(pool.finished(POLL_S))
    if problem is not None:
        raise EngineProblem(problem)
    return found


def search_all(
    tasks: Iterable[Task], pool: Executor[Task, Result | Refused], stop: threading.Event
) -> Generator[list[Done[Task, Result]], None, None]:
    """Do all tasks, whose text says what is searched. They come in any order, those together that
    were done within a short time, and none after ``stop`` was set. Raises EngineProblem."""
    source = iter(tasks)
    while not stop.is_set():
        for task in islice(source, pool.room):
            pool.submit(task)
        if not pool.pending:
            return
        found, problem = _told(pool.finished(POLL_S))
        if found:
            yield found
        if problem is not None:
            raise EngineProblem(problem)


def _told(
    reports: Sequence[TaskReport[Task, Result | Refused]],
) -> tuple[list[Done[Task, Result]], str | None]:
    """What is done, and why the first task that failed did."""
    found, problems = list[Done[Task, Result]](), []
    for report in reports:
        if isinstance(report, Failed):
            problems.append(f"{report.task} failed: {report.reason}")
        elif isinstance(report, Done):
            if isinstance(report.result, Refused):
                problems.append(f"{report.task} failed: {report.result.reason}")
            else:
                found.append(Done(report.task, report.result))
    return found, problems[0] if problems else None


def _searching(make: SearcherFactory) -> Callable[[SearchTask], SearchAnswer]:
    return partial(_answer, Searchers(make))


def _searching_there(
    make: SearcherFactory, wanted: Provenance, slots: int
) -> Work[SearchTask, SearchAnswer]:
    """What a machine of a cluster does with searches. Raises EngineProblem if its program is not
    the one of the coordinator."""
    check_program(wanted)
    return partial(_searching, make)


def _answer(searchers: Searchers, task: SearchTask) -> SearchAnswer:
    try:
        return run_task(task, searchers)
    except (EngineError, MemoryError) as error:
        return Refused.by(error)
