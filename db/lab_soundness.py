"""Searches of the laboratory that contradict themselves: what they say as a whole, and what they
say of each depth."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, Text, cast, func, select, type_coerce

from db.models import LabEngine, LabPosition, LabRun, LabSearch

_DEPTH, _VALUE, _MOVE, _PASSES = 0, 1, 2, -1
_INTERIOR, _LEAVES, _QUIESCENCE = 4, 5, 6
_PASS_NODES = 3
"""Places in the stored iterations and passes, see the table `lab_searches`."""


def lab_contradictions(connection: Connection, shown: int) -> list[str]:
    """A line for each search whose iterations are not those of the search, and for each run that is
    done without all its searches; of both the first ``shown``."""
    return [*_searches(connection)[:shown], *_runs(connection)[:shown]]


def _searches(connection: Connection) -> list[str]:
    own = LabSearch
    query = (
        select(
            *(LabRun.name, LabEngine.label, own.position, own.depth, own.value, own.move),
            *(own.interior, own.leaves, own.quiescence, own.passes),
            # As text, since one that is no JSON would end the reading of all.
            cast(type_coerce(own.iterations, Text), Text).label("iterations"),
        )
        .join(LabRun, LabRun.id == own.run_id)
        .join(LabEngine, (LabEngine.run_id == own.run_id) & (LabEngine.engine == own.engine))
        .order_by(own.run_id, own.engine, own.position)
    )
    return [
        f"laboratory run {row.name}, {row.label} on position {row.position + 1}: {problem}"
        for row in connection.execute(query)
        if (problem := _problem(row)) is not None
    ]


def _problem(row: Row[*tuple[Any, ...]]) -> str | None:
    """What is wrong with a search."""
    try:
        iterations = json.loads(row.iterations)
        depths = [one[_DEPTH] for one in iterations]
        last = iterations[-1][_VALUE], iterations[-1][_MOVE]
        places = (_INTERIOR, _LEAVES, _QUIESCENCE)
        counts = [sum(one[place] for one in iterations) for place in places]
        passes = sum(len(one[_PASSES]) for one in iterations)
        too_many = any(
            sum(each[_PASS_NODES] for each in one[_PASSES]) > sum(one[place] for place in places)
            for one in iterations
        )
    except (ValueError, TypeError, LookupError):
        return "its iterations cannot be read"
    if depths != list(range(1, row.depth + 1)):
        return "its iterations are not those of its depth"
    if last != (row.value, row.move):
        return "value or move is not that of its last iteration"
    if counts != [row.interior, row.leaves, row.quiescence]:
        return "its nodes are not those of its iterations"
    if passes != row.passes:
        return "it has another number of passes than its iterations"
    return "passes of an iteration have more nodes than it has" if too_many else None


def _runs(connection: Connection) -> list[str]:
    def count(table: type[Any]) -> Any:
        return (
            select(func.count())
            .where(table.run_id == LabRun.id)
            .correlate(LabRun)
            .scalar_subquery()
        )

    query = (
        select(LabRun.name)
        .where(LabRun.status == "done")
        .where(count(LabSearch) != count(LabEngine) * count(LabPosition))
        .order_by(LabRun.id)
    )
    return [
        f"laboratory run {name}: it is done, and has another number of searches than planned"
        for name in connection.execute(query).scalars()
    ]
