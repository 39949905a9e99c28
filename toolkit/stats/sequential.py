"""Strength estimates after a sequential test, and the expected course of a test.

The log-likelihood ratio of a running test is modelled as a Brownian motion whose drift and variance
follow from the distribution of results at each strength, with the bounds shifted outward by the
mean overshoot (see :mod:`toolkit.stats.brownian`). This is accurate for tests with many steps;
short tests are planned with the walk of single results (:mod:`toolkit.stats.walk`).

Sources: D. Siegmund, "Sequential Analysis" (1985), chapter III, for the ordering of outcomes and
the overshoot; M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation
value of a distribution" (2020), for drift and variance; fishtest ``stats/sprt.py`` for the use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .brownian import OVERSHOOT, Motion
from .counts import checked_counts
from .elo import NORMALIZED_ELO, score_of_elo
from .errors import StatisticsError
from .match import match_statistics
from .profile import added_games, elo_at_roots
from .roots import root_between
from .simulate import llr_many
from .sprt import (
    FARTHEST_ELO,
    ZERO_COUNT,
    SprtTest,
    Verdict,
    bayes_draw_elo,
    hypotheses,
    llr,
    mean_and_variance,
    most_likely_with_mean,
    most_likely_with_t,
    score_of_bayes_elo,
    support,
    t_of_nelo,
)
from .walk import walk_ending

FEW_UNITS = 300.0
"""A test that is shorter on average is planned step by step: its steps are a tenth of the way from
bound to bound and more, and pass a bound by what is theirs, not by the mean of small steps."""

_LAG_RUNS = 8000
_NO_DRIFT = 0.1
"""Log-likelihood; of a test that is not carried this far by its drift the lag is no number."""
_STRENGTHS = 7
"""Strengths over which the expected length of a running test is averaged."""


@dataclass(frozen=True, slots=True)
class SequentialEstimate:
    """Strength after a sequential test, median-unbiased: too high as often as too low."""

    elo: float
    elo_low95: float | None
    """``None``, here and below: everything was lost, or won, and sets no such bound."""
    elo_high95: float | None
    nelo: float
    nelo_low95: float | None
    nelo_high95: float | None


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """What a test does at one true strength."""

    true_elo: float
    """In the unit of the test's hypotheses."""
    elo: float
    nelo: float
    pass_rate: float
    """Chance of H1."""
    fail_rate: float
    """Chance of H0."""
    no_verdict_rate: float
    """Chance of neither by the limit; 0 without one."""
    mean_units: float
    """Expected game pairs (games for trinomial tests)."""
    units95: float
    """With 95 % chance the test is over by then; the limit where that comes first."""


