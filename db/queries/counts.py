"""Counts of the pairings of an event, and of games by end reason and by opening.

The database computes all sums; no game is read. Of the chosen games with the same key only the
first counts, see :mod:`db.queries.choice`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from db.queries.choice import ChoiceLike, as_choice, chosen_games, chosen_pairs, is_chosen
from db.queries.events import stands_at
from db.queries.order import by_letters
from db.records.events import PairingScore
from db.records.games import GameChoice
from db.records.openings import OpeningCounts
from db.schema.declared import BOOK, END_REASON, EVENT_PLAYER, GAME, OPENING, PAIR, PAIRING, VARIANT


def event_pair_scores(connection: Connection, event_id: int) -> list[PairingScore]:
    """The standings of an event's pairings, in order, without those that have no finished pair."""
    first, second = EVENT_PLAYER.alias(), EVENT_PLAYER.alias()
    one, two = VARIANT.alias(), VARIANT.alias()
    query = (
        select(
            PAIRING.c.pairing,
            first.c.label,
            second.c.label.label("second"),
            one.c.identity,
            two.c.identity.label("second_id"),
            func.count(PAIR.c.pair),
            func.count(PAIR.c.score2),
        )
        .join(first, stands_at(first, PAIRING.c.event_id, PAIRING.c.first_player))
        .join(second, stands_at(second, PAIRING.c.event_id, PAIRING.c.second_player))
        .join(one, one.c.id == first.c.variant_id)
        .join(two, two.c.id == second.c.variant_id)
        .join(
            PAIR, and_(PAIR.c.event_id == PAIRING.c.event_id, PAIR.c.pairing == PAIRING.c.pairing)
        )
        .where(PAIRING.c.event_id == event_id)
        .group_by(PAIRING.c.pairing, first.c.label, second.c.label, one.c.identity, two.c.identity)
        .order_by(PAIRING.c.pairing)
    )
    games = _event_games(connection, event_id)
    pentanomials = _event_pentanomials(connection, event_id)
    found = []
    for pairing, label, other, first_id, second_id, pairs, whole in connection.execute(query):
        losses, draws, wins = games.get(pairing, [0, 0, 0])
        found.append(
            PairingScore(
                pairing=pairing,
                first=label,
                second=other,
                first_id=first_id,
                second_id=second_id,
                pairs=whole,
                games=pairs + whole,
                wins=wins,
                draws=draws,
                losses=losses,
                excluded=pairs + whole - wins - draws - losses,
                pentanomial=tuple(pentanomials.get(pairing, [0] * 5)),
            )
        )
    return found


def end_reasons(connection: Connection, chosen: ChoiceLike = None) -> dict[str, int]:
    """Games by end reason, repetitions included, in the order of the names."""
    games = select(GAME.c.end_reason_id, func.count().label("number"))
    if as_choice(chosen) != GameChoice():
        games = games.where(is_chosen(chosen))
    by_key = games.group_by(GAME.c.end_reason_id).subquery()
    query = (
        select(END_REASON.c.name, by_key.c.number)
        .join(by_key, by_key.c.end_reason_id == END_REASON.c.id)
        .order_by(by_letters(END_REASON.c.name))
    )
    return {name: number for name, number in connection.execute(query)}


def opening_counts(connection: Connection, chosen: ChoiceLike = None) -> list[OpeningCounts]:
    """Counted games and whole pairs by line of a book, in the order of books and lines; games
    without a book are omitted."""
    # Imports have no openings. The table shows that sooner than the index by which pairs are read.
    with_opening = select(GAME.c.id).where(GAME.c.opening_id.is_not(None)).limit(1)
    if connection.execute(with_opening).first() is None:
        return []
    games = chosen_games(connection, chosen, GAME.c.opening_id)
    place = (games.c.event_id, games.c.pairing, games.c.pair)
    # A pair has one opening; both results of it are one row here.
    pairs = (
        select(
            func.min(games.c.opening_id).label("opening_id"),
            func.count().label("number"),
            func.sum(case((games.c.white_score == 2, 1), else_=0)).label("white"),
            func.sum(case((games.c.white_score == 1, 1), else_=0)).label("draws"),
        )
        .where(games.c.opening_id.is_not(None))
        .group_by(*place)
        .subquery()
    )
    black = pairs.c.number - pairs.c.white - pairs.c.draws
    whole = pairs.c.number == 2
    decided = and_(whole, pairs.c.draws == 0, pairs.c.white != 1)
    groups = (
        select(
            pairs.c.opening_id,
            func.sum(pairs.c.white).label("white"),
            func.sum(pairs.c.draws).label("draws"),
            func.sum(black).label("black"),
            func.sum(case((whole, 1), else_=0)).label("pairs"),
            func.sum(case((decided, 1), else_=0)).label("same"),
        )
        .group_by(pairs.c.opening_id)
        .subquery()
    )
    query = (
        select(BOOK.c.identity, BOOK.c.name, OPENING.c.line, OPENING.c.label, *list(groups.c)[1:])
        .select_from(groups)
        .join(OPENING, OPENING.c.id == groups.c.opening_id)
        .join(BOOK, BOOK.c.id == OPENING.c.book_id)
        .order_by(by_letters(BOOK.c.name), BOOK.c.id, OPENING.c.line)
    )
    return [
        OpeningCounts(book_id, book, line, label, *(int(number) for number in numbers))
        for book_id, book, line, label, *numbers in connection.execute(query)
    ]


def _event_games(connection: Connection, event_id: int) -> dict[int, list[int]]:
    """Counted games by pairing and half points of its first player."""
    chosen = chosen_games(connection, [event_id])
    columns = (chosen.c.pairing, chosen.c.white_player, chosen.c.white_score)
    groups = select(*columns, func.count().label("number")).group_by(*columns).subquery()
    query = select(groups, PAIRING.c.first_player).join(
        PAIRING, and_(PAIRING.c.event_id == event_id, PAIRING.c.pairing == groups.c.pairing)
    )
    found: dict[int, list[int]] = {}
    for pairing, white, score, number, first in connection.execute(query):
        points = score if white == first else 2 - score
        found.setdefault(pairing, [0, 0, 0])[points] += number
    return found


def _event_pentanomials(connection: Connection, event_id: int) -> dict[int, list[int]]:
    """Counted pairs by pairing and half points of its first player."""
    chosen = chosen_pairs(connection, [event_id])
    points = (chosen.c.score1 + chosen.c.score2).label("points")
    query = select(chosen.c.pairing, points, func.count()).group_by(chosen.c.pairing, points)
    found: dict[int, list[int]] = {}
    for pairing, place, number in connection.execute(query):
        found.setdefault(pairing, [0] * 5)[place] += number
    return found


def white_moves_first(games: Any) -> ColumnElement[int]:
    """Whether White moves first, 1 or 0; Black does if the game or its opening says so."""
    black_to_move = select(OPENING.c.id).where(OPENING.c.fen.like("% b %"))
    return case(
        (and_(games.c.start_fen.is_(None), games.c.opening_id.is_(None)), 1),  # most imported ones
        (games.c.start_fen.like("% b %"), 0),
        (and_(games.c.start_fen.is_(None), games.c.opening_id.in_(black_to_move)), 0),
        else_=1,
    )


def white_plies(games: Any) -> ColumnElement[int]:
    """Moves of White in one game."""
    moves: ColumnElement[int] = (games.c.plies + white_moves_first(games)) // 2
    return moves
