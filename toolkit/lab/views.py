"""Stored runs as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from db.records.laboratory import LabEngineRecord, LabRunRecord
from db.session import Database
from engines.spec import MATE, Pass
from toolkit.base.errors import NothingMatched
from toolkit.base.format import format_core
from toolkit.lab.cost import iterations_of
from toolkit.lab.effort import IterationCost
from toolkit.lab.notes import answers_of, disturbed, notes_of, table_of
from toolkit.lab.plan import LabPlan, listed_name, rebased, stored_settings
from toolkit.lab.run import ON_CLUSTER, cores_of, stored_plan
from toolkit.lab.summary import LabDisagreement, LabRow, summarise
from toolkit.runs.lifecycle import found_run, run_fields, shown_status


class LabRunRow(Struct, frozen=True):
    """One laboratory run."""

    name: Annotated[str, "name for `show`"]
    kind: Annotated[str, "`compare`, `sweep`, `parallel` or `suite`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    suite: Annotated[str, "name of the suite of positions"]
    positions: Annotated[int, "positions of the run"]
    depths: Annotated[list[int], "compared depths; none in a suite"]
    engines: Annotated[
        list[str], "labels, including baselines; with the distance if first guesses are given"
    ]
    searches_done: Annotated[int, "stored searches"]
    searches_planned: Annotated[int, "planned searches"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend when it was started: `native` or `reference`"]
    signature: Annotated[str, "core signature when it was started"]
    version: Annotated[str, "version of mtdf that started it"]
    note: Annotated[str, "note of `annotate`; empty if there is none"]
    mode: Annotated[str, "`exact`, or `selective` for runs that prune"]


class LabReport(LabRunRow, frozen=True):
    """A run with its results."""

    baseline: Annotated[str | None, "label of the baseline; null if there are several"]
    baseline_table: Annotated[
        str | None,
        "table size of the baseline, such as `16 MB`, `4096 entries` or `none`; null if there are "
        "several",
    ]
    measure: Annotated[
        str, "`cumulative`: all iterations up to the depth; `last`: only the iteration of the depth"
    ]
    values_agree: Annotated[
        bool, "whether every search agrees with its baseline; also true if none was compared"
    ]
    values_compared: Annotated[
        int, "number of compared searches over all depths, without those of baselines"
    ]
    disagreements: Annotated[list[LabDisagreement], "searches that disagree, at most 100"]
    answers: Annotated[
        list[str],
        "sweep over threads: whether engines gain more than the first one, and pay more",
    ]
    notes: Annotated[list[str], "remarks needed to interpret the numbers; usually empty"]
    rows: Annotated[list[LabRow], "one row per engine and depth"]


class LabSearchRow(IterationCost, frozen=True):
    """One iteration of a stored search."""

    engine: Annotated[str, "label"]
    parameter: Annotated[str | None, "parameter that a sweep varies; null for a baseline"]
    parameter_value: Annotated[str | None, "value of that parameter"]
    position: Annotated[str, "label of the position in the suite"]
    fen: Annotated[str, "the position"]
    passes: Annotated[
        list[Any],
        "one array per pass: alpha, beta (null if open), value, nodes, and the root move if only "
        "one was searched",
    ]
    engine_id: Annotated[str, "identity of the variant"]


def find_run(db: Database, text: str) -> LabRunRecord:
    """The run with a name or a unique prefix of one, or ``last``. Raises NothingMatched."""
    return found_run(db.repository.find_lab_run, text, "mtdf lab list")


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list of all."""

    row: LabRunRow
    engines: list[LabEngineRecord]


def list_runs(db: Database) -> list[ListedRun]:
    """All runs, oldest first; searches are not read. Raises NothingMatched if there are none."""
    done = db.repository.count_lab_searches()
    runs: list[ListedRun] = []
    records = db.repository.lab_runs()
    if not records:
        raise NothingMatched("there is no laboratory run yet (mtdf lab compare --help)")
    for record in records:
        stored = db.repository.lab_engines(record.id)
        names = [listed_name(one.label, one.parameter, one.value) for one in stored]
        positions = len(db.repository.lab_positions(record.id))
        row = run_row(db, record, names, positions, done.get(record.id, 0))
        runs.append(ListedRun(row, stored))
    return runs


def run_report(db: Database, record: LabRunRecord, baseline: str | None = None) -> LabReport:
    """One run with its results so far, relative to its own baselines or to another engine of the
    run. Raises EngineProblem, and UsageError for an impossible baseline."""
    stored = stored_plan(db, record)
    plan = stored if baseline is None else rebased(stored, baseline)
    searches = db.repository.lab_searches(record.id)
    summary = summarise(plan, searches)
    bases = {engine.baseline for engine in plan.engines}
    base = next(iter(bases)) if len(bases) == 1 else None
    row = run_row(db, record, plan.names, len(plan.positions), len(searches))
    return LabReport(
        **asdict(row),
        baseline=None if base is None else plan.names[base],
        baseline_table=None if base is None else table_of(plan.engines[base].variant),
        measure="last" if plan.last_only else "cumulative",
        values_agree=summary.values_agree,
        values_compared=summary.compared,
        disagreements=summary.disagreements,
        answers=answers_of(summary.rows) if len(searches) == plan.searches else [],
        notes=[*maker_notes(record), *disturbed(summary.rows), *notes_of(plan, searches)],
        rows=summary.rows,
    )


def maker_notes(record: LabRunRecord) -> list[str]:
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
                **asdict(one) | {"passes": [_told(each) for each in one.passes]},
                engine_id=variant.identity,
            )


def _told(one: Pass) -> list[Any]:
    """A pass in a row."""
    ends = [None if abs(end) > MATE else end for end in (one.alpha, one.beta)]
    return [*ends, one.value, one.nodes, *([one.move] if one.move else [])]


def run_row(
    db: Database, record: LabRunRecord, engines: list[str], positions: int, done: int
) -> LabRunRow:
    kept = stored_settings(record)
    return LabRunRow(
        **run_fields(record),
        kind=record.kind,
        status=shown_status(db, record),
        suite=kept.suite,
        positions=positions,
        depths=list(kept.depths),
        engines=engines,
        searches_done=done,
        searches_planned=len(engines) * positions,
        mode=kept.mode,
    )
