"""``mtdf events``: the list of events."""

from __future__ import annotations

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data


@click.command(
    "events",
    cls=Command,
    examples=(
        ("mtdf events", "all events, oldest first"),
        ("mtdf events -v", "also their notes"),
        ("mtdf events --json | jq -r '.[-1].id'", "the id of the newest event"),
    ),
)
@CSV
@click.pass_obj
def command(invocation: Invocation, as_csv: bool) -> None:
    """List the events with their players, progress, limit and seed; with -v also their notes."""
    from toolkit.reports.events import EventRow, list_events
    from toolkit.selection.events import played_events
    from toolkit.selection.labels import shown_players
    from toolkit.show.tables.events import print_events

    with invocation.database() as db:
        rows = list_events(db)
        shown = {event.key: shown_players(db, [event])[event.key] for event in played_events(db)}
    output = invocation.output
    if printed_as_data(output, as_csv, EventRow, rows):
        return
    print_events(output, rows, shown)
    if not rows:
        output.hint("no events yet; start one with `mtdf gauntlet` or `mtdf match`")
