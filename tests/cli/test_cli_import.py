"""``mtdf import``: files in the styles of other programs, and everything that then reads them."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.records import GameRecord
from db.session import open_database
from toolkit.play.replay import ReplayMismatch, replay_game
from toolkit.rows import ImportRow

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


def test_the_same_again_adds_nothing(mtdf: Mtdf, tmp_path: Path) -> None:
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


def test_settings_say_what_was_imported(mtdf: Mtdf, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("options", [(), ("--headers-only",)])
def test_games_of_this_database_count_once(on: Mtdf, options: tuple[str, ...], clock: bool) -> None:
    """Those that ended by a clock have no key, and are known by their id all the same."""
    if clock:
        with closing(sqlite3.connect("played.db")) as connection, connection:
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


def test_a_changed_game_of_this_database_is_another(on: Mtdf) -> None:
    text = on("games", "--limit", "2", "--pgn").out
    changed = re.sub(r'White "\w+"', 'White "other"', text, count=1)
    Path("own.pgn").write_text(changed, encoding="utf-8")
    assert on("import", "own.pgn").code == 0
    assert on("db", "info", "--json").json["excluded_games"] == 1


def test_equal_games_of_a_file_are_repeated_not_known(mtdf: Mtdf, tmp_path: Path) -> None:
    file = tmp_path / "six.pgn"
    file.write_text(6 * GOOD)
    (row,) = mtdf("import", str(file), "--json").json
    assert (row["added"], row["known"], row["repeated"]) == (1, 0, 5)
    (row,) = mtdf("import", str(file), "--json").json
    assert (row["added"], row["known"], row["repeated"]) == (0, 6, 0)


def test_another_event_repeats_the_games(mtdf: Mtdf) -> None:
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


def test_a_file_imported_into_an_older_event_leads(mtdf: Mtdf) -> None:
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


@pytest.mark.parametrize("text", ["", "\n\n", BAD])
def test_a_file_without_games_makes_no_event(mtdf: Mtdf, tmp_path: Path, text: str) -> None:
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
    assert (event["kind"], event["status"], event["limit"]) == ("import", "done", {})
    detail = mtdf("game", "g1", "--json").json
    assert detail["searches"][0]["san"] == "Qh5" and detail["searches"][0]["value"] is None
    assert mtdf("game", "g1").code == 0
    assert mtdf("game", "g1", "--board", "3").code == 0


def test_imported_events_are_not_played_on(mtdf: Mtdf) -> None:
    mtdf("import", FAST, "--event", "one")
    refused = mtdf("resume", "one")
    assert refused.code == 2 and "was imported and cannot be played on" in refused.errors[-1]
    assert mtdf("match", "alpha", "pvs", "--nodes", "10", "--pairs", "1").code == 2


def test_a_played_event_takes_no_imports(on: Mtdf) -> None:
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
    )


def test_round_trip_of_an_own_event(on: Mtdf, tmp_path: Path) -> None:
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


def test_names_with_quotation_marks_survive_a_round_trip(mtdf: Mtdf, tmp_path: Path) -> None:
    mtdf("import", CUTE)
    file = tmp_path / "own.pgn"
    file.write_text(mtdf("games", "--pgn").out)
    mtdf("import", str(file), "--event", "again", "--db", str(tmp_path / "other.db"))
    names = {(game.white, game.black) for game in games_of(tmp_path / "other.db")}
    assert names == {("Gamma 2.1", 'Delta "dev"'), ('Delta "dev"', "Gamma 2.1")}


def test_events_names_some_of_many_players(mtdf: Mtdf, tmp_path: Path) -> None:
    file = tmp_path / "many.pgn"
    file.write_text("".join(GOOD.replace('"B"', f'"B{number}"') for number in range(30)))
    mtdf("import", str(file))
    assert (
        mtdf("events")
        .out.splitlines()[-1]
        .endswith("B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10 and 19 more")
    )
    assert len(mtdf("events", "--json").json[0]["engines"]) == 31


def test_replay_tells_changed_moves(mtdf: Mtdf, tmp_path: Path) -> None:
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


def test_imported_engines_can_be_tested_and_their_moves_may_be_unknown(mtdf: Mtdf) -> None:
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


def test_a_perfect_score_is_rated_by_a_bound_that_is_explained(mtdf: Mtdf, tmp_path: Path) -> None:
    """Four wins of four say "at least -72": a player 72 Elo weaker has them one time in forty."""
    game = '[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1-0\n\n'
    (tmp_path / "p.pgn").write_text(game.format("B", "H") * 4 + game.format("H", "A") * 9)
    assert mtdf("import", "p.pgn").code == 0
    text = mtdf("ratings").out
    assert "at least -72.1" in text and "at most -118.1" in text
    assert "at least (won all) or at most (lost all): a perfect score sets a bound only" in text
    assert "a chance of 2.5 %; of few games it may lie beyond the opponents" in text
    assert "perfect score" not in mtdf("ratings", "--engine", "H", "--engine", "B", "--json").out


def test_what_nobody_knows_of_imported_games_is_said_so(mtdf: Mtdf, tmp_path: Path) -> None:
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


def test_players_of_events_are_json_in_every_line_of_csv(mtdf: Mtdf) -> None:
    for file in (CUTE, LICHESS):
        mtdf("import", file)
    rows = list(csv.DictReader(io.StringIO(mtdf("events", "--csv").out)))
    assert [json.loads(row["engines"]) for row in rows] == [
        row["engines"] for row in mtdf("events", "--json").json
    ]


def test_an_import_without_anything_new_leaves_the_end(mtdf: Mtdf) -> None:
    mtdf("import", FAST)
    before = mtdf("events", "--json").json
    mtdf("import", FAST)
    assert mtdf("events", "--json").json == before


def test_imported_games_are_told_apart_by_where_they_start(mtdf: Mtdf) -> None:
    mtdf("import", CUTE)
    games = mtdf("games", "--json").json
    row = mtdf("h2h", "Gamma 2.1", 'Delta "dev"', "--json").json
    starts = Counter(game["start_fen"] for game in games)
    assert len(starts) == 2
    assert {part["part"]: part["games"] for part in row["by_opening"]} == starts
