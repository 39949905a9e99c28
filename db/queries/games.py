"""Reading games: one by one, in pages, with any filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    true,
    tuple_,
)

from db.errors import RecordError
from db.queries.choice import among, is_chosen
from db.queries.events import players_called, stands_at
from db.records.engines import Called
from db.records.games import WHITE_SCORES, GameFilter, GameRecord, GameResult, Origin, Result
from db.records.openings import CHESS_START
from db.records.runs import PlayingTime
from db.schema.declared import (
    BOOK,
    END_REASON,
    EVENT_PLAYER,
    GAME,
    GAME_MOVES,
    OPENING,
    PAIRING,
    PROVENANCE,
    VARIANT,
)
from db.storage.engine import Store
from db.times import optional_text_of

_RESULTS: dict[int, Result] = {2: "1-0", 1: "1/2-1/2", 0: "0-1"}
_OWN_SCORES = {"win": 2, "draw": 1, "loss": 0}
_PAGE = 500
"""Games read at a time, some hundred kilobytes."""

_NEWEST = 10_000
"""Ids among which the latest games of an event are looked for."""
_ORDER = (GAME.c.event_id, GAME.c.pairing, GAME.c.pair, GAME.c.game)


def _game_query() -> Select[*tuple[Any, ...]]:
    """Everything stored about a game. Outer joins keep the planner from starting with another table
    than ``games`` and sorting what an index returns in order."""
    white, black = EVENT_PLAYER.alias(), EVENT_PLAYER.alias()
    white_variant, black_variant = VARIANT.alias(), VARIANT.alias()
    return (
        select(
            GAME,
            white.c.label.label("white"),
            black.c.label.label("black"),
            white_variant.c.identity.label("white_id"),
            black_variant.c.identity.label("black_id"),
            BOOK.c.identity.label("book_id"),
            OPENING.c.line,
            func.coalesce(GAME.c.start_fen, OPENING.c.fen, CHESS_START).label("fen"),
            END_REASON.c.name.label("end_reason"),
            PROVENANCE.c.host,
            PROVENANCE.c.version,
            PROVENANCE.c.backend,
            PROVENANCE.c.signature,
            PROVENANCE.c.speed,
            PROVENANCE.c.time_factor,
            GAME_MOVES.c.moves_version,
            GAME_MOVES.c.moves,
            GAME_MOVES.c.search_version,
            GAME_MOVES.c.search_data,
        )
        .outerjoin(white, stands_at(white, GAME.c.event_id, GAME.c.white_player))
        .outerjoin(black, stands_at(black, GAME.c.event_id, GAME.c.black_player))
        .outerjoin(white_variant, white_variant.c.id == white.c.variant_id)
        .outerjoin(black_variant, black_variant.c.id == black.c.variant_id)
        .outerjoin(OPENING, OPENING.c.id == GAME.c.opening_id)
        .outerjoin(BOOK, BOOK.c.id == OPENING.c.book_id)
        .outerjoin(END_REASON, END_REASON.c.id == GAME.c.end_reason_id)
        .outerjoin(PROVENANCE, PROVENANCE.c.id == GAME.c.provenance_id)
        .outerjoin(GAME_MOVES, GAME_MOVES.c.game_id == GAME.c.id)
        .order_by(*_ORDER)
    )


_GAMES = _game_query()
_PAIR = _GAMES.where(
    GAME.c.event_id == bindparam("event"),
    GAME.c.pairing == bindparam("in_pairing"),
    GAME.c.pair == bindparam("number"),
)


def pair_games(connection: Connection, event_id: int, pairing: int, pair: int) -> list[GameRecord]:
    """The two games of a pair, or an empty list."""
    place = {"event": event_id, "in_pairing": pairing, "number": pair}
    return [_record(row) for row in connection.execute(_PAIR, place)]


def games_of_ids(connection: Connection, ids: Sequence[int]) -> list[GameRecord]:
    """The games with these ids by event, pairing, pair and game."""
    return [_record(row) for row in connection.execute(_GAMES.where(GAME.c.id.in_(ids)))]


def game_lines(connection: Connection, game_id: int) -> bytes:
    """What engines printed of the moves of a stored game, encoded; empty for nothing."""
    query = select(GAME_MOVES.c.lines).where(GAME_MOVES.c.game_id == game_id)
    return connection.execute(query).scalar() or b""


def iterate_games(store: Store, wanted: GameFilter) -> Iterator[GameRecord]:
    """Matching games by event, pairing, pair, game. They are read in pages, to save memory and
    keep transactions short; a game stored meanwhile may appear. Raises RecordError at once for an
    inconsistent filter."""
    _check(wanted)
    return _read_pages(store, wanted)


def _read_pages(store: Store, wanted: GameFilter) -> Iterator[GameRecord]:
    left = wanted.limit
    for conditions, order in _segments(store, wanted):
        place: tuple[int, ...] | None = None
        more = True
        while more:
            size = _PAGE if left is None else min(_PAGE, left)
            if size <= 0:
                return
            query = _GAMES.where(*conditions).limit(size)
            if place is not None:
                query = query.where(tuple_(*order) > tuple_(*place))
            with store.read() as connection:
                page = [_record(row) for row in connection.execute(query)]
            yield from page
            left = None if left is None else left - len(page)
            more = len(page) == size
            if more:
                place = _place(page[-1])[-len(order) :]


def count_games(connection: Connection, wanted: GameFilter | None = None) -> int:
    """The number of matching games, regardless of the filter's ``limit``."""
    wanted = wanted or GameFilter()
    _check(wanted)
    query = select(func.count()).select_from(GAME).where(*_conditions(wanted))
    return connection.execute(query).scalar_one()


