"""Suites: positions to search, from a book or a file, and their division in two."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.base.errors import UsageError
from toolkit.base.ranges import check_whole
from toolkit.books.book import BadOpening, Book, Opening, book_identity, read_openings, told_bad
from toolkit.books.info import BookSlice, openings_in, position_of


@dataclass(frozen=True, slots=True)
class Suite:
    """Positions to search, each once."""

    name: str
    positions: tuple[Opening, ...]
    """An opening's ``fen`` is searched; its ``label`` is the ``id`` of its line in an EPD file."""
    repeats: int = 0
    """Lines of its file that were left out because an earlier one leads to the same position."""
    over: int = 0
    """Games of its file that were left out because they are over at their last position."""

    @property
    def identity(self) -> str:
        """Hash of the positions with their line numbers, in order."""
        return book_identity(self.positions)

    def __len__(self) -> int:
        return len(self.positions)


def sample_book(book: Book, size: int, seed: int, part: BookSlice | None = None) -> Suite:
    """``size`` positions of a book, or of a slice of it, chosen by ``seed`` only.

    Raises UsageError if there are not as many different ones.
    """
    check_whole("positions of the suite", size, 1, 1_000_000)
    name = book.name if part is None else f"{book.name} slice {part}"
    positions = _shuffled(distinct(openings_in(book, part)), seed)
    if len(positions) < size:
        raise UsageError(
            f"book {name} has {len(positions)} different positions, and {size} were requested"
        )
    return Suite(name, tuple(positions[:size]))


def read_suite(path: str | Path, *, skip_over: bool = False, game: str = "chess") -> Suite:
    """All positions of a file in EPD or FEN, one per line, or the last positions of the games of a
    ``.pgn`` or of the paths through a Polyglot book (``.bin``); only the first one of equal
    positions. The file may be compressed.

    ``skip_over`` skips games that are over at their last position. A line of EPD or FEN where the
    game is over is always an error, because it was written down to be searched.

    Raises UsageError for a file that cannot be read, that has no position, or that has a bad line,
    with its number.
    """
    lines, over = read_lines(path, game)
    if over and not skip_over:
        raise UsageError(told_bad(over))
    if not lines:
        raise UsageError(f"suite {path} has no position to search: {told_bad(over)}")
    positions = tuple(distinct(lines))
    return Suite(Path(path).stem, positions, len(lines) - len(positions), len(over))


def read_lines(
    path: str | Path, game: str = "chess"
) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
    """As :func:`read_suite`, but with repeated positions, and the number of games that are over;
    either may be empty."""
    path = Path(path)
    openings, bad = read_openings(path, "suite", game)
    over = tuple(one for one in bad if one.is_over)
    wrong = [one for one in bad if one not in over]
    if wrong:
        raise UsageError(told_bad(wrong))
    if not openings and not over:
        raise UsageError(f"suite {path} has no positions")
    return openings, over


def divide(suite: Suite, seed: int) -> tuple[Suite, Suite]:
    """Two halves without a common position; the first is larger if the number is odd.

    Raises UsageError for a suite of one position.
    """
    if len(suite) < 2:
        raise UsageError(f"suite {suite.name} has one position: a fit needs at least two")
    shuffled = _shuffled(suite.positions, seed)
    middle = (len(shuffled) + 1) // 2
    return (
        Suite(f"{suite.name}, first half", tuple(shuffled[:middle])),
        Suite(f"{suite.name}, second half", tuple(shuffled[middle:])),
    )


def distinct(openings: Sequence[Opening]) -> list[Opening]:
    """Of lines that lead to one position the first."""
    first: dict[str, Opening] = {}
    for opening in openings:
        first.setdefault(position_of(opening), opening)
    return list(first.values())


def _shuffled(openings: Sequence[Opening], seed: int) -> list[Opening]:
    # Sorting by a hash is a shuffle that no version of a random module can change.
    def key(opening: Opening) -> bytes:
        return hashlib.sha256(f"{seed} suite {position_of(opening)}".encode()).digest()

    return sorted(openings, key=key)
