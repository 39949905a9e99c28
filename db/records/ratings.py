"""Stored rating lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class HistoryRow(Struct, frozen=True):
    """One place of a variant in one stored rating list."""

    list_id: int
    created_at: str
    error_model: str
    settings: Mapping[str, Any]
    rank: int
    players: int
    """Length of the list."""
    row: RatingRow


class RatingRow(Struct, frozen=True):
    """One player of a rating list. Elo; ``error95`` is half of the 95 % interval."""

    variant_id: str
    label: str
    elo: float
    error95: float | None
    games: int
    score: float
    los_next: float | None


class RatingListRecord(Struct, frozen=True):
    """A stored fit with its settings."""

    id: int
    created_at: str
    version: str
    error_model: str
    settings: Mapping[str, Any]
    rows: tuple[RatingRow, ...] = ()
