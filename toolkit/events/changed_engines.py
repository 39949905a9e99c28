"""External engines that changed since their event or study started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from msgspec.structs import replace

from engines.errors import EngineError
from engines.external.identify import identify, side_by_side
from engines.spec import Engine, UciEngine
from toolkit.base.errors import EngineProblem
from toolkit.events.settings import EventSettings
from toolkit.events.worker import Assignment


def changed_engines(settings: EventSettings) -> dict[int, UciEngine]:
    """The external engines that have another identity now, by position, as they are now. They are
    started, side by side. Raises EngineProblem for one that does not work any more."""
    external = {
        position: player.engine
        for position, player in enumerate(settings.players)
        if isinstance(player.engine, UciEngine)
    }
    found = dict(zip(external, side_by_side(as_it_is_now, external.values()), strict=True))
    return {at: one for at, one in found.items() if one.identity != external[at].identity}


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
    """The engine, started anew on this machine. Raises EngineProblem if it does not work."""
    try:
        return identify(engine).engine
    except EngineError as error:
        raise EngineProblem(f"engine `{engine.label}`: {error}") from error


def _difference(stored: Engine, now: UciEngine) -> str:
    """In what an engine differs from what is stored."""
    assert isinstance(stored, UciEngine)
    names = sorted({*stored.facts, *now.facts})
    differ = [name for name in names if stored.facts.get(name) != now.facts.get(name)]
    return f"{' and '.join(differ)}: {stored.identity[:8]} -> {now.identity[:8]}"
