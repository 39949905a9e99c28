"""Games of an event that two databases have: comparing them, and copying those that are missing.

Games are read in pages of whole pairs, so memory does not depend on their number. A page is one
short transaction of the target: whoever plays another event there waits for no longer. A process
that is killed leaves whole pairs, and the next one adds the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, tuple_

from db.errors import MergeConflict, damage_found
from db.queries.books import opening_keys
from db.queries.events import forget_failures
from db.queries.pairs import Known, counted_games, end_reason_key, replace_first
from db.queries.variants import provenance_key
from db.schema.declared import (
    BOOK,
    END_REASON,
    GAME,
    GAME_MOVES,
    GAME_PROBLEM,
    OPENING,
    PAIR,
    PAIRING,
    PROVENANCE,
)
from db.schema.digests import (
    GAMES,
    PROBLEMS,
    count_stored,
    findings,
    game_digest,
    played_by,
    seal,
)

_PAGE = 2000
"""Games read at a time, and stored in one transaction."""
_ASKED_AT_ONCE = 400
"""Games in one query by id; fewer than a page of digests."""
Place = tuple[int, int, int]
"""Pairing, pair and number of a game."""
_PLACE = (GAME.c.pairing, GAME.c.pair, GAME.c.game)
_FIRST = GAME.alias()
_REFERENCES = {"id", "event_id", "repeats_id", "end_reason_id", "opening_id", "provenance_id"}
_OWN = [column for column in GAME.c if column.name not in _REFERENCES | {"digest"}]
"""The columns of a game that mean the same in every database."""
_MOVES = [column for column in GAME_MOVES.c if column.name != "game_id"]
_MAKER = (
    *(PROVENANCE.c.host, PROVENANCE.c.version, PROVENANCE.c.backend, PROVENANCE.c.signature),
    PROVENANCE.c.speed,
)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game of a page: where it is, and what a comparison begins with."""

    id: int
    place: Place
    digest: bytes | None


def pages(connection: Connection, event_id: int) -> Iterator[list[StoredGame]]:
    """The games of an event in order, in pages of whole pairs."""
    query = (
        select(GAME.c.id, *_PLACE, GAME.c.digest)
        .where(GAME.c.event_id == event_id)
        .order_by(*_PLACE)
        .limit(_PAGE)
    )
    after: tuple[int, int] | None = None
    while True:
        pair = tuple_(GAME.c.pairing, GAME.c.pair)
        rows = connection.execute(query if after is None else query.where(pair > after)).all()
        games = [_stored(row) for row in rows]
        if len(games) == _PAGE:  # the last pair may go on behind the page
            last = games[-1].place[:2]
            games = [game for game in games if game.place[:2] != last]
        if games:
            yield games
            after = games[-1].place[:2]
        if len(rows) < _PAGE:
            return


def difference(
    source: Connection,
    source_name: str,
    target: Connection | None,
    target_id: int,
    page: Sequence[StoredGame],
) -> list[StoredGame]:
    """The games of a page whose pairs the target has not, in order; None: it has none. They, and
    those that differ in any way from the same game there, must be what was stored.

    Raises MergeConflict if a pair has other games there, DatabaseCorrupt for a damaged game of the
    source.
    """
    known = {} if target is None else _between(target, target_id, page)
    pairs = {place[:2] for place in known}
    missing = [game for game in page if game.place[:2] not in pairs]
    common = [game for game in page if game.place[:2] in pairs]
    other = [
        game
        for game in common
        if game.place not in known or known[game.place].digest != game.digest
    ]
    for some in _parts([game.id for game in (*missing, *other)]):
        for _, finding in findings(source, GAMES, GAME.c.id.in_(some)):
            raise damage_found(finding, source_name)
    if other and target is not None:
        here = _contents(target, [known[game.place].id for game in other if game.place in known])
        there = _contents(source, [game.id for game in other])
        for place, content in there.items():
            if here.get(place) != content:
                pairing, pair, number = place
                raise MergeConflict(
                    f"game {number} of pair {pair} of pairing {pairing} is another one here"
                )
    shared = {game.place[:2] for game in common}
    gone = known.keys() - {game.place for game in common}
    half = [place for place in gone if place[:2] in shared]
    if half:
        pairing, pair, number = min(half)
        raise MergeConflict(f"pair {pair} of pairing {pairing} has another game {number} here")
    return missing


