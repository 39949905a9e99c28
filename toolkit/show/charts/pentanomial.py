"""Game pairs by their points, as a histogram."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.format import count_of
from toolkit.show.charts.picture import Picture, values_of

_POINTS = ("0", "½", "1", "1½", "2")


def pentanomial_picture(pentanomial: Sequence[int], engine: str) -> Picture:
    """How many pairs gave ``engine`` 0, ½, 1, 1½ and 2 points."""
    import altair as alt

    values = [
        {"points": points, "pairs": pairs}
        for points, pairs in zip(_POINTS, pentanomial, strict=True)
    ]
    base = alt.Chart(values_of(values)).encode(
        x=alt.X(
            "points:O", sort=None, title=f"points of {engine} in a pair",
            axis=alt.Axis(labelAngle=0),
        ),
        y=alt.Y("pairs:Q", title="pairs", axis=alt.Axis(tickMinStep=1, format="d")),
    )  # fmt: skip
    bars = base.mark_bar(style="estimate")
    words = base.mark_text(style="label", dy=-8).encode(text=alt.Text("pairs:Q"))
    told = ", ".join(f"{row['points']}: {row['pairs']}" for row in values)
    return Picture(
        "Game pairs by points",
        f"How many game pairs gave {engine} 0 to 2 points.",
        f"{count_of(sum(pentanomial), 'pair')} by points of {engine}: {told}",
        [alt.layer(bars, words).properties(height=180)],
    )
