"""Ratings as dots with their intervals, the strongest engine on top."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.format import count_of, format_number
from toolkit.charts.picture import Picture, values_of
from toolkit.ratings.rows import RatingLine

MOST_DRAWN = 50
"""Engines of a longer list that are drawn, the first."""
_SHAPES = {None: "circle", "at least": "triangle-right", "at most": "triangle-left"}
"""How a rating is marked; that of an engine that won or lost everything is a bound."""
_ROW = 30
"""Pixels of a line."""


def ratings_picture(lines: Sequence[RatingLine], names: Sequence[str]) -> Picture:
    """The ratings of one list; ``names`` are what to call its players, in the same order."""
    import altair as alt

    rows = [
        {
            "engine": name, "elo": line["elo"], "low": _end(line, -1), "high": _end(line, 1),
            "told": _told(line), "games": line["games"],
            "shape": _SHAPES[line["bound"]],
        }
        for name, line in zip(names[:MOST_DRAWN], lines[:MOST_DRAWN], strict=True)
    ]  # fmt: skip
    order = list(dict.fromkeys(names[:MOST_DRAWN]))
    left_out = (
        f" The first {MOST_DRAWN} of {len(lines)} engines." if len(lines) > MOST_DRAWN else ""
    )
    y = alt.Y("engine:N", sort=order, title=None, axis=alt.Axis(labelLimit=280))
    tooltip = [
        alt.Tooltip("engine:N"), alt.Tooltip("told:N", title="Elo"),
        alt.Tooltip("games:Q", format=",d"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows)).encode(y=y, tooltip=tooltip)
    zero = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference").encode(x="at:Q")
    bars = base.mark_rule(style="interval").encode(x=alt.X("low:Q", title="Elo"), x2="high:Q")
    dots = base.mark_point(style="estimate", filled=True, size=80).encode(
        x="elo:Q", shape=alt.Shape("shape:N", scale=None)
    )
    some = any(line["bound"] for line in lines)
    bounds = " Triangles: bounds, of engines that won or lost every game." if some else ""
    best = f"; {names[0]} is first with {_told(lines[0])}" if lines else ""
    return Picture(
        "Ratings",
        f"Dots: ratings in Elo; bars: 95 % intervals.{bounds}{left_out}",
        f"Ratings of {count_of(len(lines), 'engine')}{best}",
        [alt.layer(zero, bars, dots).properties(height=_ROW * max(len(order), 1))],
    )


def _end(line: RatingLine, sign: int) -> float:
    """An end of the interval; where it is open or there is none, the rating itself."""
    return line["elo"] + sign * (line["error95"] or 0.0)


def _told(line: RatingLine) -> str:
    elo = format_number(line["elo"], signed=True)
    if line["bound"]:
        return f"{line['bound']} {elo}"
    return elo if line["error95"] is None else f"{elo} ± {format_number(line['error95'])}"
