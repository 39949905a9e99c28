"""Views of laboratory searches in which ``engine`` is a name, as in ``v_ratings``.

Views are made anew after every upgrade (:mod:`db.tables.views`), so no table changes here.
"""

from __future__ import annotations

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table."""
