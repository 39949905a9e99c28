"""Commands that read print what is stored: events, games, ratings, engines, the database."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from cases import each

from engines.backend import BenchReport, BenchSearch
from engines.registry import DRIVERS, PARAMETERS
from engines.variant import meaningful_parameters, parse_variant
from toolkit.base.doctor import Check
from toolkit.base.rows import field_names
from toolkit.lab.speed import SpeedReport
from toolkit.ratings.rating_list import RatingLine
from toolkit.referee.outcome import EndReason
from toolkit.reports.catalog import EngineDifference, ParameterRow
from toolkit.reports.events import EventRow
from toolkit.reports.external import EngineDetail, EngineRow
from toolkit.reports.games import GameDetail, GameRow, MoveRow
from toolkit.reports.upkeep import DatabaseCheck, DatabaseInfo

Run = Callable[..., Any]
Fields = Callable[..., bool]

ISSUE_GAMES = (
    "id event pairing pair game white black white_id black_id result end_reason plies start_fen "
    "moves"
).split()
ISSUE_RATINGS = "engine elo error95 error_model games score los_next".split()
ISSUE_EVENTS = "id name kind status pairs_planned pairs_done seed".split()


def test_stable_fields_come_first() -> None:
    """These names were promised; they may only be followed by others."""
    for row, names in (
        (GameRow, ISSUE_GAMES),
        (RatingLine, ISSUE_RATINGS),
        (EventRow, ISSUE_EVENTS),
    ):
        assert field_names(row)[: len(names)] == names


def test_events(on: Run, has_fields: Fields) -> None:
    (row,) = on("events", "--json").json
    assert has_fields(row, EventRow)
    assert (row["name"], row["kind"], row["status"], row["seed"]) == (
        "short",
        "gauntlet",
        "done",
        7,
    )
    assert (row["pairs_planned"], row["pairs_done"]) == (6, 6)
    assert row["engines"] == ["mtdf", "coarse", "pvs"]
    table = on("events").out.splitlines()
    assert len(table) == 2
    assert table[1].split()[:4] == [row["id"], "short", "gauntlet", "done"]


def test_events_of_an_empty_database(mtdf: Run) -> None:
    from db.session import open_database

    open_database("mtdf.db").close()
    assert (mtdf("events", "--json").out, mtdf("events", "--json").code) == ("[]\n", 0)
    assert "no events yet" in mtdf("events").err
    result = mtdf("ratings")
    assert (result.code, result.out) == (5, "")


def test_games(on: Run, has_fields: Fields) -> None:
    rows = on("games", "--json").json
    assert len(rows) == 12
    assert all(has_fields(row, GameRow) for row in rows)
    places = [(row["pairing"], row["pair"], row["game"]) for row in rows]
    assert places == [(i, j, k) for i in range(2) for j in range(3) for k in (1, 2)]
    assert {row["end_reason"] for row in rows} <= {str(reason) for reason in EndReason}
    for row in rows:
        board = chess.Board(row["start_fen"])
        for move in row["moves"]:
            board.push(board.parse_uci(move))
        assert len(row["moves"]) == row["plies"]
        assert {row["white"], row["black"]} < {"mtdf", "coarse", "pvs"}
    for one, two in zip(rows[::2], rows[1::2], strict=True):
        assert (one["white"], one["start_fen"]) == (two["black"], two["start_fen"])


def test_filters(on: Run) -> None:
    def ids(*words: str) -> list[str]:
        return [row["id"] for row in on("games", "--json", *words).json]

    rows = on("games", "--json").json
    by_mtdf = [row for row in rows if "mtdf" in (row["white"], row["black"])]
    assert ids("--engine", "mtdf") == [row["id"] for row in by_mtdf]
    assert ids("--engine", "mtdf", "--opponent", "coarse") == []
    assert ids("--engine", "pvs", "--opponent", "coarse") == ids("--engine", "coarse")
    assert ids("--event", "last") == ids("--event", "short") == ids()
    assert ids("--limit", "5") == ids()[:5]
    identity = by_mtdf[0]["white_id" if by_mtdf[0]["white"] == "mtdf" else "black_id"]
    assert ids("--engine", identity) == ids("--engine", identity[:6]) == ids("--engine", "mtdf")
    assert ids("--engine", "mtdf:grain=20") == ids("--engine", "coarse")
    for result in ("1-0", "0-1", "1/2-1/2"):
        wanted = [row["id"] for row in rows if row["result"] == result]
        assert ids("--result", result) == wanted
        assert ids("--result", result, "--limit", "1") == wanted[:1]
    losses = [
        row["id"]
        for row in by_mtdf
        if row["result"] == ("0-1" if row["white"] == "mtdf" else "1-0")
    ]
    assert ids("--engine", "mtdf", "--result", "loss") == losses
    wins, draws = (ids("--engine", "mtdf", "--result", name) for name in ("win", "draw"))
    assert sorted([*wins, *draws, *losses]) == sorted(ids("--engine", "mtdf"))


def test_more_filters(decided: Run) -> None:
    def found(*words: str) -> list[str]:
        return [row["id"] for row in decided("games", "--json", *words).json]

    def wanted(condition: Callable[[Any], bool]) -> list[str]:
        return [row["id"] for row in rows if condition(row)]

    rows = decided("games", "--json").json
    white = wanted(lambda row: row["white"] == "pvs")
    assert 0 < len(white) < 12 and found("--engine", "pvs", "--colour", "white") == white
    lost = wanted(lambda row: row["black"] == "pvs" and row["result"] == "1-0")
    assert lost and found("--engine", "pvs", "--colour", "black", "--result", "loss") == lost
    assert found("--end-reason", "max") == wanted(lambda row: row["end_reason"] == "max-length")
    line = rows[2]["opening_line"]
    assert found("--opening", str(line)) == wanted(lambda row: row["opening_line"] == line)
    plies = sorted(row["plies"] for row in rows)[6]
    assert found("--min-plies", str(plies)) == wanted(lambda row: row["plies"] >= plies)
    assert (
        decided("games", "--max-plies", str(plies), "--json", "--limit", "2").json
        == [row for row in rows if row["plies"] <= plies][:2]
    )
    assert decided("games", "--colour", "white").code == 2
    assert "`resign-adjudication` or" in decided("games", "--end-reason", "resign").errors[0]
    assert decided("games", "--end-reason", "boredom").code == 2


def test_patterns_choose_engines(decided: Run) -> None:
    """As in `ratings --engine`: games of any engine whose label matches."""

    def found(*words: str) -> list[str]:
        return [row["id"] for row in decided("games", "--json", *words).json]

    rows = decided("games", "--json").json
    for pattern, names in (("c*", {"coarse"}), ("[cm]*", {"coarse", "mtdf"}), ("*", {"pvs"})):
        expected = [row["id"] for row in rows if names & {row["white"], row["black"]}]
        assert found("--engine", pattern) == expected
    assert found("--engine", "p?s", "--opponent", "m*") == found(
        *("--engine", "pvs", "--opponent", "mtdf")
    )
    won = [r["id"] for r in rows if r["white"] in ("mtdf", "coarse") and r["result"] == "1-0"]
    assert won and found("--engine", "[cm]*", "--side", "white", "--result", "win") == won
    for command in ("games", "history"):
        missing = decided(command, *(["--engine"] if command == "games" else []), "x*")
        assert (missing.code, missing.errors) == (
            5,
            ["error: no engine's label matches `x*` (mtdf engines list)"],
        )


def test_commands_of_one_engine_take_a_pattern_of_one(on: Run) -> None:
    assert on("h2h", "m*", "p*").out == on("h2h", "mtdf", "pvs").out
    several = on("h2h", "*", "pvs")
    assert (several.code, several.errors) == (
        2,
        ["error: `*` matches `mtdf`, `coarse`, `pvs`: give one of them"],
    )
    assert on("ratings", "--quiet").code == 0
    one, other = (on("history", text, "--json") for text in ("m*", "mtdf"))
    assert one.json == other.json != []
    assert on("history", "[mc]*").code == 2


def test_colors_option_and_global_color_option(decided: Run) -> None:
    expected = decided("games", "--engine", "pvs", "--side", "black", "--json").json
    assert {row["black"] for row in expected} == {"pvs"}
    for words in (("--colour", "black"), ("--color", "black"), ("--color=black",)):
        assert decided("games", "--engine", "pvs", *words, "--json").json == expected
    assert decided("games", "--color", "never", "--limit", "1").code == 0
    twice = decided("games", "--engine", "pvs", "--color", "black", "--side", "white")
    assert twice.code == 2 and "given twice" in twice.errors[-1]
    assert decided("games", "--side", "white").errors == [
        "error: a side needs an engine: --engine A --side white"
    ]


def test_openings_are_printed(on: Run, edited: Callable[..., Any]) -> None:
    """Every name of an opening that is printed finds its games: its line, and its label."""
    rows = on("games", "--json").json
    for part in on("h2h", "mtdf", "pvs", "--json").json["by_opening"]:
        line = int(part["part"].rpartition(":")[2])
        found = on("games", "--opening", part["part"], "--json").json
        assert found == [row for row in rows if row["opening_line"] == line] != []
    assert on("games", "--opening", f"other:{rows[0]['opening_line']}").code == 5
    with edited("played.db") as connection:
        line = rows[0]["opening_line"]
        connection.execute("UPDATE openings SET label = 'French: Winawer' WHERE line = ?", [line])
    labels = {row["label"] for row in on("openings", "stats", "--json").json}
    assert "French: Winawer" in labels
    named = on("games", "--opening", "French: Winawer", "--json").json
    assert named == [row for row in rows if row["opening_line"] == line] != rows
    wrong = on("games", "--opening", "sicilian")
    assert wrong.code == 5 and "an opening is a line such as 38, BOOK:LINE" in wrong.errors[0]
    assert on("games", "--opening", "").code == 2


def test_games_by_search_limit(on: Run) -> None:
    short = [row["id"] for row in on("games", "--json").json]
    options = ("--pairs", "1", "--depth", "1", "--max-plies", "10", "--quiet")
    assert on("match", "mtdf", "pvs", *options).code == 0
    deep = [row["id"] for row in on("games", "--event", "last", "--json").json]
    assert [row["id"] for row in on("games", "--nodes", "60", "--json").json] == short
    assert [row["id"] for row in on("games", "--depth", "1", "--json").json] == deep
    both = on("games", "--depth", "1", "--engine", "pvs", "--colour", "white", "--json").json
    assert [row["id"] for row in both] == deep[1:] or [row["id"] for row in both] == deep[:1]
    assert len(on("games", "--nodes", "60", "--limit", "3", "--json").json) == 3
    assert on("games", "--nodes", "60", "--event", "last").code == 5
    missing = on("games", "--nodes", "61")
    assert (missing.code, missing.errors) == (
        5,
        ["error: no event was played at this limit (mtdf events)"],
    )
    newest = on("events", "--json").json[-1]["id"]
    missing = on("crosstable", "--nodes", "60")
    assert missing.errors == [f"error: no game of {newest} was played at this limit (mtdf events)"]
    early = on("h2h", "mtdf", "pvs", "--depth", "1", "--until", "2001-01-01")
    assert early.errors == ["error: `mtdf` and `pvs` have no game against each other among these"]
    for command in ("games", "crosstable", "ratings"):
        refused = on(command, "--nodes", "0")
        assert (refused.code, refused.errors) == (
            2,
            ["error: nodes a move (0) must be from 1 to 1000000000000"],
        )


def test_pgn_names_the_source(on: Run) -> None:
    row = on("games", "--engine", "coarse", "--json").json[0]
    text = on("game", row["id"], "--pgn").out
    colour = "White" if row["white"] == "coarse" else "Black"
    for tag, value in (
        ("GameId", row["id"]),
        ("EventId", row["event"]),
        ("SearchLimit", "60 nodes/move"),
        ("Book", "balanced-20k"),
        ("BookLine", str(row["opening_line"])),
        (f"{colour}Variant", "mtdf:grain=20"),
    ):
        assert f'[{tag} "{value}"]' in text
    assert text.strip() in on("games", "--pgn").out


@each("text", ["999999w", "0001-01-01T00:00:00+10:00", "yesterday"])
def test_bad_dates_are_refused(text: str, on: Run) -> None:
    result = on("games", "--since", text)
    assert result.code == 2 and len(result.errors) == 1 and text in result.errors[0]


def test_no_games_is_an_empty_array(on: Run) -> None:
    result = on("games", "--json", "--engine", "alphabeta")
    assert (result.code, result.out) == (5, "[]\n")


def test_no_games_is_a_csv_heading(on: Run) -> None:
    result = on("games", "--csv", "--min-plies", "900")
    assert result.code == 5
    assert result.out.splitlines() == on("games", "--csv").out.splitlines()[:1]


def test_games_as_csv(on: Run) -> None:
    table = list(csv.DictReader(io.StringIO(on("games", "--csv").out)))
    rows = on("games", "--json").json
    assert list(table[0]) == field_names(GameRow)
    for cells, row in zip(table, rows, strict=True):
        assert cells["id"] == row["id"] and cells["moves"] == " ".join(row["moves"])


def test_games_as_a_table(on: Run) -> None:
    lines = on("games").out.splitlines()
    assert len(lines) == 13
    first = on("games", "--json").json[0]
    assert lines[1].split()[:2] == [first["id"], first["event"]]


def test_game(on: Run, has_fields: Fields) -> None:
    row = on("games", "--json").json[3]
    game = on("game", row["id"], "--json").json
    assert has_fields(game, GameDetail)
    assert {name: game[name] for name in row} == row
    assert [move["uci"] for move in game["searches"]] == row["moves"]
    assert all(list(move) == field_names(MoveRow) for move in game["searches"])
    white_moves = chess.Board(row["start_fen"]).turn
    own = game["searches"][::2] if white_moves else game["searches"][1::2]
    assert sum(move["nodes"] for move in own) == row["white_nodes"]
    board = chess.Board(row["start_fen"])
    for ply, move in enumerate(game["searches"], start=1):
        assert move["ply"] == ply
        assert board.san(chess.Move.from_uci(move["uci"])) == move["san"]
        board.push_uci(move["uci"])
    assert on("game", row["id"].removeprefix("g"), "--json").json == game
    lines = on("game", row["id"]).out.splitlines()
    assert f"{row['white']} - {row['black']}  {row['result']}" in lines[0]
    assert len(lines) == 6 + row["plies"]


def test_board_at_a_ply(on: Run) -> None:
    row = on("games", "--json").json[0]
    board = chess.Board(row["start_fen"])
    assert on("game", row["id"], "--fen", "0").out == f"{board.fen()}\n"
    for move in row["moves"][:5]:
        board.push_uci(move)
    assert on("game", row["id"], "--fen", "5").out == f"{board.fen()}\n"
    drawn = on("game", row["id"], "--board", "5", "--ascii").out.splitlines()
    assert [line[3:] for line in drawn[:8]] == str(board).splitlines()
    assert drawn[8] == "   a b c d e f g h"
    assert drawn[9] == f"{'White' if board.turn else 'Black'} to move after ply 5"
    assert "♔" in on("game", row["id"], "--board", "5").out
    last = str(row["plies"])
    assert on("game", row["id"], "--fen", last).code == 0


def test_one_game_as_pgn(on: Run) -> None:
    row = on("games", "--json").json[0]
    pgn = on("game", row["id"], "--pgn").out
    assert pgn.startswith('[Event "short"]') and pgn.rstrip().endswith(row["result"])


def test_ratings(on: Run, has_fields: Fields) -> None:
    rows = on("ratings", "--json").json
    assert all(has_fields(row, RatingLine) for row in rows)
    assert {row["engine"] for row in rows} == {"mtdf", "coarse", "pvs"}
    assert sum(row["games"] for row in rows) == 24
    assert rows == on("ratings", "--event", "last", "--json").json
    rated = [row for row in rows if row["bound"] is None]
    assert abs(sum(row["elo"] for row in rated)) < 1e-6
    table = on("ratings").out.splitlines()
    assert len(table) >= 5 and "errors " in "".join(table)


def test_anchor(on: Run) -> None:
    free = {row["engine"]: row["elo"] for row in on("ratings", "--json").json}
    held = {row["engine"]: row["elo"] for row in on("ratings", "--json", "--anchor", "pvs=50").json}
    assert held["pvs"] == 50
    for name, elo in held.items():
        assert elo - 50 == pytest.approx(free[name] - free["pvs"], abs=0.01)
    assert on("ratings", "--json", "--anchor", "mtdf:grain=20=7").code == 0


def test_rating_lists_are_stored_once_on_request(on: Run) -> None:
    def lists() -> int:
        number = on("db", "info", "--json").json["rating_lists"]
        assert isinstance(number, int)
        return number

    assert lists() == 1, "the event stored the first"
    on("ratings", "--anchor", "pvs=1")
    assert lists() == 1, "looking stores nothing"
    result = on("ratings", "--store", "--anchor", "pvs=1")
    assert lists() == 2 and "stored as list 2" in result.err
    on("ratings", "--store", "--anchor", "pvs=1")
    assert lists() == 2, "the same list is not stored twice"


def test_explanation(on: Run) -> None:
    result = on("ratings", "--explain")
    for words in ("white advantage", "draw rate", "maximum-likelihood", "clustered by game pair"):
        assert words in result.out
    assert on("ratings", "--explain", "--json").json


def test_read_only_database(on: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports work on it, events do not. (File modes would not stop a test that runs as root.)"""
    from db import session
    from db.storage.engine import read_only_file

    real = session.open_database

    def refusing(location: str, *, read_only: bool = False, **options: Any) -> Any:
        if not read_only:
            raise read_only_file(location)
        return real(location, read_only=True, **options)

    lists = on("db", "info", "--json").json["rating_lists"]
    monkeypatch.setattr(session, "open_database", refusing)
    for words in (["games", "--limit", "1"], ["events"], ["ratings"], ["engines", "list"]):
        assert on(*words).code == 0
    assert on("ratings", "--anchor", "pvs=3", "--json").code == 0
    assert on("db", "info", "--json").json["rating_lists"] == lists, "nothing was stored"
    for words in (
        ["ratings", "--store"],
        ["resume", "last"],
        ["match", "mtdf", "pvs", "--pairs", "1", "--nodes", "9"],
    ):
        result = on(*words)
        assert result.code == 3
        assert len(result.errors) == 1 and "is read-only" in result.errors[0]
    assert "[warn] database" in on("doctor").out


