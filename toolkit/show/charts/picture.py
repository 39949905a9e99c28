"""What every chart is: panels of Vega-Lite, and the words that belong to them.

An order of names is the ``domain`` of a scale, never a list as ``sort``: Vega-Lite looks the names
of such a list up in an object, where ``constructor`` means something else.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from toolkit.base.table import shortened
from toolkit.show.charts.theme import LIGHT

if TYPE_CHECKING:
    import altair as alt

    Panel: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart
    Channel = TypeVar("Channel", alt.X, alt.Y)
"""A single view without a width: the page or the file gives it one."""

WIDTH = 640
"""Pixels of a panel in a file, if it has a row to itself."""
_BESIDE = 80
"""Pixels of the axis of a panel beside others."""
_LETTERS = 100
"""Of a line of a caption."""
_TITLE = 76
"""Letters of a title."""
LEGENDS = ("top", "right", "bottom", "left", "none")
_BESIDE_PANELS = dict.fromkeys(("left", "right"), {"columns": 1})
"""What is different of legends there."""
_SCALES = ("color", "fill", "opacity", "shape", "size", "stroke", "strokeDash")
"""Channels that have legends."""
_OF_WHOLE = {"$schema", "config", "datasets", "params"}
"""What only a whole description has, and not a view in it."""
NAME = 44
"""Letters of the longest name that is not cut."""


class PlotRow(Struct, frozen=True):
    """A written chart."""

    kind: Annotated[
        str, "kind of chart, such as `ratings`, `gain`, `nodes`, `passes`; `study`: all of a study"
    ]
    file: Annotated[str, "the file"]
    title: Annotated[str, "title of the chart"]
    text: Annotated[str, "content of the chart in words"]


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
    columns: int = 2
    """Panels side by side in a file."""
    source: str = ""
    """Which program made the figures, and when: the last line of the caption in a file."""

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """As a notebook shows it: several may stand on one page."""
        return {"image/svg+xml": svg_of(file_spec(self, LIGHT))}


def page_specs(picture: Picture) -> list[dict[str, Any]]:
    """Each panel as Vega-Lite for a page: as wide as its place, with no colours of its own."""
    specs = [_printable(_view(panel, "container")) for panel in picture.panels]
    for spec in specs:
        spec["autosize"] = {"type": "fit-x"}
        del spec["config"]  # Altair's own: that of the page counts
    return specs


def file_spec(
    picture: Picture, config: Mapping[str, Any], *, width: int = WIDTH, legend: str = "top"
) -> dict[str, Any]:
    """All panels as one Vega-Lite description of fixed size, in the colours of ``config``, with
    legends at one of :data:`LEGENDS`."""
    whole = _whole(picture, frame="bounds", width=width) | {"description": picture.alt}
    return _finished(whole, config, legend)


def _finished(spec: dict[str, Any], config: Mapping[str, Any], legend: str) -> dict[str, Any]:
    spec = _printable(spec)
    if legend != "top":
        spec = _with_legends(spec, legend)
        look = {"orient": legend, **_BESIDE_PANELS.get(legend, {})}
        config = {**config, "legend": {**config["legend"], **look}}
    return spec | {"config": dict(config)}


def _with_legends(part: Any, legend: str) -> Any:
    """A description whose own legends stand there, too. A colour has one unless it says no."""
    if isinstance(part, list):
        return [_with_legends(one, legend) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _with_legends(value, legend) for key, value in part.items()}
    if legend == "none":
        scales = (one for one in _SCALES if isinstance(found.get(one), dict))
        return found | {one: found[one] | {"legend": None} for one in scales}
    own, beside = found.get("legend"), _BESIDE_PANELS.get(legend, {})
    return found | {"legend": own | {"orient": legend} | beside} if isinstance(own, dict) else found


def svg_of(spec: dict[str, Any]) -> str:
    """A description of fixed size as SVG. No other picture of the process has the names of its
    gradients and clips."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg


