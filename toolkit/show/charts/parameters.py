"""The way of each parameter of a study: θ over the pairs of SPSA, values over the trials."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_setting
from toolkit.show.charts.picture import Picture, elided, of_field, values_of
from toolkit.show.charts.study_data import ShownParameter, ShownStudy, ShownTrial, Track

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Channel, Panel

_HEIGHT = 170

_LETTERS = 28
"""Of all options together, if they stand side by side without turning."""


def parameters_picture(study: ShownStudy) -> Picture:
    """A panel for each parameter, with marks at the base's and the recommended value."""
    marks = "Dashed: the base's value; solid line: the recommended one."
    if study.tracks:
        panels = [_track(one, study.pairs, study.averaged_from) for one in study.tracks]
        mean = (
            " The recommended value is the mean over the shaded part."
            if study.averaged_from
            else ""
        )
        caption = f"θ, the search's current values, over the pairs played. {marks}{mean}"
        if options := [one.name for one in study.parameters if one.ends is None]:
            caption += f" Options have no θ: {', '.join(map(elided, options))}."
    else:
        panels = [_trials(one, study.trials) for one in study.parameters] if study.trials else []
        caption = f"The values of each trial, in the order of the trials. {marks}"
    told = "; ".join(
        f"{one.name} from {format_setting(one.base)} to {format_setting(one.recommended)}"
        for one in study.parameters
    )
    return Picture(
        f"Parameters of study {study.name}",
        caption,
        f"{count_of(len(study.parameters), 'parameter')}, from the base's value to the "
        f"recommended one: {told}",
        panels,
    )


def _track(one: Track, pairs: Sequence[int], averaged_from: int | None) -> Panel:
    """θ of a parameter, 0 to 1, with the ends of its range in words."""
    import altair as alt

    rows = [{"pairs": at, "unit": unit} for at, unit in zip(pairs, one.units, strict=True)]
    low, high = map(
        json.dumps, (one.low, one.high)
    )  # as texts of the expression, whatever they are
    ends = f"datum.value == 0 ? {low} : datum.value == 1 ? {high} : ''"
    y = alt.Y(
        "unit:Q", title=None, scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[0, 0.5, 1], labelExpr=ends, minExtent=40),
    )  # fmt: skip
    x = alt.X("pairs:Q", title="pairs")
    layers: list[alt.Chart] = []
    if averaged_from is not None and rows:
        span = alt.Chart(values_of([{"from": averaged_from, "to": pairs[-1]}]))
        layers.append(span.mark_rect(style="band").encode(x=of_field(x, "from"), x2=alt.X2("to:Q")))
    for value, style in ((one.base, "reference"), (one.recommended, "chosen")):
        if value is not None:
            mark = alt.Chart(values_of([{"unit": value}]))
            layers.append(mark.mark_rule(style=style, strokeWidth=2).encode(y=y))
    line = alt.Chart(values_of(rows)).mark_line(style="estimate", point=len(rows) == 1)
    tooltip = [
        alt.Tooltip("pairs:Q", format=",d"),
        alt.Tooltip("unit:Q", title="of the range", format=".3f"),
    ]
    layers.append(line.encode(x=x, y=y, tooltip=tooltip))
    return alt.layer(*layers).properties(title=elided(one.name), height=_HEIGHT)


def _trials(one: ShownParameter, trials: Sequence[ShownTrial]) -> Panel:
    """The values of a parameter by trial."""
    import altair as alt

    rows = [
        {"trial": trial.number, "value": trial.point[one.name], "pruned": trial.pruned}
        for trial in trials
        if one.name in trial.point
    ]
    y = value_axis(alt.Y("value"), one, title=False)
    x = alt.X("trial:Q", title="trial", axis=alt.Axis(tickMinStep=1))
    layers = [
        alt.Chart(values_of([{"value": value}])).mark_rule(style=style, strokeWidth=2).encode(y=y)
        for value, style in ((one.base, "reference"), (one.recommended, "chosen"))
        if value is not None
    ]
    tooltip = [
        alt.Tooltip("trial:Q"),
        alt.Tooltip("value", type="nominal" if one.options else "quantitative"),
        alt.Tooltip("pruned:N"),
    ]
    points = alt.Chart(values_of(rows)).mark_circle(style="estimate", size=26)
    return alt.layer(*layers, points.encode(x=x, y=y, tooltip=tooltip)).properties(
        title=elided(one.name), height=_HEIGHT
    )


def value_axis(channel: Channel, one: ShownParameter, *, title: bool = True) -> Channel:
    """An axis of the values of a parameter: numbers over its range, or its options in order."""
    import altair as alt

    copied = channel.copy(deep=False)
    copied["title"] = elided(one.name) if title else None
    extent: dict[str, Any] = {"minExtent": 40} if isinstance(channel, alt.Y) else {}
    if one.ends is None:
        copied["type"], copied["scale"] = "nominal", alt.Scale(domain=list(one.options))
        is_long = isinstance(channel, alt.X) and sum(map(len, one.options)) > _LETTERS
        copied["axis"] = alt.Axis(labelAngle=-40 if is_long else 0, **extent)
        return copied
    copied["type"] = "quantitative"
    kind: dict[str, Any] = {"type": "log"} if one.log else {"type": "linear", "zero": False}
    copied["scale"] = alt.Scale(domain=list(one.ends), nice=False, **kind)
    copied["axis"] = alt.Axis(labelOverlap="greedy", labelSeparation=4, tickCount=6, **extent)
    return copied
