"""Pictures as files: SVG, PNG and PDF by vl-convert, without a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolkit.base.errors import UsageError
from toolkit.base.files import write_output
from toolkit.show.charts.picture import WIDTH, Picture, file_spec, sheet_spec, svg_of
from toolkit.show.charts.theme import LIGHT

FORMATS = (".svg", ".png", ".pdf")
_ID = re.compile(r'( id="|="url\(#)(gradient_|clip)(\d+)')
_PPI = 144.0
"""Of PNG: two points of the screen for each of the picture."""


def check_picture_name(path: str | Path) -> None:
    """Raise UsageError unless the name ends as one of :data:`FORMATS`."""
    if Path(path).suffix.lower() not in FORMATS:
        raise UsageError(f"`{path}`: a picture ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")


def picture_bytes(
    picture: Picture, suffix: str, *, width: int = WIDTH, legend: str = "top"
) -> bytes:
    """A picture in the format of a suffix of :data:`FORMATS`: the same bytes for the same rows. The
    panels are ``width`` pixels wide, and legends stand at one of
    :data:`toolkit.show.charts.picture.LEGENDS`."""
    return _drawn(file_spec(picture, LIGHT, width=width, legend=legend), suffix)


def write_picture(
    picture: Picture, path: str | Path, *, width: int = WIDTH, legend: str = "top"
) -> None:
    """Write a picture; the file is there whole or as before. Raises UsageError for another suffix,
    OperationFailed if it cannot be written."""
    check_picture_name(path)
    suffix = Path(path).suffix.lower()
    write_output(path, picture_bytes(picture, suffix, width=width, legend=legend))


def write_svg(picture: Picture, path: str | Path) -> None:
    """Write a picture as SVG, whatever the name of the file. Raises OperationFailed."""
    write_output(path, picture_bytes(picture, ".svg"))


def write_sheet(
    title: str,
    pictures: Sequence[Picture],
    path: str | Path,
    *,
    width: int = WIDTH,
    legend: str = "top",
) -> None:
    """Write several pictures below each other as one. Raises as :func:`write_picture`."""
    check_picture_name(path)
    spec = sheet_spec(title, pictures, LIGHT, width=width, legend=legend)
    write_output(path, _drawn(spec, Path(path).suffix.lower()))


def _numbered_anew(svg: str) -> str:
    """The names of gradients and clips counted within a picture: Vega counts them over all pictures
    of a process."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        start, kind, number = found.groups()
        return start + names.setdefault(kind + number, f"{kind}{len(names)}")

    # Within tags alone, where a name has no quotes: text may look alike.
    return re.sub(r"<[^<>]*>", lambda tag: _ID.sub(named, tag[0]), svg)


def _drawn(spec: dict[str, Any], suffix: str) -> bytes:
    import vl_convert

    if suffix == ".svg":
        return _numbered_anew(svg_of(spec)).encode()
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, ppi=_PPI))
    return bytes(vl_convert.vegalite_to_pdf(spec))
