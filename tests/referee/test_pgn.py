"""Games written as PGN are read back by python-chess with all moves, tags and comments."""

from __future__ import annotations

import io
import re
from types import ModuleType
from typing import Literal

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from db.records.events import EventRecord
from db.records.games import GameRecord
from db.records.openings import OpeningRecord
from db.session import Database
from engines.limit import Limit
from engines.moves import decode_move
from engines.spec import MATE
from toolkit.base.version import Provenance
from toolkit.books.book import default_book
from toolkit.events.event import start_event
from toolkit.events.players import Contender
from toolkit.events.settings import match_settings
from toolkit.imports.comments import found_searches
from toolkit.imports.endings import contradiction, written_reason
from toolkit.referee import pgn
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.outcome import EndReason
from toolkit.referee.pgn import game_to_pgn, opening_moves
from toolkit.referee.record import played_fields
from toolkit.referee.referee import GameRules, PlayedGame, play_game
from toolkit.referee.searchdata import FoundSearch, decode_found, decode_moves

OFF = Adjudication(max_plies=None, draw=None, resign=None)
LIMIT = Limit(nodes=1)
BLACK_FIRST = "r1bqk2r/pppp1ppp/2n2n2/4p3/1b1PP3/2N2N2/PPP2PPP/R1BQKB1R b KQkq - 1 5"


def record(played: PlayedGame, start_fen: str = chess.STARTING_FEN) -> GameRecord:
    return GameRecord(
        id=0,
        event_id=1,
        pairing=2,
        pair=4,
        game=1,
        white="wh",
        black='bl"ack',
        white_id="1",
        black_id="2",
        book_id=None,
        opening_line=None,
        start_fen=start_fen,
        started_at="2026-11-21T10:02:30.123Z",
        ended_at="2026-11-21T10:02:31.123Z",
        load=0.5,
        jobs=1,
        seed=1,
        game_key=None,
        **played_fields(played, Provenance("1", "toy", "0" * 16, "here")),
    )


def scripted(
    toys: ModuleType, white: str, black: str, values: tuple[int, int] = (25, -30)
) -> PlayedGame:
    players = [
        toys.ScriptedPlayer([(uci, value) for uci in moves.split()])
        for moves, value in zip((white, black), values, strict=True)
    ]
    return play_game(chess.STARTING_FEN, players[0], players[1], GameRules(LIMIT, OFF))


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and game.errors == []
    return game


