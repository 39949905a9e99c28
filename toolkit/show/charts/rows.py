"""The documented fields of written charts."""

from __future__ import annotations

from typing import Annotated, TypedDict


class PlotRow(TypedDict):
    """A written chart."""

    kind: Annotated[str, "kind of chart, as in `plot KIND`"]
    file: Annotated[str, "the file"]
    title: Annotated[str, "title of the chart"]
    text: Annotated[str, "content of the chart in words"]
