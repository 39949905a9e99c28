"""Games as PGN, read back by python-chess."""

from __future__ import annotations

import io
from types import ModuleType

import chess
import chess.pgn
import pytest

from db.records import EventRecord, GameRecord
from db.session import Database
from engines.moves import decode_move
from engines.spec import MATE, Limit
from toolkit.base.version import Provenance
from toolkit.books.book import default_book
from toolkit.games.adjudication import Adjudication
from toolkit.games.pgn import game_to_pgn, opening_moves
from toolkit.games.record import Circumstances, game_record
from toolkit.games.referee import GameRules, PlayedGame, play_game
from toolkit.games.searchdata import decode_found, decode_moves
from toolkit.play.event import start_event
from toolkit.play.settings import match_settings

OFF = Adjudication(max_plies=None, draw=None, resign=None)
LIMIT = Limit(nodes=1)
BLACK_FIRST = "r1bqk2r/pppp1ppp/2n2n2/4p3/1b1PP3/2N2N2/PPP2PPP/R1BQKB1R b KQkq - 1 5"


def record(played: PlayedGame, start_fen: str = chess.STARTING_FEN) -> GameRecord:
    at = Circumstances(
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
    )
    return game_record(played, at, (LIMIT, LIMIT), Provenance("1", "toy", "0" * 16, "here"))


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


def test_a_game_comes_back_with_its_moves_and_tags(toys: ModuleType) -> None:
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
        ("e2e5", "", "rules infraction"),
        ("e2e4", "", "abandoned"),
        ("g1f3 f3g1 g1f3 f3g1", "g8f6 f6g8 g8f6 f6g8", "normal"),
    ],
)
def test_endings_have_the_words_of_the_standard(
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
    # Black's own value of +5 is -0.05 for White.
    assert node.comment.startswith("[%eval -0.05,1]")


def test_comments_say_what_the_searches_found(toys: ModuleType) -> None:
    game = record(scripted(toys, "f2f3 g2g4", "e7e5 d8h4", (-(MATE - 4), MATE - 1)))
    nodes = list(read(game_to_pgn(game, comments=True)).mainline())
    (search, _) = decode_found(game.search_data, game.plies, game.search_version)[:2]
    assert nodes[0].comment == (
        f"[%eval #-2,1] [%nodes 10] [%passes 1] [%emt 0:00:00.{search.time_us:06}]"
    )
    assert nodes[3].comment.startswith("[%eval #-1,1]")
    evaluation = nodes[3].eval()
    assert evaluation is not None and evaluation.white().mate() == -1


def test_the_moves_of_the_opening_stand_before_the_game(db: Database, toys: ModuleType) -> None:
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
