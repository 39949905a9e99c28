"""Which lines of a book decide games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.records import OpeningCounts
from toolkit.errors import NothingMatched
from toolkit.notebook import shown_rows
from toolkit.report_rows import OpeningStats
from toolkit.selection import Selection, choose

if TYPE_CHECKING:
    from db.session import Database


def opening_stats(
    db: Database, selection: Selection | None = None, *, min_games: int = 0
) -> list[OpeningStats]:
    """A row a line with at least ``min_games`` counted games; first the lines in most of whose
    pairs one colour won both games, which say nothing about the players. Raises NothingMatched."""
    counts = db.repository.opening_counts(choose(db, selection or Selection()).games)
    rows = [_row(row) for row in counts if row.white_wins + row.draws + row.black_wins >= min_games]
    if counts and not rows:
        raise NothingMatched(f"no line of a book has {min_games} games or more")
    if not rows:
        raise NothingMatched(f"no game from a line of a book in {db.name}")
    rows.sort(
        key=lambda row: (
            -(row["decided"] or 0.0),
            -row["pairs"],
            -abs(row["white_score"] - 0.5),
            row["book"],
            row["line"],
        )
    )
    return shown_rows("openings", rows)


def _row(counts: OpeningCounts) -> OpeningStats:
    games = counts.white_wins + counts.draws + counts.black_wins
    return OpeningStats(
        book=counts.book,
        line=counts.line,
        label=counts.label,
        games=games,
        white_wins=counts.white_wins,
        draws=counts.draws,
        black_wins=counts.black_wins,
        white_score=(counts.white_wins + counts.draws / 2) / games,
        pairs=counts.pairs,
        same_colour=counts.same_colour,
        decided=counts.same_colour / counts.pairs if counts.pairs else None,
        book_id=counts.book_id,
    )
