"""The chart of a claim: its figures with their intervals, over numbers or words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.claim import ClaimChart
from claims.experiment import GAME
from claims.page import chart_name
from claims.stored import stored_results
from claims.views import ClaimRow
from claims.words import figure_text, threshold_text, verdict_text
from toolkit.base.format import count_of
from toolkit.show.charts.curves import round_numbers
from toolkit.show.charts.picture import Picture, of_field, short_names, values_of
from toolkit.show.charts.series_styles import looks_of
from toolkit.show.charts.static import write_svg

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Panel

_HEIGHT = 290
_TICKS = 10
"""At most about so many on a logarithmic axis."""


def write_claim_charts(folder: Path) -> None:
    """Write the chart of each stored result in chess as SVG. Raises OperationFailed."""
    for claim in stored_results().values():
        if claim.game == GAME:
            write_svg(claim_picture(claim), folder / chart_name(claim))


def claim_picture(claim: ClaimRow) -> Picture:
    """One panel with every series of the claim's chart; the caption has the verdicts."""
    runs, matches = claim.runs, claim.matches
    made = "; ".join(
        f"{run.run}: {run.positions} positions, depth {run.depths[-1]}, mtdf "
        f"{run.version}, {run.backend} {run.signature}"
        for run in runs
    )
    if matches:
        cores = sorted({f"{one.backend} {one.signature}" for one in matches})
        pairs = sum(one.pairs for one in matches)
        made = f"{count_of(pairs, 'game pair')}, mtdf {matches[0].version}, {', '.join(cores)}"
    units = "game pairs" if matches else "positions" if runs else "random trees"
    verdicts = [
        f"{part.text}: {figure_text(part)}, claimed {threshold_text(part)}: {verdict_text(part)}"
        for part in claim.parts
    ]
    return Picture(
        f"Claim {claim.claim}: {claim.title}",
        "\n".join(filter(None, [f"bars: 95 % intervals over {units}", made])),
        "; ".join(verdicts),
        [_panel(claim)],
        columns=1,
    )


def _panel(claim: ClaimRow) -> Panel:
    import altair as alt

    chart = claim.chart
    series = list(dict.fromkeys(point.series for point in chart.points))
    names = dict(zip(series, short_names(series), strict=True))
    rows = [
        {
            "series": names[point.series], "at": point.at, "value": point.estimate,
            "low": point.low95, "high": point.high95, "told": figure_text(point),
        }
        for point in chart.points
        if point.estimate is not None
    ]  # fmt: skip
    in_words = any(isinstance(row["at"], str) for row in rows)
    color, shape, dash = looks_of("series", list(names.values()))
    y = _up(chart, rows)
    where = _across(chart.across, rows, list(names.values()), in_words)
    tooltip = [alt.Tooltip("series:N"), alt.Tooltip("at:N"), alt.Tooltip("told:N")]
    layers: list[alt.Chart] = []
    if chart.reference is not None:
        line = alt.Chart(values_of([{"line": chart.reference}]))
        layers.append(line.mark_rule(style="reference").encode(y=of_field(y, "line")))
    sure = [row for row in rows if row["low"] is not None]
    if sure:
        bars = alt.Chart(values_of(sure)).mark_rule(style="interval")
        layers.append(bars.encode(**where, y=of_field(y, "low"), y2="high:Q", color=color))
    base = alt.Chart(values_of(rows)).encode(**where, y=y, color=color, tooltip=tooltip)
    if not in_words:
        layers.append(base.mark_line().encode(strokeDash=dash))
    layers.append(base.mark_point(filled=True, size=48, opacity=1).encode(shape=shape))
    return alt.layer(*layers).properties(height=_HEIGHT)


def _up(chart: ClaimChart, rows: Sequence[dict[str, Any]]) -> alt.Y:
    """From the least to the greatest end of an interval."""
    import altair as alt

    if not chart.logarithmic:
        return alt.Y("value:Q", title=chart.up, scale=alt.Scale(zero=False, padding=10))
    numbers = [row[end] for row in rows for end in ("low", "value", "high") if row[end] is not None]
    numbers += [] if chart.reference is None else [chart.reference]
    domain = [min(numbers), max(numbers)]
    axis = alt.Axis(values=round_numbers(domain, _TICKS), format=".9~r")
    scale = alt.Scale(type="log", nice=False, domain=domain, padding=10)
    return alt.Y("value:Q", title=chart.up, scale=scale, axis=axis)


def _across(
    title: str, rows: list[dict[str, Any]], names: list[str], in_words: bool
) -> dict[str, Any]:
    """Numbers at their values; words in their order, with the series side by side."""
    import altair as alt

    if not in_words:
        scale = alt.Scale(zero=False, nice=False, padding=14)
        places = sorted({row["at"] for row in rows})
        axis = alt.Axis(grid=False, values=places, labelOverlap="greedy", format=".9~r")
        return {"x": alt.X("at:Q", title=title, scale=scale, axis=axis)}
    words = list(dict.fromkeys(str(row["at"]) for row in rows))
    axis = alt.Axis(labelAngle=-25 if sum(map(len, words)) > 70 else 0, labelLimit=220)
    x = alt.X("at:N", title=title, scale=alt.Scale(domain=words), axis=axis)
    if len(names) == 1:
        return {"x": x}
    return {"x": x, "xOffset": alt.XOffset("series:N", scale=alt.Scale(domain=names))}
