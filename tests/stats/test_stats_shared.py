"""Errors are right where the pairings of an event share their openings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from toolkit.stats.elo import ELO_PER_NAT
from toolkit.stats.likelihood import PoolGames
from toolkit.stats.ratings import Pool, RatingOptions, rate_table
from toolkit.stats.tables import GameTable, PoolPairs, SharedPairs, merge
from toolkit.stats.uncertainty import PAIRS_OF_MODEL

Meeting = tuple[int, int, int, int]
"""Opening, first and second player, number of the two results."""
NAMES = "abcdefgh"


def table(meetings: list[Meeting], *, shared: bool = True, players: int = 6) -> GameTable:
    """The table of these pairs, summed up one by one."""
    opening, first, second, result = np.array(meetings, dtype=np.intp).T
    i, j = result // 3, result % 3
    counts = np.eye(3)
    both = SharedPairs(opening, first, second, result)
    return merge(
        NAMES[:players],
        PoolGames(
            players,
            np.concatenate([first, second]),
            np.concatenate([second, first]),
            np.concatenate([counts[i], counts[j]]).T,
        ),
        PoolPairs(first, second, np.eye(9)[result].T, both if shared else None),
    )


def pool_of(meetings: list[Meeting], *, shared: bool = True, bootstrap: int = 0) -> Pool:
    options = RatingOptions(bootstrap=bootstrap)
    (pool,) = rate_table(table(meetings, shared=shared), options).pools
    return pool


def drawn(seed: int, heroes: int, pairs: int, effect: float, shared: bool) -> list[Meeting]:
    """A gauntlet against two opponents: openings suit heroes by a normal ``effect`` in Elo."""
    random = np.random.default_rng(seed)
    common = random.normal(0.0, effect, (2, pairs))
    meetings = []
    for hero in range(heroes):
        for other in range(2):
            own = common[other] if shared else random.normal(0.0, effect, pairs)
            first, second = (_results(random, own + sign * 30.0) for sign in (1, -1))
            opponent = heroes + other
            codes = 3 * (2 - first) + second
            meetings += [(k, hero, opponent, int(code)) for k, code in enumerate(codes)]
    return meetings


def _results(random: np.random.Generator, elo: NDArray[np.float64]) -> NDArray[np.int64]:
    """Half points of the hero, with many draws."""
    p = 1.0 / (1.0 + np.exp(-elo / ELO_PER_NAT))
    draw = 1.6 * p * (1.0 - p)
    u = random.random(p.size)
    return np.where(u < p - draw / 2, 2, np.where(u < p + draw / 2, 1, 0))


def test_equal_heroes_differ_by_model_share_only() -> None:
    """The pairs' share of the variance cancels: what is left is 10 of n + 10."""
    pairs = 400
    one = drawn(3, 1, pairs, 150.0, shared=True)
    meetings = [(k, hero, 3 + other - 1, code) for hero in (0, 1, 2) for k, _, other, code in one]
    together, apart = pool_of(meetings), pool_of(meetings, shared=False)
    assert (together.error_model, apart.error_model) == ("opening-clustered", "pair-clustered")
    assert np.array_equal(together.estimates, apart.estimates)
    clustered, usual = (pool.difference("a", "b") for pool in (together, apart))
    assert clustered[0] == usual[0] == pytest.approx(0.0, abs=1e-9)
    share = PAIRS_OF_MODEL / (pairs + PAIRS_OF_MODEL)
    assert clustered[1] < 1.5 * np.sqrt(share) * usual[1]
    # What openings do to all heroes alike is an error of their distance to the opponents.
    assert together.difference("a", "d")[1] > apart.difference("a", "d")[1]


def test_openings_with_one_pair_change_nothing() -> None:
    meetings = [
        (number, *meeting[1:]) for number, meeting in enumerate(drawn(4, 3, 40, 100.0, False))
    ]
    one, other = pool_of(meetings), pool_of(meetings, shared=False)
    assert one.covariance == pytest.approx(other.covariance, rel=1e-9, abs=1e-9)


