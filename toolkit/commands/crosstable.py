"""``mtdf crosstable``: who scored what against whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands._selection import say_left_out, selection_of, selection_options
from toolkit.output import Column, Output, count_of, format_count
from toolkit.report_rows import CrosstableRow
from toolkit.rows import field_names

if TYPE_CHECKING:
    from toolkit.meetings import Crosstable

_MOST_COLUMNS = 8
"""More players than these are listed by pairs only: their table would not fit on a screen."""
_MOST_ROWS = 500
"""More rows than these are printed only where all are asked for."""


@click.command(
    "crosstable",
    cls=Command,
    short_help="Show what every two engines scored against each other.",
    examples=(
        ("mtdf crosstable", "wins-losses-draws of each two engines of the newest event"),
        ("mtdf crosstable --event r3f9 --engine mtdf* --colors", "of some engines, colours apart"),
        ("mtdf crosstable --all-events --csv > all.csv", "of all games, for a spreadsheet"),
    ),
)
@selection_options
@click.option("--all-events", is_flag=True, help="Games of all events, not of the newest one.")
@click.option("--colors", "--colours", is_flag=True, help="Tell the colours apart.")
@click.option("--mix", is_flag=True, help="Count an engine as one though several cores played it.")
@click.option("--all", "all_rows", is_flag=True, help="Print every row, also more than 500.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    all_events: bool,
    colors: bool,
    mix: bool,
    all_rows: bool,
    as_csv: bool,
    **values: Any,
) -> None:
    """Show what every two engines scored against each other: games as wins-losses-draws, and pairs
    by points. Without --event it is of the newest event that is not one of tuning. Every distinct
    game counts once."""
    from toolkit.meetings import crosstable
    from toolkit.selection import newest_event

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if output.as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other", ctx)
    if all_events and values["events"]:
        raise click.UsageError("--event and --all-events exclude each other", ctx)
    with invocation.database() as db:
        selection = selection_of(values)
        say_left_out(output, db, selection)
        if not all_events and not selection.events:
            selection = replace(selection, events=(newest_event(db),))
        table = crosstable(db, selection, mix=mix)
    if output.as_json:
        output.json_rows(table.rows)
    elif as_csv:
        output.csv_rows(field_names(CrosstableRow), table.rows)
    else:
        _print(output, table, colors, all_rows)


def _print(output: Output, table: Crosstable, colors: bool, all_rows: bool) -> None:
    if len(table.players) <= _MOST_COLUMNS:
        _print_matrix(output, table)
        output.text()
    columns = [
        Column("engine"),
        Column("against"),
        Column("games", "right"),
        Column("score", "right"),
        Column("W-L-D", "right"),
        *([Column("as White", "right"), Column("as Black", "right")] if colors else []),
        Column("pairs 0, ½, 1, 1½, 2"),
    ]
    shown = table.rows if all_rows else table.rows[:_MOST_ROWS]
    output.long_table(columns, (_cells(row, colors) for row in shown))
    if len(shown) < len(table.rows):
        output.text(f"{count_of(len(table.rows) - len(shown), 'more row')} (--all)")
    if table.excluded:
        output.text(f"{count_of(table.excluded, 'game repeats', 'games repeat')} others, left out")
    if table.apart:
        output.text(
            f"{count_of(table.apart, 'engine was', 'engines were')} played by several cores, each "
            "counted apart, as "
            "NAME @BACKEND:SIGNATURE (--mix counts each as one)"
        )


def _print_matrix(output: Output, table: Crosstable) -> None:
    cell = {}
    for row in table.rows:
        won, lost, drawn = row["wins"], row["losses"], row["draws"]
        cell[row["first"], row["second"]] = _record(won, lost, drawn)
        cell[row["second"], row["first"]] = _record(lost, won, drawn)
    numbers = [str(number) for number in range(1, len(table.players) + 1)]
    output.table(
        [Column("#", "right"), Column("engine"), *(Column(number, "right") for number in numbers)],
        [
            (
                number,
                player,
                *("--" if o == player else cell.get((player, o), "") for o in table.players),
            )
            for number, player in zip(numbers, table.players, strict=True)
        ],
    )


def _cells(row: CrosstableRow, colors: bool) -> tuple[str, ...]:
    sides = (
        _record(row["white_wins"], row["white_losses"], row["white_draws"]),
        _record(row["black_wins"], row["black_losses"], row["black_draws"]),
    )
    return (
        row["first"],
        row["second"],
        format_count(row["games"]),
        f"{100 * row['score']:.1f} %",
        _record(row["wins"], row["losses"], row["draws"]),
        *(sides if colors else ()),
        str(row["pentanomial"]),
    )


def _record(won: int, lost: int, drawn: int) -> str:
    return f"{won}-{lost}-{drawn}"
