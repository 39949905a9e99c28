"""The tables of a sweep over threads: times and nodes of several threads over those of one, and
gains of engines over those of the first one."""

from __future__ import annotations

from toolkit.base.format import format_number
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport

_ENGINE = [Column("engine"), Column("threads", "right"), Column("way")]
_RATIOS = [
    Column("speed-up", "right"),
    Column("[95 %]"),
    Column("nodes", "right"),
    Column("[95 %]"),
]
_COLUMNS = [
    *_ENGINE,
    Column("time", "right"),
    *_RATIOS,
    Column("idle", "right", 1),
    Column("passes", "right", 2),
    Column("agree", "right"),
]


def print_times(output: Output, report: LabReport) -> None:
    """The tables of a run of kind ``parallel``. Values agree in exact search only."""
    output.text(
        "ratios geometric means over one thread of the same engine, [95 % by paired bootstrap]"
    )
    output.text()
    columns = _COLUMNS if report.mode == "exact" else _COLUMNS[:-1]
    output.cells(columns, [_cells(row)[: len(columns)] for row in report.rows])
    output.text("speed-up: of the time to the depth; nodes: of all threads, the search overhead")
    compared = [row for row in report.rows if row.against is not None]
    if not compared:
        return
    output.text()
    output.text(
        f"the same ratios over those of {compared[0].against}, position by position; speed-up "
        "above 1: the engine gains more"
    )
    output.text()
    output.cells([*_ENGINE, *_RATIOS], list(map(_compared_cells, compared)))
    for answer in report.answers:
        output.text(answer)


def _cells(row: LabRow) -> list[str]:
    is_base = row.threads == 1
    share, passes = row.idle, row.passes
    return [
        *_name(row),
        "--" if row.wall_ms is None else f"{row.wall_ms:.1f} ms",
        *([""] * 4 if is_base else _ratios(row)),
        "--" if share is None else f"{100 * share:.0f} %",
        format_number(passes, 1),
        "" if is_base else _agreement(row),
    ]


def _name(row: LabRow) -> list[str]:
    return [row.baseline, str(row.threads), row.parallel or ""]


def _ratios(row: LabRow) -> list[str]:
    return [
        *_ratio(row.speedup, row.speedup_low95, row.speedup_high95),
        *_ratio(row.nodes, row.nodes_low95, row.nodes_high95),
    ]


def _compared_cells(row: LabRow) -> list[str]:
    return [
        *_name(row),
        *_ratio(row.speedup_against, row.speedup_against_low95, row.speedup_against_high95),
        *_ratio(row.nodes_against, row.nodes_against_low95, row.nodes_against_high95),
    ]


def _ratio(value: float | None, low: float | None, high: float | None) -> list[str]:
    interval = "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"
    return [format_number(value, 3), interval]


def _agreement(row: LabRow) -> str:
    return f"{row.agree}/{row.positions}" if row.positions else "--"
