"""Which machines played the games of an event, and how fast they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from db.records.games import Origin
from toolkit.base.format import count_of

_UNEQUAL = 1.1
"""Ratio of speeds from which machines count as unequal."""


class Machine(Struct, frozen=True):
    """A machine that played games of an event."""

    host: str
    games: int
    speed: float | None
    """Nodes per second of CPU time in the bench, the mean over its games; None if unknown."""


def machines_of(origins: Iterable[Origin]) -> list[Machine]:
    """The machines of an event, those with most games first."""
    found: dict[str, list[Origin]] = {}
    for origin in origins:
        found.setdefault(origin.host, []).append(origin)
    machines = [_machine(host, of_host) for host, of_host in found.items()]
    return sorted(machines, key=lambda machine: (-machine.games, machine.host))


def _machine(host: str, origins: Sequence[Origin]) -> Machine:
    known = [(origin.speed, origin.games) for origin in origins if origin.speed]
    weight = sum(games for _, games in known)
    speed = sum(each * games for each, games in known) / weight if known else None
    return Machine(host, sum(origin.games for origin in origins), speed)


def machines_text(machines: Sequence[Machine]) -> str:
    """All of them in words; the games of each if there are several."""
    if len(machines) == 1:
        return machines[0].host + speed_text(machines[0].speed)
    return ", ".join(
        f"{one.host}{speed_text(one.speed)} {count_of(one.games, 'game')}" for one in machines
    )


def speed_text(speed: float | None) -> str:
    """A known speed in parentheses, after a blank; else nothing."""
    return "" if not speed else f" ({speed / 1e6:.2f} million nodes/s)"


def are_unequal(machines: Sequence[Machine]) -> bool:
    """Whether a clock gave some games more search than others."""
    speeds = [machine.speed for machine in machines if machine.speed]
    return len(speeds) > 1 and max(speeds) > _UNEQUAL * min(speeds)