def test_the_last_game(on: Run, mtdf: Run) -> None:
    ids = [row["id"] for row in on("games", "--json").json]
    newest = max(ids, key=lambda text: int(text[1:]))
    assert on("game", "last", "--json").json == on("game", newest, "--json").json
    assert mtdf("game", "last").code == 3


def test_engines_list(on: Run, mtdf: Run, has_fields: Fields) -> None:
    rows = on("engines", "list", "--json").json
    assert all(has_fields(row, EngineRow) for row in rows)
    found = {row["engine"]: row for row in rows}
    assert found["coarse"]["spelling"] == "mtdf:grain=20" and found["coarse"]["games"] == 6
    assert found["pvs"]["games"] == 12 and found["alphabeta"]["games"] == 0
    assert on("engines", "list").out.count("\n") == len(rows) + 1
    bare = mtdf("engines", "list", "--json").json
    assert [row["engine"] for row in bare] == list(DRIVERS)


def test_engines_show(on: Run, mtdf: Run, has_fields: Fields) -> None:
    row = on("engines", "show", "coarse", "--json").json
    assert has_fields(row, EngineDetail)
    assert row["parameters"]["grain"] == 20
    for text in ("mtdf:grain=20", row["id"], row["id"][:5]):
        assert on("engines", "show", text, "--json").json == row
    assert "grain" in on("engines", "show", "coarse").out
    assert mtdf("engines", "show", "mtdf:grain=20", "--json").json["id"] == row["id"]


