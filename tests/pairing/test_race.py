"""The rounds of a race follow from complete rounds alone, and go to those that may lead."""

from __future__ import annotations

import numpy as np
from pairing_results import by_strength, play

from engines.limit import Limit
from toolkit.books.book import package_book
from toolkit.events.schedule import Schedule
from toolkit.events.settings import race_settings
from toolkit.pairing.forms import RaceForm
from toolkit.pairing.race import RacePairer
from toolkit.pairing.rounds import PlayedRound
from toolkit.stats.race import evidence, judge, next_block

FORM = RaceForm.make(elo1=80.0, block=5)
STRENGTHS = (-0.4, 0.0, 0.3, 0.1, 0.0)
"""Of four candidates and the base."""


def pairer(most_pairs: int = 5000, room: int = 5000) -> RacePairer:
    return FORM.pairer(len(STRENGTHS), most_pairs, room)


def counts_of(rounds: list[PlayedRound]) -> np.ndarray:
    counts = np.zeros((4, 5))
    for one in rounds:
        for meeting in one.round.meetings:
            for points in one.points(meeting):
                counts[meeting.pairing, sum(points)] += 1
    return counts


def test_rounds_are_the_rule_of_the_simulation() -> None:
    rounds = play(pairer(), by_strength(STRENGTHS, seed=1))
    assert len(rounds) > 5
    for number, one in enumerate(rounds):
        before = counts_of(rounds[:number])
        judged = judge(evidence(before, FORM.rule), FORM.rule)
        wanted = next_block(before, judged.open, FORM.block)
        assert {m.pairing: m.pairs for m in one.round.meetings} == {
            at: n for at, n in enumerate(wanted.tolist()) if n
        }
    last = judge(evidence(counts_of(rounds), FORM.rule), FORM.rule)
    assert last.accepted.tolist() == [False, False, True, False] and not last.open.any()


def test_every_prefix_gives_the_same_next_round() -> None:
    """As after an interruption, and as when pairs that were given up are played after all."""
    rounds = play(pairer(), by_strength(STRENGTHS, seed=2))
    lasting = pairer()
    for number in (0, 1, 2, 5, 3, len(rounds), 4, 4, len(rounds) - 1):
        expected = rounds[number].round if number < len(rounds) else None
        assert pairer().next_round(rounds[:number]) == expected
        assert lasting.next_round(rounds[:number]) == expected
    changed = [*rounds[:3], play(pairer(), by_strength(STRENGTHS, seed=9))[3]]
    assert lasting.next_round(changed) == pairer().next_round(changed)


def test_race_ends_with_pairs_lines_and_engines() -> None:
    level = (0.0,) * 5
    outcome = by_strength(level, seed=3)
    assert sum(one.round.pairs for one in play(pairer(57, 57), outcome)) == 57
    short = play(pairer(5000, 12), outcome)
    places = [place for one in short for m in one.round.meetings for place in m.places]
    assert len(places) == len(set(places)) and max(pair for _, pair in places) == 11
    first = short[0].round
    absent = PlayedRound(first, {}, frozenset({1}))
    following = pairer().next_round([absent])
    assert following is not None
    assert {m.pairing for m in following.meetings} == {0, 2, 3}
    assert pairer().next_round([PlayedRound(first, {}, frozenset({4}))]) is None


def test_candidates_have_the_same_openings_colours_and_seeds() -> None:
    settings = race_settings(
        "pvs",
        ["mtdf", "bns", "alphabeta"],
        max_pairs=200,
        limit=Limit(nodes=10),
        form=FORM,
        book=package_book("default-500"),
    )
    schedule = Schedule(settings, settings.find_book())
    assert [player.label for player in settings.players] == ["mtdf", "bns", "alphabeta", "pvs"]
    first = settings.pairer().next_round(())
    assert first is not None
    tasks = list(schedule.of_round(first.meetings, frozenset()))
    assert len(tasks) == 15 and {task.second for task in tasks} == {3}
    for pair in range(5):
        same = {(task.opening, task.seed) for task in tasks if task.pair == pair}
        assert len(same) == 1
    assert len({task.opening for task in tasks}) == 5


def test_pairs_that_would_repeat_are_not_played() -> None:
    def most(limit: Limit) -> int:
        book = package_book("default-500")
        return race_settings(
            "pvs", ["mtdf", "bns"], max_pairs=4000, limit=limit, form=FORM, book=book
        ).pairs_of_pairing

    assert most(Limit(nodes=10)) == 500
    assert most(Limit(movetime_ms=10)) > 500
