"""The final choice: the leading points play again, on openings that no trial saw.

The point that leads after the search leads partly by luck. So the leading points play fresh pairs
by successive halving (Karnin et al., ICML 2013): all points of a round play the same openings, the
better half continues, and every round gets the same share of the budget. The deciding estimate
combines the fresh pairs and the result of the search, weighted by their variances; the search
contributes a posterior mean, never a raw one. The base plays no pairs against itself: its worth is
0, and it is chosen unless a point's estimate is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.tuning.space.point import Point

BASE: Final = -1
"""Stands for the base where candidates are numbered from 0."""
FEWEST_PAIRS = 4
"""Pairs of a candidate in a round; with a smaller budget fewer candidates begin."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point that may be recommended, with the posterior of its worth after the search."""

    point: Point
    mean: float
    sd: float
    """Infinite: the search says nothing of it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Fresh pairs for one candidate (or ``BASE``)."""

    candidate: int
    first_pair: int
    pairs: int
    """Pair numbers; against several opponents each is played once with every one of them."""


@dataclass(frozen=True, slots=True)
class CandidateStanding:
    """A candidate after a round."""

    candidate: int
    pairs: int
    """Fresh pair numbers that counted so far."""
    fresh: float
    """Their mean worth over the base; 0 without pairs."""
    estimate: float
    """Weighed with the posterior of the search."""
    sd: float
    kept: bool
    """Whether it plays on, or won the last round."""


class Choice:
    """Successive halving among candidates within a budget of pairs.

    Call :meth:`round`, play the replays, :meth:`tell` their worths, and repeat until there are no
    more replays. The choice depends only on its arguments and the reported worths, so it can be
    rebuilt from stored scores. ``variance`` is the variance of one pair number's worth.
    ``base_plays``: candidates play opponents only, so the base plays these as well.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        first_pair: int,
        pairs: int,
        *,
        variance: float,
        opponents: int = 1,
        base_plays: bool = False,
    ) -> None:
        self.candidates = tuple(candidates)
        self.next_pair = first_pair
        """First pair number that no round has used."""
        self.spent = 0
        """Pairs of the rounds so far, all opponents together; never more than the budget."""
        self.rounds: list[tuple[CandidateStanding, ...]] = []
        self._budget = pairs
        self._variance = max(variance, 1e-12)
        self._opponents = opponents
        self._base_plays = base_plays
        self._weights = [0] * len(candidates)
        self._sums = [0.0] * len(candidates)
        self._left = list(range(len(candidates)))
        while self._left and self._pairs_of_round() < FEWEST_PAIRS:
            self._left.pop()
        if not self._left and candidates and self._affords(1):
            self._left = [0]
        self._asked: tuple[Replay, ...] = ()
        self._over = not self._left

    @property
    def finished(self) -> bool:
        """Whether no round is left."""
        return self._over

    @property
    def winner(self) -> int | None:
        """The best candidate so far; None: no candidate beats the base."""
        if not self._left:
            return None
        best = max(self._left, key=lambda one: (self.estimate(one)[0], -one))
        return best if self.estimate(best)[0] > 0.0 and (self.rounds or not self._over) else None

    def round(self) -> tuple[Replay, ...]:
        """The replays of the next round, unchanged until they are reported; none when finished."""
        if self._over:
            return ()
        if not self._asked:
            pairs = self._pairs_of_round()
            players = [BASE] * self._base_plays + sorted(self._left)
            self._asked = tuple(Replay(one, self.next_pair, pairs) for one in players)
        return self._asked

    def tell(self, worths: Mapping[int, Sequence[float | None]]) -> None:
        """Report the worths of the round's replays by candidate, one per pair number, in order.

        :raises ValueError: other candidates or numbers of pairs than requested.
        """
        asked = {replay.candidate: replay.pairs for replay in self.round()}
        if asked != {one: len(values) for one, values in worths.items()} or not asked:
            raise ValueError("worths of other replays than those of the round")
        base = worths.get(BASE)
        for one in self._left:
            for place, value in enumerate(worths[one]):
                reference = 0.0 if base is None else base[place]
                if value is not None and reference is not None:
                    self._weights[one] += 1
                    self._sums[one] += value - reference
        pairs = self._asked[0].pairs
        self.next_pair += pairs
        self.spent += pairs * len(self._asked) * self._opponents
        self._asked = ()
        self._halve()

    def estimate(self, candidate: int) -> tuple[float, float]:
        """Mean and standard deviation of a candidate's worth over the base."""
        prior = self.candidates[candidate]
        precision = self._weights[candidate] / self._variance
        weighed = self._sums[candidate] / self._variance
        if math.isfinite(prior.sd):
            before = max(prior.sd, 1e-9) ** -2
            precision, weighed = precision + before, weighed + before * prior.mean
        return (weighed / precision, precision**-0.5) if precision else (0.0, math.inf)

    def _halve(self) -> None:
        """Keep the better half, and note how all of the round stand."""
        order = sorted(self._left, key=lambda one: (-self.estimate(one)[0], one))
        kept = set(order[: (len(order) + 1) // 2])
        standings = []
        for one in order:
            pairs = self._weights[one]
            fresh = self._sums[one] / pairs if pairs else 0.0
            standings.append(CandidateStanding(one, pairs, fresh, *self.estimate(one), one in kept))
        self._over = len(order) == 1
        self._left = sorted(kept)
        if len(self._left) == 1 or not self._pairs_of_round():
            self._over = True
        self.rounds.append(tuple(standings))

    def _pairs_of_round(self) -> int:
        """Pair numbers of the next round: each round gets an equal share of the remaining pairs."""
        rounds = max(math.ceil(math.log2(len(self._left))), 1)
        return (self._budget - self.spent) // rounds // self._price(len(self._left))

    def _price(self, candidates: int) -> int:
        """Pairs of one pair number of a round."""
        return (candidates + self._base_plays) * self._opponents

    def _affords(self, candidates: int) -> bool:
        return self._budget >= self._price(candidates)
