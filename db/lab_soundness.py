"""Runs of the laboratory that contradict themselves: what is missing of them, and searches whose
iterations are not what they say as a whole.

What is sound is told once: who reads a run is refused by the words that
:func:`lab_contradictions` finds.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from sqlalchemy import Connection, func, select

from db.lab import LabKind
from db.lab_searches import SEARCH_COLUMNS, as_text, planned, row_problem
from db.models import LabEngine, LabPosition, LabRun, LabSearch, Variant
from db.records import EventStatus


def lab_contradictions(connection: Connection, shown: int) -> list[str]:
    """A line for each search whose iterations are not those of the search, and for each run that
    :func:`run_problem` says something of, or that is done without all its searches; of both the
    first ``shown``."""
    return [*_searches(connection)[:shown], *_runs(connection)[:shown]]


def run_problem(connection: Connection, run_id: int) -> str | None:
    """What of a run is missing or makes no sense, but for single searches; None: nothing."""
    settings = as_text(LabRun.settings)
    query = select(LabRun.name, LabRun.kind, LabRun.status, settings).where(LabRun.id == run_id)
    name, kind, status, text = connection.execute(query).one()
    if not _is_text(name):
        return "its name is no text"
    depths = _depths(text)
    if kind not in get_args(LabKind) or status not in get_args(EventStatus):
        return f"its kind `{kind}` or status `{status}` is none"
    if depths is None:
        return "its settings cannot be read"
    return (
        _missing(connection, run_id, LabEngine, LabEngine.engine, LabSearch.engine)
        or _missing(connection, run_id, LabPosition, LabPosition.position, LabSearch.position)
        or _engine_problem(connection, run_id)
        or _depth_problem(connection, run_id, depths[-1])
    )


def _searches(connection: Connection) -> list[str]:
    own = LabSearch
    query = planned(*SEARCH_COLUMNS).order_by(own.run_id, own.engine, own.position)
    problems = map(row_problem, connection.execute(query))
    return [problem for problem in problems if problem is not None]


def _runs(connection: Connection) -> list[str]:
    found = []
    query = select(LabRun.id, LabRun.name, LabRun.status).order_by(LabRun.id)
    for run_id, name, status in connection.execute(query).all():
        problem = run_problem(connection, run_id)
        if problem is None and status == "done" and not _is_whole(connection, run_id):
            problem = "it is done, and has another number of searches than planned"
        if problem is not None:
            found.append(f"laboratory run {name}: {problem}")
    return found


def _is_text(value: Any) -> bool:
    # A column of SQLite may hold a value of any kind.
    return isinstance(value, str)


def _is_whole(connection: Connection, run_id: int) -> bool:
    """Whether every engine has searched every position."""

    def count(table: type[Any]) -> int:
        query = select(func.count()).select_from(table).where(table.run_id == run_id)
        return int(connection.execute(query).scalar_one())

    query = planned(func.count()).where(LabSearch.run_id == run_id)
    done = connection.execute(query).scalar_one()
    return bool(done == count(LabEngine) * count(LabPosition))


def _depths(settings: str) -> list[int] | None:
    """The depths of a run; None where its settings are not those of one."""
    try:
        data = json.loads(settings)
        depths = data["depths"]
        named = isinstance(data["suite"], str) and isinstance(data["suite_id"], str)
    except (ValueError, TypeError, LookupError):
        return None
    if not isinstance(depths, list) or not all(type(one) is int and one > 0 for one in depths):
        return None
    return depths if named and depths and depths == sorted(set(depths)) else None


def _missing(
    connection: Connection, run_id: int, table: type[Any], column: Any, searched: Any
) -> str | None:
    """The first number that rows of a run have not, though they count from 0 and searches are of
    it. A search of a number far from all others is a search that was damaged."""
    numbers = connection.execute(
        select(column).where(table.run_id == run_id).order_by(column)
    ).scalars()
    known = list(numbers)
    first = next((n for n, number in enumerate(known) if n != number), len(known))
    query = select(func.count()).where(LabSearch.run_id == run_id, searched == first)
    if known and first == len(known) and not connection.execute(query).scalar_one():
        return None
    return f"{table.__tablename__} has no {column.key} {first} of it"


def _engine_problem(connection: Connection, run_id: int) -> str | None:
    query = (
        select(LabEngine.engine, LabEngine.baseline, Variant.id, LabEngine.label)
        .outerjoin(Variant, Variant.id == LabEngine.variant_id)
        .where(LabEngine.run_id == run_id)
        .order_by(LabEngine.engine)
    )
    rows: list[tuple[int, int, int | None, str]] = [(*row,) for row in connection.execute(query)]
    baselines = {engine: baseline for engine, baseline, _, _ in rows}
    for engine, baseline, variant, label in rows:
        if not _is_text(label):
            return f"the label of engine {engine} is no text"
        if variant is None:
            return f"the variant of engine {engine} is missing"
        if baselines.get(baseline) != baseline:
            return f"engine {engine} is compared with engine {baseline}, which is no baseline"
    return None


def _depth_problem(connection: Connection, run_id: int, depth: int) -> str | None:
    query = select(func.count()).where(LabSearch.run_id == run_id, LabSearch.depth != depth)
    wrong = connection.execute(query).scalar_one()
    return f"searches of it are not to its depth {depth}: {wrong}" if wrong else None
