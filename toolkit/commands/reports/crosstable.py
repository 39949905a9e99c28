"""``mtdf crosstable``: the scores of every pairing."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.selection import saying_left_out, selection_of, selection_options


@click.command(
    "crosstable",
    cls=Command,
    examples=(
        ("mtdf crosstable", "wins-losses-draws of every pairing in the newest event"),
        (
            "mtdf crosstable --event r3f9 --engine 'mtdf*' --colors",
            "some engines, with separate results for White and Black",
        ),
        ("mtdf crosstable --all-events --csv > all.csv", "all games, for a spreadsheet"),
    ),
)
@selection_options
@click.option("--all-events", is_flag=True, help="Include all events, not only the newest one.")
@click.option(
    "--colors", "--colours", is_flag=True, help="Show separate results with White and with Black."
)
@click.option("--mix", is_flag=True, help="Combine games of different cores.")
@click.option("--mix-limits", is_flag=True, help="Combine games under different limits.")
@click.option(
    "--all", "all_rows", is_flag=True, help="Print all rows, even if there are more than 500."
)
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    /,
    all_events: bool,
    colors: bool,
    mix: bool,
    mix_limits: bool,
    all_rows: bool,
    as_csv: bool,
    **values: Any,
) -> None:
    """Show the score of every pairing: games as wins-losses-draws, and game pairs by points (0,
    1/2, 1, 3/2, 2). The default is the newest event that is not a tuning event. Each distinct game
    counts once. Games under different limits are counted separately, unless --mix-limits is
    given."""
    from toolkit.reports.crosstables import CrosstableRow, crosstable
    from toolkit.selection.events import newest_event
    from toolkit.show.tables.crosstable import print_crosstable

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    if all_events and values["events"]:
        raise click.UsageError("--event and --all-events exclude each other", ctx)
    with invocation.database() as db:
        selection = selection_of(values)
        with saying_left_out(output, db, selection):
            if not all_events and not selection.events:
                selection = replace(selection, events=(newest_event(db, selection.game),))
            table = crosstable(db, selection, mix=mix, mix_limits=mix_limits)
    if not printed_as_data(output, as_csv, CrosstableRow, table.rows):
        print_crosstable(output, table, colors=colors, all_rows=all_rows)
