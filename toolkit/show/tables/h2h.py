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
    format_share,
)
from toolkit.base.output import Output
from toolkit.base.table import Field
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
    fields: list[Field[HeadToHeadPart]] = [
        Field(title, lambda row: row.part),
        Field("games", lambda row: format_count(row.games), "right", 1),
        Field("score", lambda row: format_share(row.score), "right"),
        Field("W-L-D", lambda row: f"{row.wins}-{row.losses}-{row.draws}", "right"),
    ]
    output.table(fields, rows)


def _print_costs(output: Output, rows: Sequence[SideCost], names: Mapping[str, str]) -> None:
    fields: list[Field[SideCost]] = [
        Field("search cost of", lambda row: names.get(row.engine, row.engine)),
        *cost_fields(),
    ]
    output.table(fields, rows, data="--json")


def cost_fields(spare: int = 0) -> list[Field[SideCost]]:
    """Nodes and milliseconds a move, nodes a second; the first is ``spare``, the others more."""
    return [
        Field("nodes/move", lambda row: format_number(row.nodes_per_move, 0), "right", spare),
        Field("CPU ms/move", _milliseconds, "right", spare + 1),
        Field("nodes/s", _speed, "right", spare + 2),
    ]


def _milliseconds(row: SideCost) -> str:
    cpu_us = row.cpu_us_per_move
    return format_number(None if cpu_us is None else cpu_us / 1000, 2)


def _speed(row: SideCost) -> str | None:
    nps = row.nodes_per_second
    return None if nps is None else format_count(round(nps))