def sheet_spec(
    title: str,
    pictures: Sequence[Picture],
    config: Mapping[str, Any],
    *,
    width: int = WIDTH,
    legend: str = "top",
) -> dict[str, Any]:
    """Several pictures below each other as one description, with a title above them; the rest as
    :func:`file_spec`."""
    views = [_whole(one, frame="group", width=width) for one in pictures]
    sheet = _grid(views, columns=1, spacing=40) | {
        "title": _heading(title, fontSize=19, offset=20, frame="bounds"),
        "description": "\n".join(f"{one.title}: {one.alt}" for one in pictures),
    }
    return _finished(sheet, config, legend)


def values_of(rows: Sequence[Mapping[str, Any] | Struct]) -> alt.InlineData:
    """Rows as the data of a panel."""
    import altair as alt

    data = alt.InlineData(
        values=[dict(row) if isinstance(row, Mapping) else asdict(row) for row in rows]
    )
    # Nobody changes them, and Altair would copy them all with each mark and each layer.
    object.__setattr__(data, "__deepcopy__", lambda _: data)
    return data


def of_field(channel: Channel, field: str) -> Channel:
    """The same axis or scale for another quantitative field."""
    copied = channel.copy(deep=False)
    copied["shorthand"] = f"{field}:Q"
    return copied


def elided(text: str, letters: int = NAME) -> str:
    """The text, or its beginning and its end: engines differ at both."""
    return shortened(text, letters)


def short_names(names: Sequence[str]) -> list[str]:
    """Names that are cut in the middle, unless two of them would look alike."""
    short = list(map(elided, names))
    return short if len(set(short)) == len(set(names)) else list(names)


def _whole(
    picture: Picture, frame: Literal["bounds", "group"], width: int = WIDTH
) -> dict[str, Any]:
    """The panels in their grid with title and caption, from the side of the panels or of their
    labels on."""
    # A panel alone in its row has the whole width.
    columns = min(picture.columns, len(picture.panels))
    if len(picture.panels) == 1:
        whole = _view(picture.panels[0], width)
    else:
        each = (width - _BESIDE * (columns - 1)) // columns
        whole = _grid([_view(panel, each) for panel in picture.panels], columns=columns)
    if not picture.title:
        return whole
    lines = [
        line
        for paragraph in f"{picture.caption}\n{picture.source}".splitlines()
        for line in textwrap.wrap(paragraph.replace(" %", "\N{NO-BREAK SPACE}%"), _LETTERS)
    ]
    return whole | {"title": _heading(picture.title, subtitle=lines, frame=frame)}


def _heading(title: str, **words: Any) -> dict[str, Any]:
    return {"text": elided(title, _TITLE), **words}


def _view(panel: Panel, width: int | str) -> dict[str, Any]:
    """The description of a panel."""
    spec: dict[str, Any] = panel.to_dict(validate=False)
    return spec | {"width": width}


def _grid(views: Sequence[dict[str, Any]], **grid: int) -> dict[str, Any]:
    """Views with colours, shapes and keys of their own. Altair would copy all of their rows with
    each level of a grid."""
    whole: dict[str, Any] = {
        "$schema": views[0]["$schema"],
        "concat": [{name: view[name] for name in view.keys() - _OF_WHOLE} for view in views],
        "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
        "datasets": {key: rows for view in views for key, rows in view["datasets"].items()},
        **grid,
    }
    params = {param["name"]: param for view in views for param in view.get("params", ())}
    return whole | ({"params": [*params.values()]} if params else {})


def _printable(part: Any) -> Any:
    """A description without characters that XML has not, as names of files may have them."""
    if isinstance(part, str):
        return "".join("\N{REPLACEMENT CHARACTER}" if _is_no_xml(one) else one for one in part)
    if isinstance(part, dict):
        return {_printable(key): _printable(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_printable(one) for one in part]
    return part


def _is_no_xml(letter: str) -> bool:
    return (
        unicodedata.category(letter) in ("Cc", "Cs") and letter != "\n"
    ) or letter in "\ufffe\uffff"
