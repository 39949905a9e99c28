"""Counts for statistics, made by the database: no game is read.

Of the chosen games of one key only the first counts, see :mod:`db.chosen`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.chosen import (
    Chosen,
    as_choice,
    chosen_games,
    chosen_pairs,
    is_chosen,
)
from db.models import EndReason, EventPlayer, Game, Pair, Pairing, Variant
from db.records import (
    GameChoice,
    GameColumns,
    PairColumns,
    PairCounts,
    PairingScore,
    ScoreCounts,
)

Pentanomial = tuple[int, int, int, int, int]

_Number = ColumnElement[int] | InstrumentedAttribute[int]


def score_counts(games: GameColumns) -> list[ScoreCounts]:
    """Counted games by who had which colour, in the order of identities."""
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for rows in games.by_core().values():
        for white, black, wins, draws, losses in rows:
            had = sums.get((white, black), (0, 0, 0))
            sums[white, black] = (had[0] + wins, had[1] + draws, had[2] + losses)
    return [ScoreCounts(*key, *table) for key, table in sorted(sums.items())]


def pair_counts(pairs: PairColumns) -> list[PairCounts]:
    """Counted pairs by who met, in the order of identities."""
    sums: dict[tuple[str, str], list[int]] = {}
    for counts in pairs.records():
        key = (counts.first_id, counts.second_id)
        turned = key[1] < key[0]
        table = sums.setdefault(key[::-1] if turned else key, [0] * 5)
        for place, number in enumerate(counts.joint):
            points = 2 - place // 3 + place % 3
            table[4 - points if turned else points] += number
    return [PairCounts(*key, _pentanomial(table)) for key, table in sorted(sums.items())]


def event_pair_scores(connection: Connection, event_id: int) -> list[PairingScore]:
    """How the pairings of one event stand, by pairing."""
    first, second = aliased(EventPlayer), aliased(EventPlayer)
    one, two = aliased(Variant), aliased(Variant)
    query = (
        select(
            Pairing.pairing,
            first.label,
            second.label.label("second"),
            one.identity,
            two.identity.label("second_id"),
            func.count(Pair.pair),
            func.count(Pair.score2),
        )
        .join(first, _is_at(first, Pairing.event_id, Pairing.first_player))
        .join(second, _is_at(second, Pairing.event_id, Pairing.second_player))
        .join(one, one.id == first.variant_id)
        .join(two, two.id == second.variant_id)
        .join(Pair, and_(Pair.event_id == Pairing.event_id, Pair.pairing == Pairing.pairing))
        .where(Pairing.event_id == event_id)
        .group_by(Pairing.pairing, first.label, second.label, one.identity, two.identity)
        .order_by(Pairing.pairing)
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
                pentanomial=_pentanomial(pentanomials.get(pairing, [0] * 5)),
            )
        )
    return found


def end_reasons(connection: Connection, chosen: Chosen) -> dict[str, int]:
    """Games by end reason, repetitions included, in the order of the names."""
    games = select(Game.end_reason_id, func.count().label("number"))
    if as_choice(chosen) != GameChoice():
        games = games.where(is_chosen(chosen))
    by_key = games.group_by(Game.end_reason_id).subquery()
    query = (
        select(EndReason.name, by_key.c.number)
        .join(by_key, by_key.c.end_reason_id == EndReason.id)
        .order_by(EndReason.name)
    )
    return {name: number for name, number in connection.execute(query)}


def _event_games(connection: Connection, event_id: int) -> dict[int, list[int]]:
    """Counted games by pairing and half points of its first player."""
    chosen = chosen_games(connection, [event_id])
    columns = (chosen.c.pairing, chosen.c.white_player, chosen.c.white_score)
    groups = select(*columns, func.count().label("number")).group_by(*columns).subquery()
    query = select(groups, Pairing.first_player).join(
        Pairing, and_(Pairing.event_id == event_id, Pairing.pairing == groups.c.pairing)
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


def _is_at(player: type[EventPlayer], event_id: _Number, position: _Number) -> ColumnElement[bool]:
    return and_(player.event_id == event_id, player.position == position)


def _pentanomial(numbers: Iterable[int]) -> Pentanomial:
    zero, half, one, more, two = numbers
    return zero, half, one, more, two
