"""A race: several candidates meet one base until it is known which of them is better.

What is known of a candidate after some pairs is decided by its counts alone:

* *accepted*: the evidence that its Elo is above ``elo0`` is large enough for the whole family of k
  candidates. The evidence is the capital of :mod:`toolkit.stats.anytime`, an e-value at any look.
  If one is to be found, the first with at least k/α is taken (e-Bonferroni): the probability that
  any candidate that is not better is ever accepted is at most α. If all are to be found, the m best
  are accepted once each has at least k/(m·α) (e-BH): of those accepted, a share of at most α is not
  better, on average. The first holds for any dependence of the candidates, which share their
  openings: it bounds the largest capital that a candidate ever has. The second bounds the capital
  at a stop, which may depend on the results of others but not on what these tell of openings that
  the candidate has not played yet.
* *dropped*: the evidence that its Elo is below ``elo1`` is at least 1/β, so that a candidate with
  that gain is ever dropped with a probability of at most β. Dropping adds nothing to the error
  above: whoever stops betting keeps the evidence that there is.
* *open*: neither. The next block is for those whose upper limit, one standard error above the mean
  score, reaches the best mean of the open ones. Those behind wait; if the leaders fall back or are
  dropped, they play on.

So the decisions are functions of counts, whatever order the pairs were played in.

``elo0`` is in Elo and not normalized, because Elo is a mean score: the evidence against a mean is
exact for results in [0, 1] of any distribution, and a quotient of mean and deviation is no mean.

Sources: V. Vovk and R. Wang, "E-values: calibration, combination and applications", Annals of
Statistics 49 (2021); R. Wang and A. Ramdas, "False discovery rate control with e-values", JRSS B 84
(2022); O. Maron and A. Moore, "Hoeffding races" (1994) for the name. Constants were chosen by
simulation (``benchmarks/race.py``).
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .anytime import log_capital
from .elo import score_of_elo
from .race_rule import RaceRule
from .sprt import support

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Ints = NDArray[np.int64]

_PAIR_DEVIATION = 0.25
"""Standard deviation of the score of a pair, of which half of the games are drawn. It sets how much
is staked, so how fast the evidence grows; that holds for any deviation, and in pairs that vary less
it only grows a little slower than it could."""
_SPREAD = 0.5
"""Of the stakes, in their logarithm: for deviations and gains that differ from those expected."""
_LEAST_SHARE, _MOST_SHARE = 0.002, 0.5
"""Stakes for tiny and for huge gains."""
_REACH = 1.0
"""Standard errors from a candidate's mean to its upper limit."""


class Evidence(Struct, frozen=True):
    """Logarithms of the evidence of candidates; an entry for each."""

    better: Floats
    """That it is better than ``elo0``."""
    below: Floats
    """That it gains less than ``elo1``."""


class Judgement(Struct, frozen=True):
    """What the evidence says of the candidates; an entry for each."""

    accepted: Booleans
    dropped: Booleans
    open: Booleans
    """Those that the race goes on with: none once it is over."""


def evidence(counts: Floats, rule: RaceRule) -> Evidence:
    """``counts``: of pairs by the candidate's score, worst first, in the last of its axes; the
    result has the others."""
    low, high = score_of_elo(rule.elo0), score_of_elo(rule.elo1)
    return Evidence(
        better=_capital(counts, low, high - low),
        below=_capital(counts[..., ::-1], 1.0 - high, high - low),
    )


def judge(known: Evidence, rule: RaceRule) -> Judgement:
    """The candidates of a family are the last axis of the evidence."""
    accepted = known.better >= _threshold(known.better, rule)
    dropped = ~accepted & (known.below >= -math.log(rule.beta))
    is_over = accepted.any(axis=-1, keepdims=True) if rule.accept == "one" else False
    return Judgement(accepted, dropped, ~accepted & ~dropped & ~np.asarray(is_over))


def next_block(counts: Floats, open_: Booleans, block: int) -> Ints:
    """How many pairs each of the open candidates plays until the next decision."""
    number = counts.sum(axis=-1)
    values = np.array(support(counts.shape[-1]))
    pairs = np.maximum(number, 1.0)
    mean = counts @ values / pairs
    deviation = np.sqrt(np.maximum(counts @ values**2 / pairs - mean**2, 0.0))
    upper = np.where(number > 0, mean + _REACH * deviation / np.sqrt(pairs), np.inf)
    best = np.where(open_, mean, -np.inf).max(axis=-1, keepdims=True)
    return np.where(open_ & (upper >= best), block, 0)


def best_first(counts: Floats) -> Ints:
    """The places of the candidates by their mean score: who is ahead plays on where pairs are
    short."""
    points = counts @ np.array(support(counts.shape[-1]))
    return np.argsort(-points / counts.sum(axis=-1).clip(1.0), axis=-1, kind="stable")


def at_most(pairs: Ints, order: Ints, left: Ints | int) -> Ints:
    """So many pairs of each candidate, but ``left`` of all together: in this ``order``, each gets
    what those before it leave."""
    wanted = np.take_along_axis(pairs, order, axis=-1)
    before = np.cumsum(wanted, axis=-1) - wanted
    given = np.clip(np.expand_dims(left, -1) - before, 0, wanted)
    return np.take_along_axis(given, np.argsort(order, axis=-1), axis=-1)


def needed_evidence(candidates: int, rule: RaceRule) -> float:
    """The evidence, as an e-value, at which a single candidate is accepted."""
    return candidates / rule.alpha


def _capital(counts: Floats, mean: float, gain: float) -> Floats:
    """The capital of who bets on more than ``mean``, at the stake that makes it grow fastest if it
    is more by ``gain``."""
    share = min(max(gain * mean / _PAIR_DEVIATION**2, _LEAST_SHARE), _MOST_SHARE)
    return np.asarray(log_capital(counts, mean, share=share, spread=_SPREAD))


def _threshold(evidence: Floats, rule: RaceRule) -> Floats:
    """The logarithm of the evidence from which on candidates are accepted, for each family."""
    most = evidence.shape[-1]
    alone = math.log(needed_evidence(most, rule))
    if rule.accept == "one":
        return np.full((*evidence.shape[:-1], 1), alone)
    ranked = -np.sort(-evidence, axis=-1)
    together = ranked >= alone - np.log(np.arange(1, most + 1))
    number = np.where(together, np.arange(1, most + 1), 0).max(axis=-1, keepdims=True)
    return np.asarray(alone - np.log(np.maximum(number, 1)))
