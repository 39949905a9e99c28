"""The rules for names and notes that users give to events, studies and runs."""

from __future__ import annotations

import re
from typing import Literal

from toolkit.base.errors import UsageError

Named = Literal["event", "study", "run"]
MAX_NAMES: dict[Named, int] = {"event": 100, "study": 64, "run": 60}
"""Characters of a name at most."""
MAX_NOTE = 500
"""Characters of a note at most."""
_EVENT_ID = re.compile("r[0-9a-f]{3,6}")
_STUDY = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)


def check_name(what: Named, name: str) -> None:
    """Raise UsageError for a name by which the ``what`` could not be found again, as ``last`` means
    the newest one and what looks like an event's id may become one's, or which would break a
    table."""
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
    if what == "event" and _EVENT_ID.fullmatch(name):
        raise UsageError(f"name of the event `{name}`: it looks like an event id; choose another")
    if what == "study" and not _STUDY.fullmatch(name):
        raise UsageError(
            f"name of the study `{name}`: letters, digits and ._+- only, of which the first is a "
            "letter or a digit"
        )


def check_note(note: str) -> None:
    """Raise UsageError for a note that is no line of text, or too long."""
    if not note.isprintable() or len(note) > MAX_NOTE:
        raise UsageError(
            f"the note must be one line of at most {MAX_NOTE} printable characters; this one has "
            f"{len(note)}{'' if note.isprintable() else ', and some that cannot be printed'}"
        )
