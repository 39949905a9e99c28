"""Texts of external engines: what they print, fit for one line of a message, and what means them on
a command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from urllib.parse import quote

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


def quoted_command(argv: Iterable[str]) -> str:
    """The words of a command as the text of an engine has them."""
    return " ".join(quote(word, safe="/.-_+=:~@") or "''" for word in argv)


def quoted_items(items: Mapping[str, str]) -> list[str]:
    """Items of an external engine as its text has them, each ``key=value``."""
    return [f"{quote(key, safe='.')}={quote(value, safe='/')}" for key, value in items.items()]


def is_among(key: str, options: Iterable[str]) -> bool:
    """Whether an option is among these, in any case."""
    return key.lower() in {option.lower() for option in options}
