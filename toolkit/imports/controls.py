"""The limit of a game, from its tags."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from engines.errors import LimitError
from engines.limit import Limit, parse_time_control


def stated_limit(tags: Mapping[str, str]) -> Limit | None:
    """The limit of both players: the clock of the tag ``TimeControl``, such as ``600``, ``10+0.1``,
    ``40/9000`` or ``0.5/move``. None if it is unknown, has several stages, or is not all of the
    limit by the tag ``SearchLimit`` of our own files."""
    return _limit(tags.get("TimeControl", ""), tags.get("SearchLimit"))


@functools.lru_cache(1024)
def _limit(control: str, whole: str | None) -> Limit | None:
    try:
        limit = parse_time_control(control)
    except LimitError:
        return None
    return limit if whole in (None, str(limit)) else None
