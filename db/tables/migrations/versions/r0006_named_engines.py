"""External engines that users keep under names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of named engines."""
    op.create_table(
        "named_engines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(8)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_named_engines")),
        sa.UniqueConstraint("name", name=op.f("uq_named_engines_name")),
    )
