"""Runs of suites: every search is stored once, as soon as it is done, as of a laboratory run."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from db.records.laboratory import (
    LabEngineRecord,
    LabPositionRecord,
    LabRunRecord,
    LabSearchRecord,
)
from db.session import Database
from engines.backend import check_backend
from engines.external.identify import build_all, side_by_side
from engines.limit import Limit
from engines.spec import Engine, UciEngine
from toolkit.base.errors import DatabaseProblem, EngineProblem, UsageError
from toolkit.base.stored import stored
from toolkit.base.version import this_program
from toolkit.events.changed_engines import as_it_is_now
from toolkit.events.players import Contender, record_of
from toolkit.lab.run import LabOutcome, ProgressCallback, SearchRun, store_run
from toolkit.lab.searches import search_all
from toolkit.runs.jobs import Jobs, check_jobs
from toolkit.runs.lifecycle import check_core, check_new, free_name
from toolkit.runs.stopping import stop_on_signals
from toolkit.suites.positions import Answer, AnsweredSuite
from toolkit.suites.scoring import Step
from toolkit.suites.searching import SuiteSearch, SuiteTask, suite_pool

_BLOCK = 4
"""Positions that each engine searches in turn before the next ones."""


class SuitePlan(Struct, frozen=True):
    """What a run searches, as its settings store it; positions have a table."""

    suite: str
    suite_id: str
    game: str
    limit: Limit | None
    """None where each engine has its own."""
    contenders: tuple[Contender, ...]
    answers: tuple[Answer, ...]
    """By position."""

    @property
    def limits(self) -> list[Limit]:
        """By engine."""
        found = [one.limit or self.limit for one in self.contenders]
        return [one for one in found if one is not None]

    def settings(self) -> dict[str, Any]:
        """As a laboratory run stores them."""
        told: dict[str, Any] = to_builtins(self)
        return told | {"depths": [], "mode": "selective"}


def suite_plan(
    suite: AnsweredSuite, contenders: Sequence[Contender], limit: Limit | None
) -> SuitePlan:
    """A plan. Raises UsageError for engines that are alike, of another game, or without a limit."""
    labels = [one.label for one in contenders]
    for one in contenders:
        if one.engine.game != suite.game:
            raise UsageError(
                f"engine {one.label} plays {one.engine.game}, and {suite.name} is of {suite.game}"
            )
        if labels.count(one.label) > 1:
            raise UsageError(f"two engines are called {one.label}: give them names with name=")
        check_backend(one.engine)
        own = one.limit or limit
        if own is None:
            Limit().checked()
        elif own.cpu_ms is not None and isinstance(one.engine, UciEngine):
            raise UsageError(f"engine {one.label}: an external engine cannot keep --cpu-ms")
    answers = tuple(one.answer for one in suite.positions)
    return SuitePlan(suite.name, suite.identity, suite.game, limit, tuple(contenders), answers)


def stored_suite(run: LabRunRecord) -> SuitePlan:
    """The plan of a stored run. Raises DatabaseProblem."""
    plan = stored(SuitePlan, run.settings, f"settings of laboratory run {run.name}")
    if len(plan.limits) != len(plan.contenders) or not plan.contenders:
        raise DatabaseProblem(f"settings of laboratory run {run.name} are damaged: no limit")
    return plan


def start_suite(
    db: Database,
    plan: SuitePlan,
    suite: AnsweredSuite,
    *,
    name: str = "",
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Store a new run and search until it is done or stopped, as
    :func:`toolkit.lab.run.start_lab`. Raises UsageError, DatabaseError."""
    check_jobs(jobs)
    taken = db.repository.lab_names()
    name = name or free_name("suite", taken)
    check_new("run", name, taken)
    positions = tuple(
        LabPositionRecord(number, one.label, one.fen) for number, one in enumerate(suite.positions)
    )
    engines = [
        LabEngineRecord(engine=number, label=one.label, variant_id=one.id, baseline=0)
        for number, one in enumerate(plan.contenders)
    ]
    variants = {one.id: record_of(one.engine) for one in plan.contenders}
    with stop_on_signals(stop) as request:
        record = store_run(
            *(db, "suite", name, this_program(plan.game), plan.settings(), engines, positions),
            list(variants.values()),
        )
        return _SuiteRun(db, record, plan, positions, jobs, on_progress).run(request)


