"""Nodes and leaves relative to a baseline, and passes, of a laboratory run: a comparison over
depths, a sweep over the values of its parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of
from toolkit.lab.curves import CurveSet, curves_of
from toolkit.lab.notes import depths_in_words
from toolkit.lab.views import LabReport, LabRunRow
from toolkit.show.charts.picture import Picture, elided, of_field, short_names, values_of
from toolkit.show.charts.series_styles import looks_of

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Panel

_HEIGHTS = {"ratio": 240, "leaves": 170, "passes": 120}
"""Of the panels."""
_NOTES = 2
"""How many notes are repeated, the most important first."""
_FEW = 4
"""So many bands may be as dark as one."""
_AXIS = 50
"""Pixels of the axes at the left, which have to lie below each other."""
_TICKS = 14
"""So many values are all labelled."""
_FEWEST_TICKS = 4
_NODE_TICKS, _FEW_TICKS = 10, 5
"""At most about so many on the logarithmic axis of a panel."""
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, math.inf)
"""Between its ticks where it is short."""


def curves_picture(report: LabReport) -> Picture:
    """A run, of a sweep the deepest depth. Raises NothingMatched if there is nothing to draw."""
    shown = curves_of(report)
    table = report.baseline_table
    baseline = shown.baseline if table is None else f"{shown.baseline} (table: {table})"
    names = short_names([curve.name for curve in shown.curves])
    rows = list(_rows(shown, names))
    titles = {
        "ratio": "All nodes over the baseline's",
        "leaves": "Leaves over the baseline's",
        "passes": "Passes of an iteration, mean",
    }
    panels = [
        _panel(shown, names, rows, field).properties(title=title, height=_HEIGHTS[field])
        for field, title in titles.items()
        if any(row[field] is not None for row in rows)
    ]
    return Picture(
        f"{report.name}: nodes, leaves and passes of {count_of(len(shown.curves), 'engine')} "
        f"over {shown.parameter}",
        "\n".join([*_caption(report, shown, baseline), *small_print(report)]),
        "; ".join(_in_words(shown)),
        panels,
        columns=1,
        source=source_of(report),
    )


def _rows(shown: CurveSet, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A row for each known point. Points of one ``part`` are joined: a gap ends it, and words are
    not joined at all."""
    for name, curve in zip(names, shown.curves, strict=True):
        part, known = 0, False
        for value, place, point in zip(shown.values, shown.places, curve.points, strict=True):
            if point.ratio is None or not known or shown.scale == "words":
                part += 1
            known = point.ratio is not None
            if point.ratio is None:
                continue
            yield {
                "engine": name, "value": value, "place": place, "part": f"{name}#{part}",
                **_measured("ratio", point.ratio, point.interval),
                **_measured("leaves", point.leaves, point.leaves_interval),
                "passes": point.passes,
            }  # fmt: skip


def _measured(
    field: str, ratio: float | None, interval: tuple[float, float] | None
) -> dict[str, Any]:
    """A ratio with the ends of its interval, and both in words."""
    low, high = interval or (None, None)
    told = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    said = "--" if ratio is None else f"{ratio:.3f}{told}"
    return {field: ratio, f"{field}_low": low, f"{field}_high": high, f"{field}_told": said}


def _panel(
    shown: CurveSet, names: Sequence[str], rows: Sequence[dict[str, Any]], field: str
) -> Panel:
    """The points of all engines, joined where they follow each other, over their intervals."""
    import altair as alt

    known = [row for row in rows if row[field] is not None]
    color, shape, dash = looks_of("engine", names, legend=field == "ratio")
    where = _axis(shown, names)
    domain = log_domain(*_numbers(rows, field))
    most = _NODE_TICKS if field == "ratio" else _FEW_TICKS
    y = alt.Y(
        f"{field}:Q", title=None,
        axis=alt.Axis(minExtent=_AXIS, values=round_numbers(domain, most), format="~g"),
        scale=alt.Scale(type="log", nice=False, padding=8, domain=domain),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("engine:N"), alt.Tooltip("value:N", title=shown.parameter),
        alt.Tooltip("ratio_told:N", title="nodes"), alt.Tooltip("leaves_told:N", title="leaves"),
        alt.Tooltip("passes:Q", format=".2f"),
    ]  # fmt: skip
    layers: list[alt.Chart] = []
    if field != "passes":
        one = alt.Chart(values_of([{"at": 1}]))
        layers.append(one.mark_rule(style="reference").encode(y=alt.Y("at:Q")))
        layers += _intervals(known, shown, field, y, color, where)
    base = alt.Chart(values_of(known)).encode(**where, y=y, color=color, tooltip=tooltip)
    if shown.scale != "words":
        layers.append(base.mark_line().encode(detail=alt.Detail("part:N"), strokeDash=dash))
    layers.append(base.mark_point(filled=True, size=42, opacity=1).encode(shape=shape))
    return alt.layer(*layers)


def _intervals(
    rows: Sequence[dict[str, Any]], shown: CurveSet, field: str, y: alt.Y, color: alt.Color,
    where: dict[str, Any],
) -> list[alt.Chart]:  # fmt: skip
    """A band for each part of a curve without gaps; a bar for a point that stands alone."""
    import altair as alt

    low, high = f"{field}_low", f"{field}_high"
    sure = [row for row in rows if row[low] is not None]
    size: dict[str, int] = {}
    for row in sure:
        size[row["part"]] = size.get(row["part"], 0) + 1
    layers = []
    joined = [row for row in sure if size[row["part"]] > 1]
    if joined:
        opacity = 0.16 if len(shown.curves) <= _FEW else 0.06
        band = _chart(joined).mark_area(style="band", opacity=opacity)
        layers.append(
            band.encode(
                **where,
                y=of_field(y, low),
                y2=alt.Y2(f"{high}:Q"),
                color=color,
                detail=alt.Detail("part:N"),
            )
        )
    alone = [row for row in sure if size[row["part"]] == 1]
    if alone:
        bar = _chart(alone).mark_rule(style="interval")
        layers.append(bar.encode(**where, y=of_field(y, low), y2=alt.Y2(f"{high}:Q"), color=color))
    return layers


