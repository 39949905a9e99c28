"""``mtdf query``: SQL queries by the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both

if TYPE_CHECKING:
    from db.session import Database


@click.command(
    "query",
    cls=Command,
    examples=(
        (
            "mtdf query 'select end_reason, count(*) from v_match_games group by 1 order by 2'",
            "how games end; v_games also has tuning games",
        ),
        (
            "mtdf query \"select * from v_games where event_name = 'league'\" --csv > games.csv",
            "games of one event, for a spreadsheet",
        ),
        ("mtdf query --list-views", "the available views; docs/database.md describes them"),
    ),
)
@click.argument("statement", metavar="[SELECT]", required=False)
@click.option("--list-views", is_flag=True, help="List the views and their columns.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=float,
    default=60.0,
    show_default=True,
    help="Stop after this time.",
)
@CSV
@click.pass_context
def command(
    ctx: click.Context, statement: str | None, list_views: bool, timeout: float, as_csv: bool
) -> None:
    """Run one SELECT statement on a read-only connection."""
    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    if (statement is None) != list_views:
        raise click.UsageError("give one SELECT, or --list-views", ctx)
    with invocation.database() as db:
        if statement is None:
            _print_views(output, db, as_csv)
        else:
            _print_answer(output, db, statement, timeout, as_csv)


def _print_answer(
    output: Output, db: Database, statement: str, timeout_s: float, as_csv: bool
) -> None:
    from toolkit.reports.sql import ask

    with ask(db, statement, timeout_s=timeout_s) as answer:
        if output.as_json:
            output.json_rows(answer.rows)
        elif as_csv:
            output.csv_rows(answer.columns, answer.rows)
        else:
            cells = ([_cell(value) for value in row.values()] for row in answer.rows)
            # The columns are as the statement wants them, so the last ones make room first.
            spare = (Column(name, spare=place) for place, name in enumerate(answer.columns))
            output.cells(list(spare), cells)


def _print_views(output: Output, db: Database, as_csv: bool) -> None:
    from toolkit.reports.sql import ViewRow, list_views

    if not printed_as_data(output, as_csv, ViewRow, list_views(db)):
        for view, columns in db.views().items():
            output.text(f"{view:<12} {', '.join(columns)}")


def _cell(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)
