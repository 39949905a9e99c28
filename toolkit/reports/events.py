"""Events as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from db.records import CHANGED, IMPORT_KIND, EventRecord
from toolkit.reports.rows import EventRow
from toolkit.runs.lifecycle import shown_status
from toolkit.selection.events import engines_of, game_of_event

if TYPE_CHECKING:
    from db.session import Database


def list_events(db: Database) -> list[EventRow]:
    """Every event, oldest first."""
    events = db.repository.events()
    singles = _single_games(db, events)
    return [_row(db, event, singles.get(event.id, 0)) for event in events]


def event_row(db: Database, event: EventRecord) -> EventRow:
    """An event as it is shown."""
    return _row(db, event, _single_games(db, [event]).get(event.id, 0))


def _single_games(db: Database, events: Sequence[EventRecord]) -> dict[int, int]:
    """Games without a partner, which only imports have."""
    imported = [event.id for event in events if event.kind == IMPORT_KIND]
    return db.repository.single_games(imported) if imported else {}


def _row(db: Database, event: EventRecord, singles: int) -> EventRow:
    book = event.settings.get("book", {})
    return EventRow(
        id=event.key,
        name=event.name,
        kind=event.kind,
        status=shown_status(db, event),
        pairs_planned=event.pairs_planned - singles,
        pairs_done=event.pairs_done - singles,
        seed=None if event.kind == IMPORT_KIND else event.seed,
        pairs_failed=event.pairs_failed,
        engines=[player.label for player in db.repository.event_players(event.id)],
        limit=event.settings.get("limit") or {},
        variation=_variation(event),
        book=book.get("name", ""),
        book_slice="{number}/{slices}".format(**book["slice"]) if "slice" in book else None,
        game_played=game_of_event(event),
        chess960=event.settings.get("chess960", False),
        created_at=event.created_at,
        started_at=event.started_at,
        ended_at=event.ended_at,
        backend=event.backend,
        signature=event.signature,
        version=event.version,
        singles=singles,
        note=event.note,
        changed=[
            f"{one['label']} {one['before'][:8]} -> {one['now'][:8]}"
            for one in event.settings.get(CHANGED, ())
        ],
        extensions=list(event.settings.get("extensions", ())),
    )


def _variation(event: EventRecord) -> str:
    """Why an event need not repeat itself, in words; empty for an import, which nobody plays."""
    from engines.limit import limit_of
    from toolkit.events.players import variation_of

    if event.kind == IMPORT_KIND:
        return ""
    limits = [event.settings.get("limit") or {}, *event.settings.get("limits", {}).values()]
    return variation_of(engines_of(event), [limit_of(one) for one in limits])
