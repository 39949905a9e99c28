"""Committing game pairs: both games of a pair in one transaction, once. Many short pairs share a
transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, exists, insert, or_, select, update

from db.errors import RecordError
from db.queries.books import add_openings, opening_keys
from db.queries.events import TABLE, forget_failures, players_named
from db.queries.games import pair_games
from db.queries.problems import add_problems
from db.queries.variants import provenance_key
from db.records.events import EventPlayerRecord
from db.records.games import WHITE_SCORES, GameRecord
from db.records.openings import OpeningRecord
from db.schema.declared import END_REASON, GAME, GAME_MOVES, PAIR, PAIRING
from db.schema.soundness import game_digest
from db.times import optional_milliseconds_of

_KEY_BYTES = 32

_PAIRINGS = select(PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player).where(
    PAIRING.c.event_id == bindparam("event"),
    PAIRING.c.pairing.in_(bindparam("numbers", expanding=True)),
)
_FIRST_OF_KEY = select(GAME.c.id, GAME.c.event_id, GAME.c.pairing, GAME.c.pair, GAME.c.game).where(
    GAME.c.game_key == bindparam("key"), GAME.c.game_key.is_not(None), GAME.c.repeats_id.is_(None)
)
Known = tuple[int, int, int, int, int]
"""A game's id, event, pairing, pair and number."""
_PLACE = (GAME.c.event_id, GAME.c.pairing, GAME.c.pair, GAME.c.game)
# All three conditions, because otherwise no index serves it.
_COUNTED_OF = select(GAME.c.game_key, GAME.c.id, *_PLACE).where(
    GAME.c.game_key.in_(bindparam("keys", expanding=True)),
    GAME.c.game_key.is_not(None),
    GAME.c.repeats_id.is_(None),
)
_SET_REPEATS = (
    update(GAME).where(GAME.c.id == bindparam("at")).values(repeats_id=bindparam("new_first"))
)
_RECOUNT = (
    update(PAIR)
    .where(
        PAIR.c.event_id == bindparam("event"),
        PAIR.c.pairing == bindparam("in_pairing"),
        PAIR.c.pair == bindparam("number"),
    )
    .values(
        counted=~exists().where(
            GAME.c.event_id == bindparam("event"),
            GAME.c.pairing == bindparam("in_pairing"),
            GAME.c.pair == bindparam("number"),
            GAME.c.repeats_id.is_not(None),
        )
    )
)
_END_REASON = select(END_REASON.c.id).where(END_REASON.c.name == bindparam("name"))
_ADD_GAME = insert(GAME).returning(GAME.c.id)
_ADD_GAMES = insert(GAME).returning(GAME.c.id, sort_by_parameter_order=True)
_AT_ONCE = 100
"""Pairs in one statement; drivers allow some ten thousand values."""
_ASKED_AT_ONCE = 400
"""Games in one query."""
_TwoGames = tuple[GameRecord, GameRecord]
_Item = TypeVar("_Item")


def commit_pairs(
    connection: Connection,
    event_id: int,
    pairs: Sequence[Sequence[GameRecord]],
    openings: Iterable[OpeningRecord] = (),
) -> list[tuple[GameRecord, ...]]:
    """Store both games of each pair, all or none; returns them as stored, with their ids. The lines
    of the event's book among ``openings`` that begin one of them are stored where they are new.

    Of the games with the same key in all events, the first by event, pairing, pair and game counts,
    and the others are repetitions. So which one counts does not depend on the order of storing. A
    pair that is already stored is not changed but returned; a failure of the pair is removed.
    Raises RecordError, NotFound.
    """
    checked = [_check_pair(event_id, games) for games in pairs]
    stored: list[tuple[GameRecord, ...]] = []
    keys = _Keys(connection, event_id, openings)
    for start in range(0, len(checked), _AT_ONCE):
        some = checked[start : start + _AT_ONCE]
        keys.look_up([first for first, _ in some])
        stored += _commit_some(connection, keys, some)
    return stored


def _commit_some(
    connection: Connection, keys: _Keys, pairs: Sequence[_TwoGames]
) -> list[tuple[GameRecord, ...]]:
    """Store pairs; those without repetitions, nearly all, in few statements."""
    fresh = _fresh(connection, keys.event_id, pairs)
    added = iter(_add_fresh(connection, keys, [pairs[i] for i in fresh]))
    stored = {index: next(added) for index in fresh}
    return [
        stored[index] if index in stored else _commit_one(connection, keys, *games)
        for index, games in enumerate(pairs)
    ]


