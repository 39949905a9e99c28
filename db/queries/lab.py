"""Runs of the search laboratory, with their engines, positions and searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Table, bindparam, func, insert, select

from db.errors import RecordError
from db.queries.runs import RunTable
from db.queries.variants import add_variants, variant_keys
from db.records.engines import VariantRecord
from db.records.laboratory import (
    LabEngineRecord,
    LabKind,
    LabPositionRecord,
    LabRunRecord,
    LabSearchRecord,
)
from db.schema.declared import LAB_ENGINE, LAB_POSITION, LAB_RUN, LAB_SEARCH, VARIANT
from db.times import milliseconds_of, utc_now, with_texts

_LATEST = 200
"""Searches that the pace is measured on: older ones say less about the next ones."""
_ASKED_AT_ONCE = 500
"""Positions in one query."""

TABLE = RunTable(LabRunRecord, LAB_RUN, LAB_RUN.c.kind)
_SEARCHED = select(LAB_SEARCH.c.engine, LAB_SEARCH.c.position).where(
    LAB_SEARCH.c.run_id == bindparam("run")
)


def create_run(
    connection: Connection,
    run: LabRunRecord,
    engines: Sequence[LabEngineRecord],
    positions: Sequence[LabPositionRecord],
    variants: Sequence[VariantRecord] = (),
) -> LabRunRecord:
    """Store a run with its engines, their new variants and its positions; returns it with its id.
    Empty ``created_at`` means now. Raises RecordError: its name is taken or invalid, or its engines
    or positions are not numbered from 0."""
    _check_run(run, engines, positions)
    TABLE.check_name(connection, run.name)
    add_variants(connection, variants)
    keys = variant_keys(connection, [engine.variant_id for engine in engines])
    run_id = TABLE.insert(connection, run, kind=run.kind)
    connection.execute(
        insert(LAB_ENGINE),
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
        insert(LAB_POSITION),
        [{"run_id": run_id, "position": p.position, "label": p.label, "fen": p.fen}
         for p in positions],
    )  # fmt: skip
    return TABLE.get(connection, run_id)


def names(connection: Connection) -> list[str]:
    """The name of every run, the oldest first."""
    return list(connection.execute(select(LAB_RUN.c.name).order_by(LAB_RUN.c.id)).scalars())


def engines(connection: Connection, run_id: int) -> list[LabEngineRecord]:
    """The engines of a run in order."""
    query = (
        select(
            *(LAB_ENGINE.c.engine, LAB_ENGINE.c.label, VARIANT.c.identity, LAB_ENGINE.c.baseline),
            *(LAB_ENGINE.c.parameter, LAB_ENGINE.c.value),
        )
        .join(VARIANT, VARIANT.c.id == LAB_ENGINE.c.variant_id)
        .where(LAB_ENGINE.c.run_id == run_id)
        .order_by(LAB_ENGINE.c.engine)
    )
    return [LabEngineRecord(*row) for row in connection.execute(query)]


def positions(connection: Connection, run_id: int) -> list[LabPositionRecord]:
    """The positions of a run in order."""
    query = (
        select(LAB_POSITION.c.position, LAB_POSITION.c.label, LAB_POSITION.c.fen)
        .where(LAB_POSITION.c.run_id == run_id)
        .order_by(LAB_POSITION.c.position)
    )
    return [LabPositionRecord(*row) for row in connection.execute(query)]


def add_searches(connection: Connection, run_id: int, some: Sequence[LabSearchRecord]) -> None:
    """Store searches; a search that is already stored is not changed. Raises RecordError."""
    known_engines = {engine.engine for engine in engines(connection, run_id)}
    by_engine: dict[int, dict[int, LabSearchRecord]] = {}
    for search in some:
        by_engine.setdefault(search.engine, {}).setdefault(search.position, search)
    for engine, searches in by_engine.items():
        places = list(searches)
        for start in range(0, len(places), _ASKED_AT_ONCE):
            part = places[start : start + _ASKED_AT_ONCE]
            strange = set(part) - _positions_among(connection, LAB_POSITION, run_id, part)
            if strange or engine not in known_engines:
                raise RecordError(
                    f"laboratory run {run_id} has no engine {engine} with position "
                    f"{min(strange or part)}"
                )
            _add_searches_of(connection, run_id, engine, [searches[place] for place in part])


def _add_searches_of(
    connection: Connection, run_id: int, engine: int, some: Sequence[LabSearchRecord]
) -> None:
    """Store the new ones among an engine's searches. No query reads the whole run, so the cost of a
    commit does not depend on the length of the run."""
    own, places = LAB_SEARCH.c.engine == engine, [search.position for search in some]
    stored = _positions_among(connection, LAB_SEARCH, run_id, places, own)
    rows = [_search_values(run_id, search) for search in some if search.position not in stored]
    if rows:
        connection.execute(insert(LAB_SEARCH), rows)


def _positions_among(
    connection: Connection,
    table: Table,
    run_id: int,
    places: Sequence[int],
    *conditions: ColumnElement[bool],
) -> set[int]:
    """The positions that occur in the run's rows of a table."""
    query = select(table.c.position).where(table.c.run_id == run_id, table.c.position.in_(places))
    return set(connection.execute(query.where(*conditions)).scalars())


