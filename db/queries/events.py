"""Events, their players, and pairs that failed."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    FromClause,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    type_coerce,
    union,
)

from db.errors import RecordError
from db.limits import EventLimits
from db.queries.books import add_book, book_key
from db.queries.runs import RunTable
from db.queries.variants import add_variants, variant_keys
from db.records.engines import Called, VariantRecord
from db.records.events import TUNING_KIND, EventPlayerRecord, EventRecord, PairFailureRecord
from db.records.openings import BookRecord, OpeningRecord
from db.schema.declared import (
    BOOK,
    EVENT,
    EVENT_PLAYER,
    PAIR,
    PAIR_FAILURE,
    PAIRING,
    RATING_LIST,
    VARIANT,
)
from db.times import milliseconds_of, utc_now


def _count_of(table: Table) -> ColumnElement[int]:
    rows = select(func.count()).select_from(table).where(table.c.event_id == EVENT.c.id)
    return rows.scalar_subquery()


TABLE = RunTable(
    EventRecord,
    EVENT,
    *(EVENT.c.key, EVENT.c.kind, EVENT.c.seed, EVENT.c.pairs_planned),
    _count_of(PAIR).label("pairs_done"),
    _count_of(PAIR_FAILURE).label("pairs_failed"),
    select(BOOK.c.identity).where(BOOK.c.id == EVENT.c.book_id).scalar_subquery().label("book_id"),
    key=EVENT.c.key,
    hidden=EVENT.c.kind == TUNING_KIND,
)

_PLAYERS = (
    select(EVENT_PLAYER.c.position, EVENT_PLAYER.c.label, VARIANT.c.identity)
    .join(VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id)
    .where(EVENT_PLAYER.c.event_id == bindparam("event"))
    .order_by(EVENT_PLAYER.c.position)
)
_PLAYERS_NAMED = _PLAYERS.where(EVENT_PLAYER.c.label.in_(bindparam("labels", expanding=True)))
_KIND = select(EVENT.c.kind).where(EVENT.c.id == bindparam("event"))
_TAKEN = select(EVENT_PLAYER.c.position, EVENT_PLAYER.c.label).where(
    EVENT_PLAYER.c.event_id == bindparam("event"),
    or_(
        EVENT_PLAYER.c.position.in_(bindparam("positions", expanding=True)),
        EVENT_PLAYER.c.label.in_(bindparam("labels", expanding=True)),
    ),
)
_FORGET = delete(PAIR_FAILURE).where(
    PAIR_FAILURE.c.event_id == bindparam("event"),
    PAIR_FAILURE.c.pairing == bindparam("in_pairing"),
    PAIR_FAILURE.c.pair == bindparam("number"),
)


def create_event(
    connection: Connection,
    event: EventRecord,
    players: Sequence[EventPlayerRecord],
    variants: Iterable[VariantRecord] = (),
    book: tuple[BookRecord, Sequence[OpeningRecord]] | None = None,
) -> EventRecord:
    """Store an event with its players, their new variants and its book; returns it with its id and
    its new key. Variants and a book that are not given must be stored. Pass new ones here, because
    rows that nothing refers to may be removed at any time. Empty ``created_at`` means now. Raises
    RecordError."""
    add_variants(connection, variants)
    if book is not None:
        add_book(connection, *book)
    if len(players) < (1 if event.kind == TUNING_KIND else 2):
        raise RecordError("an event needs at least two players, and a tuning event its base")
    _check_players(players)
    keys = variant_keys(connection, [player.variant_id for player in players])
    event_id = insert_event(connection, event)
    _insert_players(connection, event_id, players, keys)
    return TABLE.get(connection, event_id)


def add_players(
    connection: Connection,
    event_id: int,
    players: Sequence[EventPlayerRecord],
    variants: Iterable[VariantRecord] = (),
) -> None:
    """Add players to an event of kind ``tuning``, which may be running, and store the new
    ``variants``. Raises NotFound, RecordError: the event is of another kind, or already has a
    player of that position or label."""
    add_variants(connection, variants)
    kind = kind_of(connection, event_id)
    if kind != TUNING_KIND:
        raise RecordError(f"players cannot join event {event_id}: it is of kind `{kind}`")
    _check_players(players)
    wanted = {
        "event": event_id,
        "positions": [player.position for player in players],
        "labels": [player.label for player in players],
    }
    taken = connection.execute(_TAKEN, wanted).first()
    if taken is not None:
        raise RecordError(
            f"event {event_id} already has a player {taken.position} `{taken.label}`: positions "
            "and labels must be unique"
        )
    keys = variant_keys(connection, [player.variant_id for player in players])
    _insert_players(connection, event_id, players, keys)


def _insert_players(
    connection: Connection,
    event_id: int,
    players: Sequence[EventPlayerRecord],
    keys: Mapping[str, int],
) -> None:
    rows = [
        {
            "event_id": event_id,
            "position": player.position,
            "label": player.label,
            "variant_id": keys[player.variant_id],
        }
        for player in players
    ]
    if rows:
        connection.execute(insert(EVENT_PLAYER), rows)


def stands_at(
    player: FromClause, event_id: ColumnElement[int], position: ColumnElement[int]
) -> ColumnElement[bool]:
    """Condition: a player has that position in the event."""
    return and_(player.c.event_id == event_id, player.c.position == position)


def players_called(named: Called) -> CompoundSelect[Any]:
    """Event, position and key of the variant of the players of one of these labels or
    identities."""
    texts = (named,) if isinstance(named, str) else named
    players = select(EVENT_PLAYER.c.event_id, EVENT_PLAYER.c.position, EVENT_PLAYER.c.variant_id)
    return union(
        players.where(EVENT_PLAYER.c.label.in_(texts)),
        players.join(VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id).where(
            VARIANT.c.identity.in_(texts)
        ),
    )


def kind_of(connection: Connection, event_id: int) -> str:
    """The kind of an event. Raises NotFound."""
    kind: str | None = connection.execute(_KIND, {"event": event_id}).scalar_one_or_none()
    if kind is None:
        raise TABLE.missing(event_id)
    return kind


def event_limits(connection: Connection) -> EventLimits:
    """The limits of the players of all events."""
    rows = connection.execute(
        select(EVENT.c.id, EVENT.c.settings["limit"], EVENT.c.settings["limits"])
    )
    limits = EventLimits()
    for event_id, common, own in rows:
        limits.add(event_id, common, own)
    return limits


def tuning_events(connection: Connection) -> dict[int, str]:
    """Events of kind ``tuning`` by id, the oldest first: the key of each."""
    query = select(EVENT.c.id, EVENT.c.key).where(EVENT.c.kind == TUNING_KIND).order_by(EVENT.c.id)
    return {event_id: key for event_id, key in connection.execute(query)}


def tuned_alone(connection: Connection) -> set[str]:
    """Identities of the variants that played only in events of kind ``tuning``."""
    tuning = select(EVENT.c.id).where(EVENT.c.kind == TUNING_KIND)
    tuned = select(EVENT_PLAYER.c.variant_id).where(EVENT_PLAYER.c.event_id.in_(tuning))
    other = EVENT_PLAYER.alias()
    elsewhere = select(other.c.variant_id).where(
        other.c.variant_id == VARIANT.c.id, other.c.event_id.not_in(tuning)
    )
    query = select(VARIANT.c.identity).where(VARIANT.c.id.in_(tuned), ~elsewhere.exists())
    return set(connection.execute(query).scalars())


def pair_scores(connection: Connection, event_id: int) -> list[tuple[int, int, float]]:
    """(pairing, pair, score) of every whole pair of an event, in order, repetitions included. The
    score, 0 to 1, is that of the pairing's first player: the one with the lower position."""
    query = (
        select(PAIR.c.pairing, PAIR.c.pair, PAIR.c.score1 + PAIR.c.score2)
        .where(PAIR.c.event_id == event_id, PAIR.c.score2.is_not(None))
        .order_by(PAIR.c.pairing, PAIR.c.pair)
    )
    return [(number, pair, points / 4) for number, pair, points in connection.execute(query)]


