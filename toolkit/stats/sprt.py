"""Generalised sequential probability ratio test, with :mod:`math` alone.

Under each hypothesis the distribution of results is the most likely one that satisfies it, and the
log-likelihood ratio of the two decides (M. Van den Bergh, "Comparing the approximations for the
generalized log likelihood ratio of a multinomial distribution" and "Comments on normalized Elo",
2021; formulas in use in fishtest ``stats/LLRcalc.py`` and fastchess ``sprt.cpp``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from .counts import checked_counts
from .elo import NORMALIZED_ELO, score_of_elo
from .errors import StatisticsError

Model = Literal["normalized", "logistic", "bayesian"]
Verdict = Literal["H0", "H1", "continue"]

ZERO_COUNT = 1e-3
"""Replaces a count of 0, so that no likelihood is 0."""
FARTHEST_ELO = 4000.0
"""Elo, in any model: hypotheses and estimates are not further out. There 1 minus a score, 1e-10,
comes near to the rounding of 1."""
LEAST_ERROR = 1e-12
"""Of an error rate: logarithms and sums of its powers remain exact."""
_ITERATIONS = 1000
_TOLERANCE = 1e-14
_ROUNDING = 1e-9
"""Below it a change that no longer shrinks is rounding."""


class SprtTest(Struct, frozen=True, omit_defaults=True):
    """A test of H0 (``elo0``) against H1 (``elo1``).

    :raises StatisticsError: hypotheses or error rates that make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Chance to accept H1 when H0 is true."""
    beta: float = 0.05
    """Chance to accept H0 when H1 is true."""
    model: Model = "normalized"
    """The unit of the hypotheses: normalized Elo, Elo, or BayesElo (trinomial counts only)."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise StatisticsError("elo0 and elo1 must be finite numbers")
        for name, value in (("elo0", self.elo0), ("elo1", self.elo1)):
            if abs(value) > FARTHEST_ELO:
                limit = f"{FARTHEST_ELO:g}"
                raise StatisticsError(f"{name} must be from -{limit} to {limit}, not {value:g}")
        if self.elo0 >= self.elo1:
            raise StatisticsError(f"elo0 ({self.elo0:g}) must be below elo1 ({self.elo1:g})")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not LEAST_ERROR <= value < 1.0:
                least = f"at least {LEAST_ERROR:g}"
                raise StatisticsError(f"{name} must be between 0 and 1 ({least}), not {value:g}")
        if self.alpha + self.beta >= 1.0:
            raise StatisticsError("alpha and beta must add up to less than 1")
        if self.model not in ("normalized", "logistic", "bayesian"):
            raise StatisticsError(f"unknown model `{self.model}`: normalized, logistic or bayesian")

    @property
    def lower(self) -> float:
        """H0 is accepted at or below it: ln(β/(1 − α))."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at or above it: ln((1 − β)/α)."""
        return math.log((1.0 - self.beta) / self.alpha)

    def decide(self, llr: float) -> Verdict:
        """The verdict at a log-likelihood ratio."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else "continue"


class SprtStatus(Struct, frozen=True):
    """The state of a test."""

    llr: float
    lower: float
    upper: float
    verdict: Verdict


def sprt_status(counts: Sequence[int], test: SprtTest) -> SprtStatus:
    """Log-likelihood ratio and verdict of trinomial or pentanomial counts, worst first.

    :raises StatisticsError: bad counts, or a model that does not know them.
    """
    ratio = llr(counts, test)
    return SprtStatus(ratio, test.lower, test.upper, test.decide(ratio))


def llr(counts: Sequence[int], test: SprtTest) -> float:
    """Generalised log-likelihood ratio of H1 to H0: N·Σ p·ln(q1/q0), q0 and q1 the most likely
    distributions under each; 0 before the first result.

    :raises StatisticsError: bad counts, a model that does not know them, or hypotheses too far
        out for it.
    """
    counts = checked_counts(counts)
    _check_outcomes(test, len(counts))
    if not any(counts):
        return 0.0
    weights = [float(count) or ZERO_COUNT for count in counts]
    number = math.fsum(weights)
    p = [weight / number for weight in weights]
    q0, q1 = hypotheses(p, test)
    return number * math.fsum(
        a * (math.log(b1) - math.log(b0)) for a, b0, b1 in zip(p, q0, q1, strict=True)
    )


def hypotheses(p: Sequence[float], test: SprtTest) -> tuple[list[float], list[float]]:
    """The most likely distributions under H0 and under H1, given one without zeros.

    :raises StatisticsError: a model that does not know it, or hypotheses too far out for it.
    """
    _check_outcomes(test, len(p))
    if test.model == "normalized":
        t0, t1 = (t_of_nelo(elo, len(p)) for elo in (test.elo0, test.elo1))
        return most_likely_with_t(p, t0), most_likely_with_t(p, t1)
    s0, s1 = score_bounds(p, test)
    return most_likely_with_mean(p, s0), most_likely_with_mean(p, s1)


def _check_outcomes(test: SprtTest, outcomes: int) -> None:
    """:raises StatisticsError: the model does not know so many outcomes."""
    if test.model == "bayesian" and outcomes != 3:
        raise StatisticsError(
            "the bayesian model needs trinomial counts: use normalized or logistic"
        )


def support(outcomes: int) -> list[float]:
    """Scores of the outcomes, worst to best: 0 to 1 in equal steps."""
    return [i / (outcomes - 1) for i in range(outcomes)]


def t_of_nelo(nelo: float, outcomes: int) -> float:
    """(mean − ½)/σ of a unit's score at a normalized Elo: a pair's σ is a game's over √2."""
    return nelo / NORMALIZED_ELO * (math.sqrt(2.0) if outcomes == 5 else 1.0)


