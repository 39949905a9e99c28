"""Committing game pairs: both games of a pair in one transaction, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, insert, or_, select, update

from db.books import opening_key
from db.errors import RecordError
from db.events import forget_failure, get_event, players_named
from db.games import WHITE_SCORES, pair_games
from db.models import EndReason, Game, GameMoves, Pair, Pairing
from db.records import EventPlayerRecord, GameRecord
from db.times import optional_milliseconds_of
from db.variants import provenance_key

_KEY_BYTES = 32

_PAIRING = select(Pairing.first_player, Pairing.second_player).where(
    Pairing.event_id == bindparam("event"), Pairing.pairing == bindparam("in_pairing")
)
_FIRST_OF_KEY = select(Game.id, Game.event_id, Game.pairing, Game.pair, Game.game).where(
    Game.game_key == bindparam("key"), Game.game_key.is_not(None), Game.repeats_id.is_(None)
)
_Known = tuple[int, int, int, int, int]
"""A game's id, event, pairing, pair and number."""
_END_REASON = select(EndReason.id).where(EndReason.name == bindparam("name"))
_ADD_GAME = insert(Game).returning(Game.id)


def commit_pair(
    connection: Connection, event_id: int, games: Sequence[GameRecord]
) -> tuple[GameRecord, ...]:
    """Store both games of a pair and give them as stored; a pair that is stored already stays.

    Of the games of one key, in whatever events, all but the first by event, pairing, pair and game
    are marked as its repetitions. Raises RecordError, NotFound.
    """
    first, second = _check_pair(event_id, games)
    stored = pair_games(connection, event_id, first.pairing, first.pair)
    if stored:
        return tuple(stored)
    players = players_named(connection, event_id, first.white, first.black)
    if not players:
        get_event(connection, event_id)
    for label, variant_id in ((first.white, first.white_id), (first.black, first.black_id)):
        if label not in players or players[label].variant_id != variant_id:
            raise RecordError(f"`{label}` ({variant_id}) is no player of event {event_id}")
    leader = _add_pairing(connection, event_id, first, players)
    forget_failure(connection, event_id, first.pairing, first.pair)
    _add_pair(connection, event_id, first, second, leader, players)
    return tuple(pair_games(connection, event_id, first.pairing, first.pair))


def _add_pair(
    connection: Connection,
    event_id: int,
    first: GameRecord,
    second: GameRecord,
    leader: str,
    players: dict[str, EventPlayerRecord],
) -> None:
    """Store a new pair with its games; of the games of one key, the first by place counts."""
    same = first.game_key is not None and first.game_key == second.game_key
    known = _first_of_key(connection, first)
    known2 = None if same else _first_of_key(connection, second)
    leads = known is None or _place(event_id, first) < known[1:]
    leads2 = not same and (known2 is None or _place(event_id, second) < known2[1:])
    connection.execute(
        insert(Pair),
        {
            "event_id": event_id,
            "pairing": first.pairing,
            "pair": first.pair,
            "first_is_white": first.white == leader,
            "score1": _score(first, leader),
            "score2": _score(second, leader),
            "counted": leads and leads2,
        },
    )
    first_id = _add_game(connection, event_id, first, players, known and known[0])
    if known is not None and leads:
        replace_first(connection, first_id, known)
    if same:
        _add_game(
            connection, event_id, second, players, known[0] if known and not leads else first_id
        )
        return
    second_id = _add_game(connection, event_id, second, players, known2 and known2[0])
    if known2 is not None and leads2:
        replace_first(connection, second_id, known2)


def replace_first(connection: Connection, game_id: int, known: _Known) -> None:
    """Let a game that stands before the first one of its key so far take that one's part.

    Pairs are stored as they end, and which of them counts shall not depend on that.
    """
    old_id, event_id, pairing, pair, _ = known
    same_key = or_(Game.id == old_id, Game.repeats_id == old_id)
    connection.execute(update(Game).where(same_key, Game.id != game_id).values(repeats_id=game_id))
    connection.execute(update(Game).where(Game.id == game_id).values(repeats_id=None))
    place = (Pair.event_id == event_id, Pair.pairing == pairing, Pair.pair == pair)
    connection.execute(update(Pair).where(*place).values(counted=False))


def _place(event_id: int, game: GameRecord) -> tuple[int, int, int, int]:
    return event_id, game.pairing, game.pair, game.game


