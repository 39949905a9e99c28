"""Views of laboratory searches and iterations that say how long they took.

Views are made anew after every upgrade (:mod:`db.tables.views`), so no table changes here: the
times were stored before.
"""

from __future__ import annotations

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table."""
