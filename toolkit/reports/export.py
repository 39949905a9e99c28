"""All that is stored about games, one line of JSON each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from db.records.games import GameRecord
from engines.rules.catalog import rules_of_moves
from toolkit.referee.pgn import game_limits, opening_moves
from toolkit.referee.searchdata import decode_found
from toolkit.reports.games import (
    GameProblemRow,
    GameQuery,
    GameRow,
    PgnTexts,
    find_games,
    game_problems,
    game_row,
)
from toolkit.selection.sequential import pairs_of_test

if TYPE_CHECKING:
    from db.session import Database


class ExportedGame(GameRow, frozen=True):
    """A line of `games --jsonl`: everything that is stored about a game. The lists on searches
    are parallel to `moves`; values in them are null if unknown, and a list is null if nothing is
    known of the searches."""

    event_name: Annotated[str, "name of the event; may be empty"]
    event_kind: Annotated[str, "`match`, `gauntlet`, …; `tuning` for games of a study, `import`"]
    white_limit: Annotated[
        dict[str, Any] | None, "limit of White, as in `ratings`; null if unknown"
    ]
    black_limit: Annotated[dict[str, Any] | None, "limit of Black"]
    book: Annotated[str | None, "identity of the book; null without a book"]
    opening: Annotated[str | None, "label of the book line; null without a book"]
    book_start_fen: Annotated[str | None, "position before the moves of the book line"]
    book_moves: Annotated[list[str], "moves of the book line, up to `start_fen`"]
    values: Annotated[
        list[int | None] | None, "value of each search in centipawns for the side to move"
    ]
    depths: Annotated[list[int | None] | None, "depth of the last completed iteration"]
    nodes: Annotated[list[int | None] | None, "nodes searched"]
    passes: Annotated[list[int | None] | None, "passes in all iterations"]
    times_us: Annotated[list[int | None] | None, "wall clock in microseconds"]
    problems: Annotated[list[GameProblemRow], "what engines did wrong"]
    version: Annotated[str, "program version; empty if imported"]
    game_key: Annotated[str | None, "identical games have the same key; null under a time limit"]
    repeats: Annotated[str | None, "id of the first game with the same key, if that is another one"]


class WrittenGames(Struct, frozen=True):
    """What was written."""

    file: Annotated[str, "path"]
    games: Annotated[int, "games in it"]


def exported_games(db: Database, query: GameQuery | None = None) -> Iterator[ExportedGame]:
    """Matching games by event, pairing, pair and game, read lazily. Raises as
    :func:`toolkit.reports.games.list_games`."""
    rows = _Rows(db)
    return (rows.row(game) for game in find_games(db, query))


class _Rows:
    """Makes rows of games. Keeps what it read of their events and books."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known = PgnTexts(db)
        self._event_id = 0
        self._stop: int | None = None
        self._with_problems: set[int] = set()

    def row(self, game: GameRecord) -> ExportedGame:
        """The row of a game."""
        event = self._known.event(game)
        if event.id != self._event_id:
            self._event_id, self._stop = event.id, pairs_of_test(self._db, event)
            self._with_problems = self._db.repository.problem_games(event.id)
        opening = self._known.opening(game)
        limits = game_limits(game, event)
        white, black = (None, None) if limits is None else map(to_builtins, limits)
        rules = rules_of_moves(game.moves_version)
        found = decode_found(game.search_data, len(game.moves) // 2, game.search_version)
        known = game.search_version != 0
        return ExportedGame(
            **asdict(game_row(game, event.key, self._stop)),
            event_name=event.name,
            event_kind=event.kind,
            white_limit=white,
            black_limit=black,
            book=game.book_id,
            opening=None if opening is None else opening.label,
            book_start_fen=None if opening is None else opening.start_fen,
            book_moves=[] if opening is None else opening_moves(opening, rules),
            values=[one.value for one in found] if known else None,
            depths=[one.depth for one in found] if known else None,
            nodes=[one.nodes for one in found] if known else None,
            passes=[one.passes for one in found] if known else None,
            times_us=[one.time_us for one in found] if known else None,
            problems=self._problems(game),
            version=game.version,
            game_key=game.game_key,
            repeats=None if game.repeats is None else f"g{game.repeats}",
        )

    def _problems(self, game: GameRecord) -> list[GameProblemRow]:
        return game_problems(self._db, game) if game.id in self._with_problems else []
