"""``mtdf extend``: more game pairs of an event."""

from __future__ import annotations

import click

from toolkit.base.format import format_count
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import EVENT_NAME, WHOLE


@click.command(
    "extend",
    cls=Command,
    examples=(
        ("mtdf extend last --pairs 200", "200 more pairs of each pairing"),
        ("mtdf resume last", "play them"),
    ),
)
@click.argument("event", metavar="EVENT", type=EVENT_NAME)
@click.option("--pairs", type=WHOLE, required=True, help="More game pairs per pairing.")
@click.pass_obj
def command(invocation: Invocation, event: str, pairs: int) -> None:
    """Plan more game pairs for each pairing of an event; `mtdf resume` plays them.

    The event is marked as extended, and the intervals of its pairings are valid at any look. If the
    result made you go on, the errors of ratings are greater than printed. A sequential test and an
    event in rounds, such as a race, cannot be extended.
    """
    from toolkit.events.event import extend_event
    from toolkit.reports.events import event_row
    from toolkit.runs.lifecycle import resume_command
    from toolkit.selection.events import find_event

    output = invocation.output
    with invocation.database(writes=True) as db:
        record = extend_event(db, find_event(db, event), pairs)
        row = event_row(db, record)
    if output.as_json:
        output.json_object(row)
        return
    planned = format_count(record.pairs_planned)
    output.text(
        f"event {record.key} now has {planned} pairs; play them with: {resume_command(record)}"
    )
