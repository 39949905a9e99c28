"""Writing a file so that it is whole: a full disk or a crash leaves the old one, or none."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file, replacing the old one. It is written beside its place and then renamed;
    only what is no regular file, such as a pipe, is written in place. Raises OSError, and
    UnicodeError for a text that is not UTF-8."""
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        place.write_text(text, encoding="utf-8")
        return
    part = place.with_name(place.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def check_writable(path: Path) -> None:
    """Raises OSError if no file can be written beside ``path``, which :func:`write_whole` and a
    file that grows need: a few bytes are written and removed again."""
    place = Path(os.path.realpath(path))
    part = place.with_name(place.name + ".part")
    try:
        part.write_text("\n", encoding="utf-8")
    finally:
        part.unlink(missing_ok=True)
