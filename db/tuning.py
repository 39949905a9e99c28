"""What studies that tune parameters are made of: records, as in :mod:`db.records`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from db.records import EventStatus

TrialState = Literal["running", "complete", "pruned", "failed"]
Phase = Literal["search", "choice", "gain"]
Scores = tuple[float | None, ...]
"""One a pair in order; None where a pair could not be played."""


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """One search for better parameters. ``id`` is 0 until it is stored."""

    id: int
    name: str
    """Unique among studies."""
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
    event_id: int | None = None
    """The event of kind ``tuning`` with its games; None where its objective plays none."""
    result: Mapping[str, Any] | None = None
    """What it recommends, once it does."""


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One evaluation that a sampler asked for."""

    study_id: int
    number: int
    """From 0 within the study."""
    state: TrialState
    params: Mapping[str, Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """The sampler's own, and ours: JSON."""
    steps: Sequence[float] = ()
    """Values that were reported while it ran, for a pruner; step 0 first."""
    value: float | None = None
    started_at: str = ""
    """Empty before it is stored: now."""
    ended_at: str | None = None


@dataclass(frozen=True, slots=True)
class EncounterRecord:
    """One point over numbered pairs against ``second``, or, where that is None, against the
    opponent of that number or the base."""

    study_id: int
    number: int
    """From 0 within the study; the pairing's number in its event."""
    trial: int | None
    """Number of the trial that it belongs to; None: to none, as in a choice between points."""
    phase: Phase
    first: Mapping[str, Any]
    second: Mapping[str, Any] | None
    opponent: int | None
    first_pair: int
    pairs: int
    """Its pairs have the numbers from ``first_pair`` on."""
    scores: Scores | None = None
    """One a pair; None until all are known."""
