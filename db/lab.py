"""What runs of the search laboratory are made of: records, as in :mod:`db.records`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from db.records import EventStatus

LabKind = Literal["compare", "sweep"]


@dataclass(frozen=True, slots=True)
class LabRunRecord:
    """One comparison of exact searches, or one curve. ``id`` is 0 until it is stored."""

    id: int
    name: str
    """Unique among runs."""
    kind: LabKind
    status: EventStatus
    settings: Mapping[str, Any]
    """Frozen at the start."""
    created_at: str
    started_at: str | None
    ended_at: str | None
    version: str
    backend: str
    signature: str
    host: str


@dataclass(frozen=True, slots=True)
class LabEngineRecord:
    """One engine of a run."""

    engine: int
    """From 0 within the run."""
    label: str
    variant_id: str
    """Identity of the variant, which must be stored."""
    baseline: int
    """Number of the engine that its searches are compared with."""
    parameter: str | None = None
    """What a sweep varies."""
    value: str | None = None
    """Its value, as variants spell it."""


@dataclass(frozen=True, slots=True)
class LabPositionRecord:
    """One position of a run."""

    position: int
    """From 0 within the run."""
    label: str
    fen: str


@dataclass(frozen=True, slots=True)
class LabSearchRecord:
    """One exact search of a position by an engine: all its iterations together."""

    engine: int
    position: int
    depth: int
    value: int
    """Of the last iteration, from the side to move."""
    move: str
    """Best move, UCI; empty where there is none."""
    interior: int
    leaves: int
    quiescence: int
    passes: int
    cpu_us: int
    iterations: Sequence[Any]
    """Each iteration with its passes, as JSON; docs/database.md tells how."""
    searched_at: str = ""
    """Empty before it is stored: now."""
