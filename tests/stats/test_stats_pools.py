"""Players are pooled exactly where results connect them."""

from __future__ import annotations

import pytest

from toolkit.stats.errors import StatisticsError
from toolkit.stats.match import match_statistics
from toolkit.stats.ratings import EncounterCounts, PlayerRating, RatingOptions, Ratings, rate

LEVEL = RatingOptions(white_advantage=0.0)


def both(one: str, other: str) -> list[EncounterCounts]:
    """Games in which both score."""
    return [EncounterCounts(one, other, 3, 4, 2), EncounterCounts(other, one, 3, 2, 4)]


def lines(ratings: Ratings) -> dict[str, PlayerRating]:
    return {line.player: line for line in ratings.players}


def test_unconnected_players_are_in_separate_pools() -> None:
    ratings = rate([*both("a", "b"), *both("b", "c"), *both("x", "y")])
    assert [set(pool.rated) for pool in ratings.pools] == [{"a", "b", "c"}, {"x", "y"}]
    assert ratings.left_out == 0
    with pytest.raises(StatisticsError):
        ratings.pools[0].difference("a", "x")


def test_one_sided_games_do_not_connect() -> None:
    """Every game of the upper two against the lower two was won: two pools, those games unused."""
    across = [EncounterCounts("a", "x", 5, 0, 0), EncounterCounts("y", "b", 0, 0, 5)]
    ratings = rate([*both("a", "b"), *both("x", "y"), *across])
    assert [set(pool.rated) for pool in ratings.pools] == [{"a", "b"}, {"x", "y"}]
    assert ratings.left_out == 10
    assert sum(pool.games for pool in ratings.pools) == ratings.games - 10


def test_one_draw_connects_pools() -> None:
    ratings = rate([*both("a", "b"), *both("x", "y"), EncounterCounts("a", "x", 5, 1, 0)])
    assert len(ratings.pools) == 1 and ratings.left_out == 0


def test_perfect_score_has_bound() -> None:
    ratings = rate([EncounterCounts("hero", "x", 10, 0, 0)], options=LEVEL)
    (pool,) = ratings.pools
    found = lines(ratings)
    assert pool.error_model == "none"
    bounded = [line for line in pool.players if line.bound]
    assert len(bounded) == 1 and bounded[0].error95 is None and bounded[0].los_next is None
    gap = found["hero"].elo - found["x"].elo
    assert gap == pytest.approx(match_statistics([0, 0, 10]).elo_low95)


def test_perfect_gauntlet_bounds_opponents_by_hero() -> None:
    rows = [EncounterCounts("hero", name, n, 0, 0) for name, n in (("x", 10), ("y", 40))]
    found = lines(rate(rows, options=LEVEL))
    assert found["hero"].bound is None
    assert found["x"].bound == found["y"].bound == "at most"
    assert found["y"].elo < found["x"].elo < found["hero"].elo


def test_perfect_score_in_pool_is_bounded_on_its_scale() -> None:
    rows = [
        *both("a", "b"),
        EncounterCounts("top", "a", 6, 0, 0),
        EncounterCounts("a", "low", 9, 0, 0),
    ]
    plain, full = rate(rows[:2], options=LEVEL), rate(rows, options=LEVEL)
    found, alone = lines(full), lines(plain)
    assert len(full.pools) == 1 and full.left_out == 0
    assert [line.player for line in full.pools[0].players][0] == "top"
    assert [line.player for line in full.pools[0].players][-1] == "low"
    assert (found["top"].bound, found["low"].bound) == ("at least", "at most")
    assert found["a"].elo == alone["a"].elo and found["a"].error95 == alone["a"].error95
    assert found["top"].games == 6 and found["a"].games == alone["a"].games + 15


def test_bounded_anchor_fixes_nothing() -> None:
    rows = [*both("a", "b"), EncounterCounts("top", "a", 6, 0, 0)]
    (pool,) = rate(rows, options=RatingOptions(anchors={"top": 3000.0})).pools
    assert pool.reference == "mean"
    assert pool.unused_anchors == ("top",)


def test_perfect_match_uses_its_anchor() -> None:
    ratings = rate(
        [EncounterCounts("a", "b", 8, 0, 0)],
        options=RatingOptions(anchors={"b": 100.0}, white_advantage=0.0),
    )
    found = lines(ratings)
    assert (found["b"].elo, found["b"].bound) == (100.0, None)
    assert found["a"].bound == "at least" and found["a"].elo > 100.0


def test_anchors_connect_pools() -> None:
    rows = [*both("a", "b"), *both("x", "y")]
    options = RatingOptions(anchors={"a": 0.0, "x": 200.0})
    (pool,) = rate(rows, options=options).pools
    assert pool.difference("x", "a")[0] == pytest.approx(200.0)


@pytest.mark.parametrize("prior", [None, 400.0])
def test_anchors_of_two_groups_do_not_connect(prior: float | None) -> None:
    """Each pool has the white advantage and the draw rate of its own games."""
    drawn = [EncounterCounts("x", "y", 1, 30, 1), EncounterCounts("y", "x", 3, 30, 1)]
    pools = {}
    for rows, anchors in (
        ([*both("a", "b"), *drawn], {"a": 0.0, "b": 5.0, "x": 200.0}),
        (both("a", "b"), {"a": 0.0, "b": 5.0}),
        (drawn, {"x": 200.0}),
    ):
        options = RatingOptions(anchors=anchors, anchor_groups={"x": "other"}, prior=prior)
        for pool in rate(rows, options=options).pools:
            pools.setdefault(frozenset(pool.rated), []).append(pool)
    assert set(pools) == {frozenset("ab"), frozenset("xy")}
    for together, alone in pools.values():
        assert together.white_advantage == pytest.approx(alone.white_advantage)
        assert together.draw_rate == pytest.approx(alone.draw_rate)
        assert together.estimates == pytest.approx(alone.estimates)
    rates = {round(both_ways[0].draw_rate, 2) for both_ways in pools.values()}
    assert len(rates) == 2


def test_prior_connects_all_opponents() -> None:
    rows = [EncounterCounts("a", "b", 5, 0, 0), EncounterCounts("b", "c", 5, 0, 0)]
    ratings = rate([*rows, *both("x", "y")], options=RatingOptions(prior=400.0))
    assert [set(pool.rated) for pool in ratings.pools] == [{"x", "y"}, {"a", "b", "c"}]
    assert not any(line.bound for line in ratings.players)


def test_chain_of_perfect_scores_has_no_scale() -> None:
    rows = [EncounterCounts(a, b, 4, 0, 0) for a, b in (("a", "b"), ("b", "c"), ("c", "d"))]
    ratings = rate([*rows, EncounterCounts("b", "c", 1, 0, 0)], options=LEVEL)
    assert len(ratings.pools) == 2
    assert sum(len(pool.players) for pool in ratings.pools) == 4


def test_games_against_oneself_do_not_count() -> None:
    ratings = rate([*both("a", "b"), EncounterCounts("a", "a", 2, 1, 1)])
    assert ratings.self_games == 4 and ratings.games == 18


def test_no_games_give_no_pools() -> None:
    assert rate([]).pools == ()
