"""The first schema. A new database is made of the declared tables, so nothing is upgraded to it."""

from __future__ import annotations

revision = "0.1.0"
down_revision = None
branch_labels = None
depends_on = None
