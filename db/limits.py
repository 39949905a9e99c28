"""Limits of the players: what a move may cost each one in each event.

Other layers give a limit its meaning; here two limits are equal or not. It belongs to a
player, not to a game. Today all players of an event share the one in its settings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

UNKNOWN_LIMIT = "{}"
"""The key of an unknown limit, as in imported games."""


def limit_fields(limit: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a limit that are set: null, 0 and false mean that a field is absent."""
    return {name: value for name, value in limit.items() if value}


def limit_key(limit: Mapping[str, Any]) -> str:
    """A text that is the same for equal limits: JSON of :func:`limit_fields` with sorted keys."""
    return json.dumps(limit_fields(limit), sort_keys=True, separators=(",", ":"))