def test_engines_diff(on: Run, has_fields: Fields) -> None:
    row = on("engines", "show", "coarse", "--diff", "mtdf", "--json").json
    assert has_fields(row, EngineDifference)
    grain = PARAMETERS["grain"].default
    assert row["differences"] == [{"parameter": "grain", "engine": 20, "other": grain}]
    other = on("engines", "show", "mtdf", "--diff", "pvs", "--json").json["differences"]
    names = [line["parameter"] for line in other]
    mine, theirs = (
        meaningful_parameters(DRIVERS[name], parse_variant(name).parameters)
        for name in ("mtdf", "pvs")
    )
    assert names == ["driver", *(n for n in PARAMETERS if mine.get(n) != theirs.get(n))]
    same = on("engines", "show", "mtdf", "--diff", f"mtdf:grain={grain}")
    assert "one engine" in same.err
    assert "window" in on("engines", "show", "mtdf", "--diff", "pvs").out


def test_registry_tables(mtdf: Run, has_fields: Fields) -> None:
    parameters = mtdf("engines", "parameters", "--json").json
    assert all(has_fields(row, ParameterRow) for row in parameters)
    assert [row["parameter"] for row in parameters] == list(PARAMETERS)
    some = mtdf("engines", "parameters", "--driver", "pvs", "--json").json
    assert [row["parameter"] for row in some] == list(DRIVERS["pvs"].parameters)
    assert all(name in mtdf("engines", "parameters").out for name in PARAMETERS)
    assert all(name in mtdf("engines", "list").out for name in DRIVERS)