def _check_pair(event_id: int, games: Sequence[GameRecord]) -> tuple[GameRecord, GameRecord]:
    """The first and the second game. Raises RecordError when they are no pair."""
    if sorted(game.game for game in games) != [1, 2]:
        raise RecordError("a pair has two games: number 1 and number 2")
    first, second = sorted(games, key=lambda game: game.game)
    if (first.pairing, first.pair) != (second.pairing, second.pair):
        raise RecordError("the two games are of different pairs")
    if min(first.pairing, first.pair) < 0:
        raise RecordError("pairings and pairs count from 0")
    if {first.event_id, second.event_id} - {0, event_id}:
        raise RecordError(f"the games are of another event than {event_id}")
    colours = (first.white, first.white_id), (first.black, first.black_id)
    if colours != ((second.black, second.black_id), (second.white, second.white_id)):
        raise RecordError("the second game of a pair has the colours of the first reversed")
    if first.white == first.black:
        raise RecordError(f"`{first.white}` cannot play itself under one label")
    for game in games:
        if game.result not in WHITE_SCORES:
            raise RecordError(f"`{game.result}` is no result; there are {', '.join(WHITE_SCORES)}")
    return first, second


def _add_pairing(
    connection: Connection,
    event_id: int,
    game: GameRecord,
    players: dict[str, EventPlayerRecord],
) -> str:
    """Store who meets in the pairing, if it is new, and give its first player's label."""
    leader, other = sorted((players[game.white], players[game.black]), key=lambda p: p.position)
    place = {"event": event_id, "in_pairing": game.pairing}
    row = connection.execute(_PAIRING, place).one_or_none()
    if row is None:
        connection.execute(
            insert(Pairing),
            {
                "event_id": event_id,
                "pairing": game.pairing,
                "first_player": leader.position,
                "second_player": other.position,
            },
        )
    elif (row.first_player, row.second_player) != (leader.position, other.position):
        raise RecordError(f"pairing {game.pairing} is of other players than the games")
    return leader.label


def _score(game: GameRecord, label: str) -> int:
    """Half points of the player of that label."""
    white = WHITE_SCORES[game.result]
    return white if game.white == label else 2 - white


def _first_of_key(connection: Connection, game: GameRecord) -> _Known | None:
    """The stored game of the same key that counts."""
    key = _key_bytes(game.game_key)
    if key is None:
        return None
    row = connection.execute(_FIRST_OF_KEY, {"key": key}).one_or_none()
    return None if row is None else (row.id, row.event_id, row.pairing, row.pair, row.game)


def _add_game(
    connection: Connection,
    event_id: int,
    game: GameRecord,
    players: dict[str, EventPlayerRecord],
    repeats_id: int | None,
) -> int:
    values: dict[str, Any] = {
        "event_id": event_id,
        "pairing": game.pairing,
        "pair": game.pair,
        "game": game.game,
        "white_player": players[game.white].position,
        "black_player": players[game.black].position,
        "white_score": WHITE_SCORES[game.result],
        "repeats_id": repeats_id,
        "end_reason_id": end_reason_key(connection, game.end_reason),
        "plies": game.plies,
        "white_nodes": game.white_nodes,
        "black_nodes": game.black_nodes,
        "white_cpu_us": game.white_cpu_us,
        "black_cpu_us": game.black_cpu_us,
        "started_ms": optional_milliseconds_of(game.started_at),
        "ended_ms": optional_milliseconds_of(game.ended_at),
        "provenance_id": provenance_key(
            connection, game.host, game.version, game.backend, game.signature
        ),
        "load": game.load,
        "jobs": game.jobs,
        "seed": game.seed,
        "game_key": _key_bytes(game.game_key),
    }
    values |= _start(connection, game)
    game_id = connection.execute(_ADD_GAME, values).scalar_one()
    connection.execute(
        insert(GameMoves),
        {
            "game_id": game_id,
            "moves_version": game.moves_version,
            "moves": game.moves,
            "search_version": game.search_version,
            "search_data": game.search_data,
        },
    )
    return game_id


def _start(connection: Connection, game: GameRecord) -> dict[str, Any]:
    """Columns that say where the game starts: the opening, and the position if it is another."""
    if game.book_id is None and game.opening_line is None:
        return {"opening_id": None, "start_fen": game.start_fen}
    if game.book_id is None or game.opening_line is None:
        raise RecordError("a game has both a book and a line of it, or neither")
    key, fen = opening_key(connection, game.book_id, game.opening_line)
    return {"opening_id": key, "start_fen": None if fen == game.start_fen else game.start_fen}


def end_reason_key(connection: Connection, name: str) -> int:
    values = {"name": name}
    key = connection.execute(_END_REASON, values).scalar_one_or_none()
    if key is not None:
        return key
    return connection.execute(insert(EndReason).returning(EndReason.id), values).scalar_one()


def _key_bytes(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if not 0 < len(key) <= _KEY_BYTES or key.hex() != text:
        raise RecordError(
            f"game key `{text}` is not of lower-case hex digits, two a byte, {_KEY_BYTES} at most"
        )
    return key
