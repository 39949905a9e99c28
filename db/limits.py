"""Limits of the players: what a move might cost each one in each event.

A limit is data that other layers give a meaning; here two limits are equal or not. It belongs to a
player, not to a game. Today all players of an event share the one in its settings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

UNKNOWN_LIMIT = "{}"
"""The key of a limit that nobody knows, as of imported games."""


def limit_key(limit: Mapping[str, Any]) -> str:
    """A text that is the same for equal limits: JSON with sorted keys. A field that is null, 0 or
    false means what its absence means."""
    said = {name: value for name, value in limit.items() if value}
    return json.dumps(said, sort_keys=True, separators=(",", ":"))
