"""Engines, drivers, parameters, and the bench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engines.choices import GAMES
from engines.registry import PARAMETERS
from engines.variant import is_of_game
from toolkit.base.format import format_count, format_moment, format_setting, format_value
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from engines.backend import BenchReport, BenchSearch
    from toolkit.reports.builds import BuildRow
    from toolkit.reports.catalog import DifferenceRow, DriverRow, EngineDifference, ParameterRow
    from toolkit.reports.external import EngineDetail, EngineRow, OptionRow


def print_engines(output: Output, rows: Sequence[EngineRow]) -> None:
    """Print engines, one line each."""
    from toolkit.reports.external import build_text

    names = dict(zip(map(id, rows), _shown(rows), strict=True))
    fields: list[Field[EngineRow]] = [
        Field("engine", lambda row: names[id(row)]),
        Field("kind", lambda row: row.kind, spare=2),
        Field("driver", lambda row: row.driver, spare=3),
        Field("spelling", lambda row: row.spelling, spare=1),
        Field("id", lambda row: row.id or None),
        Field("games", lambda row: format_count(row.games), "right", 4),
        Field(
            "command", lambda row: row.command or "", spare=5, when=any(row.command for row in rows)
        ),
        Field(
            "build",
            lambda row: build_text(row.build) if row.build else None,
            when=any(row.build for row in rows),
            prose=True,
        ),
    ]
    output.table(fields, rows)


def _shown(rows: Sequence[EngineRow]) -> list[str]:
    """The labels of these engines in a table, with the parameters in which they differ."""
    from db.records.engines import VariantRecord
    from toolkit.selection.labels import display_labels

    return display_labels(
        [
            (
                row.engine,
                VariantRecord(*(row.id, row.kind, row.driver, row.parameters, row.spelling)),
            )
            for row in rows
        ]
    )


def print_builds(output: Output, rows: Sequence[BuildRow]) -> None:
    """Print builds, one line each."""
    fields: list[Field[BuildRow]] = [
        Field("build", lambda row: row.id),
        Field("status", lambda row: row.status),
        Field("commit", lambda row: row.commit[:8] + ("+" if row.changed else "")),
        Field("subject", lambda row: row.subject or None, prose=True),
        Field("bench", lambda row: None if row.bench is None else str(row.bench), "right"),
        Field("command", lambda row: row.build, spare=2),
        Field("compiler", lambda row: row.compiler or None, spare=3),
        Field("built", lambda row: format_moment(row.started_at), spare=4),
        Field("MB", lambda row: f"{row.bytes / 1e6:.1f}", "right", 1),
        Field("repository", lambda row: row.repository, spare=5),
    ]
    output.table(fields, rows)


def print_drivers(output: Output, rows: Sequence[DriverRow]) -> None:
    """Print drivers, one line each."""
    fields: list[Field[DriverRow]] = [
        Field("driver", lambda row: row.driver),
        Field("windows", lambda row: row.windows, spare=1),
        Field("what it does", lambda row: row.doc, prose=True),
    ]
    output.table(fields, rows)


def default_text(row: ParameterRow) -> str:
    """The default of a parameter, and those of games that have another one."""
    own = (f"{game} {format_setting(value)}" for game, value in row.by_game.items())
    return "; ".join([format_setting(row.default), *own])


def needs_text(row: ParameterRow) -> str:
    """What a parameter needs to have an effect: games, if not all, and other parameters."""
    games = " or ".join(row.games) if set(row.games) != set(GAMES) else None
    return ", ".join(filter(None, [games, row.needs]))


def print_parameters(output: Output, rows: Sequence[ParameterRow]) -> None:
    """Print parameters, one line each."""
    fields: list[Field[ParameterRow]] = [
        Field("parameter", lambda row: row.parameter),
        Field("default", default_text),
        Field("off", lambda row: format_setting(row.off), spare=1),
        Field("range", lambda row: row.range, spare=3),
        Field("needs", needs_text, spare=2),
        Field("what it does", lambda row: row.doc, prose=True),
    ]
    output.table(fields, rows)


def print_engine(output: Output, row: EngineDetail) -> None:
    """One engine with all its parameters, or its options if it is an external one."""
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
    fields: list[Field[tuple[str, Any]]] = [
        Field("parameter", lambda item: item[0]),
        Field("value", lambda item: format_setting(item[1])),
    ]
    output.table(
        fields,
        [
            (name, value)
            for name, value in row.parameters.items()
            if name not in PARAMETERS or is_of_game(PARAMETERS[name], row.parameters)
        ],
    )


def print_external(output: Output, row: EngineDetail) -> None:
    """Print what an external engine is, without the options that it leaves as they are."""
    from toolkit.reports.external import external_settings

    lines = {"engine": row.engine, "kind": row.kind, "spelling": row.spelling}
    if row.command is not None:
        lines["command"] = row.command
    lines |= {"id": row.id, "games": str(row.games)}
    lines |= external_settings(row, defaults=False)
    width = max(map(len, lines)) + 2
    for title, text in lines.items():
        output.text(f"{title:<{width}}{text}")


def _print_options(output: Output, options: Sequence[OptionRow] | None) -> None:
    """What a started external engine announces."""
    if options is None:
        output.hint("its options are known to itself: show uci:COMMAND, or a name that is kept")
        return
    output.text()
    fields: list[Field[OptionRow]] = [
        Field("option", lambda one: one.option),
        Field("type", lambda one: one.type, spare=1),
        Field("default", lambda one: _value_text(one.default)),
        Field("range", _range_text),
        Field("set", lambda one: "" if one.value is None else _value_text(one.value)),
    ]
    output.table(fields, options)


def _value_text(value: str | None) -> str | None:
    return None if value is None else value or "<empty>"


def _range_text(option: OptionRow) -> str:
    if option.type == "combo":
        return ", ".join(option.choices)
    low, high = option.low, option.high
    return "" if low is None and high is None else f"{_end(low)} to {_end(high)}"


def _end(value: int | None) -> str:
    return "?" if value is None else str(value)


def print_differences(output: Output, row: EngineDifference) -> None:
    """The parameters in which two engines differ."""
    fields: list[Field[DifferenceRow]] = [
        Field("", lambda line: line.parameter),
        Field(row.engine, lambda line: format_setting(line.engine)),
        Field(row.other, lambda line: format_setting(line.other)),
    ]
    output.table(fields, row.differences)
    if not row.differences:
        output.hint("the two are one engine: same id, same games")


def print_bench(output: Output, report: BenchReport) -> None:
    """The searches, and the signature."""
    fields: list[Field[BenchSearch]] = [
        Field("mode", lambda row: row.mode),
        Field("engine", lambda row: row.engine),
        Field("nodes", lambda row: format_count(row.nodes), "right"),
        Field("value", lambda row: format_value(row.value), "right"),
        Field("position", lambda row: row.position, spare=1),
    ]
    output.table(fields, report.searches)
    output.text()
    output.text(
        f"signature {report.signature}   {format_count(report.nodes)} nodes   "
        f"{format_count(report.nodes_per_second)} nodes/s of CPU time   {output.backend}"
    )
