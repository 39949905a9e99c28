"""Rounds: what is played before the next decision, and how it ended.

A *pairer* decides each round from the complete rounds before it and from nothing else. So the
schedule of an event depends on its settings and results alone, whatever the number of workers and
however often it was interrupted, and it is derived again from the stored results whenever the event
is resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from msgspec import Struct

PairPoints = tuple[int, int]
"""Half points of the first player in the two games of a pair; it has White in the first game."""
PairPlace = tuple[int, int]
"""Number of the pairing in the event, and of the pair in the pairing."""


class Meeting(Struct, frozen=True):
    """Game pairs of two players in one round."""

    pairing: int
    """Number of the pairing in the event; the same two players keep it in later rounds."""
    first: int
    """Position of the player with White in the first game of each pair; lower than ``second``."""
    second: int
    start: int
    """Number of the first pair."""
    pairs: int

    @property
    def places(self) -> Iterator[PairPlace]:
        """The places of the pairs."""
        return ((self.pairing, pair) for pair in range(self.start, self.start + self.pairs))


class Round(Struct, frozen=True):
    """What is played before the pairer decides again."""

    title: str
    """Such as ``round 2 of 5`` or ``semi-finals``."""
    meetings: tuple[Meeting, ...]
    byes: tuple[int, ...] = ()
    """Positions of players without an opponent in this round."""
    expected_pairs: float | None = None
    """Estimate for the whole event, of all its rounds; None if there is none."""

    @property
    def pairs(self) -> int:
        """Game pairs of the round."""
        return sum(meeting.pairs for meeting in self.meetings)


class PlayedRound(Struct, frozen=True):
    """A complete round: every pair was played or given up."""

    round: Round
    results: Mapping[PairPlace, PairPoints]
    """At least those of the round; a pair that was given up is not here."""
    walkovers: AbstractSet[int] = frozenset()
    """Positions of players that could not play: their opponents win the pairs that were given up.
    Such a win decides who advances, and says nothing about strength."""

    def points(self, meeting: Meeting) -> list[PairPoints]:
        """The results of a meeting of this round, without pairs that were given up."""
        return [self.results[place] for place in meeting.places if place in self.results]

    def half_points(self, meeting: Meeting) -> tuple[int, int]:
        """Half points of the first and of the second player of a meeting, walkovers included."""
        points = self.points(meeting)
        first = sum(one + two for one, two in points)
        second = 4 * len(points) - first
        given_up = meeting.pairs - len(points)
        if meeting.second in self.walkovers and meeting.first not in self.walkovers:
            first += 4 * given_up
        if meeting.first in self.walkovers and meeting.second not in self.walkovers:
            second += 4 * given_up
        return first, second


class Pairer(Protocol):
    """Decides the rounds of an event."""

    one_round: bool
    """Whether the first round is the only one, so that results decide nothing."""
    most_pairs: int
    """No event of this pairer has more pairs."""
    book_step: int
    """Lines of the book from the first one of a pairing to that of the next."""

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The round after these, which are all so far; None if the event is over."""


class OneRound:
    """Every two players of a list meet in as many pairs: match, gauntlet, round robin."""

    one_round = True

    def __init__(self, pairings: Sequence[tuple[int, int]], pairs: int) -> None:
        self.most_pairs = pairs * len(pairings)
        self.book_step = pairs
        self._round = Round(
            title="",
            meetings=tuple(
                Meeting(number, first, second, 0, pairs)
                for number, (first, second) in enumerate(pairings)
            ),
            expected_pairs=self.most_pairs,
        )

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The only round, then nothing."""
        return None if rounds else self._round
