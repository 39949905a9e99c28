"""Why games ended, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import count_of
from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    from toolkit.reports.event_statistics import EndReasonCount

_ROW = 24
_ROOM = 1.35
"""The axis over the longest bar, which leaves place for its label."""


def ends_picture(rows: Sequence[EndReasonCount]) -> Picture:
    """The games by end reason, the most frequent first."""
    import altair as alt

    values = [
        {
            "reason": row.end_reason, "games": row.games,
            "told": f"{row.games:,} ({100 * row.share:.1f} %)".replace(",", " "),
        }
        for row in rows
    ]  # fmt: skip
    base = alt.Chart(values_of(values)).encode(
        y=alt.Y("reason:N", sort=None, title=None),
        x=alt.X(
            "games:Q",
            title="games",
            axis=alt.Axis(tickMinStep=1, tickCount=6, format="d"),
            scale=alt.Scale(domain=[0, _ROOM * max((row.games for row in rows), default=1)]),
        ),
    )
    bars = base.mark_bar(style="estimate", height=14)
    words = base.mark_text(style="label", align="left", dx=5).encode(text="told:N")
    games = sum(row.games for row in rows)
    most = f"; most often {rows[0].end_reason}, {values[0]['told']}" if rows else ""
    return Picture(
        "End reasons",
        "Games by the reason for which they ended.",
        f"End reasons of {count_of(games, 'game')}{most}",
        [alt.layer(bars, words).properties(height=_ROW * max(len(rows), 1))],
    )