def games_page(
    connection: Connection, wanted: GameFilter, skip: int, most: int
) -> tuple[int, list[GameRecord]]:
    """The number of matching games, regardless of the filter's ``limit``, and a page of at most
    ``most`` of them by event, pairing, pair and game, after the first ``skip``. Only these are read
    completely. Raises RecordError."""
    ids = select(GAME.c.id).where(*_conditions(wanted)).order_by(*_ORDER).limit(most).offset(skip)
    found = list(connection.execute(ids).scalars())
    return count_games(connection, wanted), games_of_ids(connection, found)


def _conditions(wanted: GameFilter) -> list[ColumnElement[bool]]:
    """All conditions, on the table of games alone."""
    plain = _plain_conditions(wanted)
    score = _own_score(wanted)
    if wanted.engine is None:
        return [*plain, _score_is(score)]
    engine = _places(wanted.engine)
    opponent = None if wanted.opponent is None else _places(wanted.opponent)

    def side(own: Any, other: Any, score: int | None) -> ColumnElement[bool]:
        conditions = [tuple_(GAME.c.event_id, own).in_(engine), _score_is(score)]
        if opponent is not None:
            conditions.append(tuple_(GAME.c.event_id, other).in_(opponent))
        return and_(*conditions)

    turned = None if score is None else 2 - score
    sides = {
        "white": side(GAME.c.white_player, GAME.c.black_player, score),
        "black": side(GAME.c.black_player, GAME.c.white_player, turned),
    }
    events = select(engine.selected_columns.event_id)
    return [*plain, GAME.c.event_id.in_(events), _of_colour(wanted, sides)]


def newest_game(connection: Connection, without_events: Sequence[int] = ()) -> int | None:
    """The id of the last stored game outside these events."""
    chosen = select(func.max(GAME.c.id)).where(GAME.c.event_id.not_in(without_events))
    newest: int | None = connection.execute(chosen).scalar_one()
    return newest


def game_results(
    connection: Connection, event_id: int, after: tuple[int, int, int] | None, most: int
) -> list[GameResult]:
    """The results of an event's games by pairing, pair and game, without their moves: at most
    ``most``, ``after`` a place in this order."""
    order = _ORDER[1:]
    query = (
        select(*order, GAME.c.white_score, GAME.c.game_key)
        .where(GAME.c.event_id == event_id)
        .order_by(*order)
        .limit(most)
    )
    if after is not None:
        query = query.where(tuple_(*order) > tuple_(*after))
    return [
        GameResult(pairing, pair, game, _RESULTS[score], None if key is None else key.hex())
        for pairing, pair, game, score, key in connection.execute(query)
    ]


def latest_times(connection: Connection, event_id: int, most: int) -> list[PlayingTime]:
    """When the latest games of an event were played, the newest last, without unknown times. Only
    the newest games of the database are read, so the cost does not grow with the event."""
    newest = select(func.max(GAME.c.id)).scalar_subquery()
    query = (
        select(GAME.c.started_ms, GAME.c.ended_ms, GAME.c.jobs)
        # No index contains a sum: the games are read from the end.
        .where(GAME.c.event_id + 0 == event_id, GAME.c.id > newest - _NEWEST)
        .order_by(GAME.c.id.desc())
        .limit(most)
    )
    rows = connection.execute(query).all()
    return [
        PlayingTime(started, ended, jobs)
        for started, ended, jobs in reversed(rows)
        if started is not None and ended is not None
    ]


