"""The contract of the repository, on every database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy.event
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.records.engines import VariantRecord
from db.records.events import EventPlayerRecord, EventRecord, PairFailureRecord
from db.records.games import GameFilter, GameRecord
from db.records.openings import BookRecord, OpeningRecord
from db.records.ratings import RatingListRecord, RatingRow
from db.session import Database, open_database

MakeGame = Callable[..., GameRecord]
MakeEvent = Callable[..., EventRecord]
MakeVariant = Callable[[str], VariantRecord]


def pair(
    make_game: MakeGame, event: EventRecord, number: int, *keys: str | None
) -> list[GameRecord]:
    """Both games of a pair of pairing 0, with these keys or none."""
    first, second = keys or (None, None)
    return [
        make_game(event.id, 0, number, 1, game_key=first),
        make_game(event.id, 0, number, 2, game_key=second),
    ]


def test_variants_come_back_in_order(database: Database, make_variant: MakeVariant) -> None:
    repository = database.repository
    repository.add_variants([make_variant("C"), make_variant("A")])
    repository.add_variants([make_variant("A"), make_variant("B")])
    assert repository.variants() == [make_variant("C"), make_variant("A"), make_variant("B")]
    assert repository.variant("b" * 16) == make_variant("B")
    with pytest.raises(NotFound):
        repository.variant("b")


def test_identity_keeps_its_meaning(database: Database, make_variant: MakeVariant) -> None:
    known = make_variant("A")
    database.repository.add_variants([known, replace(known, spelling="another spelling")])
    other = replace(known, parameters={"guess": "B"})
    with pytest.raises(RecordError, match="already stored as `mtdf:guess=A`"):
        database.repository.add_variants([make_variant("B"), other])
    assert database.repository.variants() == [known], "a refused call stores nothing"


def test_books_come_back_whole(database: Database) -> None:
    repository = database.repository
    book = BookRecord("12ab", "mine", "mine.epd", 2)
    lines = [OpeningRecord(9, "s", b"\0\1", "f9"), OpeningRecord(4, "s", b"", "f4", "label")]
    repository.add_book(book, lines)
    repository.add_book(replace(book, name="again"), lines)
    assert repository.book("12ab") == book
    assert repository.openings("12ab") == lines[::-1]
    with pytest.raises(NotFound):
        repository.openings("12")
    with pytest.raises(RecordError, match="should have 3 lines but has 2"):
        repository.add_book(replace(book, id="cd", lines=3), lines)
    with pytest.raises(RecordError, match="two lines with the same number"):
        repository.add_book(replace(book, id="cd"), [lines[0], lines[0]])
    with pytest.raises(NotFound):
        repository.book("cd")


def test_event_gets_its_id_and_key(database: Database, event: EventRecord) -> None:
    assert event.id > 0
    assert event.key[0] == "r" and 4 <= len(event.key) <= 7
    assert event.book_id == "feedbeef"
    assert event.settings == {"limit": {"nodes": 1000}, "pairs": 2}
    assert database.repository.event(event.id) == event
    assert database.repository.events() == [event]
    players = database.repository.event_players(event.id)
    assert players == [
        EventPlayerRecord(0, "A", "a" * 16),
        EventPlayerRecord(1, "B", "b" * 16),
    ]


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ([EventPlayerRecord(0, "A", "a" * 16)], "at least two players"),
        ([EventPlayerRecord(i, "A", "a" * 16) for i in range(2)], "the same label `A`"),
        ([EventPlayerRecord(0, label, "a" * 16) for label in "AB"], "the same position `0`"),
        ([EventPlayerRecord(i, str(i), str(i)) for i in range(2)], "variant 0 is not stored"),
    ],
)
def test_wrong_players_are_refused(
    database: Database,
    event: EventRecord,
    make_event: MakeEvent,
    players: list[EventPlayerRecord],
    message: str,
) -> None:
    with pytest.raises(RecordError, match=message):
        database.repository.create_event(make_event(), players)
    assert database.repository.events() == [event]


def test_one_variant_may_have_two_labels(
    database: Database, event: EventRecord, make_event: MakeEvent
) -> None:
    players = [EventPlayerRecord(i, label, "a" * 16) for i, label in enumerate(("one", "two"))]
    stored = database.repository.create_event(make_event(), players)
    assert database.repository.event_players(stored.id) == players
    assert stored.book_id is None


def test_events_are_found_by_key_name_prefix_and_last(
    database: Database, event: EventRecord, make_event: MakeEvent
) -> None:
    repository = database.repository
    players = repository.event_players(event.id)
    second = repository.create_event(make_event(name="second"), players)
    third = repository.create_event(make_event(name="second"), players)
    assert repository.find_event("last") == third
    assert repository.find_event("first") == event
    for known in (event, second, third):
        assert repository.find_event(known.key) == known
        others = [e.key for e in (event, second, third) if e != known]
        unique = next(
            known.key[:n]
            for n in range(1, 8)
            if not any(o.startswith(known.key[:n]) for o in others)
        )
        assert repository.find_event(unique) == known
    assert repository.find_event("second") == third, "the newest of the name"
    assert repository.events_named("second") == [second, third]
    for unknown in ("", "r_", "%", "nope"):
        with pytest.raises(NotFound, match=f"^no event `{unknown}`$"):
            repository.find_event(unknown)
    every = " or ".join(one.key for one in (event, second, third))
    with pytest.raises(NotFound, match=f"^`r` matches event {every}: give the id$"):
        repository.find_event("r")


def test_no_event_is_last_in_an_empty_database(database: Database) -> None:
    with pytest.raises(NotFound, match="no event yet"):
        database.repository.find_event("last")
    with pytest.raises(NotFound, match="there is no run yet"):
        database.repository.find_run("last")


def test_status_notes_when_an_event_ran(database: Database, event: EventRecord) -> None:
    repository = database.repository
    assert (event.started_at, event.ended_at) == (None, None)
    repository.set_status(event, "running")
    running = repository.event(event.id)
    assert running.status == "running" and running.started_at and running.ended_at is None
    repository.set_status(event, "interrupted")
    assert repository.event(event.id).ended_at is not None
    repository.set_status(event, "running")
    again = repository.event(event.id)
    assert (again.started_at, again.ended_at) == (running.started_at, None)
    with pytest.raises(NotFound):
        repository.set_status(replace(event, id=event.id + 1), "done")


def test_unknown_status_is_refused(
    database: Database, event: EventRecord, make_event: MakeEvent
) -> None:
    players = database.repository.event_players(event.id)
    with pytest.raises(RecordError, match="`lost` is not a status"):
        database.repository.create_event(make_event(status="lost"), players)


def test_pair_comes_back_as_it_was(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    games = pair(make_game, event, 0, "00ff", "11ff")
    stored = database.repository.commit_pairs(event.id, [games[::-1]])[0]
    assert [game.game for game in stored] == [1, 2]
    assert len({game.id for game in stored}) == 2
    for given, kept in zip(games, stored, strict=True):
        assert replace(kept, id=0) == given
        assert kept.counted
    assert list(database.repository.games()) == list(stored)
    assert database.repository.event(event.id).pairs_done == 1


def test_start_without_or_beside_the_book(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    games = [
        make_game(event.id, 0, 0, 1, book_id=None, opening_line=None, start_fen="free"),
        make_game(event.id, 0, 0, 2, opening_line=2, start_fen="not the line's"),
    ]
    stored = database.repository.commit_pairs(event.id, [games])[0]
    assert [(g.book_id, g.opening_line, g.start_fen) for g in stored] == [
        (None, None, "free"),
        ("feedbeef", 2, "not the line's"),
    ]


def test_pair_is_stored_once(database: Database, event: EventRecord, make_game: MakeGame) -> None:
    first = database.repository.commit_pairs(event.id, [pair(make_game, event, 0)])[0]
    other = [replace(game, result="1-0") for game in pair(make_game, event, 0)]
    assert database.repository.commit_pairs(event.id, [other])[0] == first
    assert database.repository.count_games() == 2


def test_repeated_game_is_not_counted(
    database: Database, event: EventRecord, make_game: MakeGame, make_event: MakeEvent
) -> None:
    repository = database.repository
    first = repository.commit_pairs(event.id, [pair(make_game, event, 0, "aa", "bb")])[0]
    players = repository.event_players(event.id)
    later = repository.create_event(make_event(), players)
    second = repository.commit_pairs(later.id, [pair(make_game, later, 0, "aa", "cc")])[0]
    third = repository.commit_pairs(later.id, [pair(make_game, later, 1, "cc", "aa")])[0]
    assert [g.counted for g in (*first, *second, *third)] == [True, True, False, True, False, False]
    assert [g.repeats for g in (*second, *third)] == [first[0].id, None, second[1].id, first[0].id]
    assert repository.excluded_games() == 3
    assert repository.excluded_games([event.id]) == 0
    assert repository.count_games(GameFilter(counted_only=True)) == 3


def test_event_played_again_has_its_own_statistics(
    database: Database, event: EventRecord, make_game: MakeGame, make_event: MakeEvent
) -> None:
    """It adds nothing to what the database knows, and yet says the same by itself."""
    repository = database.repository
    again = repository.create_event(make_event(), repository.event_players(event.id))
    before = []
    for played in (event, again):
        games = pair(make_game, played, 0, "aa", "bb")
        repository.commit_pairs(played.id, [[replace(games[0], result="1-0"), games[1]]])
        before.append(repository.meeting_counts("A", "B"))
    assert before[0] == before[1]
    assert repository.meeting_counts("A", "B", [again.id]) == before[0]
    assert [repository.meeting_pairs("A", "B", [played.id]) for played in (event, again)] == [
        (0, 0, 0, 1, 0),
        (0, 0, 0, 1, 0),
    ]
    assert repository.excluded_games([again.id]) == 0
    assert repository.excluded_games([event.id, again.id]) == 2
    (score,) = repository.event_pair_scores(again.id)
    assert (score.wins, score.draws, score.excluded) == (1, 1, 0)
    assert score.pentanomial == (0, 0, 0, 1, 0)


def test_which_game_counts_does_not_depend_on_the_order_of_storing(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    repository = database.repository
    for number, keys in ((2, ("aa", "22")), (1, ("aa", "11")), (3, ("aa", "33"))):
        repository.commit_pairs(event.id, [pair(make_game, event, number, *keys)])
    stored = {(game.pair, game.game): game for game in repository.games()}
    first = stored[1, 1]
    assert first.counted
    assert stored[2, 1].repeats == stored[3, 1].repeats == first.id
    assert repository.meeting_pairs("A", "B") == (0, 0, 1, 0, 0)


def test_pair_that_repeats_itself(
    database: Database, event: EventRecord, make_game: MakeGame, make_event: MakeEvent
) -> None:
    players = [EventPlayerRecord(i, label, "a" * 16) for i, label in enumerate("AB")]
    own = database.repository.create_event(make_event(), players)
    games = [
        replace(game, white_id="a" * 16, black_id="a" * 16)
        for game in pair(make_game, own, 0, "aa", "aa")
    ]
    first, second = database.repository.commit_pairs(own.id, [games])[0]
    assert (first.repeats, second.repeats) == (None, first.id)
    assert database.repository.event_pair_scores(own.id)[0].pentanomial == (0, 0, 0, 0, 0)


def test_games_without_a_key_never_repeat(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    for number in range(2):
        stored = database.repository.commit_pairs(event.id, [pair(make_game, event, number)])[0]
        assert all(game.counted for game in stored)
    assert database.repository.excluded_games() == 0


Break = Callable[[list[GameRecord]], list[GameRecord]]


BROKEN: list[tuple[Break, str]] = [
    (lambda games: games[:1], "two games"),
    (lambda games: [games[0], games[0]], "two games"),
    (lambda games: [games[0], replace(games[1], pair=1)], "different pairs"),
    (lambda games: [replace(g, pair=-1) for g in games], "numbered from 0"),
    (lambda games: [replace(g, event_id=99) for g in games], "do not belong to event"),
    (lambda games: [games[0], replace(games[0], game=2)], "colours"),
    (lambda games: [replace(g, white_id="c" * 16) for g in games], "colours"),
    (lambda games: [replace(g, result="*") for g in games], "`\\*` is not a result"),
    (lambda games: [replace(g, book_id="beef") for g in games], "line 1 of book beef"),
    (lambda games: [replace(g, opening_line=3) for g in games], "line 3 of book"),
    (lambda games: [replace(g, opening_line=None) for g in games], "both a book and"),
    (lambda games: [replace(g, game_key="xy") for g in games], "game key `xy`"),
    (lambda games: [replace(g, game_key="AB") for g in games], "game key `AB`"),
    (lambda games: [replace(g, game_key="ab" * 33) for g in games], "at most 32"),
    (lambda games: [replace(g, started_at="noon") for g in games], "`noon` is not a moment"),
    (lambda games: [replace(g, seed=2**63) for g in games], "refused the data"),
]


def test_wrong_pairs_are_refused_whole(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    for broken, message in BROKEN:
        games = broken(pair(make_game, event, 0, "aa", "bb"))
        with pytest.raises(RecordError, match=message) as caught:
            database.repository.commit_pairs(event.id, [games])
        assert "\n" not in str(caught.value)
        assert database.repository.finished_pairs(event.id) == set(), message
        assert list(database.repository.games()) == [], message


def test_unknown_players_are_refused(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    games = [
        make_game(event.id, 0, 0, 1, white="Z"),
        make_game(event.id, 0, 0, 2, black="Z"),
    ]
    with pytest.raises(RecordError, match="`Z` .* is not a player"):
        database.repository.commit_pairs(event.id, [games])
    with pytest.raises(NotFound, match="no event with id"):
        nowhere = [make_game(0, 0, 0, 1), make_game(0, 0, 0, 2)]
        database.repository.commit_pairs(event.id + 1, [nowhere])


def test_pairing_keeps_its_players(
    database: Database, event: EventRecord, make_game: MakeGame, make_event: MakeEvent
) -> None:
    database.repository.add_variants(
        [VariantRecord("c" * 16, "native", "pvs", {}, "pvs")],
    )
    players = [EventPlayerRecord(i, letter, letter.lower() * 16) for i, letter in enumerate("ABC")]
    wide = database.repository.create_event(make_event(), players)
    database.repository.commit_pairs(wide.id, [pair(make_game, wide, 0)])
    other = [
        make_game(wide.id, 0, 1, 1, black="C", black_id="c" * 16),
        make_game(wide.id, 0, 1, 2, white="C", white_id="c" * 16),
    ]
    with pytest.raises(RecordError, match="pairing 0 has other players"):
        database.repository.commit_pairs(wide.id, [other])


def test_failures_are_kept_until_the_pair_is_played(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    repository = database.repository
    repository.record_failures([PairFailureRecord(event.id, 0, 1, 1, "worker died")])
    twice = PairFailureRecord(event.id, 0, 1, 2, "worker died twice")
    repository.record_failures([twice])
    repository.commit_pairs(event.id, [pair(make_game, event, 0)])
    assert repository.failures(event.id) == [twice]
    assert repository.finished_pairs(event.id) == {(0, 0), (0, 1)}
    kept = repository.event(event.id)
    assert (kept.pairs_done, kept.pairs_failed) == (1, 1)
    with pytest.raises(RecordError, match="has been played"):
        repository.record_failures([replace(twice, pair=0)])
    with pytest.raises(NotFound):
        repository.record_failures([replace(twice, event_id=event.id + 1)])
    repository.commit_pairs(event.id, [pair(make_game, event, 1)])
    assert repository.failures(event.id) == []
    assert repository.event(event.id).pairs_done == 2


def test_labels_are_those_of_the_newest_event(
    database: Database, event: EventRecord, make_event: MakeEvent, make_variant: MakeVariant
) -> None:
    repository = database.repository
    repository.add_variants([make_variant("C")])
    players = [EventPlayerRecord(3, "late", "a" * 16), EventPlayerRecord(1, "early", "a" * 16)]
    repository.create_event(make_event(), players)
    ids = ["a" * 16, "b" * 16, "c" * 16, "unknown"]
    assert repository.labels(ids) == {
        "a" * 16: "early",
        "b" * 16: "B",
        "c" * 16: "mtdf:guess=C",
    }
    assert repository.labels([]) == {}


def test_rating_lists_come_back_in_order(database: Database, event: EventRecord) -> None:
    rows = (
        RatingRow("b" * 16, "B", 12.5, None, 10, 0.6, 0.9),
        RatingRow("a" * 16, "A", -12.5, 8.25, 10, 0.4, None),
    )
    record = RatingListRecord(0, "2026-11-21T10:00:00.000Z", "0.1.0", "pairs", {"q": 0.5}, rows)
    stored = database.repository.add_rating_list(record)
    assert stored.id > 0 and replace(stored, id=0) == record
    empty = database.repository.add_rating_list(
        replace(record, created_at="", settings={}, rows=())
    )
    assert empty.created_at != "" and empty.rows == ()
    newest = database.repository.newest_rating_list
    assert newest(lambda settings: True) == empty
    assert newest(lambda settings: settings == record.settings) == stored
    assert newest(lambda settings: False) is None
    stranger = replace(rows[0], variant_id="nobody")
    with pytest.raises(RecordError, match="variant nobody is not stored"):
        database.repository.add_rating_list(replace(record, rows=(stranger,)))
    assert len(database.repository.rating_list_ids()) == 2


def test_end_reasons_are_counted(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    games = pair(make_game, event, 0)
    database.repository.commit_pairs(
        event.id, [[replace(games[0], end_reason="stalemate"), games[1]]]
    )
    database.repository.commit_pairs(event.id, [pair(make_game, event, 1)])
    assert database.repository.end_reasons([event.id]) == {
        "threefold-repetition": 3,
        "stalemate": 1,
    }


def test_games_are_read_while_others_are_written(
    database: Database, event: EventRecord, make_game: MakeGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages hold no transaction: what is stored behind the reader's place appears."""
    monkeypatch.setattr("db.queries.games._PAGE", 2)
    repository = database.repository
    for number in range(3):
        repository.commit_pairs(event.id, [pair(make_game, event, number)])
    reader: Iterator[GameRecord] = repository.games()
    assert [next(reader).pair for _ in range(3)] == [0, 0, 1]
    repository.commit_pairs(event.id, [pair(make_game, event, 3)])
    assert [game.pair for game in reader] == [1, 2, 2, 3, 3]


