"""A race errs no more often than its family allows, by exact sums and by simulation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from toolkit.stats.elo import score_of_elo
from toolkit.stats.errors import StatisticsError
from toolkit.stats.race import Evidence, evidence, judge, next_block
from toolkit.stats.race_plan import (
    GainPrior,
    pair_chances,
    plan_race,
    plan_tests,
    simulate_races,
)
from toolkit.stats.race_rule import RaceRule

RULE = RaceRule(elo0=0.0, elo1=60.0)


def test_evidence_is_fair_at_its_boundary() -> None:
    """Its expectation is 1 for a candidate just at the bound, and below 1 beyond it."""
    rule = RaceRule(elo0=10.0, elo1=70.0)
    number = 4
    for gain, name, fair in ((10.0, "better", True), (0.0, "better", False),
                             (70.0, "below", True), (90.0, "below", False)):  # fmt: skip
        (chances,) = pair_chances(np.array([gain]), 0.4)
        expected = 0.0
        for results in product(range(5), repeat=number):
            counts = np.bincount(results, minlength=5).astype(np.float64)
            value = float(getattr(evidence(counts, rule), name))
            expected += math.exp(value) * math.prod(chances[result] for result in results)
        assert expected == pytest.approx(1.0, abs=1e-9) if fair else expected < 1.0


@pytest.mark.parametrize("accept", ["one", "all"])
def test_family_of_equals_is_rarely_accepted(accept: str) -> None:
    """All candidates are exactly as good as the base: any acceptance is wrong."""
    rule = RaceRule(elo1=80.0, alpha=0.2, beta=0.01, accept=accept)  # type: ignore[arg-type]
    families = 300
    chances = pair_chances(np.zeros((families, 3)), 0.5)
    races = simulate_races(rule, chances, block=10, most_pairs=900, seed=3)
    wrong = races.accepted.any(axis=1).mean()
    assert 0.01 < wrong <= 0.2 + 3 * math.sqrt(0.2 * 0.8 / families)
    assert races.pairs.max() <= 900


def test_candidate_worth_finding_is_rarely_dropped() -> None:
    rule = RaceRule(elo1=60.0, beta=0.3)
    chances = pair_chances(np.full((1000, 1), 60.0), 0.5)
    races = simulate_races(rule, chances, block=10, most_pairs=5000, seed=4)
    assert 0.02 < races.dropped.mean() <= 0.3
    assert (races.accepted | races.dropped).all()


def test_acceptance_is_by_the_threshold_of_the_family() -> None:
    random = np.random.default_rng(1)
    for _ in range(300):
        k = int(random.integers(1, 7))
        better = random.uniform(-2.0, 8.0, k)
        known = Evidence(better, np.full(k, -9.0))
        values = sorted(np.exp(better), reverse=True)
        one = judge(known, RULE)
        assert one.accepted.tolist() == [value >= k / 0.05 for value in np.exp(better)]
        assert one.open.any() == (not one.accepted.any())
        every = judge(known, RaceRule(elo1=60.0, accept="all"))
        ranks = [m for m in range(1, k + 1) if values[m - 1] >= k / (m * 0.05)]
        assert every.accepted.sum() == max(ranks, default=0)
        assert (every.open == ~every.accepted).all()
        # Those that are accepted play no more, so the others cannot undo it.
        later = np.where(every.accepted, better, random.uniform(-9.0, 9.0, k))
        again = judge(Evidence(later, known.below), RaceRule(elo1=60.0, accept="all"))
        assert (again.accepted >= every.accepted).all()


def test_blocks_are_for_those_that_may_lead() -> None:
    counts = np.array([
        [10, 20, 40, 20, 10], [0, 20, 40, 30, 10], [40, 30, 20, 10, 0], [0, 0, 0, 0, 0.0],
    ])  # fmt: skip
    every = np.ones(4, dtype=np.bool_)
    # The third is far behind; one without pairs may be anything.
    assert next_block(counts, every, 7).tolist() == [0, 7, 0, 7]
    assert next_block(counts, np.array([True, False, True, False]), 7).tolist() == [7, 0, 0, 0]
    assert next_block(counts, ~every, 7).tolist() == [0, 0, 0, 0]
    assert next_block(counts * 100, every, 7).tolist() == [0, 7, 0, 7]
    assert next_block(counts / 10, every, 7).tolist() == [7, 7, 0, 7]


def test_plans_order_what_they_must() -> None:
    rule, prior = RaceRule(elo1=8.0), GainPrior(-1.6, 5.6)
    gains = prior.draw(20, 6, seed=1)
    race = plan_race(rule, prior, gains, block=200, most_pairs=200_000, seed=2)
    each, strict = (
        plan_tests(rule, prior, gains, most_pairs=200_000, seed=2, shared=one)
        for one in (False, True)
    )
    assert race.pairs < strict.pairs and each.pairs < strict.pairs
    assert strict.wrong <= each.wrong and race.wrong <= 0.05
    assert 0.0 < race.gain < gains.max(axis=1).mean()
    again = plan_race(rule, prior, gains, block=200, most_pairs=200_000, seed=2)
    assert again == race
    hopeless = plan_race(rule, prior, gains - 100.0, block=200, most_pairs=200_000, seed=2)
    assert (hopeless.found, hopeless.gain) == (0.0, 0.0) and hopeless.pairs < race.pairs / 4


def test_share_of_the_capital_is_bounded() -> None:
    """A gain of thousands of Elo is no reason to stake everything."""
    wide = RaceRule(elo0=0.0, elo1=3000.0)
    assert np.isfinite(evidence(np.array([5.0, 0, 0, 0, 0]), wide).better)
    assert score_of_elo(3000.0) < 1.0


@pytest.mark.parametrize(
    "wrong", [{"alpha": 1.5}, {"elo1": 0.0}, {"accept": "some"}, {"beta": 0.0}]
)
def test_bad_rule(wrong: dict[str, float]) -> None:
    with pytest.raises(StatisticsError):
        RaceRule(**wrong)  # type: ignore[arg-type]
