"""Printing openings, and parsing the printed text."""

from __future__ import annotations

from typing import TypedDict

from db.records.games import MeetingOpening
from db.records.openings import CHESS_START
from toolkit.base.errors import UsageError

_START_OF_CHESS = "start of chess"
_DIGITS = 9
OPENINGS = (
    "a line such as 38, BOOK:LINE as h2h prints it, a label as openings stats prints it, or the "
    "position where games without a book start"
)
"""What a text may mean, in words."""


class OpeningConditions(TypedDict, total=False):
    """Conditions of :class:`db.records.games.GameFilter`."""

    opening_line: int
    opening_book: str
    opening_label: str
    start_fen: str


def opening_name(opening: MeetingOpening) -> str:
    """The line of the book, else where the games start."""
    if opening.book is not None:
        return f"{opening.book}:{opening.line}"
    return opening.start_fen or _START_OF_CHESS


def opening_conditions(text: int | str | None) -> OpeningConditions:
    """The inverse of :func:`opening_name`; a number alone is that line of any book, and what is
    neither is the label of lines. None lets all pass. Raises UsageError for an empty text."""
    if text is None:
        return {}
    label = str(text).strip()
    book, colon, line = label.rpartition(":")
    if line.isascii() and line.isdigit() and len(line) <= _DIGITS:
        found: OpeningConditions = {"opening_line": int(line)}
        return {**found, "opening_book": book} if colon else found
    if line == _START_OF_CHESS:
        return {"start_fen": CHESS_START}
    if line.count("/") == 7:
        return {"start_fen": line}
    if not label:
        raise UsageError(f"opening `{text}`: expected {OPENINGS}")
    return {"opening_label": label}