def test_game_comes_back_with_its_moves_and_tags(toys: ModuleType) -> None:
    game = record(scripted(toys, "f2f3 g2g4", "e7e5 d8h4"))
    read_back = read(game_to_pgn(game))
    assert [move.uci() for move in read_back.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    expected = {
        "Event": "?",
        "Site": "here",
        "Date": "2026.11.21",
        "Round": "3.5.1",
        "White": "wh",
        "Black": r"bl\"ack",  # as the standard has it; python-chess leaves the mark in
        "Result": "0-1",
        "UTCTime": "10:02:30",
        "Termination": "normal",
        "EndReason": "checkmate",
        "PlyCount": "4",
    }
    assert {key: read_back.headers[key] for key in expected} == expected
    assert not {"GameId", "EventId", "SearchLimit", "Book", "WhiteVariant"} & {*read_back.headers}
    assert "FEN" not in read_back.headers
    assert all(node.comment == "" for node in read_back.mainline())


@pytest.mark.parametrize(
    ("white", "black", "termination"),
    [
        ("e2e5", "", "illegal move"),
        ("e2e4", "", "abandoned"),
        ("g1f3 f3g1 g1f3 f3g1", "g8f6 f6g8 g8f6 f6g8", "normal"),
    ],
)
def test_endings_have_the_words_of_fastchess(
    toys: ModuleType, white: str, black: str, termination: str
) -> None:
    game = record(scripted(toys, white, black))
    assert read(game_to_pgn(game)).headers["Termination"] == termination


def test_another_start_is_set_up(toys: ModuleType) -> None:
    player = toys.ScriptedPlayer([("e8g8", 5)])
    played = play_game(BLACK_FIRST, toys.ScriptedPlayer([]), player, GameRules(LIMIT, OFF))
    read_back = read(game_to_pgn(record(played, BLACK_FIRST), comments=True))
    assert read_back.headers["FEN"] == BLACK_FIRST
    assert read_back.headers["SetUp"] == "1"
    (node,) = read_back.mainline()
    assert node.san() == "O-O"
    assert node.comment.startswith("+0.05/1 "), "the mover's view"


def test_comments_say_what_the_searches_found(toys: ModuleType) -> None:
    game = record(scripted(toys, "f2f3 g2g4", "e7e5 d8h4", (-(MATE - 4), MATE - 1)))
    nodes = list(read(game_to_pgn(game, comments=True)).mainline())
    (search, _) = decode_found(game.search_data, game.plies, game.search_version)[:2]
    assert search.time_us is not None
    seconds = re.fullmatch(r"-M4/1 (\d+\.\d{3,6})s, n=10, p=1", nodes[0].comment)
    assert seconds is not None and round(1e6 * float(seconds[1])) == search.time_us
    assert nodes[3].comment.startswith("+M1/1 ")
    assert nodes[3].comment.endswith(", n=10, p=1, Black mates")
    assert not any("mates" in node.comment for node in nodes[:3])


FASTCHESS = re.compile(r"\{(?:book|(?:[+-]?\d+\.\d\d|[+-]M\d+|)/\d+ \d+\.\d{3,6}s(?:, [^{},]+)*)\}")


def test_text_is_that_of_fastchess(toys: ModuleType) -> None:
    """Its scripts look for braces without blanks, and for moves and comments in one line."""
    text = game_to_pgn(record(scripted(toys, "f2f3 g2g4", "e7e5 d8h4")), comments=True)
    head, moves = text.split("\n\n")
    assert re.fullmatch(r'(\[\w+ "[^\n]*"\]\n?)+', head)
    assert re.sub(r" \{[^{}]*\}", "", moves).split() == "1. f3 e5 2. g4 Qh4# 0-1".split()
    comments = re.findall(r"\{[^{}]*\}", moves)
    assert len(comments) == 4 and all(map(FASTCHESS.fullmatch, comments))
    assert all(len(line) <= 80 for line in moves.splitlines())
    for tag in ("GameDuration", "GameStartTime", "GameEndTime", "PlyCount", "Termination"):
        assert head.count(f"[{tag} ") == 1
    assert '[GameStartTime "2026-11-21T10:02:30 +0000"]' in head
    assert '[GameDuration "00:00:01"]' in head


@pytest.mark.parametrize(
    ("search", "comment"),
    [
        (FoundSearch(35, 12, 45_678, 4, 1_234_000), "+0.35/12 1.234s, n=45678, p=4"),
        (FoundSearch(-5, 1, 0, None, 12), "-0.05/1 0.000012s, n=0"),
        (FoundSearch(0, 9, None, None, 1_000_000), "0.00/9 1.000s"),
        (FoundSearch(MATE - 5, 20, None, None, 40_100), "+M5/20 0.0401s"),
        (FoundSearch(4 - MATE, 20, None, None, 40_000), "-M4/20 0.040s"),
        (FoundSearch(None, None, None, None, 1000), "/0 0.001s"),
        (FoundSearch(35, None, None, None, None), "+0.35/0"),
        (FoundSearch(35, 7, 12, None, None), "+0.35/7, n=12"),
        (FoundSearch(None, None, None, 3, None), "/0, p=3"),
        (FoundSearch(), ""),
    ],
)
def test_comments_are_as_fastchess_writes_them(search: FoundSearch, comment: str) -> None:
    assert pgn._comment(search, "") == comment
    assert found_searches([comment], {}, white_first=True) == [search]


KNOWN = st.none() | st.integers(0, 10**12)
SEARCHES = st.builds(
    FoundSearch,
    value=st.none() | st.integers(-MATE, MATE),
    depth=st.none() | st.integers(1, 9999),
    nodes=KNOWN,
    passes=KNOWN,
    time_us=KNOWN,
)


@given(search=SEARCHES, ending=st.sampled_from(["", "White mates", "Draw by 3-fold repetition"]))
def test_comments_come_back_whole(search: FoundSearch, ending: str) -> None:
    comment = pgn._comment(search, ending)
    for white in (True, False):
        assert found_searches([comment], {}, white_first=white) == [search]


@pytest.mark.parametrize("reason", list(EndReason))
@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2"])
def test_endings_are_read_as_they_are_written(
    toys: ModuleType, reason: EndReason, result: Literal["1-0", "0-1", "1/2-1/2"]
) -> None:
    """Also without the tag that only our files have."""
    game = structs.replace(
        record(scripted(toys, "f2f3", "e7e5")), result=result, end_reason=str(reason)
    )
    drawn = result == "1/2-1/2"
    if contradiction(reason, drawn=drawn):
        return
    comment = list(read(game_to_pgn(game, comments=True)).mainline())[-1].comment
    told = written_reason({}, comment)
    if reason is EndReason.ADJUDICATION:
        assert told in (EndReason.DRAW_ADJUDICATION, EndReason.RESIGN_ADJUDICATION)
    elif reason is EndReason.TABLEBASE_ADJUDICATION:
        assert "by adjudication: SyzygyTB" in comment and told is EndReason.ADJUDICATION
    else:
        assert told == (None if reason is EndReason.UNKNOWN else reason)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (Limit(base_ms=10_000, inc_ms=100), "10+0.1"),
        (Limit(base_ms=60_000, inc_ms=500, moves=40), "40/60+0.5"),
        (Limit(base_ms=604_800_001), "604800.001"),
        (Limit(movetime_ms=500), "0.5/move"),
        (Limit(nodes=1000), "-"),
        (Limit(cpu_ms=20), "-"),
    ],
)
def test_time_controls_are_as_fastchess_and_cutechess_write_them(limit: Limit, text: str) -> None:
    assert pgn.limits_in_tags(limit, limit)["TimeControl"] == text


