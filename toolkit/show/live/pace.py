"""How often progress is printed if it cannot redraw itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec

from toolkit.base.output import Output

PLAIN_EVERY_S = 10.0
"""Seconds between two lines."""
_News = ParamSpec("_News")


def now_and_then(output: Output, text: Callable[_News, str]) -> Callable[_News, None]:
    """A callback of progress that prints ``text`` of its arguments as a hint, but not more often
    than every :data:`PLAIN_EVERY_S` seconds."""
    said_at = time.monotonic()

    def say(*args: _News.args, **kwargs: _News.kwargs) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= PLAIN_EVERY_S:
            said_at = time.monotonic()
            output.hint(text(*args, **kwargs))

    return say
