"""The joint fit equals other maximisers, keeps its invariances, and states correct errors."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from toolkit.stats.elo import ELO_PER_NAT, Z95
from toolkit.stats.errors import StatisticsError
from toolkit.stats.fit import FitRequest, fit_pool
from toolkit.stats.match import match_statistics
from toolkit.stats.outcome import outcomes
from toolkit.stats.ratings import EncounterCounts, PairedCounts, Pool, RatingOptions, rate
from toolkit.stats.tables import tabulate

Failing = Callable[..., list[str]]

NAMES = "abcdefgh"
LEVEL = RatingOptions(white_advantage=0.0)
MIXES = ((0.0, 1.0, 0.0), (0.5, 0.0, 0.5), (1.0, 0.0, 0.0), (0.3, 0.5, 0.2), (0.1, 0.9, 0.0))


def random_games(
    seed: int, players: int, games: int, draws: float = 0.4, advantage: float = 30.0
) -> list[EncounterCounts]:
    """Games of a random tournament, by encounter, from the model written down anew."""
    random_ = np.random.default_rng(seed)
    strength = random_.normal(0.0, 120.0, players)
    rows = []
    for white in range(players):
        for black in range(players):
            if white != black:
                p = 1.0 / (1.0 + 10.0 ** (-(strength[white] + advantage - strength[black]) / 400))
                counts = random_.multinomial(games, probabilities(p, draws))
                rows.append(EncounterCounts(NAMES[white], NAMES[black], *map(int, counts)))
    return rows


def probabilities(p: float, q: float) -> tuple[float, float, float]:
    """Win, draw, loss by the textbook root of D² = k(p − D/2)(1 − p − D/2)."""
    k = (2.0 * q / (1.0 - q)) ** 2
    if abs(k - 4.0) < 1e-9:
        d = 2.0 * p * (1.0 - p)
    else:
        d = (math.sqrt(k * k / 4 + (4 - k) * k * p * (1 - p)) - k / 2) * 2 / (4 - k)
    return p - d / 2, d, 1 - p - d / 2


def independent_fit(rows: list[EncounterCounts]) -> tuple[dict[str, float], float, float, float]:
    """Ratings (mean 0), advantage, draw rate and log-likelihood by a general maximiser."""
    names = sorted({name for row in rows for name in row[:2]})
    place = {name: at for at, name in enumerate(names)}

    def loss(parameters: np.ndarray) -> float:
        ratings = np.append(parameters[:-2], -parameters[:-2].sum())
        total = 0.0
        q = 1.0 / (1.0 + math.exp(-parameters[-1]))
        for row in rows:
            difference = ratings[place[row.white]] - ratings[place[row.black]] + parameters[-2]
            chances = probabilities(1.0 / (1.0 + math.exp(-difference)), q)
            total -= sum(n * math.log(c) for n, c in zip(row[2:], chances, strict=True))
        return total

    start = np.zeros(len(names) + 1)
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-7})
    ratings = np.append(found.x[:-2], -found.x[:-2].sum()) * ELO_PER_NAT
    q = 1.0 / (1.0 + math.exp(-found.x[-1]))
    return dict(zip(names, ratings, strict=True)), found.x[-2] * ELO_PER_NAT, q, -found.fun


def only_pool(*arguments: Any, **options: Any) -> Pool:
    (pool,) = rate(*arguments, **options).pools
    return pool


@pytest.mark.parametrize(("seed", "draws"), [(1, 0.4), (2, 0.1), (3, 0.75)])
def test_general_maximiser_agrees(seed: int, draws: float) -> None:
    rows = random_games(seed, 5, 20, draws)
    ratings, advantage, q, _ = independent_fit(rows)
    pool = only_pool(rows)
    assert dict(zip(pool.rated, pool.estimates, strict=True)) == pytest.approx(ratings, abs=2e-3)
    assert pool.white_advantage == pytest.approx(advantage, abs=2e-3)
    assert pool.draw_rate == pytest.approx(q, abs=1e-5)


def test_choix_agrees_without_draws_and_advantage(failing: Failing) -> None:
    def check(seed: int) -> None:
        rows = [row._replace(draws=0) for row in random_games(seed, 6, 9, 0.01, 0.0)]
        data = []
        for row in rows:
            white, black = NAMES.index(row.white), NAMES.index(row.black)
            data += [(white, black)] * row.white_wins + [(black, white)] * row.black_wins
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = choix.opt_pairwise(6, data, method="Newton-CG", tol=1e-12) * ELO_PER_NAT
        pool = only_pool(rows, options=LEVEL)
        assert pool.draw_rate == 0.0
        assert pool.estimates == pytest.approx(expected - expected.mean(), abs=1e-3)

    assert not failing(check, zip(range(2)))


@given(st.integers(0, 10**6), st.integers(0, 10**6))
@settings(max_examples=12)
def test_order_of_games_and_players_does_not_matter(seed: int, shuffle: int) -> None:
    rows = random_games(seed, 4, 7)
    single = []
    for row in rows:
        for column in range(3):
            counts = [0, 0, 0]
            counts[column] = 1
            single += [EncounterCounts(row.white, row.black, *counts)] * row[2 + column]
    random.Random(shuffle).shuffle(single)
    one, other = rate(rows), rate(single)
    assert one.players == other.players
    assert all(
        np.array_equal(a.covariance, b.covariance)
        for a, b in zip(one.pools, other.pools, strict=True)
    )


@given(st.integers(0, 10**6))
@settings(max_examples=12)
def test_swapped_results_negate_ratings(seed: int) -> None:
    rows = random_games(seed, 4, 25)
    turned = [EncounterCounts(r.black, r.white, r.white_wins, r.draws, r.black_wins) for r in rows]
    one, other = only_pool(rows), only_pool(turned)
    assert other.estimates == pytest.approx(-one.estimates, abs=1e-6)
    assert other.white_advantage == pytest.approx(one.white_advantage, abs=1e-6)
    assert np.diag(other.covariance) == pytest.approx(np.diag(one.covariance), rel=1e-6)


@given(st.integers(1, 200), st.integers(0, 200), st.integers(1, 200), st.integers(1, 100))
@settings(max_examples=12)
def test_draws_pull_players_together(w: int, d: int, b: int, more: int) -> None:
    before = only_pool([EncounterCounts("x", "y", w, d, b)], options=LEVEL)
    after = only_pool([EncounterCounts("x", "y", w, d + more, b)], options=LEVEL)
    far, near = before.difference("x", "y")[0], after.difference("x", "y")[0]
    assert abs(near) < abs(far) if w != b else abs(near) < 1e-6


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
@settings(max_examples=25)
def test_two_players_differ_by_elo_of_score(w: int, d: int, b: int) -> None:
    """Two free parameters and two frequencies: the fit is exact, on every edge of the model."""
    if d == 0 and (w == 0 or b == 0):
        return
    pool = only_pool([EncounterCounts("x", "y", w, d, b)], options=LEVEL)
    score = (w + d / 2) / (w + d + b)
    expected = 400.0 * math.log10(score / (1.0 - score))
    assert pool.difference("x", "y")[0] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(("counts", "q"), [((30, 0, 20), 0.0), ((25, 50, 25), 0.5)])
def test_extreme_draw_rates(counts: tuple[int, int, int], q: float) -> None:
    pool = only_pool([EncounterCounts("x", "y", *counts)], options=LEVEL)
    assert pool.draw_rate == pytest.approx(q, abs=1e-9)
    _, error = pool.difference("x", "y")
    places = pool.rated.index("x"), pool.rated.index("y")
    assert pool.error_matrix()[places] == pytest.approx(error)
    assert error == pytest.approx(match_statistics(counts[::-1]).elo_error95, rel=0.05)


def test_draws_only_are_level_with_finite_error() -> None:
    pool = only_pool([EncounterCounts("x", "y", 0, 50, 0)])
    difference, error = pool.difference("x", "y")
    assert difference == 0.0
    assert 0.5 < error / match_statistics([0, 50, 0]).elo_error95 < 1.0


def test_four_times_games_halve_error() -> None:
    rows = random_games(5, 4, 300)
    four = [EncounterCounts(*row[:2], *(4 * n for n in row[2:])) for row in rows]
    one, other = only_pool(rows), only_pool(four)
    assert other.estimates == pytest.approx(one.estimates, abs=1e-7)
    assert np.diag(other.covariance) == pytest.approx(np.diag(one.covariance) / 4.0, rel=0.01)


# Errors clustered by pair


def paired(first: str, second: str, joint: list[int]) -> tuple[list[EncounterCounts], PairedCounts]:
    """The games of pairs, and the pairs."""
    table = np.array(joint).reshape(3, 3)
    games = [
        EncounterCounts(first, second, *map(int, table.sum(axis=1))),
        EncounterCounts(second, first, *map(int, table.sum(axis=0))),
    ]
    return games, PairedCounts(first, second, joint)


def pentanomial(joint: list[int]) -> list[int]:
    """By points of the first player: it is White in the row's game, Black in the column's."""
    counts = [0] * 5
    for i in range(3):
        for j in range(3):
            counts[(2 - i) + j] += joint[3 * i + j]
    return counts


JOINT = [60, 30, 60, 90, 120, 60, 60, 60, 60]


def test_two_players_have_pentanomial_errors() -> None:
    games, pairs = paired("x", "y", JOINT)
    match = match_statistics(pentanomial(JOINT))
    pool = only_pool(games, [pairs])
    assert pool.error_model == "pair-clustered"
    difference, error = pool.difference("x", "y")
    assert difference == pytest.approx(match.elo, abs=0.2)
    assert error == pytest.approx(match.elo_error95, rel=5e-3)


def test_pairs_may_be_given_from_either_side() -> None:
    games, pairs = paired("x", "y", JOINT)
    turned = PairedCounts("y", "x", [JOINT[3 * j + i] for i in range(3) for j in range(3)])
    one, other = only_pool(games, [pairs]), only_pool(games, [turned])
    assert np.array_equal(one.covariance, other.covariance)


def test_correlation_in_pairs_changes_error() -> None:
    both = [0, 0, 100, 0, 100, 0, 100, 0, 0]  # the same player scores in both games
    split = [100, 0, 0, 0, 100, 0, 0, 0, 100]  # White does, or Black does
    fisher = only_pool(paired("x", "y", both)[0]).difference("x", "y")[1]
    errors = []
    for joint in (both, [n + 1 for n in split]):
        games, pairs = paired("x", "y", joint)
        errors.append(only_pool(games, [pairs]).difference("x", "y")[1])
    assert errors[0] == pytest.approx(fisher * math.sqrt(2.0), rel=0.03)
    assert errors[1] < fisher / 3.0


def test_thin_pairings_do_not_add_up_to_a_wide_error(failing: Failing) -> None:
    """A hero with the same three pairs against each of 30 opponents knows as much as one with 90
    pairs against one of them. The mean of the 31 players is 30/31 of the difference away."""

    def check(joint: list[int]) -> None:
        rows, told = [], []
        for number in range(30):
            games, counts = paired("hero", f"o{number:02d}", joint)
            rows += games
            told.append(counts)
        games, counts = paired("hero", "o", [30 * n for n in joint])
        for many, one, tolerance in (([], [], 1e-6), (told, [counts], 0.3)):
            hero = next(p for p in only_pool(rows, many).players if p.player == "hero")
            error = only_pool(games, one).difference("hero", "o")[1]
            assert hero.error95 == pytest.approx(error * 30 / 31, rel=tolerance)

    level, ahead, white = (
        [0, 1, 0, 0, 1, 0, 0, 1, 0],
        [0, 1, 1, 0, 0, 1, 0, 0, 0],
        [1, 1, 0, 1, 0, 0, 0, 0, 0],
    )
    assert not failing(check, zip((level, ahead, white)))


def test_errors_take_the_lower_end_of_the_draw_rate() -> None:
    """The log-likelihood is 1 lower there. Of draws alone, D = q, so q = exp(-1/50); at equality
    the information of 50 games is 50·((1 − q)/2)·2·(1/(2(1 − q)))² = 50/(4(1 − q)) nats⁻²."""
    pool = only_pool([EncounterCounts("x", "y", 0, 50, 0)], options=LEVEL)
    rest = 1.0 - math.exp(-1.0 / 50.0)
    expected = Z95 * ELO_PER_NAT / math.sqrt(50.0 / (4.0 * rest))
    assert pool.difference("x", "y")[1] == pytest.approx(expected, rel=5e-3)


def test_games_without_pairs_have_trinomial_errors() -> None:
    error = only_pool([EncounterCounts("x", "y", 4, 3, 1)], options=LEVEL).difference("x", "y")[1]
    assert error == pytest.approx(match_statistics([1, 3, 4]).elo_error95, rel=5e-3)


def test_errors_change_smoothly_with_pairs() -> None:
    errors = []
    for pairs in range(26, 36):
        rows, told = [], []
        for first, second in (("x", "y"), ("y", "z"), ("x", "z")):
            games, counts = paired(first, second, [pairs - 18, 4, 3, 3, 3, 2, 1, 1, 1])
            rows += games
            told.append(counts)
        errors.append(only_pool(rows, told).difference("x", "y")[1])
    steps = np.diff(errors)
    assert np.all(np.abs(steps) < 0.06 * np.array(errors[1:]))


def test_indirect_games_determine_difference() -> None:
    """Through sixty opponents with one pair each, nearly what sixty pairs with one would say."""
    rows, told = [], []
    for number in range(60):
        for name in ("x", "y"):
            joint = [0] * 9
            joint[(4, 1, 5, 2, 3)[number % 5]] = 1
            games, counts = paired(name, f"o{number:02d}", joint)
            rows += games
            told.append(counts)
    pool = only_pool(rows, told)
    match = match_statistics([0, 12, 36, 12, 0])
    sparse = pool.difference("x", "y")[1]
    assert sparse == pytest.approx(math.sqrt(2.0) * match.elo_error95, rel=0.25)


def test_thin_connection_has_wide_error() -> None:
    """Two groups of many games, joined by two: what is known across is what those two say."""
    rows = [
        EncounterCounts(a, b, 150, 200, 150)
        for a, b in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))
    ]
    rows += [EncounterCounts("b", "c", 1, 0, 0), EncounterCounts("c", "b", 1, 0, 0)]
    pool = only_pool(rows, options=LEVEL)
    assert pool.error_model == "fisher"
    assert pool.difference("a", "b")[1] < 25.0
    assert pool.difference("a", "d")[1] > 200.0


def test_bootstrap_agrees_with_covariance() -> None:
    games, pairs = paired("x", "y", JOINT)
    clustered = only_pool(games, [pairs])
    one = only_pool(games, [pairs], options=RatingOptions(bootstrap=150, seed=4))
    assert one.error_model == "bootstrap"
    expected = clustered.difference("x", "y")[1]
    assert one.difference("x", "y")[1] == pytest.approx(expected, rel=0.15)
    first, again, other = (
        only_pool(games, [pairs], options=RatingOptions(bootstrap=10, seed=seed))
        for seed in (4, 4, 5)
    )
    assert first.players == again.players
    assert not np.array_equal(other.covariance, first.covariance)


def test_bootstrap_survives_unconnected_resamples() -> None:
    pool = only_pool([EncounterCounts("x", "y", 1, 0, 3)], options=RatingOptions(bootstrap=50))
    assert all(line.error95 and math.isfinite(line.error95) for line in pool.players)


# Scale, white advantage, prior


def test_anchor_is_fixed_without_error() -> None:
    rows = random_games(8, 4, 20)
    free = only_pool(rows)
    pool = only_pool(rows, options=RatingOptions(anchors={"c": 1500.0}))
    lines = {line.player: line for line in pool.players}
    assert (lines["c"].elo, lines["c"].error95) == (1500.0, 0.0)
    assert pool.reference == "anchor"
    assert pool.difference("a", "b") == pytest.approx(free.difference("a", "b"), abs=1e-6)
    difference = free.difference("a", "c")
    assert (lines["a"].elo - 1500.0, lines["a"].error95) == pytest.approx(difference, abs=1e-6)


def test_several_anchors_are_held_fixed() -> None:
    rows = random_games(8, 4, 20)
    pool = only_pool(rows, options=RatingOptions(anchors={"a": 0.0, "b": 300.0}))
    lines = {line.player: line for line in pool.players}
    assert (lines["a"].elo, lines["b"].elo) == (0.0, 300.0)
    assert (lines["a"].error95, lines["b"].error95) == (0.0, 0.0)
    assert pool.reference == "anchors"
    assert pool.los("b", "a") == 1.0 and pool.los("a", "b") == 0.0


def test_mean_is_as_requested() -> None:
    pool = only_pool(random_games(8, 4, 20), options=RatingOptions(mean=2500.0))
    assert pool.estimates.mean() == pytest.approx(2500.0)


def test_white_advantage_is_estimated() -> None:
    pool = only_pool(random_games(11, 6, 400, advantage=42.0))
    error = pool.white_advantage_error95
    assert error is not None and error < 8.0
    assert pool.white_advantage == pytest.approx(42.0, abs=1.5 * error)
    assert pool.white_advantage_note == "estimated"


def test_given_white_advantage_is_kept() -> None:
    options = RatingOptions(white_advantage=35.0)
    pool = only_pool([EncounterCounts("x", "y", 50, 0, 50)], options=options)
    assert pool.difference("x", "y")[0] == pytest.approx(-35.0)
    assert (pool.white_advantage_note, pool.white_advantage) == ("given", 35.0)


def test_one_colour_gives_no_advantage() -> None:
    pool = only_pool([EncounterCounts("x", "y", 60, 0, 40)])
    assert (pool.white_advantage_note, pool.white_advantage) == ("not identifiable", 0.0)


def test_white_winning_everything_stays_finite() -> None:
    rows = [EncounterCounts("x", "y", 9, 0, 0), EncounterCounts("y", "x", 9, 0, 0)]
    pool = only_pool(rows)
    assert (pool.white_advantage_note, pool.white_advantage) == ("unbounded", 0.0)
    assert pool.difference("x", "y")[0] == 0.0
    assert pool.difference("x", "y")[1] > 100.0


def test_prior_makes_perfect_score_finite() -> None:
    options = RatingOptions(prior=300.0, white_advantage=0.0)
    few = only_pool([EncounterCounts("x", "y", 3, 0, 0)], options=options)
    many = only_pool([EncounterCounts("x", "y", 300, 0, 0)], options=options)
    assert 50.0 < few.difference("x", "y")[0] < many.difference("x", "y")[0] < 2000.0
    plain = only_pool([EncounterCounts("x", "y", 4000, 0, 3000)], options=LEVEL)
    prior = only_pool([EncounterCounts("x", "y", 4000, 0, 3000)], options=options)
    expected = plain.difference("x", "y")[0]
    assert prior.difference("x", "y")[0] == pytest.approx(expected, abs=0.05)


def test_los_is_normal_chance_of_difference() -> None:
    pool = only_pool(random_games(3, 5, 12))
    table = pool.los_matrix()
    assert table + table.T == pytest.approx(np.ones_like(table))
    for line, following in zip(pool.players, pool.players[1:], strict=False):
        difference, error = pool.difference(line.player, following.player)
        chance = 0.5 * math.erfc(-difference / (error / Z95) / math.sqrt(2.0))
        assert line.los_next == pytest.approx(chance)
    assert pool.players[-1].los_next is None


def test_points_and_games_are_counted() -> None:
    rows = [EncounterCounts("x", "y", 3, 2, 1), EncounterCounts("y", "x", 4, 1, 0)]
    lines = {line.player: line for line in only_pool(rows).players}
    assert (lines["x"].wins, lines["x"].draws, lines["x"].losses) == (3, 3, 5)
    assert lines["x"].score == pytest.approx(4.5 / 11)
    assert lines["y"].score == pytest.approx(6.5 / 11)


@pytest.mark.parametrize(
    "rows",
    [
        [("d", "a", 26, 24, 0), ("d", "b", 2, 0, 0), ("c", "d", 0, 1, 0)],
        [("d", "a", 0, 1, 0), ("c", "d", 1, 1, 0), ("c", "a", 1, 0, 0), ("c", "d", 0, 1, 0)],
    ],
)
def test_contradictory_anchors_converge(rows: list[Any]) -> None:
    """Full steps jump from one side of the maximum to the other here, for ever."""
    pool = rate(rows, options=RatingOptions(anchors={"d": 0.0, "a": 50.0})).pools[0]
    assert all(math.isfinite(line.elo) for line in pool.players)


def test_fit_finds_the_highest_maximum(failing: Failing) -> None:
    """Gauntlets of 30 opponents with six games each: White's results of the hero, then of its
    opponent. Steps without regard to curvature stay at a saddle of the first, and at a lower
    maximum of the second, which has 0.104 less. Expected: the best of 40 other starts."""

    def check(text: str, expected: float) -> None:
        rows = []
        for number, (*hero, wins, draws, losses) in enumerate(text.split()):
            opponent = f"p{number:02}"
            rows.append(("hero", opponent, *map(int, hero)))
            rows.append((opponent, "hero", int(wins), int(draws), int(losses)))
        games = tabulate(rows, ()).games
        assert games.counts.sum() == 180
        fit = fit_pool(games, FitRequest())
        assert fit.log_likelihood == pytest.approx(expected, abs=1e-6)
        assert fit.residual < 1e-6

    two_maxima = (
        "120030 030030 021210 021030 021120 120003 120030 021021 021120 030120 "
        "120111 300111 030030 030120 120030 030030 120210 030120 120030 030120 "
        "030030 030021 210030 021030 210120 030030 030030 030021 120030 030030"
    )
    lower_first = (
        "030120 030021 021030 030120 030120 030030 210030 030120 030120 120021 "
        "030030 030012 030120 120030 030030 030030 030030 120030 120030 030120 "
        "030120 030030 030030 030030 030030 030030 120030 120030 021021 030021"
    )
    assert not failing(check, ((two_maxima, -98.9078230), (lower_first, -65.0379364)))


def test_few_games_of_any_kind_are_rated(failing: Failing) -> None:
    def check(seed: int) -> None:
        random_ = np.random.default_rng(seed)
        rows = [
            EncounterCounts(
                *(NAMES[n] for n in random_.choice(6, 2, replace=False)),
                *map(
                    int, random_.multinomial(random_.choice([1, 2, 5, 50]), random_.choice(MIXES))
                ),
            )
            for _ in range(8)
        ]
        for options in (RatingOptions(), LEVEL, RatingOptions(prior=400.0)):
            ratings = rate(rows, options=options)
            assert sum(pool.games for pool in ratings.pools) + ratings.left_out == ratings.games
            for line in ratings.players:
                assert math.isfinite(line.elo)
                assert (line.error95 is None) or math.isfinite(line.error95)

    assert not failing(check, zip(range(8)))


# Refusals


def test_bad_input_is_refused(failing: Failing) -> None:
    def check(rows: list, pairs: list, options: RatingOptions | None) -> None:
        with pytest.raises(StatisticsError):
            rate(rows, pairs, options)

    assert not failing(
        check,
        [
            ([("x", "y", -1, 2, 3)], [], None),
            ([("x", "y", 5, 5, 5)], [], RatingOptions(anchors={"z": 0.0})),
            ([("x", "y", 5, 5, 5)], [], RatingOptions(prior=0.0)),
            ([("x", "y", 5, 5, 5)], [], RatingOptions(bootstrap=1)),
            ([("x", "y", 5, 5, 5)], [], RatingOptions(mean=math.nan)),
            ([("x", "y", 1, 0, 0)], [("x", "y", [1, 0, 0, 0, 0, 0, 0, 0, 0])], None),
            ([("x", "y", 1, 0, 0)], [("x", "z", [1, 0, 0, 0, 0, 0, 0, 0, 0])], None),
            (
                [("x", "y", 1, 0, 0), ("y", "x", 1, 0, 0)],
                [("x", "y", [2, 0, 0, 0, 0, 0, 0, 0, 0])],
                None,
            ),
            ([("x", "y", 1, 0, 0), ("y", "x", 1, 0, 0)], [("x", "y", [1, 0, 0])], None),
        ],
    )


@pytest.mark.parametrize("names", ["abw", "wab", "bwa"])
def test_perfect_scores_are_ordered_by_opponents(names: str) -> None:
    """A bound of two games lies beyond the opponents, and says nothing against its results."""
    a, b, perfect = names
    for wins, losses, place in ((1, 0, 0), (0, 1, 2)):
        rows = [EncounterCounts(a, b, 4, 2, 4), EncounterCounts(b, a, 4, 2, 4)]
        rows += [EncounterCounts(perfect, other, wins, 0, losses) for other in (a, b)]
        (pool,) = rate(rows, options=LEVEL).pools
        order = [line.player for line in pool.players]
        assert order.index(perfect) == place
        named = rate(rows, options=RatingOptions(white_advantage=0.0, names={a: "z", b: "y"}))
        order = [line.player for line in named.pools[0].players if line.bound is None]
        assert order == [b, a]


def test_equal_ratings_are_ordered_by_score() -> None:
    """Two perfect scorers of few games: the bounds of both lie below the best member."""
    rows = [EncounterCounts("c", "d", 90, 0, 10)]
    rows += [EncounterCounts("p", "d", 1, 0, 0), EncounterCounts("a", "d", 1, 0, 0)]
    rows += [EncounterCounts("p", "a", 1, 0, 0)]
    (pool, *_) = rate(rows, options=LEVEL).pools
    assert [line.player for line in pool.players] == ["p", "a", "c", "d"]


@pytest.mark.parametrize(("difference", "advantage"), [(0.0, 250.0), (60.0, 350.0)])
def test_large_advantage_narrows_no_interval(difference: float, advantage: float) -> None:
    """Of two players. Once 77 % and 55 % of the intervals held the truth."""
    theta, random = math.log(0.1 / 0.9), np.random.default_rng(1)
    white, black = (
        outcomes(np.array([sign * difference + advantage]) / ELO_PER_NAT, theta).probability[:, 0]
        for sign in (1.0, -1.0)
    )
    inside = []
    for joint in random.multinomial(100, np.outer(white, black).ravel(), size=60):
        table = joint.reshape(3, 3)
        rows = [
            EncounterCounts("x", "y", *map(int, table.sum(axis=1))),
            EncounterCounts("y", "x", *map(int, table.sum(axis=0))),
        ]
        (pool,) = rate(rows, [PairedCounts("x", "y", [int(n) for n in joint])]).pools
        found, error = pool.difference("x", "y")
        inside.append(abs(found - difference) <= error)
    assert np.mean(inside) > 0.90


def test_advantage_scales_difference_and_error() -> None:
    """So LOS says of two players what the match of the same pairs says."""
    joint = [17, 0, 2, 1, 0, 0, 0, 0, 0]  # White wins nearly everything
    table = np.array(joint).reshape(3, 3)
    rows = [
        EncounterCounts("x", "y", *map(int, table.sum(axis=1))),
        EncounterCounts("y", "x", *map(int, table.sum(axis=0))),
    ]
    (pool,) = rate(rows, [PairedCounts("x", "y", joint)]).pools
    points = np.add.outer([2, 1, 0], [0, 1, 2]).ravel()
    match = match_statistics(np.bincount(points, joint, 5).astype(int).tolist())
    difference, error = pool.difference("x", "y")
    assert abs(difference) > 1.5 * abs(match.elo) and error > 1.5 * match.elo_error95
    assert difference / error == pytest.approx(match.elo / match.elo_error95, rel=0.35)
