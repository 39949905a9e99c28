"""Counts for statistics, made by the database: no game is read.

Of the chosen games of one key only the first counts, see :mod:`db.chosen`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import add
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.chosen import (
    Chosen,
    among,
    as_choice,
    chosen_games,
    chosen_pairs,
    has_stand_ins,
    is_chosen,
)
from db.models import EndReason, EventPlayer, Game, Pair, Pairing, Provenance, Variant
from db.records import (
    Core,
    GameChoice,
    JointCounts,
    PairCounts,
    PairingScore,
    ScoreCounts,
)

Pentanomial = tuple[int, int, int, int, int]

# Where the nine counts by half points (first game, second game) of the pairing's first player stand
# in those by result, 0 White won to 2 Black won.
_FIRST_IS_WHITE = [3 * (2 - i) + j for i in range(3) for j in range(3)]
_FIRST_IS_BLACK = [3 * i + 2 - j for i in range(3) for j in range(3)]
_PAIRINGS = select(Pairing.event_id, Pairing.pairing, Pairing.first_player, Pairing.second_player)
# An outer join, so that the planner starts from the pairs.
_GAMES_OF_PAIRS = (
    select(Game.event_id, Game.white_player, Game.black_player, Game.white_score)
    .select_from(Pair)
    .outerjoin(
        Game,
        and_(
            Game.event_id == Pair.event_id,
            Game.pairing == Pair.pairing,
            Game.pair == Pair.pair,
        ),
    )
    .where(Game.repeats_id.is_(None))
)
_FEW_PAIRS = 50_000
"""Pairs whose games may be looked up one by one in less time than all games are counted."""
_Number = ColumnElement[int] | InstrumentedAttribute[int]


def score_counts(connection: Connection, chosen: Chosen) -> list[ScoreCounts]:
    """Counted games by who had which colour, in the order of identities."""
    by_core = core_scores(connection, chosen)
    if len(by_core) == 1:
        (rows,) = by_core.values()
        return rows
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for rows in by_core.values():
        for white, black, wins, draws, losses in rows:
            had = sums.get((white, black), (0, 0, 0))
            sums[white, black] = (had[0] + wins, had[1] + draws, had[2] + losses)
    return [ScoreCounts(*key, *table) for key, table in sorted(sums.items())]


def core_scores(connection: Connection, chosen: Chosen) -> dict[Core, list[ScoreCounts]]:
    """Counted games by backend and signature of what played them, then by who had which colour,
    in the order of identities."""
    games = chosen_games(connection, chosen)
    columns = [
        games.c[name]
        for name in ("event_id", "pairing", "white_player", "black_player", "provenance_id")
    ]
    # Groups in the order of an index; a million games may have a hundred thousand of them, and
    # players are looked up here in less time than joins take.
    query = select(
        *columns,
        *(func.sum(case((games.c.white_score == score, 1), else_=0)) for score in (2, 1, 0)),
    ).group_by(*columns)
    players = _players(connection)
    cores: dict[int, Core] = {
        key: (backend, signature)
        for key, backend, signature in connection.execute(
            select(Provenance.id, Provenance.backend, Provenance.signature)
        )
    }
    found: dict[Core, dict[tuple[str, str], tuple[int, int, int]]] = {}
    for event, _, white, black, core, wins, draws, losses in _rows(connection, query):
        sums = found.setdefault(cores[core], {})
        key = (players[event, white], players[event, black])
        had = sums.get(key, (0, 0, 0))
        sums[key] = (had[0] + wins, had[1] + draws, had[2] + losses)
    return {
        core: [ScoreCounts(*key, *sums) for key, sums in sorted(found[core].items())]
        for core in sorted(found)
    }


def games_and_pairs(
    connection: Connection, chosen: Chosen
) -> tuple[dict[Core, list[ScoreCounts]], list[JointCounts]]:
    """:func:`core_scores` and :func:`joint_counts`. Where one core played everything, the games of
    whole pairs are counted by their pairs, and only the others are looked at one by one."""
    joint = joint_counts(connection, chosen)
    core = _only_core(connection)
    choice = as_choice(chosen)
    by_event = choice == GameChoice(event_ids=choice.event_ids)
    if core is None or not by_event or has_stand_ins(connection, choice):
        return core_scores(connection, choice), joint
    alone = [or_(Pair.counted.is_(False), Pair.score2.is_(None))]
    if choice.event_ids is not None:
        alone.append(among(Pair.event_id, choice.event_ids))
    rest = connection.execute(select(func.count()).select_from(Pair).where(*alone)).scalar_one()
    if rest > _FEW_PAIRS:
        return core_scores(connection, choice), joint
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}

    def take(white: str, black: str, wins: int, draws: int, losses: int) -> None:
        had = sums.get((white, black))
        if had is not None:
            wins, draws, losses = had[0] + wins, had[1] + draws, had[2] + losses
        sums[white, black] = (wins, draws, losses)

    for first, second, (ww, wd, wl, dw, dd, dl, lw, ld, ll) in joint:
        take(first, second, ww + wd + wl, dw + dd + dl, lw + ld + ll)
        take(second, first, ww + dw + lw, wd + dd + ld, wl + dl + ll)
    if rest:
        players = _players(connection)
        for event, white, black, score in connection.execute(_GAMES_OF_PAIRS.where(*alone)):
            take(
                *(players[event, white], players[event, black]),
                *(int(score == points) for points in (2, 1, 0)),
            )
    rows = [ScoreCounts(*key, *counts) for key, counts in sorted(sums.items())]
    return {core: rows} if rows else {}, joint


def player_games(connection: Connection) -> dict[str, int]:
    """Counted games of each variant by its identity; one against itself is one game."""
    place = (Game.event_id, Game.pairing)
    query = select(*place, func.count()).where(Game.repeats_id.is_(None)).group_by(*place)
    pairings = _pairings(connection)
    found: dict[str, int] = {}
    for event, pairing, number in _rows(connection, query):
        for player in set(pairings[event, pairing]):
            found[player] = found.get(player, 0) + number
    return found


def joint_counts(connection: Connection, chosen: Chosen) -> list[JointCounts]:
    """Counted pairs by who had White in the first game, in the order of identities."""
    pairs = chosen_pairs(connection, chosen)
    columns = (pairs.c.event_id, pairs.c.pairing, pairs.c.first_is_white)
    both = [
        func.sum(case((and_(pairs.c.score1 == one, pairs.c.score2 == two), 1), else_=0))
        for one in range(3)
        for two in range(3)
    ]
    pairings = _pairings(connection)
    sums: dict[tuple[str, str], tuple[int, ...]] = {}
    query = select(*columns, *both).group_by(*columns)
    for event, pairing, first_is_white, *numbers in _rows(connection, query):
        # Scores are half points of the pairing's first player, who has one colour in each game.
        first, second = pairings[event, pairing]
        key = (first, second) if first_is_white else (second, first)
        order = _FIRST_IS_WHITE if first_is_white else _FIRST_IS_BLACK
        had = sums.get(key)
        joint = tuple([numbers[place] for place in order])
        sums[key] = joint if had is None else tuple(map(add, had, joint))
    return [JointCounts(*key, table) for key, table in sorted(sums.items())]


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


def _rows(connection: Connection, query: Select[*tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query with many, fetched by thousands, which is quicker than one by one."""
    for part in connection.execute(query).partitions(5000):
        rows: Sequence[Any] = part
        yield from rows


def _only_core(connection: Connection) -> Core | None:
    """What played every game of the database; None where that is more than one."""
    query = select(Provenance.backend, Provenance.signature).distinct().limit(2)
    cores = [(backend, signature) for backend, signature in connection.execute(query)]
    return cores[0] if len(cores) == 1 else None


def _players(connection: Connection) -> dict[tuple[int, int], str]:
    """Identities by event and position."""
    query = select(EventPlayer.event_id, EventPlayer.position, Variant.identity).join(
        Variant, Variant.id == EventPlayer.variant_id
    )
    return {(event, position): identity for event, position, identity in connection.execute(query)}


def _pairings(connection: Connection) -> dict[tuple[int, int], tuple[str, str]]:
    """Identities of first and second player by event and pairing."""
    players = _players(connection)
    return {
        (event, pairing): (players[event, first], players[event, second])
        for event, pairing, first, second in _rows(connection, _PAIRINGS)
    }


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
