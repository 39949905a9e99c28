"""``gauntlet``, ``match`` and ``resume`` play, stop, resume and report correctly."""

from __future__ import annotations

import io
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from cases import each
from ended import COMMIT, GUARD_S, ended
from msgspec import structs

from db.session import open_database
from toolkit.base.format import format_interval
from toolkit.base.rows import field_names
from toolkit.books.book import package_book
from toolkit.books.info import slice_of
from toolkit.commands._json import JSON_OUTPUT
from toolkit.events.progress import EventPlanRow, ScoreRow
from toolkit.ratings.rating_list import RatingLine
from toolkit.reports.outcome import OutcomeRow
from toolkit.show.tables.outcome import _match_line
from toolkit.stats.match import match_statistics

Run = Callable[..., Any]
SHORT = ("--nodes", "60", "--max-plies", "12")
GAUNTLET = ("gauntlet", "--hero", "mtdf", "--field", "pvs", "--field", "alphabeta", *SHORT)


def test_gauntlet_ends_in_a_rating_table(mtdf: Run) -> None:
    result = mtdf(*GAUNTLET, "--pairs", "2", "--seed", "3", "--name", "first")
    assert result.code == 0
    heading, *lines = result.out.splitlines()
    assert heading.split() == ["#", "engine", "Elo", "±95", "games", "score", "draws"] + [
        "LOS",
        "vs",
        "next",
    ]
    assert {line.split()[1] for line in lines[:3]} == {"mtdf", "pvs", "alphabeta"}
    key = mtdf("events", "--json").json[0]["id"]
    assert "errors pair-clustered" in lines[3] and f"event {key}" in lines[3]
    assert "made " in result.errors[0] and "(schema " in result.errors[0]
    assert f'event {key} "first"' in result.err and f"mtdf resume {key}" in result.err
    assert re.search(
        rf"^\S+Z {key} 8/8 eta=0s score=0\.\d+ wdl=\d-\d-\d elo=\S+$", result.err, re.MULTILINE
    )


