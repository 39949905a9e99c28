"""``mtdf engines``: variants, external engines, drivers and parameters."""

from __future__ import annotations

from collections.abc import Sequence

import click

from toolkit.base.format import count_of, format_count, format_setting
from toolkit.base.output import Output
from toolkit.base.rows import field_names
from toolkit.base.table import Column
from toolkit.commands._base import Group
from toolkit.commands._csv import CSV, printed_as_data, refuse_both
from toolkit.commands._engine_test import test_command
from toolkit.commands._invocation import Invocation
from toolkit.commands._named_engines import add_command, print_external, remove_command
from toolkit.commands._selection import saying_left_out
from toolkit.commands._types import EngineName
from toolkit.reports.catalog import (
    DifferenceRow,
    DriverRow,
    EngineDetail,
    EngineDifference,
    EngineRow,
    OptionRow,
    ParameterRow,
)


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
    from toolkit.selection.games import Selection

    with invocation.optional_database() as database:
        if database is None:
            rows = list_engines(None)
        else:
            with saying_left_out(invocation.output, database, Selection()):
                rows = list_engines(database)
    if not printed_as_data(invocation.output, as_csv, EngineRow, rows):
        print_engines(invocation.output, rows)


def print_engines(output: Output, rows: Sequence[EngineRow]) -> None:
    """Print engines, one line each."""
    has_commands = any(row.command for row in rows)
    columns = [
        Column("engine"),
        Column("kind", spare=2),
        Column("driver", spare=3),
        Column("spelling", spare=1),
        Column("id"),
        Column("games", "right", 4),
        *([Column("command", spare=5)] if has_commands else ()),
    ]
    cells = [
        (
            *(name, row.kind, row.driver, row.spelling, row.id or "--"),
            format_count(row.games),
            *([row.command or ""] if has_commands else ()),
        )
        for name, row in zip(_shown(rows), rows, strict=True)
    ]
    output.table(columns, cells)


