"""Which event a text means, and the events at a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from db.errors import NotFound
from db.limits import limit_fields
from db.records import (
    IMPORT_KIND,
    TUNING_KIND,
    EventRecord,
)
from engines.spec import Limit
from toolkit.base.errors import NothingMatched

if TYPE_CHECKING:
    from db.session import Database


def played_events(db: Database) -> list[EventRecord]:
    """Every event but those of tuning, oldest first."""
    return [event for event in db.repository.events() if event.kind != TUNING_KIND]


def find_event(db: Database, text: str) -> EventRecord:
    """The event of a key, a unique prefix of one, a name, or ``last``. Raises NothingMatched."""
    try:
        return db.repository.find_event(text)
    except NotFound as error:
        raise NothingMatched(f"{error} (mtdf events)") from error


def unfinished_events(db: Database) -> list[EventRecord]:
    """The events that can be resumed, newest first, without those being played now or belonging to
    a study. Raises NothingMatched if there are none."""
    running = db.running_events()
    found = [
        event
        for event in reversed(db.repository.events())
        if event.status != "done"
        and event.kind not in (IMPORT_KIND, TUNING_KIND)
        and event.key not in running
    ]
    if not found:
        raise NothingMatched(f"no unfinished event in {db.name} (mtdf events)")
    return found


def played_at(
    limit: Limit, events: Sequence[EventRecord], *, without: Sequence[int] = ()
) -> list[int]:
    """Ids of those events whose limit is exactly this one, without some. Raises NothingMatched."""
    ids = [event_id for event_id in at_limit(limit, events) if event_id not in without]
    if not ids:
        raise NothingMatched("no event was played at this limit (mtdf events)")
    return ids


def at_limit(limit: Limit, events: Sequence[EventRecord]) -> list[int]:
    """Ids of those events whose limit is exactly this one, whichever version of the time manager
    kept it."""
    wanted = asked_fields(limit.to_json())
    ids = [e.id for e in events if asked_fields(e.settings.get("limit") or {}) == wanted]
    return list(dict.fromkeys(ids))


def asked_fields(limit: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a limit that a user gave: all that say something but the version of the time
    manager."""
    fields = limit_fields(limit)
    return {name: value for name, value in fields.items() if name != "time_manager"}


def newest_event(db: Database) -> str:
    """The key of the newest event that is not one of tuning. Raises NothingMatched."""
    tuning = db.repository.tuning_events()
    if not tuning:
        return find_event(db, "last").key
    keys = [event.key for event in db.repository.events() if event.id not in tuning]
    if not keys:
        raise NothingMatched("no event but those of tuning: give --event (mtdf events)")
    return keys[-1]
