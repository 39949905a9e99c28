"""Runs of suites."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.format import (
    count_of,
    format_count,
    format_ends,
    format_number,
    format_share,
)
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.suites.report import SuitePair, SuiteReport, SuiteRow, SuiteSearchRow


def print_suite(output: Output, report: SuiteReport) -> None:
    """A run with its table, and how its engines compare."""
    output.text(
        f"run    {report.name}, {report.status}: {format_count(report.searches_done)} of "
        f"{count_of(report.searches_planned, 'search', 'searches')}"
    )
    if report.note:
        output.text(f"note   {report.note}")
    output.text(f"suite  {count_of(report.positions, 'position')} of {report.suite}")
    output.text()
    print_solved(output, report)
    for pair in report.pairs:
        output.text()
        for line in pair_lines(pair):
            output.text(line)
    for note in report.notes:
        output.text(f"note: {note}")


def print_solved(output: Output, report: SuiteReport) -> None:
    """The table of a run."""
    has_points = any(row.points is not None for row in report.rows)
    fields: list[Field[SuiteRow]] = [
        Field("engine", lambda row: row.engine),
        Field("limit", lambda row: row.limit, spare=2),
        Field("solved", lambda row: f"{row.solved}/{row.searched}", "right"),
        Field("share", lambda row: format_share(row.share), "right"),
        Field("[95 %]", lambda row: _shares(row), called="[95 %] of share"),
        Field("points", lambda row: f"{row.points}/{row.points_most}", "right", when=has_points),
        Field(
            "[95 %]",
            lambda row: _whole(row.points_low95, row.points_high95),
            when=has_points,
            called="[95 %] of points",
        ),
        Field("depth", lambda row: format_number(row.solution_depth, 0), "right", 3),
        Field("nodes", lambda row: format_count(row.solution_nodes), "right", 3),
        Field("ms", lambda row: format_number(row.solution_ms, 1), "right", 3),
    ]
    output.table(fields, report.rows)
    output.text(
        "share exact (Clopper-Pearson)"
        f"{', points by bootstrap over positions' if has_points else ''}; depth, nodes and ms: "
        "medians to the solution that stayed"
    )


def _shares(row: SuiteRow) -> str:
    return f"[{100 * row.share_low95:.1f}, {100 * row.share_high95:.1f}]"


def _whole(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.0f}, {high:.0f}]"


def pair_lines(pair: SuitePair) -> list[str]:
    """How an engine compares with the first one, in a line or two."""
    lines = [
        f"{pair.engine} against {pair.first}: {pair.verdict} (solved only by it "
        f"{pair.only_engine}, only by {pair.first} {pair.only_first}, both {pair.both}, neither "
        f"{pair.neither}; exact McNemar p = {pair.p_value:.3g})"
    ]
    if pair.points is not None:
        ends = ""
        if pair.points_low95 is not None:
            ends = f" {format_ends(pair.points_low95, pair.points_high95, 2)}"
        lines.append(
            f"points a position {format_number(pair.points, 2, signed=True)}{ends}: "
            f"{pair.points_verdict} (paired bootstrap)"
        )
    return lines


def print_suite_searches(output: Output, rows: Sequence[SuiteSearchRow]) -> None:
    """The searches of a run, by position."""
    has_points = any(row.points is not None for row in rows)
    fields: list[Field[SuiteSearchRow]] = [
        Field("position", lambda row: row.position),
        Field("engine", lambda row: row.engine),
        Field("answer", lambda row: row.answer, spare=1),
        Field("move", lambda row: row.move),
        Field("solved", lambda row: "yes" if row.solved else "no"),
        Field("points", lambda row: format_count(row.points), "right", when=has_points),
        Field("from depth", lambda row: format_count(row.solution_depth), "right", 2),
        Field("nodes", lambda row: format_count(row.solution_nodes), "right", 3),
        Field("ms", lambda row: format_number(row.solution_ms, 1), "right", 3),
        Field("depth", lambda row: str(row.depth), "right", 4),
    ]
    output.table(fields, rows)
