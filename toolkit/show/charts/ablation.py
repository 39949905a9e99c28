"""What an engine loses without each feature, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_number
from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    from toolkit.reports.ablation import AblationRow

_ROW = 26


def ablation_picture(rows: Sequence[AblationRow], full: str) -> Picture:
    """The features, the greatest loss first; ``full`` is the engine with all of them."""
    import altair as alt

    values = [
        {
            "engine": row.engine,
            "elo": row.elo,
            "low": row.elo if row.low95 is None else row.low95,
            "high": row.elo if row.high95 is None else row.high95,
            "told": f"{format_number(row.elo, signed=True)} ± {format_number(row.error95)}",
        }
        for row in rows
        if row.elo is not None
    ]
    base = alt.Chart(values_of(values)).encode(
        y=alt.Y("engine:N", sort=None, title=None, axis=alt.Axis(labelLimit=280)),
        tooltip=[alt.Tooltip("engine:N"), alt.Tooltip("told:N", title="Elo")],
    )
    zero = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference").encode(x=alt.X("at:Q"))
    bars = base.mark_rule(style="interval").encode(
        x=alt.X("low:Q", title="Elo without the feature"), x2=alt.X2("high:Q")
    )
    dots = base.mark_circle(style="estimate", size=70).encode(x=alt.X("elo:Q"))
    told = "; ".join(f"{row['engine']} {row['told']}" for row in values)
    return Picture(
        "Features",
        f"Elo without one feature relative to {full}: below 0 the feature helps. Bars: 95 % "
        "intervals, each for itself; an open end is not drawn.",
        f"{count_of(len(values), 'feature')}: {told}",
        [alt.layer(zero, bars, dots).properties(height=_ROW * max(len(values), 1))],
    )
