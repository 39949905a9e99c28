"""Runs of the laboratory that contradict themselves: what is missing of them, and searches whose
iterations are not what they say as a whole.

What is sound is told once: who reads a run is refused by the words that
:func:`lab_contradictions` finds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import Connection, Row, Select, func, select

from db.lab import LabKind
from db.lab_searches import SEARCH_COLUMNS, as_text, planned, row_problem
from db.models import LabEngine, LabPosition, LabRun, LabSearch, Provenance, Variant
from db.records import EventStatus
from db.times import is_moment

_RUN_COLUMNS: Sequence[Any] = (
    *(LabRun.id, LabRun.name, LabRun.kind, LabRun.status),
    *(LabRun.created_ms, LabRun.started_ms, LabRun.ended_ms),
    *(Provenance.version, Provenance.backend, Provenance.signature, Provenance.host),
    as_text(LabRun.settings).label("settings"),
)
_ENGINE_COLUMNS: Sequence[Any] = (
    *(LabEngine.engine, LabEngine.baseline, LabEngine.label),
    *(LabEngine.parameter, LabEngine.value),
    *(Variant.id, Variant.identity, Variant.driver, Variant.spelling),
    as_text(Variant.parameters).label("parameters"),
)


def lab_contradictions(connection: Connection, shown: int) -> list[str]:
    """A line for each search whose iterations are not those of the search, and for each run that
    :func:`run_problem` says something of, or that is done without all its searches; of both the
    first ``shown``."""
    return [*_searches(connection)[:shown], *_runs(connection)[:shown]]


def run_rows() -> Select[Any]:
    """The rows of all runs by id: settings as text, and what searched each, empty where that row is
    missing."""
    return (
        select(*_RUN_COLUMNS)
        .select_from(LabRun)
        .outerjoin(Provenance, Provenance.id == LabRun.provenance_id)
        .order_by(LabRun.id)
    )


def own_problem(row: Row[Any]) -> str | None:
    """What is wrong with a row of :func:`run_rows` by itself; None: it can be read."""
    if not _is_text(row.name):
        return "its name is no text"
    if row.kind not in get_args(LabKind) or row.status not in get_args(EventStatus):
        return f"its kind `{row.kind}` or status `{row.status}` is none"
    if _read_settings(row.settings) is None:
        return "its settings cannot be read"
    later = [moment for moment in (row.started_ms, row.ended_ms) if moment is not None]
    for moment in (row.created_ms, *later):
        if not is_moment(moment):
            return f"`{moment!r}` is no time"
    if not all(map(_is_text, (row.version, row.backend, row.signature, row.host))):
        return "its row of provenance is missing or cannot be read"
    return None


def run_problem(connection: Connection, row: Row[Any]) -> str | None:
    """What of the run of a row of :func:`run_rows` is missing or makes no sense, but for single
    searches; None: nothing."""
    problem = own_problem(row)
    settings = _read_settings(row.settings)
    if problem is not None or settings is None:
        return problem
    return (
        _missing(connection, row.id, LabEngine, LabEngine.engine, LabSearch.engine)
        or _missing(connection, row.id, LabPosition, LabPosition.position, LabSearch.position)
        or _engine_problem(connection, row.id, row.kind)
        or _position_problem(connection, row.id)
        or _depth_problem(connection, row.id, settings["depths"][-1])
    )


def are_settings(data: Mapping[str, Any]) -> bool:
    """Whether they name a suite, its identity, and ascending depths."""
    depths = data.get("depths")
    if not isinstance(depths, list) or not depths:
        return False
    if not all(type(one) is int and one > 0 for one in depths) or depths != sorted(set(depths)):
        return False
    return all(_is_text(data.get(name)) for name in ("suite", "suite_id"))


def _read_settings(text: Any) -> Mapping[str, Any] | None:
    """The stored settings of a run; None where they are not those of one."""
    data = read_object(text)
    return None if data is None or not are_settings(data) else data


def _searches(connection: Connection) -> list[str]:
    own = LabSearch
    query = planned(*SEARCH_COLUMNS).order_by(own.run_id, own.engine, own.position)
    problems = map(row_problem, connection.execute(query))
    return [problem for problem in problems if problem is not None]


def _runs(connection: Connection) -> list[str]:
    found = []
    for row in connection.execute(run_rows()).all():
        problem = run_problem(connection, row)
        if problem is None and row.status == "done" and not _is_whole(connection, row.id):
            problem = "it is done, and has another number of searches than planned"
        if problem is not None:
            found.append(f"laboratory run {row.name}: {problem}")
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


def read_object(text: Any) -> dict[str, Any] | None:
    """The object that a text is in JSON; None for any other."""
    try:
        data = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


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


def _engine_problem(connection: Connection, run_id: int, kind: LabKind) -> str | None:
    query = (
        select(*_ENGINE_COLUMNS)
        .select_from(LabEngine)
        .outerjoin(Variant, Variant.id == LabEngine.variant_id)
        .where(LabEngine.run_id == run_id)
        .order_by(LabEngine.engine)
    )
    rows = connection.execute(query).all()
    baselines = {row.engine: row.baseline for row in rows}
    for row in rows:
        if not _is_text(row.label):
            return f"the label of engine {row.engine} is no text"
        if row.id is None:
            return f"the variant of engine {row.engine} is missing"
        texts = (row.identity, row.driver, row.spelling)
        if not all(map(_is_text, texts)) or read_object(row.parameters) is None:
            return f"the variant of engine {row.engine}, {row.label}, cannot be read"
        if baselines.get(row.baseline) != row.baseline:
            return (
                f"engine {row.engine} is compared with engine {row.baseline}, which is no baseline"
            )
    return _sweep_problem(rows, kind)


def _sweep_problem(rows: Sequence[Row[Any]], kind: LabKind) -> str | None:
    """What of the parameters and values of engines is not that of a run of its kind: a sweep varies
    one parameter of all that are no baselines, a comparison varies none."""
    word = "comparison" if kind == "compare" else kind
    varied = set()
    for row in rows:
        given = (row.parameter, row.value)
        if kind != "sweep" or row.engine == row.baseline:
            if given != (None, None):
                return (
                    f"engine {row.engine} of this {word} has a parameter or value, and varies none"
                )
        elif not all(map(_is_text, given)):
            return f"engine {row.engine} of this {word} has no parameter, or no value of it"
        else:
            varied.add(row.parameter)
    return "its engines vary several parameters" if len(varied) > 1 else None


def _position_problem(connection: Connection, run_id: int) -> str | None:
    query = (
        select(LabPosition.position, LabPosition.label, LabPosition.fen)
        .where(LabPosition.run_id == run_id)
        .order_by(LabPosition.position)
    )
    for position, label, fen in connection.execute(query):
        if not _is_text(label) or not _is_text(fen):
            return f"label or FEN of position {position} is no text"
    return None


def _depth_problem(connection: Connection, run_id: int, depth: int) -> str | None:
    query = select(func.count()).where(LabSearch.run_id == run_id, LabSearch.depth != depth)
    wrong = connection.execute(query).scalar_one()
    return f"searches of it are not to its depth {depth}: {wrong}" if wrong else None