def pair_points(connection: Connection, event_id: int) -> dict[tuple[int, int], tuple[int, int]]:
    """The half points of the pairing's first player in both games of every whole pair of an event,
    by pairing and pair, repetitions included."""
    query = select(PAIR.c.pairing, PAIR.c.pair, PAIR.c.score1, PAIR.c.score2)
    rows = connection.execute(query.where(PAIR.c.event_id == event_id))
    return {(pairing, pair): (one, two) for pairing, pair, one, two in rows if two is not None}


def pairing_players(connection: Connection, event_id: int) -> dict[int, tuple[int, int]]:
    """The positions of the two players of each pairing of an event with a stored pair, by its
    number."""
    query = select(PAIRING.c.pairing, PAIRING.c.first_player, PAIRING.c.second_player)
    rows = connection.execute(query.where(PAIRING.c.event_id == event_id))
    return {number: (first, second) for number, first, second in rows}


def insert_event(connection: Connection, event: EventRecord) -> int:
    """Store an event without its players under a new key; returns its id. Raises RecordError."""
    return TABLE.insert(
        connection,
        event,
        key=free_key(connection),
        kind=event.kind,
        seed=event.seed,
        book_id=None if event.book_id is None else book_key(connection, event.book_id),
        pairs_planned=event.pairs_planned,
    )


def extend_event(
    connection: Connection, event_id: int, extensions: list[int], pairs_planned: int
) -> None:
    """Record in the settings that an event was extended; it is not done any more."""
    TABLE.note(connection, event_id, extensions=extensions)
    TABLE.change(
        connection, event_id, pairs_planned=pairs_planned, status="interrupted", ended_ms=None
    )


