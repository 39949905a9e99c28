"""How many engines are told apart in one chart: by colour, and then by shape and dashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.show.charts.theme import CATEGORIES

if TYPE_CHECKING:
    import altair as alt

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-left",
          "triangle-right")  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2])
"""Of the engines that are the first of their colours, of the second ones, of all others."""
_LINE = 84
"""Letters of a line of the key."""


def looks_of(
    field: str, names: Sequence[str], *, legend: bool = True
) -> tuple[alt.Color, alt.Shape, alt.StrokeDash]:
    """Colour, shape and dashes of each name, with a key of the first two.

    Engines of one colour differ in shape: 7 colours with 7 shapes tell 49 engines apart.
    """
    import altair as alt

    turns = [number // len(CATEGORIES) for number in range(len(names))]
    shapes = [SHAPES[(number + 3 * turn) % len(SHAPES)] for number, turn in enumerate(turns)]
    dashes = [DASHES[min(turn, len(DASHES) - 1)] for turn in turns]
    widest = max(map(len, names), default=0)
    columns = max(min(_LINE // (widest + 5), len(names)), 1)
    key = (
        alt.Legend(title=None, columns=columns, symbolSize=70, symbolOpacity=1, symbolLimit=0)
        if legend
        else None
    )
    domain = list(names)
    return (
        alt.Color(field, type="nominal", scale=alt.Scale(domain=domain), legend=key),
        alt.Shape(field, type="nominal", scale=alt.Scale(domain=domain, range=shapes), legend=key),
        alt.StrokeDash(
            field, type="nominal", scale=alt.Scale(domain=domain, range=dashes), legend=key
        ),
    )
