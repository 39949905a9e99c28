"""The schedule is a pure function of the settings."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from engines.limit import Limit
from toolkit.base.errors import UsageError
from toolkit.books.book import Book, package_book
from toolkit.books.info import BookSlice, slice_sizes
from toolkit.events.schedule import Schedule
from toolkit.events.settings import BookOrder, EventSettings, gauntlet_settings, match_settings
from toolkit.events.worker import PairTask

NODES = Limit(nodes=100)
BOOK = package_book("default-500")


def settings(
    pairs: int = 100, *, seed: int = 7, order: BookOrder = "random", start: int = 1
) -> EventSettings:
    return gauntlet_settings(
        ["mtdf"],
        ["pvs", "alphabeta", "mtdf:guess=zero"],
        pairs=pairs,
        limit=NODES,
        book=BOOK,
        seed=seed,
        order=order,
        start=start,
    )


def tasks(of: EventSettings) -> list[PairTask]:
    return list(Schedule(of, BOOK).missing(frozenset()))


def lines(of: EventSettings, pairing: int) -> list[int]:
    return [task.opening.line for task in tasks(of) if task.pairing == pairing]


def test_equal_settings_make_equal_schedules() -> None:
    assert tasks(settings()) == tasks(settings())


def test_schedule_of_seed_never_changes() -> None:
    first = tasks(settings())[0]
    assert (first.opening.line, first.seed) == (55, 824865238751107126)


def test_every_pair_comes_once_round_by_round() -> None:
    of = settings()
    places = [(task.pair, task.pairing) for task in tasks(of)]
    assert places == [(pair, pairing) for pair in range(100) for pairing in range(3)]
    assert {(task.first, task.second) for task in tasks(of)} == {(0, 1), (0, 2), (0, 3)}


def test_finished_pairs_are_left_out() -> None:
    of = settings()
    everything = tasks(of)
    finished = {(task.pairing, task.pair) for task in everything[::3]}
    left = list(Schedule(of, BOOK).missing(finished))
    assert left == [task for task in everything if (task.pairing, task.pair) not in finished]


@pytest.mark.parametrize("order", ["random", "sequential"])
def test_no_line_repeats_before_all_are_used(order: BookOrder) -> None:
    of = settings(200, order=order)
    for pairing in range(3):
        assert len(set(lines(of, pairing))) == 200
    uses = Counter(task.opening.line for task in tasks(of))
    assert set(uses.values()) == {1, 2}
    assert Schedule(of, BOOK).lines_used() == 500
    assert Schedule(settings(100), BOOK).lines_used() == 300


def test_sequential_order_follows_book() -> None:
    of = settings(100, order="sequential", start=490)
    assert lines(of, 0)[:13] == [*range(490, 501), 1, 2]
    assert lines(of, 1)[0] == 90


def test_other_seed_gives_other_lines_and_seeds() -> None:
    one, two = settings(seed=1), settings(seed=2)
    assert lines(one, 0) != lines(two, 0)
    assert sorted(lines(settings(500, seed=1), 0)) == list(range(1, 501))
    seeds = [task.seed for task in tasks(one)] + [task.seed for task in tasks(two)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_other_book_is_refused() -> None:
    other = Book("0" * 16, "other", "other.epd", BOOK.openings)
    with pytest.raises(UsageError, match="is not the one of the settings"):
        Schedule(settings(), other)


def sliced(number: int, slices: int, *, pairs: int = 100) -> EventSettings:
    part = BookSlice(number, slices)
    return match_settings("mtdf", "pvs", pairs=pairs, limit=NODES, book=BOOK, book_slice=part)


def test_slices_play_disjoint_lines_in_book_order() -> None:
    sizes = slice_sizes(BOOK, 2)
    played = [lines(sliced(number, 2, pairs=sizes[number - 1]), 0) for number in (1, 2)]
    assert sorted(played[0] + played[1]) == [opening.line for opening in BOOK.openings]
    whole = lines(match_settings("mtdf", "pvs", pairs=500, limit=NODES, book=BOOK), 0)
    for part in played:
        assert part == [line for line in whole if line in set(part)]


def test_slice_ends_with_its_lines() -> None:
    size = slice_sizes(BOOK, 2)[0]
    assert Schedule(sliced(1, 2), BOOK).lines_used() == 100
    with pytest.raises(UsageError, match=f"book default-500 slice 1/2 has {size}"):
        sliced(1, 2, pairs=size + 1)


def test_shared_openings_are_equal_for_all_pairings() -> None:
    """Pair k has one opening in all pairings: the one that it has in the first pairing anyway."""
    distinct = settings(pairs=60)
    shared = replace(distinct, openings="shared")
    by_pairing = [lines(shared, pairing) for pairing in range(3)]
    assert by_pairing[0] == by_pairing[1] == by_pairing[2] == lines(distinct, 0)
    assert len(set(by_pairing[0])) == 60
    assert not set(lines(distinct, 0)) & set(lines(distinct, 1))
    assert Schedule(shared, BOOK).lines_used() == 60
    assert Schedule(distinct, BOOK).lines_used() == 180
    # Colours and seeds are those of distinct openings: nothing else changes.
    assert [(t.pairing, t.pair, t.first, t.second, t.seed) for t in tasks(shared)] == [
        (t.pairing, t.pair, t.first, t.second, t.seed) for t in tasks(distinct)
    ]


def test_extension_shares_openings() -> None:
    shared = replace(settings(pairs=10), openings="shared")
    longer = replace(shared, extensions=(5,))
    by_pairing = [lines(longer, pairing) for pairing in range(3)]
    assert by_pairing[0] == by_pairing[1] == by_pairing[2] == lines(settings(pairs=15), 0)
    assert by_pairing[0][:10] == lines(shared, 0)


def test_settings_store_shared_openings() -> None:
    shared = replace(settings(), openings="shared")
    assert EventSettings.from_json(shared.to_json()) == shared
    assert "openings" not in settings().to_json()
