"""``mtdf engines``: variants, external engines, drivers and parameters."""

from __future__ import annotations

import click

from engines.choices import GAMES
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.engines._builds import builds_command
from toolkit.commands.engines._engine_test import test_command
from toolkit.commands.engines._named_engines import add_command, remove_command
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.selection import saying_left_out
from toolkit.commands.options.types import EngineName


@click.group(
    cls=Group,
    name="engines",
    examples=(
        ("mtdf engines list", "engines in the database, and the drivers with default values"),
        ("mtdf engines add sf stockfish --option Hash=64", "keep an external engine"),
        ("mtdf engines test sf", "whether it keeps the protocol and its limits"),
    ),
)
def command() -> None:
    """List engines, drivers and parameters; keep and test engines."""


@command.command(
    "list",
    short_help="List the engines in the database and the drivers.",
    examples=(
        ("mtdf engines list", "all engines"),
        ("mtdf engines list --json | jq -r '.[].spelling'", "their command-line spellings"),
    ),
)
@CSV
@click.pass_obj
def list_command(invocation: Invocation, as_csv: bool) -> None:
    """List the engines in the database, except those that only `tune` played, every driver with
    default values, and the external engines that are kept. Tuning games are not counted."""
    from toolkit.reports.catalog import list_engines
    from toolkit.reports.external import EngineRow
    from toolkit.selection.games import Selection
    from toolkit.show.tables.engines import print_engines

    with invocation.optional_database() as database:
        if database is None:
            rows = list_engines(None)
        else:
            with saying_left_out(invocation.output, database, Selection()):
                rows = list_engines(database)
    if not printed_as_data(invocation.output, as_csv, EngineRow, rows):
        print_engines(invocation.output, rows)


@command.command(
    "show",
    short_help="Show an engine, or the differences of two.",
    examples=(
        ("mtdf engines show mtdf", "all effective parameters"),
        ("mtdf engines show mtdf:grain=4 --diff pvs", "only the differences"),
        ("mtdf engines show uci:stockfish", "the options of an external engine"),
    ),
)
@click.argument("engine", metavar="ENGINE", type=EngineName())
@click.option(
    "--diff",
    "other",
    metavar="ENGINE",
    type=EngineName(),
    help="Show only the differences from this engine.",
)
@CSV
@click.pass_obj
def show_command(invocation: Invocation, engine: str, other: str | None, as_csv: bool) -> None:
    """Show the effective parameters of an engine, or the differences of two.

    ENGINE is a variant such as `mtdf:guess=parity`, or a label or id in the database. An external
    engine, `uci:COMMAND`, `git:REPO@REF` or kept under a name, is started to show the options that
    it announces.
    """
    from toolkit.reports.catalog import DifferenceRow, EngineDifference, diff_engines, show_engine
    from toolkit.reports.external import EngineDetail
    from toolkit.show.tables.engines import print_differences, print_engine

    output = invocation.output
    with invocation.optional_database() as database:
        shown = show_engine(engine, database)
        compared = show_engine(other, database) if other else None
    if compared is None:
        if not printed_as_data(output, as_csv, EngineDetail, [shown], whole=shown):
            print_engine(output, shown)
        return
    rows = diff_engines(shown, compared)
    whole = EngineDifference(engine=shown.engine, other=compared.engine, differences=rows)
    if not printed_as_data(output, as_csv, DifferenceRow, rows, whole=whole):
        print_differences(output, whole)


command.add_command(add_command)
command.add_command(remove_command)
command.add_command(test_command)
command.add_command(builds_command)


@command.command(
    "parameters",
    examples=(
        ("mtdf engines parameters", "all parameters"),
        ("mtdf engines parameters --driver pvs", "the parameters of one driver"),
        ("mtdf engines parameters --game othello", "those that have an effect in Othello"),
    ),
)
@click.option("--driver", metavar="DRIVER", help="Only the parameters of this driver.")
@click.option(
    "--game", type=click.Choice(tuple(GAMES)), help="Only those that have an effect in this game."
)
@CSV
@click.pass_obj
def parameters_command(
    invocation: Invocation, driver: str | None, game: str | None, as_csv: bool
) -> None:
    """List the parameters with their defaults, ranges and meanings."""
    from toolkit.reports.catalog import ParameterRow, list_parameters
    from toolkit.show.tables.engines import print_parameters

    rows = list_parameters(driver, game)
    if not printed_as_data(invocation.output, as_csv, ParameterRow, rows):
        print_parameters(invocation.output, rows)
