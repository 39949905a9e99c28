"""What pictures of the laboratory are made of: elements of SVG, and the file they go to."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from toolkit.base.files import write_output
from toolkit.base.table import display_width

INK, PALE = "#222222", "#dde1e7"
"""Colours of text and of the lines that a panel is ruled with."""
_LETTER = 0.6
"""About how wide a letter is, over the size of the font: wider than most."""
_MARK = 3.4
"""Half the width of a mark."""
_SHAPES = (
    None,  # a circle
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.3), (1.15, 0.65), (-1.15, 0.65)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, 1.3), (1.15, -0.65), (-1.15, -0.65)),
    ((-1.3, 0), (0.65, -1.15), (0.65, 1.15)),
    ((1.3, 0), (-0.65, -1.15), (-0.65, 1.15)),
)
"""Corners of the shapes of marks about their centres, over half their width."""
SHAPES = len(_SHAPES)

Point = tuple[float, float]


def write_svg(svg: str, path: Path) -> None:
    """Write a picture. Raises OperationFailed if that cannot be done."""
    write_output(path, svg)


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """A whole SVG document on white ground."""
    opened = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">'
    )
    ground = f'<rect width="{width}" height="{height}" fill="white"/>'
    return "\n".join([opened, ground, *parts, "</svg>\n"])


def escaped(content: str) -> str:
    """Text escaped for XML; characters not allowed in XML, as in some file names, are replaced."""
    return escape(
        "".join("\N{REPLACEMENT CHARACTER}" if _is_no_xml(one) else one for one in content)
    )


def _is_no_xml(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs") or letter in "\ufffe\uffff"


def text(x: float, y: float, content: str, anchor: str = "start", size: float | None = None) -> str:
    """A line of text; ``y`` is where its letters stand."""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    sized = "" if size is None else f' font-size="{size}"'
    return f'<text x="{x}" y="{y}"{placed}{sized}>{escaped(content)}</text>'


def text_width(content: str, size: float) -> float:
    """About how many pixels a line of text takes, rather too many."""
    return display_width(content) * _LETTER * size


def elided(content: str, width: float, size: float) -> str:
    """The text, or as much of its beginning and end as fits."""
    if text_width(content, size) <= width:
        return content
    kept = max(int(width / (_LETTER * size)) - 1, 2)
    while kept > 2 and text_width(content[:kept], size) > width:
        kept -= 1  # letters of double width
    return f"{content[: kept - kept // 2]}…{content[-(kept // 2) :]}"


def line(
    x1: float, y1: float, x2: float, y2: float, color: str, *, dashed: bool = False,
    width: float = 1.5,
) -> str:  # fmt: skip
    """A straight line."""
    return path([(x1, y1), (x2, y2)], color, dash="4 4" if dashed else "", width=width)


def path(points: Sequence[Point], color: str, *, dash: str = "", width: float = 1.5) -> str:
    """A line through points; ``dash`` as SVG has it. One of more than two points is not filled."""
    course = "L".join(f"{x} {y}" for x, y in points)
    filled = ' fill="none"' if len(points) > 2 else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="M{course}" stroke="{color}" stroke-width="{width}"{filled}{dashes}/>'


def area(points: Sequence[Point], color: str, opacity: float) -> str:
    """A shaded polygon."""
    corners = " ".join(f"{x},{y}" for x, y in points)
    return f'<polygon points="{corners}" fill="{color}" fill-opacity="{opacity}"/>'


def box(x: float, y: float, width: float, height: float, color: str) -> str:
    """A filled rectangle, by its left upper corner."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}"/>'


def dot(x: float, y: float, color: str) -> str:
    """A small filled circle."""
    return f'<circle cx="{x}" cy="{y}" r="3" fill="{color}"/>'


def mark(at: Point, shape: int, color: str, *, is_open: bool = False, told: str = "") -> str:
    """A mark at a point, in one of :data:`SHAPES` shapes, filled or open; ``told`` is its
    tooltip."""
    x, y = at
    look = f'fill="{"white" if is_open else color}" stroke="{color}" stroke-width="1.2"'
    title = f"<title>{escaped(told)}</title>" if told else ""
    corners = _SHAPES[shape]
    if corners is None:
        return f'<circle cx="{x}" cy="{y}" r="{_MARK}" {look}>{title}</circle>'
    places = " ".join(
        f"{round(x + _MARK * dx, 1)},{round(y + _MARK * dy, 1)}" for dx, dy in corners
    )
    return f'<polygon points="{places}" {look}>{title}</polygon>'
