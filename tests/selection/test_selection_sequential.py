"""A sequential test has the same verdict in any order of finishing, and after any stop."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from db.records.games import GameFilter, GameRecord
from db.session import Database, open_database
from engines.limit import Limit
from toolkit.base.errors import UsageError
from toolkit.books.book import package_book
from toolkit.books.info import BookSlice, openings_in
from toolkit.events.event import resume_event, start_event
from toolkit.events.progress import EventOutcome, EventProgress
from toolkit.events.settings import EventSettings, sprt_settings
from toolkit.ratings.rating import RatingQuery, rate_games
from toolkit.reports.crosstables import crosstable
from toolkit.reports.event_statistics import event_stats
from toolkit.reports.games import list_games
from toolkit.reports.meetings import head_to_head
from toolkit.reports.outcome import event_report, outcome_row
from toolkit.reports.sprt import SprtOutcome
from toolkit.selection.events import find_event
from toolkit.selection.games import Selection
from toolkit.selection.sequential import Counting, SequentialTest, SprtSettings
from toolkit.stats.sprt import sprt_status

GAME = GameRecord(
    id=0, event_id=1, pairing=0, pair=0, game=1, white="a", black="b", white_id="a", black_id="b",
    book_id=None, opening_line=None, start_fen="", result="1-0", end_reason="checkmate", plies=1,
    moves=b"", moves_version=1, search_data=b"", search_version=1, white_nodes=0, black_nodes=0,
    white_cpu_us=0, black_cpu_us=0, started_at="", ended_at="", host="", load=0.0, jobs=1,
    backend="toy", signature="", version="", seed=0, game_key=None,
)  # fmt: skip
TEST = SprtSettings.make(0, 60)


def result_of(db: Database, outcome: EventOutcome) -> SprtOutcome:
    """The test of an event that is one."""
    row = outcome_row(db, outcome, event_report(db, outcome))
    assert isinstance(row, SprtOutcome)
    return row


def pair_of(number: int, points: int, key: str | None = None) -> tuple[GameRecord, GameRecord]:
    """A pair in which the tested engine, White in game 1, makes so many half points."""
    first = {0: "0-1", 1: "0-1", 2: "1-0", 3: "1-0", 4: "1-0"}[points]
    second = {0: "1-0", 1: "1/2-1/2", 2: "1-0", 3: "1/2-1/2", 4: "0-1"}[points]
    one = replace(GAME, pair=number, result=first, game_key=key and key + "1")
    two = replace(
        GAME, pair=number, game=2, white="b", black="a", result=second, game_key=key and key + "2"
    )
    return one, two


def scores(seed: int, number: int = 400) -> list[int]:
    return random.Random(seed).choices(range(5), [5, 15, 35, 30, 15], k=number)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_finishing_changes_nothing(seed: int) -> None:
    played = scores(seed)
    in_order, shuffled = SequentialTest(TEST), SequentialTest(TEST)
    numbers = list(range(len(played)))
    for number in numbers:
        in_order.add(number, pair_of(number, played[number]))
    # Workers finish out of order, a few pairs apart.
    numbers.sort(key=lambda n: n + random.Random(seed * 1000 + n).uniform(0, 9))
    for number in numbers:
        shuffled.add(number, pair_of(number, played[number]))
    assert in_order.stopped_after is not None
    assert shuffled.stopped_after == in_order.stopped_after
    assert shuffled.state() == in_order.state()


def test_sprt_stops_at_first_pair_beyond_bound() -> None:
    played = scores(3)
    test = SequentialTest(TEST)
    for number, points in enumerate(played):
        test.add(number, pair_of(number, points))
    stop = test.stopped_after
    assert stop is not None and test.state().pairs == stop

    def verdict(pairs: int) -> str:
        counts = [played[:pairs].count(points) for points in range(5)]
        return sprt_status(counts, TEST.test).verdict

    assert [n for n in range(1, stop + 1) if verdict(n) != "continue"] == [stop]


def test_gap_delays_decision() -> None:
    test = SequentialTest(TEST)
    for number in range(1, 80):
        test.add(number, pair_of(number, 4))
    assert (test.state().pairs, test.stopped_after) == (0, None)
    test.add(0, ())
    assert test.stopped_after is not None and test.state().verdict == "H1"
    assert sum(test.state().pentanomial) == test.stopped_after - 1


def test_repeated_games_count_once() -> None:
    test = SequentialTest(TEST)
    for number in range(50):
        test.add(number, pair_of(number, 4, key="same"))
    assert test.state().pentanomial == (0, 0, 0, 0, 1)
    assert test.state().pairs == 50


@pytest.mark.parametrize("counting", ["pentanomial", "trinomial"])
def test_expected_end_is_counted_in_pairs(counting: Counting) -> None:
    test = SequentialTest(SprtSettings.make(0, 10, model="logistic", counting=counting))
    assert test.state().expected_pairs(5000.0) == 5000.0
    for number, points in enumerate(scores(7, 30)):
        test.add(number, pair_of(number, points))
    expected = test.state().expected_pairs(5000.0)
    assert 20.0 < expected < 1000.0
    assert test.state().expected_pairs(10.0) <= 10.0


def test_trinomial_counts_games() -> None:
    test = SequentialTest(SprtSettings.make(0, 60, counting="trinomial"))
    test.add(0, pair_of(0, 3))
    test.add(1, pair_of(1, 1))
    assert test.state().trinomial == (1, 2, 1)
    assert test.counts == (1, 2, 1)


def test_invalid_tests_are_refused() -> None:
    with pytest.raises(UsageError, match=r"elo0 \(5\) must be below elo1 \(0\)"):
        SprtSettings.make(5, 0)
    with pytest.raises(UsageError, match="bayesian model needs trinomial"):
        SprtSettings.make(0, 5, model="bayesian")
    with pytest.raises(UsageError, match="model `elo`"):
        SprtSettings.make(0, 5, model="elo")


def a_test(max_pairs: int = 300) -> EventSettings:
    return sprt_settings(
        "alphabeta:entries=2^10",
        "alphabeta:entries=2^10,quiescence=off",
        sprt=SprtSettings.make(0, 100),
        max_pairs=max_pairs,
        limit=Limit(nodes=60),
        book=package_book("default-500"),
        seed=4,
    )


def test_jobs_and_interruptions_change_no_verdict(tmp_path: Path) -> None:
    rows = []
    for jobs in (1, 2):
        with open_database(tmp_path / f"{jobs}.db") as db:
            rows.append(result_of(db, start_event(db, a_test(), jobs=jobs)))

    def interrupt(progress: EventProgress) -> None:
        if progress.games_now >= 8:
            raise KeyboardInterrupt

    with open_database(tmp_path / "3.db") as db:
        with pytest.raises(KeyboardInterrupt):
            start_event(db, a_test(), jobs=2, on_progress=interrupt)
        rows.append(result_of(db, resume_event(db, "last", jobs=2)))
        again = resume_event(db, "last")
        assert (again.status, again.progress.games_now) == ("done", 0)
    assert {row.verdict for row in rows} == {"H1"}
    assert len({(row.pairs_tested, *row.pentanomial, row.test.llr) for row in rows}) == 1
    assert rows[0].after_stop == 0


def test_pair_after_stop_is_excluded_everywhere(
    tmp_path: Path,
) -> None:
    """Whether there is one depends on the workers, and no answer may."""
    with open_database(tmp_path / "t.db") as db:
        row = result_of(db, start_event(db, a_test(), jobs=1))
        test, base = row.engines
        selection = Selection(events=("last",))
        rated = rate_games(db, RatingQuery(selection)).rows()
        met = head_to_head(db, test, base, selection)
        stored = db.repository.games(GameFilter(event_id=find_event(db, "last").id))
        late = [
            replace(game, pair=row.pairs_tested + 1, game_key=f"{number:064x}")
            for number, game in enumerate(list(stored)[-2:])
        ]
        db.repository.commit_pairs(late[0].event_id, [late])

        assert rate_games(db, RatingQuery(selection)).rows() == rated
        assert head_to_head(db, test, base, selection) == met
        assert sum(met.pentanomial) == sum(row.pentanomial)
        assert len(list(crosstable(db, selection).rows)) == 1
        assert event_stats(db, "last").after_stop == 1
        listed = [row.after_stop for row in list_games(db)]
        assert sum(listed) == 2 and listed[-2:] == [True, True]
        again = result_of(db, resume_event(db, "last"))
        assert again.after_stop == 1
        assert (again.test, again.pentanomial) == (row.test, row.pentanomial)
        everything = rate_games(db).rows()
        assert everything[0].games == rated[0].games + 2


def test_exhausted_book_is_inconclusive(tmp_path: Path) -> None:
    book = tmp_path / "two.epd"
    lines = package_book("default-500").openings[:2]
    book.write_text("".join(f"{line.fen}\n" for line in lines))
    from toolkit.books.book import load_book

    settings = sprt_settings(
        "pvs:entries=2^8",
        "alphabeta:entries=2^8",
        sprt=SprtSettings.make(0, 1),
        max_pairs=100,
        limit=Limit(nodes=30),
        book=load_book(book),
    )
    assert settings.pairs == 2
    with open_database(tmp_path / "a.db") as db:
        row = result_of(db, start_event(db, settings))
    assert (row.verdict, row.reason, row.status) == (
        "inconclusive",
        "book exhausted",
        "done",
    )


def test_sprt_on_slice_ends_with_slice(tmp_path: Path) -> None:
    book = package_book("default-500")
    part = BookSlice(3, 200)
    lines = {opening.line for opening in openings_in(book, part)}
    settings = sprt_settings(
        "pvs:entries=2^8",
        "alphabeta:entries=2^8",
        sprt=SprtSettings.make(0, 1),
        max_pairs=100,
        limit=Limit(nodes=30),
        book=book,
        book_slice=part,
    )
    assert settings.pairs == len(lines) < 10

    def interrupt(progress: EventProgress) -> None:
        if progress.games_now:
            raise KeyboardInterrupt

    with open_database(tmp_path / "a.db") as db:
        with pytest.raises(KeyboardInterrupt):
            start_event(db, settings, on_progress=interrupt)
        row = result_of(db, resume_event(db, "last"))
        assert (row.verdict, row.reason) == ("inconclusive", "book exhausted")
        assert (row.book, row.book_slice) == ("default-500", "3/200")
        games = list(db.repository.games())
        assert len(games) == 2 * len(lines)
        assert {game.opening_line for game in games} == lines
