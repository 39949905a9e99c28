"""Charts read back: their descriptions as dictionaries, and their pictures as anyone sees them."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.show.charts.picture import Picture, page_specs
from toolkit.show.charts.static import picture_bytes

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</svg><script>alert(1)</script>&\"'$[/x]"
Spec = Mapping[str, Any]


def specs(picture: Picture) -> list[Spec]:
    """The panels as a page has them, after a check against the schema of Vega-Lite."""
    for panel in picture.panels:
        panel.to_dict(validate=True)
    return page_specs(picture)


def layers(spec: Spec) -> list[Spec]:
    """The layers of a panel, each with its data."""
    found = []
    for layer in spec.get("layer", [spec]):
        data = layer.get("data", spec.get("data", {}))
        values = data.get("values") if "values" in data else spec["datasets"][data["name"]]
        found.append({**layer, "rows": values})
    return found


def layer_of(spec: Spec, mark: str, **wanted: Any) -> Spec:
    """The one layer of this mark with these properties of it."""
    (found,) = [
        one
        for one in layers(spec)
        if one["mark"]["type"] == mark and all(one["mark"].get(k) == v for k, v in wanted.items())
    ]
    return found


def marks(spec: Spec) -> Iterator[Mapping[str, Any]]:
    """The properties of every mark."""
    for layer in layers(spec):
        yield layer["mark"]


@dataclass(frozen=True)
class Drawn:
    """A mark of a panel: what it says, and where it is within the panel."""

    label: str
    kind: str
    points: tuple[tuple[float, float], ...]
    attributes: Mapping[str, str]

    @property
    def told(self) -> dict[str, str]:
        """The fields of the label."""
        label = self.label.replace("\N{MINUS SIGN}", "-")
        return dict(part.split(": ", 1) for part in label.split("; ") if ": " in part)


@dataclass(frozen=True)
class Panel:
    """A panel of a drawn picture."""

    marks: list[Drawn]
    ticks: dict[str, list[tuple[str, float]]]
    """By axis ``x`` and ``y``: labels that can be seen, and where their ticks are."""

    def of(self, kind: str) -> list[Drawn]:
        """The marks of a kind, as SVG calls its role."""
        return [one for one in self.marks if one.kind == kind]


def drawn(picture: Picture) -> xml.etree.ElementTree.Element:
    """The picture as SVG, which must be XML."""
    return xml.etree.ElementTree.fromstring(picture_bytes(picture, ".svg"))


def texts(root: xml.etree.ElementTree.Element) -> list[str]:
    """All lines of text of a picture that can be seen, in its order."""
    shown = [one for one in root.iter(f"{SVG}text") if one.get("opacity") != "0"]
    lines = [line for one in shown for line in one.findall(f"{SVG}tspan") or [one]]
    return ["".join(line.itertext()) for line in lines if "".join(line.itertext())]


def panels(root: xml.etree.ElementTree.Element) -> list[Panel]:
    """The panels of a drawn picture, each in coordinates of its own."""
    groups = [
        one for one in root.iter(f"{SVG}g")
        if re.search(r"role-scope concat_\d+_group|role-frame root", one.get("class", ""))
    ]  # fmt: skip
    scopes = [one for one in groups if "role-scope" in one.get("class", "")]
    return [_panel(one) for one in scopes or groups]


def _panel(group: xml.etree.ElementTree.Element) -> Panel:
    found: list[Drawn] = []
    ticks: dict[str, list[tuple[str, float]]] = {"x": [], "y": []}
    for one in group.iter():
        if "aria-label" in one.attrib and "aria-roledescription" in one.attrib:
            kind = one.attrib["aria-roledescription"]
            if kind == "axis":
                axis = "x" if one.attrib["aria-label"].startswith("X") else "y"
                ticks[axis] += _ticks(one, axis)
            elif one.tag == f"{SVG}path" or one.tag == f"{SVG}line":
                found.append(Drawn(one.attrib["aria-label"], kind, _points(one), one.attrib))
    return Panel(found, ticks)


def _ticks(axis: xml.etree.ElementTree.Element, name: str) -> list[tuple[str, float]]:
    labels = [
        one for part in axis.iter(f"{SVG}g") if "role-axis-label" in part.get("class", "")
        for one in part.iter(f"{SVG}text") if one.get("opacity") != "0"
    ]  # fmt: skip
    found = []
    for one in labels:
        x, y = map(float, re.findall(r"-?[\d.]+(?:e-?\d+)?", one.attrib["transform"])[:2])
        # A letter of 12 pixels stands 4 below its middle.
        found.append(("".join(one.itertext()), x if name == "x" else y - 4))
    return found


def _points(one: xml.etree.ElementTree.Element) -> tuple[tuple[float, float], ...]:
    """The corners of a mark; of a symbol its centre."""
    number = r"-?[\d.]+(?:e-?\d+)?"
    place = [float(part) for part in re.findall(number, one.get("transform", ""))]
    dx, dy = place[:2] if place else (0.0, 0.0)
    if one.attrib["aria-roledescription"] in ("point", "circle"):
        return ((dx, dy),)
    if one.tag == f"{SVG}line":
        x2, y2 = float(one.get("x2", 0)), float(one.get("y2", 0))
        return ((dx, dy), (dx + x2, dy + y2))
    numbers = [float(part) for part in re.findall(number, one.get("d", ""))]
    return tuple((dx + x, dy + y) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
