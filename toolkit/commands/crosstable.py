"""``mtdf crosstable``: the scores of every pairing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from engines.limit import spell_limit, spell_limit_key, spell_limits
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.commands._base import Command
from toolkit.commands._csv import CSV, printed_as_data, refuse_both
from toolkit.commands._invocation import Invocation
from toolkit.commands._ratings import LIMIT, cores_text, numbered
from toolkit.commands._selection import saying_left_out, selection_of, selection_options
from toolkit.reports.rows import CrosstableRow

if TYPE_CHECKING:
    from toolkit.reports.crosstables import Crosstable

_MOST_COLUMNS = 8
"""More players than these are listed by pairs only: their table would not fit on a screen."""
_MOST_ROWS = 500
"""Rows printed without ``--all``."""


@click.command(
    "crosstable",
    cls=Command,
    short_help="Show the score of every pairing.",
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
    from toolkit.reports.crosstables import crosstable
    from toolkit.selection.events import newest_event

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


def print_crosstable(
    output: Output, table: Crosstable, *, colors: bool = False, all_rows: bool = False
) -> None:
    """The scores of every pairing; for few players also as a matrix."""
    if len(table.players) <= _MOST_COLUMNS:
        _print_matrix(output, table)
        output.text()
    columns = [
        Column("engine"),
        Column("against"),
        *([replace(LIMIT, spare=2)] if table.several_limits else []),
        Column("games", "right", 4),
        Column("score", "right"),
        Column("W-L-D", "right", 1),
        *([Column("as White", "right", 3), Column("as Black", "right", 3)] if colors else []),
        Column("pairs", spare=5),
    ]
    shown = table.rows if all_rows else table.rows[:_MOST_ROWS]
    names = dict(zip(table.players, table.shown, strict=True))
    output.table(columns, (_cells(table, names, row, colors) for row in shown))
    if len(shown) < len(table.rows):
        output.text(f"{count_of(len(table.rows) - len(shown), 'more row')} (--all)")
    if table.excluded:
        output.text(f"{count_of(table.excluded, 'game repeats', 'games repeat')} others, left out")
    if table.apart:
        output.text(cores_text(table.apart, "count"))
    if table.several_limits:
        output.text(
            "games under different limits are counted separately (--mix-limits combines them)"
        )


def _print_matrix(output: Output, table: Crosstable) -> None:
    cell = {}
    for row in table.rows:
        won, lost, drawn = row["wins"], row["losses"], row["draws"]
        one = row["first"], spell_limit(row["first_limit"])
        two = row["second"], spell_limit(row["second_limit"])
        cell[one, two] = _record(won, lost, drawn)
        cell[two, one] = _record(lost, won, drawn)
    limits = [spell_limit_key(limit) for limit in table.limits]
    players = list(zip(table.players, limits, strict=True))
    numbers = [str(number) for number in range(1, len(players) + 1)]
    titles = [Column("#", "right"), Column("engine"), *([LIMIT] if table.several_limits else [])]
    output.table(
        [*titles, *(numbered(number) for number in range(1, len(players) + 1))],
        [
            (
                numbers[place],
                table.shown[place],
                *([limits[place]] if table.several_limits else []),
                *("--" if other == player else cell.get((player, other), "") for other in players),
            )
            for place, player in enumerate(players)
        ],
    )


def _cells(
    table: Crosstable, names: Mapping[str, str], row: CrosstableRow, colors: bool
) -> tuple[str, ...]:
    sides = (
        _record(row["white_wins"], row["white_losses"], row["white_draws"]),
        _record(row["black_wins"], row["black_losses"], row["black_draws"]),
    )
    return (
        names[row["first"]],
        names[row["second"]],
        *([spell_limits(row["first_limit"], row["second_limit"])] if table.several_limits else []),
        format_count(row["games"]),
        f"{100 * row['score']:.1f} %",
        _record(row["wins"], row["losses"], row["draws"]),
        *(sides if colors else ()),
        str(row["pentanomial"]),
    )


def _record(won: int, lost: int, drawn: int) -> str:
    return f"{won}-{lost}-{drawn}"