def test_limits_that_differ_have_a_tag_each() -> None:
    one, two = Limit(base_ms=10_000, inc_ms=100), Limit(base_ms=5000)
    assert pgn.limits_in_tags(one, two) == {
        "WhiteTimeControl": "10+0.1",
        "BlackTimeControl": "5",
        "WhiteSearchLimit": "10+0.1 s",
        "BlackSearchLimit": "5+0 s",
    }
    fewer, more = Limit(nodes=100), Limit(nodes=200)
    assert pgn.limits_in_tags(fewer, more) == {
        "TimeControl": "-",
        "WhiteSearchLimit": "100 nodes/move",
        "BlackSearchLimit": "200 nodes/move",
    }


def test_players_have_the_limits_of_their_event(db: Database, toys: ModuleType) -> None:
    """Of which one may be a player's own."""
    own, common = Limit(base_ms=5000, inc_ms=50), Limit(base_ms=10_000, inc_ms=100)
    settings = match_settings("pvs:name=a", "pvs:name=b", pairs=1, limit=common)
    players = (settings.players[0], Contender(settings.players[1].engine, own))
    rules = Adjudication(6, None, None)
    settings = structs.replace(settings, players=players, adjudication=rules)
    event = start_event(db, settings, make_player=toys.RandomPlayer).event
    for game in db.repository.games():
        headers = read(game_to_pgn(game, event=event)).headers
        controls = (headers["WhiteTimeControl"], headers["BlackTimeControl"])
        assert controls == (("10+0.1", "5+0.05") if game.white == "a" else ("5+0.05", "10+0.1"))


def test_name_never_breaks_a_tag(toys: ModuleType) -> None:
    game = structs.replace(record(scripted(toys, "f2f3", "e7e5")), white='a\n[x "y"]\\')
    read_back = read(game_to_pgn(game))
    assert read_back.headers["White"] == r"a [x \"y\"]\\"
    assert "x" not in read_back.headers


def test_name_of_the_opening_is_told_where_the_book_has_it(toys: ModuleType) -> None:
    game = structs.replace(record(scripted(toys, "f2f3", "e7e5")), book_id="b", opening_line=1)
    for label, eco, name in (
        ("C20 King's Pawn", "C20", "King's Pawn"),
        ("B00", "B00", None),
        ("own.001", None, None),
        ("17", None, None),
        ("French", None, "French"),
        ("Ruy Lopez 3", None, "Ruy Lopez 3"),
    ):
        line = OpeningRecord(1, chess.STARTING_FEN, b"", chess.STARTING_FEN, label)
        headers = read(game_to_pgn(game, opening=line)).headers
        assert (headers.get("ECO"), headers.get("Opening")) == (eco, name)


def test_moves_of_the_opening_stand_before_the_game(db: Database, toys: ModuleType) -> None:
    settings = match_settings(
        "pvs:name=a",
        "pvs:name=b",
        pairs=1,
        limit=Limit(base_ms=60_000, inc_ms=500),
        name="first",
        adjudication=Adjudication(6, None, None),
    )
    event: EventRecord = start_event(db, settings, make_player=toys.RandomPlayer).event
    game = next(db.repository.games())
    (opening,) = (line for line in default_book().openings if line.line == game.opening_line)
    read_back = read(game_to_pgn(game, event=event, opening=opening))
    searched = [decode_move(code) for code in decode_moves(game.moves)]
    assert [m.uci() for m in read_back.mainline_moves()] == opening_moves(opening) + searched
    booked = len(opening_moves(opening))
    assert read_back.headers["PlyCount"] == str(booked + len(searched))
    assert read_back.headers.get("BookPlies", "0") == str(booked)
    commented = read(game_to_pgn(game, event=event, opening=opening, comments=True))
    marks = [node.comment == "book" for node in commented.mainline()]
    assert marks == [True] * booked + [False] * len(searched)
    assert "FEN" not in read_back.headers
    assert read_back.headers["Event"] == "first"
    assert read_back.headers["TimeControl"] == "60+0.5"
    assert read_back.headers["Termination"] == "adjudication"
    assert read(game_to_pgn(game, event=event)).headers["FEN"] == game.start_fen
