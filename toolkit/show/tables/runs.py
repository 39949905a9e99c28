"""Runs of any kind."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.output import Output
from toolkit.base.table import Column


def print_noted(
    output: Output, columns: Sequence[Column], cells: Sequence[Sequence[str]], notes: Sequence[str]
) -> None:
    """A table of runs; with ``-v`` also their notes, if there are any."""
    if not output.verbosity or not any(notes):
        output.table(columns, cells)
        return
    rows = [(*cell, note or "--") for cell, note in zip(cells, notes, strict=True)]
    output.table([*columns, Column("note", prose=True)], rows)
