"""The limit of a game, from its tags."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from decimal import Decimal

from engines.spec import Limit
from toolkit.base.errors import UsageError
from toolkit.referee.clock import check_limit, describe_limit, parse_clock

_A_MOVE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)/move")


def stated_limit(tags: Mapping[str, str]) -> Limit | None:
    """The limit of both players: the clock of the tag ``TimeControl``, such as ``600``, ``10+0.1``,
    ``40/9000`` or ``0.5/move``. None if it is unknown, has several stages, or is not all of the
    limit by the tag ``SearchLimit`` of our own files."""
    return _limit(tags.get("TimeControl", ""), tags.get("SearchLimit"))


@functools.lru_cache(1024)
def _limit(control: str, whole: str | None) -> Limit | None:
    a_move = _A_MOVE.fullmatch(control)
    try:
        if a_move is not None:
            limit = check_limit(Limit(movetime_ms=int(1000 * Decimal(a_move[1]))))
        else:
            limit = parse_clock(control)
    except UsageError:
        return None
    return limit if whole in (None, describe_limit(limit)) else None