def _stored(row: Row[int, int, int, int, bytes | None]) -> StoredGame:
    return StoredGame(row.id, (row.pairing, row.pair, row.game), row.digest)


def absent(target: Connection, target_id: int, page: Sequence[StoredGame]) -> list[StoredGame]:
    """The games of a page whose pairs the target has not, without a comparison of the others."""
    pairs = {place[:2] for place in _between(target, target_id, page)}
    return [game for game in page if game.place[:2] not in pairs]


def _between(
    connection: Connection, event_id: int, page: Sequence[StoredGame]
) -> dict[Place, StoredGame]:
    """The games of an event among the pairs of a page, and between them."""
    pair = tuple_(GAME.c.pairing, GAME.c.pair)
    query = select(GAME.c.id, *_PLACE, GAME.c.digest).where(
        GAME.c.event_id == event_id, pair >= page[0].place[:2], pair <= page[-1].place[:2]
    )
    rows = connection.execute(query)
    return {game.place: game for game in map(_stored, rows)}


def _contents(connection: Connection, ids: Sequence[int]) -> dict[Place, tuple[Any, ...]]:
    """What two copies of one game have in common, whoever played it again: not its times."""
    query = (
        select(
            *_PLACE,
            *(GAME.c.white_player, GAME.c.black_player, GAME.c.white_score),
            *(END_REASON.c.name, GAME.c.plies),
            *(BOOK.c.identity, OPENING.c.line, GAME.c.start_fen, GAME_MOVES.c.moves_version),
            GAME_MOVES.c.moves,
        )
        .outerjoin(END_REASON, END_REASON.c.id == GAME.c.end_reason_id)
        .outerjoin(OPENING, OPENING.c.id == GAME.c.opening_id)
        .outerjoin(BOOK, BOOK.c.id == OPENING.c.book_id)
        .outerjoin(GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id)
    )
    found: dict[Place, tuple[Any, ...]] = {}
    for some in _parts(ids):
        for row in connection.execute(query.where(GAME.c.id.in_(some))):
            found[row.pairing, row.pair, row.game] = tuple(row[3:])
    return found


def _parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        yield ids[start : start + _ASKED_AT_ONCE]


@dataclass(slots=True)
class _Ready:
    """A game on its way: its row in the target, without its key."""

    source_id: int
    row: dict[str, Any]
    moves: dict[str, Any] | None
    names: tuple[Any, ...]
    """The part of its digest that covers the rows it refers to."""
    known: Known | None = None
    """The game of the target that it repeats, or that repeats it."""
    twin: int | None = None
    """Of the page: the one before it with its key."""
    leads: bool = False
    """Whether it comes before the game that has counted for its key so far."""
    id: int = 0

    @property
    def place(self) -> Place:
        return self.row["pairing"], self.row["pair"], self.row["game"]

    @property
    def players(self) -> tuple[int, int]:
        """Positions of White and Black."""
        return self.row["white_player"], self.row["black_player"]

    @property
    def repeats(self) -> bool:
        return (self.known is not None and not self.leads) or self.twin is not None


