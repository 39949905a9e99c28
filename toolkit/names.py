"""The rule that all names follow which users give: to events, studies and runs."""

from __future__ import annotations

from typing import Literal

from toolkit.errors import UsageError

Named = Literal["event", "study", "run"]
MAX_NAMES: dict[Named, int] = {"event": 100, "study": 64, "run": 60}
"""Characters of a name at most."""


def check_name(what: Named, name: str) -> None:
    """Raises UsageError for a text under which nobody could find the ``what`` again, or which would
    break a table."""
    if name == "last":
        raise UsageError(f"name of the {what} `{name}`: it means the newest {what}; choose another")
    most = MAX_NAMES[what]
    fits = 0 < len(name) <= most and name.isprintable() and not name.isspace()
    if not fits or name.startswith("-"):
        raise UsageError(
            f"name of the {what}: give 1 to {most} printable characters, not all blank, of which "
            "the first is no `-`"
        )
