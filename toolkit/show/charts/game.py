"""A game: the value, depth, nodes and passes of each search, over its plies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.rules.board import Rules
from engines.rules.catalog import rules_of
from engines.spec import MATE_BOUND
from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of
from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    import altair as alt

    from toolkit.reports.games import GameRow, MoveRow
    from toolkit.show.charts.picture import Panel

DATA = "moves"
"""Name of the data of every panel: a page draws all its games from one description."""
SERIES = ("value", "depth", "nodes", "passes")
"""What the panels show, in their order."""
PLY = "ply_shown"
"""Name of the parameter with the ply at which a rule stands; a page moves it."""
_LEAST_EDGE = 100
"""No value is drawn at an edge that is nearer to 0."""
_LEFT = 42
"""Pixels of the labels of each panel, so that equal plies stand below each other."""


def game_picture(game: GameRow, moves: Sequence[MoveRow]) -> Picture:
    """The searches of a game. Raises NothingMatched if nothing is known of any."""
    known = [name for name in SERIES if any(getattr(row, name) is not None for row in moves)]
    if not known:
        raise NothingMatched(f"game `{game.id}` has no search data")
    rules = rules_of(game.game_played, chess960=game.chess960)
    white_first = rules.board(game.start_fen).white_to_move
    edge = edge_of(rules, [row.value for row in moves])
    panels = _panels(_rows(white_first, edge, moves), is_steered=False)
    plies = count_of(game.plies, "ply", "plies")
    return Picture(
        f"{game.id}  {game.white} - {game.black}  {game.result}",
        _caption(rules.decided_at),
        f"Value, depth, nodes and passes of each search of game {game.id}, "
        f"{game.white} against {game.black}, {game.result} after {plies}",
        [panels[name] for name in known],
    )


def steered_picture() -> Picture:
    """A panel for each of :data:`SERIES` without data, for a page, with a rule at the ply shown."""
    return Picture(
        "Searches", _caption(None), "Value, depth, nodes and passes of each search of the game",
        [*_panels(_named(), is_steered=True).values()],
    )  # fmt: skip


GRAPHED = ("ply", "san", "value", "depth", "nodes", "passes")
"""Fields of a move in the data of the panels; beside them stand ``side``, White or
Black, and the ``edge`` of the game (:func:`edge_of`)."""


def edge_of(rules: Rules, values: Sequence[int | None]) -> int:
    """The greatest value that is drawn as it is; greater ones and mates stand at the edge."""
    if rules.decided_at is not None:
        return rules.decided_at
    told = [abs(value) for value in values if value is not None and abs(value) <= MATE_BOUND]
    return max([_LEAST_EDGE, *told])


def _caption(decided_at: int | None) -> str:
    beyond = "" if decided_at is None else f" and values beyond ±{decided_at}"
    at_edge = "are drawn at the edge. What is not known is left out."
    return f"Over the plies. Value for White, as the engines tell it; mates{beyond} {at_edge}"


def _rows(white_first: bool, edge: int, moves: Sequence[MoveRow]) -> alt.InlineData:
    sides = ("White", "Black") if white_first else ("Black", "White")
    return values_of(
        [
            {"side": sides[number % 2], "edge": edge}
            | {name: getattr(row, name) for name in GRAPHED}
            for number, row in enumerate(moves)
        ]
    )


def _named() -> alt.NamedData:
    import altair as alt

    return alt.NamedData(DATA)


def _panels(data: alt.InlineData | alt.NamedData, *, is_steered: bool) -> dict[str, Panel]:
    import altair as alt

    own = "(datum.side === 'White' ? datum.value : -datum.value)"
    white = f"isValid(datum.value) ? clamp({own}, -datum.edge, datum.edge) : null"
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
    zero = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference").encode(y=alt.Y("at:Q"))
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
    rule = one.mark_rule(strokeWidth=1.5).encode(x=alt.X("at:Q"))
    panel = alt.layer(rule, *layers).properties(title=title, height=height)
    return panel.add_params(alt.param(name=PLY, value=0))
