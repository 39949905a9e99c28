"""External engines that changed since their event or study started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from msgspec import convert
from msgspec.structs import replace

from engines.errors import EngineError
from engines.external.building import check_bench
from engines.external.identify import build_all, identify, side_by_side
from engines.spec import Engine, GitBuild, UciEngine
from toolkit.base.errors import EngineProblem
from toolkit.events.settings import EventSettings
from toolkit.events.worker import Assignment

if TYPE_CHECKING:
    from db.session import Database

_SAME_PROGRAM = ("commit", "diff", "binary")
"""Facts of programs whose benches must be equal."""


def changed_engines(settings: EventSettings) -> dict[int, UciEngine]:
    """The external engines that have another identity now, by position, as they are now. They are
    started, side by side. Raises EngineProblem for one that does not work any more."""
    external = {
        position: player.engine
        for position, player in enumerate(settings.players)
        if isinstance(player.engine, UciEngine)
    }
    build_all(external.values())
    found = dict(zip(external, side_by_side(as_it_is_now, external.values()), strict=True))
    return {at: one for at, one in found.items() if one.identity != external[at].identity}


def check_stored_benches(db: Database, settings: EventSettings) -> None:
    """Raises EngineFailure if an engine that is to play has another bench than its commit had when
    it played before."""
    built = [
        (player.engine, player.engine.command.source)
        for player in settings.players
        if isinstance(player.engine, UciEngine) and player.engine.command.source is not None
    ]
    stored = [one for one in db.repository.variants() if one.build] if built else []
    for engine, source in built:
        for one in stored:
            if all(one.parameters.get(name) == source.facts.get(name) for name in _SAME_PROGRAM):
                known = convert(one.build, GitBuild)
                check_bench(source, engine.built, known, f"in the database, for `{one.spelling}`")


def refuse_changed(
    title: str, settings: EventSettings, changed: Mapping[int, UciEngine]
) -> NoReturn:
    """Raise EngineProblem that names these engines."""
    one = "; ".join(
        f"engine `{settings.players[at].label}` changed since {title} started "
        f"({_difference(settings.players[at].engine, engine)})"
        for at, engine in changed.items()
    )
    raise EngineProblem(
        f"{one}: its games would come from two programs; start over, or continue with "
        "--allow-changed"
    )


def with_changed(assignment: Assignment, changed: Mapping[int, UciEngine]) -> Assignment:
    """An assignment to play with the engines as they are now. Their games are marked."""
    engines = tuple(changed.get(at, engine) for at, engine in enumerate(assignment.engines))
    return replace(assignment, engines=engines)


def as_it_is_now(engine: UciEngine) -> UciEngine:
    """The engine, started anew on this machine. Raises EngineProblem if it does not work, or has
    another bench than it had."""
    try:
        now = identify(engine).engine
        if engine.command.source is not None:
            check_bench(engine.command.source, now.built, engine.built, "where the run began")
    except EngineError as error:
        raise EngineProblem(f"engine `{engine.label}`: {error}") from error
    return now


def _difference(stored: Engine, now: UciEngine) -> str:
    """In what an engine differs from what is stored."""
    assert isinstance(stored, UciEngine)
    names = sorted({*stored.facts, *now.facts})
    differ = [name for name in names if stored.facts.get(name) != now.facts.get(name)]
    return f"{' and '.join(differ)}: {stored.identity[:8]} -> {now.identity[:8]}"
