"""The documented fields of what commands print of pages."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class ReportRow(TypedDict):
    """A report that was written."""

    file: Annotated[str, "the file"]
    bytes: Annotated[int, "its size"]
    chapters: Annotated[
        int, "events, tuning studies and laboratory runs in it, and the ratings of `--all`"
    ]
    games: Annotated[int, "games of its events"]
    games_listed: Annotated[int, "of these, games in lists"]
    games_with_moves: Annotated[int, "of these, games that can be played through"]


PAGE_OUTPUT = {"report": JsonOutput(ReportRow, is_array=False)}
