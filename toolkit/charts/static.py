"""Pictures as files: SVG, PNG and PDF by vl-convert, without a browser."""

from __future__ import annotations

from pathlib import Path

from toolkit.base.errors import UsageError
from toolkit.base.files import write_output
from toolkit.charts.picture import Picture, file_spec
from toolkit.charts.theme import LIGHT

FORMATS = (".svg", ".png", ".pdf")
_PPI = 144.0
"""Of PNG: two points of the screen for each of the picture."""


def check_picture_name(path: str | Path) -> None:
    """Raise UsageError unless the name ends as one of :data:`FORMATS`."""
    if Path(path).suffix.lower() not in FORMATS:
        raise UsageError(f"`{path}`: a picture ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")


def picture_bytes(picture: Picture, suffix: str) -> bytes:
    """A picture in the format of a suffix of :data:`FORMATS`: the same bytes for the same rows."""
    import vl_convert

    spec = file_spec(picture, LIGHT)
    if suffix == ".svg":
        svg: str = vl_convert.vegalite_to_svg(spec)
        return svg.encode()
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, ppi=_PPI))
    return bytes(vl_convert.vegalite_to_pdf(spec))


def write_picture(picture: Picture, path: str | Path) -> None:
    """Write a picture; the file is there whole or as before. Raises UsageError for another suffix,
    OperationFailed if it cannot be written."""
    check_picture_name(path)
    write_output(path, picture_bytes(picture, Path(path).suffix.lower()))
