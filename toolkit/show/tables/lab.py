"""Runs of the laboratory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import (
    count_of,
    format_count,
    format_moment,
    format_number,
    format_share,
    format_value,
)
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.lab.notes import depths_in_words
from toolkit.lab.plan import SHIFT, common_name, listed_name, titles_of
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport, LabSearchRow
from toolkit.show.tables.lab_parallel import print_times
from toolkit.show.tables.runs import note_field

if TYPE_CHECKING:
    from db.records.laboratory import LabEngineRecord
    from toolkit.lab.views import ListedRun


def print_lab(output: Output, report: LabReport) -> None:
    """A run with its table."""
    _print_head(output, report)
    print_ratios(output, report)
    output.text()
    for note in report.notes:
        output.text(f"note: {note}")
    _print_agreement(output, report)


def print_ratios(output: Output, report: LabReport) -> None:
    """The table of a run."""
    if report.kind == "parallel":
        print_times(output, report)
        return
    what = "the iteration of each depth" if report.measure == "last" else "all iterations up to it"
    base = "each value's own baseline"
    if report.baseline is not None:
        base = f"{report.baseline} (table: {report.baseline_table})"
    output.text(f"ratios geometric means over {base}, of {what}, [95 % by paired bootstrap]")
    output.text()
    kinds = [(row.engine, row.parameter, row.parameter_value) for row in report.rows]
    names = dict(zip(kinds, titles_of(kinds), strict=True))
    fields: list[Field[LabRow]] = [
        Field("depth", lambda row: str(row.depth), "right"),
        Field("engine", lambda row: names[row.engine, row.parameter, row.parameter_value]),
        Field("nodes", lambda row: format_number(row.nodes, 3), "right"),
        Field("[95 %]", lambda row: _ends(row.nodes_low95, row.nodes_high95)),
        Field("leaves", lambda row: format_number(row.leaves, 3), "right", 3),
        Field(
            "[95 %]",
            lambda row: _ends(row.leaves_low95, row.leaves_high95),
            spare=3,
            called="[95 %] of leaves",
        ),
        Field("inner", lambda row: format_number(row.interior, 3), "right", 4),
        Field("quiesc", lambda row: format_number(row.quiescence, 3), "right", 4),
        Field("cpu", lambda row: format_number(row.cpu, 2), "right", 2),
        Field("p95", lambda row: format_number(row.p95, 2), "right", 5),
        Field("worst", lambda row: format_number(row.worst, 2), "right", 5),
        Field("passes", lambda row: format_number(row.passes, 1), "right", 1),
        Field("first", lambda row: format_share(row.first_share, 0), "right", 6),
        Field("high", lambda row: format_number(row.later_high, 3), "right", 7),
        Field("low", lambda row: format_number(row.later_low, 3), "right", 7),
        Field("agree", _agree, "right"),
    ]
    shown = output.table(fields, report.rows)
    if legend := "; ".join(text for title, text in _LEGEND.items() if title in shown):
        output.text(legend)


def _print_head(output: Output, report: LabReport) -> None:
    """The header: the searches, and the meaning of the ratios."""
    output.text(
        f"run    {report.name}, {report.status}: "
        f"{format_count(report.searches_done)} of "
        f"{count_of(report.searches_planned, 'search', 'searches')}"
    )
    if report.note:
        output.text(f"note   {report.note}")
    output.text(
        f"trees  {count_of(report.positions, 'position')} of {report.suite}, "
        f"{depths_in_words(report.depths)}"
        f"{', selective' if report.mode == 'selective' else ''}"
    )
    if report.kind == "sweep":
        output.text(f"sweep  {_swept(report.rows)}")


def _swept(rows: list[LabRow]) -> str:
    """What a sweep varies, of how many engines, and its values."""
    swept = [row for row in rows if row.parameter is not None]
    values = list(dict.fromkeys(row.parameter_value or "" for row in swept))
    parameter = swept[0].parameter or ""
    labels = list(dict.fromkeys(row.engine for row in swept))
    engines = len({(row.engine, row.parameter_value) for row in swept}) // len(values)
    whose = common_name(labels, parameter) if engines == 1 else f"{engines} engines"
    shown = ", ".join(values)
    if len(values) > _MOST_VALUES:
        shown = f"{', '.join(values[:2])}, ... {values[-1]}"
    return f"{parameter}, {count_of(len(values), 'value')} of {whose}: {shown}"


_MOST_VALUES = 8
"""Values of a sweep that are named one by one."""
_LEGEND = {
    "worst": "p95, worst: of the positions' own ratios of all nodes",
    "first": "first: share of the first pass in the nodes of the iteration",
    "high": "high, low: nodes of one later pass that fails so, over the baseline's iteration",
}
"""Explanations of headings, by column."""


def _agree(row: LabRow) -> str:
    """Nothing for a baseline: it is compared with itself."""
    is_base = row.baseline == listed_name(row.engine, row.parameter, row.parameter_value)
    return "" if is_base else f"{row.agree}/{row.positions}"


def _ends(low: float | None, high: float | None) -> str:
    known = None not in (low, high) and (low, high) != (1.0, 1.0)
    return f"[{low:.3f}, {high:.3f}]" if known else ""


def _print_agreement(output: Output, report: LabReport) -> None:
    compared = report.values_compared
    if report.mode == "selective":
        return  # a note says that values need not agree
    if not compared:
        output.text("no value is compared yet")
        return
    if report.values_agree:
        all_of = "all " if compared > 1 else ""
        output.text(f"values agree in {all_of}{count_of(compared, 'comparison')}")
        return
    for one in report.disagreements[:10]:
        found = one.value if one.move_value is None else one.move_value
        output.text(
            f"depth {one.depth} of {one.position}: {one.engine} found "
            f"{format_value(found)} ({one.move}), and it is {format_value(one.true_value)}"
        )
    output.text(f"values differ, of {count_of(compared, 'comparison')}", style="red")


def print_runs(output: Output, runs: Sequence[ListedRun]) -> None:
    """The runs of a database."""
    fields: list[Field[ListedRun]] = [
        Field("run", lambda run: run.row.name),
        Field("kind", lambda run: run.row.kind),
        Field("status", lambda run: run.row.status),
        Field("suite", lambda run: run.row.suite, spare=1),
        Field("positions", lambda run: str(run.row.positions), "right", 2),
        Field("depths", lambda run: ",".join(map(str, run.row.depths))),
        Field(
            "searches", lambda run: f"{run.row.searches_done}/{run.row.searches_planned}", "right"
        ),
        Field("created (UTC)", lambda run: format_moment(run.row.created_at), spare=3),
        Field("engines", lambda run: " ".join(_grouped(run.engines)), spare=4),
        note_field(output, runs, lambda run: run.row.note),
    ]
    output.table(fields, runs)


def _grouped(engines: Sequence[LabEngineRecord]) -> list[str]:
    """Names of engines; those that differ only in a given first guess are counted."""
    offsets = Counter(one.label for one in engines if one.parameter == SHIFT)
    names = [one.label for one in engines if one.parameter != SHIFT]
    return names + [
        f"{label} ({count_of(number, 'first-guess offset')})" for label, number in offsets.items()
    ]


def print_searches(output: Output, rows: Iterable[LabSearchRow]) -> None:
    """The iterations of the searches of a run."""
    fields: list[Field[LabSearchRow]] = [
        Field("engine", lambda row: listed_name(row.engine, row.parameter, row.parameter_value)),
        Field("position", lambda row: row.position),
        Field("depth", lambda row: str(row.depth), "right"),
        Field("leaves", lambda row: format_count(row.leaves), "right", 1),
        Field("inner", lambda row: format_count(row.interior), "right", 4),
        Field("quiesc", lambda row: format_count(row.quiescence), "right", 5),
        Field("cpu us", lambda row: format_count(row.cpu_us), "right", 3),
        Field("passes", lambda row: str(len(row.passes)), "right", 2),
        Field("value", lambda row: format_value(row.value), "right"),
        Field("move", lambda row: row.move),
    ]
    output.table(fields, rows)
