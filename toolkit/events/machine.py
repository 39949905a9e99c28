"""Whether a machine can play an event, and what plays its pairs there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from engines.external.identify import side_by_side
from engines.spec import UciEngine
from toolkit.base.errors import EngineProblem
from toolkit.base.version import check_program, this_program, with_speed
from toolkit.events.changed_engines import as_it_is_now
from toolkit.events.memory import check_memory
from toolkit.events.worker import Assignment, Games, NotStarted, PairTask, pair_player


def check_fits(assignment: Assignment, processes: int) -> None:
    """Raises UsageError if tablebases are missing on this machine, or the players of so many
    processes do not fit into it."""
    tablebases = assignment.rules.adjudication.tablebases
    if tablebases is not None:
        tablebases.check_tables()
    check_memory(assignment.tables, processes)


def player_of_machine(
    assignment: Assignment, slots: int
) -> Callable[[], Callable[[PairTask], Games | NotStarted]]:
    """What makes the player of pairs for each of so many slots of this machine, which is another
    one than the coordinator's. Its games say where they were played.

    Raises EngineProblem if this program plays differently or an external engine is not the one of
    the assignment, and UsageError like :func:`check_fits`.
    """
    check_program(assignment.provenance)
    check_fits(assignment, slots)
    external = [engine for engine in assignment.engines if isinstance(engine, UciEngine)]
    for engine, here in zip(external, side_by_side(as_it_is_now, external), strict=True):
        if here.identity != engine.identity:
            raise EngineProblem(
                f"engine `{engine.label}` is another one there ({here.identity[:8]}, and the run "
                f"needs {engine.identity[:8]}): install the same program"
            )
    program = this_program(assignment.provenance.game)
    if assignment.provenance.speed:
        program = with_speed(program)
    return partial(pair_player, replace(assignment, provenance=program))