def sequential_estimate(counts: Sequence[int], test: SprtTest) -> SequentialEstimate:
    """Estimate from the counts at which a test stopped, or from those of a running one.

    The ordinary estimate is biased by the stop: a test that ends early with H1 does so on a lucky
    run. Here outcomes are ordered from worst to best: H0 early, H0 late, no verdict by its
    log-likelihood ratio, H1 late, H1 early. The estimate is the strength at which this outcome or a
    worse one has a probability of ½; at the ends of the interval this probability is 97.5 % and
    2.5 %.

    Strength is measured relative to the counts, in standard deviations r of their score (the signed
    root of :mod:`toolkit.stats.profile`): at such a strength, the expected ratio after n units is
    r·√(n·v) below the current one, where v is the variance of its steps. So the probability falls
    with strength for any counts, and if the bounds are out of reach, the interval is that of a
    match.

    The estimate is meaningless for counts that no test can reach, see
    :func:`could_be_stopped_at`.

    :raises StatisticsError: no results, bad counts, or a model that does not know them.
    """
    counts = checked_counts(counts)
    units = sum(counts)
    if not units:
        raise StatisticsError("there are no results to estimate from")
    ratio = llr(counts, test)
    verdict = test.decide(ratio)
    steps = _steps(counts, test)

    def worse(root: float) -> float:
        motion = replace(steps, drift=_drift(ratio, root, steps, units))
        return _chance_of_worse(motion, verdict, float(units), ratio)

    # The weaker the player, the more likely is a worse outcome.
    roots = [_rising_root(worse, chance) for chance in (0.975, 0.5, 0.025)]
    elos = elo_at_roots(np.array([counts] * 3, dtype=np.float64), np.array(roots))
    low, elo, high = np.clip(elos, -FARTHEST_ELO, FARTHEST_ELO).tolist()
    p = regularised(added_games(np.array([counts], dtype=np.float64))[0].tolist())
    nelo, nelo_low, nelo_high = (
        nelo_of(most_likely_with_mean(p, score_of_elo(end))) for end in (elo, low, high)
    )
    # Where nearly all results are one, it does not rise with Elo: the spread changes more.
    ordered = sorted((nelo, nelo_low, nelo_high))
    all_lost, all_won = (sum(counts) == counts[end] for end in (0, -1))
    return SequentialEstimate(
        elo=elo,
        elo_low95=None if all_lost else low,
        elo_high95=None if all_won else high,
        nelo=nelo,
        nelo_low95=None if all_lost else ordered[0],
        nelo_high95=None if all_won else ordered[-1],
    )


def expected_units(counts: Sequence[int], test: SprtTest, most: float = math.inf) -> float:
    """Expected number of further units of a running test, of at most ``most``.

    The likelihood ratio continues from its current value. The result is the mean over a normal
    distribution of strengths around that of the counts; 0 after a verdict.

    :raises StatisticsError: no results, bad counts, or a model that does not know them.
    """
    match = match_statistics(counts)
    if not match.units:
        raise StatisticsError("there are no results to estimate from")
    ratio = llr(counts, test)
    if test.decide(ratio) != "continue":
        return 0.0
    steps = _steps(counts, test)
    places, weights = np.polynomial.hermite_e.hermegauss(_STRENGTHS)
    weights /= weights.sum()
    mean = 0.0
    for root, weight in zip(places.tolist(), weights.tolist(), strict=True):
        ahead = replace(
            steps,
            low=steps.low - ratio,
            high=steps.high - ratio,
            drift=_drift(ratio, root, steps, match.units),
        )
        mean += weight * min(ahead.mean_time(), most)
    return min(mean, most)


def _steps(counts: Sequence[int], test: SprtTest) -> Motion:
    """The ratio's motion at the strength of the counts with a game added."""
    row = np.array([counts], dtype=np.float64)
    return motion_at(regularised(added_games(row)[0].tolist()), test)


def _drift(ratio: float, root: float, steps: Motion, units: int) -> float:
    """The ratio's drift at a strength this many standard deviations below the counts."""
    return (ratio - root * math.sqrt(steps.variance * units)) / units


def could_be_stopped_at(counts: Sequence[int], test: SprtTest) -> bool:
    """Whether a test can reach these counts: it continues at them, or it continued before the last
    result. Three counts may grow by two games at once, because both games of a pair are added
    together.

    :raises StatisticsError: bad counts, or a model that does not know them.
    """
    if test.decide(llr(counts, test)) == "continue":
        return True
    before = [list(counts)]
    for _ in range(1 if len(counts) == 5 else 2):
        before = [_one_less(row, k) for row in before for k, count in enumerate(row) if count]
        if any(test.decide(llr(row, test)) == "continue" for row in before):
            return True
    return False


def _one_less(counts: Sequence[int], outcome: int) -> list[int]:
    return [count - (k == outcome) for k, count in enumerate(counts)]


