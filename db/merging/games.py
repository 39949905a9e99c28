"""Copying games of an event, in pages of whole pairs. A page is one short transaction of the
target, so that other writers do not wait long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select, tuple_

from db.merging.shared import as_stored, parts
from db.queries.events import forget_failures
from db.queries.pairs import counted_games, recount_pairs, replace_first
from db.schema.declared import EVENT, GAME, GAME_MOVES, GAME_PROBLEM, PAIR, PAIRING

_PAGE = 2000
"""Games stored in one transaction."""
Place = tuple[int, int]
"""Pairing and pair."""
_PLACE = (GAME.c.pairing, GAME.c.pair, GAME.c.game)
_ADD = insert(GAME).returning(GAME.c.id, sort_by_parameter_order=True)


def stored_pairs(connection: Connection, event_id: int) -> Iterator[tuple[Place, list[Any]]]:
    """The pairs of an event in order, with what must be equal in two copies of each game."""
    query = (
        select(
            *(*_PLACE, GAME.c.white_player, GAME.c.black_player, GAME.c.white_score),
            *(GAME.c.plies, GAME_MOVES.c.moves),
        )
        .outerjoin(GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id)
        .where(GAME.c.event_id == event_id)
        .order_by(*_PLACE)
    )
    rows = connection.execution_options(yield_per=_PAGE).execute(query)
    for place, games in groupby(rows, key=lambda row: (row.pairing, row.pair)):
        yield place, [tuple(game) for game in games]


def missing_pages(
    source: Connection, source_id: int, target: Connection, target_id: int
) -> list[list[Place]]:
    """The pairs missing from the target, in pages."""
    query = select(PAIR.c.pairing, PAIR.c.pair).order_by(PAIR.c.pairing, PAIR.c.pair)
    there, here = (
        [(row.pairing, row.pair) for row in connection.execute(query.where(PAIR.c.event_id == own))]
        for connection, own in ((source, source_id), (target, target_id))
    )
    known = set(here)
    new = [place for place in there if place not in known]
    return [new[at : at + _PAGE // 2] for at in range(0, len(new), _PAGE // 2)]


def copy_pairs(
    source: Connection, source_id: int, target: Connection, event_id: int, places: Sequence[Place]
) -> tuple[int, int]:
    """Store pairs missing from the target, with their games; returns the number of games, and how
    many of them repeat others."""
    _copy_pairings(source, source_id, target, event_id, {pairing for pairing, _ in places})
    forget_failures(target, [(event_id, *place) for place in places])
    pairs = _of(source, PAIR, source_id, places)
    _add(target, PAIR, as_stored(source, target, PAIR, pairs, event_id=event_id))
    games = _of(source, GAME, source_id, places)
    rows = as_stored(source, target, GAME, games, event_id=event_id, repeats_id=None)
    ids = _add_games(target, rows, _copied(source, target, [game.id for game in games]))
    new_ids = {game.id: key for game, key in zip(games, ids, strict=True)}
    for table in (GAME_MOVES, GAME_PROBLEM):
        _copy_parts(source, target, table, event_id, new_ids)
    repeats = sum(row["repeats_id"] is not None for row in rows)
    _let_first_count(target, event_id, rows, ids)
    recount_pairs(target, [(event_id, *place) for place in places])
    return len(rows), repeats


def _of(source: Connection, table: Table, event_id: int, places: Sequence[Place]) -> list[Row[Any]]:
    """The rows of a table for these pairs, in their order."""
    pair, wanted = tuple_(table.c.pairing, table.c.pair), set(places)
    here = (table.c.event_id == event_id, pair >= places[0], pair <= places[-1])
    rows = source.execute(select(table).where(*here).order_by(*_PLACE if table is GAME else ()))
    return [row for row in rows if (row.pairing, row.pair) in wanted]


def _copy_pairings(
    source: Connection, source_id: int, target: Connection, event_id: int, numbers: set[int]
) -> None:
    known = select(PAIRING.c.pairing).where(PAIRING.c.event_id == event_id)
    new = numbers - set(target.execute(known).scalars())
    rows = source.execute(select(PAIRING).where(PAIRING.c.event_id == source_id)).all()
    some = [row for row in rows if row.pairing in new]
    _add(target, PAIRING, as_stored(source, target, PAIRING, some, event_id=event_id))


def _copy_parts(
    source: Connection, target: Connection, table: Table, event_id: int, ids: dict[int, int]
) -> None:
    """Copy rows that belong to games. ``ids``: new keys of games by their keys in the source."""
    own = {"event_id": event_id} if "event_id" in table.c else {}
    for some in parts(ids):
        rows = source.execute(select(table).where(table.c.game_id.in_(some))).all()
        stored = as_stored(source, target, table, rows, **own)
        _add(target, table, [row | {"game_id": ids[row["game_id"]]} for row in stored])


def _copied(source: Connection, target: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Games that are copies of others with another game key, such as imports of timed games: the
    index among ``ids``, and the key of the original in the target."""
    first, event = GAME.alias(), EVENT.alias()
    query = (
        select(GAME.c.id, event.c.uid, first.c.pairing, first.c.pair, first.c.game)
        .join(first, first.c.id == GAME.c.repeats_id)
        .join(event, event.c.id == first.c.event_id)
        .where(first.c.game_key.is_distinct_from(GAME.c.game_key))
    )
    at, found = {key: number for number, key in enumerate(ids)}, {}
    for some in parts(ids):
        for key, uid, *place in source.execute(query.where(GAME.c.id.in_(some))):
            own = select(EVENT.c.id).where(EVENT.c.uid == uid).scalar_subquery()
            at_place = [column == value for column, value in zip(_PLACE, place, strict=True)]
            original = select(GAME.c.id, GAME.c.repeats_id).where(GAME.c.event_id == own, *at_place)
            row = target.execute(original).one_or_none()
            if row is not None:
                found[at[key]] = row.repeats_id or row.id
    return found


def _add_games(
    target: Connection, rows: Sequence[dict[str, Any]], copied: dict[int, int]
) -> list[int]:
    """Store games; returns their keys. Of new games with the same game key, the first counts for
    now."""
    keys = {row["game_key"] for row in rows} - {None}
    known = set(counted_games(target, keys))
    first, others = [], []
    for number, row in enumerate(rows):
        key = row["game_key"]
        if number in copied or key in known:
            others.append(number)
        else:
            first.append(number)
            known |= {key} - {None}
    ids: dict[int, int] = {}
    for some in (first, others):
        counted = counted_games(target, keys) if some is others else {}
        for number in some if some is others else ():
            key = rows[number]["game_key"]
            rows[number]["repeats_id"] = copied.get(number) or counted[key][0]
        if some:
            added = target.execute(_ADD, [rows[number] for number in some]).scalars()
            ids |= dict(zip(some, added, strict=True))
    return [ids[number] for number in range(len(rows))]


def _let_first_count(
    target: Connection, event_id: int, rows: Sequence[dict[str, Any]], ids: Sequence[int]
) -> None:
    """Let a new game count if it precedes the game of the same key that counted so far."""
    repeating = {row["game_key"] for row in rows if row["repeats_id"] is not None} - {None}
    counted = counted_games(target, repeating)
    for row, key in zip(rows, ids, strict=True):
        known = counted.get(row["game_key"])
        place = (event_id, row["pairing"], row["pair"], row["game"])
        if known is not None and known[0] == row["repeats_id"] and place < known[1:]:
            replace_first(target, key, known)
            counted[row["game_key"]] = (key, *place)


def _add(target: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        target.execute(insert(table), rows)
