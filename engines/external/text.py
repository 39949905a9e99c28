"""What an engine prints, made fit for one line of a message."""

from __future__ import annotations

import shlex

from engines.spec import UciCommand

_MOST = 80
"""Characters of a name or value in a message."""


def shown(text: str | bytes | bytearray, most: int = _MOST) -> str:
    """At most ``most`` printable characters of ``text``, cut in the middle; others become ``?``."""
    if not isinstance(text, str):
        text = text.decode("utf-8", "replace")
    if len(text) > most:
        kept = most - 1
        text = f"{text[: kept - kept // 3]}…{text[-(kept // 3) :]}"
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def shown_command(command: UciCommand) -> str:
    """The command as a shell would take it, fit for a message."""
    return shown(shlex.join(command.argv))