def event_origins(connection: Connection, event_id: int) -> list[Origin]:
    """Where the games of an event were played, and by what."""
    fields = PROVENANCE.c.host, PROVENANCE.c.version, PROVENANCE.c.backend, PROVENANCE.c.signature
    query = (
        select(*fields, PROVENANCE.c.speed, func.count())
        .join(GAME, GAME.c.provenance_id == PROVENANCE.c.id)
        .where(GAME.c.event_id == event_id)
        .group_by(PROVENANCE.c.id)
        .order_by(PROVENANCE.c.id)
    )
    return [Origin(*row) for row in connection.execute(query)]


def last_jobs(connection: Connection, event_id: int) -> int | None:
    """The number of workers that played when the newest game began; None without games."""
    query = (
        select(GAME.c.jobs).where(GAME.c.event_id == event_id).order_by(GAME.c.id.desc()).limit(1)
    )
    return connection.execute(query).scalar()


def games_above_load(
    connection: Connection, event_id: int, load: float, host: str | None = None
) -> tuple[int, float]:
    """The number of games of an event that began at a higher load of their machine, and the highest
    load of its games; 0 without games. ``host``: only games of this machine."""
    query = select(func.count().filter(GAME.c.load > load), func.max(GAME.c.load))
    if host is not None:
        of_host = select(PROVENANCE.c.id).where(PROVENANCE.c.host == host)
        query = query.where(GAME.c.provenance_id.in_(of_host))
    count, highest = connection.execute(query.where(GAME.c.event_id == event_id)).one()
    return count, highest or 0.0


def game_ids(connection: Connection) -> list[int]:
    """The ids of all games, in order."""
    return list(connection.execute(select(GAME.c.id).order_by(GAME.c.id)).scalars())


_Segment = tuple[Sequence[ColumnElement[bool]], Sequence[ColumnElement[int]]]
"""Conditions that an index can serve, and the order of the games that meet them."""


def _segments(store: Store, wanted: GameFilter) -> Iterator[_Segment]:
    """Parts of the query, whose games in sequence are the result in order."""
    plain = _plain_conditions(wanted)
    score = _own_score(wanted)
    ids = _event_ids(wanted)
    if wanted.engine is None:
        plain.append(_score_is(score))
        if ids is None:
            yield plain, _ORDER
        for event_id in ids or ():
            yield [GAME.c.event_id == event_id, *plain], _ORDER[1:]
        return
    with store.read() as connection:
        engine = _positions(connection, wanted.engine, ids)
        opponent = None
        if wanted.opponent is not None:
            opponent = _positions(connection, wanted.opponent, ids)
    for event_id, own in sorted(engine.items()):
        if event_id in wanted.chosen.without_events:
            continue
        others = None if opponent is None else opponent.get(event_id, set())
        turned = None if score is None else 2 - score
        sides = _of_colour(
            wanted,
            {
                "white": _side(GAME.c.white_player, own, GAME.c.black_player, others, score),
                "black": _side(GAME.c.black_player, own, GAME.c.white_player, others, turned),
            },
        )
        for pairing in _pairings(store, event_id, own, others):
            here = (GAME.c.event_id == event_id, GAME.c.pairing == pairing)
            yield [*here, *plain, sides], _ORDER[2:]


def _event_ids(wanted: GameFilter) -> list[int] | None:
    """The requested events, in order; None: all."""
    ids = wanted.chosen.event_ids
    if wanted.event_id is None:
        return None if ids is None else sorted(set(ids))
    one = ids is None or wanted.event_id in ids
    return [wanted.event_id] if one else []


def _side(
    own_player: ColumnElement[int],
    own: set[int],
    other_player: ColumnElement[int],
    others: set[int] | None,
    score: int | None,
) -> ColumnElement[bool]:
    conditions = [own_player.in_(sorted(own)), _score_is(score)]
    if others is not None:
        conditions.append(other_player.in_(sorted(others)))
    return and_(*conditions)


def _of_colour(wanted: GameFilter, sides: dict[str, ColumnElement[bool]]) -> ColumnElement[bool]:
    """Condition: one of the sides that the engine may have."""
    return or_(*sides.values()) if wanted.colour is None else sides[wanted.colour]


def _pairings(store: Store, event_id: int, own: set[int], others: set[int] | None) -> list[int]:
    """Pairings of an event in which one of ``own`` meets one of ``others``, or any player."""
    one, two = PAIRING.c.first_player, PAIRING.c.second_player
    mine, theirs = sorted(own), None if others is None else sorted(others)

    def meet(player: Any, other: Any) -> ColumnElement[bool]:
        return among(player, mine) if theirs is None else among(player, mine) & among(other, theirs)

    query = select(PAIRING.c.pairing).where(
        PAIRING.c.event_id == event_id, or_(meet(one, two), meet(two, one))
    )
    with store.read() as connection:
        return list(connection.execute(query.order_by(PAIRING.c.pairing)).scalars())


