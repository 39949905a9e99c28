"""Digests of rows, and how many rows were stored.

Digests are computed after the last revision (:mod:`db.tables.digests`), as views are made: a
revision that changes what a digest covers sets it to NULL.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLES = (
    *("variants", "books", "events", "event_players", "games", "rating_lists"),
    *("tuning_studies", "tuning_trials", "tuning_encounters", "lab_runs", "lab_searches"),
)


def upgrade() -> None:
    """Add a column to each table whose rows have digests, and make the table of counts."""
    for table in _TABLES:
        op.add_column(table, sa.Column("digest", sa.LargeBinary(8)))
    op.create_table(
        "stored_rows",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "owner", name=op.f("pk_stored_rows")),
    )
