"""Which games and pairs count in a choice of games: of games with the same key only the first.

``repeats_id`` answers that for the whole database. If only some games are chosen, a game that
repeats one outside the choice may be the first of its key within the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Subquery,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
    union_all,
)

from db.queries.events import players_called
from db.records.games import GameChoice
from db.schema.declared import EVENT_PLAYER, GAME, PAIR, PAIRING, PROVENANCE
from db.times import milliseconds_of

ChoiceLike = GameChoice | Sequence[int] | None
"""A choice, or ids of events; None: all games."""

_PLACE = (GAME.c.event_id, GAME.c.pairing, GAME.c.pair, GAME.c.game)
_COLUMNS = (
    *_PLACE,
    *(GAME.c.white_player, GAME.c.black_player, GAME.c.white_score, GAME.c.provenance_id),
)


def as_choice(chosen: ChoiceLike) -> GameChoice:
    """The choice that these arguments describe."""
    if isinstance(chosen, GameChoice):
        return chosen
    return GameChoice(event_ids=None if chosen is None else tuple(chosen))


def among(column: ColumnElement[int], numbers: Sequence[int]) -> ColumnElement[bool]:
    """Condition: the column has one of these numbers."""
    # Written out, because a statement takes fewer parameters than a database may have events.
    return column.in_(bindparam(None, list(numbers), expanding=True, literal_execute=True))


def of_pairings(choice: GameChoice, rows: FromClause) -> list[ColumnElement[bool]]:
    """Condition: these games or pairs belong to the events and players of the choice."""
    event_id = rows.c.event_id
    conditions: list[ColumnElement[bool]] = []
    if choice.event_ids is not None:
        conditions.append(among(event_id, choice.event_ids))
    if choice.without_events:
        conditions.append(~among(event_id, choice.without_events))
    if choice.engines is not None or choice.without_players:
        players = _players_of(choice)
        both = (
            tuple_(PAIRING.c.event_id, player).in_(players)
            for player in (PAIRING.c.first_player, PAIRING.c.second_player)
        )
        pairings = select(PAIRING.c.event_id, PAIRING.c.pairing).where(*both)
        conditions.append(tuple_(event_id, rows.c.pairing).in_(pairings))
    return conditions


def _players_of(choice: GameChoice) -> Select[int, int]:
    """Event and position of the players between whom the games of the choice are."""
    called = EVENT_PLAYER if choice.engines is None else players_called(choice.engines).subquery()
    players = select(called.c.event_id, called.c.position)
    if choice.without_players:
        left_out: BindParameter[Any] = bindparam(
            None, list(choice.without_players), expanding=True, literal_execute=True
        )
        players = players.where(tuple_(called.c.event_id, called.c.position).not_in(left_out))
    return players


def is_chosen(chosen: ChoiceLike, game: FromClause = GAME) -> ColumnElement[bool]:
    """Condition: a game is in the choice, whether it counts or not. Raises RecordError for a text
    that is not a moment."""
    choice = as_choice(chosen)
    conditions = [true(), *of_pairings(choice, game)]
    if choice.since is not None:
        conditions.append(game.c.started_ms >= milliseconds_of(choice.since))
    if choice.until is not None:
        conditions.append(game.c.started_ms < milliseconds_of(choice.until))
    if choice.core is not None:
        backend, signature = choice.core
        keys = select(PROVENANCE.c.id).where(
            PROVENANCE.c.backend == backend, PROVENANCE.c.signature == signature
        )
        conditions.append(game.c.provenance_id.in_(keys))
    for event_id, number in choice.pairs_below:
        conditions.append(or_(game.c.event_id != event_id, game.c.pair < number))
    return and_(*conditions)


def chosen_games(connection: Connection, chosen: ChoiceLike, *more: ColumnElement[Any]) -> Subquery:
    """Counted games of the choice: their place, players, White's half points, provenance key, and
    more columns."""
    columns = (*_COLUMNS, *more)
    first = select(*columns).where(GAME.c.repeats_id.is_(None))
    if as_choice(chosen) == GameChoice():
        return first.subquery()
    first = first.where(is_chosen(chosen))
    if not has_stand_ins(connection, chosen):
        return first.subquery()
    ranked = _stand_ins(chosen, *more).subquery()
    stand_ins = select(*(ranked.c[str(column.key)] for column in columns)).where(ranked.c.age == 1)
    return union_all(first, stand_ins).subquery()


def chosen_pairs(connection: Connection, chosen: ChoiceLike) -> Subquery:
    """Pairs of which both games count: pairing, colours, both scores."""
    choice = as_choice(chosen)
    place = (PAIR.c.event_id, PAIR.c.pairing, PAIR.c.pair)
    query = select(*place, PAIR.c.first_is_white, PAIR.c.score1, PAIR.c.score2)
    everything = choice == GameChoice()
    if choice.of_whole_pairings and (everything or not has_stand_ins(connection, choice)):
        return query.where(
            PAIR.c.counted, PAIR.c.score2.is_not(None), *of_pairings(choice, PAIR)
        ).subquery()
    games = chosen_games(connection, choice)
    counted = (games.c.event_id, games.c.pairing, games.c.pair)
    whole = select(*counted).group_by(*counted).having(func.count() == 2)
    return query.where(tuple_(*place).in_(whole)).subquery()


def count_repetitions(connection: Connection, chosen: ChoiceLike = None) -> int:
    """Number of games in the choice that repeat another of them and do not count."""
    query = select(func.count()).select_from(GAME).where(GAME.c.repeats_id.is_not(None))
    if as_choice(chosen) == GameChoice():
        return connection.execute(query).scalar_one()
    repeating = connection.execute(query.where(is_chosen(chosen))).scalar_one()
    if not repeating or not has_stand_ins(connection, chosen):
        return repeating
    ranked = _stand_ins(chosen).subquery()
    standing = select(func.count()).select_from(ranked).where(ranked.c.age == 1)
    return repeating - connection.execute(standing).scalar_one()


def _outside(chosen: ChoiceLike, *more: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    """Games of the choice that repeat a game outside it."""
    original = GAME.alias()
    return (
        select(*_COLUMNS, *more)
        .join(original, original.c.id == GAME.c.repeats_id)
        .where(GAME.c.repeats_id.is_not(None), is_chosen(chosen), ~is_chosen(chosen, original))
    )


def has_stand_ins(connection: Connection, chosen: ChoiceLike) -> bool:
    """Whether a game of the choice counts although it repeats a game outside it."""
    # The index of repetitions shows at once if there are no repetitions at all.
    repeating = select(GAME.c.id).where(GAME.c.repeats_id.is_not(None)).limit(1)
    if connection.execute(repeating).first() is None:
        return False
    # No column of its own, so that an index alone answers for whole events.
    query = _outside(chosen).with_only_columns(literal(1), maintain_column_froms=True).limit(1)
    return connection.execute(query).first() is not None


def _stand_ins(chosen: ChoiceLike, *more: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    """Those games with their ``age`` among the games of their key; the first one counts."""
    age = func.row_number().over(partition_by=GAME.c.repeats_id, order_by=_PLACE)
    return _outside(chosen, *more).add_columns(age.label("age"))
