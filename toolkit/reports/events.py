"""Events as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from db.records.events import IMPORT_KIND, EventRecord
from db.records.runs import CHANGED
from toolkit.runs.lifecycle import shown_status
from toolkit.selection.events import engines_of, game_of_event

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.events.progress import EventOutcome


class EventRow(Struct, frozen=True):
    """One event."""

    id: Annotated[str, "short id for `resume` and `--event`, such as `r3f9`"]
    name: Annotated[str, "name given with `--name`; empty if none was given"]
    kind: Annotated[
        str,
        "`gauntlet`, `round-robin`, `match`, `knockout`, `swiss`, `sprt`, `race`, `ablation`, "
        "`tuning`, `import`",
    ]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    pairs_planned: Annotated[
        int, "planned game pairs; the maximum if the event may end before them"
    ]
    pairs_done: Annotated[int, "game pairs in the database"]
    seed: Annotated[int | None, "seed of the schedule; null for an import"]
    pairs_failed: Annotated[int, "game pairs that could not be played"]
    engines: Annotated[list[str], "labels of the players"]
    builds: Annotated[
        dict[str, dict[str, Any]],
        "of engines from repositories, by label: how each was built, as `build` of `engines list`",
    ]
    limit: Annotated[dict[str, int], "limit for a move, as in the settings; empty if imported"]
    scale_nps: Annotated[
        int | None, "nodes per second that its times are meant for, as in `--scale-time`; else null"
    ]
    variation: Annotated[
        str,
        "why the same event need not have the same games, such as `not repeatable: time limits the "
        "searches`; empty if it has them, or was imported",
    ]
    book: Annotated[str, "name of the opening book; empty for an import"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    game_played: Annotated[str, "game of all its engines, such as `chess` or `othello`"]
    chess960: Annotated[bool, "whether its games are of Chess960; false for imported games"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend that plays the event: `native` or `reference`"]
    signature: Annotated[str, "signature of the core that plays the event"]
    version: Annotated[str, "version of mtdf that created the event"]
    singles: Annotated[int, "imported games without a partner"]
    note: Annotated[str, "note of `annotate`; empty if there is none"]
    changed: Annotated[
        list[str],
        "external engines that were others when the event was continued with `--allow-changed`: "
        "label and both ids",
    ]
    extensions: Annotated[
        list[int], "game pairs per pairing added by `extend`, one number each time"
    ]


def list_events(db: Database) -> list[EventRow]:
    """Every event, oldest first."""
    events = db.repository.events()
    singles = _single_games(db, events)
    return [_stored_row(db, event, singles) for event in events]


def event_row(db: Database, event: EventRecord) -> EventRow:
    """An event as it is shown."""
    return _stored_row(db, event, _single_games(db, [event]))


def outcome_event_row(outcome: EventOutcome) -> EventRow:
    """The event of an outcome, from the outcome only."""
    engines = [player["label"] for player in outcome.event.settings["players"]]
    return _row(outcome.event, outcome.status, engines, 0)


def _single_games(db: Database, events: Sequence[EventRecord]) -> dict[int, int]:
    """Games without a partner, which only imports have."""
    imported = [event.id for event in events if event.kind == IMPORT_KIND]
    return db.repository.single_games(imported) if imported else {}


def _stored_row(db: Database, event: EventRecord, singles: Mapping[int, int]) -> EventRow:
    engines = [player.label for player in db.repository.event_players(event.id)]
    return _row(event, shown_status(db, event), engines, singles.get(event.id, 0))


def _row(event: EventRecord, status: str, engines: list[str], singles: int) -> EventRow:
    book = event.settings.get("book", {})
    return EventRow(
        id=event.key,
        name=event.name,
        kind=event.kind,
        status=status,
        pairs_planned=event.pairs_planned - singles,
        pairs_done=event.pairs_done - singles,
        seed=None if event.kind == IMPORT_KIND else event.seed,
        pairs_failed=event.pairs_failed,
        engines=engines,
        builds=_builds(event),
        limit=event.settings.get("limit") or {},
        scale_nps=event.settings.get("scale_nps"),
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


def _builds(event: EventRecord) -> dict[str, dict[str, Any]]:
    """How engines of the event were built, by label."""
    from toolkit.events.players import build_of

    found = {engine.label: build_of(engine) for engine in engines_of(event)}
    return {label: build for label, build in found.items() if build is not None}


def _variation(event: EventRecord) -> str:
    """Why an event need not repeat itself, in words; empty for an import, which nobody plays."""
    from engines.limit import limit_of
    from toolkit.events.players import variation_of

    if event.kind == IMPORT_KIND:
        return ""
    limits = [event.settings.get("limit") or {}, *event.settings.get("limits", {}).values()]
    return variation_of(engines_of(event), [limit_of(one) for one in limits])
