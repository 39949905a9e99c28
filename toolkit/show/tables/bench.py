"""The bench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_value
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from engines.backend import BenchReport, BenchSearch


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
