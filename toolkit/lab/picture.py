"""The convergence of one iteration as a picture: bounds closing in on the value."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from toolkit.errors import OperationFailed, UsageError
from toolkit.lab.rows import TracePassRow, TraceReport

WIDTH, HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 40, 40
_HIGH, _LOW, _RANGE, _INK = "#1b7f4b", "#b3261e", "#dfe7f3", "#222222"
_TICKS = 12
_REACH, _LEAST_REACH = 4, 500
"""How far beyond what was returned a bound that was asked is shown: so many times the range of what
was returned, and at least so many centipawns."""


def check_place(path: Path) -> None:
    """Raise UsageError where no picture can be written, before anything is searched."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")


def write_picture(report: TraceReport, path: Path) -> None:
    """Draw the last iteration. Raises OperationFailed where that cannot be written."""
    last = [row for row in report["passes"] if row["depth"] == report["depth"]]
    title = f"{report['engine']}, depth {report['depth']}: value {report['value']}"
    try:
        path.write_text(convergence_svg(last, report["value"], title), encoding="utf-8")
    except OSError as error:
        raise OperationFailed(f"cannot write {path}: {error.strerror or error}") from error


def convergence_svg(passes: Sequence[TracePassRow], value: int, title: str) -> str:
    """An SVG document: for each pass the range that is left of the value, the bound that was asked,
    and the value returned. What has no end, or lies far off, is cut at the edge of the picture."""
    low, high = _span(passes, value)
    count = max(len(passes), 1)

    def x(place: float) -> float:
        return round(_LEFT + place * (WIDTH - _LEFT - _RIGHT) / count, 1)

    def y(of: float) -> float:
        share = (min(max(of, low), high) - low) / (high - low)
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{_INK}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for place, row in enumerate(passes):
        top = y(high if row["upper"] is None else row["upper"])
        bottom = y(low if row["lower"] is None else row["lower"])
        wide = round(x(1) - x(0), 1)
        parts.append(
            f'<rect x="{x(place)}" y="{top}" width="{wide}" '
            f'height="{max(round(bottom - top, 1), 1)}" fill="{_RANGE}"/>'
        )
    parts.append(_line(x(0), y(value), x(count), y(value), _INK, dashed=True))
    parts.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4}" text-anchor="end">{value}</text>')
    for place, row in enumerate(passes):
        color = _HIGH if row["fails"] == "high" else _LOW if row["fails"] == "low" else _INK
        asked = row["beta"] if row["beta"] is not None else row["alpha"]
        middle = x(place + 0.5)
        if asked is not None:
            parts.append(_line(x(place + 0.15), y(asked), x(place + 0.85), y(asked), color))
            parts.append(_line(middle, y(asked), middle, y(row["value"]), color))
        parts.append(f'<circle cx="{middle}" cy="{y(row["value"])}" r="3" fill="{color}"/>')
        if place % max(1, -(-count // _TICKS)) == 0:
            parts.append(
                f'<text x="{middle}" y="{HEIGHT - _BOTTOM + 16}" text-anchor="middle">'
                f"{row['number']}</text>"
            )
    for end in (low, high):
        parts.append(f'<text x="{_LEFT - 6}" y="{y(end) + 4}" text-anchor="end">{end:.0f}</text>')
    parts.append(_legend())
    parts.append("</svg>\n")
    return "\n".join(parts)


def _span(passes: Sequence[TracePassRow], value: int) -> tuple[float, float]:
    """What the vertical axis shows, with some room: everything that was returned, and of the bounds
    that were asked those not so far away that nothing else could be told apart."""
    returned = [value, *(row["value"] for row in passes)]
    low, high = min(returned), max(returned)
    reach = max(_REACH * (high - low), _LEAST_REACH)
    asked = [row["beta"] for row in passes if row["beta"] is not None]
    near = [one for one in asked if low - reach <= one <= high + reach]
    low, high = min([low, *near]), max([high, *near])
    room = max(0.1 * (high - low), 2)
    return low - room, high + room


def _line(x1: float, y1: float, x2: float, y2: float, color: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" stroke-width="1.5"{dash}/>'


def _legend() -> str:
    return (
        f'<text x="{_LEFT}" y="{HEIGHT - 6}">bar: bound that was asked; dot: value returned, '
        f'<tspan fill="{_HIGH}">fails high</tspan> or <tspan fill="{_LOW}">fails low</tspan>; '
        "shaded: what is left of the value</text>"
    )