def plan(
    test: SprtTest,
    base: Sequence[float],
    true_elos: Sequence[float] | None = None,
    *,
    limit: int | None = None,
) -> tuple[SprtPlan, ...]:
    """Pass rate and length of a test by true strength, without a game.

    ``base`` is the distribution of results between equals or any other, see
    :func:`independent_pairs`; strengths are reached from it by the most likely change.
    ``true_elos`` are in the test's own unit, by default from half a width below ``elo0`` to half a
    width above ``elo1``; ``limit`` is a largest number of units.

    :raises StatisticsError: a strength that ``base`` cannot have or beyond 4000.
    """
    if true_elos is None:
        width = test.elo1 - test.elo0
        true_elos = [test.elo0 + width * part for part in (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)]
    for true_elo in true_elos:
        if not abs(true_elo) <= FARTHEST_ELO:
            far = f"{FARTHEST_ELO:g}"
            raise StatisticsError(
                f"a true strength must be from -{far} to {far} Elo, not {true_elo:g}"
            )
    lags = (_lag(test, base, test.elo0), _lag(test, base, test.elo1))
    return tuple(_plan_row(test, base, true_elo, limit, lags) for true_elo in true_elos)


def independent_games(draw_ratio: float) -> list[float]:
    """Loss, draw, win of one game between equals.

    :raises StatisticsError: not a ratio below 1.
    """
    if not 0.0 <= draw_ratio < 1.0:
        raise StatisticsError(f"the draw ratio must be at least 0 and below 1, not {draw_ratio:g}")
    drawn = min(max(draw_ratio, 1e-9), 1.0 - 2e-9)
    return [(1.0 - drawn) / 2.0, drawn, (1.0 - drawn) / 2.0]


def independent_pairs(draw_ratio: float) -> list[float]:
    """Pentanomial distribution of two games between equals that have nothing in common.

    :raises StatisticsError: not a ratio below 1.
    """
    return pairs_of_games(independent_games(draw_ratio))


def pairs_of_games(game: Sequence[float]) -> list[float]:
    """Pentanomial distribution of two independent games of one trinomial distribution."""
    pairs = [0.0] * 5
    for i, a in enumerate(game):
        for j, b in enumerate(game):
            pairs[i + j] += a * b
    return pairs


def regularised(counts: Sequence[float]) -> list[float]:
    """Counts as a distribution without zeros."""
    weights = [float(count) or ZERO_COUNT for count in counts]
    number = math.fsum(weights)
    return [weight / number for weight in weights]


def at_strength(base: Sequence[float], true_elo: float, test: SprtTest) -> list[float]:
    """The most likely distribution, given ``base``, of a strength in the test's unit.

    :raises StatisticsError: a strength that ``base`` cannot have.
    """
    if test.model == "normalized":
        return most_likely_with_t(base, t_of_nelo(true_elo, len(base)))
    if test.model == "logistic":
        return most_likely_with_mean(base, score_of_elo(true_elo))
    return most_likely_with_mean(base, score_of_bayes_elo(true_elo, bayes_draw_elo(base)))


def motion_at(q: Sequence[float], test: SprtTest) -> Motion:
    """The log-likelihood ratio's motion where results are distributed as ``q``: drift and variance
    of ln(q1/q0), with the bounds moved out by the mean overshoot."""
    jumps = jumps_at(q, test)
    drift = math.fsum(a * jump for a, jump in zip(q, jumps, strict=True))
    variance = math.fsum(a * (jump - drift) ** 2 for a, jump in zip(q, jumps, strict=True))
    # Rounding leaves no variance where all results are one, or both hypotheses as good as one.
    variance = max(variance, 1e-9 * drift * drift, 1e-40)
    over = OVERSHOOT * math.sqrt(variance)
    return Motion(test.lower - over, test.upper + over, drift, variance)


def jumps_at(q: Sequence[float], test: SprtTest) -> list[float]:
    """By how much each result moves the ratio, where results are distributed as ``q``."""
    q0, q1 = hypotheses(q, test)
    return [math.log(b) - math.log(a) for a, b in zip(q0, q1, strict=True)]