def _places(texts: Called) -> Select[int, int]:
    """Event and position of these players."""
    players = players_called(texts).subquery().c
    return select(players.event_id, players.position)


def _positions(
    connection: Connection, texts: Called, event_ids: list[int] | None
) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for event, position, _ in connection.execute(players_called(texts)):
        if event_ids is None or event in event_ids:
            found.setdefault(event, set()).add(position)
    return found


def _plain_conditions(wanted: GameFilter) -> list[ColumnElement[bool]]:
    """Conditions that do not depend on a player."""
    conditions = [is_chosen(wanted.chosen)]
    if wanted.event_id is not None:
        conditions.append(GAME.c.event_id == wanted.event_id)
    if wanted.game_id is not None:
        conditions.append(GAME.c.id == wanted.game_id)
    if wanted.score is not None:
        conditions.append(GAME.c.white_score == WHITE_SCORES[wanted.score])
    if wanted.end_reason is not None:
        reason = select(END_REASON.c.id).where(END_REASON.c.name == wanted.end_reason)
        conditions.append(GAME.c.end_reason_id == reason.scalar_subquery())
    if wanted.opening_line is not None:
        lines = select(OPENING.c.id).where(OPENING.c.line == wanted.opening_line)
        conditions.append(GAME.c.opening_id.in_(lines))
    if wanted.opening_book is not None:
        books = select(OPENING.c.id).join(BOOK, BOOK.c.id == OPENING.c.book_id)
        conditions.append(GAME.c.opening_id.in_(books.where(BOOK.c.name == wanted.opening_book)))
    if wanted.opening_label is not None:
        labelled = select(OPENING.c.id).where(OPENING.c.label == wanted.opening_label)
        conditions.append(GAME.c.opening_id.in_(labelled))
    if wanted.start_fen is not None:
        start = func.coalesce(GAME.c.start_fen, CHESS_START)
        conditions += [GAME.c.opening_id.is_(None), start == wanted.start_fen]
    if wanted.min_plies is not None:
        conditions.append(GAME.c.plies >= wanted.min_plies)
    if wanted.max_plies is not None:
        conditions.append(GAME.c.plies <= wanted.max_plies)
    if wanted.counted_only:
        conditions.append(GAME.c.repeats_id.is_(None))
    return conditions


def _own_score(wanted: GameFilter) -> int | None:
    return None if wanted.result is None else _OWN_SCORES[wanted.result]


def _score_is(score: int | None) -> ColumnElement[bool]:
    return true() if score is None else GAME.c.white_score == score


def _check(wanted: GameFilter) -> None:
    if wanted.opponent is not None and wanted.engine is None:
        raise RecordError("a filter by opponent needs an engine")
    if wanted.colour is not None and wanted.engine is None:
        raise RecordError("a filter by colour needs an engine")
    if wanted.score is not None and wanted.score not in WHITE_SCORES:
        raise RecordError(f"`{wanted.score}` is not a result: 1-0, 0-1 or 1/2-1/2")
    if wanted.result is not None and wanted.result not in _OWN_SCORES:
        raise RecordError(f"`{wanted.result}` is not a result: win, draw or loss")


def _place(game: GameRecord) -> tuple[int, int, int, int]:
    return game.event_id, game.pairing, game.pair, game.game


def _record(row: Row[Any]) -> GameRecord:
    return GameRecord(
        id=row.id,
        event_id=row.event_id,
        pairing=row.pairing,
        pair=row.pair,
        game=row.game,
        white=row.white,
        black=row.black,
        white_id=row.white_id,
        black_id=row.black_id,
        book_id=row.book_id,
        opening_line=row.line,
        start_fen=row.fen,
        result=_RESULTS[row.white_score],
        end_reason=row.end_reason,
        plies=row.plies,
        moves=row.moves or b"",
        moves_version=row.moves_version or 1,
        search_data=row.search_data or b"",
        search_version=row.search_version or 0,
        white_nodes=row.white_nodes,
        black_nodes=row.black_nodes,
        white_cpu_us=row.white_cpu_us,
        black_cpu_us=row.black_cpu_us,
        started_at=optional_text_of(row.started_ms),
        ended_at=optional_text_of(row.ended_ms),
        host=row.host,
        load=row.load,
        jobs=row.jobs,
        backend=row.backend,
        signature=row.signature,
        version=row.version,
        seed=row.seed,
        game_key=None if row.game_key is None else row.game_key.hex(),
        repeats=row.repeats_id,
        speed=row.speed,
        time_factor=row.time_factor,
    )
