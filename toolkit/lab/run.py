"""Laboratory runs: every search is stored once, as soon as it is done.

Resuming a run means searching what is missing from the database.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict

from db.records.engines import VariantRecord
from db.records.laboratory import (
    LabEngineRecord,
    LabKind,
    LabPositionRecord,
    LabRunRecord,
    LabSearchRecord,
)
from db.session import Database
from engines.backend import check_backend
from engines.cores import available_cores
from engines.spec import MATE, MATE_BOUND
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.format import count_of
from toolkit.base.version import Provenance, this_program
from toolkit.events.players import record_of
from toolkit.lab.effort import Effort
from toolkit.lab.measuring import SearchTask
from toolkit.lab.plan import LabPlan, judge_of, searched_depths
from toolkit.lab.searches import Searched, search_all, search_pool
from toolkit.runs.jobs import Jobs, at_once, check_jobs
from toolkit.runs.lifecycle import RunOutcome, check_core, check_new, continue_run, free_name
from toolkit.runs.stopping import StopRequest, stop_on_signals

_BLOCK = 10
"""Positions that each engine searches in turn before the next block, so that what slows the machine
down for a while meets all engines. Where times are compared, it is one position, and by turns
another engine begins."""


ON_CLUSTER = "cluster"
"""Key of a run's settings: machines of a cluster made some of its searches."""


@dataclass(frozen=True, slots=True)
class LabProgress:
    """How far a run is."""

    run: LabRunRecord
    done: int
    total: int
    elapsed_s: float
    eta_s: float | None


class LabOutcome(RunOutcome, frozen=True, kw_only=True):
    """How a run ended, for now."""

    run: LabRunRecord
    done: int
    total: int


ProgressCallback = Callable[[LabProgress], None]


