"""Brackets pair the right players, with byes, ties and places."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from pairing_results import always_level, by_strength, lower_wins, play, played

from toolkit.pairing.knockout import KnockoutPairer, bracket_order, knockout_places
from toolkit.pairing.rounds import PairPlace, PairPoints

Failing = Callable[..., list[str]]


def test_bracket_of_eight() -> None:
    assert bracket_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_best_seeds_meet_as_late_as_possible(failing: Failing) -> None:
    def check(size: int) -> None:
        place = {seed: slot for slot, seed in enumerate(bracket_order(size))}
        assert sorted(place) == list(range(size))
        for one, other in combinations(range(size), 2):
            # Two slots meet in the first stage in which they are in the same block of 2, 4, 8, ...
            stage = (place[one] ^ place[other]).bit_length()
            best = 1 << max(one, other).bit_length()
            # Both are among the best 2^k seeds, so they cannot meet before 2^k players are left.
            assert size >> (stage - 1) <= best

    assert not failing(check, zip([2, 4, 8, 16, 32, 64]))


def test_favourites_win_in_order_of_seeds(failing: Failing) -> None:
    def check(players: int) -> None:
        pairer = KnockoutPairer(range(players), 2, 3)
        rounds = play(pairer, lower_wins)
        size = 1 << (players - 1).bit_length()
        assert rounds[0].round.byes == tuple(
            seed for seed in bracket_order(size) if seed < size - players
        )
        assert all(not played.round.byes for played in rounds[1:])
        assert len(rounds) == size.bit_length() - 1
        met = [(m.first, m.second) for r in rounds for m in r.round.meetings]
        assert len(set(met)) == len(met) == players - 1
        places = knockout_places(pairer.stages(rounds))
        for player in range(players):
            # The losers of a stage share the place behind all that are left.
            assert places[player] == (1 if player == 0 else (1 << (player.bit_length() - 1)) + 1)

    assert not failing(check, zip(range(2, 34)))


@given(st.integers(2, 20), st.integers(0, 10**6), st.integers(0, 3))
@settings(max_examples=40)
def test_every_player_is_eliminated_once(players: int, seed: int, extra: int) -> None:
    strengths = [(7 * at % players) / players for at in range(players)]
    pairer = KnockoutPairer(list(reversed(range(players))), 1, extra)
    rounds = play(pairer, by_strength(strengths, seed))
    stages = pairer.stages(rounds)
    matches = [match for stage in stages for match in stage.matches]
    assert len({match.loser for match in matches}) == players - 1 == len(matches)
    assert [match.pairing for match in matches] == list(range(players - 1))
    assert sorted(knockout_places(stages)) == list(range(players))
    for match in matches:
        mine, theirs = match.half_points
        assert 1 <= match.pairs <= 1 + extra
        won = match.winner == match.better
        assert match.by_seed == (mine == theirs)
        assert (mine > theirs) == won or (match.by_seed and won)
        assert match.by_seed <= (match.pairs == 1 + extra)
    assert sum(played.round.pairs for played in rounds) <= pairer.most_pairs
    for played_round in rounds:
        for meeting in played_round.round.meetings:
            assert meeting.first < meeting.second


def test_tied_match_is_extended_until_decided() -> None:
    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        # The only match is level until the third extra pair, which the worse seed wins.
        return (0, 1) if place == (0, 4) else (1, 1)

    pairer = KnockoutPairer([0, 1], 2, 10)
    rounds = play(pairer, outcome)
    assert [(r.round.title, r.round.pairs) for r in rounds] == [
        ("final", 2),
        ("final, extra pair 1", 1),
        ("final, extra pair 2", 1),
        ("final, extra pair 3", 1),
    ]
    places = [place for r in rounds for m in r.round.meetings for place in m.places]
    assert places == [(0, pair) for pair in range(5)]
    (match,) = pairer.stages(rounds)[-1].matches
    assert (match.winner, match.half_points, match.by_seed) == (1, (9, 11), False)


def test_better_seed_wins_after_all_extra_pairs() -> None:
    pairer = KnockoutPairer([1, 0], 1, 2)
    rounds = play(pairer, always_level)
    assert sum(r.round.pairs for r in rounds) == 3 == pairer.most_pairs
    (match,) = pairer.stages(rounds)[-1].matches
    assert (match.winner, match.by_seed) == (1, True)


def test_only_tied_matches_are_extended() -> None:
    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        return (1, 1) if place == (1, 0) else (2, 2)

    pairer = KnockoutPairer(range(4), 1, 5)
    rounds = [played(pairer.next_round([]), outcome)]  # type: ignore[arg-type]
    following = pairer.next_round(rounds)
    assert following is not None
    assert [list(meeting.places) for meeting in following.meetings] == [[(1, 1)]]
    assert [match.winner for match in pairer.stages(rounds)[-1].matches] == [0, None]


def test_match_without_games_goes_to_better_seed() -> None:
    pairer = KnockoutPairer([0, 1], 1, 1)
    rounds = play(pairer, lambda first, second, place: None)
    (match,) = pairer.stages(rounds)[-1].matches
    assert (match.winner, match.pairs, match.by_seed) == (0, 2, True)


def test_expected_pairs_assume_no_further_ties() -> None:
    pairer = KnockoutPairer(range(4), 3, 5)
    first = pairer.next_round([])
    assert first is not None and first.expected_pairs == 9
    level = played(first, always_level)
    second = pairer.next_round([level])
    assert second is not None and second.expected_pairs == 6 + 2 + 3
