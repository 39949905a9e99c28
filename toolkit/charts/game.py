"""A game: the value, depth, nodes and passes of each search, over its plies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.spec import MATE_BOUND
from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of
from toolkit.charts.picture import Picture, values_of
from toolkit.reports.rows import GameRow, MoveRow

if TYPE_CHECKING:
    import altair as alt

    from toolkit.charts.picture import Panel

DATA = "moves"
"""Name of the data of every panel: a page draws all its games from one description."""
SERIES = ("value", "depth", "nodes", "passes")
"""What the panels show, in their order."""
PLY = "ply_shown"
"""Name of the parameter with the ply at which a rule stands; a page moves it."""
_EDGE = 1000
"""Centipawns at which greater values and mates are drawn."""
_LEFT = 42
"""Pixels of the labels of each panel, so that equal plies stand below each other."""


def game_picture(game: GameRow, moves: Sequence[MoveRow]) -> Picture:
    """The searches of a game. Raises NothingMatched if nothing is known of any."""
    known = [name for name in SERIES if any(row[name] is not None for row in moves)]  # type: ignore[literal-required]
    if not known:
        raise NothingMatched(f"game `{game['id']}` has no search data")
    panels = _panels(_rows(game["start_fen"], moves), is_steered=False)
    plies = count_of(game["plies"], "ply", "plies")
    return Picture(
        f"{game['id']}  {game['white']} - {game['black']}  {game['result']}",
        _CAPTION,
        f"Value, depth, nodes and passes of each search of game {game['id']}, "
        f"{game['white']} against {game['black']}, {game['result']} after {plies}",
        [panels[name] for name in known],
    )


def steered_picture() -> Picture:
    """A panel for each of :data:`SERIES` without data, for a page, with a rule at the ply shown."""
    return Picture(
        "Searches", _CAPTION, "Value, depth, nodes and passes of each search of the game",
        [*_panels(_named(), is_steered=True).values()],
    )  # fmt: skip


GRAPHED = ("ply", "san", "value", "depth", "nodes", "passes")
"""Fields of a move in the data of the panels; beside them stands ``side``, White or Black."""
_CAPTION = (
    "Over the plies. Value in centipawns for White; mates and values beyond "
    f"±{_EDGE} are drawn at the edge. What is not known is left out."
)


def _rows(start_fen: str, moves: Sequence[MoveRow]) -> alt.InlineData:
    sides = ("White", "Black") if start_fen.split()[1] == "w" else ("Black", "White")
    return values_of(
        [
            {"side": sides[number % 2]} | {name: row[name] for name in GRAPHED}  # type: ignore[literal-required]
            for number, row in enumerate(moves)
        ]
    )


def _named() -> alt.NamedData:
    import altair as alt

    return alt.NamedData(DATA)


def _panels(data: alt.InlineData | alt.NamedData, *, is_steered: bool) -> dict[str, Panel]:
    import altair as alt

    own = "(datum.side === 'White' ? datum.value : -datum.value)"
    white = f"isValid(datum.value) ? clamp({own}, {-_EDGE}, {_EDGE}) : null"
    told = (
        f"!isValid(datum.value) ? 'unknown' : abs(datum.value) > {MATE_BOUND} ? "
        f"({own} > 0 ? 'mate by White' : 'mate by Black') : format({own}, '+d')"
    )
    chart = alt.Chart(data).transform_calculate(white=white, told=told)
    legend = alt.Legend(title=None, orient="top", offset=2)
    tooltip = [alt.Tooltip("told:N", title="value for White")]
    value = _line(
        chart, alt.Y("white:Q", title=None, axis=alt.Axis(minExtent=_LEFT)), legend, tooltip
    )
    zero = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference").encode(y="at:Q")
    panels = {"value": _panel("Value", 150, [zero, value], is_steered)}
    for name in SERIES[1:]:
        axis = alt.Axis(
            tickCount=4, tickMinStep=1, minExtent=_LEFT, format="~s" if name == "nodes" else "d"
        )
        y = alt.Y(f"{name}:Q", title=None, axis=axis)
        line = _line(alt.Chart(data), y, None, [alt.Tooltip(f"{name}:Q", format=",d")])
        panels[name] = _panel(name.capitalize(), 90, [line], is_steered)
    return panels


def _line(
    chart: alt.Chart, y: alt.Y, legend: alt.Legend | None, tooltip: Sequence[alt.Tooltip]
) -> alt.Chart:
    """A line for each side; it breaks where a value is not known."""
    import altair as alt

    what = [alt.Tooltip("ply:Q"), alt.Tooltip("side:N"), alt.Tooltip("san:N", title="move")]
    axis = alt.Axis(tickMinStep=1, format="d", tickCount=10)
    line: alt.Chart = chart.mark_line(point=alt.OverlayMarkDef(size=14), strokeWidth=1.5).encode(
        x=alt.X("ply:Q", title=None, axis=axis),
        y=y,
        color=alt.Color("side:N", scale=alt.Scale(domain=["White", "Black"]), legend=legend),
        tooltip=[*what, *tooltip],
    )
    return line


def _panel(title: str, height: int, layers: Sequence[alt.Chart], is_steered: bool) -> Panel:
    """A panel over the axis of plies that all share."""
    import altair as alt

    if not is_steered:
        return alt.layer(*layers).properties(title=title, height=height)
    one = alt.Chart(values_of([{}])).transform_calculate(at=PLY)
    rule = one.mark_rule(strokeWidth=1.5).encode(x="at:Q")
    panel = alt.layer(rule, *layers).properties(title=title, height=height)
    return panel.add_params(alt.param(name=PLY, value=0))
