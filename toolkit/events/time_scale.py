"""Times by the speed of the machine: what a limit of time is worth there.

As in OpenBench, an event may say for which speed its times are meant. Each machine that plays it
multiplies clocks, times a move and CPU times by that speed over its own, measured once before its
first pair: nodes per second of CPU time of one engine of the event in fixed searches, alone on the
machine. Margins and patience stay as they are: they belong to the machine, not to the search.
"""

from __future__ import annotations

from msgspec.structs import replace

from engines.backend import first_bench
from engines.errors import EngineError
from engines.spec import SearchLimit
from engines.speed import nodes_per_second
from toolkit.base.errors import EngineProblem
from toolkit.events.worker import Assignment

NODES = 100_000
"""Of each search that measures."""
POSITIONS = 4
"""Of the bench, that are searched."""
_PATIENCE_MS = 60_000
MOST = 20.0
"""A factor beyond this, or below its inverse, is an error in the speed that was given."""


def scaled(assignment: Assignment) -> Assignment:
    """The assignment as this machine plays it: its limits scaled if they are to be, with speed and
    factor in the provenance of its games.

    Raises EngineProblem for an engine whose speed cannot be measured, and for a factor beyond
    :data:`MOST`.
    """
    if not assignment.scale_nps:
        return assignment
    speed = _speed(assignment)
    factor = assignment.scale_nps / speed
    if not 1 / MOST <= factor <= MOST:
        label = assignment.engines[assignment.scale_by].label
        raise EngineProblem(
            f"`{label}` searches {speed} nodes a second on {assignment.provenance.host}, so "
            f"--scale-time {assignment.scale_nps} would multiply times by {factor:.3g}: give its "
            "speed on the machine that the times are meant for"
        )
    return replace(
        assignment,
        limits=tuple(limit.scaled(factor) for limit in assignment.limits),
        rules=replace(assignment.rules, limit=assignment.rules.limit.scaled(factor)),
        provenance=replace(assignment.provenance, speed=speed, time_factor=factor),
    )


def _speed(assignment: Assignment) -> int:
    engine = assignment.engines[assignment.scale_by]
    game = assignment.provenance.game
    searched = dict.fromkeys(one.position for one in first_bench(game).searches)
    positions = list(searched)[:POSITIONS]
    limit = SearchLimit(nodes=NODES, patience_ms=_PATIENCE_MS)
    try:
        return nodes_per_second(engine, assignment.make_player(engine), positions, limit)
    except EngineError as error:
        raise EngineProblem(f"--scale-time: {error}") from error
