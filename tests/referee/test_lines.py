"""What engines print of their moves is stored, shown, merged, exported and imported as printed."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from db.records.games import GameRecord
from db.session import Database, open_database
from engines.limit import Limit
from engines.spec import EngineLine
from toolkit.base.errors import DatabaseProblem
from toolkit.base.version import Provenance
from toolkit.books.book import package_book
from toolkit.events.event import make_assignment, store_event
from toolkit.events.runner import PlayedPair
from toolkit.events.schedule import Schedule
from toolkit.events.settings import match_settings
from toolkit.events.storing import PairStore
from toolkit.events.worker import PairWorker
from toolkit.imports.comments import found_lines
from toolkit.imports.run import import_file
from toolkit.referee import pgn
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.lines import decode_lines, encode_lines, without_repeated
from toolkit.referee.searchdata import NOTHING_FOUND, FoundSearch
from toolkit.reports.games import PgnTexts, game_lines, game_pgn, list_moves
from toolkit.runs.housekeeping import remove_runs
from toolkit.runs.merging import merge_database
from toolkit.show.pages.game import game_data
from toolkit.show.tables.games import said_of_move

BOOK = package_book("default-500")
PROGRAM = Provenance(version="1", backend="toy", signature="0" * 16, host="here")
COUNT = st.none() | st.integers(0, 10**15 - 1)
WORDS = st.text(st.sampled_from("ab ,;=é"), max_size=20).map(str.strip)
LINES = st.builds(
    EngineLine,
    ply=st.integers(0, 40),
    pv=st.lists(st.sampled_from(("e2e4", "e7e8q", "zz")), max_size=4).map(" ".join),
    seldepth=COUNT,
    hashfull=COUNT,
    tbhits=COUNT,
    string=WORDS,
)


def play(db: Database, toys: ModuleType, *, no_lines: bool = False) -> list[GameRecord]:
    """Two games of talking players, in this process, as an event stores them."""
    toys.TalkingPlayer.printed.clear()
    event_settings = match_settings(
        "mtdf:name=one",
        "pvs:name=two",
        pairs=1,
        limit=Limit(nodes=1),
        book=BOOK,
        adjudication=Adjudication(max_plies=25, draw=None, resign=None),
        no_lines=no_lines,
    )
    event = store_event(db, event_settings, BOOK, PROGRAM)
    worker = PairWorker(make_assignment(event_settings, 1, PROGRAM, toys.TalkingPlayer))
    task = Schedule(event_settings, BOOK).task(0, 0)
    games = worker.play(task)
    assert isinstance(games, tuple)
    ((first, second),) = PairStore(db.repository, event).keep([PlayedPair(task, games)])
    return [first, second]


@pytest.fixture
def games(db: Database, toys: ModuleType) -> list[GameRecord]:
    return play(db, toys)


def stored(db: Database) -> list[list[EngineLine]]:
    return [[*game_lines(db, game).values()] for game in db.repository.games()]


def test_lines_are_stored_as_printed(
    db: Database, toys: ModuleType, games: list[GameRecord]
) -> None:
    printed = toys.TalkingPlayer.printed
    assert len(printed) == sum(game.plies for game in games) == 50
    assert stored(db) == [printed[:25], printed[25:]]
    for game in games:
        board = chess.Board(game.start_fen)
        for move, line in zip(list_moves(game, game_lines(db, game)), printed, strict=False):
            legal = board.copy()
            for word, san in zip(move.pv or [], move.pv_san or [], strict=False):
                assert legal.san(chess.Move.from_uci(word)) == san
                legal.push_uci(word)
            assert len(move.pv_san or []) == len(move.pv or []) - (line.ply % 5 == 4)
            board.push_uci(move.uci)
        del printed[:25]


def test_pages_and_tables_show_them(db: Database, games: list[GameRecord]) -> None:
    game = games[0]
    moves = list_moves(game, game_lines(db, game))
    told = game_data(db, game, "key", {}, PgnTexts(db))["lines"]
    assert told == [said_of_move(move) for move in moves]
    third, seventh = moves[2], moves[6]
    variation = " ".join(third.pv_san or [])
    counts = "seldepth 2, hashfull 2, tbhits 2 000 000 000"
    assert told[2] == f'{variation}, {counts}, "{third.string}"'
    assert third.string is not None and third.string.startswith('{"é"} 0')
    assert f'"{seventh.string}"' in said_of_move(seventh, moves[2])
    assert '"' not in said_of_move(moves[7], seventh).partition("tbhits")[2]
    assert " a1a1?, seldepth 4" in told[4]


def test_event_without_lines_stores_none(db: Database, toys: ModuleType) -> None:
    (game, _) = play(db, toys, no_lines=True)
    assert stored(db) == [[], []] and toys.TalkingPlayer.printed
    assert game_data(db, game, "key", {}, PgnTexts(db))["lines"] == []
    assert "pv=" not in game_pgn(db, game)


def test_merge_and_removal_keep_lines(
    db: Database, games: list[GameRecord], tmp_path: Path
) -> None:
    with open_database(tmp_path / "other.db") as other:
        assert db.path is not None
        merge_database(other, db.path)
        assert stored(other) == stored(db) and other.repository.damage() == []
        remove_runs(other, other.repository.events())
        assert stored(other) == []


def test_import_reads_lines_that_export_wrote(
    db: Database, games: list[GameRecord], tmp_path: Path
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("\n".join(game_pgn(db, game) for game in games))
    with open_database(tmp_path / "other.db") as other:
        import_file(other, path)
        for theirs, ours in zip(stored(other), stored(db), strict=True):
            by_ply = {line.ply: line for line in ours}
            assert theirs == [as_written(without_repeated(by_ply, line.ply)) for line in ours]


def as_written(line: EngineLine | None) -> EngineLine:
    """What is left of it in a comment of PGN, where braces and quotes end things."""
    assert line is not None
    return replace(line, string=line.string.translate(str.maketrans('{}"', "()'")))


def test_changed_lines_are_damage(db: Database, games: list[GameRecord]) -> None:
    assert db.repository.damage() == [] and db.path is not None
    for value in ("NULL", "x''", "x'00'", "(SELECT lines FROM game_moves WHERE game_id = 2)"):
        with closing(sqlite3.connect(db.path)) as connection, connection:
            connection.execute(f"UPDATE game_moves SET lines = {value} WHERE game_id = 1")
        assert db.repository.damage() == ["game 1: it is not what was stored"], value


@settings(max_examples=40)
@given(lines=st.lists(LINES, unique_by=lambda line: line.ply), before=st.integers(0, 9))
def test_encoded_lines_come_back(lines: list[EngineLine], before: int) -> None:
    found = decode_lines(encode_lines(lines, 20, before=before))
    own = [replace(line, ply=line.ply - before) for line in lines]
    assert found == {line.ply: line for line in own if 0 <= line.ply < 20}
    assert all(one < other for one, other in pairwise(found))


def damaged() -> Iterator[bytes]:
    whole = encode_lines([EngineLine(0, "e2e4")], 1)
    yield from (b"x", whole[:-1], whole[:9])
    for text in ("", "{", "1", "[1]", "[[]]", '[["0"]]', "[[0, 1]]", '[[0, "", "1"]]', "\udcff"):
        yield zlib.compress(text.encode("utf-8", "surrogateescape"))


def test_damaged_lines_are_one_error() -> None:
    for data in damaged():
        with pytest.raises(DatabaseProblem) as caught:
            decode_lines(data)
        assert str(caught.value).startswith("lines of engines are damaged: "), data
        assert "\n" not in str(caught.value)


@settings(max_examples=40)
@given(line=LINES, ending=st.sampled_from(["", "White mates"]))
def test_comments_keep_lines_whole(line: EngineLine, ending: str) -> None:
    for search in (NOTHING_FOUND, FoundSearch(value=3, depth=4, nodes=5, time_us=6)):
        comment = pgn._comment(search, ending, line)
        written = line.pv or line.string or {line.seldepth, line.hashfull, line.tbhits} != {None}
        expected = [replace(line, ply=0)] if written else []
        assert found_lines([comment]) == expected, comment


def test_lines_of_fastchess_are_read() -> None:
    comments = [
        '+0.35/12 1.2s, tl=9s, n=45, sd=18, nps=3, hashfull=12, tbhits=0, pv="e2e4 e7e5"',
        '-0.1/3 0.1s, line="info depth 1", line="info string a, sd=4", White mates',
        '+0.35/12 1.2s, n=4, "sd=18"',
        "book",
    ]
    assert found_lines(comments) == [
        EngineLine(0, "e2e4 e7e5", 18, 12, 0),
        EngineLine(1, string="a, sd=4"),
    ]
