"""The stated gain equals formulas by hand, and its interval covers the truth in simulations."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from toolkit.stats.elo import elo_of_score
from toolkit.stats.match import match_statistics
from toolkit.tuning.models.gain import Gain, gain_against, gain_of_effort, gain_of_pairs, unchanged

Failing = Callable[..., list[str]]


def covers(gain: Gain, truth: float) -> bool:
    return (gain.low95 is None or gain.low95 <= truth) and (
        gain.high95 is None or truth <= gain.high95
    )


def test_gain_is_positive_or_doubtful(failing: Failing) -> None:
    def check(scores: list[float], positive: bool, doubtful: bool) -> None:
        gain = gain_of_pairs(scores)
        assert (gain.is_positive, "luck" in gain.note) == (positive, doubtful)

    assert not failing(
        check,
        [
            ([0.5, 0.5, 0.5], False, False),
            ([0.75, 0.25, 0.5], False, False),
            ([0.75, 0.25, 0.25], False, False),
            ([0.75, 0.5, 0.5], True, True),
            ([0.75, 0.5, 0.75, 0.5] * 20, True, False),
            ([], False, False),
        ],
    )


def test_pairs_agree_with_match_statistics() -> None:
    counts = (11, 60, 250, 90, 19)
    scores = [place / 4 for place, count in enumerate(counts) for _ in range(count)]
    gain = gain_of_pairs(scores)
    match = match_statistics(counts)
    assert gain.value == pytest.approx(match.elo)
    assert (gain.error95, gain.low95) == pytest.approx((match.elo_error95, match.elo_low95))
    assert (gain.unit, gain.pairs, gain.note) == ("elo", 430, "")


def test_unplayed_pairs_do_not_count() -> None:
    assert gain_of_pairs([0.5, None, 0.75, 0.25, None, 1.0]) == gain_of_pairs(
        [0.5, 0.75, 0.25, 1.0]
    )


def test_half_width_at_a_thousand_pairs() -> None:
    scores = [0.5 + 0.35 * sign for sign in (-1.0, 1.0)] * 500
    gain = gain_of_pairs(scores)
    assert gain.error95 is not None and 15.0 < gain.error95 < 16.0


@pytest.mark.parametrize("number", [5, 20, 200])
def test_interval_of_pairs_covers_truth(number: int) -> None:
    random = np.random.default_rng(number)
    chances = [0.03, 0.17, 0.5, 0.24, 0.06]
    truth = elo_of_score(float(np.dot(chances, np.arange(5) / 4)))
    draws = random.choice(np.arange(5) / 4, p=chances, size=(150, number))
    inside = [covers(gain_of_pairs(list(row)), truth) for row in draws]
    assert np.mean(inside) >= 0.93


def test_pairs_without_spread_have_finite_interval() -> None:
    gain = gain_of_pairs([0.5] * 20)
    match = match_statistics((0, 0, 20, 0, 0))
    assert (gain.value, gain.note) == (0.0, "")
    assert (gain.low95, gain.high95) == (match.elo_low95, match.elo_high95)
    perfect = gain_of_pairs([1.0] * 20)
    assert "a finite" in perfect.note and perfect.high95 is None and perfect.error95 is None
    assert perfect.low95 is not None and 0.0 < perfect.low95 < perfect.value < math.inf


def test_few_pairs_give_wide_interval() -> None:
    assert gain_of_pairs([]) == Gain("elo", 0.0, None, None, None, 0, "no pair could be played")
    one = gain_of_pairs([0.75])
    assert "luck" in one.note and one.low95 is not None and one.low95 < -100.0
    two = gain_of_pairs([0.25, 1.0])
    assert two.low95 is not None and two.low95 < -200.0
    assert "single pair" in gain_of_pairs([0.6]).note
    assert "the same" in gain_of_pairs([0.6, 0.6]).note


def test_simulated_scores_outside_range_are_kept() -> None:
    gain = gain_of_pairs([1.4, -0.3, 0.9, 0.2] * 50)
    assert gain.value == pytest.approx(elo_of_score(0.55))
    assert "is open" in gain_of_pairs([1.3, 1.1]).note
    assert math.isfinite(gain_of_pairs([1.3, 1.1]).value)


def test_shared_openings_cancel() -> None:
    random = np.random.default_rng(4)
    opening = random.normal(0.0, 0.3, size=(2, 400))
    base = 0.45 + opening + random.normal(0.0, 0.05, size=(2, 400))
    better = 0.52 + opening + random.normal(0.0, 0.05, size=(2, 400))
    paired = gain_against(better.tolist(), base.tolist())
    shuffled = gain_against(better.tolist(), np.roll(base, 7, axis=1).tolist())
    assert paired.value == pytest.approx(shuffled.value)
    assert paired.error95 is not None and shuffled.error95 is not None
    assert paired.error95 < shuffled.error95 / 3


def test_interval_against_opponents_covers_truth() -> None:
    random = np.random.default_rng(5)
    truth = elo_of_score(0.62) - elo_of_score(0.57)
    inside = []
    for _ in range(500):
        opening = random.normal(0.0, 0.15, size=60)
        ends = [
            (mean + opening + random.normal(0.0, 0.3, size=(3, 60))).tolist()
            for mean in (0.62, 0.57)
        ]
        inside.append(covers(gain_against(*ends), truth))
    assert 0.92 <= np.mean(inside) <= 0.98


def test_opponents_with_missing_or_perfect_results() -> None:
    gain = gain_against([[0.5, None, 0.75], [1.0, 0.5, 0.5]], [[0.5, 0.5, 0.5], [0.5, 0.5, 0.25]])
    assert gain.pairs == 2
    assert "no pair" in gain_against([[None]], [[0.5]]).note
    perfect = gain_against([[1.0, 1.0]], [[0.5, 0.75]])
    assert "a finite" in perfect.note and perfect.low95 is None and perfect.value > 0.0
    with pytest.raises(ValueError):
        gain_against([[0.5, 0.5]], [[0.5]])


def test_effort_saved_is_positive() -> None:
    ratios = [math.log(0.8), math.log(0.9), math.log(0.85)]
    gain = gain_of_effort([*ratios, None])
    assert gain.unit == "percent" and gain.pairs == 3
    assert gain.value == pytest.approx(100.0 * (1.0 - (0.8 * 0.9 * 0.85) ** (1 / 3)))
    assert gain.low95 is not None and gain.high95 is not None
    assert gain.low95 < gain.value < gain.high95
    ends = [math.log1p(-end / 100) for end in (gain.low95, gain.high95)]
    assert sum(ends) / 2 == pytest.approx(sum(ratios) / 3), "equally far as logarithms"
    assert "single pair" in gain_of_effort([0.1]).note
    assert "no pair" in gain_of_effort([]).note
    same = gain_of_effort([0.0, 0.0])
    assert (same.low95, same.high95, same.note) == (0.0, 0.0, "every pair scored the same")


@pytest.mark.parametrize("number", [4, 30])
def test_interval_of_effort_covers_truth(number: int) -> None:
    random = np.random.default_rng(number)
    draws = random.normal(-0.1, 0.3, size=(1000, number))
    truth = 100.0 * (1.0 - math.exp(-0.1))
    assert np.mean([covers(gain_of_effort(list(row)), truth) for row in draws]) >= 0.93


def test_gain_of_base_is_exactly_zero() -> None:
    assert unchanged("elo") == Gain("elo", 0.0, 0.0, 0.0, 0.0, 0, "the base is recommended")


def test_docs_table_of_positive_gains_is_right() -> None:
    """The table in docs/tuning.md, by the normal distribution truncated at 0 (units: the ±)."""
    text = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text(encoding="utf-8")
    table = text.partition("| true gain | recommended |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == ["-1", "-0.5", "0", "0.5", "1"]
    z = float(norm.ppf(0.975))
    for row in rows:
        true = float(row[0]) * z
        passed = norm.cdf(true)
        held = max(norm.cdf(z) - max(norm.cdf(-true), norm.cdf(-z)), 0.0)
        excess = norm.pdf(true) / passed / z
        assert row[1:] == [f"{100 * passed:.1f} %", f"{excess:.2f}", f"{100 * held / passed:.0f} %"]
