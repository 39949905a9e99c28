"""``mtdf history``: a rating over time, from the stored lists."""

from __future__ import annotations

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.types import EVENT_NAME, EngineName


@click.command(
    "history",
    cls=Command,
    examples=(
        ("mtdf history mtdf", "its rating in all stored lists"),
        ("mtdf history mtdf --whole", "only lists of all games"),
        ("mtdf history mtdf --csv > history.csv", "for a spreadsheet"),
    ),
)
@click.argument("engine", metavar="ENGINE", type=EngineName())
@click.option(
    "--event", metavar="EVENT", type=EVENT_NAME, help="Only lists of this event: id, name, or last."
)
@click.option("--whole", is_flag=True, help="Only lists of all games.")
@CSV
@click.pass_context
def command(ctx: click.Context, engine: str, event: str | None, whole: bool, as_csv: bool) -> None:
    """Show the rating of an engine in the stored lists, oldest first. Lists are stored by `mtdf
    ratings --store` and, for all games, by each finished event.

    Lists are comparable only if they have the same scale (anchors, or the mean) and the same
    selection of games. Each such history, limit and core of the engine has its own table.
    """
    from toolkit.ratings.history import HistoryLine, rating_history
    from toolkit.show.tables.history import print_history

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    with invocation.database() as db:
        rows = rating_history(db, engine, event=event, whole=whole)
    if not printed_as_data(output, as_csv, HistoryLine, rows):
        print_history(output, rows)
