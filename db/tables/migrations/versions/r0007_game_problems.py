"""What engines did wrong in games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of problems."""
    op.create_table(
        "game_problems",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("of_white", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("fen", sa.String()),
        sa.Column("command", sa.String(), nullable=False),
        sa.Column("digest", sa.LargeBinary(8)),
        sa.CheckConstraint(
            "severity IN ('fault', 'warning')", name=op.f("ck_game_problems_severity")
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_game_problems_event_id")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_game_problems_game_id")),
        sa.PrimaryKeyConstraint("event_id", "game_id", "number", name=op.f("pk_game_problems")),
    )
