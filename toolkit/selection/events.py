"""Which event a text means, and the events at a limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import convert, to_builtins

from db.records.events import TUNING_KIND, EventRecord
from engines.limit import Limit
from engines.registry import PARAMETERS
from engines.spec import Engine
from toolkit.base.errors import NothingMatched
from toolkit.runs.lifecycle import found_run, newest_named

if TYPE_CHECKING:
    from db.session import Database


def played_events(db: Database) -> list[EventRecord]:
    """Every event but those of tuning, oldest first."""
    return [event for event in db.repository.events() if event.kind != TUNING_KIND]


def find_event(db: Database, event: EventRecord | str) -> EventRecord:
    """The event of a key, a unique prefix of one, a name, or ``last``; a record is the event
    itself. Of several events of one name it is the newest, and a notice says so. Raises
    NothingMatched."""
    if isinstance(event, EventRecord):
        return event
    return newest_named(db, found_run(db.repository.find_event, event, "mtdf events"), event)


def engines_of(event: EventRecord) -> list[Engine]:
    """The engines of an event, by position; none of an import. Raises ValidationError."""
    return convert(event.settings.get("players", ()), list[Engine])


def game_of_event(event: EventRecord) -> str:
    """The game that an event is of, by the parameter ``game`` of its engines; engines without it,
    and imported ones, play chess."""
    game = PARAMETERS["game"]
    for player in event.settings.get("players", ()):
        return str(player.get("effective", {}).get(game.name, game.neutral))
    return str(game.neutral)


def at_limit(limit: Limit, events: Iterable[EventRecord]) -> dict[int, frozenset[int]]:
    """Those events in which players had exactly this limit, whichever version of the time manager
    kept it: their ids, each with the positions of the players that had another one."""
    wanted = asked_fields(to_builtins(limit))
    found = {}
    for event in events:
        common = asked_fields(event.settings.get("limit") or {}) == wanted
        own = {
            int(position): asked_fields(one) == wanted
            for position, one in event.settings.get("limits", {}).items()
        }
        if common or any(own.values()):
            players = range(len(event.settings["players"])) if own else ()
            found[event.id] = frozenset(at for at in players if not own.get(at, common))
    return found


def asked_fields(limit: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a limit that a user gave: all but the version of the time manager."""
    return {name: value for name, value in limit.items() if name != "time_manager"}


def newest_event(db: Database, game: str | None = None) -> EventRecord:
    """The newest event that is not one of tuning, of a game if one is asked for. Raises
    NothingMatched."""
    tuning = db.repository.tuning_events()
    if not tuning and game is None:
        return find_event(db, "last")
    events = [event for event in db.repository.events() if event.id not in tuning]
    if events and game is not None:
        events = events_of_game(db, events, game)
    if not events:
        raise NothingMatched("no event but those of tuning: give --event (mtdf events)")
    return events[-1]


def events_of_game(db: Database, events: Sequence[EventRecord], game: str) -> list[EventRecord]:
    """Those of the events that are of this game. Raises NothingMatched if there is none."""
    found = [event for event in events if game_of_event(event) == game]
    if not found:
        raise NothingMatched(f"no event of {game} in {db.name} (mtdf events)")
    return found
