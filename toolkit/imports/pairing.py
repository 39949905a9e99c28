"""Finding the pairs among the games of a file: the same players with colours reversed, and a sign
that the games belong together.

The sign is the tag ``Round``: fastchess gives both games of a pair the same number, cutechess
``7.1`` and ``7.2``, and our own files ``1.7.1`` and ``1.7.2``. Alternatively, the sign is a shared
opening (a start position other than that of chess, or book moves) in consecutive rounds, as
cutechess writes with ``-repeat``, or without rounds. Two games from the start position of chess
without rounds are never a pair.

Programs that play several games at once write them as they end, so partners may not be adjacent: up
to :data:`WINDOW` games wait for their partners, or fewer if they take more than
:data:`WINDOW_BYTES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from db.records.games import ImportUnit
from toolkit.imports.game import ReadGame

WINDOW = 20_000
"""Games that wait for a partner at the same time; the oldest is then taken to have none."""
WINDOW_BYTES = 64_000_000
"""Bytes of all waiting games together."""
_ROUND = re.compile(r"(?:(.*)\.)?(\d{1,9})")
_Sign = tuple[str, ...]


class PairFinder:
    """Takes games in the order of a file and gives pairs and games without a partner."""

    def __init__(self, window: int = WINDOW, window_bytes: int = WINDOW_BYTES) -> None:
        self._window = window
        self._window_bytes = window_bytes
        self._bytes = 0
        self._waiting: dict[int, ReadGame] = {}
        """By number, oldest first."""
        self._by_sign: dict[_Sign, list[int]] = {}
        self._next = 0

    def add(self, game: ReadGame) -> Iterator[ImportUnit]:
        """Add a game; returns the pair it completes, and games that have waited too long."""
        signs = _signs(game)
        partner = self._partner(game, signs)
        if partner is not None:
            yield _ordered(partner, game)
            return
        if not signs:
            yield (game.game,)
            return
        number = self._next = self._next + 1
        self._waiting[number] = game
        self._bytes += _size(game)
        for sign in signs:
            self._by_sign.setdefault((*sign, game.game.white), []).append(number)
        while len(self._waiting) > self._window or self._bytes > self._window_bytes:
            yield (self._taken(next(iter(self._waiting))).game,)

    def rest(self) -> Iterator[ImportUnit]:
        """The games whose partner never came, in their order."""
        for number in list(self._waiting):
            yield (self._taken(number).game,)

    def _partner(self, game: ReadGame, signs: list[_Sign]) -> ReadGame | None:
        for sign in signs:
            for number in self._by_sign.get((*sign, game.game.black), ()):
                if _may_pair(sign, self._waiting[number], game):
                    return self._taken(number)
        return None

    def _taken(self, number: int) -> ReadGame:
        game = self._waiting.pop(number)
        self._bytes -= _size(game)
        for sign in _signs(game):
            place = (*sign, game.game.white)
            self._by_sign[place].remove(number)
            if not self._by_sign[place]:
                del self._by_sign[place]
        return game


def _size(game: ReadGame) -> int:
    """Bytes of the parts that may be long."""
    own = game.game
    return (
        len(own.moves) + len(own.search_data) + len(own.lines) + len(game.event) + len(game.round)
    )


def _signs(game: ReadGame) -> list[_Sign]:
    """What a partner has in common with the game, the surest first. It has the other colours."""
    one, two = sorted((game.game.white, game.game.black))
    common = (one, two, game.event, game.opening)
    signs: list[_Sign] = []
    match = _ROUND.fullmatch(game.round)
    if match is not None and match[1] is not None:
        signs.append(("games", *common, match[1], str((int(match[2]) - 1) // 2)))
    elif match is not None:
        signs.append(("round", *common, match[2]))
    if game.opening and (match is None or match[1] is None):
        signs.append(("opening", *common))
    return signs


def _may_pair(sign: _Sign, one: ReadGame, two: ReadGame) -> bool:
    """Whether the rounds of two games of one opening allow that they are a pair."""
    if sign[0] != "opening":
        return True
    rounds = [game.round for game in (one, two)]
    if not all(text.isascii() and text.isdigit() for text in rounds):
        return rounds[0] == rounds[1]
    return abs(int(rounds[0]) - int(rounds[1])) == 1


def _ordered(one: ReadGame, two: ReadGame) -> ImportUnit:
    """Both games in the order of their numbers in the round, else in that of the file."""
    numbers = [match and int(match[2]) for match in map(_ROUND.fullmatch, (one.round, two.round))]
    if numbers[0] is not None and numbers[1] is not None and numbers[1] < numbers[0]:
        return two.game, one.game
    return one.game, two.game
