"""What is known about a database as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.rows import DatabaseInfo

if TYPE_CHECKING:
    from db.session import Database


def database_info(db: Database) -> DatabaseInfo:
    """Schema, size, and how many of everything there are."""
    repository = db.repository
    return DatabaseInfo(
        database=db.name,
        schema=db.schema,
        bytes=None if db.path is None else db.path.stat().st_size,
        events=len(repository.events()),
        engines=len(repository.variants()),
        games=repository.count_games(),
        excluded_games=repository.excluded_games(),
        rating_lists=len(repository.rating_lists()),
        running=db.running_events(),
    )
