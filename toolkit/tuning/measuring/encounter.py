"""Encounters: the measurements of a study, and their evaluators.

An encounter plays one point of the space against another one, the base, or one of the study's
opponents, over numbered pairs. For an objective of games, a pair is a game pair and its number
determines the opening; for an effort objective (nodes, time) it is a position. The same number
means the same opening or position in every encounter of a study, regardless of the number of
workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from toolkit.tuning.space.point import Point

Phase = Literal["search", "choice", "gain"]
"""What an encounter is for: to find good points, to choose among the leading ones, or to measure
the gain of the recommended one."""


@dataclass(frozen=True, slots=True)
class Encounter:
    """Pairs of one point against something else."""

    number: int
    """From 0 within the study; games have it as their pairing."""
    phase: Phase
    first: Point
    first_pair: int
    """Number of the first pair, from 0."""
    pairs: int
    trial: int | None = None
    second: Point | None = None
    """None: the base, or the opponent."""
    opponent: int | None = None
    """Place, from 0, among the study's opponents; ``second`` is None then."""

    @property
    def pair_numbers(self) -> range:
        """The numbers of its pairs."""
        return range(self.first_pair, self.first_pair + self.pairs)


@dataclass(frozen=True, slots=True)
class Finished:
    """An encounter that was measured."""

    encounter: Encounter
    scores: tuple[float | None, ...]
    """One a pair, in order: of games the share of the points that ``first`` won, 0 to 1; of effort
    ln(effort of ``first`` / effort of the base). None if the pair could not be played."""


class Evaluator(Protocol):
    """What measures encounters, several at a time, by processes that live as long as it does."""

    def submit(self, encounter: Encounter) -> None:
        """Have an encounter measured. Does not wait."""

    def next_finished(self) -> Finished | None:
        """Wait for any submitted encounter; None when the study was asked to stop.

        Raises EngineProblem if nothing can be measured any more, DatabaseError.
        """

    def close(self) -> None:
        """End the processes; finished results have been saved."""
