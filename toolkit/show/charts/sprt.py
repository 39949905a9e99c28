"""A sequential test: its log-likelihood ratio over the pairs, between its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    from toolkit.reports.sprt import LlrRow, SprtOutcome

_MOST = 500
"""Points of the line; of a longer test every n-th pair is drawn, and always the last."""


def llr_picture(course: Sequence[LlrRow], test: SprtOutcome) -> Picture:
    """The way of the ratio; it stops where the test came to a verdict."""
    import altair as alt

    row = test.test
    step = -(-len(course) // _MOST) or 1
    drawn = [*course[::step], *course[-1:]]
    bounds = [
        {"at": row.upper, "told": f"H1: {row.elo1:g}"},
        {"at": row.lower, "told": f"H0: {row.elo0:g}"},
    ]
    ruled = alt.Chart(values_of(bounds)).encode(y=alt.Y("at:Q", title="LLR"))
    lines = ruled.mark_rule(style="reference")
    words = ruled.mark_text(style="label", align="left", dy=-7).encode(
        text=alt.Text("told:N"), x=alt.value(4)
    )
    way = (
        alt.Chart(values_of(drawn))
        .mark_line(style="course")
        .encode(
            x=alt.X("pairs:Q", title="game pairs", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("llr:Q"),
            tooltip=[alt.Tooltip("pairs:Q", format=",d"), alt.Tooltip("llr:Q", format=".2f")],
        )
    )
    thinned = f" One pair in {step} is drawn, and the last." if step > 1 else ""
    return Picture(
        "Log-likelihood ratio",
        "Evidence after each game pair. The test ends where the line reaches a bound: at the upper "
        f"one it accepts H1, at the lower one H0 ({row.model} Elo).{thinned}",
        f"LLR {row.llr:.2f} after {test.pairs_tested} pairs, between {row.lower:.2f} and "
        f"{row.upper:.2f}; {test.reason}",
        [alt.layer(lines, words, way).properties(height=240)],
    )
