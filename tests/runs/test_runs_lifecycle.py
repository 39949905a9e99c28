"""Events, studies and laboratory runs share one lifecycle, shown with a run that does nothing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from db.errors import DatabaseError, EventLocked
from db.records.events import EventPlayerRecord, EventRecord
from db.records.laboratory import LabRunRecord
from db.records.runs import RunRecord, RunStatus
from db.records.studies import StudyRecord
from db.repository import Repository
from db.session import Database
from engines.variant import parse_variant
from toolkit.base.errors import EngineProblem, ExitCode, UsageError
from toolkit.base.version import this_program
from toolkit.events.players import record_of
from toolkit.runs.lifecycle import (
    RunOutcome,
    check_core,
    check_new,
    continue_run,
    free_name,
    last_jobs,
    lock_of,
    resume_command,
    shown_status,
    title_of,
    unfinished,
)
from toolkit.runs.stopping import StopRequest


class ToyRun:
    """A run that works as it is told to, and notes what is asked of it."""

    def __init__(self, db: Database, work: Callable[[threading.Event], bool]) -> None:
        self._db = db
        self._work = work
        self.record = db.repository.create_study(replace(STUDY, status="planned"))
        self.seen: list[str] = []

    def prepare(self) -> bool:
        assert lock_of(self._db, self.record).holder() is not None
        self.seen.append(self.status)
        return self.record.status != "done"

    def work(self, stop: threading.Event) -> bool:
        self.seen.append(self.status)
        return self._work(stop)

    @property
    def status(self) -> RunStatus:
        return self._db.repository.study(self.record.id).status


def _raising(error: BaseException) -> Callable[[threading.Event], bool]:
    def work(stop: threading.Event) -> bool:
        raise error

    return work


def test_run_to_its_end(db: Database) -> None:
    run = ToyRun(db, lambda stop: True)
    outcome = continue_run(db, run, StopRequest())
    assert (outcome.status, outcome.problem, outcome.exit_code) == ("done", None, ExitCode.DONE)
    assert (run.seen, run.status) == (["planned", "running"], "done")
    assert lock_of(db, run.record).holder() is None
    run.record, run.seen = db.repository.study(run.record.id), []
    assert continue_run(db, run, StopRequest()).status == "done"
    assert run.seen == ["done", "done"]
    assert db.repository.study(run.record.id).ended_at == run.record.ended_at is not None


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (None, ExitCode.INTERRUPTED),
        (signal.SIGINT, ExitCode.INTERRUPTED),
        (signal.SIGTERM, ExitCode.TERMINATED),
    ],
)
def test_stopped_run(db: Database, number: int | None, code: ExitCode) -> None:
    request = StopRequest()
    request.event.set()
    request.signal = number
    run = ToyRun(db, lambda stop: not stop.is_set())
    outcome = continue_run(db, run, request)
    assert (outcome.status, outcome.signal, outcome.exit_code) == ("interrupted", number, code)
    assert run.status == "interrupted"


def test_stop_after_last_task_is_no_interruption(db: Database) -> None:
    request = StopRequest()
    request.signal = signal.SIGINT
    outcome = continue_run(db, ToyRun(db, lambda stop: True), request)
    assert (outcome.status, outcome.signal) == ("done", None)


def test_engine_problem_fails_run(db: Database) -> None:
    run = ToyRun(db, _raising(EngineProblem("it crashed")))
    outcome = continue_run(db, run, StopRequest())
    assert (outcome.status, outcome.problem) == ("failed", "it crashed")
    assert (outcome.exit_code, run.status) == (ExitCode.ENGINE, "failed")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), DatabaseError("full"), UsageError("no")])
def test_other_errors_are_raised_and_stored(db: Database, error: BaseException) -> None:
    run = ToyRun(db, _raising(error))
    with pytest.raises(type(error)):
        continue_run(db, run, StopRequest())
    assert run.status == "interrupted" and lock_of(db, run.record).holder() is None


def test_run_that_refuses_to_start_keeps_its_status(db: Database) -> None:
    run = ToyRun(db, lambda stop: True)
    run.prepare = lambda: _raising(EngineProblem("another clock"))(threading.Event())  # type: ignore
    with pytest.raises(EngineProblem, match="another clock"):
        continue_run(db, run, StopRequest())
    assert run.status == "planned"


def test_unwritable_status_hides_no_error(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    set_status = Repository.set_status

    def broken(repository: Repository, run: RunRecord, status: RunStatus) -> None:
        if status == "interrupted":
            raise DatabaseError("the disk is gone")
        set_status(repository, run, status)

    monkeypatch.setattr(Repository, "set_status", broken)
    with pytest.raises(UsageError, match="the first error"):
        continue_run(db, ToyRun(db, _raising(UsageError("the first error"))), StopRequest())


def _record(record: type[RunRecord], /, **more: object) -> RunRecord:
    program = this_program()
    common: dict[str, object] = {
        "id": 3,
        "name": "it's",
        "status": "running",
        "settings": {},
        "created_at": "",
        "started_at": None,
        "ended_at": None,
        "version": program.version,
        "backend": program.backend,
        "signature": program.signature,
        "host": program.host,
    }
    return record(**common, **more)  # type: ignore[arg-type]


EVENT = _record(
    EventRecord, key="r3f9", kind="match", seed=1, pairs_planned=1, pairs_done=0, pairs_failed=0
)
STUDY = _record(StudyRecord)
LAB_RUN = _record(LabRunRecord, kind="compare")


@pytest.mark.parametrize(
    ("record", "title", "command"),
    [
        (EVENT, "event r3f9", "mtdf resume r3f9"),
        (STUDY, "study it's", "mtdf resume 'it'\"'\"'s'"),
        (LAB_RUN, "laboratory run it's", "mtdf resume 'it'\"'\"'s'"),
    ],
)
def test_titles_of_runs(record: RunRecord, title: str, command: str) -> None:
    assert (title_of(record), resume_command(record)) == (title, command)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants a lock that is held does not wait."""
    monkeypatch.setattr("db.storage.file_lock.PATIENCE_S", 0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("record", [EVENT, STUDY, LAB_RUN])
def test_run_is_locked_by_one_process(db: Database, record: RunRecord) -> None:
    assert shown_status(db, record) == "interrupted", "nobody goes on with it"
    assert unfinished(db, [record]) == [record]
    with lock_of(db, record):
        assert shown_status(db, record) == "running"
        assert unfinished(db, [record]) == []
        with pytest.raises(EventLocked, match=f"{title_of(record)} in .* is already running"):
            lock_of(db, record).acquire()
        assert len(db.running_events()) == 1
    assert db.running_events() == {}


@pytest.mark.usefixtures("impatient")
def test_study_uses_lock_of_its_event(db: Database) -> None:
    base = parse_variant("mtdf")
    db.repository.add_variants([record_of(base)])
    event = db.repository.create_event(
        replace(EVENT, kind="tuning"), [EventPlayerRecord(0, base.label, base.identity)]
    )
    study = db.repository.create_study(replace(STUDY, event_id=event.id))
    with lock_of(db, study):
        assert lock_of(db, event).holder() is not None
        with pytest.raises(EventLocked, match=f"event {event.key} in .* is already running"):
            lock_of(db, event).acquire()
    assert lock_of(db, event).holder() is None


def test_done_runs_are_not_unfinished(db: Database) -> None:
    done = replace(STUDY, status="done")
    newer = replace(LAB_RUN, created_at="2126-11-01T00:00:00.000Z")
    assert unfinished(db, [STUDY, done, newer]) == [newer, STUDY]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"signature": "0" * 16}, "with a core that played differently"),
        ({"signature": "0" * 16, "backend": "other"}, "on the other backend"),
    ],
)
def test_other_core_does_not_resume(change: dict[str, str], told: str) -> None:
    check_core(EVENT, "chess", "games")
    with pytest.raises(EngineProblem, match=f"event r3f9 was started {told}.*--allow-changed"):
        check_core(replace(EVENT, **change), "chess", "games")  # type: ignore[arg-type]


def test_jobs_of_runs_without_games_are_stored(db: Database) -> None:
    assert last_jobs(db, LAB_RUN) == 1
    assert last_jobs(db, replace(LAB_RUN, settings={"jobs": 3})) == 3


def test_names_of_new_runs() -> None:
    assert free_name("lab", []) == "lab-1"
    assert free_name("lab", ["lab-1", "lab-3"]) == "lab-4"
    with pytest.raises(
        UsageError, match="study `a` exists: choose another --name, or mtdf resume a"
    ):
        check_new("study", "a", ["a"])


def test_outcomes_are_made_by_name() -> None:
    with pytest.raises(TypeError):
        RunOutcome("done")  # type: ignore[misc]
