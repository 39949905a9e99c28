"""Counts for statistics, made by the database: no game is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    Label,
    Subquery,
    and_,
    bindparam,
    case,
    func,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.models import EndReason, EventPlayer, Game, Pair, Pairing, Variant
from db.records import PairCounts, PairingScore, ScoreCounts

EventIds = Sequence[int] | None
"""Ids of the events to look at; None: all."""

_Number = ColumnElement[int] | InstrumentedAttribute[int]

Pentanomial = tuple[int, int, int, int, int]


def score_counts(connection: Connection, event_ids: EventIds) -> list[ScoreCounts]:
    """Counted games by who had which colour, in the order of identities."""
    games = _games_by_score(event_ids)
    white, black = aliased(EventPlayer), aliased(EventPlayer)
    by_variant = (
        select(
            white.variant_id.label("white"),
            black.variant_id.label("black"),
            *(
                func.sum(case((games.c.white_score == score, games.c.number), else_=0)).label(name)
                for score, name in ((2, "wins"), (1, "draws"), (0, "losses"))
            ),
        )
        .select_from(games)
        .join(white, _is_at(white, games.c.event_id, games.c.white_player))
        .join(black, _is_at(black, games.c.event_id, games.c.black_player))
        .group_by(white.variant_id, black.variant_id)
        .subquery()
    )
    white_variant, black_variant = aliased(Variant), aliased(Variant)
    query = (
        select(
            white_variant.identity,
            black_variant.identity.label("black"),
            by_variant.c.wins,
            by_variant.c.draws,
            by_variant.c.losses,
        )
        .select_from(by_variant)
        .join(white_variant, white_variant.id == by_variant.c.white)
        .join(black_variant, black_variant.id == by_variant.c.black)
        .order_by(white_variant.identity, black_variant.identity)
    )
    return [
        ScoreCounts(white_id, black_id, int(wins), int(draws), int(losses))
        for white_id, black_id, wins, draws, losses in connection.execute(query)
    ]


def pair_counts(connection: Connection, event_ids: EventIds) -> list[PairCounts]:
    """Counted whole pairs by who met, in the order of identities."""
    pairs = _pairs_by_points(event_ids)
    first, second = aliased(EventPlayer), aliased(EventPlayer)
    by_variant = (
        select(
            first.variant_id.label("first"),
            second.variant_id.label("second"),
            *_five(pairs.c.points, pairs.c.number),
        )
        .select_from(pairs)
        .join(
            Pairing,
            (Pairing.event_id == pairs.c.event_id) & (Pairing.pairing == pairs.c.pairing),
        )
        .join(first, _is_at(first, pairs.c.event_id, Pairing.first_player))
        .join(second, _is_at(second, pairs.c.event_id, Pairing.second_player))
        .group_by(first.variant_id, second.variant_id)
        .subquery()
    )
    one, two = aliased(Variant), aliased(Variant)
    query = (
        select(one.identity, two.identity, *(by_variant.c[f"n{points}"] for points in range(5)))
        .select_from(by_variant)
        .join(one, one.id == by_variant.c.first)
        .join(two, two.id == by_variant.c.second)
    )
    sums: dict[tuple[str, str], Pentanomial] = {}
    for first_id, second_id, *numbers in connection.execute(query):
        # The same two may meet in one event in one order and in another in the other.
        turned = second_id < first_id
        key = (second_id, first_id) if turned else (first_id, second_id)
        mine = _pentanomial(reversed(numbers) if turned else numbers)
        sums[key] = _pentanomial(
            a + b for a, b in zip(sums.get(key, (0, 0, 0, 0, 0)), mine, strict=True)
        )
    return [PairCounts(*key, pentanomial) for key, pentanomial in sorted(sums.items())]


def event_pair_scores(connection: Connection, event_id: int) -> list[PairingScore]:
    """How the pairings of one event stand, by pairing."""
    first, second = aliased(EventPlayer), aliased(EventPlayer)
    one, two = aliased(Variant), aliased(Variant)
    games = _event_games(event_id)
    pairs = _event_pairs(event_id)
    query = (
        select(
            Pairing.pairing,
            first.label,
            second.label.label("second"),
            one.identity,
            two.identity.label("second_id"),
            pairs.c.finished,
            games.c.wins,
            games.c.draws,
            games.c.losses,
            games.c.excluded,
            *(pairs.c[f"n{points}"] for points in range(5)),
        )
        .join(first, _is_at(first, Pairing.event_id, Pairing.first_player))
        .join(second, _is_at(second, Pairing.event_id, Pairing.second_player))
        .join(one, one.id == first.variant_id)
        .join(two, two.id == second.variant_id)
        .join(pairs, pairs.c.pairing == Pairing.pairing)
        .join(games, games.c.pairing == Pairing.pairing)
        .where(Pairing.event_id == event_id)
        .order_by(Pairing.pairing)
    )
    return [
        PairingScore(
            pairing=pairing,
            first=first_label,
            second=second_label,
            first_id=first_id,
            second_id=second_id,
            pairs=finished,
            wins=int(sums[0]),
            draws=int(sums[1]),
            losses=int(sums[2]),
            excluded=int(sums[3]),
            pentanomial=_pentanomial(sums[4:]),
        )
        for pairing, first_label, second_label, first_id, second_id, finished, *sums in (
            connection.execute(query)
        )
    ]


def end_reasons(connection: Connection, event_ids: EventIds) -> dict[str, int]:
    """Games by end reason, repetitions included, in the order of the names."""
    games = select(Game.end_reason_id, func.count().label("number"))
    if event_ids is not None:
        games = games.where(_among(Game.event_id, event_ids))
    by_key = games.group_by(Game.end_reason_id).subquery()
    query = (
        select(EndReason.name, by_key.c.number)
        .join(by_key, by_key.c.end_reason_id == EndReason.id)
        .order_by(EndReason.name)
    )
    return {name: number for name, number in connection.execute(query)}


def excluded_games(connection: Connection, event_ids: EventIds) -> int:
    """How many games repeat an earlier one and are not counted."""
    query = select(func.count()).select_from(Game).where(Game.repeats_id.is_not(None))
    if event_ids is not None:
        query = query.where(_among(Game.event_id, event_ids))
    return connection.execute(query).scalar_one()


def _games_by_score(event_ids: EventIds) -> Subquery:
    """Counted games by pairing, colours and score, from one index and in its order."""
    columns = (
        Game.event_id,
        Game.pairing,
        Game.white_player,
        Game.black_player,
        Game.white_score,
    )
    query = select(*columns, func.count().label("number")).where(Game.repeats_id.is_(None))
    if event_ids is not None:
        query = query.where(_among(Game.event_id, event_ids))
    return query.group_by(*columns).subquery()


def _pairs_by_points(event_ids: EventIds) -> Subquery:
    """Counted pairs by pairing and points."""
    columns = (Pair.event_id, Pair.pairing, Pair.points)
    query = select(*columns, func.count().label("number")).where(Pair.counted)
    if event_ids is not None:
        query = query.where(_among(Pair.event_id, event_ids))
    return query.group_by(*columns).subquery()


def _event_games(event_id: int) -> Subquery:
    """Scores of the first player of each pairing of an event."""
    own = case(
        (Game.white_player == Pairing.first_player, Game.white_score), else_=2 - Game.white_score
    )
    counted = Game.repeats_id.is_(None)
    return (
        select(
            Game.pairing,
            *(
                func.sum(case((counted & (own == score), 1), else_=0)).label(name)
                for score, name in ((2, "wins"), (1, "draws"), (0, "losses"))
            ),
            func.sum(case((counted, 0), else_=1)).label("excluded"),
        )
        .join(Pairing, (Pairing.event_id == Game.event_id) & (Pairing.pairing == Game.pairing))
        .where(Game.event_id == event_id)
        .group_by(Game.pairing)
        .subquery()
    )


def _event_pairs(event_id: int) -> Subquery:
    """Pairs of each pairing of an event: how many, and how many counted ones by points."""
    return (
        select(
            Pair.pairing,
            func.count().label("finished"),
            *_five(Pair.points, case((Pair.counted, 1), else_=0)),
        )
        .where(Pair.event_id == event_id)
        .group_by(Pair.pairing)
        .subquery()
    )


def _five(points: _Number, number: ColumnElement[int]) -> list[Label[int]]:
    """Sums of ``number`` for 0 to 4 half points, named n0 to n4."""
    return [
        func.sum(case((points == value, number), else_=0)).label(f"n{value}") for value in range(5)
    ]


def _among(column: InstrumentedAttribute[int], ids: Sequence[int]) -> ColumnElement[bool]:
    # Written out, because a statement takes fewer parameters than a database may have events.
    return column.in_(bindparam(None, list(ids), expanding=True, literal_execute=True))


def _is_at(player: type[EventPlayer], event_id: _Number, position: _Number) -> ColumnElement[bool]:
    return and_(player.event_id == event_id, player.position == position)


def _pentanomial(numbers: Iterable[int]) -> Pentanomial:
    zero, half, one, more, two = (int(number) for number in numbers)
    return zero, half, one, more, two
