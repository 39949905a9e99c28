"""What every stored run goes through, be it an event, a study or a run of the laboratory.

One process at a time goes on with a run, by the core that began it, until nothing is missing, it is
asked to stop, or nothing works. Whatever happens, the run's status says it, and nothing that was
stored is lost: what is missing is what the next process does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from db.errors import DatabaseError
from db.records import EventStatus
from toolkit.base.errors import EngineProblem, ExitCode, UsageError
from toolkit.base.ranges import check_whole
from toolkit.base.version import Provenance
from toolkit.runs.stopping import StopRequest

MAX_JOBS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended, for now. Nothing that was stored is lost, and it can be resumed."""

    status: Literal["done", "interrupted", "failed"]
    """``interrupted``: stopped on request. ``failed``: nothing could be done any more."""
    signal: int | None = None
    """The signal that stopped it, if one did."""
    problem: str | None = None
    """Why it failed."""

    @property
    def exit_code(self) -> ExitCode:
        """What the command that ran it ends with."""
        if self.status == "failed":
            return ExitCode.ENGINE
        if self.status == "done":
            return ExitCode.DONE
        terminated = self.signal == signal.SIGTERM
        return ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED


class Run(Protocol):
    """A stored run, as the process sees it that goes on with it."""

    def held(self) -> AbstractContextManager[object]:
        """The right to go on with the run. Raises DatabaseError where another process has it."""

    def set_status(self, status: EventStatus) -> None:
        """Store the status. Raises DatabaseError."""

    def work(self, stop: threading.Event) -> bool:
        """Do and store what is missing until ``stop`` is set; whether nothing is missing any more.

        Raises EngineProblem where nothing can be done, DatabaseError.
        """


def go_on(run: Run, request: StopRequest) -> Outcome:
    """Go on with a run until it is done, stopped or failed. Raises what the run raises, but for
    EngineProblem while it works: then it failed."""
    with run.held():
        run.set_status("running")
        problem = None
        try:
            try:
                done = run.work(request.event)
            except EngineProblem as error:
                done, problem = False, str(error)
            status: Literal["done", "interrupted", "failed"] = "done" if done else "interrupted"
            status = status if problem is None else "failed"
            run.set_status(status)
        except BaseException:
            _note_interruption(run)
            raise
    stopped_by = request.signal if status == "interrupted" else None
    return Outcome(status=status, signal=stopped_by, problem=problem)


def _note_interruption(run: Run) -> None:
    try:
        run.set_status("interrupted")
    except DatabaseError:
        # The database may be what failed; resume asks for what is missing, not for the status.
        return


class _Begun(Protocol):
    """A record that says which core began a run."""

    @property
    def backend(self) -> str: ...
    @property
    def signature(self) -> str: ...


def check_core(what: str, begun: _Begun, program: Provenance, parts: str) -> None:
    """Raises EngineProblem where ``program`` plays differently from the one that began a run.

    ``what``: the run in words; ``parts``: what it consists of, such as ``games``.
    """
    if program.signature == begun.signature:
        return
    if program.backend != begun.backend:
        change = f"on the {begun.backend} backend and this is the {program.backend} one"
    else:
        change = (
            f"with a core that played differently ({begun.signature[:8]}… -> "
            f"{program.signature[:8]}…)"
        )
    raise EngineProblem(
        f"{what} was begun {change}, so its {parts} would be of two programs; start over, or go on "
        "with --allow-changed"
    )


def check_jobs(jobs: int) -> None:
    """Raises UsageError for a number of worker processes that is none."""
    check_whole("jobs", jobs, 1, MAX_JOBS)


def free_name(stem: str, taken: Iterable[str]) -> str:
    """A name for a new run that no other one has: the stem with a number."""
    names = set(taken)
    number = len(names) + 1
    while f"{stem}-{number}" in names:
        number += 1
    return f"{stem}-{number}"


def check_new(what: str, name: str, taken: Iterable[str], resume: str) -> None:
    """Raises UsageError where a run has the name already; ``resume`` goes on with that one."""
    if name in taken:
        raise UsageError(f"{what} `{name}` exists: choose another --name, or {resume}")
