"""Two engines head to head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engines.limit import spell_limits
from toolkit.base.format import (
    count_of,
    format_core,
    format_count,
    format_interval,
    format_los,
    format_number,
    format_pairs,
)
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.show.tables.sprt import llr_text

if TYPE_CHECKING:
    from toolkit.reports.meetings import HeadToHeadPart, HeadToHeadRow, SideCost

_MOST_OPENINGS = 10


def print_h2h(
    output: Output,
    row: HeadToHeadRow,
    *,
    all_openings: bool = False,
    core: bool = False,
    shown: Mapping[str, str] | None = None,
) -> None:
    """Two engines head to head: the result, its parts, and what their searches cost. ``core``: say
    which core played; ``shown``: what to call the engines, by label."""
    interval = format_interval(row.elo, row.error95, row.low95, row.high95)
    names = shown or {}
    first, second = (names.get(label, label) for label in (row.first, row.second))
    elo = f"{format_number(row.elo, signed=True)} {interval}"
    output.text(
        f"{first} - {second}  {count_of(row.games, 'game')}  "
        f"+{row.wins} -{row.losses} ={row.draws}  {100 * row.score:.1f} %  "
        f"limit {spell_limits(row.first_limit, row.second_limit)}{_core_text(row, core)}"
    )
    output.text(
        f"{format_pairs(row.pentanomial)}  Elo {elo} (95 %, by {row.unit}s)  "
        f"nElo {format_number(row.nelo, signed=True)} ± {format_number(row.nelo_error95)}  "
        f"LOS {format_los(row.los)}"
    )
    if row.test is not None:
        output.text(llr_text(row.test))
    lines = row.by_opening
    openings = lines if all_openings else lines[:_MOST_OPENINGS]
    parts = (
        (f"{first} has", row.by_colour),
        ("end reason", row.by_end_reason),
        ("length", row.by_length),
        ("opening", openings),
    )
    for title, rows in parts:
        output.text()
        _print_parts(output, title, rows)
    if len(openings) < len(lines):
        output.text(f"{count_of(len(lines) - len(openings), 'more opening')} (--all)")
    output.text()
    _print_costs(output, row.costs, names)


def _core_text(row: HeadToHeadRow, told: bool) -> str:
    if len(row.cores) > 1:
        return "  cores mixed"
    return f"  core {format_core(row.cores[0])}" if told else ""


def _print_parts(output: Output, title: str, rows: Sequence[HeadToHeadPart]) -> None:
    columns = [
        Column(title),
        Column("games", "right", 1),
        Column("score", "right"),
        Column("W-L-D", "right"),
    ]
    output.table(
        columns,
        [
            (
                row.part,
                format_count(row.games),
                f"{100 * row.score:.1f} %",
                f"{row.wins}-{row.losses}-{row.draws}",
            )
            for row in rows
        ],
    )


def _print_costs(output: Output, rows: Sequence[SideCost], names: Mapping[str, str]) -> None:
    columns = [
        Column("search cost of"),
        Column("nodes/move", "right"),
        Column("CPU ms/move", "right", 1),
        Column("nodes/s", "right", 2),
    ]
    cells = [(names.get(row.engine, row.engine), *cost_cells(row)) for row in rows]
    output.table(columns, cells, data="--json")


def cost_cells(row: SideCost) -> tuple[str, str, str]:
    """Nodes and milliseconds a move, nodes a second."""
    cpu_us, nps = row.cpu_us_per_move, row.nodes_per_second
    return (
        format_number(row.nodes_per_move, 0),
        format_number(None if cpu_us is None else cpu_us / 1000, 2),
        "--" if nps is None else format_count(round(nps)),
    )
