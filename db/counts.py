"""Counts for statistics, made by the database: no game is read.

Of the chosen games of one key only the first counts, see :mod:`db.chosen`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, and_, case, func, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.chosen import Chosen, as_choice, chosen_games, chosen_pairs, is_chosen
from db.models import EndReason, EventPlayer, Game, Pair, Pairing, Provenance, Variant
from db.records import (
    CoreScores,
    GameChoice,
    JointCounts,
    PairCounts,
    PairingScore,
    ScoreCounts,
)

Pentanomial = tuple[int, int, int, int, int]

_Number = ColumnElement[int] | InstrumentedAttribute[int]


def score_counts(connection: Connection, chosen: Chosen) -> list[ScoreCounts]:
    """Counted games by who had which colour, in the order of identities."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in core_scores(connection, chosen):
        scores = row.scores
        table = sums.setdefault((scores.white_id, scores.black_id), [0, 0, 0])
        for place, number in enumerate((scores.white_wins, scores.draws, scores.black_wins)):
            table[place] += number
    return [ScoreCounts(*key, *table) for key, table in sorted(sums.items())]


def core_scores(connection: Connection, chosen: Chosen) -> list[CoreScores]:
    """Counted games by who had which colour and by what played them, in the order of identities,
    backends and signatures."""
    games = chosen_games(connection, chosen)
    columns = [
        games.c[name]
        for name in (
            *("event_id", "pairing", "white_player", "black_player", "white_score"),
            "provenance_id",
        )
    ]
    # In the order of an index; players are looked up for the groups only.
    groups = select(*columns, func.count().label("number")).group_by(*columns).subquery()
    white, black = aliased(EventPlayer), aliased(EventPlayer)
    own = (
        white.variant_id.label("white"),
        black.variant_id.label("black"),
        groups.c.provenance_id,
        groups.c.white_score,
    )
    query = (
        select(*own, func.sum(groups.c.number))
        .select_from(groups)
        .join(white, _is_at(white, groups.c.event_id, groups.c.white_player))
        .join(black, _is_at(black, groups.c.event_id, groups.c.black_player))
        .group_by(*own)
    )
    identities = _identities(connection)
    cores = {
        key: (backend, signature)
        for key, backend, signature in connection.execute(
            select(Provenance.id, Provenance.backend, Provenance.signature)
        )
    }
    sums: dict[tuple[str, str, str, str], list[int]] = {}
    for white_key, black_key, core, score, number in connection.execute(query):
        key = (identities[white_key], identities[black_key], *cores[core])
        sums.setdefault(key, [0, 0, 0])[2 - score] += int(number)
    return [
        CoreScores(ScoreCounts(white_id, black_id, *table), backend, signature)
        for (white_id, black_id, backend, signature), table in sorted(sums.items())
    ]


def joint_counts(connection: Connection, chosen: Chosen) -> list[JointCounts]:
    """Counted pairs by who had White in the first game, in the order of identities."""
    whole = chosen_pairs(connection, chosen)
    columns = [
        whole.c[name] for name in ("event_id", "pairing", "first_is_white", "score1", "score2")
    ]
    pairs = select(*columns, func.count().label("number")).group_by(*columns).subquery()
    white = case((pairs.c.first_is_white, Pairing.first_player), else_=Pairing.second_player)
    black = case((pairs.c.first_is_white, Pairing.second_player), else_=Pairing.first_player)
    one, two = aliased(EventPlayer), aliased(EventPlayer)
    own = (one.variant_id, two.variant_id, pairs.c.first_is_white, pairs.c.score1, pairs.c.score2)
    by_variant = (
        select(*own, func.sum(pairs.c.number).label("number"))
        .select_from(pairs)
        .join(
            Pairing, and_(Pairing.event_id == pairs.c.event_id, Pairing.pairing == pairs.c.pairing)
        )
        .join(one, _is_at(one, pairs.c.event_id, white))
        .join(two, _is_at(two, pairs.c.event_id, black))
        .group_by(*own)
    )
    identities = _identities(connection)
    sums: dict[tuple[str, str], list[int]] = {}
    for first, second, turned_not, score1, score2, number in connection.execute(by_variant):
        # Scores are half points of the pairing's first player, who has one colour in each game.
        i, j = (2 - score1, score2) if turned_not else (score1, 2 - score2)
        table = sums.setdefault((identities[first], identities[second]), [0] * 9)
        table[3 * i + j] += int(number)
    return [JointCounts(*key, tuple(table)) for key, table in sorted(sums.items())]


def pair_counts(connection: Connection, chosen: Chosen) -> list[PairCounts]:
    """Counted pairs by who met, in the order of identities."""
    sums: dict[tuple[str, str], list[int]] = {}
    for counts in joint_counts(connection, chosen):
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
    for pairing, label, other, first_id, second_id, pairs in connection.execute(query):
        losses, draws, wins = games.get(pairing, [0, 0, 0])
        found.append(
            PairingScore(
                pairing=pairing,
                first=label,
                second=other,
                first_id=first_id,
                second_id=second_id,
                pairs=pairs,
                wins=wins,
                draws=draws,
                losses=losses,
                excluded=2 * pairs - wins - draws - losses,
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


def _identities(connection: Connection) -> dict[int, str]:
    """Identities of the variants by their keys."""
    return {key: name for key, name in connection.execute(select(Variant.id, Variant.identity))}


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
