"""Rating lists: stored fits with their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, union

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
_LISTS = (
    select(*_LIST)
    .add_columns(*_ROW)
    .outerjoin(RATING, RATING.c.list_id == RATING_LIST.c.id)
    .outerjoin(VARIANT, VARIANT.c.id == RATING.c.variant_id)
    .order_by(RATING_LIST.c.id, RATING.c.rank)
)


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
    return _get_rating_list(connection, list_id)


def _get_rating_list(connection: Connection, list_id: int) -> RatingListRecord:
    """The list of that id. Raises NotFound."""
    rows = connection.execute(_LISTS.where(RATING_LIST.c.id == list_id)).all()
    if not rows:
        raise NotFound(f"no rating list with id {list_id}")
    return _record(rows)


def newest_rating_list(
    connection: Connection, is_meant: Callable[[Mapping[str, Any]], bool]
) -> RatingListRecord | None:
    """The last stored list whose settings match; None if there is no such list."""
    query = select(RATING_LIST.c.id, RATING_LIST.c.settings).order_by(RATING_LIST.c.id.desc())
    with connection.execute(query.execution_options(yield_per=_READ_AHEAD)) as rows:
        found = next((row.id for row in rows if is_meant(row.settings)), None)
    return None if found is None else _get_rating_list(connection, found)


def rating_lists(connection: Connection) -> list[RatingListRecord]:
    """Every stored list, the oldest first."""
    rows = connection.execute(_LISTS).all()
    return [_record(list(own)) for _, own in groupby(rows, key=lambda row: row.id)]


def count_rating_lists(connection: Connection) -> int:
    """The number of lists."""
    return connection.execute(select(func.count()).select_from(RATING_LIST)).scalar_one()


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
            row=_row(row),
        )
        for row in connection.execute(query)
    ]


def _record(rows: Sequence[Row[Any]]) -> RatingListRecord:
    head = rows[0]
    return RatingListRecord(
        id=head.id,
        created_at=text_of(head.created_ms),
        version=head.version,
        error_model=head.error_model,
        settings=head.settings,
        rows=tuple(_row(row) for row in rows if row.identity is not None),
    )


def _row(row: Row[Any]) -> RatingRow:
    return RatingRow(*row[-len(_ROW) :])
