"""Which lines of a book decide games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import asdict

from db.records.events import IMPORT_KIND, EventRecord
from db.records.openings import OpeningCounts
from toolkit.base.errors import NothingMatched
from toolkit.base.format import event_text
from toolkit.selection.games import Selection, choose

if TYPE_CHECKING:
    from db.session import Database


class OpeningStats(Struct, frozen=True):
    """One book line in the counted games, the most decisive lines first."""

    book: Annotated[str, "name of the book"]
    line: Annotated[int, "line number in the book, from 1"]
    label: Annotated[str, "label of the line in the book"]
    games: Annotated[int, "games counted"]
    white_wins: Annotated[int, "games won by White"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games won by Black"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    pairs: Annotated[int, "complete pairs"]
    same_colour: Annotated[int, "pairs in which one colour won both games"]
    decided: Annotated[float | None, "share of pairs in which one colour won both games, 0 to 1"]
    book_id: Annotated[str, "identity of the book"]


def opening_stats(
    db: Database, selection: Selection | None = None, *, min_games: int = 0
) -> list[OpeningStats]:
    """A row per line with at least ``min_games`` counted games. The lines come first in which one
    colour won both games of most pairs: such pairs say nothing about the players. Raises
    NothingMatched."""
    chosen = choose(db, selection or Selection())
    counts = db.repository.opening_counts(chosen.games)
    rows = [_row(row) for row in counts if row.white_wins + row.draws + row.black_wins >= min_games]
    if counts and not rows:
        raise NothingMatched(f"no line of a book has {min_games} games or more")
    if not rows:
        raise NothingMatched(_nothing(db, chosen.events))
    rows.sort(
        key=lambda row: (
            -(row.decided or 0.0),
            -row.pairs,
            -abs(row.white_score - 0.5),
            row.book,
            row.line,
        )
    )
    return rows


def _nothing(db: Database, events: Sequence[EventRecord]) -> str:
    """Why there is no line: imported games have none."""
    if not events:
        return f"no game from a line of a book in {db.name}"
    names = [event_text(event.key, event.name) for event in events]
    told = f"{'event' if len(names) == 1 else 'events'} {' and '.join(names)}"
    if all(event.kind == IMPORT_KIND for event in events):
        return f"{told}: imported games have no line of a book"
    return f"no game from a line of a book in {told}"


def _row(counts: OpeningCounts) -> OpeningStats:
    games = counts.white_wins + counts.draws + counts.black_wins
    return OpeningStats(
        **asdict(counts),
        games=games,
        white_score=(counts.white_wins + counts.draws / 2) / games,
        decided=counts.same_colour / counts.pairs if counts.pairs else None,
    )
