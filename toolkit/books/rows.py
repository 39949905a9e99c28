"""The documented fields of books of openings."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class BookDescription(TypedDict):
    """A book of openings."""

    name: Annotated[str, "its name"]
    source: Annotated[str, "file it was read from, or `package:`"]
    id: Annotated[str, "hash of its lines in order"]
    lines: Annotated[int, "lines that can be played"]
    repeated: Annotated[int, "lines whose position an earlier line has"]
    bad_lines: Annotated[int, "lines that cannot be played and were left out"]
    white_to_move: Annotated[int, "lines after which White moves"]
    plies: Annotated[dict[str, int], "lines by their length in plies"]
    slices: Annotated[list[int], "with `--slices`: lines of each slice, the first slice first"]
    recipe: Annotated[
        dict[str, Any],
        "what the maker recorded: its options, the judge, the judge's core `signature`; "
        "empty for a book of other origin",
    ]


class BookFault(TypedDict):
    """A line of a book that is no good."""

    line: Annotated[int, "its number in the file, from 1; of a PGN game its first line"]
    fault: Annotated[str, "`unplayable`, `repeated` or `unbalanced`"]
    reason: Annotated[str, "why, in words"]
    cp: Annotated[int | None, "of an unbalanced line: the judge's value for the side to move"]


class BookCheck(BookDescription):
    """A book that was checked."""

    judged: Annotated[int, "with `--max-cp`: lines that the judge searched; 0 without it"]
    faults: Annotated[list[BookFault], "lines that are no good, by their fault"]


class MadeBook(TypedDict):
    """A book that was made."""

    file: Annotated[str, "where it was written"]
    lines: Annotated[int, "lines in it"]
    tried: Annotated[int, "candidates looked at"]
