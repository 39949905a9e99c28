"""The trials of a study in parallel coordinates: a line for each, through its values."""

from __future__ import annotations

from toolkit.base.format import count_of, format_setting
from toolkit.show.charts.gain import point_words
from toolkit.show.charts.intervals import gain_axis, told_gain
from toolkit.show.charts.picture import Picture, short_names, values_of
from toolkit.show.charts.study_data import ShownStudy

_HEIGHT = 300
_BEST = 0.1
"""Share of the trials that are drawn in front of the others."""


def parallel_picture(study: ShownStudy) -> Picture:
    """An axis for each parameter; the colour of a line is the posterior gain of its trial."""
    import altair as alt

    names = short_names([one.name for one in study.parameters])
    ordered = sorted(study.trials, key=lambda one: one.gain.value)
    front = len(ordered) - max(round(_BEST * len(ordered)), 1)
    rows = [
        {
            "trial": trial.number, "parameter": name, "unit": trial.units[one.name],
            "value": format_setting(trial.point[one.name]), "gain": trial.gain.value,
            "told": told_gain(trial.gain, study.unit), "values": point_words(trial),
            "best": place >= front,
        }
        for place, trial in enumerate(ordered)
        for name, one in zip(names, study.parameters, strict=True)
        if one.name in trial.units
    ]  # fmt: skip
    ends = [
        {"parameter": name, "unit": unit, "end": format_setting(end)}
        for name, one in zip(names, study.parameters, strict=True)
        for unit, end in (
            zip((0.0, 1.0), one.ends, strict=True)
            if one.ends is not None
            else ((k / (len(one.options) - 1), text) for k, text in enumerate(one.options))
        )
    ]
    x = alt.X(
        "parameter:N", title=None, scale=alt.Scale(domain=names, padding=0.5),
        axis=alt.Axis(labelAngle=0 if len(names) <= 5 else -30, grid=True, orient="bottom"),
    )  # fmt: skip
    y = alt.Y("unit:Q", axis=None, scale=alt.Scale(domain=[-0.06, 1.06], nice=False))
    colour = alt.Color(
        "gain:Q", title=gain_axis(study.unit), scale=alt.Scale(range="heatmap"),
        legend=alt.Legend(orient="top", gradientLength=200),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("trial:Q"), alt.Tooltip("told:N", title="gain"), alt.Tooltip("values:N"),
    ]  # fmt: skip
    lines = [
        alt.Chart(values_of([row for row in rows if row["best"] == best]))
        .mark_line(
            strokeWidth=2.5 if best else 1, opacity=1 if best else 0.6, point=len(names) == 1
        )
        .encode(x=x, y=y, color=colour, detail=alt.Detail("trial:N"), tooltip=tooltip)
        for best in (False, True)
    ]  # fmt: skip
    labels = (
        alt.Chart(values_of(ends))
        .mark_text(style="label", align="left", dx=6)
        .encode(x=x, y=y, text=alt.Text("end:N"))
    )
    told = "nothing played yet"
    if ordered:
        told = (
            f"{count_of(len(ordered), 'trial')} over {count_of(len(names), 'parameter')}; the best "
            f"one is trial {ordered[-1].number}, {point_words(ordered[-1])}: "
            f"{told_gain(ordered[-1].gain, study.unit)}"
        )
    return Picture(
        f"Trials of study {study.name}, in parallel coordinates",
        "A line is a trial, an axis a parameter with the ends of its range; the colour is the "
        "posterior gain after all trials. The best tenth is drawn thick. A line ends where a "
        "parameter means nothing.",
        told,
        [alt.layer(*lines, labels).properties(height=_HEIGHT)],
    )
