"""What every stored run goes through, be it an event, a study or a run of the laboratory.

One process at a time continues a run, by the core that began it, until nothing is missing, it is
asked to stop, or nothing works. Whatever happens, the run's status says it, and nothing that was
stored is lost: what is missing is what the next process does.
"""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from db.errors import DatabaseError, NotFound
from db.records import EventRecord, RunRecord, RunStatus, StudyRecord
from db.session import Database
from db.storage.lock import RunLock
from toolkit.base.errors import EngineProblem, ExitCode, NothingMatched, UsageError
from toolkit.base.version import this_program
from toolkit.runs.stopping import StopRequest

_Record = TypeVar("_Record", bound=RunRecord)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
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
    """A stored run, as the process sees it that continues it."""

    @property
    def record(self) -> RunRecord:
        """The run as it was stored when this process began to continue it."""

    def prepare(self) -> None:
        """Find out what is missing, once this process has the run. May raise to refuse; then the
        status stays as it was."""

    def work(self, stop: threading.Event) -> bool:
        """Do and store what is missing until ``stop`` is set; whether nothing is missing any more.

        Raises EngineProblem where nothing can be done, DatabaseError.
        """


def continue_run(db: Database, run: Run, request: StopRequest) -> RunOutcome:
    """Continue a run until it is done, stopped or failed.

    Raises DatabaseError where another process has the run, and what the run raises, except an
    EngineProblem while it works: then it failed.
    """
    record = run.record
    with lock_of(db, record):
        run.prepare()
        db.repository.set_status(record, "running")
        problem = None
        try:
            try:
                done = run.work(request.event)
            except EngineProblem as error:
                done, problem = False, str(error)
            status: Literal["done", "interrupted", "failed"] = "done" if done else "interrupted"
            status = status if problem is None else "failed"
            db.repository.set_status(record, status)
        except BaseException:
            # The database itself may have failed; resume uses what is missing, not the status.
            with suppress(DatabaseError):
                db.repository.set_status(record, "interrupted")
            raise
    stopped_by = request.signal if status == "interrupted" else None
    return RunOutcome(status=status, signal=stopped_by, problem=problem)


def check_core(record: RunRecord, parts: str) -> None:
    """Raises EngineProblem where this program plays differently from the one that began a run,
    which consists of ``parts`` such as ``games``."""
    program = this_program()
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
    """What messages call a run: ``event r3f9``, ``study lmr``, ``laboratory run lab-1``."""
    return f"{record.what} {record.key if isinstance(record, EventRecord) else record.name}"


def resume_command(record: RunRecord) -> str:
    """The command that continues a run."""
    if isinstance(record, EventRecord):
        return f"mtdf resume {record.key}"
    return named_command(
        "tune" if isinstance(record, StudyRecord) else "lab", "resume", record.name
    )


def named_command(group: Literal["tune", "lab"], verb: str, name: str) -> str:
    """A command on a study or laboratory run, such as ``mtdf tune show lmr``, as a shell takes
    it."""
    return f"mtdf {group} {verb} {shlex.quote(name)}"


def lock_of(db: Database, record: RunRecord) -> RunLock:
    """The right to continue a run, which one process at a time has; a study has that of the event
    that has its games."""
    if isinstance(record, StudyRecord) and record.event_id is not None:
        record = db.repository.event(record.event_id)
    if isinstance(record, EventRecord):
        return db.run_lock(record.key)
    key = "study" if isinstance(record, StudyRecord) else "lab"
    return db.run_lock(f"{key}{record.id}", title_of(record))


def shown_status(db: Database, record: RunRecord) -> RunStatus:
    """The status of a run. A process that was killed leaves ``running`` behind; the lock that died
    with it knows better."""
    if record.status == "running" and lock_of(db, record).holder() is None:
        return "interrupted"
    return record.status


def found_run(find: Callable[[str], _Record], text: str, listing: str) -> _Record:
    """The run that ``text`` means; the command ``listing`` has all. Raises NothingMatched."""
    try:
        return find(text)
    except NotFound as error:
        raise NothingMatched(f"{error} ({listing})") from error


def unfinished(db: Database, records: Sequence[_Record], kind: str, listing: str) -> list[_Record]:
    """Those of the runs that can be resumed, the newest first; not those that a process goes on
    with. Raises NothingMatched when there is none of the ``kind``; the command ``listing`` has
    all."""
    found = [
        record
        for record in reversed(records)
        if record.status != "done" and lock_of(db, record).holder() is None
    ]
    if not found:
        raise NothingMatched(f"no unfinished {kind} in {db.name} ({listing})")
    return found


def last_jobs(db: Database, record: RunRecord) -> int:
    """With how many worker processes a run was begun or continued the last time."""
    event_id = record.event_id if isinstance(record, StudyRecord) else None
    if isinstance(record, EventRecord):
        event_id = record.id
    if event_id is not None:
        return db.repository.last_jobs(event_id) or 1
    jobs = record.settings.get("jobs", 1)
    return jobs if isinstance(jobs, int) else 1


def free_name(stem: str, taken: Iterable[str]) -> str:
    """A name for a new run that no other one has: the stem with a number."""
    names = set(taken)
    number = len(names) + 1
    while f"{stem}-{number}" in names:
        number += 1
    return f"{stem}-{number}"


def check_new(what: Literal["study", "run"], name: str, taken: Iterable[str]) -> None:
    """Raises UsageError where a study or laboratory run has the name already."""
    if name in taken:
        resume = named_command("tune" if what == "study" else "lab", "resume", name)
        raise UsageError(f"{what} `{name}` exists: choose another --name, or {resume}")
