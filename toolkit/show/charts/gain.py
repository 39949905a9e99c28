"""The gain of a study: what was measured, and what models say over its course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of
from toolkit.show.charts.intervals import gain_axis, range_of, span_row, told_gain, zero_line
from toolkit.show.charts.picture import Picture, elided, of_field, values_of
from toolkit.show.charts.study_data import ShownStudy, ShownTrial, Span, Statement, Stop
from toolkit.tuning.models.gain import GainUnit

if TYPE_CHECKING:
    from toolkit.show.charts.picture import Panel

_ROW = 46
"""Pixels of a measured gain."""
_HEIGHT = 260
_OWN, _POSTERIOR, _PRUNED = "the trial's own mean", "posterior", "posterior, pruned"


def gain_picture(study: ShownStudy) -> Picture:
    """The measured gains of a study, and the estimated ones of its course."""
    panels, captions = [], []
    if study.statements:
        panels.append(_measured(study.statements, study.unit))
        captions.append(
            "Measured: the recommended values against the base, on pairs not used in the choice. "
            "Bars: 95 % intervals; arrow: open end."
        )
    if study.climb:
        panels.append(_climb(study.climb, study.unit))
        captions.append(
            "Estimated: the gain of θ by a surface fitted to all comparisons so far, indicative "
            "only. Shaded: 95 % interval."
        )
    if study.trials:
        panels.append(_trials(study.trials, study.unit))
        captions.append(
            "Trials: the gain of each, estimated from all trials, with 95 % intervals. Pale: its "
            "own mean, which is partly luck."
        )
    return Picture(
        f"Gain of study {study.name}",
        "\n".join(captions),
        "; ".join(_in_words(study)) or "nothing has been measured yet",
        panels,
        columns=1,
    )


def _in_words(study: ShownStudy) -> Iterator[str]:
    for one in study.statements:
        told = f"{one.label}: {told_gain(one.gain, study.unit)} on {count_of(one.pairs, 'pair')}"
        yield f"{told} ({one.note})" if one.note else told
    if study.climb:
        last = study.climb[-1]
        told = told_gain(last.gain, study.unit)
        yield f"estimated gain of θ after {count_of(last.pairs, 'pair')}: {told}"
    if study.trials:
        best = max(study.trials, key=lambda one: one.gain.value)
        told = told_gain(best.gain, study.unit)
        yield f"{count_of(len(study.trials), 'trial')}, trial {best.number} has the best: {told}"


def _measured(statements: Sequence[Statement], unit: GainUnit) -> Panel:
    """One gain a line; an arrow at the side of the panel is an open end."""
    import altair as alt

    left, right = range_of([one.gain for one in statements])
    rows: list[dict[str, Any]] = []
    arrows: list[dict[str, Any]] = []
    for number, one in enumerate(statements, 1):
        label = f"{elided(one.label)}, {count_of(one.pairs, 'pair')}"
        if label in (row["measured"] for row in rows):
            label = f"{label} ({number})"
        row = {"measured": label, "note": one.note, **span_row(one.gain, unit)}
        for end, side, at in (("low", "left", left), ("high", "right", right)):
            if (one.gain.low if end == "low" else one.gain.high) is None:
                row[end] = at
                arrows.append({**row, "at": at, "end": side})
        rows.append(row)
    y = alt.Y("measured:N", scale=alt.Scale(domain=[row["measured"] for row in rows]), title=None)
    x = alt.X(
        "value:Q",
        title=gain_axis(unit),
        axis=alt.Axis(tickCount=8),
        scale=alt.Scale(domain=[left, right], nice=False),
    )
    tooltip = [
        alt.Tooltip("measured:N"), alt.Tooltip("told:N", title="gain"), alt.Tooltip("note:N"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows)).encode(y=y, tooltip=tooltip)
    bars = base.mark_rule(style="interval").encode(x=of_field(x, "low"), x2=alt.X2("high:Q"))
    dots = base.mark_circle(style="estimate", size=90).encode(x=x)
    words = base.mark_text(style="label", dy=-12).encode(x=x, text=alt.Text("told:N"))
    ends = [
        alt.Chart(values_of([one for one in arrows if one["end"] == side]))
        .mark_point(style="estimate", shape=f"triangle-{side}", filled=True, size=90)
        .encode(y=y, x=of_field(x, "at"), tooltip=tooltip)
        for side in ("left", "right")
        if any(one["end"] == side for one in arrows)
    ]
    return alt.layer(zero_line("x"), bars, *ends, dots, words).properties(
        title="Measured", height=_ROW * len(rows)
    )


def _climb(climb: Sequence[Stop], unit: GainUnit) -> Panel:
    """The gain of θ over the pairs played, with its interval as a band."""
    import altair as alt

    rows = [{"pairs": one.pairs, **span_row(one.gain, unit)} for one in climb]
    base = alt.Chart(values_of(rows)).encode(
        x=alt.X("pairs:Q", title="pairs"),
        tooltip=[alt.Tooltip("pairs:Q", format=",d"), alt.Tooltip("told:N", title="gain")],
    )
    y = alt.Y("low:Q", title=gain_axis(unit))
    band = base.mark_area(style="band").encode(y=y, y2=alt.Y2("high:Q"))
    line = base.mark_line(style="estimate", point=len(rows) == 1).encode(y=of_field(y, "value"))
    return alt.layer(zero_line("y"), band, line).properties(
        title="Estimated, by all comparisons so far", height=_HEIGHT
    )


def _trials(trials: Sequence[ShownTrial], unit: GainUnit) -> Panel:
    """Posterior means by trial over pale raw ones."""
    import altair as alt

    rows = [_trial_row(one, one.gain, unit) for one in trials]
    own = [_own_row(one, unit) for one in trials]
    looks = alt.Shape(
        "what:N", title=None, scale=alt.Scale(domain=[_POSTERIOR, _PRUNED],
                                              range=["circle", "triangle-down"]),
        legend=None if not any(one.pruned for one in trials) else alt.Undefined,
    )  # fmt: skip
    x = alt.X("trial:Q", title="trial", axis=alt.Axis(tickMinStep=1))
    y = alt.Y("value:Q", title=gain_axis(unit))
    tooltip = [
        alt.Tooltip("trial:Q"), alt.Tooltip("what:N"), alt.Tooltip("told:N", title="gain"),
        alt.Tooltip("pairs:Q", format=",d"), alt.Tooltip("values:N"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows)).encode(x=x, tooltip=tooltip)
    pale = alt.Chart(values_of(own)).mark_circle(style="pale", size=18)
    bars = base.mark_rule(style="interval", opacity=0.35).encode(
        y=of_field(y, "low"), y2=alt.Y2("high:Q")
    )
    dots = base.mark_point(style="estimate", filled=True, size=34).encode(y=y, shape=looks)
    return alt.layer(zero_line("y"), pale.encode(x=x, y=y, tooltip=tooltip), bars, dots).properties(
        title="Trials", height=_HEIGHT
    )


def _trial_row(one: ShownTrial, span: Span, unit: GainUnit) -> dict[str, Any]:
    return {
        "trial": one.number,
        "what": _PRUNED if one.pruned else _POSTERIOR,
        "pairs": one.pairs,
        "values": point_words(one),
        **span_row(span, unit),
    }


def _own_row(one: ShownTrial, unit: GainUnit) -> dict[str, Any]:
    row = _trial_row(one, Span(one.raw, None, None), unit)
    return row | {"what": _OWN, "told": row["told"].partition(" [")[0]}


def point_words(one: ShownTrial) -> str:
    """The values of a trial."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in one.point.items()
    )
