"""All that is stored about games, one line of JSON each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import to_builtins

from db.records import GameRecord
from engines.rules.catalog import rules_of_moves
from toolkit.referee.pgn import game_limits, opening_moves
from toolkit.referee.searchdata import decode_found
from toolkit.reports.games import (
    GameQuery,
    PgnTexts,
    find_games,
    game_problems,
    game_row,
)
from toolkit.reports.rows import ExportedGame, GameProblemRow
from toolkit.selection.sequential import pairs_of_test

if TYPE_CHECKING:
    from db.session import Database


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
            **game_row(game, event.key, self._stop),
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
