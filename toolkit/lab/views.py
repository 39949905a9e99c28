"""Views of stored runs as rows of :mod:`toolkit.lab.rows`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from db.records import LabEngineRecord, LabRunRecord
from db.session import Database
from engines.spec import MATE
from toolkit.base.errors import NothingMatched
from toolkit.base.format import format_core
from toolkit.lab.cost import iterations_of
from toolkit.lab.notes import notes_of, table_of
from toolkit.lab.parallel import answers_of, disturbed
from toolkit.lab.plan import LabPlan, listed_name
from toolkit.lab.rebase import rebased
from toolkit.lab.rows import LabReport, LabRunRow, LabSearchRow
from toolkit.lab.run import ON_CLUSTER, cores_of, stored_plan
from toolkit.lab.summary import summarise
from toolkit.runs.lifecycle import found_run, shown_status, unfinished


def find_run(db: Database, text: str) -> LabRunRecord:
    """The run with a name or a unique prefix of one, or ``last``. Raises NothingMatched."""
    return found_run(db.repository.find_lab_run, text, "mtdf lab list")


def unfinished_runs(db: Database) -> list[LabRunRecord]:
    """The runs that can be resumed, newest first, without those being searched now. Raises
    NothingMatched if there are none."""
    return unfinished(db, db.repository.lab_runs(), "laboratory run", "mtdf lab list")


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list of all."""

    row: LabRunRow
    engines: list[LabEngineRecord]


def list_runs(db: Database) -> tuple[list[ListedRun], list[str]]:
    """All runs, oldest first, and the faults of damaged ones; the searches are not read. Raises
    NothingMatched if there are none."""
    done = db.repository.count_lab_searches()
    runs: list[ListedRun] = []
    problems = db.repository.damaged_lab_runs()
    records = db.repository.lab_runs()
    if not records and not problems:
        raise NothingMatched("there is no laboratory run yet (mtdf lab compare --help)")
    for record in records:
        stored = db.repository.lab_engines(record.id)
        names = [listed_name(one.label, one.parameter, one.value) for one in stored]
        positions = len(db.repository.lab_positions(record.id))
        row = _run_row(db, record, names, positions, done.get(record.id, 0))
        runs.append(ListedRun(row, stored))
    return runs, list(problems.values())


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
        answers=answers_of(summary.rows) if len(searches) == plan.searches else [],
        notes=[*_maker_notes(record), *disturbed(summary.rows), *notes_of(plan, searches)],
        rows=summary.rows,
    )


def _maker_notes(record: LabRunRecord) -> list[str]:
    """Notes on what searched."""
    cores, notes = cores_of(record), []
    if len(cores) > 1:
        notes.append(
            f"searched by {len(cores)} cores ({', '.join(map(format_core, cores))}): ratios "
            "compare programs as well as engines"
        )
    if record.settings.get(ON_CLUSTER):
        notes.append("searched on a cluster: CPU times compare machines as well as engines")
    return notes


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
                wall_us=one.wall_us,
                passes=[_told(data) for data in one.stored_passes()],
                engine_id=variant.identity,
            )


def _told(data: list[Any]) -> list[Any]:
    """A stored pass with null where its window is open."""
    return [*(None if abs(end) > MATE else end for end in data[:2]), *data[2:]]


def _run_row(
    db: Database, record: LabRunRecord, engines: list[str], positions: int, done: int
) -> LabRunRow:
    return LabRunRow(
        name=record.name,
        kind=record.kind,
        status=shown_status(db, record),
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
        note=record.note,
        mode=record.settings.get("mode", "exact"),
    )
