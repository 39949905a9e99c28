"""The bench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_value
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from engines.backend import BenchReport


def print_bench(output: Output, report: BenchReport) -> None:
    """The searches, and the signature."""
    columns = [
        Column("mode"),
        Column("engine"),
        Column("nodes", "right"),
        Column("value", "right"),
        Column("position", spare=1),
    ]
    cells = [
        (row.mode, row.engine, format_count(row.nodes), format_value(row.value), row.position)
        for row in report.searches
    ]
    output.table(columns, cells)
    output.text()
    output.text(
        f"signature {report.signature}   {format_count(report.nodes)} nodes   "
        f"{format_count(report.nodes_per_second)} nodes/s of CPU time   {output.backend}"
    )