def score_bounds(p: Sequence[float], test: SprtTest) -> tuple[float, float]:
    """The hypotheses as mean scores, given the distribution of results.

    BayesElo's draw parameter is taken from the distribution; normalized Elo from its variance.
    """
    elos = (test.elo0, test.elo1)
    if test.model == "logistic":
        s0, s1 = (score_of_elo(elo) for elo in elos)
    elif test.model == "normalized":
        sigma = math.sqrt(mean_and_variance(p)[1])
        s0, s1 = (0.5 + t_of_nelo(elo, len(p)) * sigma for elo in elos)
    else:
        draw_elo = bayes_draw_elo(p)
        s0, s1 = (score_of_bayes_elo(elo, draw_elo) for elo in elos)
    return s0, s1


def mean_and_variance(p: Sequence[float]) -> tuple[float, float]:
    """Of the score under a distribution."""
    a = support(len(p))
    mean = math.fsum(x * y for x, y in zip(a, p, strict=True))
    return mean, math.fsum(y * (x - mean) ** 2 for x, y in zip(a, p, strict=True))


def most_likely_with_mean(p: Sequence[float], mean: float) -> list[float]:
    """The distribution that makes ``p`` most likely among those of a given mean score.

    q = p/(1 + x·(a − mean)), with x such that q has the mean.
    """
    a = support(len(p))
    return _tilted(p, [value - mean for value in a])


def most_likely_with_t(p: Sequence[float], t: float) -> list[float]:
    """The distribution that makes ``p`` most likely among those with (mean − ½)/σ = ``t``.

    The condition is linearised at the last distribution and solved repeatedly, starting from the
    uniform distribution; extreme conditions are approached in steps. The distributions that satisfy
    it are not a convex set, so this finds a local maximum. According to an independent optimizer it
    was the global one, except for a handful of results against a hypothesis of hundreds of Elo (6
    pairs of one point each at 350: 0.003 of the log-likelihood below the maximum).

    :raises StatisticsError: the condition is out of reach.
    """
    q = [1.0 / len(p)] * len(p)
    parts = max(1, math.ceil(abs(t) / 0.5))
    for part in range(1, parts + 1):
        q = _approach(p, t * part / parts, q)
    return q


def _approach(p: Sequence[float], t: float, q: list[float]) -> list[float]:
    """Iterate to the most likely distribution with (mean − ½)/σ = ``t``, from ``q``."""
    a = support(len(p))
    change = math.inf
    for _ in range(_ITERATIONS):
        mean, variance = mean_and_variance(q)
        sigma = math.sqrt(variance)
        slope = [
            value - 0.5 - t * sigma * (1.0 + ((value - mean) / sigma) ** 2) / 2.0 for value in a
        ]
        if min(slope) >= 0.0 or max(slope) <= 0.0:
            raise StatisticsError("the hypotheses are too far out for the normalized model")
        following = _tilted(p, slope)
        last, change = change, max(abs(x - y) for x, y in zip(q, following, strict=True))
        q = following
        if change < _TOLERANCE or last <= change < _ROUNDING:
            break
    return q


def _tilted(p: Sequence[float], slope: Sequence[float]) -> list[float]:
    """q = p/(1 + x·slope), with x such that Σ q·slope = 0; slope has both signs.

    Σ q·slope falls with x between its poles at −1/slope. The root may lie very near one, so x is
    kept as its distance from the pole on its side of 0, and Newton's steps are taken on the sum
    times the distances from both poles, which is nearly straight; where they leave the bracket it
    is halved.
    """
    up = math.fsum(a * c for a, c in zip(p, slope, strict=True)) < 0.0
    steep, other = (max(slope), min(slope)) if up else (min(slope), max(slope))
    at_pole = [1.0 - c / steep for c in slope]
    inner, outer, poles = 0.0, 1.0 / steep, 1.0 / steep - 1.0 / other
    x = outer / 2.0
    for _ in range(200):
        parts = [c / (b + x * c) for b, c in zip(at_pole, slope, strict=True)]
        value = math.fsum(a * part for a, part in zip(p, parts, strict=True))
        fall = math.fsum(a * part * part for a, part in zip(p, parts, strict=True))
        if (value > 0.0) == up:
            inner = x
        else:
            outer = x
        flat = x * (poles - x)
        step = x - flat * value / ((poles - 2.0 * x) * value - flat * fall)
        if abs(step - x) <= 1e-15 * abs(x):
            break
        x = step if (step - inner) * (step - outer) < 0.0 else (inner + outer) / 2.0
    return [a / (b + x * c) for a, b, c in zip(p, at_pole, slope, strict=True)]


def bayes_draw_elo(p: Sequence[float]) -> float:
    """Draw parameter of R. Coulom's BayesElo model, from a distribution without zeros."""
    loss, draw, win = p
    # Sums, because 1 - loss is 0 where nearly all is lost.
    return 200.0 * math.log10((draw + win) / loss * (loss + draw) / win)


def score_of_bayes_elo(elo: float, draw_elo: float) -> float:
    """Mean score in R. Coulom's BayesElo model."""
    win = 1.0 / (1.0 + math.pow(10.0, (draw_elo - elo) / 400.0))
    loss = 1.0 / (1.0 + math.pow(10.0, (draw_elo + elo) / 400.0))
    return win + (1.0 - win - loss) / 2.0
