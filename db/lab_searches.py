"""The stored searches of laboratory runs: which are of the plan of their run, and are sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Text, cast, select, type_coerce

from db.lab_iterations import read_iterations, search_problem
from db.models import LabEngine, LabPosition, LabRun, LabSearch


def as_text(column: Any) -> ColumnElement[str]:
    """A column of JSON as it is, since one that is no JSON would end the reading of all."""
    return cast(type_coerce(column, Text), Text)


SEARCH_COLUMNS: Sequence[Any] = (
    *(LabRun.name, LabEngine.label, LabSearch.engine, LabSearch.position),
    *(LabSearch.depth, LabSearch.value, LabSearch.move),
    *(LabSearch.interior, LabSearch.leaves, LabSearch.quiescence),
    *(LabSearch.passes, LabSearch.cpu_us, LabSearch.searched_ms),
    as_text(LabSearch.iterations).label("iterations"),
)
"""All of a search, iterations as text, with the names of its run and its engine."""


def planned(*columns: Any) -> Select[Any]:
    """Of the searches whose run has their engine and their position; one of another number was
    damaged, and is none of its plan."""
    own = LabSearch
    return (
        select(*columns)
        .select_from(own)
        .join(LabRun, LabRun.id == own.run_id)
        .join(LabEngine, (LabEngine.run_id == own.run_id) & (LabEngine.engine == own.engine))
        .join(
            LabPosition,
            (LabPosition.run_id == own.run_id) & (LabPosition.position == own.position),
        )
    )


def row_problem(row: Row[Any]) -> str | None:
    """What is wrong with a row of :data:`SEARCH_COLUMNS`, in a line that names it; None: it is
    sound."""
    problem = search_problem(
        depth=row.depth,
        value=row.value,
        move=row.move,
        nodes=(row.interior, row.leaves, row.quiescence),
        passes=row.passes,
        cpu_us=row.cpu_us,
        searched_ms=row.searched_ms,
        iterations=read_iterations(row.iterations),
    )
    if problem is None:
        return None
    return f"laboratory run {row.name}, {row.label} on position {row.position + 1}: {problem}"
