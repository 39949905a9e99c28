"""The positions of a study of effort: those that are tuned on, and those that are held out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from db.records.studies import Phase
from toolkit.base.errors import UsageError
from toolkit.books.book import Book, Opening, book_identity
from toolkit.books.info import BookSlice
from toolkit.lab.suite import Suite, divide, read_suite, sample_book


@dataclass(frozen=True, slots=True)
class StudyPositions:
    """Two suites without a common position.

    Pair numbers count through the tuned positions and then through those held out. Numbers beyond
    mean the tuned ones again, and in the phase ``gain`` those held out again.
    """

    tuned: Suite
    held_out: Suite

    @classmethod
    def of_book(cls, book: Book, tuned: int, held_out: int, seed: int) -> Self:
        """So many positions of the first and of the second half of a book. Raises UsageError."""
        return cls(
            sample_book(book, tuned, seed, BookSlice(1, 2)),
            sample_book(book, held_out, seed, BookSlice(2, 2)),
        )

    @classmethod
    def of_file(
        cls,
        path: str | Path,
        tuned: int | None,
        held_out: int | None,
        seed: int,
        game: str = "chess",
    ) -> Self:
        """So many positions of each half of a file of a game; None: the whole half.

        Raises UsageError for a bad file, also for one that has fewer.
        """
        first, second = divide(read_suite(path, game=game), seed)
        return cls(
            _reduced(first, "first half", tuned, path),
            _reduced(second, "second half", held_out, path),
        )

    @property
    def identity(self) -> str:
        """Hash of all positions in order; a resumed study must have the same positions."""
        return book_identity((*self.tuned.positions, *self.held_out.positions))

    def at(self, number: int, phase: Phase) -> Opening:
        """The position of a pair number. Raises ValueError for a tuned one in the phase ``gain``,
        where it would prove nothing."""
        if phase != "gain":
            return self.tuned.positions[number % len(self.tuned)]
        if number < len(self.tuned):
            raise ValueError(f"position {number} was used in tuning and cannot measure a gain")
        return self.held_out.positions[(number - len(self.tuned)) % len(self.held_out)]


def _reduced(half: Suite, called: str, size: int | None, path: str | Path) -> Suite:
    if size is None:
        return half
    if len(half) < size:
        raise UsageError(
            f"suite {path}: {size} positions were requested, and its {called} "
            f"has {len(half)}; ask for fewer, or add positions"
        )
    return Suite(half.name, half.positions[:size])
