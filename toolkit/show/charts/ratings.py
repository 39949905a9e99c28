"""Ratings as dots with their intervals, the strongest engine on top; each pool has its own panel,
because ratings of different pools cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_number
from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    from toolkit.ratings.rating_list import RatingLine
    from toolkit.show.charts.picture import Panel

MOST_DRAWN = 50
"""Engines of a longer list that are drawn, the first."""
_SHAPES = {None: "circle", "at least": "triangle-right", "at most": "triangle-left"}
"""How a rating is marked; that of an engine that won or lost everything is a bound."""
_OPEN, _LEAST_OPEN = 0.1, 50.0
"""How far the bar of a bound goes beyond all others: share of the width, and Elo."""
_ROW = 30
"""Pixels of a line."""


def ratings_picture(
    lines: Sequence[RatingLine], names: Sequence[str], pools: Sequence[str] = ()
) -> Picture:
    """The ratings of one list; ``names`` are what to call its players, in the same order, and
    ``pools`` what to call its pools, if there are several."""
    rows: dict[int, list[dict[str, Any]]] = {}
    for name, line in zip(names[:MOST_DRAWN], lines[:MOST_DRAWN], strict=True):
        rows.setdefault(line.pool, []).append(_row(name, line))
    for drawn in rows.values():
        _open_bounds(drawn)
    panels = [_panel(drawn) for drawn in rows.values()] or [_panel([])]
    if len(pools) > 1:
        panels = [
            panel.properties(title=pools[number])
            for number, panel in zip(rows, panels, strict=True)
        ]
    some = any(line.bound for line in lines)
    bounds = " Triangles: bounds, of engines that won or lost every game; their bars are open."
    bounds = bounds if some else ""
    apart = " Ratings of different pools cannot be compared." if len(pools) > 1 else ""
    cut = len(lines) > MOST_DRAWN
    left_out = f" The first {MOST_DRAWN} of {len(lines)} engines." if cut else ""
    best = f"; {names[0]} is first with {_told(lines[0])}" if lines else ""
    return Picture(
        "Ratings",
        f"Dots: ratings in Elo; bars: 95 % intervals.{bounds}{apart}{left_out}",
        f"Ratings of {count_of(len(lines), 'engine')}{best}",
        panels,
        columns=1,
    )


def _panel(rows: Sequence[dict[str, Any]]) -> Panel:
    import altair as alt

    order = list(dict.fromkeys(row["engine"] for row in rows))
    y = alt.Y("engine:N", scale=alt.Scale(domain=order), title=None, axis=alt.Axis(labelLimit=280))
    tooltip = [
        alt.Tooltip("engine:N"), alt.Tooltip("told:N", title="Elo"),
        alt.Tooltip("games:Q", format=",d"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows)).encode(y=y, tooltip=tooltip)
    zero = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference").encode(x=alt.X("at:Q"))
    bars = base.mark_rule(style="interval").encode(
        x=alt.X("low:Q", title="Elo"), x2=alt.X2("high:Q")
    )
    dots = base.mark_point(style="estimate", filled=True, size=80).encode(
        x=alt.X("elo:Q"), shape=alt.Shape("shape:N", scale=None)
    )
    return alt.layer(zero, bars, dots).properties(height=_ROW * max(len(order), 1))


def _open_bounds(rows: list[dict[str, Any]]) -> None:
    """Let the bars of bounds, beyond which any rating is possible, leave the others behind."""
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    beyond = max(_OPEN * (high - low), _LEAST_OPEN)
    for row in rows:
        if row["shape"] == _SHAPES["at least"]:
            row["high"] = high + beyond
        elif row["shape"] == _SHAPES["at most"]:
            row["low"] = low - beyond


def _row(name: str, line: RatingLine) -> dict[str, Any]:
    error = line.error95 or 0.0
    return {
        "engine": name,
        "elo": line.elo,
        "low": line.elo - error,
        "high": line.elo + error,
        "told": _told(line),
        "games": line.games,
        "shape": _SHAPES[line.bound],
    }


def _told(line: RatingLine) -> str:
    elo = format_number(line.elo, signed=True)
    if line.bound:
        return f"{line.bound} {elo}"
    return elo if line.error95 is None else f"{elo} ± {format_number(line.error95)}"