def test_bench(mtdf: Run, has_fields: Fields) -> None:
    from engines.backend import signature

    row = mtdf("bench", "--json").json
    assert row["nodes_per_second"] == round(row["nodes"] * 1_000_000 / row["cpu_us"])
    assert has_fields(row, BenchReport)
    assert all(list(search) == field_names(BenchSearch) for search in row["searches"])
    assert row["signature"] == signature()
    assert row["nodes"] == sum(search["nodes"] for search in row["searches"])
    assert f"signature {row['signature']}" in mtdf("bench").out


def test_bench_of_two_engines(mtdf: Run, has_fields: Fields) -> None:
    few = ("--nodes", "300", "--rounds", "1")
    row = mtdf("bench", "pvs", "pvs:name=again", *few, "--json").json
    assert has_fields(row, SpeedReport)
    assert row["same_search"] and row["first"]["nodes"] == row["second"]["nodes"] > 0
    assert row["first"]["id"] == row["second"]["id"] and row["low"] is None
    shown = mtdf("bench", "pvs", "mtdf", *few).out
    assert "too few rounds" in shown and "this is no pure speed-up" in shown
    for words, problem in (
        (("pvs",), "give two engines"),
        (("pvs", "mtdf", "bns"), "texts stand for 3"),
        (("pvs", "mtdf:nodes=5"), "give one limit to both"),
        (("pvs", "pvs:game=othello"), "othello"),
        (("--nodes", "5"), "is for the speeds of two engines"),
    ):
        done = mtdf("bench", *words)
        assert done.code == 2 and problem in done.err, (words, done)