def _commit_one(
    connection: Connection, keys: _Keys, first: GameRecord, second: GameRecord
) -> tuple[GameRecord, ...]:
    """Store a pair that may already be stored, or with a game that may repeat another."""
    place = (keys.event_id, first.pairing, first.pair)
    stored = pair_games(connection, *place)
    if not stored:
        keys.check_players(first)
        forget_failures(connection, [place])
        _add_pair(connection, keys, first, second)
        stored = pair_games(connection, *place)
    return tuple(stored)


def _fresh(connection: Connection, event_id: int, pairs: Sequence[_TwoGames]) -> list[int]:
    """The pairs that are not stored yet, and whose games have keys that are neither stored nor
    repeated among them."""
    places = Counter((first.pairing, first.pair) for first, _ in pairs)
    game_keys = Counter(_key_bytes(game.game_key) for games in pairs for game in games)
    known = {None: False} | dict.fromkeys(game_keys, False)
    stored_keys = connection.execute(_COUNTED_OF, {"keys": [key for key in game_keys if key]})
    known |= dict.fromkeys((row.game_key for row in stored_keys), True)
    played = select(PAIR.c.pairing, PAIR.c.pair).where(
        PAIR.c.event_id == event_id,
        PAIR.c.pairing.in_({pairing for pairing, _ in places}),
        PAIR.c.pair.in_({pair for _, pair in places}),
    )
    stored = {(row.pairing, row.pair) for row in connection.execute(played)}

    def is_new(game: GameRecord) -> bool:
        key = _key_bytes(game.game_key)
        return key is None or (game_keys[key] == 1 and not known[key])

    return [
        index
        for index, (first, second) in enumerate(pairs)
        if places[first.pairing, first.pair] == 1
        and (first.pairing, first.pair) not in stored
        and is_new(first)
        and is_new(second)
    ]


def _add_fresh(
    connection: Connection, keys: _Keys, pairs: Sequence[_TwoGames]
) -> list[tuple[GameRecord, ...]]:
    """Store pairs without repetitions."""
    if not pairs:
        return []
    for first, _ in pairs:
        keys.check_players(first)
    event_id = keys.event_id
    forget_failures(connection, [(event_id, first.pairing, first.pair) for first, _ in pairs])
    leaders = [keys.leader(first) for first, _ in pairs]
    connection.execute(
        insert(PAIR),
        [
            _pair_values(event_id, *games, leader, counted=True)
            for games, leader in zip(pairs, leaders, strict=True)
        ],
    )
    games = [game for pair in pairs for game in pair]
    keys.find_openings(games)
    rows = [_game_values(keys, game, None) for game in games]
    ids = connection.execute(_ADD_GAMES, rows).scalars().all()
    connection.execute(
        insert(GAME_MOVES), [_move_values(key, game) for key, game in zip(ids, games, strict=True)]
    )
    stored = [
        replace(game, id=key, event_id=event_id, repeats=None)
        for key, game in zip(ids, games, strict=True)
    ]
    add_problems(connection, event_id, stored)
    return list(zip(stored[::2], stored[1::2], strict=True))


