"""Events with games of other programs: stored in bulk, each game once, with or without a partner.

A game is identified by the hash of its content in the file (``ImportedGame.key``), which is its
``game_key``. An event stores it once. If several events have it, the first of them counts for the
whole database, as with games that were played here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, func, insert, select

from db.errors import RecordError
from db.queries.events import TABLE, insert_event
from db.queries.pairs import end_reason_key, replace_first
from db.queries.variants import add_variants, provenance_key, variant_keys
from db.records.engines import IMPORTED_BACKEND, VariantRecord
from db.records.events import IMPORT_KIND, EventRecord
from db.records.games import ImportCounts, ImportedGame, ImportUnit
from db.schema.declared import EVENT, EVENT_PLAYER, GAME, GAME_MOVES, PAIR, PAIRING
from db.schema.soundness import game_digest
from db.times import milliseconds_of, utc_now

_ASKED_AT_ONCE = 500
"""Keys in one query."""
_Item = TypeVar("_Item")


_Known = tuple[int, int, int, int, int]
"""A counted game's id, event, pairing, pair and number."""


class ImportPlace(Struct):
    """The state of an event while the process that holds its lock adds games."""

    event_id: int
    positions: dict[str, int] = {}
    """Positions of the players by their names in files, which are their labels."""
    pairings: dict[tuple[int, int], list[int]] = {}
    """Number and next pair of each pairing, by its players' positions."""
    end_reasons: dict[str, int] = {}
    provenance_id: int = 0


def find_import(connection: Connection, name: str) -> EventRecord | None:
    """The event of this name or key into which files are imported; None: not stored yet.

    Raises RecordError if an event of that name was played.
    """
    query = select(EVENT.c.id, EVENT.c.kind, EVENT.c.key).where(
        (EVENT.c.name == name) | (EVENT.c.key == name)
    )
    rows = connection.execute(query.order_by(EVENT.c.id)).all()
    for row in rows:
        if row.kind != IMPORT_KIND:
            raise RecordError(
                f"event {row.key} `{name}` was played, not imported: choose another --event NAME"
            )
    return TABLE.get(connection, rows[0].id) if rows else None


def open_import(connection: Connection, event: EventRecord) -> EventRecord:
    """The event of that name to import into, stored if it is new. Raises RecordError."""
    found = find_import(connection, event.name)
    if found is None:
        return TABLE.get(connection, insert_event(connection, event))
    return found


def place_of(connection: Connection, event: EventRecord) -> ImportPlace:
    """What :func:`add_units` needs to know about an event and keeps up to date: its players and
    pairings so far."""
    place = ImportPlace(event.id)
    players = select(EVENT_PLAYER.c.label, EVENT_PLAYER.c.position)
    for label, position in connection.execute(players.where(EVENT_PLAYER.c.event_id == event.id)):
        place.positions[label] = position
    pairs = select(PAIR.c.pairing, func.max(PAIR.c.pair) + 1).where(PAIR.c.event_id == event.id)
    following = {
        pairing: number for pairing, number in connection.execute(pairs.group_by(PAIR.c.pairing))
    }
    pairings = select(PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player)
    for row in connection.execute(pairings.where(PAIRING.c.event_id == event.id)):
        place.pairings[row.first_player, row.second_player] = [
            row.pairing,
            following.get(row.pairing, 0),
        ]
    # The same for all imported games: the machine and build that played them are unknown.
    place.provenance_id = provenance_key(connection, "", "", IMPORTED_BACKEND, "")
    return place


def known_keys(connection: Connection, event_id: int, keys: Sequence[bytes]) -> set[bytes]:
    """The keys whose games the event already has."""
    counted, own = _look_up(connection, event_id, keys)
    return own | {key for key, known in counted.items() if known[1] == event_id}


def known_copies(
    connection: Connection, event_id: int, games: Sequence[ImportedGame]
) -> set[bytes]:
    """Keys of the games that the event already has, as originals or as repetitions."""
    copies = [game.copy_of for game in games if game.copy_of is not None]
    return known_keys(connection, event_id, [game.key for game in games]) | _stored_copies(
        connection, event_id, copies
    )


def single_games(connection: Connection, event_ids: Sequence[int]) -> dict[int, int]:
    """Number of games without a partner by event; events without such games are omitted."""
    query = select(PAIR.c.event_id, func.count()).where(
        PAIR.c.event_id.in_(event_ids), PAIR.c.score2.is_(None)
    )
    rows = connection.execute(query.group_by(PAIR.c.event_id))
    return {event_id: number for event_id, number in rows}