def _chart(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    return alt.Chart(values_of(rows))


def _numbers(rows: Sequence[dict[str, Any]], field: str) -> tuple[list[float], float]:
    """All numbers to be shown, of ratios with the baseline's 1; the least ratio of their ends."""
    fields = (field,) if field == "passes" else (field, f"{field}_low", f"{field}_high")
    numbers = [row[one] for row in rows for one in fields if row[one] is not None]
    return (numbers, 2.0) if field == "passes" else ([*numbers, 1.0], 1.1)


def log_domain(numbers: Sequence[float], least: float) -> list[float]:
    """From the least to the greatest of the numbers; wider where the ratio of both is below
    ``least``."""
    low, high = min(numbers), max(numbers)
    return [low, high] if high / low >= least else [low / least**0.5, high * least**0.5]


def round_numbers(domain: Sequence[float], most: int) -> list[float]:
    """Ticks of a logarithmic axis with this domain: 1, 2, 5, 10 and so on where enough of them are
    to be seen, else about ``most`` even steps, for which Vega has no labels."""
    low, high = domain
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{one}e{decade}") for decade in decades for one in (1, 2, 5)]
    seen = [one for one in found if low <= one <= high]
    if len(seen) >= _FEWEST_TICKS:
        return seen
    step = next(one for one in _STEPS if (high - low) / one < most)
    if step == math.inf:
        return seen
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(number * step, 3) for number in range(first, last + 1)] or seen


def _axis(shown: CurveSet, names: Sequence[str]) -> dict[str, Any]:
    """Numbers at their values; words in the order given, with the engines side by side."""
    import altair as alt

    title = elided(shown.axis, 70)
    if shown.scale == "words":
        long = sum(map(len, shown.values)) > 70 or len(shown.values) > 12
        axis = alt.Axis(labelAngle=-30 if long else 0, labelLimit=160)
        x = alt.X("value:N", scale=alt.Scale(domain=list(shown.values)), title=title, axis=axis)
        return {"x": x, "xOffset": alt.XOffset("engine:N", scale=alt.Scale(domain=list(names)))}
    axis = alt.Axis(
        values=_ticks(shown),
        labelOverlap="greedy",
        grid=False,
        labelExpr=_label(shown),
        format=".9~r",
    )
    scale = alt.Scale(
        type=shown.scale, nice=False, zero=False, padding=12,
        domain=[min(shown.places), max(shown.places)],
    )  # fmt: skip
    return {"x": alt.X("place:Q", title=title, axis=axis, scale=scale)}


def _ticks(shown: CurveSet) -> Any:
    """The values themselves; round numbers where a linear axis has too many."""
    import altair as alt

    many = shown.scale == "linear" and len(shown.places) > _TICKS
    return alt.Undefined if many else list(shown.places)


def _label(shown: CurveSet) -> Any:
    """Powers of two as such where some of them are great."""
    import altair as alt

    powers = all(at > 0 and at == 2.0 ** (int(at).bit_length() - 1) for at in shown.places)
    if powers and max(shown.places) >= 1024:
        return "'2^' + round(log(datum.value) / LN2)"
    return alt.Undefined


def _caption(report: LabReport, shown: CurveSet, baseline: str) -> Iterator[str]:
    """The trees, the iterations and the intervals."""
    depths = depths_in_words(report.depths)
    if report.kind == "sweep":
        deepest = f", the deepest of {len(report.depths)}" if len(report.depths) > 1 else ""
        depths = f"depth {max(report.depths)}{deepest}"
    what = "that iteration alone" if report.measure == "last" else "all iterations up to a depth"
    interval = (
        f"{'bars' if shown.scale == 'words' else 'shaded'}: 95 % intervals (paired bootstrap)"
    )
    if not any(point.interval for curve in shown.curves for point in curve.points):
        interval = "too few positions for intervals"
    yield (
        f"{count_of(report.positions, 'position')} of {elided(report.suite, 60)}, {depths}; "
        f"dashed: the baseline, {elided(baseline, 60)}"
    )
    yield f"geometric means over positions, of {what}; logarithmic; {interval}"


def small_print(report: LabReport) -> Iterator[str]:
    """What limits the figures."""
    done, planned = report.searches_done, report.searches_planned
    if done < planned:
        yield f"{report.status}: {done} of {count_of(planned, 'search', 'searches')}"
    if not report.values_agree:
        yield "values differ: not all engines found what their baselines found"
    for note in report.notes[:_NOTES]:
        yield f"note: {note}"
    if (more := len(report.notes) - _NOTES) > 0:
        yield count_of(more, "more note")


def source_of(report: LabRunRow) -> str:
    """Where its figures are from."""
    return f"mtdf {report.version}, {report.backend} {report.signature}, {report.created_at[:10]}"


def _in_words(shown: CurveSet) -> Iterator[str]:
    """The last known point of each engine."""
    yield f"nodes over those of {shown.baseline} by {shown.parameter}"
    for curve in shown.curves:
        known = [
            (value, point)
            for value, point in zip(shown.values, curve.points, strict=True)
            if point.ratio is not None
        ]
        if not known:
            yield f"{curve.name}: not known"
            continue
        value, point = known[-1]
        ends = "" if point.interval is None else " [{:.2f}, {:.2f}]".format(*point.interval)
        yield f"{curve.name} at {value}: {point.ratio:.2f}{ends}"
