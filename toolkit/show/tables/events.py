"""Events: one line each, or one in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engines.limit import spell_limit, spell_limit_of
from engines.registry import PARAMETERS
from toolkit.base.format import count_of, format_core, format_count, format_moment
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.show.tables.runs import note_field

if TYPE_CHECKING:
    from toolkit.reports.events import EventRow
    from toolkit.reports.machines import Machine

_NAMES = 12
"""Players that are named in the table."""


def print_event(output: Output, row: EventRow, machines: Sequence[Machine]) -> None:
    """One event, a line a field."""
    from toolkit.reports.external import build_text
    from toolkit.reports.machines import machines_text

    fields = {
        "event": row.id,
        "name": row.name,
        "note": row.note,
        "game": row.game_played,
        "kind": row.kind,
        "status": row.status,
        "pairs": _pairs(row),
        "extended": _extended(row),
        "changed": ", ".join(row.changed),
        "failed": format_count(row.pairs_failed) if row.pairs_failed else "",
        "engines": _names(row.engines, row.kind),
        **{label: build_text(build) for label, build in row.builds.items()},
        "limit": spell_limit_of(row.limit, row.variation),
        "times": f"for {format_count(row.scale_nps)} nodes/s" if row.scale_nps else "",
        "book": " slice ".join(filter(None, (row.book, row.book_slice))),
        "seed": "" if row.seed is None else str(row.seed),
        "created": row.created_at,
        "started": row.started_at or "",
        "ended": row.ended_at or "",
        "core": format_core(f"{row.backend}:{row.signature}"),
        "version": row.version,
        "machine" if len(machines) == 1 else "machines": machines_text(machines),
    }
    for name, value in fields.items():
        if value:
            output.text(value, lead=f"{name:<8} ")


def _extended(row: EventRow) -> str:
    """That an event was extended, and what that means."""
    if not row.extensions:
        return ""
    return extension_text(row.extensions)


def extension_text(extensions: Sequence[int]) -> str:
    """How an event was extended, and what that means for its result."""
    added = " and ".join(map(str, extensions))
    return f"by {added} pairs a pairing after it had started: no sample of a fixed size"


def print_events(
    output: Output,
    rows: Sequence[EventRow],
    shown: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Events, one line each; ``shown``: the names of their players, by event and label."""
    shown = shown or {}
    fields: list[Field[EventRow]] = [
        Field("event", lambda row: row.id),
        Field("name", lambda row: row.name or None),
        Field(
            "game",
            lambda row: row.game_played,
            when=any(row.game_played != PARAMETERS["game"].neutral for row in rows),
        ),
        Field("kind", lambda row: row.kind, spare=1),
        Field("status", lambda row: row.status),
        Field("pairs", _pairs, "right"),
        Field("limit", lambda row: spell_limit(row.limit), spare=3),
        Field(
            "slice",
            lambda row: row.book_slice or None,
            "right",
            4,
            when=any(row.book_slice for row in rows),
        ),
        Field("seed", lambda row: None if row.seed is None else str(row.seed), "right", 5),
        Field("started", lambda row: format_moment(row.started_at), spare=2),
        Field(
            "engines",
            lambda row: _names(
                [shown.get(row.id, {}).get(name, name) for name in row.engines], row.kind
            ),
            spare=6,
        ),
        note_field(output, rows, lambda row: row.note),
    ]
    output.table(fields, rows)


def _pairs(row: EventRow) -> str:
    """Pairs done and planned, and games without a partner."""
    pairs = f"{format_count(row.pairs_done)}/{format_count(row.pairs_planned)}"
    return f"{pairs} +{count_of(row.singles, 'game')}" if row.singles else pairs


def _names(engines: Sequence[str], kind: str) -> str:
    """Some of the names; imports have thousands. The points of a study are only counted: their
    names are the numbers of trials."""
    from db.records.events import TUNING_KIND

    if kind == TUNING_KIND:
        named = [name for name in engines if not name.startswith("#")]
        points = count_of(len(engines) - len(named), "point")
        return f"{', '.join(named)} and {points} of the study"
    more = len(engines) - _NAMES
    return ", ".join(engines[:_NAMES]) + (f" and {format_count(more)} more" if more > 0 else "")
