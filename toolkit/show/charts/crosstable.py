"""The crosstable as a heat map: the score of each engine of a row against that of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import count_of
from toolkit.show.charts.picture import Picture, values_of

if TYPE_CHECKING:
    from toolkit.reports.crosstables import CrosstableRow

_CELL = 34
"""Pixels of a cell's height."""
_DOMAIN = (-0.4, 0.5, 1.4)
"""Scores of the full colours: beyond 0 and 1, so that numbers can be read on all that occur."""
_MOST_TOLD = 14
"""Players up to which a cell has room for its number."""


def crosstable_picture(
    rows: Sequence[CrosstableRow], players: Sequence[str], shown: Mapping[str, str]
) -> Picture:
    """The pairings of ``players``, the strongest first; ``shown``: what to call them."""
    import altair as alt

    numbers = {player: str(place) for place, player in enumerate(players, 1)}
    cells = [cell for row in rows for cell in _cells(row, numbers, shown)]
    data = values_of(cells)
    names = [f"{numbers[player]}  {shown[player]}" for player in players]
    base = alt.Chart(data).encode(
        x=alt.X(
            "number:O", sort=list(numbers.values()), title=None,
            axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False),
        ),
        y=alt.Y(
            "engine:N", scale=alt.Scale(domain=names), title=None,
            axis=alt.Axis(ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("engine:N"), alt.Tooltip("opponent:N"),
            alt.Tooltip("percent:N", title="score"), alt.Tooltip("result:N", title="W-L-D"),
        ],
    )  # fmt: skip
    heat = base.mark_rect(style="cell").encode(
        fill=alt.Fill(
            "score:Q",
            scale=alt.Scale(domain=list(_DOMAIN), range="diverging", interpolate="rgb"),
            legend=None,
        )
    )
    words = base.mark_text(style="label").encode(text=alt.Text("percent:N"))
    layers = [heat, words] if len(players) <= _MOST_TOLD else [heat]
    games = sum(row.games for row in rows)
    return Picture(
        "Crosstable",
        "Score of the engine of a row against that of a column, in per cent of its points.",
        f"Scores of {count_of(len(players), 'engine')} against each other in "
        f"{count_of(games, 'game')}; the table has the numbers",
        [alt.layer(*layers).properties(height=_CELL * len(players))],
    )


def _cells(
    row: CrosstableRow, numbers: Mapping[str, str], shown: Mapping[str, str]
) -> list[dict[str, object]]:
    """A pairing from both views."""
    return [
        {
            "engine": f"{numbers[one]}  {shown[one]}", "number": numbers[two],
            "opponent": shown[two], "score": score, "percent": f"{100 * score:.1f}",
            "result": f"{won}-{lost}-{row.draws}",
        }
        for one, two, score, won, lost in (
            (row.first, row.second, row.score, row.wins, row.losses),
            (row.second, row.first, 1 - row.score, row.losses, row.wins),
        )
    ]  # fmt: skip