class GameCopier:
    """Copies games of one event. Throw it away if a transaction fails."""

    def __init__(
        self,
        source: Connection,
        event_ids: dict[int, int],
        source_id: int,
        target_id: int,
        keys: tuple[str, str],
    ) -> None:
        """``event_ids``: events of the source that the target has, with their ids there. ``keys``:
        of the event, in the source and in the target."""
        self._source = source
        self._event_ids = event_ids
        self._source_id = source_id
        self._event_id = target_id
        self._same_key = keys[0] == keys[1]
        self._key = keys[1]
        self._end_reasons: dict[str, int] = {}
        self._provenances: dict[tuple[str, str, str, str, int], int] = {}
        self._openings: dict[tuple[str, int], int] = {}
        self._pairings: dict[int, tuple[int, int]] | None = None
        """The players of each pairing that the target has."""

    def copy(self, target: Connection, games: Sequence[StoredGame]) -> int:
        """Store games that the target has not, in the order of their places, whole pairs; returns
        how many of them repeat others."""
        if not games:
            return 0
        rows = self._read(games)
        self._find_openings(target, rows)
        ready = [self._ready(target, row) for row in rows]
        self._find_repetitions(target, ready, rows)
        self._add_pairs(target, ready)
        for some in ([g for g in ready if not _waits(g)], [g for g in ready if _waits(g)]):
            self._add_games(target, some, ready)
        for game in ready:
            if game.leads and game.known is not None:
                replace_first(target, game.id, game.known)
        self._add_problems(target, {game.source_id: game.id for game in ready})
        return sum(game.repeats for game in ready)

    def _read(self, games: Sequence[StoredGame]) -> list[Row[Any]]:
        """The games with all that they refer to, in order."""
        found: list[Row[Any]] = []
        for some in _parts([game.id for game in games]):
            found += self._source.execute(_WHOLE.where(GAME.c.id.in_(some)))
        return sorted(found, key=lambda row: (row.pairing, row.pair, row.game))

    def _find_openings(self, target: Connection, rows: Sequence[Row[Any]]) -> None:
        wanted: dict[str, set[int]] = {}
        for row in rows:
            if row.book is not None and (row.book, row.line) not in self._openings:
                wanted.setdefault(row.book, set()).add(row.line)
        for book, lines in wanted.items():
            found = opening_keys(target, book, lines)
            self._openings |= {place: key for place, (key, _) in found.items()}

    def _ready(self, target: Connection, row: Row[Any]) -> _Ready:
        fields = row._mapping
        maker = (row.host, row.version, row.backend, row.signature, row.speed)
        if row.reason not in self._end_reasons:
            self._end_reasons[row.reason] = end_reason_key(target, row.reason)
        if maker not in self._provenances:
            self._provenances[maker] = provenance_key(target, *maker)
        own = {column.name: fields[column.name] for column in _OWN} | {
            "event_id": self._event_id,
            "repeats_id": None,
            "end_reason_id": self._end_reasons[row.reason],
            "opening_id": None if row.book is None else self._openings[row.book, row.line],
            "provenance_id": self._provenances[maker],
            "digest": row.digest if self._same_key and row.repeats_id is None else None,
        }
        moves = None
        if row.moves is not None:
            moves = {column.name: fields[column.name] for column in _MOVES}
        names = (self._key, row.reason, row.book, row.line, *played_by(*maker))
        return _Ready(row.id, own, moves, names)

    def _find_repetitions(
        self, target: Connection, ready: Sequence[_Ready], rows: Sequence[Row[Any]]
    ) -> None:
        """Decide which games repeat others: of all games of a key, the first by event and place
        counts. A copy of a game that has not its key repeats what it repeats in the source."""
        keys = {game.row["game_key"] for game in ready} - {None}
        counted = counted_games(target, keys)
        firsts: dict[bytes, int] = {}
        for number, (game, row) in enumerate(zip(ready, rows, strict=True)):
            key = game.row["game_key"]
            game.known = self._copied(target, row)
            if game.known is not None or key is None:
                continue
            known = counted.get(key)
            if known is not None:
                game.known = known
                game.leads = key not in firsts and (self._event_id, *game.place) < known[1:]
                firsts.setdefault(key, number)
            elif key in firsts:
                game.twin = firsts[key]
            else:
                firsts[key] = number

    def _copied(self, target: Connection, row: Row[Any]) -> Known | None:
        """The game of which this is a copy under another key, where the target has it."""
        if row.repeats_id is None or row.first_key == row.game_key:
            return None
        event_id = self._event_ids.get(row.first_event)
        if event_id is None:
            return None
        query = select(GAME.c.id, GAME.c.repeats_id, GAME.c.event_id, *_PLACE).where(
            GAME.c.event_id == event_id,
            *(GAME.c.pairing == row.first_pairing, GAME.c.pair == row.first_pair),
            GAME.c.game == row.first_game,
        )
        found = target.execute(query).one_or_none()
        return None if found is None else (found.repeats_id or found.id, *found[2:])

    def _add_pairs(self, target: Connection, ready: Sequence[_Ready]) -> None:
        self._add_pairings(target, ready)
        rows = []
        for place, games in groupby(ready, key=lambda game: game.place[:2]):
            first, *second = games
            leader = min(first.players)
            rows.append(
                {
                    "event_id": self._event_id,
                    "pairing": place[0],
                    "pair": place[1],
                    "first_is_white": first.players[0] == leader,
                    "score1": _score(first, leader),
                    "score2": _score(second[0], leader) if second else None,
                    "counted": not any(game.repeats for game in (first, *second)),
                }
            )
        forget_failures(target, [(self._event_id, row["pairing"], row["pair"]) for row in rows])
        target.execute(insert(PAIR), rows)

    def _add_pairings(self, target: Connection, ready: Sequence[_Ready]) -> None:
        """Store those that are new. Raises MergeConflict if others play one here."""
        if self._pairings is None:
            query = select(PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player)
            rows = target.execute(query.where(PAIRING.c.event_id == self._event_id))
            self._pairings = {row[0]: (row[1], row[2]) for row in rows}
        new = []
        for game in ready:
            pairing, wanted = game.place[0], (min(game.players), max(game.players))
            if pairing not in self._pairings:
                new.append((pairing, *wanted))
            if self._pairings.setdefault(pairing, wanted) != wanted:
                raise MergeConflict(f"pairing {pairing} has other players here")
        if new:
            names = ("pairing", "first_player", "second_player")
            own = {"event_id": self._event_id}
            target.execute(
                insert(PAIRING), [own | dict(zip(names, row, strict=True)) for row in new]
            )

    def _add_games(
        self, target: Connection, some: Sequence[_Ready], ready: Sequence[_Ready]
    ) -> None:
        """Store games; those that repeat others after these."""
        if not some:
            return
        for game in some:
            if game.known is not None:
                game.row |= {"repeats_id": game.known[0], "digest": None}
            elif game.twin is not None:
                game.row |= {"repeats_id": ready[game.twin].id, "digest": None}
            elif game.row["digest"] is None:
                game.row["digest"] = game_digest(game.names, game.row, game.moves)
        ids = target.execute(_ADD, [game.row for game in some]).scalars().all()
        for game, key in zip(some, ids, strict=True):
            game.id = key
        moves = [{"game_id": game.id, **game.moves} for game in some if game.moves is not None]
        if moves:
            target.execute(insert(GAME_MOVES), moves)
        count_stored(target, GAMES, self._event_id, sum(not _waits(game) for game in some))
        for part in _parts([game.id for game in some if _waits(game)]):
            seal(target, GAMES, GAME.c.id.in_(part))

    def _add_problems(self, target: Connection, ids: dict[int, int]) -> None:
        own = GAME_PROBLEM.c.event_id == self._source_id
        for some in _parts(list(ids)):
            query = select(GAME_PROBLEM).where(own, GAME_PROBLEM.c.game_id.in_(some))
            rows = [
                {
                    **row._mapping,
                    "event_id": self._event_id,
                    "game_id": ids[row.game_id],
                    "digest": None,
                }
                for row in self._source.execute(query)
            ]
            if rows:
                target.execute(insert(GAME_PROBLEM), rows)
                games = GAME_PROBLEM.c.game_id.in_({row["game_id"] for row in rows})
                seal(target, PROBLEMS, GAME_PROBLEM.c.event_id == self._event_id, games)


