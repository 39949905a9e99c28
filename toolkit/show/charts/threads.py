"""Speed-up and search overhead of a run of kind ``parallel``, by number of threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of
from toolkit.lab.notes import depths_in_words
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport
from toolkit.runs.lifecycle import named_command
from toolkit.show.charts.curves import log_domain, round_numbers, small_print, source_of
from toolkit.show.charts.picture import Picture, elided, of_field, short_names, values_of
from toolkit.show.charts.series_styles import looks_of
from toolkit.show.charts.theme import CATEGORIES, NEUTRAL

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Panel

_HEIGHT = 230
_AXIS = 50
"""Pixels of the axes at the left, which have to lie below each other."""
_TICKS = 10
_NARROWEST = 1.1
"""Of the axis: its greatest number over its least."""
_BESIDE = 6
"""Points of one number of threads: fewer stand no further from each other."""
_WIDER = (1.0, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 6.0)
"""By how much an axis may end outside its numbers, to end at round ones."""
_ROUND = tuple(
    float(f"{one}e{decade}") for decade in range(-4, 5) for one in (1, 1.5, 2, 3, 4, 6, 8)
)
"""Ticks of an axis on which even steps are too many, and 1, 2 and 5 of each decade too few."""
_TRIANGLE = "M0,-1.3L1.25,0.9L-1.25,0.9Z"
"""As large to the eye as a circle; the triangle of Vega is smaller."""
_SHAPES = ("circle", _TRIANGLE, "square", "diamond")
"""Of the ways."""


def threads_picture(report: LabReport) -> Picture:
    """A point with its interval for each engine, way and number of threads. Raises NothingMatched
    if there is nothing to draw."""
    rows = [row for row in report.rows if row.threads > 1 and row.nodes is not None]
    if not rows:
        raise NothingMatched(
            f"run {report.name} has nothing to draw: no engine has searched the same position "
            f"with one thread and with several yet "
            f"({named_command('resume', report.name)})"
        )
    engines = list(dict.fromkeys(row.baseline for row in rows))
    short = dict(zip(engines, short_names(engines), strict=True))
    speeds = [
        _point(short, row, row.speedup, row.speedup_low95, row.speedup_high95) for row in rows
    ]
    nodes = [_point(short, row, row.nodes, row.nodes_low95, row.nodes_high95) for row in rows]
    panels = []
    if judged := [point for point in speeds if point["value"] is not None]:
        panels.append(_panel(judged, nodes, "Speed-up over one thread", is_speed=True))
    title = "Nodes over one thread (search overhead)"
    panels.append(_panel(nodes, nodes, title, legend=not panels))
    return Picture(
        f"{report.name}: {count_of(len(engines), 'engine')} with several threads"
        f"{'' if len(engines) == 1 else ', each'} over itself on one thread",
        "\n".join([*_caption(report, bool(judged)), *small_print(report)]),
        "; ".join(_in_words(speeds, nodes)),
        panels,
        columns=1,
        source=source_of(report),
    )


def _point(
    short: Mapping[str, str], row: LabRow, value: float | None, low: float | None,
    high: float | None,
) -> dict[str, Any]:  # fmt: skip
    interval = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    told = "not judged" if value is None else f"{value:.3f}{interval}"
    engine, way = short[row.baseline], row.parallel
    return {
        "engine": engine, "way": way, "name": f"{engine}, {way}", "threads": row.threads,
        "value": value, "low": low, "high": high, "told": told,
    }  # fmt: skip


def _panel(
    points: Sequence[dict[str, Any]],
    all_points: Sequence[dict[str, Any]],
    title: str,
    *,
    is_speed: bool = False,
    legend: bool = True,
) -> Panel:
    """Points over their intervals, engines side by side, and a line at one thread's 1; of speed-ups
    also what is ideal. Panels have the looks of ``all_points``, and the numbers of threads of their
    own."""
    import altair as alt

    threads = sorted({one["threads"] for one in points})
    names = list(dict.fromkeys(one["name"] for one in all_points))
    color, shape = _looks(all_points, names, legend=legend)
    ideal = threads if is_speed else []
    ends = [one[field] for one in points for field in ("value", "low", "high")]
    ticks, domain = _scale([1.0, *ideal, *(end for end in ends if end is not None)])
    # Points stand close to their number of threads: one number alone has the width of one of three.
    outer = max(0.2, (3 - len(threads)) / 2)
    x = alt.X(
        "threads:O",
        title="threads",
        scale=alt.Scale(domain=threads, paddingInner=0.4, paddingOuter=outer),
        axis=alt.Axis(labelAngle=0),
    )
    padding = max(0.5, (_BESIDE - len(names)) / 2)
    side = alt.XOffset("name:N", scale=alt.Scale(domain=names, padding=padding))
    y = alt.Y(
        "value:Q", title=None, axis=alt.Axis(minExtent=_AXIS, values=ticks, format="~g"),
        scale=alt.Scale(type="log", nice=False, padding=8, domain=domain),
    )  # fmt: skip
    tooltip = [*map(alt.Tooltip, ("engine:N", "way:N", "threads:O")),
               alt.Tooltip("told:N", title=" ")]  # fmt: skip
    base = alt.Chart(values_of(points)).encode(x=x, xOffset=side, y=y, color=color, tooltip=tooltip)
    sure = [one for one in points if one["low"] is not None]
    bars = alt.Chart(values_of(sure)).mark_rule(style="interval")
    best = alt.Chart(values_of([{"threads": one, "at": one} for one in ideal]))
    start, end = x.copy(deep=False), alt.X2("threads:O", bandPosition=1)
    start["bandPosition"] = 0
    layers = [
        alt.Chart(values_of([{"at": 1}])).mark_rule(style="reference").encode(y=alt.Y("at:Q")),
        best.mark_rule(style="reference", strokeDash=[2, 3]).encode(
            x=start, x2=end, y=of_field(y, "at")
        ),
        bars.encode(x=x, xOffset=side, y=of_field(y, "low"), y2=alt.Y2("high:Q"), color=color),
        base.mark_point(filled=True, size=75, opacity=1).encode(shape=shape),
    ]
    return alt.layer(*layers).properties(title=title, height=_HEIGHT)


def _looks(
    points: Sequence[dict[str, Any]], names: Sequence[str], *, legend: bool
) -> tuple[alt.Color, alt.Shape]:
    """The colour is the engine, the shape the way; engines that are too many for it have looks of
    their own for each way."""
    import altair as alt

    engines = list(dict.fromkeys(one["engine"] for one in points))
    ways = list(dict.fromkeys(one["way"] for one in points))
    if len(engines) > len(CATEGORIES) or len(ways) > len(_SHAPES):
        color, shape, _ = looks_of("name", names, legend=legend)
        return color, shape
    color, _, _ = looks_of("engine", engines, legend=legend)
    key = None
    if legend:  # of colours without a shape, and of shapes without a colour
        color["legend"]["symbolType"] = "square"
        key = alt.Legend(title=None, symbolSize=70, symbolOpacity=1, symbolFillColor=NEUTRAL)
    scale = alt.Scale(domain=ways, range=list(_SHAPES[: len(ways)]))
    return color, alt.Shape("way:N", scale=scale, legend=key)


def _scale(numbers: Sequence[float]) -> tuple[list[float], list[float]]:
    """Ticks of a logarithmic axis, and its domain: all numbers lie between the outer ticks."""
    low, high = log_domain(numbers, _NARROWEST)
    is_wide = 2.5 <= high / low <= 20
    for wider in _WIDER:
        ends = [low / wider, high * wider]
        seen = [one for one in _ROUND if ends[0] <= one <= ends[1]]
        ticks = seen if is_wide else round_numbers(ends, _TICKS)
        below = [one for one in ticks if one <= low]
        above = [one for one in ticks if one >= high]
        if below and above:
            return [one for one in ticks if below[-1] <= one <= above[0]], [below[-1], above[0]]
    return round_numbers([low, high], _TICKS), [low, high]


def _caption(report: LabReport, is_judged: bool) -> Iterator[str]:
    """The trees and the intervals."""
    mode = ", selective" if report.mode == "selective" else ""
    yield (
        f"{count_of(report.positions, 'position')} of {elided(report.suite, 60)}, "
        f"{depths_in_words(report.depths)}{mode}; dashed: the same engine on one thread"
    )
    interval = "bars: 95 % by paired bootstrap"
    if all(row.nodes_low95 is None for row in report.rows):
        interval = "too few positions for intervals"
    yield f"geometric means over positions; {interval}; logarithmic axes"
    if is_judged:
        yield "dotted: the ideal speed-up, which is the number of threads"
    else:  # a panel that stands alone has no title in a file
        yield "search overhead: nodes of all threads over those of one; too few cores for speed-up"


def _in_words(speeds: Sequence[dict[str, Any]], nodes: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "speed-up and nodes over one thread of the same engine"
    for speed, cost in zip(speeds, nodes, strict=True):
        yield (
            f"{speed['name']}, {speed['threads']} threads: speed-up {speed['told']}, nodes "
            f"{cost['told']}"
        )
