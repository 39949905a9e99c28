"""Matches and gauntlets end when the Elo of every pairing is known well enough at any look."""

from __future__ import annotations

import random

import pytest

from toolkit.base.errors import UsageError
from toolkit.pairing.forms import AdaptiveForm
from toolkit.pairing.rounds import PlayedRound
from toolkit.stats.anytime import AnytimeInterval, anytime_interval

FORM = AdaptiveForm(stop_when="±60", round_pairs=10)
DECIDED = AdaptiveForm(stop_when="decided", round_pairs=40)
PAIRINGS = [(0, 2), (0, 3), (1, 2), (1, 3)]


def played(
    most_pairs: int, room: int, out: int | None = None, form: AdaptiveForm = FORM
) -> list[PlayedRound]:
    """All rounds of an event; the pairings differ in how often they draw. ``out``: a player that
    plays nothing."""
    pairer = form.precision(PAIRINGS, most_pairs, room)
    rng, rounds = random.Random(5), list[PlayedRound]()
    while (found := pairer.next_round(rounds)) is not None:
        results = {
            (meeting.pairing, pair): (rng.choice([0, 1, 1, 2]), rng.choice([1] * at + [0, 2]))
            for at, meeting in enumerate(found.meetings)
            if out not in (meeting.first, meeting.second)
            for _, pair in meeting.places
        }
        assert found.meetings and found.pairs <= form.round_pairs
        rounds.append(PlayedRound(found, results, frozenset() if out is None else {out}))
    return rounds


def intervals(rounds: list[PlayedRound]) -> list[AnytimeInterval]:
    counts = [[0] * 5 for _ in PAIRINGS]
    for one in rounds:
        for (pairing, _), points in one.results.items():
            counts[pairing][sum(points)] += 1
    return [anytime_interval(one) for one in counts]


def errors(rounds: list[PlayedRound]) -> list[float]:
    return [one.elo_error(0.0) for one in intervals(rounds)]


def test_rounds_end_when_every_error_is_small() -> None:
    rounds = played(most_pairs=4000, room=4000)
    assert max(errors(rounds)) <= 60 < max(errors(rounds[:-1]))
    # A pairing that is known plays no more: the last rounds have fewer of them.
    assert len(rounds[-1].round.meetings) < len(rounds[0].round.meetings) == 4
    places = [place for one in rounds for meeting in one.round.meetings for place in meeting.places]
    assert len(set(places)) == len(places)


def test_rounds_end_with_the_pairs() -> None:
    assert sum(one.round.pairs for one in played(most_pairs=33, room=4000)) == 33
    assert sum(one.round.pairs for one in played(most_pairs=4000, room=7)) == 4 * 7
    absent = played(most_pairs=4000, room=4000, out=3)
    assert [len(one.round.meetings) for one in absent[:2]] == [4, 2]


def test_only_a_round_robin_has_an_order() -> None:
    with pytest.raises(UsageError, match="only a round robin"):
        AdaptiveForm(stop_when="order", round_pairs=10).precision(PAIRINGS, 100, 100)


def test_rounds_end_when_every_pairing_is_decided() -> None:
    rounds = played(most_pairs=800, room=800, form=DECIDED)
    is_open = [one.low <= 0.5 <= one.high for one in intervals(rounds)]
    assert not any(is_open) or sum(one.round.pairs for one in rounds) == 800
    assert any(one.low <= 0.5 <= one.high for one in intervals(rounds[:-1]))
    with pytest.raises(UsageError, match="a round robin stops when `order`"):
        DECIDED.pairer(4, 100, 100)