def searched(connection: Connection, run_id: int) -> set[tuple[int, int]]:
    """(engine, position) of every stored search of a run."""
    return {(row.engine, row.position) for row in connection.execute(_SEARCHED, {"run": run_id})}


def searches(connection: Connection, run_id: int) -> list[LabSearchRecord]:
    """The searches of a run by engine and position."""
    own = LAB_SEARCH.c
    query = (
        select(
            *(own.engine, own.position, own.depth, own.value, own.move, own.interior, own.leaves),
            *(own.quiescence, own.passes, own.cpu_us, own.iterations, own.searched_ms),
        )
        .where(own.run_id == run_id)
        .order_by(own.engine, own.position)
    )
    return [LabSearchRecord(**with_texts(row._asdict())) for row in connection.execute(query)]


def count_searches(connection: Connection) -> dict[int, int]:
    """Number of searches by id of the run; runs without searches are omitted."""
    query = select(LAB_SEARCH.c.run_id, func.count()).group_by(LAB_SEARCH.c.run_id)
    return {run_id: count for run_id, count in connection.execute(query)}


def pace(connection: Connection, run_id: int) -> float | None:
    """Seconds from one of the latest searches of a run to the next; None of fewer than two."""
    own = LAB_SEARCH.c
    latest = select(own.searched_ms).where(own.run_id == run_id).order_by(own.searched_ms.desc())
    times = list(connection.execute(latest.limit(_LATEST)).scalars())
    return (times[0] - times[-1]) / 1000 / (len(times) - 1) if len(times) > 1 else None


def _check_run(
    run: LabRunRecord,
    engines: Sequence[LabEngineRecord],
    positions: Sequence[LabPositionRecord],
) -> None:
    if run.kind not in get_args(LabKind):
        raise RecordError(f"`{run.kind}` is not a kind of laboratory run")
    if not _are_settings(run.settings, has_depths=run.kind != "suite"):
        raise RecordError("the settings of a laboratory run must be its suite and ascending depths")
    if not engines or not positions:
        raise RecordError("a laboratory run needs engines and positions")
    if [e.engine for e in engines] != list(range(len(engines))):
        raise RecordError("the engines of a laboratory run must be numbered from 0")
    if [p.position for p in positions] != list(range(len(positions))):
        raise RecordError("the positions of a laboratory run must be numbered from 0")
    if any(not 0 <= e.baseline < len(engines) for e in engines):
        raise RecordError("a baseline is not an engine of the run")


def _are_settings(data: Mapping[str, Any], *, has_depths: bool) -> bool:
    """Whether they name a suite, its identity, and ascending depths if the run has any."""
    depths = data.get("depths")
    if not isinstance(depths, list) or bool(depths) != has_depths:
        return False
    if not all(type(one) is int and one > 0 for one in depths) or depths != sorted(set(depths)):
        return False
    return all(isinstance(data.get(name), str) for name in ("suite", "suite_id"))


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
