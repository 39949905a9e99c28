"""Runs of the laboratory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_moment, format_number, format_value
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.lab.notes import depths_in_words
from toolkit.lab.plan import SHIFT, common_name, listed_name, titles_of
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport, LabSearchRow
from toolkit.show.tables.lab_parallel import print_times
from toolkit.show.tables.runs import print_noted

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
    rows = report.rows
    titles = titles_of([(row.engine, row.parameter, row.parameter_value) for row in rows])
    what = "the iteration of each depth" if report.measure == "last" else "all iterations up to it"
    base = "each value's own baseline"
    if report.baseline is not None:
        base = f"{report.baseline} (table: {report.baseline_table})"
    output.text(f"ratios geometric means over {base}, of {what}, [95 % by paired bootstrap]")
    output.text()
    shown = output.table(_COLUMNS, list(map(_cells, titles, rows)))
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
_COLUMNS = [
    Column("depth", "right"),
    Column("engine"),
    Column("nodes", "right"),
    Column("[95 %]"),
    Column("leaves", "right", 3),
    Column("[95 %]", spare=3, called="[95 %] of leaves"),
    Column("inner", "right", 4),
    Column("quiesc", "right", 4),
    Column("cpu", "right", 2),
    Column("p95", "right", 5),
    Column("worst", "right", 5),
    Column("passes", "right", 1),
    Column("first", "right", 6),
    Column("high", "right", 7),
    Column("low", "right", 7),
    Column("agree", "right"),
]


def _cells(name: str, row: LabRow) -> list[str]:
    share = row.first_share
    # A baseline relative to itself has no uncertainty, and there is nothing to agree with.
    is_base = row.baseline == listed_name(row.engine, row.parameter, row.parameter_value)
    return [
        str(row.depth),
        name,
        format_number(row.nodes, 3),
        _ends(row.nodes_low95, row.nodes_high95),
        format_number(row.leaves, 3),
        _ends(row.leaves_low95, row.leaves_high95),
        format_number(row.interior, 3),
        format_number(row.quiescence, 3),
        format_number(row.cpu, 2),
        format_number(row.p95, 2),
        format_number(row.worst, 2),
        format_number(row.passes, 1),
        "--" if share is None else f"{100 * share:.0f} %",
        format_number(row.later_high, 3),
        format_number(row.later_low, 3),
        "" if is_base else f"{row.agree}/{row.positions}",
    ]


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
    columns = [Column("run"), Column("kind"), Column("status"), Column("suite", spare=1)]
    columns += [Column("positions", "right", 2), Column("depths"), Column("searches", "right")]
    columns += [Column("created (UTC)", spare=3), Column("engines", spare=4)]
    cells = [
        [
            *(row.name, row.kind, row.status, row.suite, str(row.positions)),
            ",".join(map(str, row.depths)),
            f"{row.searches_done}/{row.searches_planned}",
            format_moment(row.created_at),
            " ".join(_grouped(run.engines)),
        ]
        for run in runs
        for row in [run.row]
    ]
    print_noted(output, columns, cells, [run.row.note for run in runs])


def _grouped(engines: Sequence[LabEngineRecord]) -> list[str]:
    """Names of engines; those that differ only in a given first guess are counted."""
    offsets = Counter(one.label for one in engines if one.parameter == SHIFT)
    names = [one.label for one in engines if one.parameter != SHIFT]
    return names + [
        f"{label} ({count_of(number, 'first-guess offset')})" for label, number in offsets.items()
    ]


def print_searches(output: Output, rows: Iterable[LabSearchRow]) -> None:
    """The iterations of the searches of a run."""
    columns = [Column("engine"), Column("position"), Column("depth", "right")]
    columns += [Column("leaves", "right", 1), Column("inner", "right", 4)]
    columns += [Column("quiesc", "right", 5), Column("cpu us", "right", 3)]
    columns += [Column("passes", "right", 2), Column("value", "right"), Column("move")]
    output.table(
        columns,
        (
            [
                listed_name(row.engine, row.parameter, row.parameter_value),
                *(row.position, str(row.depth)),
                *(format_count(n) for n in (row.leaves, row.interior, row.quiescence)),
                *(format_count(row.cpu_us), str(len(row.passes))),
                *(format_value(row.value), row.move),
            ]
            for row in rows
        ),
    )