def test_gauntlet_as_json(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    result = mtdf("--json", *GAUNTLET, "--pairs", "2", "--jobs", "2")
    assert result.code == 0
    row = result.json
    assert has_fields(row, OutcomeRow)
    assert (row["kind"], row["status"], row["games"]) == ("gauntlet", "done", 8)
    assert (row["pairs_planned"], row["pairs_done"], row["pairs_failed"]) == (4, 4, 0)
    assert row["engines"] == ["mtdf", "pvs", "alphabeta"] and row["limit"] == {"nodes": 60}
    assert [list(score) for score in row["scores"]] == [field_names(ScoreRow)] * 2
    assert [list(line) for line in row["ratings"]] == [field_names(RatingLine)] * 3
    for score in row["scores"]:
        assert score["wins"] + score["draws"] + score["losses"] == score["games"] == 4
        assert sum(score["pentanomial"]) == 2
    assert sum(line["games"] for line in row["ratings"]) == 16
    assert JSON_OUTPUT["gauntlet, match, resume of an event"].row is OutcomeRow


def test_number_of_jobs_changes_no_game(mtdf: Run) -> None:
    for jobs, path in (("1", "one.db"), ("2", "two.db")):
        result = mtdf(*GAUNTLET, "--pairs", "2", "--jobs", jobs, "--db", path, "--seed", "5", "-q")
        assert result.code == 0

    def games(path: str) -> list[dict[str, Any]]:
        changing = ("id", "event", "started_at", "ended_at", "load", "jobs")
        changing += ("white_cpu_us", "black_cpu_us")
        rows = mtdf("games", "--db", path, "--json").json
        return [{k: v for k, v in row.items() if k not in changing} for row in rows]

    assert games("one.db") == games("two.db")


def test_match(mtdf: Run) -> None:
    limit = ("--depth", "1", "--max-plies", "16")
    result = mtdf("match", "mtdf", "pvs", "--pairs", "3", *limit, "--quiet")
    assert result.code == 0
    assert re.match(r"mtdf - pvs  \+\d -\d =\d  Ptnml \[\d, \d, \d, \d, \d\]  Elo ", result.out)
    assert "#  engine" in result.out
    assert result.errors == []


def test_match_of_an_engine_with_itself(mtdf: Run) -> None:
    result = mtdf("match", "mtdf", "mtdf:name=other", "--pairs", "1", *SHORT)
    assert result.code == 0
    level = "warning: `mtdf` and `other` are the same engine under 2 labels; every pair of them is"
    assert any(line.startswith(level) for line in result.errors)
    assert result.out.startswith("mtdf - other  ")
    assert "#  engine" not in result.out


def test_repeated_event_prints_its_table(mtdf: Run) -> None:
    command = ("match", "mtdf", "pvs", "--pairs", "2", *SHORT)
    first, second = mtdf(*command), mtdf(*command)
    assert "4 of 4 games repeat earlier games" in second.err
    assert first.out.splitlines()[:5] == second.out.splitlines()[:5]
    everything = mtdf("ratings")
    assert "4 games repeat others and were left out" in everything.out
    assert sum(row["games"] for row in mtdf("ratings", "--json").json) == 8


def test_dry_run_starts_nothing(mtdf: Run, tmp_path: Path) -> None:
    result = mtdf(*GAUNTLET, "--pairs", "4", "--seed", "9", "--dry-run")
    assert result.code == 0
    plan, limit, ends, who, estimate = result.out.splitlines()
    assert who == "who    mtdf, pvs, alphabeta"
    assert plan.startswith("plan   gauntlet, ")
    assert "4 pairs each = 16 games, book balanced-20k (8 of 20 000 lines), seed 9" in plan
    assert limit == "limit  60 nodes/move (deterministic: same result on any machine)"
    assert ends.startswith("ends   draw 8@8cp:40, resign 4@600cp:both, length 12 plies")
    assert re.fullmatch(r"est\.   ~[\d.]+m?\d*s at 1 job \(from \d+ warm-up games\)", estimate)
    assert result.errors == ["nothing was started (--dry-run)"]
    assert list(tmp_path.iterdir()) == []


def test_dry_run_as_json(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    result = mtdf(*GAUNTLET[:-4], "--pairs", "4", "--tc", "10+0.1", "--dry-run", "--json")
    assert has_fields(result.json, EventPlanRow)
    assert result.json["pairings"] == [["mtdf", "pvs"], ["mtdf", "alphabeta"]]
    assert result.json["deterministic"] is False
    assert result.json["estimate_s"] > 0


def test_too_many_jobs_warn_for_timed_games(mtdf: Run) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--jobs", "1000", "--dry-run")
    assert "warning: 1 000 jobs on" in mtdf(*words, "--tc", "1+0").err
    assert "warning: 1000 jobs" not in mtdf(*words, "--depth", "1").err


def test_loaded_machine_warns_for_timed_games(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--max-plies", "4")
    clocks = (("--tc", "1+0"), ("--movetime", "1"))
    for module in ("engines.cores", "toolkit.reports.load"):
        monkeypatch.setattr(f"{module}.available_cores", lambda: 2)
    for load, warned in ((1.6, True), (1.4, False)):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 0.0, 0.0))
        said = f"warning: the load average was {load} before starting 1 job on 2 cores"
        for clock in clocks:
            told = mtdf(*words, *clock, "--dry-run").err
            assert (said in told) == warned
            assert ("or use --nodes or --cpu-ms" in told) == warned
        for fair in (("--nodes", "1"), ("--cpu-ms", "1")):
            assert "load" not in mtdf(*words, *fair, "--dry-run").err
    assert "unfair" not in mtdf(*words, "--cpu-ms", "1", "--jobs", "3", "--dry-run").err
    said = "of 2 timed games started at a load above the 2 cores of this machine (up to "
    for margin, warned in ((-100.0, True), (1e9, False)):
        monkeypatch.setattr("toolkit.reports.load._MARGIN", margin)
        assert (f"warning: 2 {said}" in mtdf(*words, "--movetime", "1").err) == warned
        for shown in mtdf("stats", "last"), mtdf("stats", "last", "--json"):
            assert (f"warning: 2 {said}" in shown.err) == warned
        assert mtdf("report", "--event", "last", "-o", "page.html").code == 0
        page = Path("page.html").read_text(encoding="utf-8")
        assert (f"<p>Warning: 2 {said}" in page) == warned
        assert "started at a load" not in mtdf(*words, "--nodes", "1").err
        assert "started at a load" not in mtdf("stats", "last").err
    with closing(sqlite3.connect("mtdf.db")) as connection, connection:
        connection.execute("UPDATE games SET load = 2.0 + id")
    with open_database("mtdf.db") as db:
        assert db.repository.games_above_load(1, 3.0) == (1, 4.0)
        assert db.repository.games_above_load(99, 3.0) == (0, 0.0)


def test_repeated_openings_are_announced(mtdf: Run, tmp_path: Path) -> None:
    line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    (tmp_path / "one.epd").write_text(f"{line}\n")
    result = mtdf(
        *("match", "mtdf", "pvs", "--pairs", "3", *SHORT),
        *("--book", "one.epd:repeat=on"),
    )
    assert result.code == 0
    assert "warning: 2 of 3 pairs repeat an opening" in result.err
    assert "4 games repeat others and were left out" in result.out


def test_pgn_file(mtdf: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("what was there before")
    result = mtdf("match", "mtdf", "pvs", "--pairs", "2", *SHORT, "--pgn-out", "games.pgn")
    assert "wrote 4 games to games.pgn" in result.errors
    text = path.read_text(encoding="utf-8")
    assert text == mtdf("games", "--pgn").out
    handle = io.StringIO(text)
    rows = mtdf("games", "--json").json
    for row in rows:
        game = chess.pgn.read_game(handle)
        assert game is not None and game.errors == []
        assert game.headers["Result"] == row["result"]
        moves = [move.uci() for move in game.mainline_moves()]
        assert moves[-row["plies"] :] == row["moves"]
        assert len(moves) == row["plies"] + 8, "the opening's moves stand before"
        assert ", n=" in text and ", p=" in text
    assert chess.pgn.read_game(handle) is None
    assert sorted(item.name for item in tmp_path.iterdir()) == ["games.pgn", "mtdf.db"]


def test_resume_of_a_finished_event_adds_nothing(on: Run) -> None:
    before = on("games", "--json").json
    result = on("resume", "last")
    assert result.code == 0
    assert "12 of 12 games are in the database" in result.err
    assert "#  engine" in result.out
    assert on("games", "--json").json == before


def test_resume_by_name_and_id_prefix(on: Run) -> None:
    key = on("events", "--json").json[0]["id"]
    for text in ("short", key, key[:2]):
        assert on("resume", text, "--quiet", "--json").json["id"] == key


def test_resume_of_a_finished_event_has_no_hints(on: Run) -> None:
    err = on("resume", "last").err
    assert "ctrl-c" not in err.lower() and "eta" not in err and "mtdf resume" not in err
    assert len(err.splitlines()) == 2


def test_resume_takes_the_newest_unfinished_event(on: Run, leave_unfinished: Run) -> None:
    result = on("resume")
    assert (result.code, result.out) == (5, "")
    assert "no unfinished run in" in result.errors[0]
    words = ("match", "mtdf", "pvs", "--nodes", "60", "--max-plies", "16", "--quiet", "--json")
    keys = [on("events", "--json").json[0]["id"]]
    keys += [on(*words, "--pairs", "2", "--seed", seed).json["id"] for seed in ("8", "9")]
    for key in keys[:2]:
        leave_unfinished("played.db", 1, key)
    result = on("resume", "--json")
    assert (result.json["id"], result.json["status"]) == (keys[1], "done")
    assert f"1 older run is not finished either: event {keys[0]}" in result.err
    result = on("resume", "--json")
    assert (result.json["id"], result.json["games"]) == (keys[0], 12)
    assert "not finished either" not in result.err
    assert on("resume").code == 5


def test_resume_keeps_the_number_of_jobs(on: Run, leave_unfinished: Run) -> None:
    words = ("match", "mtdf", "pvs", "--nodes", "60", "--max-plies", "16", "--quiet", "--json")
    key = on(*words, "--pairs", "3", "--jobs", "2").json["id"]

    def jobs() -> list[int]:
        with closing(sqlite3.connect("played.db")) as connection:
            query = "SELECT jobs FROM v_games WHERE event = ? ORDER BY pair, game"
            return [row[0] for row in connection.execute(query, [key])]

    leave_unfinished("played.db", 1, key)
    assert on("resume", "--quiet").code == 0
    assert jobs() == [2] * 6
    leave_unfinished("played.db", 1, key)
    assert on("resume", "--quiet", "--jobs", "1").code == 0
    assert jobs() == [2, 2, 1, 1, 1, 1]


def test_missing_games_are_replayed(on: Run) -> None:
    with closing(sqlite3.connect("played.db")) as connection, connection:
        games = "SELECT id FROM games WHERE pair = 2"
        assert (
            connection.execute(f"DELETE FROM game_moves WHERE game_id IN ({games})").rowcount == 4
        )
        for table in ("games", "pairs"):
            connection.execute(f"DELETE FROM {table} WHERE pair = 2")
    assert on("resume", "last").code == 0
    assert len(on("games", "--json").json) == 12 and on("db", "check").code == 0


SLICED = ("mtdf", "pvs", "--pairs", "2", "--nodes", "60", "--max-plies", "16", "--seed", "3")


def test_book_slice_is_shown_everywhere(mtdf: Run) -> None:
    words = (*SLICED, "--book", "default-500:slice=1/2")
    plan = mtdf("match", *words, "--dry-run")
    assert "book default-500 slice 1/2 (2 of 254 lines)" in plan.out
    assert mtdf("match", *words, "--dry-run", "--json").json["book_slice"] == "1/2"
    result = mtdf("match", *words)
    assert "default-500 slice 1/2" in next(
        line for line in result.err.splitlines() if line.startswith("event ")
    )
    row = mtdf("events", "--json").json[0]
    assert (row["book"], row["book_slice"]) == ("default-500", "1/2")
    assert " 1/2 " in mtdf("events").out
    assert "default-500 slice 1/2" in mtdf("stats", "last").out
    other = mtdf("match", *SLICED, "--json").json
    assert (other["book"], other["book_slice"]) == ("balanced-20k", None)
    lines = [game["opening_line"] for game in mtdf("games", "--event", row["id"], "--json").json]
    openings = package_book("default-500").openings
    assert {slice_of(openings[line - 1], 2) for line in lines} == {0}


@each("command", ["match", "gauntlet", "round-robin", "sprt"])
@each("text", ["0/2", "3/2", "a/b", "2", "999/1000"])
def test_bad_book_slice_is_refused(command: str, text: str, mtdf: Run) -> None:
    engines = {
        "gauntlet": ("--hero", "mtdf", "--field", "pvs"),
        "sprt": ("--test", "mtdf", "--base", "pvs"),
    }.get(command, ("mtdf", "pvs"))
    pairs = () if command == "sprt" else ("--pairs", "1")
    result = mtdf(
        *(command, *engines, *pairs, "--nodes", "60", "--book", f"default-500:slice={text}"),
    )
    assert (result.code, len(result.errors)) == (2, 1)
    assert "slice" in result.err and text in result.err
    assert not Path("mtdf.db").exists()


def _start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    script = "import cli; cli.main()"
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        cwd=cwd,
        env=os.environ | {"MTDF_DB": "mtdf.db", "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)
def test_stopping_saves_games(number: signal.Signals, code: int, mtdf: Run) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "300", "--nodes", "60", "--max-plies", "60")
    stopped = ended(COMMIT, 2, number, *words, "--seed", "4")
    assert stopped.returncode == code and "Traceback" not in stopped.stderr
    row = mtdf("events", "--json").json[0]
    standings, match, _, heading = stopped.stdout.splitlines()[:4]
    assert standings == f"standings after {2 * row['pairs_done']} of 600 games (interrupted):"
    assert match.startswith("mtdf - pvs  +") and heading.startswith("#  engine")
    assert row["status"] == "interrupted" and 2 <= row["pairs_done"] < 300
    assert f"mtdf resume {row['id']}" in stopped.stderr.splitlines()[-1]
    saved = mtdf("games", "--json").json
    assert len(saved) == 2 * row["pairs_done"]
    assert len({(game["pair"], game["game"]) for game in saved}) == len(saved)


@pytest.mark.slow
def test_killed_event_is_resumed(mtdf: Run) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "6", "--nodes", "60", "--max-plies", "20")
    ended(COMMIT, 2, signal.SIGKILL, *words, "--seed", "4")
    row = mtdf("events", "--json").json[0]
    assert row["status"] == "interrupted", "the lock died with the process"
    result = mtdf("resume", "last", "--json", "--jobs", "2")
    assert (result.code, result.json["status"], result.json["games"]) == (0, "done", 12)
    games = mtdf("games", "--json").json
    places = [(game["pair"], game["game"]) for game in games]
    assert places == [(pair, game) for pair in range(6) for game in (1, 2)]
    assert mtdf(*words, "--seed", "4", "--db", "whole.db", "-q").code == 0
    whole = mtdf("games", "--db", "whole.db", "--json").json
    assert [game["moves"] for game in games] == [game["moves"] for game in whole]


@pytest.mark.slow
def test_closed_progress_pipe_loses_no_game(mtdf: Run, tmp_path: Path) -> None:
    """`mtdf gauntlet … 2>&1 | head -1` loses no game."""
    process = _start("match", "mtdf", "pvs", "--pairs", "6", *SHORT, cwd=tmp_path)
    assert process.stderr is not None and process.stdout is not None
    process.stderr.readline()
    process.stderr.close()
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=GUARD_S) == 0
    assert "#  engine" in out
    assert mtdf("events", "--json").json[0]["status"] == "done"


