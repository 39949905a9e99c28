"""Chess960 events are played, exported and imported, and only with the flag."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from cases import each

from db.session import open_database
from toolkit.books.book import chess960_book
from toolkit.referee.replay import replay_game

Mtdf = Callable[..., Any]
BOOK = """\
1rk3r1/ppp2ppp/2n2n2/3pp3/3PP3/2N2N2/PPP2PPP/1RK3R1 w GBgb - 0 8
bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
"""
SHORT = ("--nodes", "150", "--max-plies", "120")


def played_pgn(text: str) -> list[chess.pgn.Game]:
    """The games of a file as python-chess reads them, each without an error and to its end."""
    handle, games = io.StringIO(text), []
    while (game := chess.pgn.read_game(handle)) is not None:
        assert not game.errors, game.errors
        games.append(game)
    return games


@pytest.mark.native
def test_match_is_exported_and_imported_as_chess960(mtdf: Mtdf) -> None:
    # Line 519 is the start of chess.
    Path("two.epd").write_text(
        "".join(f"{chess960_book().openings[line - 1].fen}\n" for line in (81, 519, 561)),
        encoding="utf-8",
    )
    match = ("match", "mtdf", "pvs:null_move=off", "--pairs", "3", *SHORT)
    words = (*match, "--book", "two.epd", "--chess960", "--pgn-out", "out.pgn")
    assert mtdf(*words, "--name", "frc").code == 0
    stored = [mtdf("game", f"g{number}", "--json").json for number in range(1, 7)]
    written = played_pgn(Path("out.pgn").read_text(encoding="utf-8"))
    castled = 0
    for pgn, row in zip(written, stored, strict=True):
        assert row["chess960"]
        assert pgn.headers["Variant"] == "Chess960" and pgn.headers["SetUp"] == "1"
        assert pgn.headers["FEN"] == row["start_fen"]
        board = pgn.board()
        assert board.chess960
        for move, uci, search in zip(
            pgn.mainline_moves(), row["moves"], row["searches"], strict=True
        ):
            assert (move.uci(), board.san(move)) == (uci, search["san"])
            castled += board.is_castling(move)
            board.push(move)
        assert mtdf("game", row["id"], "--fen", str(row["plies"])).out.strip() == board.fen()
        assert mtdf("game", row["id"], "--pgn").out.strip() == str(game_text(row["id"])).strip()
    assert castled >= 3
    assert {row["start_fen"] for row in stored} >= {chess.STARTING_FEN}
    assert mtdf("db", "check", "--replay").code == 0

    assert mtdf("import", "out.pgn", "--db", "new.db").code == 0
    with open_database(Path("new.db")) as db:
        imported = list(db.repository.games())
        assert len(imported) == 6
        for game in imported:
            assert game.chess960 and replay_game(game).number() > 1
    again = [mtdf("game", f"g{number}", "--json", "--db", "new.db").json for number in range(1, 7)]
    for one, other in zip(again, stored, strict=True):
        for name in ("moves", "start_fen", "result", "plies", "chess960"):
            assert one[name] == other[name]
    # In its own database each of them repeats the game that it was.
    assert mtdf("import", "out.pgn").code == 0
    rows = mtdf("games", "--json").json
    assert [row["counted"] for row in rows] == [True] * 6 + [False] * 6


def game_text(game_id: str) -> str:
    """A game of the file that the match wrote."""
    texts = Path("out.pgn").read_text(encoding="utf-8").split("[Event ")
    (found,) = (text for text in texts if f'"{game_id}"' in text)
    return f"[Event {found}"


@pytest.mark.native
def test_chess960_is_stored_with_its_event_only(mtdf: Mtdf) -> None:
    for number, more in enumerate(((), ("--chess960",)), 1):
        words = ("match", "mtdf", "pvs", "--pairs", "1", *SHORT, *more)
        plan = mtdf(*words, "--dry-run", "--json").json
        assert (plan["chess960"], plan["book"]) == (
            bool(more),
            "chess960" if more else "balanced-20k",
        )
        assert mtdf(*words).code == 0
        assert mtdf("events", "--json").json[-1]["chess960"] == bool(more)
        with closing(sqlite3.connect("mtdf.db")) as connection:
            sql = "SELECT settings FROM events WHERE id = ?"
            (text,) = connection.execute(sql, [number]).fetchone()
            versions = "SELECT DISTINCT moves_version FROM game_moves WHERE game_id > ?"
            assert connection.execute(versions, [2 * number - 2]).fetchall() == [(number,)]
        settings = json.loads(text)
        assert settings["chess960"] is True if more else "chess960" not in settings


@pytest.mark.native
def test_interrupted_event_is_resumed_as_chess960(
    mtdf: Mtdf, leave_unfinished: Callable[..., None]
) -> None:
    words = ("gauntlet", "--hero", "mtdf", "--field", "pvs", "--pairs", "3", *SHORT, "--chess960")
    assert mtdf(*words).code == 0
    before = [game["moves"] for game in mtdf("games", "--json").json]
    leave_unfinished("mtdf.db", 1)
    assert mtdf("resume").code == 0
    after = mtdf("games", "--json").json
    assert [game["moves"] for game in after] == before
    assert all(game["chess960"] for game in after)


@each("command", ["match", "sprt", "gauntlet", "round-robin", "ablate", "tune"])
def test_chess960_book_needs_the_flag(mtdf: Mtdf, command: str) -> None:
    Path("b.epd").write_text(BOOK, encoding="utf-8")
    words = {
        "match": ("match", "mtdf", "pvs", "--pairs", "1"),
        "sprt": ("sprt", "--test", "mtdf", "--base", "pvs"),
        "gauntlet": ("gauntlet", "--hero", "mtdf", "--field", "pvs", "--pairs", "1"),
        "round-robin": ("round-robin", "mtdf", "pvs", "--pairs", "1"),
        "ablate": ("ablate", "--engine", "pvs", "--pairs", "1"),
        "tune": ("tune", "run", "--param", "grain"),
    }[command]
    for book in ("b.epd", "chess960"):
        result = mtdf(*words, "--nodes", "10", "--book", book, "--dry-run")
        assert result.code == 2 and not result.out
        (line,) = result.errors
        assert "--chess960" in line and book in line
    assert not Path("mtdf.db").exists()


def test_opening_commands_take_chess960(mtdf: Mtdf) -> None:
    Path("b.epd").write_text(BOOK, encoding="utf-8")
    checked = mtdf("openings", "check", "b.epd", "--json")
    assert checked.code == 1
    assert [fault["line"] for fault in checked.json["faults"]] == [1, 2]
    assert all("--chess960" in fault["reason"] for fault in checked.json["faults"])
    assert mtdf("openings", "check", "b.epd", "--chess960").code == 0
    described = mtdf("openings", "info", "--chess960", "--json").json
    assert (described["name"], described["lines"], described["repeated"]) == ("chess960", 960, 0)
    judged = mtdf(
        "openings", "check", "b.epd", "--chess960", "--max-cp", "9999", "--nodes", "50", "--json"
    )
    assert (judged.code, judged.json["judged"]) == (0, 3)


@pytest.mark.native
def test_study_plays_chess960(mtdf: Mtdf) -> None:
    study = (
        "tune",
        "run",
        "--param",
        "grain=1|20",
        "--sampler",
        "grid",
        "--nodes",
        "30",
        "--pairs-per-trial",
        "2",
    )
    words = (*study, "--budget-pairs", "12", "--chess960", "--name", "frc", "--max-plies", "40")
    assert mtdf(*words).code == 0
    with closing(sqlite3.connect("mtdf.db")) as connection:
        kinds = connection.execute("SELECT DISTINCT moves_version FROM game_moves").fetchall()
        (text,) = connection.execute("SELECT settings FROM tuning_studies").fetchone()
    assert kinds == [(2,)] and json.loads(text)["event"]["chess960"] is True


def test_study_without_games_refuses_chess960(mtdf: Mtdf) -> None:
    words = ("tune", "run", "--param", "grain", "--objective", "nodes", "--chess960", "--dry-run")
    result = mtdf(*words)
    assert result.code == 2 and "leave out --chess960" in result.errors[0]