def resume_suite(
    db: Database,
    record: LabRunRecord,
    *,
    jobs: Jobs = 1,
    allow_changed: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Continue a stored run; a complete one is left as it is. Raises EngineProblem for a core or
    an engine that changed, unless ``allow_changed``, DatabaseError."""
    check_jobs(jobs)
    plan, positions = stored_suite(record), db.repository.lab_positions(record.id)
    total = len(plan.contenders) * len(positions)
    if record.status == "done" and len(db.repository.lab_searched(record.id)) == total:
        return LabOutcome(run=record, status="done", done=total, total=total)
    if not allow_changed:
        check_core(record, plan.game, "searches")
    plan = replace(plan, contenders=_present(plan.contenders, allow_changed))
    with stop_on_signals(stop) as request:
        return _SuiteRun(db, record, plan, positions, jobs, on_progress).run(request)


def _present(contenders: Sequence[Contender], allow_changed: bool) -> tuple[Contender, ...]:
    """The engines as they are now. Raises EngineProblem for one that changed, EngineFailure for
    one that cannot be built."""
    external = [one.engine for one in contenders if isinstance(one.engine, UciEngine)]
    build_all(external)
    now = dict(
        zip((one.label for one in external), side_by_side(as_it_is_now, external), strict=True)
    )
    found = []
    for one in contenders:
        engine: Engine = now.get(one.label) or one.playable()
        if engine.identity != one.id and not allow_changed:
            raise EngineProblem(
                f"engine `{one.label}` changed since the run started: its searches would come from "
                "two programs; start over, or continue with --allow-changed"
            )
        check_backend(engine)
        found.append(replace(one, engine=engine))
    return tuple(found)


class _SuiteRun(SearchRun):
    """One run of a suite."""

    def __init__(
        self,
        db: Database,
        record: LabRunRecord,
        plan: SuitePlan,
        positions: Sequence[LabPositionRecord],
        jobs: Jobs,
        on_progress: ProgressCallback | None,
    ) -> None:
        total = len(plan.contenders) * len(positions)
        super().__init__(db, record, jobs, on_progress, game=plan.game, total=total)
        self._plan, self._positions = plan, positions

    def _search(self, stop: threading.Event) -> None:
        """Make the missing searches. Raises EngineProblem."""
        sweeps = any(isinstance(one.engine, UciEngine) for one in self._plan.contenders)
        with suite_pool(self._jobs, game=self._game, sweeps=sweeps) as pool:
            for done in search_all(self._tasks(), pool, stop):
                self._waiting += [search_record(one.task, one.result) for one in done]
                self._store()

    def _tasks(self) -> Iterator[SuiteTask]:
        """The missing searches, the engines in turn."""
        count = len(self._positions)
        for begin in range(0, count, _BLOCK):
            for number, one in enumerate(self._plan.contenders):
                limit = self._plan.limits[number]
                for place in range(begin, min(begin + _BLOCK, count)):
                    if (number, place) not in self._stored:
                        fen = self._positions[place].fen
                        yield SuiteTask(number, place, one.engine, limit, fen)


def search_record(task: SuiteTask, found: SuiteSearch) -> LabSearchRecord:
    """What is stored of a search: of each report what was added since the last one, so that sums
    over iterations are those of the search."""
    iterations, nodes, wall_us = [], 0, 0
    for one in found.steps:
        added = {"interior": max(one.nodes - nodes, 0), "wall_us": max(one.wall_us - wall_us, 0)}
        told = {"depth": one.depth, "value": one.value, "move": one.move}
        iterations.append(told | added | {"leaves": 0, "quiescence": 0})
        nodes, wall_us = max(nodes, one.nodes), max(wall_us, one.wall_us)
    last = found.steps[-1]
    return LabSearchRecord(
        engine=task.engine,
        position=task.position,
        depth=last.depth,
        value=last.value or 0,
        move=last.move,
        interior=nodes,
        leaves=0,
        quiescence=0,
        passes=found.passes,
        cpu_us=found.cpu_us,
        iterations=iterations,
    )


class _Stored(Struct, frozen=True):
    """An iteration as it is stored."""

    depth: int
    value: int | None
    move: str
    interior: int
    wall_us: int


def steps_of(search: LabSearchRecord) -> list[Step]:
    """The inverse of :func:`search_record`. Raises DatabaseProblem."""
    what = f"iterations of position {search.position}"
    steps, nodes, wall_us = [], 0, 0
    for one in stored(tuple[_Stored, ...], list(search.iterations), what):
        nodes, wall_us = nodes + one.interior, wall_us + one.wall_us
        steps.append(Step(one.depth, one.value, one.move, nodes, wall_us))
    if not steps:
        raise DatabaseProblem(f"{what} are missing")
    return steps
