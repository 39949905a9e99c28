"""The lifecycle of every stored run: an event, a study or a laboratory run.

One process at a time continues a run, with the core that started it, until nothing is missing, a
stop is requested, or an engine problem ends it. The run's status records the outcome. Stored
results are never lost, and the next process does what is missing.
"""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct

from db.errors import DatabaseError, NotFound
from db.records.events import TUNING_KIND, EventRecord
from db.records.runs import RunRecord, RunStatus
from db.records.studies import StudyRecord
from db.session import Database
from db.storage.lock import RunLock
from toolkit.base.errors import (
    DatabaseProblem,
    EngineProblem,
    ExecutorLost,
    ExitCode,
    NothingMatched,
    UsageError,
)
from toolkit.base.version import this_program
from toolkit.runs.stopping import StopRequest

_Record = TypeVar("_Record", bound=RunRecord)
RUN_LISTS = "mtdf events, mtdf tune list, mtdf lab list"
"""The commands that list all runs."""


class RunOutcome(Struct, frozen=True, kw_only=True):
    """How a process ended its work on a run. Stored results are kept; the run can be resumed."""

    status: Literal["done", "interrupted", "failed"]
    """``interrupted``: stopped on request, or by the loss of its cluster. ``failed``: nothing could
    be done any more."""
    signal: int | None = None
    """The signal that stopped it, if one did."""
    problem: str | None = None
    """Why it was neither done nor stopped on request."""

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command that ran it."""
        if self.status == "failed":
            return ExitCode.ENGINE
        if self.status == "done":
            return ExitCode.DONE
        if self.problem is not None:
            return ExitCode.FAILED
        terminated = self.signal == signal.SIGTERM
        return ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED


class Run(Protocol):
    """A stored run, from the view of the process that continues it."""

    @property
    def record(self) -> RunRecord:
        """The run as it was stored when this process began to continue it."""

    def prepare(self) -> bool:
        """Whether something is missing, once this process holds the lock. If this raises, the
        status is not changed."""

    def work(self, stop: threading.Event) -> bool:
        """Do and store what is missing until ``stop`` is set; returns whether the database has all
        results of the run.

        Raises EngineProblem if no work is possible, DatabaseError.
        """


def continue_run(db: Database, run: Run, request: StopRequest) -> RunOutcome:
    """Continue a run until it is done, stopped or failed.

    Raises DatabaseError if another process holds the lock, and the exceptions of the run, except
    two while it works: with an EngineProblem the outcome is ``failed``, with an ExecutorLost
    ``interrupted``.
    """
    record = run.record
    with lock_of(db, record):
        missing = run.prepare()
        if ended := record.status == "done" and not missing:  # when it ended stays
            status: Literal["done", "interrupted", "failed"] = "done"
        else:
            db.repository.set_status(record, "running")
        problem, failed = None, False
        try:
            try:
                done = run.work(request.event)
            except (EngineProblem, ExecutorLost) as error:
                done, problem, failed = False, str(error), isinstance(error, EngineProblem)
            if not done and problem is None and not request.event.is_set():
                raise DatabaseProblem(
                    f"{title_of(record)} is not done: stored results of it disappeared from "
                    f"{db.name} (mtdf db check); continue with: {resume_command(record)}"
                )
            status = "failed" if failed else "done" if done else "interrupted"
            if not (ended and done):
                db.repository.set_status(record, status)
        except BaseException:
            # The database itself may have failed; resume uses what is missing, not the status.
            with suppress(DatabaseError):
                db.repository.set_status(record, "interrupted")
            raise
    stopped_by = request.signal if status == "interrupted" and problem is None else None
    return RunOutcome(status=status, signal=stopped_by, problem=problem)


def check_core(record: RunRecord, game: str, parts: str) -> None:
    """Raises EngineProblem if this program plays the game differently from the one that started the
    run, which consists of ``parts`` such as ``games``."""
    program = this_program(game)
    if (program.backend, program.signature) == (record.backend, record.signature):
        return
    if program.backend != record.backend:
        change = f"on the {record.backend} backend and this is the {program.backend} one"
    else:
        change = (
            f"with a core that played differently ({record.signature[:8]}… -> "
            f"{program.signature[:8]}…)"
        )
    raise EngineProblem(
        f"{title_of(record)} was started {change}, so its {parts} would come from two programs; "
        "start over, or continue with --allow-changed"
    )


def title_of(record: RunRecord) -> str:
    """The name of a run in messages: ``event r3f9``, ``study lmr``, ``laboratory run lab-1``."""
    return f"{record.what} {record.key if isinstance(record, EventRecord) else record.name}"


def resume_command(record: RunRecord) -> str:
    """The command that continues a run."""
    return named_command("resume", record.key if isinstance(record, EventRecord) else record.name)


def named_command(verb: str, name: str) -> str:
    """A command on a stored run, such as ``mtdf show lmr``, quoted for a shell."""
    return f"mtdf {verb} {shlex.quote(name)}"


def lock_of(db: Database, record: RunRecord) -> RunLock:
    """The lock for continuing a run, held by one process at a time. A study uses the lock of the
    event with its games."""
    if isinstance(record, StudyRecord) and record.event_id is not None:
        record = db.repository.event(record.event_id)
    if isinstance(record, EventRecord):
        return db.run_lock(record.key)
    key = "study" if isinstance(record, StudyRecord) else "lab"
    return db.run_lock(f"{key}{record.id}", title_of(record))


def run_fields(record: RunRecord) -> dict[str, Any]:
    """The fields that the row of any run has of its record."""
    names = "name created_at started_at ended_at backend signature version note"
    return {name: getattr(record, name) for name in names.split()}


def shown_status(db: Database, record: RunRecord) -> RunStatus:
    """The status of a run. A killed process leaves ``running`` behind, but its lock is gone:
    then the status is ``interrupted``."""
    if record.status == "running" and lock_of(db, record).holder() is None:
        return "interrupted"
    return record.status


def found_run(find: Callable[[str], _Record], text: str, listing: str) -> _Record:
    """The run that ``text`` names; the command ``listing`` lists all. Raises NothingMatched."""
    try:
        return find(text)
    except NotFound as error:
        raise NothingMatched(f"{error} ({listing})") from error


def find_any_run(db: Database, text: str, *, only: bool = False) -> RunRecord:
    """The event, study or laboratory run that a text names, as
    :meth:`db.repository.Repository.find_run` says. Raises as :func:`newest_named`."""
    found = found_run(db.repository.find_run, text, RUN_LISTS)
    return newest_named(db, found, text, only=only) if isinstance(found, EventRecord) else found


def newest_named(db: Database, found: EventRecord, text: str, *, only: bool = False) -> EventRecord:
    """The event that was found by a text, with a notice if that is the name of older ones too.
    Raises NothingMatched for such a name with ``only``."""
    if text in (found.key, "last") or text != found.name:
        return found
    older = [
        one.key
        for one in db.repository.events_named(text)
        if one.id != found.id and (one.kind == TUNING_KIND) == (found.kind == TUNING_KIND)
    ]
    keys = ", ".join(older)
    if older and only:
        raise NothingMatched(f"`{text}` names the events {keys}, {found.key}: give the id")
    if older:
        db.notice(f"`{text}` means event {found.key}, the newest of that name (older: {keys})")
    return found


def unfinished(db: Database, records: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs that can be resumed, newest first, without those that a process is continuing."""
    newest_first = sorted(records, key=lambda record: record.created_at, reverse=True)
    return [
        record
        for record in newest_first
        if record.status != "done" and lock_of(db, record).holder() is None
    ]


def last_jobs(db: Database, record: RunRecord) -> int:
    """The number of worker processes when a run was last started or continued."""
    event_id = record.event_id if isinstance(record, StudyRecord) else None
    if isinstance(record, EventRecord):
        event_id = record.id
    if event_id is not None:
        return db.repository.last_jobs(event_id) or 1
    jobs = record.settings.get("jobs", 1)
    return jobs if isinstance(jobs, int) else 1


def free_name(stem: str, taken: Iterable[str]) -> str:
    """An unused name for a new run: the stem with a number."""
    names = set(taken)
    number = len(names) + 1
    while f"{stem}-{number}" in names:
        number += 1
    return f"{stem}-{number}"


def check_new(what: Literal["event", "study", "run"], name: str, taken: Iterable[str]) -> None:
    """Raises UsageError if an event, study or laboratory run already has the name."""
    if name in taken:
        resume = named_command("resume", name)
        raise UsageError(f"{what} `{name}` exists: choose another --name, or {resume}")
