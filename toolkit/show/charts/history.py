"""The rating of engines over the stored rating lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.limit import spell_limit
from toolkit.base.format import count_of, format_number
from toolkit.show.charts.picture import Picture, values_of
from toolkit.show.charts.series_styles import looks_of

if TYPE_CHECKING:
    from toolkit.ratings.history import HistoryLine


def history_picture(courses: Sequence[tuple[str, Sequence[HistoryLine]]]) -> Picture:
    """Histories that are comparable: what to call each, and its rows, oldest first."""
    import altair as alt

    values = [
        {
            "engine": name, "list": row.list, "made": row.created_at, "elo": row.elo,
            "low": row.elo - (row.error95 or 0), "high": row.elo + (row.error95 or 0),
            "told": _told(row), "games": row.games,
        }
        for name, rows in courses
        for row in rows
        if not row.bound
    ]  # fmt: skip
    names = [name for name, _ in courses]
    hue, shape, dash = looks_of("engine", names, legend=len(names) > 1)
    base = alt.Chart(values_of(values)).encode(
        x=alt.X("list:O", title="stored rating list", axis=alt.Axis(labelAngle=0)),
        tooltip=[
            alt.Tooltip("engine:N"), alt.Tooltip("told:N", title="Elo"),
            alt.Tooltip("list:O"), alt.Tooltip("made:N"), alt.Tooltip("games:Q", format=",d"),
        ],
    )  # fmt: skip
    bars = base.mark_rule(style="interval").encode(
        y=alt.Y("low:Q", title="Elo", scale=alt.Scale(zero=False)), y2=alt.Y2("high:Q"), color=hue
    )
    way = base.mark_line().encode(y=alt.Y("elo:Q"), color=hue, strokeDash=dash)
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=alt.Y("elo:Q"), color=hue, shape=shape
    )
    last = "; ".join(f"{name} {_told(rows[-1])}" for name, rows in courses[:3])
    row = courses[0][1][-1]
    limit = "" if row.limit is None else f", {spell_limit(row.limit)}"
    return Picture(
        "History of ratings",
        f"Elo in each stored rating list ({row.scale}{limit}); bars: 95 % intervals.",
        f"Ratings of {count_of(len(courses), 'engine')} over the stored lists; last: {last}",
        [alt.layer(bars, way, dots).properties(height=280)],
    )


def _told(row: HistoryLine) -> str:
    elo = format_number(row.elo, signed=True)
    if row.bound:
        return f"{row.bound} {elo}"
    return elo if row.error95 is None else f"{elo} ± {format_number(row.error95)}"
