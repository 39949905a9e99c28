"""``mtdf import`` reads files of other programs, and every report handles the imported games."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each
from msgspec.structs import replace

from db.records.games import GameRecord
from db.session import open_database
from toolkit.imports.run import ImportRow
from toolkit.referee.replay import ReplayMismatch, replay_game
from toolkit.referee.searchdata import decode_found
from toolkit.stats.match import match_statistics

DATA = Path(__file__).parents[1] / "data"
FAST, CUTE, LICHESS = (
    str(DATA / f"import_{name}.pgn") for name in ("fastchess", "cutechess", "lichess")
)
GOOD = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
BAD = GOOD.replace("1. e4", "1. e5")
Mtdf = Callable[..., Any]


def summary(games: list[dict[str, Any]]) -> list[tuple[str, str, str, int]]:
    """What a test looks at of games."""
    return [(g["white"], g["result"], g["end_reason"], g["plies"]) for g in games]


def test_fastchess(mtdf: Mtdf, has_fields: Callable[[Mapping[str, Any], type[Any]], bool]) -> None:
    (row,) = mtdf("import", FAST, "--json").json
    assert has_fields(row, ImportRow)
    assert (row["games"], row["added"], row["known"], row["bad"]) == (7, 7, 0, 0)
    assert (row["pairs"], row["singles"], row["players"]) == (3, 1, 2)
    assert row["trinomial"] == [1, 3, 3] and row["pentanomial"] == [0, 0, 1, 2, 0]
    games = mtdf("games", "--json").json
    assert summary(games) == [
        ("alpha", "1-0", "checkmate", 3),
        ("beta", "1/2-1/2", "threefold-repetition", 8),
        ("alpha", "1-0", "resign-adjudication", 4),
        ("beta", "1/2-1/2", "adjudication", 2),
        ("alpha", "0-1", "time-forfeit", 2),
        ("beta", "0-1", "checkmate", 4),
        ("alpha", "1/2-1/2", "draw-adjudication", 1),
    ]
    assert [(g["pair"], g["game"]) for g in games][-3:] == [(2, 1), (2, 2), (3, 1)]
    assert games[0]["moves"] == ["d1h5", "g8f6", "h5f7"]
    assert games[0]["started_at"] == "2026-01-05T09:00:00.000Z"
    assert games[0]["ended_at"] == "2026-01-05T09:00:02.000Z"


def test_cutechess(mtdf: Mtdf) -> None:
    (row,) = mtdf("import", CUTE, "--json").json
    assert (row["pairs"], row["singles"]) == (2, 0)
    games = mtdf("games", "--json").json
    assert summary(games) == [
        ("Gamma 2.1", "1-0", "checkmate", 3),
        ('Delta "dev"', "0-1", "engine-failure", 1),
        ("Gamma 2.1", "1-0", "illegal-move", 2),
        ('Delta "dev"', "1/2-1/2", "max-length", 2),
    ]
    assert games[0]["start_fen"] == games[1]["start_fen"]
    assert games[0]["moves"] == ["d1h5", "g8f6", "h5f7"]


def test_lichess(mtdf: Mtdf) -> None:
    (row,) = mtdf("import", LICHESS, "--json").json
    assert (row["pairs"], row["singles"], row["players"]) == (0, 3, 3)
    assert row["trinomial"] is None and row["pentanomial"] is None
    games = mtdf("games", "--engine", "Zoë", "--json").json
    assert summary(games) == [("anna", "1/2-1/2", "unknown", 2)]
    assert len(mtdf("games", "--engine", "anna", "--json").json) == 3


def test_odd_tags_cost_no_game_and_are_counted(mtdf: Mtdf, tmp_path: Path) -> None:
    path = tmp_path / "odd.pgn"
    path.write_text(GOOD + "[Annotator]\n[%evp 0,1]\n" + GOOD.replace("e4", "d4"))
    done = mtdf("import", str(path), "--json")
    assert done.json[0]["added"] == 2
    assert f"{path} line 7: `[Annotator]` and 1 more: not read as a tag\n" in done.err
    path.write_text(GOOD.replace('"B"]', '"B'))
    refused = mtdf("import", str(path))
    assert refused.code == 2 and 'line 2: `[Black "B` is not a tag' in refused.err


def test_repeated_import_adds_nothing(mtdf: Mtdf, tmp_path: Path) -> None:
    for file in (FAST, CUTE, LICHESS):
        mtdf("import", file, "--event", "all")
    before = mtdf("games", "--json").out
    for file in (LICHESS, FAST, CUTE):
        (row,) = mtdf("import", file, "--event", "all", "--json").json
        assert row["added"] == 0 and row["known"] == row["games"]
    assert mtdf("games", "--json").out == before
    longer = tmp_path / "longer.pgn"
    longer.write_text(Path(FAST).read_text() + GOOD)
    (row,) = mtdf("import", str(longer), "--event", "all", "--json").json
    assert (row["added"], row["known"], row["players"]) == (1, 7, 9)


def test_settings_describe_the_import(mtdf: Mtdf, tmp_path: Path) -> None:
    for _ in range(2):
        mtdf("import", FAST, "--event", "one")
    mtdf("import", CUTE, "--event", "one")
    with open_database(tmp_path / "mtdf.db") as db:
        (event,) = db.repository.events()
    assert (event.kind, event.status, event.pairs_done) == ("import", "done", 6)
    assert [file["file"] for file in event.settings["files"]] == [
        "import_fastchess.pgn",
        "import_cutechess.pgn",
    ]
    assert event.settings["files"][0]["games"] == 7
    assert re.fullmatch("[0-9a-f]{64}", event.settings["files"][0]["sha256"])


@each("clock", [False, True])
@each("options", [(), ("--headers-only",)])
def test_games_of_this_database_count_once(
    on: Mtdf, edited: Mtdf, options: tuple[str, ...], clock: bool
) -> None:
    """Those that ended by a clock have no key, and are known by their id all the same."""
    if clock:
        with edited("played.db") as connection:
            connection.execute("UPDATE games SET game_key = NULL")
    before = on("ratings", "--json", "--quiet").json
    Path("own.pgn").write_text(on("games", "--pgn").out, encoding="utf-8")
    (row,) = on("import", "own.pgn", *options, "--json").json
    assert (row["added"], row["known"], row["repeated"], row["pairs"]) == (12, 0, 0, 6)
    assert on("ratings", "--json", "--quiet").json == before
    assert on("db", "info", "--json").json["excluded_games"] == 12
    own = on("ratings", "--event", "own.pgn", "--json").json
    assert [line["elo"] for line in own] == pytest.approx([line["elo"] for line in before])
    (row,) = on("import", "own.pgn", *options, "--json").json
    assert (row["added"], row["known"], row["repeated"]) == (0, 12, 0)
    assert on("db", "check").code == 0


def test_changed_game_is_imported(on: Mtdf) -> None:
    text = on("games", "--limit", "2", "--pgn").out
    changed = re.sub(r'White "\w+"', 'White "other"', text, count=1)
    Path("own.pgn").write_text(changed, encoding="utf-8")
    assert on("import", "own.pgn").code == 0
    assert on("db", "info", "--json").json["excluded_games"] == 1


def test_equal_games_in_a_file_are_repetitions(mtdf: Mtdf, tmp_path: Path) -> None:
    file = tmp_path / "six.pgn"
    file.write_text(6 * GOOD)
    (row,) = mtdf("import", str(file), "--json").json
    assert (row["added"], row["known"], row["repeated"]) == (1, 0, 5)
    (row,) = mtdf("import", str(file), "--json").json
    assert (row["added"], row["known"], row["repeated"]) == (0, 6, 0)


def test_games_in_another_event_are_repetitions(mtdf: Mtdf) -> None:
    (first,) = mtdf("import", FAST, "--json").json
    (row,) = mtdf("import", FAST, "--event", "copy", "--json").json
    assert row["added"] == 7 and row["pentanomial"] == first["pentanomial"]
    assert mtdf("db", "info", "--json").json["excluded_games"] == 7
    whole = mtdf("ratings", "--json", "--quiet").json
    copy = mtdf("ratings", "--event", "copy", "--json", "--quiet").json
    assert [(r["engine"], r["games"], r["elo"]) for r in whole] == [
        (r["engine"], r["games"], r["elo"]) for r in copy
    ]
    (again,) = mtdf("import", FAST, "--event", "copy", "--json").json
    assert (again["added"], again["known"]) == (0, 7)


def test_import_into_an_older_event_becomes_the_original(mtdf: Mtdf) -> None:
    mtdf("import", CUTE, "--event", "old")
    mtdf("import", FAST, "--event", "new")
    mtdf("import", FAST, "--event", "old")
    assert [g["counted"] for g in mtdf("games", "--event", "old", "--json").json] == [True] * 11
    assert [g["counted"] for g in mtdf("games", "--event", "new", "--json").json] == [False] * 7


def test_equal_results_without_moves_are_different_games(mtdf: Mtdf, tmp_path: Path) -> None:
    bare = tmp_path / "bare.pgn"
    bare.write_text(GOOD.replace("1. e4 ", "") * 5)
    (row,) = mtdf("import", str(bare), "--json").json
    assert (row["added"], row["singles"], row["trinomial"]) == (5, 5, [0, 0, 5])
    (row,) = mtdf("import", str(bare), "--json").json
    assert (row["added"], row["known"]) == (0, 5)
    assert [g["moves"] for g in mtdf("games", "--json").json] == [[]] * 5


def test_bad_games_are_refused_and_skipped_as_asked(mtdf: Mtdf, tmp_path: Path) -> None:
    file = tmp_path / "some.pgn"
    file.write_text(GOOD + BAD + GOOD.replace("e4", "d4") + BAD.replace("1-0", "*"))
    refused = mtdf("import", str(file))
    assert refused.code == 2
    assert refused.errors[-1] == (
        f"error: {file} line 7: ply 1: `e5` is not legal here; 1 more bad; "
        "of 4 games in the file none was stored; --skip-bad leaves them out"
    )
    assert f"warning: {file} line 19: it has no result (`*`)" in refused.errors
    assert mtdf("events", "--json").json == []
    skipped = mtdf("import", str(file), "--skip-bad", "--json")
    (row,) = skipped.json
    assert (row["games"], row["added"], row["bad"]) == (4, 2, 2)
    assert f"warning: {file} line 7: ply 1: `e5` is not legal here" in skipped.errors


@each("text", ["", "\n\n", BAD])
def test_file_without_games_makes_no_event(mtdf: Mtdf, tmp_path: Path, text: str) -> None:
    file = tmp_path / "none.pgn"
    file.write_text(text)
    assert mtdf("import", str(file), "--skip-bad").code == 2
    assert mtdf("import", str(tmp_path / "no.pgn")).code == 2
    assert mtdf("events", "--json").json == []


def test_headers_only(mtdf: Mtdf) -> None:
    (row,) = mtdf("import", FAST, "--headers-only", "--json").json
    assert (row["pairs"], row["singles"], row["headers_only"]) == (3, 1, True)
    games = mtdf("games", "--json").json
    assert [g["plies"] for g in games] == [3, 8, 4, 2, 2, 4, 1]
    assert all(not g["moves"] for g in games)
    assert games[0]["end_reason"] == "checkmate"
    shown = mtdf("game", games[0]["id"])
    assert shown.code == 0 and "its moves are not known" in shown.out
    assert mtdf("game", games[0]["id"], "--json").json["searches"] == []
    assert mtdf("game", games[0]["id"], "--fen", "1").code == 2
    assert "1-0" in mtdf("game", games[0]["id"], "--pgn").out


def test_readers_cope_with_imported_players(mtdf: Mtdf) -> None:
    mtdf("import", FAST)
    rows = {row["engine"]: row for row in mtdf("engines", "list", "--json").json}
    alpha = rows["alpha"]
    assert (alpha["kind"], alpha["games"], alpha["parameters"]) == (
        "imported",
        7,
        {"name": "alpha"},
    )
    assert rows["mtdf"]["kind"] == "native"
    assert mtdf("engines", "show", "alpha", "--json").json["id"] == alpha["id"]
    assert mtdf("engines", "show", alpha["id"][:8]).code == 0
    assert mtdf("engines", "list").code == 0
    (event,) = mtdf("events", "--json").json
    assert (event["kind"], event["status"], event["variation"]) == ("import", "done", "")
    assert (event["limit"]["base_ms"], event["limit"]["inc_ms"]) == (1000, 10)
    detail = mtdf("game", "g1", "--json").json
    assert (detail["searches"][0]["san"], detail["searches"][0]["value"]) == ("Qh5", 50)
    assert mtdf("game", "g1").code == 0
    assert mtdf("game", "g1", "--board", "3").code == 0


def test_imported_event_is_not_resumed(mtdf: Mtdf) -> None:
    mtdf("import", FAST, "--event", "one")
    refused = mtdf("resume", "one")
    assert refused.code == 2 and "was imported and cannot be resumed" in refused.errors[-1]
    assert mtdf("match", "alpha", "pvs", "--nodes", "10", "--pairs", "1").code == 2


def test_played_event_refuses_imports(on: Mtdf) -> None:
    refused = on("import", FAST, "--event", "short")
    assert refused.code == 2 and "was played, not imported" in refused.errors[-1]


def test_sprt_takes_the_counts(mtdf: Mtdf, tmp_path: Path) -> None:
    games = []
    for number in range(40):
        # alpha scores: two wins, or a win and a draw, or two draws, and now and then a loss
        one, two = [("1-0", "0-1"), ("1-0", "1/2-1/2"), ("1/2-1/2", "1/2-1/2")][number % 3]
        if number % 10 == 0:
            two = "1-0"
        for white, black, result in (("alpha", "beta", one), ("beta", "alpha", two)):
            games.append(
                f'[Round "{number}"]\n[White "{white}"]\n[Black "{black}"]\n'
                f'[Result "{result}"]\n\n{result}\n'
            )
    file = tmp_path / "match.pgn"
    file.write_text("\n".join(games))
    (row,) = mtdf("import", str(file), "--json").json
    assert (row["pairs"], row["singles"], sum(row["pentanomial"])) == (40, 0, 40)
    counts = ",".join(map(str, row["pentanomial"]))
    test = ("sprt", "calc", "--pentanomial", counts, "--elo0", "0", "--elo1", "10", "--json")
    assert mtdf(*test).json["counts"] == row["pentanomial"]
    ratings = mtdf("ratings", "--json", "--quiet").json
    assert [line["engine"] for line in ratings] == ["alpha", "beta"]
    assert {line["error_model"] for line in ratings} == {"pair-clustered"}


def games_of(path: Path) -> list[GameRecord]:
    """Every game of a database."""
    with open_database(path) as db:
        return list(db.repository.games())


def what_matters(game: GameRecord) -> tuple[Any, ...]:
    """All of a game that a PGN file keeps."""
    return (
        *(game.pairing, game.pair, game.game, game.white, game.black, game.result),
        *(game.end_reason, game.plies, game.start_fen, game.moves),
        (game.started_at or "")[:19],
        *decode_found(game.search_data, len(game.moves) // 2, game.search_version),
        *(game.white_nodes, game.black_nodes),
    )


def test_round_trip_of_a_played_event(on: Mtdf, tmp_path: Path) -> None:
    file, other = tmp_path / "own.pgn", tmp_path / "other.db"
    file.write_text(on("games", "--pgn").out)
    (row,) = on("import", str(file), "--db", str(other), "--json").json
    assert (row["pairs"], row["singles"], row["bad"]) == (6, 0, 0)
    before, after = games_of(Path("played.db")), games_of(other)
    assert [what_matters(game) for game in after] == [what_matters(game) for game in before]
    for game in after:
        replay_game(game)
    again = tmp_path / "again.pgn"
    again.write_text(on("games", "--pgn", "--db", str(other)).out)
    (row,) = on("import", str(again), "--db", str(tmp_path / "third.db"), "--json").json
    third = games_of(tmp_path / "third.db")
    assert [what_matters(game) for game in third] == [what_matters(game) for game in before]


def test_quoted_names_survive_a_round_trip(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", CUTE)
    file = tmp_path / "own.pgn"
    file.write_text(mtdf("games", "--pgn").out)
    mtdf("import", str(file), "--event", "again", "--db", str(tmp_path / "other.db"))
    names = {(game.white, game.black) for game in games_of(tmp_path / "other.db")}
    assert names == {("Gamma 2.1", 'Delta "dev"'), ('Delta "dev"', "Gamma 2.1")}


def test_events_shortens_many_players(mtdf: Mtdf, tmp_path: Path) -> None:
    file = tmp_path / "many.pgn"
    file.write_text("".join(GOOD.replace('"B"', f'"B{number}"') for number in range(30)))
    mtdf("import", str(file))
    assert (
        mtdf("events")
        .out.splitlines()[-1]
        .endswith("B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10 and 19 more")
    )
    assert len(mtdf("events", "--json").json[0]["engines"]) == 31


def test_replay_finds_changed_moves(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", FAST)
    for game in games_of(tmp_path / "mtdf.db"):
        replay_game(game)
        for changed in (
            replace(game, moves=bytes(2) + game.moves[2:]),
            replace(game, moves=game.moves * 2),
        ):
            with pytest.raises(ReplayMismatch):
                replay_game(changed)
    with pytest.raises(ReplayMismatch):
        replay_game(replace(games_of(tmp_path / "mtdf.db")[0], result="0-1"))


def test_stats_handle_unknown_moves(mtdf: Mtdf) -> None:
    Path("bare.pgn").write_text(
        "".join(
            f'[Round "{n // 2}"]\n[White "{"AB"[n % 2]}"]\n[Black "{"BA"[n % 2]}"]\n'
            f'[Result "{"1-0" if n % 4 else "1/2-1/2"}"]\n\n'
            for n in range(8)
        )
    )
    assert mtdf("import", "bare.pgn").code == 0
    row = mtdf("h2h", "A", "B", "--elo0", "0", "--elo1", "10", "--json").json
    assert row["pentanomial"] == [0, 2, 2, 0, 0] == row["test"]["counts"]
    assert "LLR  " in mtdf("h2h", "A", "B", "--elo1", "10").out
    assert "its moves are not known" in mtdf("game", "g1").out


def test_perfect_score_is_rated_by_a_bound(mtdf: Mtdf, tmp_path: Path) -> None:
    """The bound is the end of the interval of such a match, and no tighter than the exact one: a
    player 72 Elo weaker wins four of four one time in forty."""
    game = '[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1-0\n\n'
    (tmp_path / "p.pgn").write_text(game.format("B", "H") * 4 + game.format("H", "A") * 9)
    assert mtdf("import", "p.pgn").code == 0
    text = mtdf("ratings").out
    won, lost = match_statistics((0, 0, 4)).elo_low95, match_statistics((0, 0, 9)).elo_low95
    assert won is not None and won < -72.1 and lost is not None and lost < 118.1
    assert f"at least {won:.1f}" in text and f"at most {-lost:.1f}" in text
    assert "at least (won all) or at most (lost all): a perfect score against the engines" in text
    assert "the end of its 95 % interval; with few games it may lie beyond the opponents'" in text
    assert "perfect score" not in mtdf("ratings", "--engine", "H", "--engine", "B", "--json").out


def test_unknown_data_of_imported_games_is_marked(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", LICHESS)
    mtdf("import", FAST)
    lichess, fast = mtdf("events", "--json").json
    assert (lichess["pairs_done"], lichess["pairs_planned"], lichess["singles"]) == (0, 0, 3)
    assert (fast["pairs_done"], fast["pairs_planned"], fast["singles"]) == (3, 3, 1)
    assert lichess["seed"] is None
    assert "0/0 +3 games" in mtdf("events").out and "3/3 +1 game" in mtdf("events").out
    game = mtdf("games", "--json").json[0]
    unknown = ("white_nodes", "black_nodes", "white_cpu_us", "black_cpu_us", "seed")
    assert [game[name] for name in unknown] == [None] * 5
    (line, *_) = csv.DictReader(io.StringIO(mtdf("games", "--csv").out))
    assert [line[name] for name in unknown] == [""] * 5
    stats = mtdf("stats", "last", "--json").json
    assert stats["nodes"] is None and stats["players"][0]["nodes"] is None
    assert re.search(r"search +--", mtdf("stats", "last").out)


def test_csv_players_are_json(mtdf: Mtdf) -> None:
    for file in (CUTE, LICHESS):
        mtdf("import", file)
    rows = list(csv.DictReader(io.StringIO(mtdf("events", "--csv").out)))
    assert [json.loads(row["engines"]) for row in rows] == [
        row["engines"] for row in mtdf("events", "--json").json
    ]


def test_import_without_new_games_keeps_the_end_time(mtdf: Mtdf) -> None:
    mtdf("import", FAST)
    before = mtdf("events", "--json").json
    mtdf("import", FAST)
    assert mtdf("events", "--json").json == before


def test_imported_games_differ_by_start_position(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", CUTE)
    games = mtdf("games", "--json").json
    row = mtdf("h2h", "Gamma 2.1", 'Delta "dev"', "--json").json
    starts = Counter(game["start_fen"] for game in games)
    assert len(starts) == 2
    assert {part["part"]: part["games"] for part in row["by_opening"]} == starts
    (tmp_path / "plain.pgn").write_text(GOOD)
    mtdf("import", str(tmp_path / "plain.pgn"))
    (plain,) = mtdf("games", "--opening", "start of chess", "--json").json
    assert plain["moves"] == ["e2e4"]
    for start, number in starts.items():
        assert len(mtdf("games", "--opening", start, "--json").json) == number


NODES = """[White "{}"]
[Black "{}"]
[Result "1-0"]
[TimeControl "1+0.01"]

