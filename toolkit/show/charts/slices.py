"""The gain along each parameter by a model, the others as recommended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import format_setting
from toolkit.show.charts.intervals import gain_axis, range_of, span_row, told_gain, zero_line
from toolkit.show.charts.parameters import value_axis
from toolkit.show.charts.picture import Picture, elided, of_field, values_of
from toolkit.show.charts.study_data import ShownParameter, ShownStudy, Slice
from toolkit.tuning.models.gain import GainUnit

if TYPE_CHECKING:
    from toolkit.show.charts.picture import Panel

_HEIGHT = 190


def slices_picture(study: ShownStudy) -> Picture:
    """A panel for each parameter, all on one scale of strength."""
    spans = [gain for one in study.slices for gain in one.gains]
    scale = range_of(spans) if spans else (-1.0, 1.0)
    by_name = {one.name: one for one in study.parameters}
    panels = [_slice(one, by_name[one.name], scale, study.unit) for one in study.slices]
    return Picture(
        f"Slices of study {study.name}",
        f"{model_words(study)} along each parameter, the others as recommended. Shaded "
        "and bars: 95 % intervals. Dashed: the base's value; solid line: the recommended one.",
        "; ".join(_in_words(one, study.unit) for one in study.slices) or "nothing played yet",
        panels,
    )


def model_words(study: ShownStudy) -> str:
    """Where gains that were not measured come from."""
    if study.by_comparisons:
        return "Gain by a surface fitted to all comparisons, indicative only,"
    return "Gain estimated from all trials"


def _in_words(one: Slice, unit: GainUnit) -> str:
    best = max(range(len(one.gains)), key=lambda place: one.gains[place].value)
    return (
        f"{one.name}: best at {format_setting(one.values[best])} with "
        f"{told_gain(one.gains[best], unit)}"
    )


def _slice(one: Slice, parameter: ShownParameter, scale: Sequence[float], unit: GainUnit) -> Panel:
    import altair as alt

    rows = [
        {"at": value, "shown": format_setting(value), **span_row(gain, unit)}
        for value, gain in zip(one.values, one.gains, strict=True)
    ]
    y = alt.Y("value:Q", title=gain_axis(unit), scale=alt.Scale(domain=list(scale), nice=False))
    x = value_axis(alt.X("at"), parameter, title=False)
    tooltip = [alt.Tooltip("shown:N", title=elided(one.name)), alt.Tooltip("told:N", title="gain")]
    base = alt.Chart(values_of(rows)).encode(x=x, tooltip=tooltip)
    marks = [
        alt.Chart(values_of([{"at": value}])).mark_rule(style=style, strokeWidth=2).encode(x=x)
        for value, style in ((one.base, "reference"), (one.recommended, "chosen"))
        if value is not None
    ]
    if parameter.options:
        bars = base.mark_rule(style="interval").encode(y=of_field(y, "low"), y2=alt.Y2("high:Q"))
        layers = [*marks, bars, base.mark_circle(style="estimate", size=80).encode(y=y)]
    else:
        band = base.mark_area(style="band").encode(y=of_field(y, "low"), y2=alt.Y2("high:Q"))
        layers = [band, *marks, base.mark_line(style="estimate").encode(y=y)]
    return alt.layer(zero_line("y"), *layers).properties(title=elided(one.name), height=_HEIGHT)
