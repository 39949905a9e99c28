"""Statistics of one match are symmetric, have the right limits, and are finite for few games."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple
from scipy.optimize import minimize
from scipy.stats import multinomial

from toolkit.stats.counts import swapped
from toolkit.stats.elo import elo_of_score, score_of_elo
from toolkit.stats.errors import StatisticsError
from toolkit.stats.match import MatchStatistics, match_statistics
from toolkit.stats.profile import elo_intervals, signed_roots

Failing = Callable[..., list[str]]

COUNT = st.integers(0, 3000)
COUNTS = st.one_of(st.lists(COUNT, min_size=3, max_size=3), st.lists(COUNT, min_size=5, max_size=5))


def numbers(match: MatchStatistics) -> list[float]:
    return [value for value in astuple(match) if isinstance(value, float)]


@given(COUNTS)
@settings(max_examples=40)
def test_every_result_is_finite(counts: list[int]) -> None:
    match = match_statistics(counts)
    assert all(math.isfinite(value) for value in numbers(match))
    assert 0.0 <= match.los <= 1.0 and match.elo_error95 > 0.0 and match.nelo_error95 > 0.0


@given(COUNTS)
@settings(max_examples=40)
def test_swapped_players_negate_elo(counts: list[int]) -> None:
    one, other = match_statistics(counts), match_statistics(swapped(counts))
    assert other.elo == pytest.approx(-one.elo, abs=1e-8)
    assert other.nelo == pytest.approx(-one.nelo, abs=1e-8)
    assert other.los == pytest.approx(1.0 - one.los, abs=1e-12)
    assert other.elo_error95 == pytest.approx(one.elo_error95)
    assert other.flag == one.flag and other.draw_ratio == one.draw_ratio
    assert (one.elo_low95 is None) == (other.elo_high95 is None)
    if one.elo_low95 is not None and other.elo_high95 is not None:
        assert other.elo_high95 == pytest.approx(-one.elo_low95, abs=1e-8)


@given(st.integers(1, 500), st.integers(0, 500), st.integers(1, 500), st.integers(1, 200))
@settings(max_examples=40)
def test_draws_pull_estimate_to_zero(losses: int, draws: int, wins: int, more: int) -> None:
    before = match_statistics([losses, draws, wins])
    after = match_statistics([losses, draws + more, wins])
    assert abs(after.elo) <= abs(before.elo)
    assert after.elo * before.elo >= 0.0


@given(st.lists(st.integers(1, 300), min_size=5, max_size=5))
@settings(max_examples=40)
def test_four_times_pairs_halve_error(counts: list[int]) -> None:
    one, four = match_statistics(counts), match_statistics([4 * count for count in counts])
    assert four.elo == pytest.approx(one.elo, abs=1e-9)
    assert four.nelo_error95 < one.nelo_error95
    assert four.elo_error95 < one.elo_error95


def test_four_times_many_pairs_halve_error() -> None:
    one, four = match_statistics([20, 90, 170, 110, 30]), match_statistics([80, 360, 680, 440, 120])
    assert four.elo_error95 == pytest.approx(one.elo_error95 / 2.0, rel=0.01)
    assert four.nelo_error95 == pytest.approx(one.nelo_error95 / 2.0, rel=0.01)


def test_independent_pairs_agree_with_games() -> None:
    """Two games of 1:2:1 make pairs of 1:4:6:4:1."""
    games = match_statistics([800, 1600, 800])
    pairs = match_statistics([100, 400, 600, 400, 100])
    assert games.games == pairs.games
    assert pairs.elo_error95 == pytest.approx(games.elo_error95, rel=1e-3)
    assert pairs.nelo_error95 == pytest.approx(games.nelo_error95, rel=1e-3)


def test_opposite_results_in_pairs_narrow_interval() -> None:
    games = match_statistics([500, 0, 500])
    pairs = match_statistics([0, 1, 498, 1, 0])
    assert pairs.elo_error95 < games.elo_error95 / 10.0


def test_perfect_score_is_open_above(failing: Failing) -> None:
    """Below, 95 % leave a little more than the strength at which it has a chance of 2.5 %."""

    def check(wins: int) -> None:
        match = match_statistics([0, 0, wins])
        assert match.flag == "perfect"
        assert match.elo_low95 is not None and match.elo_high95 is None
        assert 0.008 < score_of_elo(match.elo_low95) ** wins < 0.08
        assert match.elo == pytest.approx(elo_of_score(1.0 - 0.25 / wins))
        assert match.elo - match.elo_error95 == pytest.approx(match.elo_low95)

    assert not failing(check, zip([1, 5, 6, 100, 10_000]))


def test_lost_match_is_bounded_above() -> None:
    match = match_statistics([8, 0, 0, 0, 0])
    assert match.flag == "perfect" and match.elo < 0.0
    assert match.elo_low95 is None and match.elo_high95 is not None and match.elo_high95 < 0.0


def test_empty_match_has_no_elo() -> None:
    match = match_statistics([0, 0, 0])
    assert (match.flag, match.elo, match.los, match.score) == ("empty", 0.0, 0.5, 0.5)
    assert match.elo_low95 is None and match.elo_high95 is None
    assert match.elo_error95 == 1200.0


def test_draws_only_have_finite_error() -> None:
    """About what other results may still be: at 95 % of at most 1 − 0.05^(1/N) chance."""
    match = match_statistics([0, 10, 0])
    other = 1.0 - 0.05 ** (1 / 10)
    assert match.flag == "" and match.elo == 0.0 and match.los == 0.5
    assert match.elo_high95 == pytest.approx(elo_of_score(0.5 + other / 2.0), rel=0.25)
    assert match.elo_error95 == pytest.approx(match.elo_high95)
    assert match_statistics([0, 1000, 0]).elo_error95 < match.elo_error95


def test_only_perfect_score_has_open_end() -> None:
    for counts in ([0, 1, 9], [0, 0, 0, 1, 9], [1, 0, 0, 0, 40], [0, 0, 0, 1, 0]):
        match = match_statistics(counts)
        assert match.flag == "" and match.elo_low95 is not None and match.elo_high95 is not None
        assert match.elo_low95 < match.elo < match.elo_high95


def test_four_losses_are_not_certain() -> None:
    """Once -338 ± 161 with an LOS below 0.01 %."""
    match = match_statistics([1, 1, 0, 0, 0])
    assert match.elo == pytest.approx(-338.0, abs=0.1)
    assert match.elo_high95 is not None and match.elo_high95 > 0.0
    assert 0.05 < match.los < 0.25 and match.nelo_error95 > abs(match.nelo)


def test_one_loss_among_draws_is_no_more_certain() -> None:
    """Once ± 17 beside ± 49."""
    lost, level = match_statistics([0, 1, 19, 0, 0]), match_statistics([0, 0, 20, 0, 0])
    assert lost.elo_error95 == pytest.approx(level.elo_error95, rel=0.1)
    assert lost.nelo_error95 == pytest.approx(level.nelo_error95, rel=0.15)
    assert lost.elo_low95 is not None and level.elo_low95 is not None
    assert lost.elo_low95 < level.elo_low95 < 0.0


def test_nearly_level_pairs_are_not_too_wide() -> None:
    """Within 10 % of the normal distribution, which covers the truth for 54 such pairs."""
    match = match_statistics([0, 5, 40, 9, 0])
    p, a = np.array([0, 5, 40, 9, 0]) / 54, np.arange(5) / 4
    mean = float(p @ a)
    sd = math.sqrt(float(p @ (a - mean) ** 2) / 54)
    low, high = (elo_of_score(mean + sign * 1.959964 * sd) for sign in (-1, 1))
    assert 1.0 < match.elo_error95 / ((high - low) / 2.0) < 1.1


# Better results in place of others


def compositions(units: int, outcomes: int) -> list[tuple[int, ...]]:
    """All counts of so many units."""
    if outcomes == 1:
        return [(units,)]
    return [
        (first, *rest)
        for first in range(units + 1)
        for rest in compositions(units - first, outcomes - 1)
    ]


def test_better_result_lowers_nothing(failing: Failing) -> None:
    """Every counts of these units, one of them a step better: also from any to a perfect score."""

    def check(units: int, outcomes: int) -> None:
        rows = compositions(units, outcomes)
        counts = np.array(rows, dtype=np.float64)
        (low, high), ahead = elo_intervals(counts), signed_roots(counts)
        elo = [match_statistics(row).elo for row in rows] if units <= 4 else None
        place = {row: at for at, row in enumerate(rows)}
        for row, at in place.items():
            for k in range(outcomes - 1):
                if row[k]:
                    better = list(row)
                    better[k], better[k + 1] = row[k] - 1, row[k + 1] + 1
                    other = place[tuple(better)]
                    assert (
                        low[other] > low[at] and high[other] > high[at] and ahead[other] > ahead[at]
                    )
                    assert elo is None or elo[other] > elo[at]

    assert not failing(check, [(1, 5), (2, 5), (4, 5), (6, 5), (3, 3), (12, 3)])


@given(st.lists(st.integers(0, 60), min_size=5, max_size=5), st.integers(0, 3))
@settings(max_examples=40)
def test_better_pair_lowers_nothing(counts: list[int], worse: int) -> None:
    counts[worse] += 1
    better = list(counts)
    better[worse], better[worse + 1] = counts[worse] - 1, counts[worse + 1] + 1
    one, other = match_statistics(counts), match_statistics(better)
    assert other.elo > one.elo and other.los >= one.los - 1e-12
    for name in ("elo_low95", "elo_high95"):
        before, after = getattr(one, name), getattr(other, name)
        if before is not None and after is not None:
            assert after >= before - 1e-9
    assert other.elo_high95 is None or one.elo_high95 is not None


# How often intervals contain the truth


def covered(units: int, chances: list[float]) -> float:
    """Chance that the interval of so many units contains the mean of their distribution."""
    rows = compositions(units, len(chances))
    counts = np.array(rows, dtype=np.float64)
    low, high = elo_intervals(counts)
    truth = elo_of_score(sum(p * k for k, p in enumerate(chances)) / (len(chances) - 1))
    chance = multinomial.pmf(np.array(rows), units, chances)
    return float(chance[(low <= truth) & (truth <= high)].sum())


FEASIBLE = [
    (elo, draws)
    for elo in (0.0, 30.0, 100.0, 200.0, 300.0, 400.0)
    for draws in (0.0, 0.1, 0.5, 0.8)
    if draws / 2.0 <= 1.0 - score_of_elo(elo)
]


def test_intervals_of_few_pairs_cover_truth(failing: Failing) -> None:
    """Summed over all results of independent games."""

    def check(units: int, elo: float, draws: float) -> None:
        score = score_of_elo(elo)
        game = [1.0 - score - draws / 2.0, draws, score - draws / 2.0]
        assert covered(units, np.convolve(game, game).tolist()) > 0.93

    assert not failing(
        check,
        [(units, elo, draws) for units in [2, 3, 4, 6, 8, 10] for (elo, draws) in FEASIBLE],
    )


@pytest.mark.parametrize(("games", "elo", "draws"), [(20, 370, 0.0), (40, 0, 0.9), (80, 0, 0.95)])
def test_intervals_of_games_cover_truth(games: int, elo: float, draws: float) -> None:
    """Where the likelihood ratio alone contains it in 83 to 91 %."""
    score = score_of_elo(elo)
    assert covered(games, [1.0 - score - draws / 2.0, draws, score - draws / 2.0]) > 0.93


def test_large_matches_agree_with_normal_distribution() -> None:
    counts = [12, 70, 150, 80, 18]
    match = match_statistics(counts)
    p = np.array(counts) / sum(counts)
    a = np.arange(5) / 4
    mean = float(p @ a)
    sd = math.sqrt(float(p @ (a - mean) ** 2) / sum(counts))
    ends = [elo_of_score(mean + sign * 1.959964 * sd) for sign in (-1, 1)]
    assert match.elo_error95 == pytest.approx((ends[1] - ends[0]) / 2.0, rel=0.01)
    assert (match.elo_low95, match.elo_high95) == pytest.approx(tuple(ends), rel=0.05)
    assert match.los == pytest.approx(0.5 * math.erfc((0.5 - mean) / sd / math.sqrt(2.0)), abs=2e-3)


def test_interval_ends_are_at_likelihood_bound() -> None:
    """Against an independent maximiser of the likelihood at the given mean."""
    counts = np.array([1, 2, 5, 3, 0])
    weights = counts + np.array([1, 3, 0, 3, 1]) / 16
    a = np.arange(5) / 4
    (low,), (high,) = elo_intervals(counts[None, :].astype(float))
    for end in (low, high):
        found = minimize(
            lambda z: -float(weights @ (z - np.log(np.exp(z).sum()))),
            np.zeros(5),
            constraints={
                "type": "eq",
                "fun": lambda z, e=end: float(np.exp(z) @ a / np.exp(z).sum()) - score_of_elo(e),
            },
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        best = float(weights @ np.log(weights / weights.sum(), where=weights > 0.0,
                                      out=np.zeros(5)))  # fmt: skip
        lost = 2.0 * (best + found.fun)
        assert lost == pytest.approx(1.959964**2 * (1.0 + 3.0 / 23.0), rel=1e-3)


def test_ratios_of_counts() -> None:
    match = match_statistics([2, 3, 4, 5, 6])
    assert match.pairs_ratio == pytest.approx(11 / 5)
    assert match.draw_ratio == pytest.approx(4 / 20)
    assert match_statistics([0, 0, 4, 5, 6]).pairs_ratio is None
    assert match_statistics([2, 3, 4]).pairs_ratio is None


def test_bad_counts_are_refused(failing: Failing) -> None:
    def check(counts: list[int]) -> None:
        with pytest.raises(StatisticsError):
            match_statistics(counts)

    assert not failing(check, zip([[], [1, 2], [1, 2, 3, 4], [1] * 6, [-1, 2, 3]]))
