"""Swiss pairings equal brute force, and standings equal sums by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from pairing_results import always_level, by_strength, lower_wins, play

from toolkit.pairing.rounds import Meeting, PlayedRound, Round
from toolkit.pairing.swiss import SwissPairer, pair_swiss, swiss_standings

Failing = Callable[..., list[str]]

Pairs = list[tuple[int, int | None]]


def all_pairings(players: Sequence[int | None]) -> Iterator[Pairs]:
    """Every way to pair them; None is the bye and stands last."""
    if not players:
        yield []
        return
    one, *others = players
    assert one is not None
    for at, other in enumerate(others):
        for rest in all_pairings([*others[:at], *others[at + 1 :]]):
            yield [(one, other), *rest]


def rules(
    pairs: Pairs, scores: Sequence[int], met: set[frozenset[int]], byes: Sequence[int]
) -> tuple[int, ...]:
    """What the rules minimise, the most important first; written anew."""
    again = score_of_bye = differences = order = 0
    for one, other in pairs:
        if other is None:
            again += byes[one]
            score_of_bye = scores[one]
            order += (len(scores) - 1 - one) ** 2
            continue
        again += frozenset((one, other)) in met
        differences += (scores[one] - scores[other]) ** 2
        half = scores.count(scores[one]) // 2 if scores[one] == scores[other] else 1
        order += (other - one - half) ** 2
    return again, score_of_bye, differences, order


def test_no_pairing_is_better(failing: Failing) -> None:
    def check(players: int) -> None:
        rng = random.Random(players)
        for _ in range(25):
            scores = sorted((rng.randrange(5) for _ in range(players)), reverse=True)
            met = {
                frozenset((one, other))
                for one in range(players)
                for other in range(one)
                if rng.random() < 0.4
            }
            byes = [int(rng.random() < 0.3) for _ in range(players)]
            seats: list[int | None] = [*range(players), *([None] if players % 2 else [])]
            best = min(rules(pairs, scores, met, byes) for pairs in all_pairings(seats))
            found = pair_swiss(scores, met, byes)
            assert sorted(p for pair in found for p in pair if p is not None) == list(
                range(players)
            )
            assert rules(found, scores, met, byes) == best

    assert not failing(check, zip([2, 3, 4, 5, 6, 7, 8, 9]))


def test_no_player_meets_twice_or_has_two_byes(failing: Failing) -> None:
    def check(players: int, rounds: int) -> None:
        rng = random.Random(players)
        for seed in range(3 if players < 20 else 1):
            strengths = [rng.gauss(0, 1) for _ in range(players)]
            pairer = SwissPairer(players, rounds, 2)
            done = play(pairer, by_strength(strengths, seed))
            assert len(done) == rounds
            met = [(m.first, m.second) for r in done for m in r.round.meetings]
            assert len(set(met)) == len(met) == rounds * (players // 2)
            assert all(first < second for first, second in met)
            numbers = [m.pairing for r in done for m in r.round.meetings]
            assert numbers == list(range(len(met)))
            byes = [player for r in done for player in r.round.byes]
            assert len(byes) == len(set(byes)) == rounds * (players % 2)
            assert sum(r.round.pairs for r in done) == pairer.most_pairs

    assert not failing(check, [(4, 3), (5, 5), (8, 4), (9, 5), (16, 7), (17, 8), (33, 7), (70, 6)])


def test_full_round_robin_is_possible() -> None:
    done = play(SwissPairer(6, 5, 1), by_strength([0.1 * at for at in range(6)], 5))
    met = {(m.first, m.second) for r in done for m in r.round.meetings}
    repeated = 15 - len(met)
    # Greedy rounds may leave a last one in which somebody must meet again.
    assert repeated <= 2


def test_first_round_pairs_halves_in_order() -> None:
    first = SwissPairer(8, 3, 1).next_round([])
    assert first is not None
    assert [(m.first, m.second) for m in first.meetings] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    odd = SwissPairer(5, 3, 1).next_round([])
    assert odd is not None
    assert ([(m.first, m.second) for m in odd.meetings], odd.byes) == ([(0, 2), (1, 3)], (4,))


def test_winners_meet_winners() -> None:
    done = play(SwissPairer(8, 3, 1), lower_wins)
    assert [(m.first, m.second) for m in done[1].round.meetings] == [
        (0, 2), (1, 3), (4, 6), (5, 7),
    ]  # fmt: skip
    assert (0, 1) in [(m.first, m.second) for m in done[2].round.meetings]
    assert swiss_standings(8, done)[0].player == 0


def test_rounds_are_deterministic() -> None:
    runs = [play(SwissPairer(11, 5, 2), by_strength([0.1] * 11, 3)) for _ in range(2)]
    assert [r.round for r in runs[0]] == [r.round for r in runs[1]]


def test_standings_and_tie_breaks_by_hand() -> None:
    first = Round("", (Meeting(0, 0, 1, 0, 1),), (2,))
    second = Round("", (Meeting(1, 0, 2, 0, 1),), (1,))
    done = [
        PlayedRound(first, {(0, 0): (2, 1)}),  # 0 beats 1 by 1.5 to 0.5
        PlayedRound(second, {(1, 0): (1, 1)}),  # 0 and 2 are level
    ]
    lines = {line.player: line for line in swiss_standings(3, done)}
    # Points: 0 has 1 + 1/2, 1 has 0 + bye, 2 has bye + 1/2.
    assert [lines[at].half_points for at in range(3)] == [3, 2, 3]
    assert lines[0].buchholz == 1.0 + 1.5
    assert lines[0].sonneborn_berger == 1.0 * 1 + 1.5 * 0.5
    assert lines[1].buchholz == 1.5 + 1.0  # its bye is an opponent like itself
    assert lines[1].sonneborn_berger == 0.0 + 1.0
    assert lines[2].buchholz == 1.5 + 1.5
    assert lines[2].sonneborn_berger == 1.5 * 1 + 1.5 * 0.5
    assert [line.player for line in swiss_standings(3, done)] == [2, 0, 1]
    assert (lines[0].game_half_points, lines[0].games) == (5, 4)


def test_equal_players_share_place() -> None:
    done = play(SwissPairer(4, 1, 1), always_level)
    assert [line.place for line in swiss_standings(4, done)] == [1, 1, 1, 1]
