"""Extending an event that has started, by more game pairs of each pairing.

The new pairs are a block behind those that were planned: they have numbers of their own, and
openings and seeds that follow from them, so nothing that was played is renumbered. The event is
marked: who stops or goes on because of the result has no fixed sample, and its error is greater
than the printed one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from db.records import EventRecord
from db.session import Database
from toolkit.base.errors import UsageError
from toolkit.events.event import check_playable
from toolkit.events.settings import EventSettings
from toolkit.runs.lifecycle import lock_of


def extend_event(db: Database, event: EventRecord, pairs: int) -> EventRecord:
    """Plan ``pairs`` more game pairs of each pairing; :func:`toolkit.resume_event` plays them.

    Raises UsageError for an event that cannot be extended (a sequential test, an event in rounds,
    an import, the games of a study), and where the book has too few openings; DatabaseError: also
    if another process plays the event.
    """
    check_playable(event)
    with lock_of(db, event):
        return _extend(db, db.repository.event(event.id), pairs)


def extension_text(extensions: Sequence[int]) -> str:
    """How an event was extended, and what that means for its result."""
    added = " and ".join(map(str, extensions))
    return f"by {added} pairs a pairing after it had started: no sample of a fixed size"


def _extend(db: Database, event: EventRecord, pairs: int) -> EventRecord:
    """:func:`extend_event` while nobody else plays or changes the event."""
    settings = EventSettings.from_json(event.settings)
    if settings.kind == "sprt":
        raise UsageError(
            f"event {event.key} is a sequential test: its rule decides when it ends, and more "
            "pairs would spoil it; start another one"
        )
    if settings.form is not None:
        raise UsageError(f"event {event.key} is played in rounds, which decide when it ends")
    extended = replace(settings, extensions=(*settings.extensions, pairs))
    db.repository.extend_event(event.id, list(extended.extensions), extended.total_pairs)
    return db.repository.event(event.id)
