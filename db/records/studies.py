"""Stored studies, their trials and encounters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from db.records.games import Scores
from db.records.runs import RunRecord

TrialState = Literal["running", "complete", "pruned", "failed"]

Phase = Literal["search", "choice", "gain"]


class StudyRecord(RunRecord, frozen=True):
    """One search for better parameters. Its name is unique among studies."""

    what = "study"
    event_id: int | None = None
    """The event of kind ``tuning`` with its games; None if its objective plays none."""
    result: Mapping[str, Any] | None = None
    """Its recommendation; None before that."""


class TrialRecord(Struct, frozen=True):
    """One evaluation that a sampler asked for."""

    study_id: int
    number: int
    """From 0 within the study."""
    state: TrialState
    params: Mapping[str, Any]
    attributes: Mapping[str, Any] = {}
    """The sampler's own, and ours: JSON."""
    steps: Sequence[float] = ()
    """Intermediate values for a pruner; step 0 first."""
    value: float | None = None
    started_at: str = ""
    """Empty before it is stored: now."""
    ended_at: str | None = None


class EncounterRecord(Struct, frozen=True):
    """One point over numbered pairs against ``second``, or, where that is None, against the
    opponent of that number or the base."""

    number: int
    """From 0 within the study; the pairing's number in its event."""
    phase: Phase
    """What it is for: to find good points, to choose among the leading ones, or to measure the gain
    of the recommended one."""
    first: Mapping[str, Any]
    first_pair: int
    """Number of the first pair, from 0."""
    pairs: int
    trial: int | None = None
    """Number of the trial that it belongs to; None: to none, as in a choice between points."""
    second: Mapping[str, Any] | None = None
    opponent: int | None = None
    """Place, from 0, among the study's opponents; ``second`` is None then."""
    scores: Scores = ()
    """One a pair, in order: of games the share of the points that ``first`` won, 0 to 1; of effort
    ln(effort of ``first`` / effort of the base). None if the pair could not be played. Empty until
    all are known."""

    @property
    def pair_numbers(self) -> range:
        """The numbers of its pairs."""
        return range(self.first_pair, self.first_pair + self.pairs)
