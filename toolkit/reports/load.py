"""Whether the load of the machine may have spoiled timed games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.records.events import IMPORT_KIND
from engines.cores import available_cores
from toolkit.base.format import count_of, format_count
from toolkit.base.version import this_host
from toolkit.events.settings import EventSettings

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database

_MARGIN = 0.5
"""How far the load may exceed the cores: workers on all cores and a coordinator cause as much."""


def load_text(db: Database, event: EventRecord) -> str:
    """How many timed games of the event began while this machine had more to do than it has cores,
    in words; empty if none. Nothing is known of the cores of other machines. Raises
    DatabaseError."""
    if event.kind == IMPORT_KIND:
        return ""
    settings = EventSettings.from_json(event.settings)
    if not settings.is_timed:
        return ""
    cores = available_cores()
    loaded, highest = db.repository.games_above_load(event.id, cores + _MARGIN, this_host())
    if not loaded:
        return ""
    games = sum(origin.games for origin in db.repository.event_origins(event.id))
    return (
        f"{format_count(loaded)} of {count_of(games, 'timed game')} started at a load above the "
        f"{count_of(cores, 'core')} of this machine (up to {highest:.1f}): "
        "waiting for a core cost clock time, so their results may be unfair"
    )
