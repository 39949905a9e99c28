"""Runs of the search laboratory, with their engines, positions and searches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from db.errors import DatabaseCorrupt, NotFound, RecordError
from db.events import check_status, status_values
from db.lab import LabEngineRecord, LabKind, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.lab_iterations import read_iterations
from db.lab_searches import SEARCH_COLUMNS, planned, row_problem
from db.lab_soundness import are_settings, own_problem, run_problem, run_rows
from db.models import LabEngine, LabPosition, LabRun, LabSearch, Variant
from db.naming import named_id
from db.records import EventStatus, VariantRecord
from db.times import milliseconds_of, optional_milliseconds_of, optional_text_of, text_of, utc_now
from db.variants import add_variants, provenance_key, variant_keys

_SEARCHED = planned(LabSearch.engine, LabSearch.position).where(
    LabSearch.run_id == bindparam("run")
)
_HINT = "mtdf db check tells all that is damaged"


def create_run(
    connection: Connection,
    run: LabRunRecord,
    engines: Sequence[LabEngineRecord],
    positions: Sequence[LabPositionRecord],
    variants: Sequence[VariantRecord],
) -> int:
    """Store a run and give its id. Raises RecordError."""
    _check_run(connection, run, engines, positions)
    add_variants(connection, variants)
    keys = variant_keys(connection, [engine.variant_id for engine in engines])
    run_id = connection.execute(
        insert(LabRun)
        .values(
            name=run.name,
            kind=run.kind,
            status=run.status,
            settings=dict(run.settings),
            created_ms=milliseconds_of(run.created_at or utc_now()),
            started_ms=optional_milliseconds_of(run.started_at),
            ended_ms=optional_milliseconds_of(run.ended_at),
            provenance_id=provenance_key(
                connection, run.host, run.version, run.backend, run.signature
            ),
        )
        .returning(LabRun.id)
    ).scalar_one()
    connection.execute(
        insert(LabEngine),
        [
            {
                "run_id": run_id,
                "engine": engine.engine,
                "label": engine.label,
                "variant_id": keys[engine.variant_id],
                "baseline": engine.baseline,
                "parameter": engine.parameter,
                "value": engine.value,
            }
            for engine in engines
        ],
    )
    connection.execute(
        insert(LabPosition),
        [{"run_id": run_id, "position": p.position, "label": p.label, "fen": p.fen}
         for p in positions],
    )  # fmt: skip
    return run_id


def all_runs(connection: Connection) -> list[LabRunRecord]:
    """Every run whose row can be read, the oldest first."""
    return [_run(row) for row in connection.execute(run_rows()) if own_problem(row) is None]


def names(connection: Connection) -> list[str]:
    """The name of every run, the oldest first, also of one that cannot be read."""
    return list(connection.execute(select(LabRun.name).order_by(LabRun.id)).scalars())


def get_run(connection: Connection, run_id: int) -> LabRunRecord:
    """The run of that id. Raises NotFound, DatabaseCorrupt."""
    row = _row(connection, run_id)
    problem = own_problem(row)
    if problem is not None:
        raise DatabaseCorrupt(_told(row, problem))
    return _run(row)


def find_run(connection: Connection, text: str) -> LabRunRecord:
    """The run of a name, a unique beginning of a name, or ``last``: the newest. Raises NotFound
    when there is none, or more than one, DatabaseCorrupt."""
    key = named_id(connection, LabRun.id, LabRun.name, text, "laboratory run")
    return get_run(connection, key)


def set_status(connection: Connection, run_id: int, status: EventStatus) -> None:
    """Note that a run has begun or ended, and when. Raises NotFound, RecordError."""
    check_status(status)
    values = status_values(status, LabRun.started_ms)
    changed = connection.execute(update(LabRun).where(LabRun.id == run_id).values(values))
    if changed.rowcount != 1:
        raise NotFound(f"no laboratory run of id {run_id}")


def engines(connection: Connection, run_id: int) -> list[LabEngineRecord]:
    """The engines of a run in their order."""
    query = (
        select(
            *(LabEngine.engine, LabEngine.label, Variant.identity, LabEngine.baseline),
            *(LabEngine.parameter, LabEngine.value),
        )
        .join(Variant, Variant.id == LabEngine.variant_id)
        .where(LabEngine.run_id == run_id)
        .order_by(LabEngine.engine)
    )
    return [LabEngineRecord(*row) for row in connection.execute(query)]


def positions(connection: Connection, run_id: int) -> list[LabPositionRecord]:
    """The positions of a run in their order."""
    query = (
        select(LabPosition.position, LabPosition.label, LabPosition.fen)
        .where(LabPosition.run_id == run_id)
        .order_by(LabPosition.position)
    )
    return [LabPositionRecord(*row) for row in connection.execute(query)]


def add_searches(connection: Connection, run_id: int, some: Sequence[LabSearchRecord]) -> None:
    """Store searches; one that is stored already stays as it is. Raises RecordError."""
    known_engines = {engine.engine for engine in engines(connection, run_id)}
    known_positions = {position.position for position in positions(connection, run_id)}
    stored = searched(connection, run_id)
    rows = []
    for search in some:
        place = (search.engine, search.position)
        if search.engine not in known_engines or search.position not in known_positions:
            raise RecordError(
                f"laboratory run {run_id} has no engine {search.engine} with position "
                f"{search.position}"
            )
        if place not in stored:
            stored.add(place)
            rows.append(_search_values(run_id, search))
    if rows:
        connection.execute(insert(LabSearch), rows)


def searched(connection: Connection, run_id: int) -> set[tuple[int, int]]:
    """(engine, position) of every stored search of a run's plan."""
    return {(row.engine, row.position) for row in connection.execute(_SEARCHED, {"run": run_id})}