def test_order_and_numbering_do_not_matter() -> None:
    meetings = drawn(5, 3, 30, 100.0, True)
    random = np.random.default_rng(1)
    mixed = [meetings[at] for at in random.permutation(len(meetings))]
    renamed = [(10**12 + 7 * k, a, b, code) for k, a, b, code in mixed]
    # The same pair, seen from the other player: the games change places, too.
    turned = [(k, b, a, 3 * (code % 3) + code // 3) for k, a, b, code in renamed]
    for other in (mixed, renamed, turned):
        assert pool_of(other).covariance == pytest.approx(pool_of(meetings).covariance, rel=1e-6)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 6), st.integers(0, 4), st.integers(0, 4), st.integers(0, 8)
        ).filter(lambda meeting: meeting[1] != meeting[2]),
        min_size=1,
        max_size=60,
    )
)
@settings(max_examples=12)
def test_covariances_are_positive_semidefinite(meetings: list[Meeting]) -> None:
    """For any pairs, also several of the same players in one opening, and in several pools."""
    for pool in rate_table(table(meetings)).pools:
        if pool.error_model == "none":
            continue
        values = np.linalg.eigvalsh(pool.covariance)
        assert values.min() >= -1e-7 * max(values.max(), 1.0)
        assert np.isfinite(pool.error_matrix()).all()


def test_bounded_player_takes_its_pairs_along() -> None:
    """One that lost everything is bounded; the rest is as if it had not played."""
    meetings = drawn(6, 3, 40, 100.0, True)
    beaten = [(k, 5, 3, 6) for k in range(40)]  # loses as White, and as Black
    beaten = [(k, 5, 3, 3 * 2 + 0) for k in range(40)]
    pool = pool_of(meetings + beaten)
    (line,) = [one for one in pool.players if one.player == "f"]
    assert line.bound == "at most"
    assert pool.covariance == pytest.approx(pool_of(meetings).covariance)


@pytest.mark.parametrize(("shared", "least", "most"), [(False, 0.92, 0.98), (True, 0.92, 0.985)])
def test_intervals_between_heroes_cover_truth(shared: bool, least: float, most: float) -> None:
    """All differences of 80 simulated gauntlets of equal heroes."""
    covered = total = 0
    for seed in range(80):
        pool = pool_of(drawn(1000 + seed, 3, 60, 150.0, shared), shared=shared)
        errors = pool.error_matrix()
        for one, other in ((0, 1), (0, 2), (1, 2)):
            total += 1
            covered += abs(pool.estimates[one] - pool.estimates[other]) <= errors[one, other]
    assert least <= covered / total <= most


def test_shared_openings_narrow_intervals() -> None:
    meetings = drawn(8, 4, 200, 200.0, True)
    clustered, ignoring = pool_of(meetings), pool_of(meetings, shared=False)
    one, other = clustered.error_matrix()[0, 1], ignoring.error_matrix()[0, 1]
    assert one < 0.9 * other


def test_bootstrap_resamples_openings() -> None:
    """Both kinds of error agree; resampling pairs would overstate the differences of heroes."""
    meetings = drawn(9, 3, 150, 200.0, True)
    formula = pool_of(meetings)
    sampled, pairwise = (
        pool_of(meetings, shared=shared, bootstrap=100) for shared in (True, False)
    )
    assert sampled.error_model == "bootstrap"
    assert sampled.error_matrix()[0, 1] == pytest.approx(formula.error_matrix()[0, 1], rel=0.15)
    assert pairwise.error_matrix()[0, 1] > 1.15 * sampled.error_matrix()[0, 1]
    same = [(k, hero, 3, code) for hero in (0, 1) for k, _, _, code in drawn(2, 1, 80, 100.0, True)]
    same = [row for row in same if row[1] in (0, 1)]
    assert pool_of(same, bootstrap=20).error_matrix()[0, 1] == pytest.approx(0.0, abs=1e-6)


def test_bootstrap_of_single_pairs_resamples_pairs() -> None:
    meetings = [
        (number, *meeting[1:]) for number, meeting in enumerate(drawn(4, 2, 120, 100.0, False))
    ]
    one, other = (pool_of(meetings, shared=shared, bootstrap=100) for shared in (True, False))
    assert one.error_matrix()[0, 1] == pytest.approx(other.error_matrix()[0, 1], rel=0.15)