def _shown(rows: Sequence[EngineRow]) -> list[str]:
    """The labels of these engines in a table, with the parameters in which they differ."""
    from db.records import VariantRecord
    from toolkit.selection.labels import display_labels

    return display_labels(
        [
            (
                row.engine,
                VariantRecord(
                    *(row.id, row.kind, row.driver, row.parameters, row.spelling)
                ),
            )
            for row in rows
        ]
    )


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
    engine, `uci:COMMAND` or kept under a name, is started to show the options that it announces.
    """
    from toolkit.reports.catalog import show_engine

    output = invocation.output
    with invocation.optional_database() as database:
        shown = show_engine(engine, database)
        compared = show_engine(other, database) if other else None
    if compared is None:
        _print_engine(output, shown, as_csv)
    else:
        _print_differences(output, shown, compared, as_csv)


command.add_command(add_command)
command.add_command(remove_command)
command.add_command(test_command)


@command.command(
    "rename",
    short_help="Change the label of an engine in all stored runs.",
    examples=(
        ("mtdf engines rename mtdf:grain=20 coarse", "a label that is a spelling"),
        ("mtdf engines rename 'pvs [d94d43]' pvs-old", "if several engines are labelled pvs"),
    ),
)
@click.argument("old", metavar="OLD", type=EngineName())
@click.argument("new", metavar="NEW")
@click.pass_obj
def rename_command(invocation: Invocation, old: str, new: str) -> None:
    """Change the label of an engine in all events, studies and laboratory runs. Nothing may be
    played meanwhile. NEW must be free in each of them. Stored rating lists keep the labels of their
    day."""
    from toolkit.play.relabelling import rename_engine

    output = invocation.output
    with invocation.database(writes=True) as db:
        row = rename_engine(db, old, new)
    if output.as_json:
        output.json_object(row)
        return
    places = [
        count_of(len(found), one, more)
        for found, one, more in (
            (row.events, "event", "events"),
            (row.studies, "study", "studies"),
            (row.runs, "laboratory run", "laboratory runs"),
        )
        if found
    ]
    where = f" in {', '.join(places)}" if places else ""
    output.text(f"engine {row.before} is now {row.engine}{where}")


@command.command(
    "drivers",
    examples=(
        ("mtdf engines drivers", "names, windows, sources"),
        ("mtdf engines drivers --json", "with the names of their parameters"),
    ),
)
@CSV
@click.pass_obj
def drivers_command(invocation: Invocation, as_csv: bool) -> None:
    """List the drivers, which are the algorithms at the root."""
    from toolkit.reports.catalog import list_drivers

    rows = list_drivers()
    if not printed_as_data(invocation.output, as_csv, DriverRow, rows):
        print_drivers(invocation.output, rows)


def print_drivers(output: Output, rows: Sequence[DriverRow]) -> None:
    """Print drivers, one line each."""
    cells = [(row.driver, row.windows, row.doc) for row in rows]
    columns = [Column("driver"), Column("windows", spare=1), Column("what it does", prose=True)]
    output.table(columns, cells)


@command.command(
    "parameters",
    examples=(
        ("mtdf engines parameters", "all parameters"),
        ("mtdf engines parameters --driver pvs", "the parameters of one driver"),
    ),
)
@click.option("--driver", metavar="DRIVER", help="Only the parameters of this driver.")
@CSV
@click.pass_obj
def parameters_command(invocation: Invocation, driver: str | None, as_csv: bool) -> None:
    """List the parameters with their defaults, ranges and meanings."""
    from toolkit.reports.catalog import list_parameters

    rows = list_parameters(driver)
    if not printed_as_data(invocation.output, as_csv, ParameterRow, rows):
        print_parameters(invocation.output, rows)


def print_parameters(output: Output, rows: Sequence[ParameterRow]) -> None:
    """Print parameters, one line each."""
    columns = [Column("parameter"), Column("default"), Column("off", spare=1)]
    columns += [Column("range", spare=2), Column("what it does", prose=True)]
    cells = [
        (
            *(row.parameter, format_setting(row.default), format_setting(row.off)),
            *(row.range, row.doc),
        )
        for row in rows
    ]
    output.table(columns, cells)


def _print_engine(output: Output, row: EngineDetail, as_csv: bool) -> None:
    refuse_both(output, as_csv)
    if output.as_json:
        output.json_object(row)
        return
    if as_csv:
        output.csv_rows(field_names(EngineDetail), [row])
        return
    if row.kind == "uci":
        print_external(output, row)
        _print_options(output, row.options)
        return
    output.text(f"engine    {row.engine}")
    output.text(f"kind      {row.kind}")
    output.text(f"spelling  {row.spelling}")
    output.text(f"id        {row.id}")
    output.text(f"games     {format_count(row.games)}")
    output.text()
    values = [(name, format_setting(value)) for name, value in row.parameters.items()]
    output.table([Column("parameter"), Column("value")], values)


def _print_options(output: Output, options: Sequence[OptionRow] | None) -> None:
    """What a started external engine announces."""
    if options is None:
        output.hint("its options are known to itself: show uci:COMMAND, or a name that is kept")
        return
    output.text()
    cells = [
        (
            *(one.option, one.type, _value_text(one.default), _range_text(one)),
            "" if one.value is None else _value_text(one.value),
        )
        for one in options
    ]
    columns = [Column("option"), Column("type", spare=1), Column("default"), Column("range")]
    output.table([*columns, Column("set")], cells)


def _value_text(value: str | None) -> str:
    return "--" if value is None else value or "<empty>"


def _range_text(option: OptionRow) -> str:
    if option.type == "combo":
        return ", ".join(option.choices)
    low, high = option.low, option.high
    return "" if low is None and high is None else f"{_end(low)} to {_end(high)}"


def _end(value: int | None) -> str:
    return "?" if value is None else str(value)


def _print_differences(output: Output, row: EngineRow, other: EngineRow, as_csv: bool) -> None:
    from toolkit.reports.catalog import diff_engines

    refuse_both(output, as_csv)
    differences = diff_engines(row, other)
    if output.as_json:
        output.json_object(
            EngineDifference(engine=row.engine, other=other.engine, differences=differences)
        )
        return
    if as_csv:
        output.csv_rows(field_names(DifferenceRow), differences)
        return
    columns = [Column(""), Column(row.engine), Column(other.engine)]
    cells = [
        (line.parameter, format_setting(line.engine), format_setting(line.other))
        for line in differences
    ]
    output.table(columns, cells)
    if not differences:
        output.hint("the two are one engine: same id, same games")