def add_units(
    connection: Connection,
    place: ImportPlace,
    units: Sequence[ImportUnit],
    new_players: Iterable[VariantRecord],
) -> ImportCounts:
    """Store pairs and single games, without those that the event has. ``new_players``: variants of
    the players that are new to the event, in the order of their positions; ``spelling`` is the
    label. Throw ``place`` away if this fails.
    """
    _add_players(connection, place, new_players)
    keys = [game.key for unit in units for game in unit]
    counted, own = _look_up(connection, place.event_id, keys)
    own |= {key for key, known in counted.items() if known[1] == place.event_id}
    copies = {game.key: game.copy_of for unit in units for game in unit if game.copy_of is not None}
    counted |= _originals(connection, copies)
    own |= _stored_copies(connection, place.event_id, copies.values())
    stored = ImportCounts()
    batch = _Batch(place, counted)
    for unit in units:
        new = []
        for game in unit:
            if game.key in own:
                stored.known += 1
            else:
                own.add(game.key)
                new.append(game)
        if new:
            batch.add(connection, new)
            stored.pairs += len(new) == 2
            stored.singles += len(new) == 1
    batch.write(connection)
    return stored


def finish_import(
    connection: Connection, event_id: int, settings: Mapping[str, Any], *, changed: bool
) -> EventRecord:
    """Record that all games of a file are stored, and the event's new settings. ``changed``:
    whether any of them were new; otherwise the event's end is not changed."""
    now = milliseconds_of(utc_now())
    pairs = select(func.count()).select_from(PAIR).where(PAIR.c.event_id == event_id)
    TABLE.change(
        connection,
        event_id,
        settings=dict(settings),
        status="done",
        pairs_planned=connection.execute(pairs).scalar_one(),
        ended_ms=now if changed else func.coalesce(EVENT.c.ended_ms, now),
    )
    return TABLE.get(connection, event_id)


class _Batch:
    """Rows to be stored."""

    def __init__(self, place: ImportPlace, counted: dict[bytes, _Known]) -> None:
        self._place = place
        self._counted = counted
        self._pairings: list[dict[str, Any]] = []
        self._pairs: list[dict[str, Any]] = []
        self._games: list[dict[str, Any]] = []
        self._moves: list[dict[str, Any] | None] = []
        self._leading: list[tuple[int, int, int, _Known]] = []
        """Places of games that precede the game of another event that counted for their key."""

    def add(self, connection: Connection, games: Sequence[ImportedGame]) -> None:
        """Add one game, or the two of a pair."""
        place, positions = self._place, self._place.positions
        first = games[0]
        white, black = positions[first.white], positions[first.black]
        leader = min(white, black)
        pairing, pair = self._number(leader, max(white, black))
        scores = [
            g.white_score if positions[g.white] == leader else 2 - g.white_score for g in games
        ]
        leads = True
        for number, game in enumerate(games, start=1):
            known = self._counted.get(game.key)
            if known is not None:
                if known[1] > place.event_id:
                    self._leading.append((pairing, pair, number, known))
                else:
                    leads = False
            self._games.append(self._row(connection, game, pairing, pair, number, known))
            self._moves.append(_move_values(game))
        self._pairs.append(
            {
                "event_id": place.event_id,
                "pairing": pairing,
                "pair": pair,
                "first_is_white": white == leader,
                "score1": scores[0],
                "score2": scores[1] if len(scores) == 2 else None,
                "counted": leads,
            }
        )

    def write(self, connection: Connection) -> None:
        """Store the collected rows."""
        for table, rows in ((PAIRING, self._pairings), (PAIR, self._pairs)):
            if rows:
                connection.execute(insert(table), rows)
        with_moves = [number for number, one in enumerate(self._moves) if one is not None]
        without = [row for row, one in zip(self._games, self._moves, strict=True) if one is None]
        if without:
            connection.execute(insert(GAME), without)
        if with_moves:
            query = insert(GAME).returning(GAME.c.id, sort_by_parameter_order=True)
            ids = connection.execute(query, [self._games[i] for i in with_moves]).scalars().all()
            rows = [
                {"game_id": game_id, **(self._moves[number] or {})}
                for number, game_id in zip(with_moves, ids, strict=True)
            ]
            connection.execute(insert(GAME_MOVES), rows)
        for pairing, pair, number, known in self._leading:
            at = select(GAME.c.id).where(
                GAME.c.event_id == self._place.event_id,
                *(GAME.c.pairing == pairing, GAME.c.pair == pair, GAME.c.game == number),
            )
            replace_first(connection, connection.execute(at).scalar_one(), known)

    def _number(self, leader: int, other: int) -> tuple[int, int]:
        """Number of the pairing, stored if it is new, and of its next pair."""
        place = self._place
        found = place.pairings.get((leader, other))
        if found is None:
            found = place.pairings[leader, other] = [len(place.pairings), 0]
            self._pairings.append(
                {
                    "event_id": place.event_id,
                    "pairing": found[0],
                    "first_player": leader,
                    "second_player": other,
                }
            )
        found[1] += 1
        return found[0], found[1] - 1

    def _row(
        self,
        connection: Connection,
        game: ImportedGame,
        pairing: int,
        pair: int,
        number: int,
        known: _Known | None,
    ) -> dict[str, Any]:
        place = self._place
        reason = place.end_reasons.get(game.end_reason)
        if reason is None:
            reason = end_reason_key(connection, game.end_reason)
            place.end_reasons[game.end_reason] = reason
        return {
            "event_id": place.event_id,
            "pairing": pairing,
            "pair": pair,
            "game": number,
            "white_player": place.positions[game.white],
            "black_player": place.positions[game.black],
            "white_score": game.white_score,
            "repeats_id": None if known is None else known[0],
            "end_reason_id": reason,
            "plies": game.plies,
            "start_fen": game.start_fen,
            "white_nodes": game.white_nodes,
            "black_nodes": game.black_nodes,
            "white_cpu_us": 0,
            "black_cpu_us": 0,
            "started_ms": game.started_ms,
            "ended_ms": game.ended_ms,
            "provenance_id": place.provenance_id,
            "load": 0.0,
            "jobs": 0,
            "seed": 0,
            "game_key": game.key,
            "digest": game_digest(game.white_score, **(_move_values(game) or {})),
        }


