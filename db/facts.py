"""Games in groups, with sums over each: two players, one event, the lines of books.

Everything is added up by the database: no game is read. What counts is told by :mod:`db.chosen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    Subquery,
    and_,
    case,
    column,
    func,
    select,
    values,
)
from sqlalchemy.orm import InstrumentedAttribute, aliased

from db.chosen import Chosen, among, chosen_games, chosen_pairs
from db.errors import DatabaseCorrupt
from db.events import event_limits, limits_in_order
from db.models import Book, EndReason, EventPlayer, Game, Opening, Pairing, Provenance, Variant
from db.records import EventCounts, MeetingCounts, MeetingOpening, OpeningCounts

_LENGTH_STEP = 40
"""Plies."""
_READ_IN_ORDER = 8
"""Games read one after the other in the time in which one is looked up."""


def players_called(text: str) -> Select[*tuple[Any, ...]]:
    """Event, position and key of the variant of the players of that label or identity."""
    players = (
        select(EventPlayer.event_id, EventPlayer.position)
        .where(EventPlayer.label == text)
        .union(
            select(EventPlayer.event_id, EventPlayer.position)
            .join(Variant, Variant.id == EventPlayer.variant_id)
            .where(Variant.identity == text)
        )
        .subquery()
    )
    return select(EventPlayer.event_id, EventPlayer.position, EventPlayer.variant_id).join(
        players,
        and_(
            players.c.event_id == EventPlayer.event_id, players.c.position == EventPlayer.position
        ),
    )


Limits = tuple[str, str]
"""The limits of the first and of the second player, as keys of :mod:`db.limits`."""


def meeting_counts(
    connection: Connection, first: str, second: str, chosen: Chosen
) -> list[MeetingCounts]:
    """Counted games of two players in groups, from the view of the first."""
    limits = event_limits(connection)
    meets = _meets(connection, first, second, limits, None)
    if meets is None:
        return []
    names = limits_in_order(limits)
    games = chosen_games(
        connection,
        chosen,
        *(Game.plies, Game.end_reason_id, Game.opening_id, Game.start_fen),
        *(Game.white_nodes, Game.black_nodes, Game.white_cpu_us, Game.black_cpu_us),
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
    one, two = aliased(Variant), aliased(Variant)
    query = (
        select(
            groups,
            one.identity.label("first_id"),
            two.identity.label("second_id"),
            Provenance.backend,
            Provenance.signature,
            EndReason.name.label("end_reason"),
        )
        .join(one, one.id == groups.c.own_variant)
        .join(two, two.id == groups.c.other_variant)
        .join(Provenance, Provenance.id == groups.c.provenance_id)
        .join(EndReason, EndReason.id == groups.c.end_reason_id)
    )
    return [_meeting(row, names) for row in connection.execute(query)]


def meeting_openings(
    connection: Connection, first: str, second: str, chosen: Chosen, limits: Limits | None
) -> list[MeetingOpening]:
    """The same games by opening, in the order of books and lines; those without a book last.
    ``limits``: only games in which the two had these; None: whatever they had."""
    meets = _meets(connection, first, second, event_limits(connection), limits)
    if meets is None:
        return []
    games = chosen_games(connection, chosen, Game.opening_id, Game.start_fen)
    # Of a game from a book the line says where it starts.
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
        select(Book.name, Opening.line, groups.c.start_fen, groups.c.n2, groups.c.n1, groups.c.n0)
        .select_from(groups)
        .outerjoin(Opening, Opening.id == groups.c.opening_id)
        .outerjoin(Book, Book.id == Opening.book_id)
        .order_by(Book.name.is_(None), Book.name, Book.id, Opening.line, groups.c.start_fen)
    )
    return [
        MeetingOpening(book, line, start_fen, int(wins), int(draws), int(losses))
        for book, line, start_fen, wins, draws, losses in connection.execute(query)
    ]


def meeting_pairs(
    connection: Connection, first: str, second: str, chosen: Chosen, limits: Limits | None
) -> tuple[int, ...]:
    """Counted whole pairs of the same players by half points of the first one; ``limits`` as in
    :func:`meeting_openings`."""
    meets = _meets(connection, first, second, event_limits(connection), limits)
    if meets is None:
        return (0,) * 5
    pairs = chosen_pairs(connection, chosen)
    total = pairs.c.score1 + pairs.c.score2
    points = case((Pairing.first_player == meets.c.own, total), else_=4 - total).label("points")
    query = (
        select(points, func.count())
        .select_from(meets)
        .join(
            Pairing,
            and_(Pairing.event_id == meets.c.event_id, Pairing.pairing == meets.c.pairing),
        )
        .join(pairs, _is_of(pairs, meets))
        .group_by(points)
    )
    table = [0] * 5
    for place, number in connection.execute(query):
        table[place] += number
    return tuple(table)


def event_counts(connection: Connection, event_id: int) -> list[EventCounts]:
    """Games of one event by player, colour, points and end reason, repetitions included: each game
    once for White and once for Black. Raises DatabaseCorrupt where a player or reason is missing.
    """
    labels = select(EventPlayer.position, EventPlayer.label).where(EventPlayer.event_id == event_id)
    label = {position: text for position, text in connection.execute(labels)}
    reasons = connection.execute(select(EndReason.id, EndReason.name))
    reason = {key: name for key, name in reasons}
    inside = _is_of_event(connection, event_id)
    width = max(reason, default=0) + 1
    white_plies = _white_plies(Game.__table__)
    white = _side_counts(
        (3 * Game.white_player + Game.white_score) * width + Game.end_reason_id,
        *(white_plies, Game.white_nodes, Game.white_cpu_us),
    )
    black = _side_counts(
        (3 * Game.black_player + 2 - Game.white_score) * width + Game.end_reason_id,
        *(Game.plies - white_plies, Game.black_nodes, Game.black_cpu_us),
    )
    rows = [
        (is_white, row)
        for is_white, query in ((True, white), (False, black))
        for row in connection.execute(query.where(inside))
    ]
    for _, row in rows:
        if row.key // width // 3 not in label:
            raise DatabaseCorrupt("the database is damaged (a game refers to missing players)")
        if row.key % width not in reason:
            raise DatabaseCorrupt("the database is damaged (a game has an unknown end reason)")
    return [
        EventCounts(
            player=label[row.key // width // 3],
            is_white=is_white,
            points=row.key // width % 3,
            end_reason=reason[row.key % width],
            games=row.games,
            repeats=row.repeats,
            least_plies=row.least_plies,
            most_plies=row.most_plies,
            plies=int(row.plies),
            own_plies=int(row.own_plies),
            nodes=int(row.nodes),
            cpu_us=int(row.cpu_us),
        )
        for is_white, row in rows
    ]


def opening_counts(connection: Connection, chosen: Chosen) -> list[OpeningCounts]:
    """Counted games and whole pairs by line, in the order of books and lines."""
    games = chosen_games(connection, chosen, Game.opening_id)
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
        select(Book.identity, Book.name, Opening.line, Opening.label, *list(groups.c)[1:])
        .select_from(groups)
        .join(Opening, Opening.id == groups.c.opening_id)
        .join(Book, Book.id == Opening.book_id)
        .order_by(Book.name, Book.id, Opening.line)
    )
    return [
        OpeningCounts(book_id, book, line, label, *(int(number) for number in numbers))
        for book_id, book, line, label, *numbers in connection.execute(query)
    ]


def _meets(
    connection: Connection,
    first: str,
    second: str,
    limits: Mapping[int, str],
    wanted: Limits | None,
) -> CTE | None:
    """Pairings in which the two meet: place, position of each, keys of their variants, numbers of
    their limits in the order of all. They are looked for once and written out, so that a question
    starts from them. ``limits``: by event; ``wanted``: only pairings with these. None: there is
    none."""
    others: dict[int, list[tuple[int, int]]] = {}
    for event_id, position, variant_id in connection.execute(players_called(second)):
        others.setdefault(event_id, []).append((position, variant_id))
    number = {limit: at for at, limit in enumerate(limits_in_order(limits))}
    # A pairing's first player is the one of the lower position.
    known = {
        (event_id, min(own, other), max(own, other)): (
            *(own, other, own_variant, other_variant),
            *(number[limits[event_id]], number[limits[event_id]]),
        )
        for event_id, own, own_variant in connection.execute(players_called(first))
        for other, other_variant in others.get(event_id, [])
        if wanted is None or wanted == (limits[event_id], limits[event_id])
    }
    # Read in the order of the table; no index holds the players.
    at = (Pairing.event_id, Pairing.pairing, Pairing.first_player, Pairing.second_player)
    query = select(*at).where(
        among(Pairing.first_player, sorted({low for _, low, _ in known})),
        among(Pairing.second_player, sorted({high for _, _, high in known})),
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


def _is_of_event(connection: Connection, event_id: int) -> ColumnElement[bool]:
    """That a game is of the event. Where most games between its first and its last are of it, in a
    manner that lets the database read them in their order: it would look up each one in an index,
    which takes eight times as long."""
    query = select(func.min(Game.id), func.max(Game.id), func.count())
    first, last, games = connection.execute(query.where(Game.event_id == event_id)).one()
    if not games or last - first > _READ_IN_ORDER * games:
        return Game.event_id == event_id
    # No index holds a sum.
    return and_(Game.id.between(first, last), Game.event_id + 0 == event_id)


def _side_counts(
    key: ColumnElement[int],
    own_plies: ColumnElement[int],
    nodes: InstrumentedAttribute[int],
    cpu_us: InstrumentedAttribute[int],
) -> Select[*tuple[Any, ...]]:
    """Games by a key, which is one number, because sorting by several columns takes longer."""
    own = key.label("key")
    return (
        select(
            own,
            func.count().label("games"),
            func.count(Game.repeats_id).label("repeats"),
            func.min(Game.plies).label("least_plies"),
            func.max(Game.plies).label("most_plies"),
            func.sum(Game.plies).label("plies"),
            func.sum(case((nodes > 0, own_plies), else_=0)).label("own_plies"),
            func.sum(nodes).label("nodes"),
            func.sum(cpu_us).label("cpu_us"),
        )
        .group_by(own)
        .order_by(own)
    )


def _sums(games: Any) -> list[ColumnElement[Any]]:
    """What the searches cost, and the plies of each side whose cost is known, added up."""
    names = ("white_nodes", "black_nodes", "white_cpu_us", "black_cpu_us")
    white = _white_plies(games)
    plies = {"white": white, "black": games.c.plies - white}
    return [
        *(func.sum(games.c[name]).label(name) for name in names),
        *(
            func.sum(case((games.c[f"{side}_nodes"] > 0, own), else_=0)).label(f"{side}_plies")
            for side, own in plies.items()
        ),
    ]


def _white_plies(games: Any) -> ColumnElement[int]:
    """Moves of White in one game; Black moves first where the game or its opening says so."""
    black_to_move = select(Opening.id).where(Opening.fen.like("% b %"))
    white_too = case(
        (and_(games.c.start_fen.is_(None), games.c.opening_id.is_(None)), 1),  # most imported ones
        (games.c.start_fen.like("% b %"), 0),
        (and_(games.c.start_fen.is_(None), games.c.opening_id.in_(black_to_move)), 0),
        else_=1,
    )
    white_plies: ColumnElement[int] = (games.c.plies + white_too) // 2
    return white_plies


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