def test_contradictory_filters_are_refused(database: Database) -> None:
    with pytest.raises(RecordError, match="needs an engine"):
        database.repository.games(GameFilter(opponent="A"))
    with pytest.raises(RecordError, match="needs an engine"):
        database.repository.count_games(GameFilter(opponent="A"))


def test_settings_that_are_not_json_are_refused(
    database: Database, event: EventRecord, make_event: MakeEvent
) -> None:
    players = database.repository.event_players(event.id)
    for value in (float("nan"), {1, 2}, b"bytes"):
        with pytest.raises(RecordError, match="cannot be stored as JSON"):
            database.repository.create_event(make_event(settings={"x": value}), players)
    with pytest.raises(RecordError, match="refused the data"):
        database.repository.create_event(make_event(name="\ud800"), players)
    assert database.repository.events() == [event]


def test_pairs_that_are_stored_together_are_as_if_stored_one_by_one(
    tmp_path: Path, fill_database: Callable[..., EventRecord], make_game: MakeGame
) -> None:
    keys = {0: ("a0", "b0"), 4: ("a4", "b4"), 1: ("a4", "b1"), 2: ("c2", "c2"), 3: (None, "d3")}
    stored = []
    for name in ("one", "all"):
        with open_database(tmp_path / f"{name}.db") as database:
            event = fill_database(database)
            games = [pair(make_game, event, number, *both) for number, both in keys.items()]
            # Stored already, by another result.
            early = [replace(game, result="1-0") for game in pair(make_game, event, 5, "e5", "f5")]
            repository = database.repository
            repository.commit_pairs(event.id, [early])
            repository.record_failures([PairFailureRecord(event.id, 0, 3, 2, "died")])
            games = [*games, pair(make_game, event, 5, "e5", "f5"), games[0]]
            if name == "one":
                given = [repository.commit_pairs(event.id, [both])[0] for both in games]
            else:
                given = repository.commit_pairs(event.id, games)
            # The ids are in the order of storing, and that may be another.
            place = {game.id: (game.pair, game.game) for game in repository.games()}
            facts = [
                (replace(game, id=0, repeats=None), game.repeats and place[game.repeats])
                for game in repository.games()
            ]
            assert not repository.failures(event.id)
            assert [[(g.pair, g.game, g.result) for g in both] for both in given] == [
                [(g.pair, g.game, "1-0" if g.pair == 5 else g.result) for g in both]
                for both in games
            ]
            stored.append((facts, repository.event_pair_scores(event.id)))
    assert stored[0] == stored[1]
    assert len(stored[0][0]) == 12


