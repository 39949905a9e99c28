"""The speeds of two engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from toolkit.lab.speed import EngineSpeed, SpeedReport


def print_speeds(output: Output, report: SpeedReport) -> None:
    """Print both speeds, their ratio, and what it means."""
    first, second = report.first, report.second
    fields: list[Field[EngineSpeed]] = [
        Field("engine", lambda row: row.engine),
        Field("nodes", lambda row: format_count(row.nodes), "right"),
        Field("CPU s", lambda row: f"{row.cpu_us / 1e6:.2f}", "right"),
        Field("nodes/s", lambda row: format_count(row.nodes_per_second), "right"),
    ]
    output.table(fields, (first, second))
    output.text()
    known = "(too few rounds)"
    if report.low is not None and report.high is not None:
        known = f"[{report.low:.4f}, {report.high:.4f}]"
    said = {
        "faster": f"{second.engine} is faster than {first.engine}",
        "slower": f"{second.engine} is slower than {first.engine}",
        "no difference shown": "no difference shown",
    }
    output.text(f"ratio     {report.ratio:.4f}  {known}   {said[report.verdict]}")
    output.text(f"searches  {_sameness(report)}")
    output.text(
        f"measured  {count_of(report.rounds, 'round')}, {count_of(report.positions, 'position')}, "
        f"{report.limit}; load {report.load_before:.1f} before, {report.load_after:.1f} afterwards"
    )
    output.hint(
        "the 95 % interval covers noise on this machine now, not other positions or machines"
    )


def _sameness(report: SpeedReport) -> str:
    restless = [one.engine for one in (report.first, report.second) if not one.repeats]
    if restless:
        return f"{' and '.join(restless)} did not repeat nodes and moves: several threads?"
    if report.same_search:
        return "identical: nodes, depths, values and moves"
    return "different: this is no pure speed-up"
