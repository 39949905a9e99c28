"""Pairing of a race: the next block for the candidates that may still turn out best.

Each round is a block of pairs of every candidate that :func:`toolkit.stats.race.next_block` names,
the first round one of all. Pair *k* of every candidate has the same opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.base.format import count_of
from toolkit.pairing.rounds import Meeting, PlayedRound, Round

if TYPE_CHECKING:
    from toolkit.stats.race import Floats, Judgement
    from toolkit.stats.race_rule import RaceRule


class RacePairer:
    """The rounds of a race. The candidates are the players before the base, which is the last."""

    one_round = False

    def __init__(
        self,
        candidates: int,
        rule: RaceRule,
        *,
        block: int,
        most_pairs: int,
        most_per_pairing: int,
    ) -> None:
        """``block``: pairs of a candidate in a round. ``most_pairs``: of the race,
        ``most_per_pairing`` of a candidate, as of a book whose lines may not repeat."""
        self._candidates, self._rule, self._block = candidates, rule, block
        self._room = most_per_pairing
        self.most_pairs = min(most_pairs, most_per_pairing * candidates)
        self.book_step = 0
        self._counted: tuple[int, list[list[int]], list[int]] = self._nothing()

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The next round; None if the race is decided, or no pair is left."""
        import numpy as np

        from toolkit.stats.race import at_most, best_first, evidence, judge, next_block

        counts, used = self._count(rounds)
        judged = judge(evidence(counts, self._rule), self._rule)
        out = rounds[-1].walkovers if rounds else frozenset[int]()
        can_play = [
            used[at] < self._room and out.isdisjoint((at, self._candidates))
            for at in range(self._candidates)
        ]
        order, room = best_first(counts), self._room - np.array(used)
        wanted = np.minimum(next_block(counts, judged.open & can_play, self._block), room)
        pairs = at_most(wanted, order, self.most_pairs - sum(used)).tolist()
        meetings = [
            Meeting(at, at, self._candidates, used[at], pairs[at])
            for at in order.tolist()
            if pairs[at]
        ]
        return Round(self._title(len(rounds) + 1, judged), tuple(meetings)) if meetings else None

    def _title(self, number: int, judged: Judgement) -> str:
        accepted, dropped = int(judged.accepted.sum()), int(judged.dropped.sum())
        open_ = self._candidates - accepted - dropped
        known = [f"{n} {what}" for n, what in ((accepted, "accepted"), (dropped, "dropped")) if n]
        return f"round {number}, {', '.join([*known, count_of(open_, 'candidate') + ' open'])}"

    def _count(self, rounds: Sequence[PlayedRound]) -> tuple[Floats, list[int]]:
        """Pairs by the candidate's score, and pairs that were to be played, of each. Those of all
        rounds but the last are kept: a race has many, and asks after each of them."""
        import numpy as np

        if self._counted[0] >= max(len(rounds), 1):
            self._counted = self._nothing()
        for number in range(self._counted[0], max(len(rounds) - 1, 0)):
            _add(rounds[number], self._counted[1], self._counted[2])
            self._counted = (number + 1, *self._counted[1:])
        counts, used = [list(row) for row in self._counted[1]], list(self._counted[2])
        if rounds:
            _add(rounds[-1], counts, used)
        return np.array(counts, dtype=np.float64), used

    def _nothing(self) -> tuple[int, list[list[int]], list[int]]:
        return 0, [[0] * 5 for _ in range(self._candidates)], [0] * self._candidates


def _add(played: PlayedRound, counts: list[list[int]], used: list[int]) -> None:
    for meeting in played.round.meetings:
        used[meeting.pairing] += meeting.pairs
        for points in played.points(meeting):
            counts[meeting.pairing][sum(points)] += 1