def test_pairs_are_stored_all_or_none(
    database: Database, event: EventRecord, make_game: MakeGame
) -> None:
    games = [pair(make_game, event, number) for number in range(3)]
    games[2] = [replace(game, opening_line=99) for game in games[2]]
    with pytest.raises(RecordError, match="line 99"):
        database.repository.commit_pairs(event.id, games)
    assert database.repository.count_games() == 0
    assert database.repository.finished_pairs(event.id) == set()
    assert len(database.repository.commit_pairs(event.id, games[:2])) == 2


def test_storing_pairs_reads_no_table_of_games_as_a_whole(
    tmp_path: Path, fill_database: Callable[..., EventRecord], make_game: MakeGame
) -> None:
    """Else storing takes longer the more games there are."""
    with open_database(tmp_path / "mtdf.db") as database:
        event = fill_database(database)
        pairs = [pair(make_game, event, n, f"{n:04x}", f"{n + 100:04x}") for n in range(20)]
        said: list[tuple[str, Any]] = []
        engine = database._store.engine

        @sqlalchemy.event.listens_for(engine, "before_cursor_execute")
        def hear(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
            said.append((statement, values[0] if isinstance(values, list) else values))

        database.repository.commit_pairs(event.id, pairs)
        repeated = [replace(game, pair=20) for game in pairs[0]]
        database.repository.commit_pairs(event.id, [repeated])
        sqlalchemy.event.remove(engine, "before_cursor_execute", hear)
    with closing(sqlite3.connect(tmp_path / "mtdf.db")) as connection:
        plans = [
            f"{row[3]}: {statement}"
            for statement, values in said
            if statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT"))
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    assert len(plans) > 20
    scans = [plan for plan in plans if plan.startswith(("SCAN games", "SCAN pairs", "SCAN game_"))]
    assert not scans
