"""Adaptive round robins spend pairs where they tell most, and stop at their goal or budget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pairing_results import always_level, by_strength, lower_wins, play, played

from toolkit.pairing.adaptive import AdaptiveGoal, AdaptivePairer
from toolkit.pairing.rounds import PairPlace, PairPoints, PlayedRound
from toolkit.stats.elo import Z95
from toolkit.stats.ratings import rate

Failing = Callable[..., list[str]]

ORDER = AdaptiveGoal(None, 0.0)


def pairer(
    players: int, goal: AdaptiveGoal, round_pairs: int, most: int, room: int = 10**6
) -> AdaptivePairer:
    return AdaptivePairer(
        players, goal, round_pairs=round_pairs, most_pairs=most, most_per_pairing=room
    )


def test_first_round_is_connected_and_even(failing: Failing) -> None:
    def check(players: int) -> None:
        for pairs in range(players, 3 * players + 40):
            first = pairer(players, ORDER, pairs, 1000).next_round([])
            assert first is not None and first.pairs == pairs
            met = np.zeros((players, players))
            for meeting in first.meetings:
                assert meeting.first < meeting.second and meeting.start == 0
                met[meeting.first, meeting.second] = met[meeting.second, meeting.first] = (
                    meeting.pairs
                )
            reach = np.linalg.matrix_power((met > 0) + np.eye(players), players)
            assert (reach > 0).all()
            each = met[np.triu_indices(players, 1)]
            assert each.max() - each.min() <= 1
            if pairs % len(each) == 0:
                assert each.min() == each.max()
            assert met.sum(axis=1).max() - met.sum(axis=1).min() <= 2

    assert not failing(check, zip(range(2, 12)))


def test_rounds_keep_size_and_budget() -> None:
    rounds = play(pairer(4, ORDER, 30, 100), always_level)
    assert [r.round.pairs for r in rounds] == [30, 30, 30, 10]
    places = [place for r in rounds for m in r.round.meetings for place in m.places]
    assert len(set(places)) == 100
    for pairing in range(6):
        numbers = sorted(pair for number, pair in places if number == pairing)
        assert numbers == list(range(len(numbers)))


def test_no_pairing_has_more_pairs_than_lines() -> None:
    rounds = play(pairer(3, ORDER, 10, 1000, room=12), always_level)
    assert sum(r.round.pairs for r in rounds) == 36


def one_error(rounds: list[PlayedRound]) -> float:
    """The largest error of a rating, from the same counts given to the fit by hand."""
    games: dict[tuple[str, str], list[int]] = {}
    joint: dict[tuple[str, str], list[int]] = {}
    for r in rounds:
        for m in r.round.meetings:
            one, two = "abcdef"[m.first], "abcdef"[m.second]
            for first, second in r.points(m):
                games.setdefault((one, two), [0, 0, 0])[{2: 0, 1: 1, 0: 2}[first]] += 1
                games.setdefault((two, one), [0, 0, 0])[{0: 0, 1: 1, 2: 2}[second]] += 1
                at = 3 * {2: 0, 1: 1, 0: 2}[first] + {0: 0, 1: 1, 2: 2}[second]
                joint.setdefault((one, two), [0] * 9)[at] += 1
    found = rate(
        [(*key, *counts) for key, counts in games.items()],
        [(*key, counts) for key, counts in joint.items()],
    )
    (pool,) = found.pools
    return max(line.error95 or 0.0 for line in pool.players)


def test_stops_when_ratings_are_precise_enough() -> None:
    goal = AdaptiveGoal(60.0, 5.0)
    strengths = [0.0, 0.3, 0.2, 0.6]
    rounds = play(pairer(4, goal, 24, 5000), by_strength(strengths, 4))
    assert len(rounds) > 2
    errors = [one_error(rounds[:number]) for number in range(1, len(rounds) + 1)]
    assert errors[-1] <= 60.0 < min(errors[:-1])
    known = pairer(4, goal, 24, 5000).knowledge(rounds)
    assert known is not None and known.reached
    assert known.largest_error95 == pytest.approx(errors[-1])


def test_order_is_settled_by_significant_differences() -> None:
    strengths = [0.0, 0.7, 1.4]
    adaptive = pairer(3, ORDER, 30, 6000)
    rounds = play(adaptive, by_strength(strengths, 8))
    assert sum(r.round.pairs for r in rounds) < 6000
    assert adaptive.critical > Z95
    before, after = adaptive.knowledge(rounds[:-1]), adaptive.knowledge(rounds)
    assert before is not None and after is not None
    assert before.unsettled > 0 and after.unsettled == 0
    pool, _ = adaptive._look(rounds)
    assert pool is not None
    sd = pool.error_matrix() / Z95
    apart = np.abs(pool.estimates[:, None] - pool.estimates[None, :])
    assert (apart > adaptive.critical * sd)[np.triu_indices(3, 1)].all()


def test_equal_engines_are_settled_by_zone() -> None:
    seed = iter(range(10**6))

    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        return ((2, 0), (0, 2), (1, 1), (2, 2), (0, 0))[next(seed) % 5]

    with_zone = play(pairer(2, AdaptiveGoal(None, 60.0), 50, 1500), outcome)
    assert sum(r.round.pairs for r in with_zone) < 1500
    seed = iter(range(10**6))
    assert sum(r.round.pairs for r in play(pairer(2, ORDER, 50, 1500), outcome)) == 1500


def test_pairs_go_where_order_is_open() -> None:
    """Two engines at the top are close; everybody knows who the last ones are."""
    strengths = [1.5, 1.45, -0.5, -2.0]
    adaptive = pairer(4, ORDER, 60, 1200)
    rounds = play(adaptive, by_strength(strengths, 3))
    used = np.zeros(6)
    for r in rounds[3:]:
        for m in r.round.meetings:
            used[m.pairing] += m.pairs
    assert used[0] > 0.5 * used.sum()  # pairing 0 is that of the two at the top


def test_engine_that_loses_everything_has_no_error() -> None:
    goal = AdaptiveGoal(100.0, 5.0)

    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        return (2, 2) if second == 2 else ((2, 0), (1, 1))[place[1] % 2]

    adaptive = pairer(3, goal, 12, 120)
    rounds = play(adaptive, outcome)
    assert sum(r.round.pairs for r in rounds) == 120
    known = adaptive.knowledge(rounds)
    assert known is not None and known.largest_error95 is None and not known.reached
    order = pairer(3, AdaptiveGoal(None, 400.0), 12, 1200)
    settled = play(order, lower_wins)
    assert sum(r.round.pairs for r in settled) < 1200


def test_failed_pairs_do_not_count() -> None:
    adaptive = pairer(3, ORDER, 9, 27)
    rounds = play(adaptive, lambda first, second, place: None)
    assert [r.round.pairs for r in rounds] == [9, 9, 9]
    known = adaptive.knowledge(rounds)
    assert known is not None and known.unsettled == 3


def test_decisions_depend_on_rounds_only() -> None:
    rounds = play(pairer(5, ORDER, 40, 400), by_strength([0.0, 0.1, 0.2, 0.3, 0.4], 1))
    fresh = pairer(5, ORDER, 40, 400)
    for number in (0, 3, 1, 7, 2):  # in any order, and more than once
        assert fresh.next_round(rounds[:number]) == rounds[number].round
        assert fresh.next_round(rounds[:number]) == rounds[number].round


def test_expected_pairs_for_equal_engines() -> None:
    rng = np.random.default_rng(2)

    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        one, two = rng.choice([0, 1, 2], size=2, p=[0.25, 0.5, 0.25])
        return int(one), int(two)

    adaptive = pairer(4, AdaptiveGoal(30.0, 5.0), 18, 5000)
    first = adaptive.next_round([])
    assert first is not None and first.expected_pairs is not None
    used = sum(r.round.pairs for r in play(adaptive, outcome))
    assert first.expected_pairs == pytest.approx(used, rel=0.2)
    later = adaptive.next_round([played(first, outcome)])
    assert later is not None and later.expected_pairs is not None
