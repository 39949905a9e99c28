"""Rating lists: fits that were stored with their settings."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from db.errors import NotFound
from db.models import Rating, RatingList, Variant
from db.records import RatingListRecord, RatingRow
from db.times import milliseconds_of, text_of, utc_now
from db.variants import variant_keys

_LISTS = (
    select(
        RatingList.id,
        RatingList.created_ms,
        RatingList.version,
        RatingList.error_model,
        RatingList.settings,
        Variant.identity,
        Rating.label,
        Rating.elo,
        Rating.error95,
        Rating.games,
        Rating.score,
        Rating.los_next,
    )
    .outerjoin(Rating, Rating.list_id == RatingList.id)
    .outerjoin(Variant, Variant.id == Rating.variant_id)
    .order_by(RatingList.id, Rating.rank)
)


def add_rating_list(connection: Connection, record: RatingListRecord) -> int:
    """Store a list with its rows in their order and give its id. Raises RecordError when a
    variant is not stored."""
    keys = variant_keys(connection, [row.variant_id for row in record.rows])
    list_id = connection.execute(
        insert(RatingList)
        .values(
            created_ms=milliseconds_of(record.created_at or utc_now()),
            version=record.version,
            error_model=record.error_model,
            settings=dict(record.settings),
        )
        .returning(RatingList.id)
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
        connection.execute(insert(Rating), rows)
    return list_id


def get_rating_list(connection: Connection, list_id: int) -> RatingListRecord:
    """The list of that id. Raises NotFound."""
    rows = connection.execute(_LISTS.where(RatingList.id == list_id)).all()
    if not rows:
        raise NotFound(f"no rating list of id {list_id}")
    return _record(list(rows))


def all_rating_lists(connection: Connection) -> list[RatingListRecord]:
    """Every list, the oldest first."""
    rows = connection.execute(_LISTS)
    return [_record(list(group)) for _, group in groupby(rows, key=lambda row: row.id)]


def _record(rows: list[Row[Any]]) -> RatingListRecord:
    head = rows[0]
    return RatingListRecord(
        id=head.id,
        created_at=text_of(head.created_ms),
        version=head.version,
        error_model=head.error_model,
        settings=head.settings,
        rows=tuple(
            RatingRow(
                variant_id=row.identity,
                label=row.label,
                elo=row.elo,
                error95=row.error95,
                games=row.games,
                score=row.score,
                los_next=row.los_next,
            )
            for row in rows
            if row.identity is not None
        ),
    )
