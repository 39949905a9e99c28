"""How one search closed in on the value: the passes of an iteration, traced now or stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from engines.registry import DRIVERS
from toolkit.base.errors import NothingMatched
from toolkit.lab.cost import iterations_of
from toolkit.lab.passes import TracePassRow, pass_rows
from toolkit.lab.run import stored_plan
from toolkit.lab.summary import LabRow
from toolkit.lab.trace import TraceQuery, TraceReport, trace_search

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from db.session import Database
    from engines.spec import Variant
    from toolkit.lab.effort import DepthEffort
    from toolkit.lab.recording import Recording

_MOST_NODES = 10_000
"""Of a search that is recorded while a page is made."""


@dataclass(frozen=True, slots=True)
class PassSequence:
    """The last iteration of an exact search."""

    fen: str
    engine: str
    """Label."""
    depth: int
    value: int
    best: str
    """Best move, UCI."""
    proves: str
    """``value`` or ``move``: what the driver proves."""
    first_guess: int | None
    passes: Sequence[TracePassRow]


def traced_search(report: TraceReport) -> PassSequence:
    """The last iteration of a trace."""
    return PassSequence(
        fen=report.fen,
        engine=report.engine,
        depth=report.depth,
        value=report.value,
        best=report.best,
        proves=report.proves,
        first_guess=report.iterations[-1].first_guess,
        passes=[row for row in report.passes if row.depth == report.depth],
    )


def worst_search(db: Database, record: LabRunRecord, row: LabRow) -> PassSequence:
    """The search of the position in which the engine of ``row`` needs most nodes relative to its
    baseline, at the depth of the row. Raises NothingMatched if it is not known, EngineProblem."""
    variant, fen, iterations = _worst(db, record, row)
    for one in iterations:
        if one.depth == row.depth:
            return PassSequence(
                fen=fen,
                engine=variant.label,
                depth=one.depth,
                value=one.value,
                best=one.move,
                proves=DRIVERS[variant.driver].proves,
                first_guess=one.first_guess,
                passes=pass_rows(one),
            )
    raise NothingMatched(f"run {record.name} has no search of {row.engine} yet")


def worst_recording(db: Database, record: LabRunRecord, row: LabRow) -> Recording:
    """The same search, recorded anew to the greatest depth at which it is small. Raises
    NothingMatched if it is not known or not small at any depth, EngineProblem."""
    variant, fen, iterations = _worst(db, record, row)
    nodes, depth = 0, 0
    for one in iterations:
        nodes += one.nodes
        if nodes <= _MOST_NODES:
            depth = one.depth
    if not depth:
        raise NothingMatched(f"no search of {row.engine} is small")
    return _recorded(variant, fen, depth)


@lru_cache(maxsize=32)  # pages of a server are made again and again
def _recorded(variant: Variant, fen: str, depth: int) -> Recording:
    found = trace_search(TraceQuery(variant, fen, depth, record=True)).recording
    assert found is not None
    return found


def _worst(
    db: Database, record: LabRunRecord, row: LabRow
) -> tuple[Variant, str, list[DepthEffort]]:
    """Variant, position and iterations of that search. Raises NothingMatched, EngineProblem."""
    plan = stored_plan(db, record)
    wanted = row.engine, row.parameter, row.parameter_value, row.worst_position
    for search in db.repository.lab_searches(record.id):
        engine, position = plan.engines[search.engine], plan.positions[search.position]
        if (engine.variant.label, engine.parameter, engine.value, position.label) == wanted:
            return engine.variant, position.fen, list(iterations_of(search))
    raise NothingMatched(f"run {record.name} has no search of {row.engine} yet")