class _Keys:
    """Keys that games of an event refer to, looked up once per transaction."""

    def __init__(
        self, connection: Connection, event_id: int, openings: Iterable[OpeningRecord] = ()
    ) -> None:
        self.event_id = event_id
        self._lines = {opening.line: opening for opening in openings}
        self._connection = connection
        self._players: dict[str, EventPlayerRecord] = {}
        self._pairings: dict[int, tuple[int, int]] = {}
        """The positions of the players of each pairing."""
        self._end_reasons: dict[str, int] = {}
        self._provenances: dict[tuple[str, str, str, str, int, float], int] = {}
        self._openings: dict[tuple[str, int], tuple[int, str]] = {}

    def look_up(self, games: Sequence[GameRecord]) -> None:
        """Look up the players and the pairings of many games at once."""
        labels = {label for game in games for label in (game.white, game.black)}
        labels -= self._players.keys()
        if labels:
            self._players |= players_named(self._connection, self.event_id, sorted(labels))
        numbers = {game.pairing for game in games} - self._pairings.keys()
        place = {"event": self.event_id, "numbers": sorted(numbers)}
        for row in self._connection.execute(_PAIRINGS, place) if numbers else ():
            self._pairings[row.pairing] = row.first_player, row.second_player

    def check_players(self, game: GameRecord) -> None:
        """Raises RecordError, or NotFound for an event that is not stored."""
        for label, variant_id in ((game.white, game.white_id), (game.black, game.black_id)):
            player = self._players.get(label)
            if player is None or player.variant_id != variant_id:
                TABLE.check_id(self._connection, self.event_id)
                raise RecordError(
                    f"`{label}` ({variant_id}) is not a player of event {self.event_id}"
                )

    def position(self, label: str) -> int:
        """The position of a player that :meth:`check_players` found."""
        return self._players[label].position

    def leader(self, game: GameRecord) -> str:
        """The label of the first player of the game's pairing, which is stored if it is new."""
        white, black = self.position(game.white), self.position(game.black)
        players = min(white, black), max(white, black)
        if game.pairing not in self._pairings:
            _add_pairing(self._connection, self.event_id, game.pairing, players)
            self._pairings[game.pairing] = players
        if self._pairings[game.pairing] != players:
            raise RecordError(f"pairing {game.pairing} has other players than the games")
        return game.white if white < black else game.black

    def end_reason(self, name: str) -> int:
        """The key of an end reason, stored if it is new."""
        if name not in self._end_reasons:
            self._end_reasons[name] = end_reason_key(self._connection, name)
        return self._end_reasons[name]

    def provenance(self, game: GameRecord) -> int:
        """The key of a provenance, stored if it is new."""
        program = (game.host, game.version, game.backend, game.signature)
        what = (*program, game.speed, game.time_factor)
        if what not in self._provenances:
            self._provenances[what] = provenance_key(self._connection, *what)
        return self._provenances[what]

    def find_openings(self, games: Sequence[GameRecord]) -> None:
        """Look up the openings of many games at once, and store the given ones that are new."""
        wanted: dict[str, set[int]] = {}
        for game in games:
            if game.book_id is not None and game.opening_line is not None:
                wanted.setdefault(game.book_id, set()).add(game.opening_line)
        for book_id, lines in wanted.items():
            found = opening_keys(self._connection, book_id, lines)
            new = sorted((lines & self._lines.keys()) - {line for _, line in found})
            if new:
                add_openings(self._connection, book_id, [self._lines[line] for line in new])
                found |= opening_keys(self._connection, book_id, new)
            self._openings |= found

    def start(self, game: GameRecord) -> dict[str, Any]:
        """Columns for the start of the game: the opening, and the position if it is a different
        one."""
        if game.book_id is None and game.opening_line is None:
            return {"opening_id": None, "start_fen": game.start_fen}
        if game.book_id is None or game.opening_line is None:
            raise RecordError("a game must have both a book and a line, or neither")
        place = (game.book_id, game.opening_line)
        if place not in self._openings:
            self.find_openings([game])
        if place not in self._openings:
            raise RecordError(f"line {game.opening_line} of book {game.book_id} is not stored")
        key, fen = self._openings[place]
        return {"opening_id": key, "start_fen": None if fen == game.start_fen else game.start_fen}


def _add_pair(connection: Connection, keys: _Keys, first: GameRecord, second: GameRecord) -> None:
    """Store a new pair with its games; of games with the same key, the first by place counts."""
    event_id, leader = keys.event_id, keys.leader(first)
    same = first.game_key is not None and first.game_key == second.game_key
    known = _first_of_key(connection, first)
    known2 = None if same else _first_of_key(connection, second)
    leads = known is None or _place(event_id, first) < known[1:]
    leads2 = not same and (known2 is None or _place(event_id, second) < known2[1:])
    counted = leads and leads2
    connection.execute(insert(PAIR), _pair_values(event_id, first, second, leader, counted=counted))
    first_id = _add_game(connection, keys, first, known and known[0])
    if known is not None and leads:
        replace_first(connection, first_id, known)
    if same:
        _add_game(connection, keys, second, known[0] if known and not leads else first_id)
        return
    second_id = _add_game(connection, keys, second, known2 and known2[0])
    if known2 is not None and leads2:
        replace_first(connection, second_id, known2)


def _pair_values(
    event_id: int, first: GameRecord, second: GameRecord, leader: str, *, counted: bool
) -> dict[str, Any]:
    return {
        "event_id": event_id,
        "pairing": first.pairing,
        "pair": first.pair,
        "first_is_white": first.white == leader,
        "score1": _score(first, leader),
        "score2": _score(second, leader),
        "counted": counted,
    }