def start_lab(
    db: Database,
    plan: LabPlan,
    *,
    name: str = "",
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Store a new run and search until it is done, or until it is stopped: by ``stop``, or, in the
    main thread, by the first Ctrl-C or SIGTERM. Raises UsageError, DatabaseError.
    """
    check_jobs(jobs)
    _check_alone(plan, jobs)
    program = this_program(plan.game)
    taken = db.repository.lab_names()
    name = name or free_name("lab", taken)
    check_new("run", name, taken)
    # Once it is stored it has an outcome, which tells the user how to continue.
    with stop_on_signals(stop) as request:
        variants = {engine.variant.identity: engine.variant for engine in plan.engines}
        record = store_run(
            *(db, plan.kind, name, program, plan.settings(), plan.engine_records()),
            *(plan.positions, list(map(record_of, variants.values()))),
        )
        return LabRun(db, record, plan, jobs, on_progress).run(request)


def store_run(
    db: Database,
    kind: LabKind,
    name: str,
    program: Provenance,
    settings: dict[str, Any],
    engines: Sequence[LabEngineRecord],
    positions: Sequence[LabPositionRecord],
    variants: Sequence[VariantRecord],
) -> LabRunRecord:
    """A new run with its engines and positions, planned and not begun. Raises DatabaseError."""
    return db.repository.create_lab_run(
        LabRunRecord(
            id=0,
            name=name,
            kind=kind,
            status="planned",
            settings=settings,
            created_at="",
            started_at=None,
            ended_at=None,
            version=program.version,
            backend=program.backend,
            signature=program.signature,
            host=program.host,
        ),
        engines,
        positions,
        variants,
    )


def resume_lab(
    db: Database,
    run: LabRunRecord | str,
    *,
    jobs: Jobs = 1,
    allow_changed: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Continue a stored run, given as a record, by name or as ``last``. A complete run is left as
    it is.

    ``allow_changed``: go on although this program's core searches differently from the one that the
    run began with. Raises EngineProblem for such a core without it, VariantError for an engine that
    this backend cannot play, DatabaseError for a run that
    another process has.
    """
    check_jobs(jobs)
    record = db.repository.find_lab_run(run) if isinstance(run, str) else run
    plan = stored_plan(db, record)
    done = len(db.repository.lab_searches(record.id)) == plan.searches
    if record.status == "done" and done:
        return LabOutcome(run=record, status="done", done=plan.searches, total=plan.searches)
    _check_alone(plan, jobs)
    if plan.cores not in (None, available_cores()):
        raise UsageError(
            f"run {record.name} began on a machine with {count_of(plan.cores or 0, 'core')}, and "
            f"this one has {available_cores()}: times would not be comparable; continue it there, "
            "or start it again here"
        )
    if not allow_changed:
        check_core(record, plan.game, "searches")
    for one in plan.engines:
        check_backend(one.variant)
    with stop_on_signals(stop) as request:
        return LabRun(db, record, plan, jobs, on_progress).run(request)


def _check_alone(plan: LabPlan, jobs: Jobs) -> None:
    """Raise UsageError if several searches at a time would spoil the times of a run."""
    if plan.cores is not None and jobs != 1:
        raise UsageError(
            "thread counts are compared one search at a time on this machine: leave out --jobs"
        )


def cores_of(run: LabRunRecord) -> tuple[str, ...]:
    """What searched for a run, as ``backend:signature``: one core, unless it was continued by
    another one that was allowed to."""
    return tuple(run.settings.get("cores", (f"{run.backend}:{run.signature}",)))


def stored_plan(db: Database, record: LabRunRecord) -> LabPlan:
    """The plan of a stored run. Raises DatabaseError, and EngineProblem for an engine that this
    program does not know."""
    repository = db.repository
    engines = repository.lab_engines(record.id)
    variants = [repository.variant(one.variant_id) for one in engines]
    positions = repository.lab_positions(record.id)
    try:
        return LabPlan.recalled(record, engines, variants, positions)
    except EngineProblem as error:
        raise EngineProblem(f"laboratory run {record.name}: {error}") from error


class SearchRun(ABC):
    """One run of ``total`` searches by the process that holds its lock."""

    def __init__(
        self,
        db: Database,
        record: LabRunRecord,
        jobs: Jobs,
        on_progress: ProgressCallback | None,
        *,
        game: str,
        total: int,
    ) -> None:
        self._db = db
        self.record = record
        self._game = game
        self._total = total
        self._jobs = jobs
        self._on_progress = on_progress
        self._stored: set[tuple[int, int]] = set()
        self._before = 0
        self._waiting: list[LabSearchRecord] = []
        self._begin_s = time.monotonic()

    def run(self, request: StopRequest) -> LabOutcome:
        """Search what is missing, as :func:`toolkit.runs.lifecycle.continue_run` says."""
        outcome = continue_run(self._db, self, request)
        return LabOutcome(
            status=outcome.status,
            signal=outcome.signal,
            problem=outcome.problem,
            run=self._db.repository.lab_run(self.record.id),
            done=len(self._stored),
            total=self._total,
        )

    def prepare(self) -> bool:
        """Find out which searches are stored."""
        self._stored = self._db.repository.lab_searched(self.record.id)
        self._before = len(self._stored)
        return self._before < self._total

    def work(self, stop: threading.Event) -> bool:
        """Search what is missing."""
        cluster = {} if isinstance(self._jobs, int) else {ON_CLUSTER: True}
        self._note(jobs=at_once(self._jobs), **cluster)
        self._show()
        try:
            self._search(stop)
        finally:
            self._store()
        return len(self._db.repository.lab_searched(self.record.id)) == self._total

    def _note(self, **settings: Any) -> None:
        """Add to the run's settings how it was continued."""
        self._db.repository.note(self.record, **settings)
        self.record = self._db.repository.lab_run(self.record.id)

    @abstractmethod
    def _search(self, stop: threading.Event) -> None:
        """Make the missing searches until they are done or ``stop`` is set; each goes to
        ``_waiting``, and :meth:`_store` stores them. Raises EngineProblem."""

    def _store(self) -> None:
        if self._waiting:
            self._note_core(this_program(self._game).core)
            self._db.repository.add_lab_searches(self.record.id, self._waiting)
            self._stored |= {(one.engine, one.position) for one in self._waiting}
            self._waiting = []
            self._show()

    def _note_core(self, core: str) -> None:
        """Add a core to those that searched. A core that stored no search is not one of them."""
        before = cores_of(self.record) if self._stored else ()
        cores = before if core in before else (*before, core)
        if cores != cores_of(self.record):
            self._note(cores=list(cores))

    def _show(self) -> None:
        if self._on_progress is None:
            return
        elapsed = time.monotonic() - self._begin_s
        fresh, left = len(self._stored) - self._before, self._total - len(self._stored)
        eta = elapsed / fresh * left if fresh else None
        done = len(self._stored)
        self._on_progress(LabProgress(self.record, done, self._total, elapsed, eta))


class LabRun(SearchRun):
    """One run of exact searches."""

    def __init__(
        self,
        db: Database,
        record: LabRunRecord,
        plan: LabPlan,
        jobs: Jobs,
        on_progress: ProgressCallback | None,
    ) -> None:
        super().__init__(db, record, jobs, on_progress, game=plan.game, total=plan.searches)
        self._plan = plan

    def _search(self, stop: threading.Event) -> None:
        """Make the missing searches until they are done or ``stop`` is set. Searches whose first
        guess depends on a value come last. Raises EngineProblem."""
        with search_pool(self._jobs, game=self._game) as pool:
            for shifted in (False, True):
                for done in search_all(self._tasks(shifted), pool, stop):
                    for searched in done:
                        self._take(searched)
                    self._store()

    def _tasks(self, shifted: bool) -> Iterator[SearchTask]:
        """The missing searches with a given first guess, or all the others."""
        plan, depth = self._plan, self._plan.depths[-1]
        values = self._true_values() if shifted else {}
        count, is_timed = len(plan.positions), plan.cores is not None
        block = 1 if is_timed else _BLOCK
        for begin in range(0, count, block):
            for turn in range(len(plan.engines)):
                number = (turn + begin * is_timed) % len(plan.engines)
                engine = plan.engines[number]
                if (engine.shift is not None) != shifted:
                    continue
                for place in range(begin, min(begin + block, count)):
                    if (number, place) in self._stored:
                        continue
                    guess = None
                    if engine.shift is not None:
                        # Beside a mate the shifted guess would be no value any more.
                        shifted_guess = values[engine.baseline, place] + engine.shift
                        guess = min(max(shifted_guess, -MATE), MATE)
                    yield SearchTask(
                        number=number * count + place,
                        variants=(engine.variant,),
                        fen=plan.positions[place].fen,
                        depth=depth,
                        first_guess=guess,
                        judge=judge_of(plan.engines[engine.baseline].variant),
                        exact=plan.mode == "exact",
                    )

    def _true_values(self) -> dict[tuple[int, int], int]:
        """What the stored searches found, by engine and position."""
        found = self._db.repository.lab_searches(self.record.id)
        return {(one.engine, one.position): one.value for one in found}

    def _take(self, searched: Searched) -> None:
        engine, place = divmod(searched.task.number, len(self._plan.positions))
        (effort,) = searched.result
        self._check_whole(searched.task, effort)
        self._waiting.append(search_record(engine, place, effort))

    def _check_whole(self, task: SearchTask, effort: Effort) -> None:
        """Raises EngineProblem for a search that did not reach its depth. A selective search ends
        at a mate that no greater depth changes."""
        depths = [one.depth for one in effort.iterations]
        expected = searched_depths(task.variants[0], task.depth)
        mated = not task.exact and depths and abs(effort.value) > MATE_BOUND
        if depths != (expected[: len(depths)] if mated else expected):
            reached = depths[-1] if depths else 0
            raise EngineProblem(
                f"{task.variants[0].label} ended at depth {reached} of {task.depth} in {task.fen}"
            )


def search_record(engine: int, place: int, effort: Effort) -> LabSearchRecord:
    """What is stored of a search."""
    last = effort.iterations[-1]
    return LabSearchRecord(
        engine=engine,
        position=place,
        depth=last.depth,
        move=last.move,
        **asdict(effort) | {"iterations": [one.to_json() for one in effort.iterations]},
    )