def _waits(game: _Ready) -> bool:
    """Whether a game refers to another, and is stored after those that do not."""
    return game.known is not None or game.twin is not None


def _score(game: _Ready, leader: int) -> int:
    """Half points of the pairing's first player."""
    white: int = game.row["white_score"]
    return white if game.row["white_player"] == leader else 2 - white


def _whole() -> Select[Any]:
    return (
        select(
            *_OWN,
            *(GAME.c.id, GAME.c.repeats_id, GAME.c.digest),
            END_REASON.c.name.label("reason"),
            BOOK.c.identity.label("book"),
            OPENING.c.line.label("line"),
            *_MAKER,
            *_MOVES,
            _FIRST.c.event_id.label("first_event"),
            _FIRST.c.pairing.label("first_pairing"),
            _FIRST.c.pair.label("first_pair"),
            _FIRST.c.game.label("first_game"),
            _FIRST.c.game_key.label("first_key"),
        )
        .select_from(GAME)
        .outerjoin(END_REASON, END_REASON.c.id == GAME.c.end_reason_id)
        .outerjoin(OPENING, OPENING.c.id == GAME.c.opening_id)
        .outerjoin(BOOK, BOOK.c.id == OPENING.c.book_id)
        .outerjoin(PROVENANCE, PROVENANCE.c.id == GAME.c.provenance_id)
        .outerjoin(GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id)
        .outerjoin(_FIRST, _FIRST.c.id == GAME.c.repeats_id)
    )


_WHOLE = _whole()
_ADD = insert(GAME).returning(GAME.c.id, sort_by_parameter_order=True)
