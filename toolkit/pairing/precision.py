"""Pairing until the Elo of each pairing is known: matches and gauntlets that stop when it is.

Every pairing whose 95 % error is still larger than the goal plays as many pairs in each round, so
that the event depends on settings and results alone. The error is the one that is printed with the
Elo of a pairing (:func:`toolkit.stats.match.match_statistics`, by pairs).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from toolkit.pairing.adaptive import Knowledge
from toolkit.pairing.rounds import Meeting, PlayedRound, Round
from toolkit.stats.elo import Z95


class PrecisionPairer:
    """The rounds of such an event."""

    one_round = False
    critical = Z95

    def __init__(
        self,
        pairings: Sequence[tuple[int, int]],
        error_elo: float,
        *,
        round_pairs: int,
        most_pairs: int,
        most_per_pairing: int,
    ) -> None:
        """``error_elo``: the goal. ``round_pairs`` and ``most_pairs`` are of all pairings together,
        ``most_per_pairing`` of one, as of a book whose lines may not repeat."""
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
        errors = self._errors(rounds)
        out = rounds[-1].walkovers if rounds else frozenset()
        open_ = [
            at
            for at, players in enumerate(self._pairings)
            if self._is_open(errors[at]) and used[at] < self._room and out.isdisjoint(players)
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
        settled are those whose error is too large."""
        if not rounds:
            return None
        errors = self._errors(rounds)
        known = [one for one in errors if one is not None]
        largest = max(known) if len(known) == len(errors) else None
        unsettled = sum(map(self._is_open, errors))
        return Knowledge(unsettled == 0, largest, unsettled, self.critical)

    def _is_open(self, error: float | None) -> bool:
        return error is None or error > self._error

    def _errors(self, rounds: Sequence[PlayedRound]) -> list[float | None]:
        """The error of each pairing; None where an end of its interval is open."""
        from toolkit.stats.match import match_statistics

        counts = [[0] * 5 for _ in self._pairings]
        for at, half_points in _scores(rounds):
            counts[at][half_points] += 1
        found: list[float | None] = []
        for one in counts:
            match = match_statistics(one) if any(one) else None
            ends = (None,) if match is None else (match.elo_low95, match.elo_high95)
            found.append(None if match is None or None in ends else match.elo_error95)
        return found

    def _title(self, number: int, known: Knowledge | None) -> str:
        if known is None:
            return f"round {number}"
        error = known.largest_error95
        largest = "no error known yet" if error is None else f"largest error ±{error:.1f}"
        return f"round {number}, {largest}, goal ±{self._error:g}"


def _scores(rounds: Sequence[PlayedRound]) -> Iterator[tuple[int, int]]:
    """The pairing and the half points of the first player of each pair."""
    for played in rounds:
        for meeting in played.round.meetings:
            for points in played.points(meeting):
                yield meeting.pairing, sum(points)