def replace_first(connection: Connection, game_id: int, known: Known) -> None:
    """Let a game count instead of ``known``, the game of its key that counted so far.

    Pairs are stored as they end, and which game counts must not depend on that.
    """
    old_id, event_id, pairing, pair, _ = known
    same_key = or_(GAME.c.id == old_id, GAME.c.repeats_id == old_id)
    connection.execute(
        update(GAME).where(same_key, GAME.c.id != game_id).values(repeats_id=game_id)
    )
    connection.execute(update(GAME).where(GAME.c.id == game_id).values(repeats_id=None))
    place = (PAIR.c.event_id == event_id, PAIR.c.pairing == pairing, PAIR.c.pair == pair)
    connection.execute(update(PAIR).where(*place).values(counted=False))


def leave_to_next(connection: Connection, event_ids: Sequence[int]) -> int:
    """Before the games of these events are removed: of the games elsewhere that repeat one of
    them, the first by event, pairing, pair and game counts from now on, and the others repeat it.
    Returns how many count now.

    A key may have a counted game elsewhere already, because copies of a timed game, which has no
    key, have keys of their own: then the first of all these counts.
    """
    original = GAME.alias()
    query = (
        select(GAME.c.id, *_PLACE, GAME.c.repeats_id, GAME.c.game_key)
        .join(original, original.c.id == GAME.c.repeats_id)
        .where(GAME.c.repeats_id.is_not(None), original.c.event_id.in_(event_ids))
        .where(GAME.c.event_id.not_in(event_ids))
        .order_by(*_PLACE)
    )
    rows = connection.execute(query).all()
    if not rows:
        return 0
    firsts: dict[int, Any] = {}
    of_key: dict[bytes, Any] = {}
    for row in rows:
        if row.repeats_id not in firsts:
            firsts[row.repeats_id] = (
                row if row.game_key is None else of_key.setdefault(row.game_key, row)
            )
    counted = counted_games(connection, of_key, without=event_ids)
    leading = {row.id: row for row in firsts.values() if row.game_key not in counted}

    def first_of(repeated: int) -> int:
        row = firsts[repeated]
        return row.id if row.id in leading else counted[row.game_key][0]

    # The games that go give up their keys first, because only one game of a key may count.
    repeats = {repeated: row.id for repeated, row in firsts.items() if row.id in leading}
    repeats |= {row.id: first_of(row.repeats_id) for row in rows if row.id not in leading}
    _set_repeats(connection, repeats)
    _set_repeats(connection, dict.fromkeys(leading))
    recount_pairs(connection, [(row.event_id, row.pairing, row.pair) for row in leading.values()])
    number = len(leading)
    for key, known in counted.items():
        row = of_key[key]
        if (row.event_id, row.pairing, row.pair, row.game) < known[1:]:
            replace_first(connection, row.id, known)
            recount_pairs(connection, [(row.event_id, row.pairing, row.pair)])
            number += 1
    return number


def recount_pairs(connection: Connection, places: Iterable[tuple[int, int, int]]) -> None:
    """Decide again whether the pairs at these places (event, pairing, pair) count: they do if none
    of their games repeats another."""
    rows = [
        {"event": event_id, "in_pairing": pairing, "number": pair}
        for event_id, pairing, pair in dict.fromkeys(places)
    ]
    if rows:
        connection.execute(_RECOUNT, rows)


def counted_games(
    connection: Connection, keys: Iterable[bytes], *, without: Sequence[int] = ()
) -> dict[bytes, Known]:
    """The counted game of each of these keys that has one, outside some events."""
    found: dict[bytes, Known] = {}
    for some in _parts(keys):
        for row in connection.execute(_COUNTED_OF, {"keys": some}):
            if row.event_id not in without:
                found[row.game_key] = (row.id, row.event_id, row.pairing, row.pair, row.game)
    return found


def _set_repeats(connection: Connection, firsts: Mapping[int, int | None]) -> None:
    """Let games, by their ids, repeat other ones, or none."""
    rows = [{"at": game_id, "new_first": first} for game_id, first in firsts.items()]
    if rows:
        connection.execute(_SET_REPEATS, rows)


