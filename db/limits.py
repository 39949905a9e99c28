"""Limits of the players: what a move may cost each one in each event.

Other layers give a limit its meaning; here two limits are equal or not. A limit belongs to a
player, not to a game: `limit` in the settings of an event applies to all players, except those that
have their own in `limits`, by position.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

UNKNOWN_LIMIT = "{}"
"""The key of an unknown limit, as in imported games."""


class EventLimits:
    """The keys of the limits of the players of events."""

    def __init__(self) -> None:
        self._common: dict[int, str] = {}
        self._own: dict[tuple[int, int], str] = {}

    def add(
        self,
        event_id: int,
        common: Mapping[str, Any] | None,
        own: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        """Note `limit` and `limits` of the settings of an event."""
        self._common[event_id] = limit_key(common or {})
        for position, limit in (own or {}).items():
            self._own[event_id, int(position)] = limit_key(limit)

    def of(self, event_id: int, position: int) -> str:
        """The key of a player's limit. Raises KeyError for an event that is not stored."""
        common = self._common[event_id]
        return self._own.get((event_id, position), common)

    def in_order(self) -> list[str]:
        """Each limit once; numbers of limits are indexes of this list."""
        return sorted({*self._common.values(), *self._own.values()})


def limit_key(limit: Mapping[str, Any]) -> str:
    """A text that is the same for equal limits: JSON with sorted keys."""
    return json.dumps(limit, sort_keys=True, separators=(",", ":"))
