"""Facts about a book, and its division into disjoint slices."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from toolkit.errors import UsageError
from toolkit.play.openings import Book, Opening, book_identity
from toolkit.rows import BookDescription


def position_of(opening: Opening) -> str:
    """The opening position without its clocks: equal text, equal position."""
    return opening.fen.rsplit(" ", 2)[0]


def describe_book(book: Book) -> BookDescription:
    """What ``mtdf openings info`` tells."""
    plies = Counter(len(opening.moves) // 2 for opening in book.openings)
    return BookDescription(
        name=book.name,
        source=book.source,
        id=book.id,
        lines=len(book.openings),
        repeated=sum(1 for _ in repeated_lines(book)),
        bad_lines=len(book.skipped),
        white_to_move=sum(opening.fen.split(" ", 2)[1] == "w" for opening in book.openings),
        plies={str(length): plies[length] for length in sorted(plies)},
    )


def repeated_lines(book: Book) -> Iterator[tuple[int, int]]:
    """Lines whose position an earlier line has, each with that line's number."""
    first: dict[str, int] = {}
    for opening in book.openings:
        line = first.setdefault(position_of(opening), opening.line)
        if line != opening.line:
            yield opening.line, line


def slice_of(opening: Opening, slices: int) -> int:
    """In which of so many slices an opening lies: a hash of its position, so that two books, or
    two versions of one, divide alike."""
    digest = hashlib.sha256(position_of(opening).encode()).digest()
    return int.from_bytes(digest[:8]) % slices


def slice_book(book: Book, index: int, slices: int) -> Book:
    """Slice number ``index`` (from 0) of a book divided into ``slices`` disjoint ones.

    Raises UsageError for a slice that does not exist or is empty.
    """
    if not 0 <= index < slices <= 1000:
        raise UsageError(f"slice {index} of {slices}: expected 0 <= slice < slices <= 1000")
    chosen = tuple(opening for opening in book.openings if slice_of(opening, slices) == index)
    if not chosen:
        raise UsageError(f"slice {index} of {slices} of book {book.name} has no openings")
    name = f"{book.name}[{index}/{slices}]"
    return replace(book, id=book_identity(chosen), name=name, openings=chosen)