def _parts(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """The items in batches for one query."""
    every = list(items)
    for start in range(0, len(every), _ASKED_AT_ONCE):
        yield every[start : start + _ASKED_AT_ONCE]


def _place(event_id: int, game: GameRecord) -> tuple[int, int, int, int]:
    return event_id, game.pairing, game.pair, game.game


def _check_pair(event_id: int, games: Sequence[GameRecord]) -> tuple[GameRecord, GameRecord]:
    """The first and the second game. Raises RecordError if they are not a pair."""
    if sorted(game.game for game in games) != [1, 2]:
        raise RecordError("a pair must have two games, number 1 and number 2")
    first, second = sorted(games, key=lambda game: game.game)
    if (first.pairing, first.pair) != (second.pairing, second.pair):
        raise RecordError("the two games belong to different pairs")
    if min(first.pairing, first.pair) < 0:
        raise RecordError("pairings and pairs must be numbered from 0")
    if {first.event_id, second.event_id} - {0, event_id}:
        raise RecordError(f"the games do not belong to event {event_id}")
    colours = (first.white, first.white_id), (first.black, first.black_id)
    if colours != ((second.black, second.black_id), (second.white, second.white_id)):
        raise RecordError("the second game of a pair must reverse the colours of the first")
    if first.white == first.black:
        raise RecordError(f"`{first.white}` cannot play itself under the same label")
    for game in games:
        if game.result not in WHITE_SCORES:
            raise RecordError(
                f"`{game.result}` is not a result; there are {', '.join(WHITE_SCORES)}"
            )
    return first, second


def _add_pairing(
    connection: Connection, event_id: int, pairing: int, players: tuple[int, int]
) -> None:
    values = {"first_player": players[0], "second_player": players[1]}
    connection.execute(insert(PAIRING), {"event_id": event_id, "pairing": pairing} | values)


def _score(game: GameRecord, label: str) -> int:
    """Half points of the player with that label."""
    white = WHITE_SCORES[game.result]
    return white if game.white == label else 2 - white


def _first_of_key(connection: Connection, game: GameRecord) -> Known | None:
    """The stored game with the same key that counts."""
    key = _key_bytes(game.game_key)
    if key is None:
        return None
    row = connection.execute(_FIRST_OF_KEY, {"key": key}).one_or_none()
    return None if row is None else (row.id, row.event_id, row.pairing, row.pair, row.game)


def _add_game(connection: Connection, keys: _Keys, game: GameRecord, repeats_id: int | None) -> int:
    values = _game_values(keys, game, repeats_id)
    game_id: int = connection.execute(_ADD_GAME, values).scalar_one()
    connection.execute(insert(GAME_MOVES), _move_values(game_id, game))
    add_problems(connection, keys.event_id, [replace(game, id=game_id)])
    return game_id


def _game_values(keys: _Keys, game: GameRecord, repeats_id: int | None) -> dict[str, Any]:
    return {
        "event_id": keys.event_id,
        "pairing": game.pairing,
        "pair": game.pair,
        "game": game.game,
        "white_player": keys.position(game.white),
        "black_player": keys.position(game.black),
        "white_score": WHITE_SCORES[game.result],
        "repeats_id": repeats_id,
        "end_reason_id": keys.end_reason(game.end_reason),
        "plies": game.plies,
        "white_nodes": game.white_nodes,
        "black_nodes": game.black_nodes,
        "white_cpu_us": game.white_cpu_us,
        "black_cpu_us": game.black_cpu_us,
        "started_ms": optional_milliseconds_of(game.started_at),
        "ended_ms": optional_milliseconds_of(game.ended_at),
        "provenance_id": keys.provenance(game),
        "load": float(game.load),
        "jobs": game.jobs,
        "seed": game.seed,
        "game_key": _key_bytes(game.game_key),
        "digest": game_digest(
            *(WHITE_SCORES[game.result], game.moves_version, game.moves),
            *(game.search_version, game.search_data, game.lines or None),
        ),
    } | keys.start(game)


def _move_values(game_id: int, game: GameRecord) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "moves_version": game.moves_version,
        "moves": game.moves,
        "search_version": game.search_version,
        "search_data": game.search_data,
        "lines": game.lines or None,
    }


def end_reason_key(connection: Connection, name: str) -> int:
    values = {"name": name}
    key: int | None = connection.execute(_END_REASON, values).scalar_one_or_none()
    if key is None:
        new = insert(END_REASON).returning(END_REASON.c.id)
        key = int(connection.execute(new, values).scalar_one())
    return key


def _key_bytes(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if not 0 < len(key) <= _KEY_BYTES or key.hex() != text:
        raise RecordError(
            f"game key `{text}` must be lower-case hex digits, two per byte, of at most "
            f"{_KEY_BYTES} bytes"
        )
    return key