def event_players(connection: Connection, event_id: int) -> list[EventPlayerRecord]:
    """The players of an event by position."""
    rows = connection.execute(_PLAYERS, {"event": event_id})
    return [EventPlayerRecord(*row) for row in rows]


def players_named(
    connection: Connection, event_id: int, labels: Sequence[str]
) -> dict[str, EventPlayerRecord]:
    """The players of an event with these labels, by label, if they exist."""
    rows = connection.execute(_PLAYERS_NAMED, {"event": event_id, "labels": labels})
    return {row.label: EventPlayerRecord(*row) for row in rows}


def record_failures(connection: Connection, failures: Sequence[PairFailureRecord]) -> None:
    """Record that pairs could not be played; later records replace earlier ones. Raises
    RecordError if a pair has been played, NotFound.
    """
    for event_id in {failure.event_id for failure in failures}:
        kind_of(connection, event_id)  # the event exists
    for failure in failures:
        _record_failure(connection, failure)


def _record_failure(connection: Connection, failure: PairFailureRecord) -> None:
    played = select(PAIR.c.pair).where(
        PAIR.c.event_id == failure.event_id,
        PAIR.c.pairing == failure.pairing,
        PAIR.c.pair == failure.pair,
    )
    if connection.execute(played).one_or_none() is not None:
        raise RecordError(
            f"pair {failure.pair} of pairing {failure.pairing} has been played and cannot fail"
        )
    place = {"event": failure.event_id, "in_pairing": failure.pairing, "number": failure.pair}
    connection.execute(_FORGET, place)
    connection.execute(
        insert(PAIR_FAILURE).values(
            event_id=failure.event_id,
            pairing=failure.pairing,
            pair=failure.pair,
            attempts=failure.attempts,
            reason=failure.reason,
            failed_ms=milliseconds_of(utc_now()),
        )
    )


def forget_failures(connection: Connection, places: Sequence[tuple[int, int, int]]) -> None:
    """Remove failures, because the pairs (event, pairing, pair) were played after all."""
    for event_id in {event_id for event_id, _, _ in places}:
        failed = select(PAIR_FAILURE.c.pair).where(PAIR_FAILURE.c.event_id == event_id).limit(1)
        if connection.execute(failed).first() is None:
            continue
        some = [
            {"event": event, "in_pairing": pairing, "number": pair}
            for event, pairing, pair in places
            if event == event_id
        ]
        connection.execute(_FORGET, some)


def failures(connection: Connection, event_id: int) -> list[PairFailureRecord]:
    """The failed pairs of an event in the order of its schedule."""
    query = (
        select(
            PAIR_FAILURE.c.event_id,
            PAIR_FAILURE.c.pairing,
            PAIR_FAILURE.c.pair,
            PAIR_FAILURE.c.attempts,
            PAIR_FAILURE.c.reason,
        )
        .where(PAIR_FAILURE.c.event_id == event_id)
        .order_by(PAIR_FAILURE.c.pairing, PAIR_FAILURE.c.pair)
    )
    return [PairFailureRecord(*row) for row in connection.execute(query)]


def finished_pairs(connection: Connection, event_id: int) -> set[tuple[int, int]]:
    """(pairing, pair) of every pair of an event that is finished or has failed."""
    found: set[tuple[int, int]] = set()
    for table in (PAIR, PAIR_FAILURE):
        query = select(table.c.pairing, table.c.pair).where(table.c.event_id == event_id)
        found.update((pairing, pair) for pairing, pair in connection.execute(query))
    return found


def _check_players(players: Sequence[EventPlayerRecord]) -> None:
    for field in ("position", "label"):
        numbers = Counter(getattr(player, field) for player in players)
        for twice, number in numbers.most_common(1):
            if number > 1:
                raise RecordError(f"two players of the event have the same {field} `{twice}`")


def free_key(connection: Connection, wanted: str | None = None) -> str:
    """A key that no event has, not even one that was removed and is named in a rating list: the
    ``wanted`` one, or ``r`` and three to six hex digits, more as keys become scarce."""
    if wanted is not None and _is_free(connection, wanted):
        return wanted
    for length in (3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6):
        key = "r" + secrets.token_hex(3)[:length]
        if _is_free(connection, key):
            return key
    raise RecordError("no free event key was found: this database has too many events")


def _is_free(connection: Connection, key: str) -> bool:
    if connection.execute(select(EVENT.c.id).where(EVENT.c.key == key)).one_or_none() is not None:
        return False
    # A stored rating list may name an event that was removed; no other event gets its key.
    settings = cast(type_coerce(RATING_LIST.c.settings, Text), Text)
    named = settings.contains(f'"{key}"', autoescape=True)
    return connection.execute(select(RATING_LIST.c.id).where(named).limit(1)).first() is None
