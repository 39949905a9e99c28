"""``mtdf history``: a rating over the stored lists."""

from __future__ import annotations

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._ratings import scope_of
from toolkit.commands._types import EngineName
from toolkit.output import Column, format_count, format_number
from toolkit.report_rows import HistoryLine
from toolkit.rows import field_names


@click.command(
    "history",
    cls=Command,
    short_help="Show the rating of an engine in the lists that were stored.",
    examples=(
        ("mtdf history mtdf", "its rating in every stored list"),
        ("mtdf history mtdf --whole", "only in lists of all games, which compare best"),
        ("mtdf history mtdf --csv > history.csv", "for a spreadsheet"),
    ),
)
@click.argument("engine", metavar="ENGINE", type=EngineName())
@click.option("--event", metavar="EVENT", help="Only lists of this event: id, name, or last.")
@click.option("--whole", is_flag=True, help="Only lists of all games.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.pass_context
def command(ctx: click.Context, engine: str, event: str | None, whole: bool, as_csv: bool) -> None:
    """Show the rating of an engine in the lists that `mtdf ratings` and finished events stored, the
    oldest first. Each list has a scale of its own: its anchors, or its mean."""
    from toolkit.history import lines_by_engine, rating_history, sparkline

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if output.as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", ctx)
    with invocation.database() as db:
        rows = rating_history(db, engine, event=event, whole=whole)
    if output.as_json:
        output.json_rows(rows)
        return
    if as_csv:
        output.csv_rows(field_names(HistoryLine), rows)
        return
    columns = [
        Column("list", "right"),
        Column("made"),
        Column("engine"),
        Column("Elo", "right"),
        Column("±95", "right"),
        Column("games", "right"),
        Column("rank", "right"),
        Column("of"),
    ]
    output.table(columns, [_cells(row) for row in rows])
    engines = lines_by_engine(rows)
    for label, values in engines.items():
        low, high = (format_number(value, signed=True) for value in (min(values), max(values)))
        whose = f"  {label}" if len(engines) > 1 else ""
        output.text(f"{sparkline(values)}  {low} to {high}{whose}")


def _cells(row: HistoryLine) -> tuple[str, ...]:
    return (
        str(row["list"]),
        row["created_at"][:16].replace("T", " "),
        row["engine"],
        format_number(row["elo"], signed=True),
        format_number(row["error95"]),
        format_count(row["games"]),
        f"{row['rank']}/{row['players']}",
        scope_of(row["settings"]),
    )
