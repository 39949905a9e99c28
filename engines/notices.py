"""What an engine's way to a game has to tell at once, such as that it is being built."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[str], object]

_listener: Listener = len
"""It ignores what it hears."""


def listen(listener: Listener) -> None:
    """Have a function hear every notice of this process, a line each, in place of another one."""
    global _listener
    _listener = listener


def tell(line: str) -> None:
    """Give a line to the one who listens."""
    _listener(line)