@pytest.mark.native
def test_games_limited_by_cpu_time(mtdf: Run, tmp_path: Path) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--max-plies", "4", "--cpu-ms", "2")
    played = mtdf(*words, "--pgn-out", "games.pgn")
    assert played.code == 0
    assert '[SearchLimit "2 ms CPU/move"]' in (tmp_path / "games.pgn").read_text()
    games = mtdf("games", "--cpu-ms", "2", "--json").json
    assert [game["jobs"] for game in games] == [1, 1]
    assert all(game["load"] >= 0 for game in games)
    assert mtdf("games", "--cpu-ms", "3").code == 5
    assert mtdf("events", "--json").json[0]["limit"]["cpu_ms"] == 2
    assert " million nodes/s) with 1 job, at a load of " in mtdf("game", games[0]["id"]).out


def test_exceeded_node_limit_is_reported(mtdf: Run) -> None:
    words = ("match", "mtdf:entries=2^10", "pvs:entries=2^10", "--max-plies", "12", "--pairs", "1")
    few = mtdf(*words, "--nodes", "30")
    players = mtdf("stats", "last", "--json").json["players"]
    shares = {row["engine"]: 100 * (row["nodes_per_move"] / 30 - 1) for row in players}
    assert max(shares.values()) > 20
    (line,) = [line for line in few.err.splitlines() if "searched more than the limit" in line]
    assert line.startswith("warning: ") and "limit of nodes per move" in line
    told = {label: float(more) for label, more in re.findall(r"(\S+) (\d+) % more", line)}
    assert told.keys() == {label for label, share in shares.items() if share > 5}
    for label, more in told.items():
        assert more == pytest.approx(shares[label], abs=0.51)
    assert "searched more" not in mtdf("resume", "last").err
    assert "searched more" not in mtdf(*words, "--nodes", "3000").err
    assert "searched more" not in mtdf(*words, "--depth", "1").err


