"""The players of a study's event, which points join one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from msgspec.structs import replace

from db.records.events import EventPlayerRecord
from db.records.studies import EncounterRecord
from engines.spec import Engine
from engines.variant import altered
from toolkit.tuning.space.point import Point


@dataclass(frozen=True, slots=True)
class EventPlayer:
    """A position in the event, and what plays there under the label of that position."""

    position: int
    engine: Engine
    """What plays."""
    identity: str
    """What is stored: another one where an external engine is no longer the one of the
    settings."""


class Roster:
    """The players of a study's event by position: base, opponents, then points as they came.

    A point has the position of the first player of its identity, so that a point that comes again,
    or equals the base, is one player. Which position an encounter's players have depends on the
    order in which points came, and is found again from the stored players.
    """

    def __init__(
        self,
        settled: Sequence[Engine],
        stored: Sequence[EventPlayerRecord],
        changed: Mapping[int, Engine] | None = None,
    ) -> None:
        """``settled``: the engines of the settings. ``changed``: those that play in their place,
        by position."""
        self._settled = settled
        self._changed = changed or {}
        self._labels = [player.label for player in stored]
        self._taken = set(self._labels)
        self._positions: dict[str, list[int]] = {}
        for player in stored:
            self._positions.setdefault(player.variant_id, []).append(player.position)
        self._new: list[tuple[int, Engine]] = []

    def players(
        self, encounter: EncounterRecord, *, twins: bool
    ) -> tuple[EventPlayer, EventPlayer] | None:
        """The players of an encounter, first player first; new ones join the event.

        None if both are the same engine and ``twins`` is false; with ``twins`` a second player with
        that engine joins.
        """
        second = self._second(encounter)
        engine = altered(self._settled[0], encounter.first)
        same = engine.identity == second.identity
        if same and not twins:
            return None
        apart = second.position if same else None
        return self._joined(encounter.first, engine, _label(encounter, "+"), apart), second

    def take_new(self) -> list[tuple[int, Engine]]:
        """Positions and engines that have joined since this was asked last."""
        new, self._new = self._new, []
        return new

    def _second(self, encounter: EncounterRecord) -> EventPlayer:
        if encounter.second is None:
            position = 0 if encounter.opponent is None else encounter.opponent + 1
            engine = self._settled[position]
            return EventPlayer(position, self._changed.get(position, engine), engine.identity)
        engine = altered(self._settled[0], encounter.second)
        return self._joined(encounter.second, engine, _label(encounter, "-"), None)

    def _joined(self, point: Point, engine: Engine, label: str, apart: int | None) -> EventPlayer:
        """The first position of a point, which is this engine, that is not ``apart``."""
        positions = self._positions.setdefault(engine.identity, [])
        position = next((at for at in positions if at != apart), None)
        if position is None:
            position = len(self._labels)
            positions.append(position)
            free = self._free(label)
            self._labels.append(free)
            self._taken.add(free)
            self._new.append((position, replace(engine, label=free)))
        plays = altered(self._changed[0], point) if 0 in self._changed else engine
        return EventPlayer(position, replace(plays, label=self._labels[position]), engine.identity)

    def _free(self, label: str) -> str:
        if label not in self._taken:
            return label
        return next(name for n in count(2) if (name := f"{label}.{n}") not in self._taken)


def _label(encounter: EncounterRecord, end: str) -> str:
    """What a point is called: ``#12`` for that of trial 12, ``#12+`` and ``#12-`` for its two ends
    where they meet, ``#gain`` for one of no trial."""
    name = encounter.phase if encounter.trial is None else encounter.trial
    return f"#{name}" if encounter.second is None else f"#{name}{end}"
