"""The table of ``mtdf lab parallel``: times and nodes of several threads over those of one."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.format import format_number
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.lab.rows import LabRow

_COLUMNS = [
    Column("engine"),
    Column("threads", "right"),
    Column("time", "right"),
    Column("speed-up", "right"),
    Column("[95 %]"),
    Column("nodes", "right"),
    Column("[95 %]"),
    Column("idle", "right", 1),
    Column("passes", "right", 2),
    Column("agree", "right"),
]


def print_rows(output: Output, rows: Sequence[LabRow], *, exact: bool) -> None:
    """The table of a run of kind ``parallel``. Values agree in ``exact`` search only."""
    output.text(
        "ratios geometric means over one thread of the same engine, [95 % by paired bootstrap]"
    )
    output.text()
    columns = _COLUMNS if exact else _COLUMNS[:-1]
    output.table(columns, [_cells(row)[: len(columns)] for row in rows])
    output.text("speed-up: of the time to the depth; nodes: of all threads, the search overhead")


def _cells(row: LabRow) -> list[str]:
    is_base = row["parameter_value"] == "1"
    return [
        row["engine"],
        row["parameter_value"] or "",
        f"{format_number(row['wall_ms'], 1)} ms",
        "" if is_base else format_number(row["speedup"], 2),
        "" if is_base else _interval(row["speedup_low95"], row["speedup_high95"]),
        "" if is_base else format_number(row["nodes"], 3),
        "" if is_base else _interval(row["nodes_low95"], row["nodes_high95"]),
        "--" if row["idle"] is None else f"{100 * row['idle']:.0f} %",
        format_number(row["passes"], 1),
        "" if is_base else f"{row['agree']}/{row['positions']}",
    ]


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"