1. e4 {{+0.30/9 0.100s, n=100{}}} e5 {{-0.28/9 0.400s{}}} 2. Nf3 {{+0.31/8 0.010s, n=200}} 1-0

"""


def test_evaluations_and_times_are_imported(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", FAST)
    mtdf("import", LICHESS)
    (game,) = mtdf("games", "--event", "import_fastchess.pgn", "--limit", "1", "--json").json
    shown = mtdf("game", game["id"], "--json").json["searches"]
    fields = ("value", "depth", "nodes", "passes", "time_us")
    assert [tuple(move[name] for name in fields) for move in shown] == [
        (50, 8, None, None, 20_000),
        (-10, 7, None, None, 18_000),
        (31_999, 2, None, None, 1000),
    ]
    lines = mtdf("game", game["id"]).out.splitlines()
    assert lines[-1].split() == ["3", "Qxf7#", "#1", "2", "--", "--", "1.0"]
    comment = "Nf6 {-0.10/7 0.018s}"
    assert comment in " ".join(mtdf("game", game["id"], "--pgn").out.split())
    (first, *_) = mtdf("games", "--event", "import_lichess.pgn", "--json").json
    shown = mtdf("game", first["id"], "--json").json["searches"]
    assert [move["value"] for move in shown] == [30, -90, None, None]
    assert mtdf("db", "check", "--replay").code == 0


def test_known_nodes_are_counted(mtdf: Mtdf, tmp_path: Path) -> None:
    """A side's nodes are known where each of its moves has them; other games are left out of the
    mean, not counted as zero."""
    (tmp_path / "n.pgn").write_text(
        NODES.format("A", "B", "", ", n=50") + NODES.format("B", "A", "", "")
    )
    mtdf("import", "n.pgn")
    rows = mtdf("games", "--json").json
    assert [(row["white_nodes"], row["black_nodes"]) for row in rows] == [(300, 50), (300, None)]
    assert all(row["white_cpu_us"] is None for row in rows)
    stats = mtdf("stats", "last", "--json").json
    assert (stats["nodes"], stats["cpu_us"]) == (650, None)
    cost = {row["engine"]: row for row in stats["players"]}
    assert (cost["A"]["nodes"], cost["A"]["nodes_per_move"]) == (300, 150)
    assert cost["B"]["nodes_per_move"] == pytest.approx(350 / 3)
    assert cost["A"]["cpu_us"] is cost["A"]["nodes_per_second"] is None
    assert re.search(r"search +650 nodes\n", mtdf("stats", "last").out)
    head = mtdf("h2h", "A", "B", "--json").json["costs"]
    assert [side["nodes_per_move"] for side in head] == [150, pytest.approx(350 / 3)]
    assert mtdf("db", "check", "--replay").code == 0
    with closing(sqlite3.connect("mtdf.db")) as connection, connection:
        connection.execute("UPDATE games SET white_nodes = 301 WHERE id = 1")
    assert mtdf("db", "check", "--replay").code == 3


@pytest.mark.slow
@each("name", ["-", "/dev/stdin"])
def test_standard_input_is_imported(name: str, tmp_path: Path) -> None:
    """As a process of its own, for only that has a pipe as its standard input."""
    command = [sys.executable, "-c", "from cli import main; main()", "import", name, "--json"]
    env = {**os.environ, "MTDF_DB": str(tmp_path / "x.db")}
    for known in (0, 7):
        done = subprocess.run(
            command, input=Path(FAST).read_bytes(), capture_output=True, env=env, timeout=600
        )
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)
        assert (row["games"], row["known"], row["name"]) == (7, known, "stdin")
        assert row["sha256"] == hashlib.sha256(Path(FAST).read_bytes()).hexdigest()
        assert row["file"] == ("standard input" if name == "-" else name)


def test_too_long_game_is_refused(mtdf: Mtdf, tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_bytes(b"a" * 5_000_000)
    refused = mtdf("import", "x.pgn")
    assert refused.code == 2
    assert refused.errors[-1] == (
        "error: x.pgn line 1: it has more than 4 MB; of 1 game in the file none was stored; "
        "--skip-bad leaves it out"
    )


def test_games_stored_without_search_data_are_recognized(mtdf: Mtdf, edited: Mtdf) -> None:
    """It has the same games without evaluations; they stay as they are."""
    mtdf("import", FAST)
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE game_moves SET search_version = 0, search_data = x''")
    (row,) = mtdf("import", FAST, "--json").json
    assert (row["added"], row["known"]) == (0, 7)
    assert mtdf("game", "g1", "--json").json["searches"][0]["value"] is None
    assert mtdf("game", "g1", "--pgn").code == 0


def test_impossible_node_counts_are_ignored(mtdf: Mtdf, tmp_path: Path) -> None:
    moves = " ".join(
        f"{n}. {'Nf3' if n % 2 else 'Ng1'} {{+0.10/9 0.1s, n=999999999999999999}} "
        f"{'Nf6' if n % 2 else 'Ng8'} {{+0.10/9 0.1s, n=999999999999999999}}"
        for n in range(1, 25)
    )
    (tmp_path / "huge.pgn").write_text(GOOD.replace("1. e4 1-0", f"{moves} 1-0"))
    assert mtdf("import", "huge.pgn").code == 0
    assert mtdf("events", "--json").json[0]["status"] == "done"
    assert mtdf("stats", "last").code == 0 and mtdf("h2h", "A", "B").code == 0


def test_imported_player_named_like_a_driver(mtdf: Mtdf) -> None:
    Path("own.pgn").write_text(GOOD.replace('"A"', '"mtdf"').replace('"B"', '"pvs"'))
    mtdf("import", "own.pgn")
    for name in ("mtdf", "mtdf:grain=4"):
        assert mtdf("engines", "show", name, "--json").json["kind"] == "native"
    ids = {
        row["engine"]: row["id"]
        for row in mtdf("engines", "list", "--json").json
        if row["kind"] == "imported"
    }
    row = mtdf("engines", "show", ids["mtdf"], "--diff", ids["pvs"], "--json").json
    assert row["differences"] == [{"parameter": "name", "engine": "mtdf", "other": "pvs"}]
    differences = mtdf("engines", "show", "mtdf", "--diff", ids["mtdf"], "--json").json
    assert differences["differences"][0]["parameter"] == "kind"


def test_result_of_two_players_names_them(mtdf: Mtdf) -> None:
    (row,) = mtdf("import", FAST, "--event", "first", "--json").json
    losses, draws, wins = row["trinomial"]
    told = mtdf("import", FAST, "--event", "other").out.splitlines()[-1]
    assert told == f"alpha - beta  +{wins} -{losses} ={draws}  Ptnml {row['pentanomial']}"
    again = mtdf("import", FAST, "--event", "other")
    assert f"no games of {FAST} were added: event " in again.err


def test_games_without_pairs_have_no_pairs(mtdf: Mtdf) -> None:
    Path("one.pgn").write_text(GOOD)
    assert mtdf("import", "one.pgn").out.splitlines()[-1] == "A - B  +1 -0 =0  no pairs"
    assert "no pairs  Elo " in mtdf("h2h", "A", "B").out
    event = mtdf("events", "--json").json[0]["id"]
    refused = mtdf("openings", "stats", "--event", "last")
    assert refused.code == 5
    told = f'event {event} "one.pgn": imported games have no line of a book'
    assert refused.errors[-1] == f"error: {told}"
