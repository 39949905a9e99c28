"""Encounters: the measurements of a study, and their evaluators.

An encounter plays one point of the space against another one, the base, or one of the study's
opponents, over numbered pairs. For an objective of games, a pair is a game pair and its number
determines the opening; for an effort objective (nodes, time) it is a position. The same number
means the same opening or position in every encounter of a study, regardless of the number of
workers.
"""

from __future__ import annotations

from typing import Protocol

from db.records.studies import EncounterRecord


class Evaluator(Protocol):
    """What measures encounters, several at a time, by processes that live as long as it does."""

    def submit(self, encounter: EncounterRecord) -> None:
        """Have an encounter measured. Does not wait."""

    def next_finished(self) -> EncounterRecord | None:
        """Wait for any submitted encounter; None when the study was asked to stop.

        Raises EngineProblem if nothing can be measured any more, DatabaseError.
        """

    def close(self) -> None:
        """End the processes; finished results have been saved."""
