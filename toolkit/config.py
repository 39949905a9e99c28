"""What the environment says: which database, whether to colour."""

from __future__ import annotations

import os
import shutil
from typing import Literal, TextIO

ColorMode = Literal["auto", "always", "never"]

DATABASE_VARIABLE = "MTDF_DB"
DEFAULT_DATABASE = "mtdf.db"


def database_location(given: str | None = None) -> str:
    """Path or URL of the database: ``given``, else ``MTDF_DB``, else ``mtdf.db`` here."""
    return given or os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE


def is_live_terminal(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal that can redraw itself."""
    return _is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal that ``stream`` is, or as ``COLUMNS`` says; None: it is none."""
    return shutil.get_terminal_size().columns if _is_terminal(stream) else None


def is_colored(stream: TextIO, mode: ColorMode) -> bool:
    """Whether to colour what goes to ``stream``: on a terminal, unless ``NO_COLOR`` is set to
    anything but an empty text or ``TERM`` is ``dumb``. ``always`` and ``never`` overrule that."""
    if mode != "auto":
        return mode == "always"
    return is_live_terminal(stream) and not os.environ.get("NO_COLOR")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # a closed stream
        return False
