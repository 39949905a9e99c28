"""Races and sequential tests of a family of candidates, played with random results: what each costs
and finds, before a game is played."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from .elo import score_of_elo
from .race import Booleans, Evidence, Floats, at_most, best_first, evidence, judge, next_block
from .race_rule import RaceRule
from .sequential import independent_pairs, plan
from .sprt import SprtTest, most_likely_with_mean

_FAMILIES = 200
_GRID = 25
"""Strengths at which a sequential test is planned; between them it is interpolated."""


class GainPrior(Struct, frozen=True):
    """What is expected of candidates: gains in Elo, normal and independent."""

    mean: float
    sd: float
    draw_ratio: float = 0.5
    """Between equals; the two games of a pair are taken as independent."""

    def draw(self, families: int, candidates: int, seed: int) -> Floats:
        """Gains of candidates, a row for each family."""
        random = np.random.default_rng(seed)
        return self.mean + self.sd * random.standard_normal((families, candidates))


class SimulatedRaces(Struct, frozen=True):
    """How races ended; a row for each family."""

    counts: Floats
    """Pairs by score."""
    accepted: Booleans
    dropped: Booleans

    @property
    def pairs(self) -> Floats:
        """Of each race."""
        return np.asarray(self.counts.sum(axis=(1, 2)))


class PlannedWay(Struct, frozen=True):
    """A way to test a family, and what it costs and finds on average over families."""

    way: str
    pairs: float
    found: float
    """Share of families of which a candidate is accepted."""
    wrong: float
    """Share of families of which a candidate is accepted that is not better than ``elo0``."""
    gain: float
    """Elo of the best accepted candidate over the base; 0 where none is."""


def pair_chances(gains: Floats, draw_ratio: float) -> Floats:
    """The distribution of the pairs of each candidate, by its gain in Elo.

    :raises StatisticsError: not a ratio below 1.
    """
    equal = independent_pairs(draw_ratio)
    rows = [most_likely_with_mean(equal, score_of_elo(gain)) for gain in gains.ravel().tolist()]
    return np.array(rows).reshape(*gains.shape, len(equal))


def simulate_races(
    rule: RaceRule, chances: Floats, *, block: int, most_pairs: int, seed: int
) -> SimulatedRaces:
    """Play a race for each family of ``chances``, families × candidates × scores of a pair, of at
    most ``most_pairs`` pairs, as the program plays it. The results of candidates are independent,
    as if they shared no openings."""
    random = np.random.default_rng(seed)
    families = len(chances)
    counts = np.zeros(chances.shape)
    known = evidence(counts, rule)
    running = np.arange(families)
    while running.size:
        seen = counts[running]
        open_ = judge(Evidence(known.better[running], known.below[running]), rule).open
        left = (most_pairs - seen.sum(axis=(1, 2))).astype(np.int64)
        pairs = at_most(next_block(seen, open_, block), best_first(seen), left)
        goes_on = pairs.any(axis=1)
        running, pairs = running[goes_on], pairs[goes_on]
        family, candidate = np.nonzero(pairs)
        places = running[family], candidate
        counts[places] += random.multinomial(pairs[family, candidate], chances[places])
        changed = evidence(counts[places], rule)
        known.better[places], known.below[places] = changed.better, changed.below
    found = judge(known, rule)
    return SimulatedRaces(counts, found.accepted, found.dropped)


def plan_race(
    rule: RaceRule, prior: GainPrior, gains: Floats, *, block: int, most_pairs: int, seed: int
) -> PlannedWay:
    """What a race costs and finds in families with these gains.

    :raises StatisticsError: a prior that cannot be.
    """
    chances = pair_chances(gains, prior.draw_ratio)
    races = simulate_races(rule, chances, block=block, most_pairs=most_pairs, seed=seed)
    found = np.where(races.accepted, gains, -np.inf)
    return _way("race", rule, gains, found, float(races.pairs.mean()))


def plan_tests(
    rule: RaceRule, prior: GainPrior, gains: Floats, *, most_pairs: int, seed: int, shared: bool
) -> PlannedWay:
    """The same of a sequential test of each candidate, with α each or, if it is ``shared``, with α
    over the number of candidates; each takes at most its part of ``most_pairs``.

    :raises StatisticsError: a prior that cannot be.
    """
    candidates = gains.shape[1]
    test = replace(rule.test, beta=rule.alpha)
    if shared:
        test = replace(test, alpha=rule.alpha / candidates)
    rate, length = _interpolated(test, prior, gains, most_pairs // candidates)
    random = np.random.default_rng(seed)
    found = np.where(random.random(gains.shape) < rate, gains, -np.inf)
    alpha = f"{test.alpha:.3g}"
    return _way(f"SPRT each, alpha {alpha}", rule, gains, found, float(length.sum(axis=1).mean()))


def _interpolated(
    test: SprtTest, prior: GainPrior, gains: Floats, limit: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pass rate and mean length of a test at each of the gains."""
    low, high = float(gains.min()), float(gains.max())
    grid = np.linspace(low, high, _GRID) if high > low else np.array([low])
    rows = plan(test, independent_pairs(prior.draw_ratio), tuple(grid.tolist()), limit=limit)
    rates, lengths = [row.pass_rate for row in rows], [row.mean_units for row in rows]
    return np.interp(gains, grid, rates), np.interp(gains, grid, lengths)


def _way(way: str, rule: RaceRule, gains: Floats, found: Floats, pairs: float) -> PlannedWay:
    """``found``: the gains of accepted candidates, else −∞."""
    best = found.max(axis=1)
    wrong = (found > -np.inf) & (gains <= rule.elo0)
    return PlannedWay(
        way=way,
        pairs=pairs,
        found=float((best > -np.inf).mean()),
        wrong=float(wrong.any(axis=1).mean()),
        gain=math.fsum(np.where(best > -np.inf, best, 0.0).tolist()) / len(best),
    )


def expected_pairs(rule: RaceRule, candidates: int, block: int, most_pairs: int) -> float:
    """Mean pairs of a race under the usual prior, from a few hundred simulated ones."""
    prior = usual_prior(rule)
    gains = prior.draw(_FAMILIES, candidates, seed=1)
    return plan_race(rule, prior, gains, block=block, most_pairs=most_pairs, seed=2).pairs


def usual_prior(rule: RaceRule) -> GainPrior:
    """Most ideas fail: gains around a fifth of the one that is worth finding below the base."""
    worth = rule.elo1 - rule.elo0
    return GainPrior(rule.elo0 - 0.2 * worth, 0.7 * worth)
