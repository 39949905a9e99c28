"""Runs of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from toolkit.base.output import Output
from toolkit.base.table import Field

_Row = TypeVar("_Row")


def note_field(output: Output, rows: Iterable[_Row], note: Callable[[_Row], str]) -> Field[_Row]:
    """The notes of runs, with ``-v`` and where there are any."""
    when = bool(output.verbosity) and any(map(note, rows))
    return Field("note", lambda row: note(row) or None, prose=True, when=when)
