"""Whether a machine can play an event, and what plays its pairs there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from engines.errors import EngineError
from engines.external.building import make_build
from engines.external.builds import find_build
from engines.external.git import bundle_of, unbundled
from engines.external.identify import side_by_side
from engines.spec import GitSource, UciEngine
from toolkit.base.errors import EngineProblem
from toolkit.base.version import check_program, this_program, with_speed
from toolkit.events.changed_engines import as_it_is_now
from toolkit.events.memory import check_memory
from toolkit.events.time_scale import scaled
from toolkit.events.worker import Assignment, Games, NotStarted, PairTask, pair_player


def check_fits(assignment: Assignment, processes: int) -> None:
    """Raises UsageError if tablebases are missing on this machine, or the players of so many
    processes do not fit into it."""
    tablebases = assignment.rules.adjudication.tablebases
    if tablebases is not None:
        tablebases.check_tables()
    check_memory(assignment.tables, processes)


def bundles_of(assignment: Assignment) -> dict[str, bytes]:
    """What other machines build engines of, by commit. Raises EngineFailure."""
    sources = {one.commit: one.repository for one in _sources(assignment)}
    return {commit: bundle_of(where, commit) for commit, where in sources.items()}


def player_of_machine(
    assignment: Assignment, bundles: Mapping[str, bytes], slots: int
) -> Callable[[], Callable[[PairTask], Games | NotStarted]]:
    """What makes the player of pairs for each of so many slots of this machine, which is another
    one than the coordinator's. Its games say where they were played. What is to be built is built
    here, of ``bundles``, unless it was.

    Raises EngineProblem if this program plays differently or an external engine is not the one of
    the assignment, and UsageError like :func:`check_fits`.
    """
    check_program(assignment.provenance)
    check_fits(assignment, slots)
    external = _external(assignment)
    try:
        for engine in external:
            source = engine.command.source
            if source is not None and find_build(source) is None:
                with unbundled(bundles[source.commit], source.commit) as folder:
                    make_build(source, engine.label, folder=folder)
    except EngineError as error:
        raise EngineProblem(str(error)) from error
    for engine, here in zip(external, side_by_side(as_it_is_now, external), strict=True):
        if here.identity != engine.identity:
            raise EngineProblem(
                f"engine `{engine.label}` is another one there ({here.identity[:8]}, and the run "
                f"needs {engine.identity[:8]}): install the same program"
            )
    program = this_program(assignment.provenance.game)
    if assignment.provenance.speed:
        program = with_speed(program)
    return partial(pair_player, scaled(replace(assignment, provenance=program)))


def _external(assignment: Assignment) -> list[UciEngine]:
    return [engine for engine in assignment.engines if isinstance(engine, UciEngine)]


def _sources(assignment: Assignment) -> Iterator[GitSource]:
    for engine in _external(assignment):
        if engine.command.source is not None:
            yield engine.command.source
