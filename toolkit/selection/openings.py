"""Printing openings, and parsing the printed text."""

from __future__ import annotations

from typing import TypedDict

from db.records import CHESS_START, MeetingOpening
from toolkit.base.errors import UsageError

_START_OF_CHESS = "start of chess"
_DIGITS = 9


class OpeningConditions(TypedDict, total=False):
    """Conditions of :class:`db.records.GameFilter`."""

    opening_line: int
    opening_book: str
    start_fen: str


def opening_name(opening: MeetingOpening) -> str:
    """The line of the book, else where the games start."""
    if opening.book is not None:
        return f"{opening.book}:{opening.line}"
    return opening.start_fen or _START_OF_CHESS


def opening_conditions(text: int | str | None) -> OpeningConditions:
    """The inverse of :func:`opening_name`; a number alone is that line of any book. None lets all
    pass. Raises UsageError."""
    if text is None:
        return {}
    book, colon, line = str(text).strip().rpartition(":")
    if line.isascii() and line.isdigit() and len(line) <= _DIGITS:
        found: OpeningConditions = {"opening_line": int(line)}
        return {**found, "opening_book": book} if colon else found
    if line == _START_OF_CHESS:
        return {"start_fen": CHESS_START}
    if line.count("/") == 7:
        return {"start_fen": line}
    raise UsageError(
        f"opening `{text}`: expected a line such as 38, BOOK:LINE as h2h prints it, or the "
        "position where games without a book start"
    )
