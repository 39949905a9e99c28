"""Views of events and games that name the game played.

Views are made anew after every upgrade (:mod:`db.tables.views`), so no table changes here: a
database of this number has the columns, and one without them is upgraded.
"""

from __future__ import annotations

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table."""