def test_doctor(on: Run, has_fields: Fields) -> None:
    rows = on("doctor", "--json").json
    assert all(has_fields(row, Check) for row in rows)
    names = [row["name"] for row in rows]
    assert {"native core", "move generator", "signature", "sqlite", "database"} <= set(names)
    assert {"disk", "cores", "clock", "terminal"} <= set(names)
    assert "write-ahead log works" in rows[names.index("sqlite")]["detail"]
    lines = on("doctor").out.splitlines()
    assert [line.split("]")[0] for line in lines if line.startswith("[")]
    warned = on("doctor", "--jobs", "100000").out
    assert "[warn] cores" in warned and "fix: use --jobs" in warned


def test_doctor_finds_what_is_wrong(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database " * 100)
    result = mtdf("doctor", "--db", "text.db")
    assert result.code == 1
    assert "[FAIL] database       text.db is not an SQLite database" in result.out
    assert mtdf("doctor", "--db", "no/such/place.db").code == 1
    assert mtdf("doctor", "--db", "new.db").code == 0


def test_wrong_move_generator_fails_the_doctor(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.backend.perft", lambda fen, depth: 1)
    result = mtdf("doctor")
    assert result.code == 1
    assert "[FAIL] move generator perft 3" in result.out


def test_database_info_and_check(on: Run, has_fields: Fields) -> None:
    info = on("db", "info", "--json").json
    assert has_fields(info, DatabaseInfo)
    assert (info["events"], info["engines"], info["games"]) == (1, 3, 12)
    assert info["running"] == {} and info["bytes"] > 0
    assert "games         12" in on("db", "info").out
    check = on("db", "check", "--json").json
    assert has_fields(check, DatabaseCheck) and check["sound"] is True
    assert "is sound" in on("db", "check").out


def test_global_options_before_and_after_the_command(on: Run, mtdf: Run, played: Path) -> None:
    path = str(played)
    wanted = mtdf("--db", path, "--json", "games", "--limit", "2").out
    assert wanted
    assert mtdf("games", "--db", path, "--json", "--limit", "2").out == wanted
    assert mtdf("--json", "games", "--limit", "2", "--db", path).out == wanted
    assert mtdf("--db", "nope.db", "games", "--db", path, "--json", "--limit", "2").out == wanted
    nested = mtdf("--json", "engines", "--db", path, "list").out
    assert mtdf("engines", "list", "--json", "--db", path).out == nested


def test_color_of_a_table(on: Run) -> None:
    assert on("--color", "always", "events").out.startswith("\x1b[1m")
    assert on("events", "--color", "always").out.startswith("\x1b[1m")
    assert "\x1b" not in on("events").out


@each("words", [["engines", "list"], ["events"]])
def test_reference_backend_is_announced(words: list[str], played: Path) -> None:
    """One line on standard error and a field of every JSON object."""
    script = "import json, sys, cli; cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", script, *words, "--json", "--quiet", "--db", str(played)],
        env=os.environ | {"MTDF_BACKEND": "reference"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: running on the slow reference backend: ")
    import json

    found = json.loads(done.stdout)
    rows = found if isinstance(found, list) else [found]
    assert rows and all(row["program_backend"] == "reference" for row in rows)


@each(
    "words",
    [
        ("events",),
        ("games",),
        ("engines", "list"),
        ("engines", "parameters"),
        ("crosstable",),
        ("openings", "stats"),
        ("history", "mtdf"),
        ("ratings",),
        ("query", "--list-views"),
        ("sprt", "plan", "--true-elo", "0"),
    ],
)
def test_tables_are_available_as_csv(words: tuple[str, ...], on: Run) -> None:
    rows = on(*words, "--json").json
    lines = list(csv.DictReader(io.StringIO(on(*words, "--csv").out)))
    assert len(lines) == len(rows) > 0
    for line, row in zip(lines, rows, strict=True):
        assert [*line, "program_backend"] == list(row)
        for name, cell in line.items():
            value = row[name]
            if isinstance(value, dict):
                assert json.loads(cell) == value
            elif isinstance(value, str):
                assert cell == (f"'{value}" if value.startswith("-") else value), "no formula"
            elif value is None:
                assert cell == ""
    both = on(*words, "--json", "--csv")
    assert both.code == 2 and "exclude each other" in both.err


def test_csv_of_one_game(on: Run) -> None:
    def lines(*words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(on(*words, "--csv").out)))

    moves = on("game", "g1", "--json").json["searches"]
    assert [line["san"] for line in lines("game", "g1")] == [move["san"] for move in moves]
    assert on("game", "g1", "--csv", "--pgn").code == 2
    (shown,) = lines("engines", "show", "coarse")
    assert shown["engine"] == "coarse" and json.loads(shown["parameters"])["grain"] == 20
    assert [line["other"] for line in lines("engines", "show", "pvs", "--diff", "mtdf")]
    Path("one.pgn").write_text(on("game", "g1", "--pgn").out, encoding="utf-8")
    assert on("import", "one.pgn", "--csv", "--json").code == 2
    (row,) = lines("import", "one.pgn")
    assert (row["added"], row["trinomial"].split()) in (
        ("1", ["0", "0", "1"]),
        ("1", ["0", "1", "0"]),
        ("1", ["1", "0", "0"]),
    )
    assert json.loads(lines("events")[-1]["limit"]) == {}
