"""What every chart is: panels of Vega-Lite, and the words that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import altair as alt

    Panel: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart
"""A single view without a width: the page or the file gives it one."""

WIDTH = 640
"""Pixels of a panel in a file; of one of several, half of it."""
COLUMNS = 2
"""Panels side by side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart. A page shows title and caption around it, a file within it."""

    title: str
    caption: str
    """What the marks mean: intervals, references, what was left out."""
    alt: str
    """The content in words, for those who do not see it."""
    panels: Sequence[Panel]
    """One, or several that stand in a grid, each with a title of its own."""


def page_specs(picture: Picture) -> list[dict[str, Any]]:
    """Each panel as Vega-Lite for a page: as wide as its place, with no colours of its own."""
    return [
        panel.properties(width="container").to_dict() | {"autosize": {"type": "fit-x"}}
        for panel in picture.panels
    ]


def file_spec(picture: Picture, config: Mapping[str, Any]) -> dict[str, Any]:
    """All panels as one Vega-Lite description of fixed size, in the colours of ``config``."""
    import altair as alt

    if len(picture.panels) == 1:
        whole: Any = picture.panels[0].properties(width=WIDTH)
    else:
        width = WIDTH // COLUMNS - 40
        whole = alt.concat(
            *(one.properties(width=width) for one in picture.panels), columns=COLUMNS
        )
    title = {"text": picture.title, "subtitle": _lines(picture.caption), "anchor": "start"}
    spec: dict[str, Any] = whole.properties(title=title, description=picture.alt).to_dict()
    return spec | {"config": dict(config)}


def values_of(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as the data of a panel."""
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def _lines(text: str, letters: int = 100) -> list[str]:
    """A caption in lines that fit into a picture."""
    import textwrap

    return textwrap.wrap(text, letters)
