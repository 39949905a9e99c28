"""The documented fields of books of openings."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class BookDescription(TypedDict):
    """A book of openings."""

    name: Annotated[str, "its name"]
    source: Annotated[str, "file; begins with `package:` for a built-in book"]
    id: Annotated[str, "hash of the lines, in order"]
    lines: Annotated[int, "lines that can be played"]
    repeated: Annotated[int, "lines with the same position as an earlier line"]
    bad_lines: Annotated[int, "skipped lines that cannot be played"]
    white_to_move: Annotated[int, "lines after which White is to move"]
    plies: Annotated[dict[str, int], "number of lines by length in plies"]
    slices: Annotated[list[int], "with `--slices`: number of lines in each slice, in order"]
    recipe: Annotated[
        dict[str, Any],
        "options, judge and core `signature` of `openings make`; may be empty",
    ]


class BookFault(TypedDict):
    """A faulty line of a book."""

    line: Annotated[int, "line number in the file, from 1; for a PGN game its first line"]
    fault: Annotated[str, "`unplayable`, `repeated` or `unbalanced`"]
    reason: Annotated[str, "the reason, as text"]
    cp: Annotated[int | None, "for an unbalanced line: the judge's value for the side to move"]


class BookCheck(BookDescription):
    """The result of checking a book."""

    judged: Annotated[int, "lines searched by the judge; 0 without `--max-cp`"]
    faults: Annotated[list[BookFault], "faulty lines, grouped by fault"]


class MadeBook(TypedDict):
    """A new book."""

    file: Annotated[str, "file of the book"]
    lines: Annotated[int, "number of lines"]
    tried: Annotated[int, "number of candidates tried"]