def elo_of_distribution(q: Sequence[float]) -> float:
    """Elo of the mean score of a distribution; exact also where the score is as good as 0 or 1."""
    a = support(len(q))
    won = math.fsum(value * share for value, share in zip(a, q, strict=True))
    lost = math.fsum((1.0 - value) * share for value, share in zip(a, q, strict=True))
    return 400.0 * math.log10(won / lost)


def nelo_of(q: Sequence[float]) -> float:
    """Normalized Elo of a distribution."""
    mean, variance = mean_and_variance(q)
    per_pair = 2.0 if len(q) == 5 else 1.0
    return (mean - 0.5) / math.sqrt(per_pair * variance) * NORMALIZED_ELO


def _lag(test: SprtTest, base: Sequence[float], true_elo: float) -> float:
    """By how many units the ratio of a test lags behind the walk of known jumps.

    The test takes the distribution of results from the results. While outcomes that one hypothesis
    needs have not been seen, it moves more slowly than with the true distribution: of pairs that
    are nearly all drawn by 5 to 10 %. The difference of the two, over the mean step, at the time
    when tests end, comes from a simulation with a fixed seed.
    """
    q = at_strength(base, true_elo, test)
    motion = motion_at(q, test)
    units = max(round(motion.mean_time()), 1)
    if not abs(motion.drift) * units > _NO_DRIFT:
        return 0.0
    share = np.array(q) / math.fsum(q)
    counts = np.random.default_rng(0).multinomial(units, share, size=_LAG_RUNS)
    try:
        ratios = llr_many(counts, test)
    except StatisticsError:  # a test of a handful of units, whose hypotheses it cannot reach
        return 0.0
    return float((counts @ np.array(jumps_at(q, test)) - ratios).mean()) / motion.drift


def _plan_row(
    test: SprtTest,
    base: Sequence[float],
    true_elo: float,
    limit: int | None,
    lags: tuple[float, float],
) -> SprtPlan:
    q = at_strength(base, true_elo, test)
    motion = motion_at(q, test)
    lag = float(np.interp(true_elo, (test.elo0, test.elo1), lags))
    end = None if limit is None else max(round(limit - lag), 1)
    if motion.mean_time() <= FEW_UNITS:
        walk = walk_ending(jumps_at(q, test), q, low=test.lower, high=test.upper, limit=end)
        rates = (walk.upper, walk.lower, walk.mean_steps, walk.steps95)
    elif end is None:
        upper = motion.upper_chance()
        rates = (upper, 1.0 - upper, motion.mean_time(), motion.time_by_which(0.95))
    else:
        over95 = min(motion.time_by_which(0.95), float(end))
        within = motion.mean_time_within(float(end))
        rates = (motion.upper_by(end), motion.lower_by(end), within, over95)
    passed, failed, mean, units95 = rates
    most = math.inf if limit is None else float(limit)
    mean = min(max(mean + lag, 1.0), most)
    units95 = most if units95 == end else min(max(units95 + lag, 1.0), most)
    neither = 0.0 if limit is None else max(1.0 - passed - failed, 0.0)
    return SprtPlan(
        true_elo, elo_of_distribution(q), nelo_of(q), passed, failed, neither, mean, units95
    )


def _chance_of_worse(motion: Motion, verdict: Verdict, units: float, ratio: float) -> float:
    """Chance of this outcome or a worse one; half of the outcomes at this very unit count."""
    moment = units - 0.5
    if verdict == "H1":
        return 1.0 - motion.upper_by(moment)
    if verdict == "H0":
        return motion.lower_by(moment)
    return motion.lower_by(units) + motion.running_below(units, ratio)


def _rising_root(function: Callable[[float], float], value: float) -> float:
    """The standard deviations at which a chance that rises with them takes a value."""
    far = 2.0
    while function(-far) >= value or function(far) <= value:
        far *= 2.0
    return root_between(lambda root: function(root) - value, -far, far, xtol=1e-9)
