"""How much each parameter matters, as bars."""

from __future__ import annotations

import json
from collections.abc import Sequence

from toolkit.base.format import count_of, format_number
from toolkit.show.charts.picture import Picture, of_field, short_names, values_of
from toolkit.tuning.models.importance import Importance

_ROW = 26


def importance_picture(study: str, rows: Sequence[Importance]) -> Picture:
    """The rows of ``tune importance`` of a study, the most important parameter on top."""
    import altair as alt

    in_elo = any(row.error95 is not None for row in rows)
    digits, unit = (1, " Elo") if in_elo else (2, "")
    told = [
        format_number(row.importance, digits)
        + (f" ± {format_number(row.error95, digits)}" if row.error95 is not None else "")
        for row in rows
    ]
    names = short_names([row.parameter for row in rows])
    data = [
        {
            "parameter": name, "importance": row.importance, "told": words + unit,
            "low": row.importance - (row.error95 or 0.0),
            "high": row.importance + (row.error95 or 0.0),
        }
        for name, row, words in zip(names, rows, told, strict=True)
    ]  # fmt: skip
    base = alt.Chart(values_of(data)).encode(
        tooltip=[alt.Tooltip("parameter:N"), alt.Tooltip("told:N", title="importance")],
    )
    y, scale = "parameter:N", alt.Scale(domain=names)
    title = "Elo lost with other values" if in_elo else "share of importance"
    x = alt.X("importance:Q", title=title, axis=alt.Axis(tickCount=8))
    layers = [
        base.mark_bar(style="estimate", opacity=0.6).encode(
            x=x, y=alt.Y(y, scale=scale, title=None)
        )
    ]
    if in_elo:
        layers.append(
            base.mark_rule(style="interval").encode(
                x=of_field(x, "low"), x2=alt.X2("high:Q"), y=alt.Y(y, scale=scale, axis=None)
            )
        )
    # The words stand behind the panel as labels of an axis: these are never cut.
    named = json.dumps({name: one["told"] for name, one in zip(names, data, strict=True)})
    beside = alt.Axis(
        orient="right", labelExpr=f"({named})[datum.label]", ticks=False, domain=False
    )
    words = base.mark_point(opacity=0, size=0).encode(
        x=of_field(x, "high"), y=alt.Y(y, scale=scale, title=None, axis=beside)
    )
    trials = count_of(max((row.trials for row in rows), default=0), "trial")
    caption = (
        "Elo lost on average with other values, by a surface fitted to the comparisons of "
        f"{trials}. Lines: 95 % intervals."
        if in_elo
        else f"Share in what distinguishes better trials from the others, by PED-ANOVA of {trials}."
    )
    return Picture(
        f"Importance of the parameters of study {study}",
        caption,
        "; ".join(f"{name} {one['told']}" for name, one in zip(names, data, strict=True)),
        [
            alt.layer(*layers, words)
            .resolve_axis(y="independent")
            .properties(height=_ROW * max(len(rows), 1))
        ],
    )
