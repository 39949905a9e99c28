"""Statistics of one match: symmetry, limits, and what happens where formulas end."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.stats.elo import elo_of_score, score_of_elo
from toolkit.stats.errors import StatisticsError
from toolkit.stats.match import MatchStatistics, match_statistics, swapped

COUNT = st.integers(0, 3000)
COUNTS = st.one_of(st.lists(COUNT, min_size=3, max_size=3), st.lists(COUNT, min_size=5, max_size=5))


def numbers(match: MatchStatistics) -> list[float]:
    values = [getattr(match, field.name) for field in fields(match)]
    return [value for value in values if isinstance(value, float)]


@given(COUNTS)
def test_every_result_has_a_finite_answer(counts: list[int]) -> None:
    match = match_statistics(counts)
    assert all(math.isfinite(value) for value in numbers(match))
    assert 0.0 <= match.los <= 1.0 and match.elo_error95 > 0.0 and match.nelo_error95 > 0.0


@given(COUNTS)
def test_swapping_the_players_turns_the_match_around(counts: list[int]) -> None:
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
def test_draws_pull_the_estimate_inwards(losses: int, draws: int, wins: int, more: int) -> None:
    before = match_statistics([losses, draws, wins])
    after = match_statistics([losses, draws + more, wins])
    assert abs(after.elo) <= abs(before.elo)
    assert after.elo * before.elo >= 0.0


@given(st.lists(st.integers(1, 300), min_size=5, max_size=5))
def test_four_times_the_pairs_halve_the_error(counts: list[int]) -> None:
    one, four = match_statistics(counts), match_statistics([4 * count for count in counts])
    assert four.elo == pytest.approx(one.elo, abs=1e-9)
    assert four.nelo_error95 == pytest.approx(one.nelo_error95 / 2.0)
    assert four.elo_error95 < one.elo_error95


def test_independent_pairs_say_what_their_games_say() -> None:
    """Two games of 1:2:1 make pairs of 1:4:6:4:1."""
    games = match_statistics([800, 1600, 800])
    pairs = match_statistics([100, 400, 600, 400, 100])
    assert games.games == pairs.games
    assert pairs.elo_error95 == pytest.approx(games.elo_error95)
    assert pairs.nelo_error95 == pytest.approx(games.nelo_error95)


def test_pairs_of_opposite_results_are_surer_than_their_games() -> None:
    games = match_statistics([500, 0, 500])
    pairs = match_statistics([0, 1, 498, 1, 0])
    assert pairs.elo_error95 < games.elo_error95 / 10.0


@pytest.mark.parametrize("wins", [1, 5, 6, 100, 10_000])
def test_a_perfect_score_gets_the_exact_bound(wins: int) -> None:
    match = match_statistics([0, 0, wins])
    assert match.flag == "perfect"
    assert match.elo_low95 is not None and match.elo_high95 is None
    assert score_of_elo(match.elo_low95) ** wins == pytest.approx(0.025)
    assert match.elo > 0.0
    assert match.elo - match.elo_error95 == pytest.approx(match.elo_low95)


def test_a_lost_match_is_bounded_from_above() -> None:
    match = match_statistics([8, 0, 0, 0, 0])
    assert match.flag == "perfect" and match.elo < 0.0
    assert match.elo_low95 is None and match.elo_high95 is not None and match.elo_high95 < 0.0


def test_an_empty_match_knows_nothing() -> None:
    match = match_statistics([0, 0, 0])
    assert (match.flag, match.elo, match.los, match.score) == ("empty", 0.0, 0.5, 0.5)
    assert match.elo_low95 is None and match.elo_high95 is None
    assert match.elo_error95 == 1200.0


def test_only_draws_leave_an_honest_error() -> None:
    match = match_statistics([0, 10, 0])
    other = 1.0 - 0.05 ** (1 / 10)
    assert match.flag == "no-spread" and match.elo == 0.0 and match.los == 0.5
    assert match.elo_high95 == pytest.approx(elo_of_score(0.5 + other / 2.0))
    assert match.elo_error95 == pytest.approx(match.elo_high95)
    assert match_statistics([0, 1000, 0]).elo_error95 < match.elo_error95


def test_an_interval_over_the_end_is_clipped() -> None:
    match = match_statistics([0, 1, 9])
    assert match.flag == "clipped"
    assert match.elo_low95 is not None and match.elo_high95 is None


def test_ratios() -> None:
    match = match_statistics([2, 3, 4, 5, 6])
    assert match.pairs_ratio == pytest.approx(11 / 5)
    assert match.draw_ratio == pytest.approx(4 / 20)
    assert match_statistics([0, 0, 4, 5, 6]).pairs_ratio is None
    assert match_statistics([2, 3, 4]).pairs_ratio is None


@pytest.mark.parametrize("counts", [[], [1, 2], [1, 2, 3, 4], [1] * 6, [-1, 2, 3]])
def test_bad_counts_are_refused(counts: list[int]) -> None:
    with pytest.raises(StatisticsError):
        match_statistics(counts)
