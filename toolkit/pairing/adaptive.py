"""Adaptive pairing: rounds of fixed size with the most informative pairings, until the goal.

After each round the joint fit of :mod:`toolkit.stats.ratings` to all results so far says what is
known. The event ends when the goal is reached:

* a number of Elo: the 95 % error of every rating, as the rating list shows it, is at most that;
* the order: every two engines differ significantly, or their difference is inside the indifference
  zone, which means that its whole interval is.

For the order, intervals hold for all looks together (:mod:`toolkit.stats.repeated_looks`).
The order is wrong only if the interval of two neighbours in the true order misses their difference
on one side, so each of these n − 1 pairings gets ``ALPHA``/(n − 1) on that side.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from toolkit.pairing.rounds import Meeting, PlayedRound, Round
from toolkit.stats.elo import Z95
from toolkit.stats.repeated_looks import critical_value

if TYPE_CHECKING:
    from toolkit.stats.likelihood import Ints
    from toolkit.stats.outcome import Floats
    from toolkit.stats.ratings import Pool

ALPHA = 0.05
"""Probability of a wrong order, at most."""
_PRIOR_ELO = 800.0
"""Standard deviation of the prior of ratings while some engine has won or lost everything, so that
pairs can be allocated before there is a fit without it."""


class Knowledge(Struct, frozen=True):
    """What is known after complete rounds."""

    reached: bool
    """Whether the goal is reached."""
    largest_error95: float | None
    """Elo; the largest error of a rating. None while some engine has won or lost everything."""
    unsettled: int
    """Pairings whose order is not settled."""
    critical: float | None
    """Standard deviations by which a difference is significant at any look; None where intervals of
    another kind are."""


class AdaptiveGoal(Struct, frozen=True):
    """When to stop, in numbers."""

    error_elo: float | None
    """Largest error of a rating; None if the goal is the order."""
    zone_elo: float
    """Indifference zone of the order; 0 for none."""


class AdaptivePairer:
    """The rounds of an adaptive round robin."""

    one_round = False

    def __init__(
        self,
        players: int,
        goal: AdaptiveGoal,
        *,
        round_pairs: int,
        most_pairs: int,
        most_per_pairing: int,
    ) -> None:
        """``most_per_pairing``: pairs of one pairing, as of a book whose lines may not repeat."""
        from itertools import combinations

        self._players, self._goal, self._round_pairs = players, goal, round_pairs
        self._pairings = list(combinations(range(players), 2))
        self._room = most_per_pairing
        self.most_pairs = min(most_pairs, most_per_pairing * len(self._pairings))
        self.book_step = math.ceil(self.most_pairs / len(self._pairings))
        self._known: tuple[int, Pool | None, Knowledge] | None = None
        looks = math.ceil(self.most_pairs / round_pairs)
        self.critical = critical_value(
            min(2.0 * ALPHA / (players - 1), 0.5),
            looks,
            max(self.most_pairs * len(self._pairings) / round_pairs, 1.0),
        )

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The next round; None if the goal is reached or no pair is left."""
        used = [0] * len(self._pairings)
        for played in rounds:
            for meeting in played.round.meetings:
                used[meeting.pairing] += meeting.pairs
        pairs = min(self._round_pairs, self.most_pairs - sum(used))
        if pairs <= 0:
            return None
        if not rounds:
            return self._round(1, used, self._spread(pairs), None)
        pool, known = self._look(rounds)
        if known.reached:
            return None
        given = self._spread(pairs) if pool is None else self.allocation(pool, used, pairs)
        return self._round(len(rounds) + 1, used, given, known)

    def knowledge(self, rounds: Sequence[PlayedRound]) -> Knowledge | None:
        """What is known after these rounds; None before the first one."""
        return self._look(rounds)[1] if rounds else None

    def allocation(self, pool: Pool, used: Sequence[int], pairs: int) -> Ints:
        """How many of the next pairs each pairing gets."""
        import numpy as np

        from toolkit.stats.allocation import allocate, pair_information

        first, second = np.array(self._pairings, dtype=np.intp).T
        differences = pool.estimates[first] - pool.estimates[second]
        return allocate(
            pool.covariance,
            (first, second),
            pair_information(differences, pool.white_advantage, pool.draw_rate),
            self._criterion(pool),
            pairs,
            self._room - np.array(used, dtype=np.intp),
        )

    def _spread(self, pairs: int) -> list[int]:
        """The first round: dealt out along circles, neighbours first, so that all are connected and
        have about as many pairs, and every pairing has as many if there are enough."""
        number = {pairing: at for at, pairing in enumerate(self._pairings)}
        n = self._players
        order = [
            number[min(one, (one + step) % n), max(one, (one + step) % n)]
            for step in range(1, n // 2 + 1)
            for one in range(n // 2 if 2 * step == n else n)
        ]
        each, more = divmod(pairs, len(order))
        given = [each] * len(order)
        for at in order[:more]:
            given[at] += 1
        return given

    def _round(
        self, number: int, used: Sequence[int], given: Sequence[int] | Ints, known: Knowledge | None
    ) -> Round:
        meetings = [
            Meeting(at, *self._pairings[at], used[at], int(pairs))
            for at, pairs in enumerate(given)
            if pairs > 0
        ]
        return Round(
            title=f"round {number}{self._title(known)}",
            meetings=tuple(meetings),
            expected_pairs=self._expected(sum(used), known),
        )

    def _title(self, known: Knowledge | None) -> str:
        if known is None:
            return ""
        if self._goal.error_elo is None:
            return f", {known.unsettled} of {len(self._pairings)} pairings unsettled"
        if known.largest_error95 is None:
            return ", no error known yet"
        return f", largest error ±{known.largest_error95:.1f}, goal ±{self._goal.error_elo:g}"

    def _expected(self, used: int, known: Knowledge | None) -> float | None:
        """Errors shrink as the square root of the number of pairs. Before the first round: for
        equal engines that draw half of their games and meet equally often."""
        goal, n = self._goal.error_elo, self._players
        if goal is None or (known is not None and known.largest_error95 is None):
            return None
        if known is not None and known.largest_error95 is not None:
            pairs = used * (known.largest_error95 / goal) ** 2
        else:
            import numpy as np

            from toolkit.stats.allocation import pair_information

            # With w on each of the n(n - 1)/2 differences, a rating has the variance (n - 1)/(n²w).
            of_pair = float(pair_information(np.zeros(1), 0.0, 0.5)[0])
            pairs = len(self._pairings) * (n - 1) / n**2 / of_pair * (Z95 / goal) ** 2
        return min(max(pairs, float(self._round_pairs)), float(self.most_pairs))

    def _look(self, rounds: Sequence[PlayedRound]) -> tuple[Pool | None, Knowledge]:
        """The fit after these rounds, and what it says."""
        if self._known is None or self._known[0] != len(rounds):
            pool, plain = _fit(self._players, rounds)
            self._known = (len(rounds), pool, self._judge(pool, plain))
        return self._known[1:]

    def _judge(self, pool: Pool | None, plain: bool) -> Knowledge:
        import numpy as np

        if pool is None:
            return Knowledge(False, None, len(self._pairings), self.critical)

        errors = Z95 * np.sqrt(np.maximum(np.diag(pool.covariance), 0.0))
        variance, needed = self._of_differences(pool, pool.covariance)
        unsettled = int(np.triu(variance > needed, 1).sum())
        goal = self._goal.error_elo
        largest = float(errors.max()) if plain else None
        reached = unsettled == 0 if goal is None else largest is not None and largest <= goal
        return Knowledge(reached, largest, unsettled, self.critical)

    def _of_differences(self, pool: Pool, covariance: Floats) -> tuple[Floats, Floats]:
        """Variances of all differences, and the largest ones at which they are settled."""
        import numpy as np

        from toolkit.stats.uncertainty import variances_of_differences

        place = np.arange(self._players)
        variance = variances_of_differences(covariance, place[:, None], place[None, :])
        apart = np.abs(pool.estimates[:, None] - pool.estimates[None, :])
        reach = np.maximum(apart, self._goal.zone_elo - apart)
        return variance, np.asarray((reach / self.critical) ** 2, dtype=np.float64)

    def _criterion(self, pool: Pool) -> _Criterion:
        return _Criterion(self, pool)

    def wanted(self, pool: Pool, covariance: Floats) -> Floats:
        """The criterion of the allocation: the sum of the variances that are too large still, of
        ratings or of differences, as the matrix A of tr(A·C)."""
        import numpy as np

        if self._goal.error_elo is not None:
            enough = (self._goal.error_elo / Z95) ** 2
            return np.diag((np.diag(covariance) > enough).astype(np.float64))
        variance, needed = self._of_differences(pool, covariance)
        edges = (variance > needed).astype(np.float64)
        np.fill_diagonal(edges, 0.0)
        return np.diag(edges.sum(axis=1)) - edges


class _Criterion:
    """The criterion at one fit."""

    def __init__(self, pairer: AdaptivePairer, pool: Pool) -> None:
        self._pairer, self._pool = pairer, pool

    def __call__(self, covariance: Floats) -> Floats:
        return self._pairer.wanted(self._pool, covariance)


def _fit(players: int, rounds: Sequence[PlayedRound]) -> tuple[Pool | None, bool]:
    """The joint fit of all players in the order of their positions, and whether it needed no
    prior. None if some player has no game, because its pairs were given up."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from toolkit.stats.ratings import RatingOptions, rate

    games, pairs = _counts(players, rounds)
    if len({name for game in games for name in game[:2]}) < players:
        return None, False
    found = rate(games, pairs)
    if len(found.pools) == 1 and not any(line.bound for line in found.players):
        return found.pools[0], True
    return rate(games, pairs, RatingOptions(prior=_PRIOR_ELO)).pools[0], False


def _counts(
    players: int, rounds: Sequence[PlayedRound]
) -> tuple[list[tuple[str, str, int, int, int]], list[tuple[str, str, list[int]]]]:
    """Games by encounter and whole pairs, as the fit takes them. Names sort as positions do."""
    names = [f"{at:06d}" for at in range(players)]
    games: dict[tuple[int, int], list[int]] = {}
    pairs: dict[tuple[int, int], list[int]] = {}
    for played in rounds:
        for meeting in played.round.meetings:
            one, two = meeting.first, meeting.second
            for first, second in played.points(meeting):
                # Results from White's view: 0 won, 1 draw, 2 lost; the first has White at first.
                games.setdefault((one, two), [0, 0, 0])[2 - first] += 1
                games.setdefault((two, one), [0, 0, 0])[second] += 1
                pairs.setdefault((one, two), [0] * 9)[3 * (2 - first) + second] += 1
    return (
        [(names[w], names[b], *counts) for (w, b), counts in games.items()],  # type: ignore[misc]
        [(names[one], names[two], joint) for (one, two), joint in pairs.items()],
    )
