"""Views of iterations and passes of the laboratory.

Views are made anew after every upgrade (:mod:`db.tables.views`), so no table changes here: a
database of this number has the views, and one without them is upgraded.
"""

from __future__ import annotations

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table."""
