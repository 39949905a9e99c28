"""Views of stored runs as rows of :mod:`toolkit.lab.rows`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from db.errors import NotFound
from db.lab import LabRunRecord
from db.session import Database
from engines.spec import MATE
from toolkit.base.errors import NothingMatched
from toolkit.lab.notes import notes_of, table_of
from toolkit.lab.plan import LabPlan, listed_name
from toolkit.lab.rebase import rebased
from toolkit.lab.rows import LabReport, LabRunRow, LabSearchRow
from toolkit.lab.run import lab_lock, stored_plan
from toolkit.lab.summary import iterations_of, summarise


def find_run(db: Database, text: str) -> LabRunRecord:
    """The run with a name or a unique prefix of one, or ``last``. Raises NothingMatched."""
    try:
        return db.repository.find_lab_run(text)
    except NotFound as error:
        raise NothingMatched(f"{error} (mtdf lab list)") from error


def unfinished_runs(db: Database) -> list[LabRunRecord]:
    """The runs that can be resumed, newest first, without those being searched now. Raises
    NothingMatched if there are none."""
    found = [
        one
        for one in reversed(db.repository.lab_runs())
        if one.status != "done" and lab_lock(db, one).holder() is None
    ]
    if not found:
        raise NothingMatched(f"no unfinished laboratory run in {db.name} (mtdf lab list)")
    return found


def list_runs(db: Database) -> tuple[list[LabRunRow], list[str]]:
    """All runs, oldest first, and the faults of damaged ones; the searches are not read. Raises
    NothingMatched if there are none."""
    done = db.repository.count_lab_searches()
    rows: list[LabRunRow] = []
    problems = db.repository.damaged_lab_runs()
    records = db.repository.lab_runs()
    if not records and not problems:
        raise NothingMatched("there is no laboratory run yet (mtdf lab compare --help)")
    for record in records:
        stored = db.repository.lab_engines(record.id)
        engines = [listed_name(one.label, one.parameter, one.value) for one in stored]
        positions = len(db.repository.lab_positions(record.id))
        rows.append(_run_row(db, record, engines, positions, done.get(record.id, 0)))
    return rows, list(problems.values())


def run_report(db: Database, record: LabRunRecord, baseline: str | None = None) -> LabReport:
    """One run with its results so far, relative to its own baselines or to another engine of the
    run. Raises EngineProblem, and UsageError for an impossible baseline."""
    stored = stored_plan(db, record)
    plan = stored if baseline is None else rebased(stored, baseline)
    searches = db.repository.lab_searches(record.id)
    summary = summarise(plan, searches)
    bases = {engine.baseline for engine in plan.engines}
    base = next(iter(bases)) if len(bases) == 1 else None
    row = _run_row(db, record, plan.names, len(plan.positions), len(searches))
    return LabReport(
        **row,
        baseline=None if base is None else plan.names[base],
        baseline_table=None if base is None else table_of(plan.engines[base].variant),
        measure="last" if plan.last_only else "cumulative",
        values_agree=summary.values_agree,
        values_compared=summary.compared,
        disagreements=summary.disagreements,
        notes=notes_of(plan, searches),
        rows=summary.rows,
    )


def search_rows(db: Database, record: LabRunRecord) -> Iterator[LabSearchRow]:
    """Every iteration of every stored search of a run. Raises EngineProblem."""
    plan: LabPlan = stored_plan(db, record)
    for search in db.repository.lab_searches(record.id):
        engine = plan.engines[search.engine]
        variant = engine.variant
        position = plan.positions[search.position]
        for one in iterations_of(search):
            yield LabSearchRow(
                engine=variant.label,
                parameter=engine.parameter,
                parameter_value=engine.value,
                position=position.label,
                fen=position.fen,
                depth=one.depth,
                value=one.value,
                move=one.move,
                move_value=one.move_value,
                first_guess=one.first_guess,
                interior=one.interior,
                leaves=one.leaves,
                quiescence=one.quiescence,
                probes=one.probes,
                hits=one.hits,
                cutoffs=one.cutoffs,
                cpu_us=one.cpu_us,
                passes=[_told(data) for data in one.to_json()[-1]],
                engine_id=variant.identity,
            )


def _told(data: list[Any]) -> list[Any]:
    """A stored pass with null where its window is open."""
    return [*(None if abs(end) > MATE else end for end in data[:2]), *data[2:]]


def _run_row(
    db: Database, record: LabRunRecord, engines: list[str], positions: int, done: int
) -> LabRunRow:
    status = record.status
    if status == "running" and lab_lock(db, record).holder() is None:
        status = "interrupted"  # its process was killed
    return LabRunRow(
        name=record.name,
        kind=record.kind,
        status=status,
        suite=record.settings["suite"],
        positions=positions,
        depths=record.settings["depths"],
        engines=engines,
        searches_done=done,
        searches_planned=len(engines) * positions,
        created_at=record.created_at,
        started_at=record.started_at,
        ended_at=record.ended_at,
        backend=record.backend,
        signature=record.signature,
        version=record.version,
    )
