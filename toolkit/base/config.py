"""What the environment says: which database, whether to colour."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Literal, TextIO

ColorMode = Literal["auto", "always", "never"]

DATABASE_VARIABLE = "MTDF_DB"
DEFAULT_DATABASE = "mtdf.db"
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python itself may set ``LC_CTYPE`` to in the locale C (PEP 538)."""


def database_location(given: str | None = None) -> str:
    """Path or URL of the database: ``given``, else ``MTDF_DB``, else ``mtdf.db`` here.

    An empty ``MTDF_DB`` counts as unset. An empty ``given`` does not: opening what is returned for
    it raises DatabaseUnusable.
    """
    if given is not None:
        return given
    return os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE


def is_live_terminal(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal that can redraw itself."""
    return _is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal ``stream``, or the value of ``COLUMNS``; None: not a terminal."""
    return shutil.get_terminal_size().columns if _is_terminal(stream) else None


def shown_encoding(stream: TextIO) -> str:
    """The encoding for human-readable output on ``stream``: its own encoding, or ASCII in the C
    locale. Python writes UTF-8 there (PEP 540), which such a terminal may not support."""
    forced = os.environ.get("PYTHONUTF8") == "1" or os.environ.get("PYTHONIOENCODING")
    if not forced and _locale() in ("C", "POSIX"):
        return "ascii"
    return stream.encoding or "utf-8"


def is_colored(stream: TextIO, mode: ColorMode) -> bool:
    """Whether to colour what goes to ``stream``: on a terminal, unless ``NO_COLOR`` is set to
    anything but an empty text or ``TERM`` is ``dumb``. ``always`` and ``never`` overrule that."""
    if mode != "auto":
        return mode == "always"
    return is_live_terminal(stream) and not os.environ.get("NO_COLOR")


def _locale() -> str:
    """The locale of characters that the environment names; empty if it names none."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = os.environ.get(name)
        coerced = name == "LC_CTYPE" and sys.flags.utf8_mode and value in _COERCED
        if value and not coerced:
            return value
    return ""


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # a closed stream
        return False
