"""Results of pairs that tests invent."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from toolkit.pairing.rounds import Pairer, PairPlace, PairPoints, PlayedRound, Round

Outcome = Callable[[int, int, PairPlace], PairPoints | None]
"""Half points of the first of two players in both games; None for a pair that was given up."""


def play(pairer: Pairer, outcome: Outcome, at_most: int = 10_000) -> list[PlayedRound]:
    """All rounds of an event."""
    rounds: list[PlayedRound] = []
    while len(rounds) < at_most and (following := pairer.next_round(rounds)) is not None:
        rounds.append(played(following, outcome))
    return rounds


def played(round_: Round, outcome: Outcome) -> PlayedRound:
    """A round with results."""
    results: dict[PairPlace, PairPoints] = {}
    for meeting in round_.meetings:
        for place in meeting.places:
            points = outcome(meeting.first, meeting.second, place)
            if points is not None:
                results[place] = points
    return PlayedRound(round_, results)


def lower_wins(first: int, second: int, place: PairPlace) -> PairPoints:
    """The player listed first is better."""
    return (2, 2) if first < second else (0, 0)


def always_level(first: int, second: int, place: PairPlace) -> PairPoints:
    """Nobody is better."""
    return (1, 1)


def by_strength(strengths: Sequence[float], seed: int) -> Outcome:
    """Random results; the stronger player wins more often."""
    rng = random.Random(seed)

    def outcome(first: int, second: int, place: PairPlace) -> PairPoints:
        edge = strengths[first] - strengths[second]
        one, two = (max(0, min(2, round(1 + edge + rng.gauss(0, 1)))) for _ in range(2))
        return one, two

    return outcome
