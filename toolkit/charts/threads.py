"""Speed-up and search overhead of a run of kind ``parallel``, by number of threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of
from toolkit.charts.curves import log_domain, round_numbers, small_print
from toolkit.charts.looks import looks_of
from toolkit.charts.picture import Picture, elided, of_field, short_names, values_of
from toolkit.lab.notes import depths_in_words
from toolkit.lab.rows import LabReport, LabRow
from toolkit.runs.lifecycle import named_command

if TYPE_CHECKING:
    from toolkit.charts.picture import Panel

_HEIGHT = 230
_AXIS = 50
"""Pixels of the axes at the left, which have to lie below each other."""
_TICKS = 10
_NARROWEST = 1.1
"""Of the axis: its greatest number over its least."""


def threads_picture(report: LabReport) -> Picture:
    """A point with its interval for each engine, way and number of threads. Raises NothingMatched
    if there is nothing to draw."""
    rows = [row for row in report["rows"] if row["threads"] > 1 and row["nodes"] is not None]
    if not rows:
        raise NothingMatched(
            f"run {report['name']} has nothing to draw: no engine has searched the same position "
            f"with one thread and with several yet "
            f"({named_command('lab', 'resume', report['name'])})"
        )
    names = [f"{row['baseline']}, {row['parallel']}" for row in rows]
    short = dict(zip(names, short_names(names), strict=True))
    speeds = [
        _point(short[name], row, row["speedup"], row["speedup_low95"], row["speedup_high95"])
        for name, row in zip(names, rows, strict=True)
    ]
    nodes = [
        _point(short[name], row, row["nodes"], row["nodes_low95"], row["nodes_high95"])
        for name, row in zip(names, rows, strict=True)
    ]
    domain = list(dict.fromkeys(short.values()))
    numbers = sorted({row["threads"] for row in rows})
    panels = []
    if judged := [point for point in speeds if point["value"] is not None]:
        title = "Speed-up: time with one thread over time with several; logarithmic"
        panels.append(_panel(judged, domain, numbers, title, legend=True))
    title = "Search overhead: nodes of all threads over those of one; logarithmic"
    panels.append(_panel(nodes, domain, numbers, title, legend=not panels))
    engines = len({row["baseline"] for row in rows})
    return Picture(
        f"{report['name']}: {count_of(engines, 'engine')} with several threads over "
        f"{'itself' if engines == 1 else 'themselves'} on one thread",
        "\n".join([*_caption(report, bool(judged)), *small_print(report)]),
        "; ".join(_in_words(speeds, nodes)),
        panels,
        columns=1,
    )


def _point(
    name: str, row: LabRow, value: float | None, low: float | None, high: float | None
) -> dict[str, Any]:
    interval = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    told = "not judged" if value is None else f"{value:.3f}{interval}"
    return {
        "engine": name, "threads": row["threads"], "value": value, "low": low, "high": high,
        "told": told,
    }  # fmt: skip


def _panel(
    points: Sequence[dict[str, Any]],
    names: Sequence[str],
    threads: Sequence[int],
    title: str,
    *,
    legend: bool,
) -> Panel:
    """Points over their intervals, engines side by side, and a line at one thread's 1. Panels have
    the same ``threads``, so that what belongs together stands below each other."""
    import altair as alt

    color, shape, _ = looks_of("engine", names, legend=legend)
    ends = [one[field] for one in points for field in ("value", "low", "high")]
    domain = log_domain([1.0, *(end for end in ends if end is not None)], _NARROWEST)
    x = alt.X(
        "threads:O",
        title="threads",
        scale=alt.Scale(domain=list(threads)),
        axis=alt.Axis(labelAngle=0),
    )
    side = alt.XOffset("engine:N", scale=alt.Scale(domain=list(names)))
    y = alt.Y(
        "value:Q", title=None,
        axis=alt.Axis(minExtent=_AXIS, values=round_numbers(domain, _TICKS), format="~g"),
        scale=alt.Scale(type="log", nice=False, padding=8, domain=domain),
    )  # fmt: skip
    tooltip = [alt.Tooltip("engine:N"), alt.Tooltip("threads:O"), alt.Tooltip("told:N", title=" ")]
    base = alt.Chart(values_of(points)).encode(x=x, xOffset=side, y=y, color=color, tooltip=tooltip)
    sure = [one for one in points if one["low"] is not None]
    bars = alt.Chart(values_of(sure)).mark_rule(style="interval")
    layers = [
        alt.Chart(values_of([{"at": 1}])).mark_rule(style="reference").encode(y=alt.Y("at:Q")),
        bars.encode(x=x, xOffset=side, y=of_field(y, "low"), y2="high:Q", color=color),
        base.mark_point(filled=True, size=42, opacity=1).encode(shape=shape),
    ]
    return alt.layer(*layers).properties(title=title, height=_HEIGHT)


def _caption(report: LabReport, is_judged: bool) -> Iterator[str]:
    """The trees and the intervals."""
    mode = ", selective" if report["mode"] == "selective" else ""
    yield (
        f"{count_of(report['positions'], 'position')} of {elided(report['suite'], 60)}, "
        f"{depths_in_words(report['depths'])}{mode}; dashed: the same engine on one thread"
    )
    interval = "bars: 95 % by paired bootstrap"
    if all(row["nodes_low95"] is None for row in report["rows"]):
        interval = "too few positions for intervals"
    yield f"geometric means over positions; {interval}"
    if not is_judged:  # a panel that stands alone has no title in a file
        yield "search overhead: nodes of all threads over those of one; too few cores for speed-up"


def _in_words(
    speeds: Sequence[dict[str, Any]], nodes: Sequence[dict[str, Any]]
) -> Iterator[str]:  # fmt: skip
    yield "speed-up and nodes over one thread of the same engine"
    for speed, cost in zip(speeds, nodes, strict=True):
        yield (
            f"{speed['engine']}, {speed['threads']} threads: speed-up {speed['told']}, nodes "
            f"{cost['told']}"
        )
