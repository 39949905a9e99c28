"""Facts about a book, and its division into disjoint slices."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Self

from msgspec import Struct
from msgspec.structs import replace

from engines.rules.catalog import rules_of
from toolkit.base.errors import UsageError
from toolkit.books.book import Book, Opening

_MAX_SLICES = 1000


class BookDescription(Struct, frozen=True):
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


class BookFault(Struct, frozen=True):
    """A faulty line of a book."""

    line: Annotated[int, "line number in the file, from 1; for a PGN game its first line"]
    fault: Annotated[str, "`unplayable`, `repeated` or `unbalanced`"]
    reason: Annotated[str, "the reason, as text"]
    cp: Annotated[int | None, "for an unbalanced line: the judge's value for the side to move"]


class BookCheck(BookDescription, frozen=True):
    """The result of checking a book."""

    judged: Annotated[int, "lines searched by the judge; 0 without `--max-cp`"]
    faults: Annotated[list[BookFault], "faulty lines, grouped by fault"]


class BookSlice(Struct, frozen=True):
    """One of several disjoint slices whose union is the book, such as the first of two: ``1/2``.

    A position is in the same slice of every book, regardless of its line number. Raises UsageError
    for an impossible slice.
    """

    number: int
    """From 1."""
    slices: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.slices <= _MAX_SLICES:
            raise UsageError(
                f"book slice {self}: expected I/N with I from 1 to N and N at most {_MAX_SLICES}"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """The slice of a text such as ``1/2``. Raises UsageError."""
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
        if match is None:
            raise UsageError(f"book slice `{text}`: expected I/N, as in 1/2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.slices}"


@functools.lru_cache(maxsize=4)
def openings_in(book: Book, part: BookSlice | None) -> Sequence[Opening]:
    """The openings of a book that lie in a slice, in their order; all of them without a slice, and
    there may be none."""
    if part is None:
        return book.openings
    index = part.number - 1
    return tuple(line for line in book.openings if slice_of(line, part.slices) == index)


def position_of(opening: Opening) -> str:
    """The opening position without its clocks: equal text, equal position."""
    return opening.fen.rsplit(" ", 2)[0]


def describe_book(book: Book, slices: int | None = None) -> BookDescription:
    """The output of ``mtdf openings info``, with the slices if given. Raises UsageError."""
    book = replace(book, openings=tuple(book.openings))  # so that each line is read once
    plies = Counter(len(opening.moves) // 2 for opening in book.openings)
    rules = rules_of(book.game, chess960=book.chess960)
    return BookDescription(
        name=book.name,
        source=book.source,
        id=book.id,
        lines=len(book.openings),
        repeated=sum(1 for _ in repeated_lines(book)),
        bad_lines=len(book.skipped),
        white_to_move=sum(rules.replay(opening.fen).white_to_move for opening in book.openings),
        plies={str(length): plies[length] for length in sorted(plies)},
        slices=[] if slices is None else slice_sizes(book, slices),
        recipe=book.recipe,
    )


def unplayable_lines(book: Book) -> list[BookFault]:
    """The lines that were left out because no game can start from them."""
    return [
        BookFault(line=bad.line, fault="unplayable", reason=bad.reason, cp=None)
        for bad in book.skipped
    ]


def repeated_positions(book: Book) -> list[BookFault]:
    """The lines whose position an earlier line has."""
    return [
        BookFault(
            line=line, fault="repeated", reason=f"the position of line {first} again", cp=None
        )
        for line, first in repeated_lines(book)
    ]


def repeated_lines(book: Book) -> Iterator[tuple[int, int]]:
    """Lines whose position an earlier line has, each with that line's number."""
    first: dict[str, int] = {}
    for opening in book.openings:
        line = first.setdefault(position_of(opening), opening.line)
        if line != opening.line:
            yield opening.line, line


def slice_of(opening: Opening, slices: int) -> int:
    """The slice of an opening, from 0: a hash of its position, so that two books, or two versions
    of one book, are split in the same way."""
    digest = hashlib.sha256(position_of(opening).encode()).digest()
    return int.from_bytes(digest[:8]) % slices


def slice_sizes(book: Book, slices: int) -> list[int]:
    """The number of lines in each slice of a book. Raises UsageError."""
    BookSlice(1, slices)
    counts = Counter(slice_of(opening, slices) for opening in book.openings)
    return [counts[index] for index in range(slices)]
