"""Which games and pairs count in a choice of events: of the games of one key only the first.

``repeats_id`` answers that for the whole database. Where only some events are chosen, a game that
repeats one outside of them may be the first of its key among the chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    bindparam,
    func,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.models import Game, Pair

EventIds = Sequence[int] | None
"""Ids of the chosen events; None: all."""

_PLACE = (Game.event_id, Game.pairing, Game.pair, Game.game)
_COLUMNS = (*_PLACE, Game.white_player, Game.black_player, Game.white_score)


def among(column: InstrumentedAttribute[int], event_ids: Sequence[int]) -> ColumnElement[bool]:
    """That the column holds one of these ids."""
    # Written out, because a statement takes fewer parameters than a database may have events.
    return column.in_(bindparam(None, list(event_ids), expanding=True, literal_execute=True))


def chosen_games(connection: Connection, event_ids: EventIds) -> Subquery:
    """Counted games of these events: where they stand, who played, White's half points."""
    first = select(*_COLUMNS).where(Game.repeats_id.is_(None))
    if event_ids is None:
        return first.subquery()
    first = first.where(among(Game.event_id, event_ids))
    if not _has_stand_ins(connection, event_ids):
        return first.subquery()
    ranked = _stand_ins(event_ids).subquery()
    stand_ins = select(*(ranked.c[column.key] for column in _COLUMNS)).where(ranked.c.age == 1)
    return union_all(first, stand_ins).subquery()


def chosen_pairs(connection: Connection, event_ids: EventIds) -> Subquery:
    """Pairs of these events both of whose games count: pairing, colours, both scores."""
    query = select(Pair.event_id, Pair.pairing, Pair.first_is_white, Pair.score1, Pair.score2)
    if event_ids is None or not _has_stand_ins(connection, event_ids):
        query = query.where(Pair.counted)
        if event_ids is not None:
            query = query.where(among(Pair.event_id, event_ids))
        return query.subquery()
    games = chosen_games(connection, event_ids)
    place = (games.c.event_id, games.c.pairing, games.c.pair)
    whole = select(*place).group_by(*place).having(func.count() == 2)
    return query.where(tuple_(Pair.event_id, Pair.pairing, Pair.pair).in_(whole)).subquery()


def count_repetitions(connection: Connection, event_ids: EventIds) -> int:
    """How many games of these events repeat another of them, and do not count."""
    query = select(func.count()).select_from(Game).where(Game.repeats_id.is_not(None))
    if event_ids is None:
        return connection.execute(query).scalar_one()
    repeating = connection.execute(query.where(among(Game.event_id, event_ids))).scalar_one()
    if not repeating or not _has_stand_ins(connection, event_ids):
        return repeating
    ranked = _stand_ins(event_ids).subquery()
    standing = select(func.count()).select_from(ranked).where(ranked.c.age == 1)
    return repeating - connection.execute(standing).scalar_one()


def _outside(event_ids: Sequence[int]) -> Select[*tuple[int, ...]]:
    """Games of these events that repeat one of another event."""
    original = aliased(Game)
    return (
        select(*_COLUMNS)
        .join(original, original.id == Game.repeats_id)
        .where(
            Game.repeats_id.is_not(None),
            among(Game.event_id, event_ids),
            ~among(original.event_id, event_ids),
        )
    )


def _has_stand_ins(connection: Connection, event_ids: Sequence[int]) -> bool:
    return connection.execute(_outside(event_ids).limit(1)).first() is not None


def _stand_ins(event_ids: Sequence[int]) -> Select[*tuple[int, ...]]:
    """Those games with their ``age`` among the ones of their key: the first stands in for it."""
    age = func.row_number().over(partition_by=Game.repeats_id, order_by=_PLACE)
    return _outside(event_ids).add_columns(age.label("age"))
