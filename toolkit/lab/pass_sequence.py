"""How one search closed in on the value: the passes of an iteration, traced now or stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.registry import DRIVERS
from toolkit.base.errors import NothingMatched
from toolkit.lab.cost import iterations_of
from toolkit.lab.passes import TracePassRow, pass_rows
from toolkit.lab.run import stored_plan
from toolkit.lab.summary import LabRow
from toolkit.lab.trace import TraceReport

if TYPE_CHECKING:
    from db.records.laboratory import LabRunRecord
    from db.session import Database


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
    plan = stored_plan(db, record)
    wanted = row.engine, row.parameter, row.parameter_value, row.worst_position
    for search in db.repository.lab_searches(record.id):
        engine, position = plan.engines[search.engine], plan.positions[search.position]
        if (engine.variant.label, engine.parameter, engine.value, position.label) != wanted:
            continue
        for one in iterations_of(search):
            if one.depth == row.depth:
                return PassSequence(
                    fen=position.fen,
                    engine=engine.variant.label,
                    depth=one.depth,
                    value=one.value,
                    best=one.move,
                    proves=DRIVERS[engine.variant.driver].proves,
                    first_guess=one.first_guess,
                    passes=pass_rows(one),
                )
    raise NothingMatched(f"run {record.name} has no search of {row.engine} yet")
