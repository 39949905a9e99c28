"""Stored runs of the laboratory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from db.records.runs import RunRecord

LabKind = Literal["compare", "sweep", "parallel", "suite"]


class LabRunRecord(RunRecord, frozen=True):
    """One comparison of exact searches, or one curve. Its name is unique among laboratory runs."""

    what = "laboratory run"
    kind: LabKind


class LabEngineRecord(Struct, frozen=True):
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


class LabPositionRecord(Struct, frozen=True):
    """One position of a run."""

    position: int
    """From 0 within the run."""
    label: str
    fen: str


class LabSearchRecord(Struct, frozen=True):
    """One exact search of a position by an engine: all its iterations together."""

    engine: int
    position: int
    depth: int
    value: int
    """Of the last iteration, from the side to move."""
    move: str
    """Best move, UCI; empty if there is none."""
    interior: int
    leaves: int
    quiescence: int
    passes: int
    cpu_us: int
    iterations: Sequence[Any]
    """Each iteration with its passes, as JSON; see docs/database.md."""
    searched_at: str = ""
    """Empty before it is stored: now."""
