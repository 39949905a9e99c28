"""The rule that all names follow which users give: to events, studies and runs."""

from __future__ import annotations

from typing import Literal

from toolkit.base.errors import UsageError

Named = Literal["event", "study", "run"]
MAX_NAMES: dict[Named, int] = {"event": 100, "study": 64, "run": 60}
"""Characters of a name at most."""


def check_name(what: Named, name: str) -> None:
    """Raise UsageError for a name by which the ``what`` could not be found again, or which would
    break a table."""
    if name == "last":
        raise UsageError(f"name of the {what} `{name}`: it means the newest {what}; choose another")
    most = MAX_NAMES[what]
    fits = 0 < len(name) <= most and name.isprintable() and name == name.strip()
    if not fits or name.startswith("-"):
        shown = "".join(char if char.isprintable() else "?" for char in name[:most])
        raise UsageError(
            f"name of the {what} `{shown}`: give 1 to {most} printable characters that begin "
            "with neither blank nor `-` and do not end in a blank"
        )
