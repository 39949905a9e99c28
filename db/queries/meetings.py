"""The games of two players, wherever they met: in groups, by opening, in pairs.

The database computes all sums; no game is read. Of the chosen games with the same key only the
first counts, see :mod:`db.queries.choice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Subquery,
    and_,
    case,
    column,
    func,
    select,
    values,
)

from db.limits import EventLimits
from db.queries.choice import ChoiceLike, among, chosen_games, chosen_pairs
from db.queries.counts import white_plies
from db.queries.events import event_limits, players_called
from db.queries.order import by_letters
from db.records.engines import Called
from db.records.games import MeetingCounts, MeetingOpening
from db.schema.declared import BOOK, END_REASON, GAME, OPENING, PAIRING, PROVENANCE, VARIANT

_LENGTH_STEP = 40
"""Plies."""
LimitKeys = tuple[str, str]
"""The limits of the first and of the second player, as keys of :mod:`db.limits`."""


def meeting_counts(
    connection: Connection, first: Called, second: Called, chosen: ChoiceLike = None
) -> list[MeetingCounts]:
    """Counted games of two players, each given by labels or identities, in groups."""
    limits = event_limits(connection)
    meets = _meets(connection, first, second, limits, None)
    if meets is None:
        return []
    names = limits.in_order()
    games = chosen_games(
        connection,
        chosen,
        *(GAME.c.plies, GAME.c.end_reason_id, GAME.c.opening_id, GAME.c.start_fen),
        *(GAME.c.white_nodes, GAME.c.black_nodes, GAME.c.white_cpu_us, GAME.c.black_cpu_us),
    )
    own = (
        meets.c.own_variant,
        meets.c.other_variant,
        meets.c.own_limit,
        meets.c.other_limit,
        games.c.provenance_id,
        (games.c.white_player == meets.c.own).label("first_is_white"),
        games.c.white_score,
        games.c.end_reason_id,
        (games.c.plies - games.c.plies % _LENGTH_STEP).label("length"),
    )
    groups = (
        select(*own, func.count().label("games"), *_sums(games))
        .select_from(meets)
        .join(games, _is_of(games, meets))
        .group_by(*own)
        .subquery()
    )
    one, two = VARIANT.alias(), VARIANT.alias()
    query = (
        select(
            groups,
            one.c.identity.label("first_id"),
            two.c.identity.label("second_id"),
            PROVENANCE.c.backend,
            PROVENANCE.c.signature,
            END_REASON.c.name.label("end_reason"),
        )
        .join(one, one.c.id == groups.c.own_variant)
        .join(two, two.c.id == groups.c.other_variant)
        .join(PROVENANCE, PROVENANCE.c.id == groups.c.provenance_id)
        .join(END_REASON, END_REASON.c.id == groups.c.end_reason_id)
    )
    return [_meeting(row, names) for row in connection.execute(query)]


def meeting_openings(
    connection: Connection,
    first: Called,
    second: Called,
    chosen: ChoiceLike = None,
    limits: LimitKeys | None = None,
) -> list[MeetingOpening]:
    """The same games by opening, in the order of books and lines; those without a book last.
    ``limits``: only games under these limits; None: under any."""
    meets = _meets(connection, first, second, event_limits(connection), limits)
    if meets is None:
        return []
    games = chosen_games(connection, chosen, GAME.c.opening_id, GAME.c.start_fen)
    # The line of a game from a book determines its start.
    start = case((games.c.opening_id.is_(None), games.c.start_fen)).label("start_fen")
    points = case(
        (games.c.white_player == meets.c.own, games.c.white_score), else_=2 - games.c.white_score
    )
    groups = (
        select(
            games.c.opening_id,
            start,
            *(
                func.sum(case((points == score, 1), else_=0)).label(f"n{score}")
                for score in (2, 1, 0)
            ),
        )
        .select_from(meets)
        .join(games, _is_of(games, meets))
        .group_by(games.c.opening_id, start)
        .subquery()
    )
    query = (
        select(
            BOOK.c.name, OPENING.c.line, groups.c.start_fen, groups.c.n2, groups.c.n1, groups.c.n0
        )
        .select_from(groups)
        .outerjoin(OPENING, OPENING.c.id == groups.c.opening_id)
        .outerjoin(BOOK, BOOK.c.id == OPENING.c.book_id)
        .order_by(
            *(BOOK.c.name.is_(None), by_letters(BOOK.c.name), BOOK.c.id, OPENING.c.line),
            by_letters(groups.c.start_fen),
        )
    )
    return [
        MeetingOpening(book, line, start_fen, int(wins), int(draws), int(losses))
        for book, line, start_fen, wins, draws, losses in connection.execute(query)
    ]


def meeting_pairs(
    connection: Connection,
    first: Called,
    second: Called,
    chosen: ChoiceLike = None,
    limits: LimitKeys | None = None,
) -> tuple[int, ...]:
    """Counted whole pairs of the same players: those in which the first one scored 0, ½, 1, 1½, 2
    points. ``limits`` as in :func:`meeting_openings`."""
    meets = _meets(connection, first, second, event_limits(connection), limits)
    if meets is None:
        return (0,) * 5
    pairs = chosen_pairs(connection, chosen)
    total = pairs.c.score1 + pairs.c.score2
    points = case((PAIRING.c.first_player == meets.c.own, total), else_=4 - total).label("points")
    query = (
        select(points, func.count())
        .select_from(meets)
        .join(
            PAIRING,
            and_(PAIRING.c.event_id == meets.c.event_id, PAIRING.c.pairing == meets.c.pairing),
        )
        .join(pairs, _is_of(pairs, meets))
        .group_by(points)
    )
    table = [0] * 5
    for place, number in connection.execute(query):
        table[place] += number
    return tuple(table)


def _meets(
    connection: Connection,
    first: Called,
    second: Called,
    limits: EventLimits,
    wanted: LimitKeys | None,
) -> CTE | None:
    """Pairings in which the two meet: place, position of each, keys of their variants, numbers of
    their limits in the order of all limits. They are queried once and written out, so that a query
    starts from them. ``limits``: of all players; ``wanted``: only pairings with these. None: no
    such pairing."""
    others: dict[int, list[tuple[int, int]]] = {}
    for event_id, position, variant_id in connection.execute(players_called(second)):
        others.setdefault(event_id, []).append((position, variant_id))
    number = {limit: at for at, limit in enumerate(limits.in_order())}
    # A pairing's first player is the one with the lower position.
    known = {
        (event_id, min(own, other), max(own, other)): (
            *(own, other, own_variant, other_variant),
            *(number[limits.of(event_id, own)], number[limits.of(event_id, other)]),
        )
        for event_id, own, own_variant in connection.execute(players_called(first))
        for other, other_variant in others.get(event_id, [])
        if wanted is None or wanted == (limits.of(event_id, own), limits.of(event_id, other))
    }
    # Read in the order of the table; no index contains the players.
    at = (PAIRING.c.event_id, PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player)
    query = select(*at).where(
        among(PAIRING.c.first_player, sorted({low for _, low, _ in known})),
        among(PAIRING.c.second_player, sorted({high for _, _, high in known})),
    )
    rows = [
        (event_id, pairing, *known[event_id, low, high])
        for event_id, pairing, low, high in connection.execute(query)
        if (event_id, low, high) in known
    ]
    names = ("event_id", "pairing", "own", "other", "own_variant", "other_variant")
    columns = (column(name, Integer) for name in (*names, "own_limit", "other_limit"))
    return (
        values(*columns, name="met", literal_binds=True).data(rows).cte("meets") if rows else None
    )


def _is_of(rows: Subquery, meets: CTE) -> ColumnElement[bool]:
    return and_(rows.c.event_id == meets.c.event_id, rows.c.pairing == meets.c.pairing)


def _sums(games: Any) -> list[ColumnElement[Any]]:
    """Sums of the search costs, and of the plies of each side whose cost is known."""
    names = ("white_nodes", "black_nodes", "white_cpu_us", "black_cpu_us")
    white = white_plies(games)
    plies = {"white": white, "black": games.c.plies - white}
    return [
        *(func.sum(games.c[name]).label(name) for name in names),
        *(
            func.sum(case((games.c[f"{side}_nodes"] > 0, own), else_=0)).label(f"{side}_plies")
            for side, own in plies.items()
        ),
    ]


def _meeting(row: Row[Any], limits: Sequence[str]) -> MeetingCounts:
    white = bool(row.first_is_white)
    nodes = (int(row.white_nodes), int(row.black_nodes))
    cpu = (int(row.white_cpu_us), int(row.black_cpu_us))
    plies = (int(row.white_plies), int(row.black_plies))
    return MeetingCounts(
        first_id=row.first_id,
        second_id=row.second_id,
        first_limit=limits[row.own_limit],
        second_limit=limits[row.other_limit],
        backend=row.backend,
        signature=row.signature,
        first_is_white=white,
        points=row.white_score if white else 2 - row.white_score,
        end_reason=row.end_reason,
        length=row.length,
        games=row.games,
        first_plies=plies[0] if white else plies[1],
        second_plies=plies[1] if white else plies[0],
        first_nodes=nodes[0] if white else nodes[1],
        second_nodes=nodes[1] if white else nodes[0],
        first_cpu_us=cpu[0] if white else cpu[1],
        second_cpu_us=cpu[1] if white else cpu[0],
    )
