"""Games of this database that are imported again from exported files.

Our files state where each game is stored (``EventId`` and ``GameId``). A game that names a stored
game and is identical to it is a repetition and must not count as a second game.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from db.records import CHESS_START, WHITE_SCORES, EventRecord, GameFilter, GameRecord, ImportedGame
from toolkit.imports.game import BadGame

if TYPE_CHECKING:
    from db.session import Database

_GAME_ID = re.compile(r"g(\d{1,18})")


class OwnGames:
    """Finds the stored games that games of a file are copies of."""

    def __init__(self, db: Database, into: EventRecord | None) -> None:
        """``into``: the event to import into; None: it is yet to be made."""
        self._db = db
        self._into = into
        self.seen = False
        """Whether any game was a copy."""
        self._event_ids = {event.key: event.id for event in db.repository.events()}

    def marked(self, tags: dict[str, str], game: ImportedGame) -> ImportedGame:
        """The game, known as a repetition where it is a copy. Raises BadGame for the copy of a game
        that is younger than the event to import into, which would lead it."""
        own = self._original(tags, game)
        if own is None:
            return game
        self.seen = True
        if self._into is not None and own.event_id > self._into.id:
            raise BadGame(
                f"it is game g{own.id} of this database, whose event {tags['EventId']} is newer "
                f"than {self._into.key}: import it into another --event"
            )
        return _with_key(game, own)

    def _original(self, tags: dict[str, str], game: ImportedGame) -> GameRecord | None:
        match = _GAME_ID.fullmatch(tags.get("GameId", ""))
        event_id = self._event_ids.get(tags.get("EventId", ""))
        if match is None or event_id is None:
            return None
        found = next(self._db.repository.games(GameFilter(game_id=int(match[1]))), None)
        if found is None or found.event_id != event_id or not _is_copy(game, found):
            return None
        return found


def _is_copy(game: ImportedGame, own: GameRecord) -> bool:
    """Whether all that the file says of the game is so; moves may be left out."""
    told = (game.white, game.black, game.white_score, game.plies)
    if told != (own.white, own.black, WHITE_SCORES[own.result], own.plies):
        return False
    if not game.moves:
        return True
    same_moves = (game.moves, game.moves_version) == (own.moves, own.moves_version)
    return same_moves and (game.start_fen or CHESS_START) == own.start_fen


def _with_key(game: ImportedGame, own: GameRecord) -> ImportedGame:
    """The game under the key of the stored one; games against the clock have none."""
    if own.game_key is None:
        return game._replace(copy_of=own.id)
    return game._replace(key=bytes.fromhex(own.game_key))
