"""Engines, drivers and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_setting
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.reports.catalog import DriverRow, EngineDifference, ParameterRow
    from toolkit.reports.external import EngineDetail, EngineRow, OptionRow


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


def print_drivers(output: Output, rows: Sequence[DriverRow]) -> None:
    """Print drivers, one line each."""
    cells = [(row.driver, row.windows, row.doc) for row in rows]
    columns = [Column("driver"), Column("windows", spare=1), Column("what it does", prose=True)]
    output.table(columns, cells)


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
    values = [(name, format_setting(value)) for name, value in row.parameters.items()]
    output.table([Column("parameter"), Column("value")], values)


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


def print_differences(output: Output, row: EngineDifference) -> None:
    """The parameters in which two engines differ."""
    columns = [Column(""), Column(row.engine), Column(row.other)]
    cells = [
        (line.parameter, format_setting(line.engine), format_setting(line.other))
        for line in row.differences
    ]
    output.table(columns, cells)
    if not cells:
        output.hint("the two are one engine: same id, same games")
