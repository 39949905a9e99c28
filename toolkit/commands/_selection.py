"""The options that choose games, shared by the commands that count them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from engines.spec import Limit
from toolkit.commands._types import CLOCK, WHOLE, EngineName

if TYPE_CHECKING:
    from toolkit.selection import Selection

_Function = TypeVar("_Function", bound=Callable[..., Any])

EVENT = click.option(
    "--event",
    "events",
    metavar="EVENT",
    multiple=True,
    help="Only games of this event: id, name, or last; may be repeated.",
)
ENGINES = click.option(
    "--engine",
    "engines",
    metavar="PATTERN",
    type=EngineName(),
    multiple=True,
    help="Only games between these: label, also as in `mtdf*`; may be repeated.",
)
_CONDITIONS = [
    click.option("--nodes", type=WHOLE, help="Only games at this many nodes a move."),
    click.option("--depth", type=WHOLE, help="Only games at this depth."),
    click.option("--movetime", metavar="MS", type=WHOLE, help="Only games at this time a move."),
    click.option("--cpu-ms", metavar="MS", type=WHOLE, help="Only games at this CPU time a move."),
    click.option("--tc", "clock", type=CLOCK, help="Only games with this clock."),
    click.option("--since", metavar="DATE", help="Only games since 2026-11-01, or the last 30d."),
    click.option("--until", metavar="DATE", help="Only games before then."),
]


def conditions(function: _Function) -> _Function:
    """Limit and dates."""
    for option in reversed(_CONDITIONS):
        function = option(function)
    return function


def selection_options(function: _Function) -> _Function:
    """Events, engines, limit, dates."""
    return EVENT(ENGINES(conditions(function)))


def selection_of(values: dict[str, Any]) -> Selection:
    """The selection that the options give, taken out of all values of a command."""
    from toolkit.selection import Selection

    clock: Limit | None = values.pop("clock")
    limit = Limit(
        nodes=values.pop("nodes"),
        depth=values.pop("depth"),
        movetime_ms=values.pop("movetime"),
        cpu_ms=values.pop("cpu_ms"),
        base_ms=clock.base_ms if clock else None,
        inc_ms=clock.inc_ms if clock else 0,
    )
    return Selection(
        events=tuple(values.pop("events")),
        engines=tuple(values.pop("engines", ())),
        limit=None if limit == Limit() else limit,
        since=values.pop("since"),
        until=values.pop("until"),
    )
