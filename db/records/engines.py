"""Stored engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

UCI_KIND = "uci"
"""The kind of variants that are external engines."""

IMPORTED_BACKEND = "imported"
"""Stands for what played a game of another program."""

Core = tuple[str, str]
"""Backend and signature."""

Called = str | tuple[str, ...]
"""A label or an identity of players, or several."""


class VariantRecord(Struct, frozen=True):
    """A player's description; the identity is its primary key."""

    id: str
    kind: str
    """``native`` (our drivers, on either backend), ``uci`` (an external engine) or ``imported`` (a
    name in a PGN file)."""
    driver: str
    parameters: Mapping[str, Any]
    """Effective parameters, as in the identity; the facts of an external engine."""
    spelling: str
    build: Mapping[str, Any] | None = None
    """How it was built first, if that was from a repository: ``repository``, ``reference``,
    ``commit``, ``build``, ``subject``, ``date``, ``compiler``, ``bench``, ``diff``."""


class NamedEngineRecord(Struct, frozen=True):
    """An external engine that a user keeps under a name."""

    name: str
    settings: Mapping[str, Any]
    """How it is started: ``argv``, ``options``, ``directory``, ``environment``, ``restart``."""
    created_at: str = ""
    """Empty before it is stored: now."""
