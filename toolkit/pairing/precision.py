"""Pairing until the Elo of each pairing is known: matches and gauntlets that stop when it is.

Every pairing that has not reached the goal plays as many pairs in each round, so that the event
depends on settings and results alone. The goal is an error of Elo, or an interval without 0; the
interval is the one that is printed with the Elo of a pairing, which is valid at any look
(:func:`toolkit.stats.anytime.anytime_interval`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolkit.pairing.adaptive import Knowledge
from toolkit.pairing.rounds import Meeting, PlayedRound, Round

if TYPE_CHECKING:
    from toolkit.stats.anytime import AnytimeInterval


class PrecisionPairer:
    """The rounds of such an event."""

    one_round = False

    def __init__(
        self,
        pairings: Sequence[tuple[int, int]],
        error_elo: float | None,
        *,
        round_pairs: int,
        most_pairs: int,
        most_per_pairing: int,
    ) -> None:
        """``error_elo``: the goal; None: until it is known which engine is better. ``round_pairs``
        and ``most_pairs`` are of all pairings together, ``most_per_pairing`` of one, as of a book
        whose lines may not repeat."""
        self._pairings, self._error = pairings, error_elo
        self._round_pairs, self._room = round_pairs, most_per_pairing
        self.most_pairs = min(most_pairs, most_per_pairing * len(pairings))
        self.book_step = math.ceil(self.most_pairs / len(pairings))

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The next round; None if the goal is reached or no pair is left."""
        used = Counter[int]()
        for played in rounds:
            for meeting in played.round.meetings:
                used[meeting.pairing] += meeting.pairs
        known = self.knowledge(rounds)
        known_of = self._intervals(rounds)
        out = rounds[-1].walkovers if rounds else frozenset()
        open_ = [
            at
            for at, players in enumerate(self._pairings)
            if self._is_open(known_of[at]) and used[at] < self._room and out.isdisjoint(players)
        ]
        left = min(self._round_pairs, self.most_pairs - used.total())
        each, more = divmod(max(left, 0), len(open_)) if open_ else (0, 0)
        shares = [each + (place < more) for place in range(len(open_))]
        meetings = tuple(
            Meeting(at, *self._pairings[at], used[at], min(share, self._room - used[at]))
            for at, share in zip(open_, shares, strict=True)
            if share
        )
        return Round(self._title(len(rounds) + 1, known), meetings) if meetings else None

    def knowledge(self, rounds: Sequence[PlayedRound]) -> Knowledge | None:
        """What is known after these rounds; None before the first one. The pairings that are not
        settled are those that have not reached the goal."""
        if not rounds:
            return None
        intervals = self._intervals(rounds)
        errors = [_error(one) for one in intervals]
        known = [one for one in errors if one is not None]
        largest = max(known) if len(known) == len(errors) else None
        unsettled = sum(map(self._is_open, intervals))
        return Knowledge(unsettled == 0, largest, unsettled, None)

    def _is_open(self, interval: AnytimeInterval) -> bool:
        if self._error is None:
            return interval.low <= 0.5 <= interval.high
        error = _error(interval)
        return error is None or error > self._error

    def _intervals(self, rounds: Sequence[PlayedRound]) -> list[AnytimeInterval]:
        """The interval of each pairing."""
        from toolkit.stats.anytime import anytime_interval

        counts = [[0] * 5 for _ in self._pairings]
        for at, half_points in _scores(rounds):
            counts[at][half_points] += 1
        return [anytime_interval(one) for one in counts]

    def _title(self, number: int, known: Knowledge | None) -> str:
        if known is None:
            return f"round {number}"
        error = known.largest_error95
        largest = "no error known yet" if error is None else f"largest error ±{error:.1f}"
        if self._error is None:
            return (
                f"round {number}, {known.unsettled} of {len(self._pairings)} undecided, {largest}"
            )
        return f"round {number}, {largest}, goal ±{self._error:g}"


def _error(interval: AnytimeInterval) -> float | None:
    """Half of an interval in Elo; None where an end is open."""
    low, high = interval.elo_low, interval.elo_high
    return None if low is None or high is None else (high - low) / 2.0


def _scores(rounds: Sequence[PlayedRound]) -> Iterator[tuple[int, int]]:
    """The pairing and the half points of the first player of each pair."""
    for played in rounds:
        for meeting in played.round.meetings:
            for points in played.points(meeting):
                yield meeting.pairing, sum(points)
