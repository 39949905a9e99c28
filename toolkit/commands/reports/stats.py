"""``mtdf stats``: statistics of an event."""

from __future__ import annotations

import click

from toolkit.base.rows import field_names
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import csv_option, refuse_both
from toolkit.commands.options.types import EVENT_NAME


@click.command(
    "stats",
    cls=Command,
    examples=(
        ("mtdf stats last", "the newest event"),
        ("mtdf stats r3f9 --json | jq .end_reasons", "how its games ended"),
        ("mtdf stats last --csv > players.csv", "its players, for a spreadsheet"),
    ),
)
@click.argument("event", metavar="EVENT", type=EVENT_NAME)
@csv_option("Print the players as CSV.")
@click.pass_context
def command(ctx: click.Context, event: str, as_csv: bool) -> None:
    """Show statistics of an event: results, end reasons and lengths of the games, scores and search
    cost of the players. EVENT is an id, a name, or last. Repeated games are included."""
    from toolkit.reports.event_statistics import PlayerStats, event_stats
    from toolkit.reports.load import load_text
    from toolkit.selection.events import find_event
    from toolkit.selection.labels import shown_players
    from toolkit.show.tables.stats import print_stats

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    with invocation.database() as db:
        record = find_event(db, event)
        stats = event_stats(db, record)
        shown = shown_players(db, [record])[record.key]
        load = load_text(db, record)
    if output.as_json:
        output.json_object(stats)
    elif as_csv:
        output.csv_rows(field_names(PlayerStats), stats.players)
    else:
        print_stats(output, stats, shown)
    if load:
        output.warning(load)
