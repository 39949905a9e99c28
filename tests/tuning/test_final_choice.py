"""The final choice plays common openings within its budget and picks the best point."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from toolkit.tuning.models.final_choice import BASE, Candidate, Choice

Failing = Callable[..., list[str]]

UNKNOWN = math.inf


def candidates(number: int, sd: float = UNKNOWN) -> list[Candidate]:
    return [Candidate({"x": place}, 0.0, sd) for place in range(number)]


def played(choice: Choice, truths: dict[int, float], sd: float = 0.0, seed: int = 1) -> int | None:
    """Play all rounds out; openings shift every player of a pair number alike."""
    random = np.random.default_rng(seed)
    while replays := choice.round():
        opening = random.normal(0.0, 0.1, replays[0].pairs)
        choice.tell({
            one.candidate: list(truths[one.candidate] + opening * (len(truths) > 7)
                                + random.normal(0.0, sd, one.pairs))
            for one in replays
        })  # fmt: skip
    return choice.winner


def test_rounds_halve_on_common_fresh_openings() -> None:
    choice = Choice(candidates(7), 500, 1000, variance=0.1)
    sizes, used = [], []
    while replays := choice.round():
        sizes.append(len(replays))
        assert len({(one.first_pair, one.pairs) for one in replays}) == 1
        used += range(replays[0].first_pair, replays[0].first_pair + replays[0].pairs)
        choice.tell({one.candidate: [0.01 * one.candidate] * one.pairs for one in replays})
    assert sizes == [7, 4, 2]
    assert used == list(range(500, choice.next_pair))
    assert choice.finished and choice.winner == 6


def test_choice_spends_its_budget(failing: Failing) -> None:
    def check(budget: int, opponents: int, base_plays: bool) -> None:
        choice = Choice(
            candidates(7), 0, budget, variance=0.1, opponents=opponents, base_plays=base_plays
        )
        spent = 0
        while replays := choice.round():
            spent += sum(one.pairs for one in replays) * opponents
            choice.tell({one.candidate: [0.0] * one.pairs for one in replays})
        assert spent == choice.spent <= budget
        assert budget - spent < 8 * opponents

    assert not failing(
        check,
        [
            (budget, opponents, base_plays)
            for budget in [0, 3, 11, 100, 999, 4000]
            for (opponents, base_plays) in [(1, False), (3, True)]
        ],
    )


def test_base_wins_when_nothing_beats_it() -> None:
    assert (
        played(Choice(candidates(7), 0, 700, variance=0.1), dict.fromkeys(range(7), -0.01)) is None
    )
    assert Choice([], 0, 700, variance=0.1).winner is None
    assert Choice([], 0, 700, variance=0.1).finished
    # Nothing was played, so nothing is known to beat the base.
    assert Choice([Candidate({}, 0.1, 0.01)], 0, 0, variance=0.1).winner is None


def test_playing_base_cancels_openings() -> None:
    truths = {BASE: 0.2, 0: 0.19, 1: 0.21, 2: 0.15}
    choice = Choice(candidates(3), 0, 600, variance=0.1, base_plays=True)
    assert [one.candidate for one in choice.round()] == [BASE, 0, 1, 2]
    assert played(choice, truths) == 1
    assert choice.rounds[-1][0].fresh == pytest.approx(0.01)
    assert (
        played(Choice(candidates(1), 0, 9, variance=0.1, base_plays=True), {BASE: 0.2, 0: 0.1})
        is None
    )


def test_estimate_weighs_search_by_variance() -> None:
    choice = Choice([Candidate({}, 0.03, 0.02)], 0, 100, variance=0.04)
    (replay,) = choice.round()
    choice.tell({0: [-0.01] * replay.pairs})
    # Both variances are 0.0004: the mean of the two, and half of the variance.
    assert choice.estimate(0) == pytest.approx((0.01, 0.02 / math.sqrt(2)))
    assert choice.winner == 0
    (standing,) = choice.rounds[0]
    assert (standing.pairs, standing.fresh) == (100, pytest.approx(-0.01))


def test_unknown_search_leaves_choice_to_fresh_pairs() -> None:
    known = [Candidate({"x": 0}, 5.0, UNKNOWN), Candidate({"x": 1}, -5.0, UNKNOWN)]
    assert played(Choice(known, 0, 100, variance=0.1), {0: -0.1, 1: 0.1}) == 1


def test_unplayed_pairs_are_left_out() -> None:
    choice = Choice(candidates(2), 0, 20, variance=0.1)
    choice.tell({0: [None] * 10, 1: [0.1, None] * 5})
    assert choice.winner == 1
    best, other = choice.rounds[0]
    assert (best.candidate, best.pairs, best.kept) == (1, 5, True)
    assert (other.candidate, other.pairs, other.kept) == (0, 0, False)


def test_unexpected_worths_are_refused() -> None:
    choice = Choice(candidates(2), 0, 20, variance=0.1)
    with pytest.raises(ValueError, match="other replays"):
        choice.tell({0: [0.1] * 10})
    with pytest.raises(ValueError, match="other replays"):
        choice.tell({0: [0.1] * 10, 1: [0.1] * 9})
    assert choice.round() == choice.round()


def test_choice_is_rebuilt_from_stored_worths() -> None:
    truths = {place: 0.02 * place for place in range(7)}
    one = Choice(candidates(7), 0, 700, variance=0.1)
    two = Choice(candidates(7), 0, 700, variance=0.1)
    assert played(one, truths, 0.3) == played(two, truths, 0.3)
    assert one.rounds == two.rounds


def test_small_budgets_begin_with_fewer_candidates() -> None:
    choice = Choice(candidates(7), 0, 30, variance=0.1)
    assert [one.candidate for one in choice.round()] == [0, 1, 2]


def test_search_and_fresh_pairs_choose_better_than_fresh_pairs_alone() -> None:
    """Mean strength chosen over 300 studies."""
    random = np.random.default_rng(8)
    weighed: list[float] = []
    fresh: list[float] = []
    for seed in range(300):
        truth = random.normal(0.0, 0.025, 7)
        seen = truth + random.normal(0.0, 0.025, 7)
        known = [Candidate({"x": k}, float(seen[k]) / 2, 0.025 / math.sqrt(2)) for k in range(7)]
        values = {place: float(one) for place, one in enumerate(truth)} | {BASE: 0.0}
        for found, start in ((weighed, known), (fresh, candidates(7))):
            choice = Choice(start, 0, 1000, variance=0.1225)
            winner = played(choice, values, 0.35, seed)
            found.append(0.0 if winner is None else truth[winner])
    assert np.mean(weighed) > np.mean(fresh)
    assert np.mean(weighed) > 0.75 * 0.0338  # of the best of 7 on average: 1.352 deviations
