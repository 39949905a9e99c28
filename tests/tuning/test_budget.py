"""The budget of a study gives every phase its own pairs while the book lasts."""

from __future__ import annotations

from msgspec import structs

from engines.limit import Limit
from toolkit.tuning.study.numbers import PairNumbers
from toolkit.tuning.study.request import StudyKeywords, make_settings


def test_phases_have_openings_of_their_own_while_the_book_lasts() -> None:
    options = StudyKeywords(
        base="mtdf", parameters=("grain",), budget_pairs=400, limit=Limit(nodes=50)
    )
    settings = make_settings(**options)
    assert settings.event is not None
    long = PairNumbers.of(settings)
    assert long.enough and long.choice == long.search <= long.gain
    needed = long.gain + settings.budget.gain
    for lines in (needed, needed - 1, needed // 2):
        book = structs.replace(settings.event.book, lines=lines, slice=None)
        event = structs.replace(settings.event, book=book)
        numbers = PairNumbers.of(structs.replace(settings, event=event))
        # Fewer openings shorten the search; the choice and the gain keep theirs.
        assert numbers.gain - numbers.choice == long.gain - long.choice
        assert numbers.enough == (numbers.gain + settings.budget.gain <= lines)


def test_choice_by_time_repeats_a_quarter_of_the_trials() -> None:
    common = StudyKeywords(parameters=("guess",), positions=8, trials=6, depth=2)
    for objective, choice in (("time", 6 * 8 // 4), ("nodes", 0)):
        settings = make_settings(**common, objective=objective)
        assert (settings.budget.search, settings.budget.choice) == (6 * 8, choice), objective