def test_match_line_shows_asymmetric_interval() -> None:
    match = match_statistics((0, 0, 0, 0, 2))
    row = ScoreRow(
        first="mtdf", second="pvs", games=4, wins=4, draws=0, losses=0, pentanomial=[0, 0, 0, 0, 2],
        elo=match.elo, error95=match.elo_error95, low95=match.elo_low95, high95=match.elo_high95,
        any_look=False, los=match.los,
    )  # fmt: skip
    names = {"mtdf": "mtdf", "pvs": "pvs"}
    wanted = format_interval(match.elo, match.elo_error95, match.elo_low95, match.elo_high95)
    assert "±" not in wanted and f" {wanted} (95 %, by pairs)" in _match_line(row, names)
    looked = structs.replace(row, any_look=True)
    assert f" {wanted} (95 %, by pairs, valid at any look)" in _match_line(looked, names)
    none = structs.replace(row, pentanomial=[0] * 5, elo=None, los=None)
    assert _match_line(none, names).endswith("+4 -0 =0  no pairs")


def test_name_of_several_events_means_the_newest(mtdf: Run) -> None:
    """A typed name must be new; a file that is played again gives its own again."""
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "20", "--max-plies", "6", "--name")
    assert mtdf(*words, "short").code == 0
    Path("short.toml").write_text(mtdf("show", "last", "--toml").out)
    first = mtdf("events", "--json").json[0]["id"]
    refused = mtdf(*words, "short")
    assert refused.code == 2 and refused.errors == [
        "error: event `short` exists: choose another --name, or mtdf resume short"
    ]
    again = mtdf("run", "short.toml")
    second = mtdf("events", "--json").json[1]["id"]
    told = f"`short` now means this event, the newest of that name (older: {first})"
    assert again.code == 0 and told in again.errors
    assert mtdf("run", "short.toml", "--name", "short").code == 2
    for command in ("stats", "resume"):
        meant = mtdf(command, "short")
        told = f"`short` means event {second}, the newest of that name (older: {first})"
        assert meant.code == 0 and meant.errors.count(told) == 1, meant
    removed = mtdf("rm", "short", "--yes")
    assert removed.code == 5 and f"names the events {first}, {second}: give" in removed.errors[0]


def test_engine_against_itself_is_level(mtdf: Run) -> None:
    """Its games are the same with either colour, and count nevertheless."""
    words = "match pvs pvs:name=other --pairs 6 --nodes 60 --seed 5 --max-plies 30"
    result = mtdf(*words.split())
    assert "the same engine under 2 labels; every pair of them is level" in result.err
    assert "Ptnml [0, 0, 6, 0, 0]" in result.out and "repetitions" not in result.err
    row = mtdf("h2h", "pvs", "other", "--json").json
    assert row["pentanomial"] == [0, 0, 6, 0, 0] and row["elo"] == 0.0
    assert mtdf("db", "check", "--replay").code == 0