def _move_values(game: ImportedGame) -> dict[str, Any] | None:
    """Columns of a game's moves without its key; None if the moves are unknown."""
    if not game.moves:
        return None
    return {
        "moves_version": game.moves_version,
        "moves": game.moves,
        "search_version": game.search_version,
        "search_data": game.search_data,
        "lines": game.lines or None,
    }


def _add_players(
    connection: Connection, place: ImportPlace, players: Iterable[VariantRecord]
) -> None:
    new = [player for player in players if player.spelling not in place.positions]
    if not new:
        return
    add_variants(connection, new)
    keys: dict[str, int] = {}
    for some in _parts(player.id for player in new):
        keys |= variant_keys(connection, some)
    rows = []
    for player in new:
        position = place.positions[player.spelling] = len(place.positions)
        rows.append(
            {
                "event_id": place.event_id,
                "position": position,
                "label": player.spelling,
                "variant_id": keys[player.id],
            }
        )
    connection.execute(insert(EVENT_PLAYER), rows)


def _originals(connection: Connection, copies: Mapping[bytes, int]) -> dict[bytes, _Known]:
    """The originals of the games with these keys, which are copies."""
    columns = (GAME.c.id, GAME.c.event_id, GAME.c.pairing, GAME.c.pair, GAME.c.game)
    found: dict[int, _Known] = {}
    for some in _parts(copies.values()):
        for row in connection.execute(select(*columns).where(GAME.c.id.in_(some))):
            found[row.id] = row.id, row.event_id, row.pairing, row.pair, row.game
    return {key: found[game_id] for key, game_id in copies.items() if game_id in found}


def _stored_copies(connection: Connection, event_id: int, originals: Iterable[int]) -> set[bytes]:
    """Keys of the event's games that repeat these."""
    found: set[bytes] = set()
    for some in _parts(originals):
        query = select(GAME.c.game_key).where(GAME.c.repeats_id.in_(some), _is_of(event_id))
        found |= {key for key in connection.execute(query).scalars() if key is not None}
    return found


def _is_of(event_id: int) -> ColumnElement[bool]:
    """Condition: a game belongs to the event, written so that no index matches it. SQLite would
    otherwise read all games of the event, not those that another condition names."""
    return GAME.c.event_id + 0 == event_id


def _parts(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Distinct items, in batches for one query."""
    every = list(dict.fromkeys(items))
    for start in range(0, len(every), _ASKED_AT_ONCE):
        yield every[start : start + _ASKED_AT_ONCE]


def _look_up(
    connection: Connection, event_id: int, keys: Sequence[bytes]
) -> tuple[dict[bytes, _Known], set[bytes]]:
    """The counted game of each key, in any event, and the keys that this event repeats."""
    columns = (
        GAME.c.game_key,
        GAME.c.id,
        GAME.c.event_id,
        GAME.c.pairing,
        GAME.c.pair,
        GAME.c.game,
    )
    counted: dict[bytes, _Known] = {}
    own: set[bytes] = set()
    for some in _parts(keys):
        query = select(*columns).where(
            GAME.c.game_key.in_(some), GAME.c.game_key.is_not(None), GAME.c.repeats_id.is_(None)
        )
        found: dict[bytes, _Known] = {}
        for key, game_id, event, pairing, pair, number in connection.execute(query):
            found[key or b""] = game_id, event, pairing, pair, number
        counted |= found
        others = {known[0]: key for key, known in found.items() if known[1] != event_id}
        if others:
            repeating = select(GAME.c.repeats_id).where(
                GAME.c.repeats_id.in_(list(others)), _is_of(event_id)
            )
            own |= {others[first or 0] for first in connection.execute(repeating).scalars()}
    return counted, own