def searches(connection: Connection, run_id: int) -> list[LabSearchRecord]:
    """The searches of a run's plan by engine and position. Raises DatabaseCorrupt for one that
    contradicts itself."""
    own = LabSearch
    query = planned(*SEARCH_COLUMNS).where(own.run_id == run_id).order_by(own.engine, own.position)
    rows = connection.execute(query).all()
    problem = next(filter(None, map(row_problem, rows)), None)
    if problem is not None:
        raise DatabaseCorrupt(f"{problem} ({_HINT})")
    return [
        LabSearchRecord(
            engine=row.engine,
            position=row.position,
            depth=row.depth,
            value=row.value,
            move=row.move,
            interior=row.interior,
            leaves=row.leaves,
            quiescence=row.quiescence,
            passes=row.passes,
            cpu_us=row.cpu_us,
            iterations=read_iterations(row.iterations),
            searched_at=text_of(row.searched_ms),
        )
        for row in rows
    ]


def count_searches(connection: Connection) -> dict[int, int]:
    """How many searches of their plans runs have, by id; those without are left out."""
    query = planned(LabSearch.run_id, func.count()).group_by(LabSearch.run_id)
    return {run_id: count for run_id, count in connection.execute(query)}


def check_sound(connection: Connection, run_id: int) -> None:
    """Raise DatabaseCorrupt for a run of which something is missing or makes no sense."""
    row = _row(connection, run_id)
    problem = run_problem(connection, row)
    if problem is not None:
        raise DatabaseCorrupt(_told(row, problem))


def problems(connection: Connection) -> dict[int, str]:
    """What :func:`check_sound` says of the runs that it refuses, by id."""
    found = {}
    for row in connection.execute(run_rows()).all():
        problem = run_problem(connection, row)
        if problem is not None:
            found[row.id] = _told(row, problem)
    return found


def _row(connection: Connection, run_id: int) -> Row[Any]:
    """Raises NotFound."""
    row = connection.execute(run_rows().where(LabRun.id == run_id)).one_or_none()
    if row is None:
        raise NotFound(f"no laboratory run of id {run_id}")
    return row


def _told(row: Row[Any], problem: str) -> str:
    return f"laboratory run {row.name}: {problem} ({_HINT})"


def _check_run(
    connection: Connection,
    run: LabRunRecord,
    engines: Sequence[LabEngineRecord],
    positions: Sequence[LabPositionRecord],
) -> None:
    check_status(run.status)
    if run.kind not in get_args(LabKind):
        raise RecordError(f"`{run.kind}` is no kind of laboratory run")
    if not are_settings(run.settings):
        raise RecordError("the settings of a laboratory run are its suite and ascending depths")
    if not run.name.strip() or run.name == "last":
        raise RecordError(f"`{run.name}` is no name for a laboratory run")
    same = select(LabRun.id).where(LabRun.name == run.name)
    if connection.execute(same).first() is not None:
        raise RecordError(f"there is a laboratory run `{run.name}` already")
    if not engines or not positions:
        raise RecordError("a laboratory run has engines and positions")
    if [e.engine for e in engines] != list(range(len(engines))):
        raise RecordError("the engines of a laboratory run count from 0")
    if [p.position for p in positions] != list(range(len(positions))):
        raise RecordError("the positions of a laboratory run count from 0")
    if any(not 0 <= e.baseline < len(engines) for e in engines):
        raise RecordError("a baseline is not an engine of the run")


def _search_values(run_id: int, search: LabSearchRecord) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "engine": search.engine,
        "position": search.position,
        "depth": search.depth,
        "value": search.value,
        "move": search.move,
        "interior": search.interior,
        "leaves": search.leaves,
        "quiescence": search.quiescence,
        "passes": search.passes,
        "cpu_us": search.cpu_us,
        "iterations": list(search.iterations),
        "searched_ms": milliseconds_of(search.searched_at or utc_now()),
    }


def _run(row: Row[Any]) -> LabRunRecord:
    return LabRunRecord(
        id=row.id,
        name=row.name,
        kind=row.kind,
        status=row.status,
        settings=json.loads(row.settings),
        created_at=text_of(row.created_ms),
        started_at=optional_text_of(row.started_ms),
        ended_at=optional_text_of(row.ended_ms),
        version=row.version,
        backend=row.backend,
        signature=row.signature,
        host=row.host,
    )
