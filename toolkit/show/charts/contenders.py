"""The final choice of a study: its leading points, played again on fresh openings."""

from __future__ import annotations

from toolkit.base.format import count_of
from toolkit.show.charts.intervals import gain_axis, span_row, told_gain, zero_line
from toolkit.show.charts.picture import Picture, elided, of_field, values_of
from toolkit.show.charts.study_data import LeadingPoint, ShownStudy

_ROW = 40
_SEARCH, _FRESH, _BOTH, _CHOSEN = "search", "fresh pairs alone", "both", "both, chosen"
_LETTERS = 60


def contenders_picture(study: ShownStudy) -> Picture:
    """The contenders, the chosen one on top, then those that stood longest."""
    import altair as alt

    ordered = sorted(
        study.contenders, key=lambda one: (-one.chosen, -one.rounds, -one.decided.value)
    )
    labels = [_label(one, number) for number, one in enumerate(ordered, 1)]
    rows = []
    for label, one in zip(labels, ordered, strict=True):
        about = {"contender": label, "values": one.label, "pairs": one.pairs}
        rows.append(about | {"what": _SEARCH, **span_row(one.search, study.unit)})
        if one.fresh is not None:
            rows.append(about | {"what": _FRESH, "value": one.fresh, "told": f"{one.fresh:+.1f}"})
        what = _CHOSEN if one.chosen else _BOTH
        rows.append(about | {"what": what, **span_row(one.decided, study.unit)})
    y = alt.Y(
        "contender:N", scale=alt.Scale(domain=labels), title=None, axis=alt.Axis(labelLimit=330)
    )
    x = alt.X("value:Q", title=gain_axis(study.unit))
    tooltip = [
        alt.Tooltip("values:N"), alt.Tooltip("what:N"), alt.Tooltip("told:N", title="gain"),
        alt.Tooltip("pairs:Q", title="fresh pairs", format=",d"),
    ]  # fmt: skip
    shape = alt.Shape(
        "what:N", title=None, legend=alt.Legend(columns=4),
        scale=alt.Scale(domain=[_SEARCH, _FRESH, _BOTH, _CHOSEN],
                        range=["square", "cross", "circle", "diamond"]),
    )  # fmt: skip
    layers: list[alt.Chart] = []
    for what, style, offset in (
        (_SEARCH, "pale", -7), (_FRESH, "estimate", 7), (_BOTH, "estimate", 0),
        (_CHOSEN, "chosen", 0),
    ):  # fmt: skip
        some = alt.Chart(values_of([row for row in rows if row["what"] == what]))
        if what != _FRESH:
            bar = some.mark_rule(style=style, strokeWidth=2, yOffset=offset)
            layers.append(
                bar.encode(x=of_field(x, "low"), x2=alt.X2("high:Q"), y=y, tooltip=tooltip)
            )
        point = some.mark_point(style=style, filled=True, size=70, yOffset=offset)
        layers.append(point.encode(x=x, y=y, shape=shape, tooltip=tooltip))
    told = [f"{one.label}: {told_gain(one.decided, study.unit)}" for one in ordered]
    return Picture(
        f"Final choice of study {study.name}",
        "The leading points, played again on fresh openings; in each round the better half "
        "continued. Pale: the estimate of the search. Bars: 95 % intervals.",
        f"chosen: {'; then '.join(told)}" if told else "there was no final choice",
        [alt.layer(zero_line("x"), *layers).properties(height=_ROW * max(len(labels), 1))],
    )


def _label(one: LeadingPoint, number: int) -> str:
    rounds = count_of(one.rounds, "round") if one.rounds else "no round"
    pairs = count_of(one.pairs, "pair")
    return f"{number}. {elided(one.label, _LETTERS)}: {rounds}, {pairs}"
