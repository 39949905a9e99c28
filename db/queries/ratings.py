"""Rating lists: stored fits with their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, union

from db.errors import NotFound
from db.queries.variants import variant_keys
from db.records.ratings import HistoryRow, RatingListRecord, RatingRow
from db.schema.declared import EVENT_PLAYER, RATING, RATING_LIST, VARIANT
from db.times import milliseconds_of, text_of, utc_now

_READ_AHEAD = 16
"""Settings read at a time in the search for a list, which is usually one of the newest."""
_LIST = (
    *(RATING_LIST.c.id, RATING_LIST.c.created_ms, RATING_LIST.c.version, RATING_LIST.c.error_model),
    RATING_LIST.c.settings,
)
_ROW = (
    *(VARIANT.c.identity, RATING.c.label, RATING.c.elo, RATING.c.error95),
    *(RATING.c.games, RATING.c.score, RATING.c.los_next),
)
"""In the order of the fields of :class:`RatingRow`; last in each query."""


def add_rating_list(connection: Connection, record: RatingListRecord) -> RatingListRecord:
    """Store a list with its rows in order; returns it with its id. Empty ``created_at`` means now.
    Raises RecordError if a variant is not stored."""
    keys = variant_keys(connection, [row.variant_id for row in record.rows])
    list_id = connection.execute(
        insert(RATING_LIST)
        .values(
            created_ms=milliseconds_of(record.created_at or utc_now()),
            version=record.version,
            error_model=record.error_model,
            settings=dict(record.settings),
        )
        .returning(RATING_LIST.c.id)
    ).scalar_one()
    rows = [
        {
            "list_id": list_id,
            "rank": rank,
            "variant_id": keys[row.variant_id],
            "label": row.label,
            "elo": row.elo,
            "error95": row.error95,
            "games": row.games,
            "score": row.score,
            "los_next": row.los_next,
        }
        for rank, row in enumerate(record.rows, start=1)
    ]
    if rows:
        connection.execute(insert(RATING), rows)
    return rating_list(connection, list_id)


def rating_list(connection: Connection, list_id: int) -> RatingListRecord:
    """The list of that id. Raises NotFound."""
    own = select(*_LIST).where(RATING_LIST.c.id == list_id)
    head = connection.execute(own).one_or_none()
    if head is None:
        raise NotFound(f"no rating list with id {list_id}")
    query = select(*_ROW).join(VARIANT, VARIANT.c.id == RATING.c.variant_id)
    rows = connection.execute(query.where(RATING.c.list_id == list_id).order_by(RATING.c.rank))
    return RatingListRecord(
        id=head.id,
        created_at=text_of(head.created_ms),
        version=head.version,
        error_model=head.error_model,
        settings=head.settings,
        rows=tuple(RatingRow(*row) for row in rows),
    )


def newest_rating_list(
    connection: Connection, is_meant: Callable[[Mapping[str, Any]], bool]
) -> RatingListRecord | None:
    """The last stored list whose settings match; None if there is no such list."""
    query = select(RATING_LIST.c.id, RATING_LIST.c.settings).order_by(RATING_LIST.c.id.desc())
    with connection.execute(query.execution_options(yield_per=_READ_AHEAD)) as rows:
        found = next((row.id for row in rows if is_meant(row.settings)), None)
    return None if found is None else rating_list(connection, found)


def rating_list_ids(connection: Connection) -> list[int]:
    """Every stored list, the oldest first."""
    return list(connection.execute(select(RATING_LIST.c.id).order_by(RATING_LIST.c.id)).scalars())


def rating_history(connection: Connection, engine: str) -> list[HistoryRow]:
    """Where a variant stood in each stored list, the oldest first, by its identity or by a label
    that it played under. A list that distinguishes cores may have several rows."""
    variants = union(
        select(VARIANT.c.id).where(VARIANT.c.identity == engine),
        select(EVENT_PLAYER.c.variant_id).where(EVENT_PLAYER.c.label == engine),
    )
    other = RATING.alias()
    length = select(func.count()).select_from(other).where(other.c.list_id == RATING.c.list_id)
    query = (
        select(*_LIST, RATING.c.rank, length.scalar_subquery().label("players"))
        .add_columns(*_ROW)
        .join(RATING, RATING.c.list_id == RATING_LIST.c.id)
        .join(VARIANT, VARIANT.c.id == RATING.c.variant_id)
        .where(RATING.c.variant_id.in_(variants))
        .order_by(RATING.c.list_id, RATING.c.rank)
    )
    return [
        HistoryRow(
            list_id=row.id,
            created_at=text_of(row.created_ms),
            error_model=row.error_model,
            settings=row.settings,
            rank=row.rank,
            players=row.players,
            row=RatingRow(*row[-len(_ROW) :]),
        )
        for row in connection.execute(query)
    ]
