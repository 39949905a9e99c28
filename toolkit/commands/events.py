"""``mtdf events``: the list of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.commands._base import Command
from toolkit.commands._csv import CSV, printed_as_data
from toolkit.commands._invocation import Invocation
from toolkit.reports.rows import EventRow
from toolkit.selection.limits import spell_limit

_NAMES = 12
"""Players that are named in the table."""


@click.command(
    "events",
    cls=Command,
    short_help="List the events and their progress.",
    examples=(
        ("mtdf events", "all events, oldest first"),
        ("mtdf events --json | jq -r '.[-1].id'", "the id of the newest event"),
    ),
)
@CSV
@click.pass_obj
def command(invocation: Invocation, as_csv: bool) -> None:
    """List the events with their players, progress, limit and seed."""
    from toolkit.reports.events import list_events
    from toolkit.selection.events import played_events
    from toolkit.selection.labels import shown_players

    with invocation.database() as db:
        rows = list_events(db)
        shown = shown_players(db, played_events(db))
    output = invocation.output
    if printed_as_data(output, as_csv, EventRow, rows):
        return
    print_events(output, rows, shown)
    if not rows:
        output.hint("no events yet; start one with `mtdf gauntlet` or `mtdf match`")


def print_events(
    output: Output,
    rows: Sequence[EventRow],
    shown: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Events, one line each; ``shown``: the names of their players, by event and label."""
    shown = shown or {}
    columns = [
        Column("event"),
        Column("name"),
        Column("kind", spare=1),
        Column("status"),
        Column("pairs", "right"),
        Column("limit", spare=3),
        Column("seed", "right", 5),
        Column("started", spare=2),
        Column("engines", spare=6),
    ]
    cells: list[tuple[str, ...]] = [
        (
            row["id"],
            row["name"] or "--",
            row["kind"],
            row["status"],
            _pairs(row),
            spell_limit(row["limit"]),
            "--" if row["seed"] is None else str(row["seed"]),
            (row["started_at"] or "--")[:16].replace("T", " "),
            _names([shown.get(row["id"], {}).get(name, name) for name in row["engines"]]),
        )
        for row in rows
    ]
    if any(row["book_slice"] for row in rows):
        columns.insert(6, Column("slice", "right", 4))
        cells = [
            (*cell[:6], row["book_slice"] or "--", *cell[6:])
            for cell, row in zip(cells, rows, strict=True)
        ]
    output.table(columns, cells)


def _pairs(row: EventRow) -> str:
    """Pairs done and planned, and games without a partner."""
    pairs = f"{format_count(row['pairs_done'])}/{format_count(row['pairs_planned'])}"
    return f"{pairs} +{count_of(row['singles'], 'game')}" if row["singles"] else pairs


def _names(engines: Sequence[str]) -> str:
    """Some of the names; imports have thousands."""
    more = len(engines) - _NAMES
    return ", ".join(engines[:_NAMES]) + (f" and {format_count(more)} more" if more > 0 else "")
