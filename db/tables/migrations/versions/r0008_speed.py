"""The speed of the machine that played a game, where a clock limited it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_MAKER = ["host", "version", "backend", "signature"]


def upgrade() -> None:
    """Add it to what a provenance is; of stored ones it is unknown, which is 0."""
    with op.batch_alter_table("provenance") as table:
        table.add_column(sa.Column("speed", sa.Integer(), nullable=False, server_default="0"))
        table.drop_constraint("uq_provenance_host_version_backend_signature", type_="unique")
        table.create_unique_constraint(
            op.f("uq_provenance_host_version_backend_signature_speed"), [*_MAKER, "speed"]
        )
