"""``db backup``, ``db merge`` and ``games -o`` write complete files and refuse bad targets."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from cli import program
from db.records.games import GameFilter
from db.session import open_database
from toolkit.base.rows import field_names
from toolkit.commands._json import JSON_OUTPUT
from toolkit.commands._program import run_program
from toolkit.reports.export import ExportedGame, WrittenGames
from toolkit.reports.upkeep import DatabaseBackup
from toolkit.runs.merging import MergedRun, MergeOutcome

Run = Callable[..., Any]
MATCH = "match mtdf:eval=pst pvs:eval=pst --nodes 60 --max-plies 8 --seed 3 --quiet".split()
TUNE = (
    "tune run --base mtdf:eval=pst --param grain --sampler spsa --budget-pairs 16 --nodes 60 "
    "--max-plies 8 --seed 3 --name tuned --quiet"
).split()
LAB = "lab compare --engine mtdf:eval=pst --depth 2 --limit-positions 4 --name lab --quiet".split()


def fields(row: dict[str, Any]) -> set[str]:
    return set(row) - {"program_backend"}


def lines(path: str, unpack: Callable[[bytes], bytes] = bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in unpack(Path(path).read_bytes()).splitlines()]


def test_backup(on: Run) -> None:
    result = on("db", "backup", "copy.db")
    assert (result.code, result.err) == (0, "") and "copied" in result.out
    assert Path("copy.db").exists()
    assert on("db", "check", "--db", "copy.db").code == 0
    again = on("db", "backup", "copy.db")
    assert (again.code, again.out) == (3, "")
    assert again.errors == ["error: copy.db exists: give another name, or --force to replace it"]
    (row,) = (json.loads(on("db", "backup", "copy.db", "--force", "--json").out),)
    assert fields(row) == set(DatabaseBackup.__annotations__)
    assert row["bytes"] == Path("copy.db").stat().st_size


def test_backup_of_a_server(mtdf: Run) -> None:
    result = mtdf("db", "backup", "x.db", "--db", "postgresql://me:secret@nowhere/db")
    assert result.code == 3 and "pg_dump" in result.err and "secret" not in result.err


def test_every_game_is_exported_once(on: Run) -> None:
    result = on("games", "--jsonl", "-o", "games.jsonl")
    assert (result.code, result.err) == (0, "")
    assert result.out == "wrote 12 games to games.jsonl\n"
    rows = lines("games.jsonl")
    listed = json.loads(on("games", "--json").out)
    assert [row["id"] for row in rows] == [row["id"] for row in listed]
    for row, one in zip(rows, listed, strict=True):
        assert {name: row[name] for name in one} == one
        detail = json.loads(on("game", row["id"], "--json").out)
        assert row["values"] == [move["value"] for move in detail["searches"]]
        assert row["nodes"] == [move["nodes"] for move in detail["searches"]]
        assert row["problems"] == detail["problems"]
    assert fields(rows[0]) == set(field_names(ExportedGame))
    assert rows[0]["event_name"] == "short" and rows[0]["white_limit"]["nodes"]


def test_export_is_reproducible_and_compressed(on: Run) -> None:
    for name in ("a.jsonl", "b.jsonl", "a.jsonl.gz", "b.jsonl.gz", "a.jsonl.zst"):
        assert on("games", "--jsonl", "-o", name).code == 0
    data = Path("a.jsonl").read_bytes()
    assert Path("b.jsonl").read_bytes() == data
    assert Path("a.jsonl.gz").read_bytes() == Path("b.jsonl.gz").read_bytes()
    assert gzip.decompress(Path("a.jsonl.gz").read_bytes()) == data
    unpacked = zstandard.ZstdDecompressor().decompressobj()
    assert unpacked.decompress(Path("a.jsonl.zst").read_bytes()) == data
    assert on("games", "--jsonl").out.encode() == data
    assert on("games", "--jsonl", "-o", "a.zip").code == 2
    assert not Path("a.zip").exists()


def test_export_selects_like_games(on: Run) -> None:
    for words in (
        ("--engine", "coarse"),
        ("--engine", "mtdf", "--result", "win"),
        ("--event", "short", "--limit", "3"),
        ("--min-plies", "10"),
    ):
        listed = on("games", *words, "--json")
        result = on("games", *words, "--jsonl", "-o", "some.jsonl")
        found = [] if result.code == 5 else lines("some.jsonl")
        assert [row["id"] for row in found] == [row["id"] for row in json.loads(listed.out)]
        assert result.code == listed.code
    assert on("games", "--pgn", "-o", "some.pgn").code == 0
    assert on("games", "--pgn").out == Path("some.pgn").read_text(encoding="utf-8")


def test_bad_export_is_refused(on: Run) -> None:
    Path("kept.jsonl").write_text("before")
    for words, code in (
        (("-o", "a"), 2),
        (("--pgn", "--jsonl", "-o", "a"), 2),
        (("--jsonl", "--json"), 2),
        (("--jsonl", "-o", "nowhere/x"), 2),
        (("--jsonl", "-o", "."), 2),
        (("--jsonl", "-o", "/dev/full"), 1),
        (("--engine", "nobody", "--jsonl", "-o", "kept.jsonl"), 5),
        (("--until", "2000-01-01", "--jsonl", "-o", "kept.jsonl"), 5),
    ):
        result = on("games", *words)
        assert (result.code, result.out, len(result.errors)) == (code, "", 1), words
    assert Path("kept.jsonl").read_text() == "before"
    row = json.loads(on("games", "--pgn", "-o", "kept.jsonl", "--json").out)
    assert fields(row) == set(WrittenGames.__annotations__) and row["games"] == 12


def test_reimported_export_counts_as_repetitions(mtdf: Run) -> None:
    """All games of the database; those of tuning are exported by their event alone, as `games` has
    them, because an import of them would count in ratings."""
    assert mtdf(*MATCH, "--pairs", "6").code == 0
    other = [word.replace("60", "70") for word in MATCH]
    assert mtdf(*other, "--pairs", "3").code == 0
    assert mtdf(*TUNE).code == 0
    with open_database("mtdf.db") as db:
        counted = db.repository.count_games() - db.repository.excluded_games()
    result = mtdf("games", "--pgn", "-o", "all.pgn.gz")
    assert result.code == 0 and result.out == "wrote 18 games to all.pgn.gz\n"
    (hint,) = result.errors
    assert "games of tuning are excluded; --event" in hint
    before = mtdf("ratings", "--json").out
    assert mtdf("import", "all.pgn.gz").code == 0
    with open_database("mtdf.db") as db:
        event = db.repository.find_event("all.pgn.gz")
        assert not list(db.repository.games(GameFilter(event_id=event.id, counted_only=True)))
        assert db.repository.count_games() - db.repository.excluded_games() == counted
    assert mtdf("ratings", "--json").out == before
    key = hint.split("--event ")[1].split()[0]
    assert mtdf("games", "--event", key, "--jsonl", "-o", "tuned.jsonl").code == 0
    assert {row["event_kind"] for row in lines("tuned.jsonl")} == {"tuning"}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with databases a and b: a match each, of one seed; b also has a study and a
    laboratory run."""
    folder = tmp_path_factory.mktemp("two")
    a, b = (str(folder / name) for name in ("a.db", "b.db"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", sys.excepthook)
        for words in (
            [*MATCH, "--pairs", "4", "--name", "m", "--db", a],
            [*MATCH, "--pairs", "8", "--name", "m", "--db", b],
            [*TUNE, "--db", b],
            [*LAB, "--db", b],
        ):
            assert run_program(program, words) == 0
    return folder


@pytest.fixture
def two(mtdf: Run, made_once: Path) -> Run:
    """Copies of both databases."""
    for name in ("a.db", "b.db"):
        shutil.copyfile(made_once / name, name)
    return mtdf


def test_merge(two: Run) -> None:
    dry = json.loads(two("db", "merge", "b.db", "--db", "a.db", "--dry-run", "--json").out)
    result = two("db", "merge", "b.db", "--db", "a.db", "--json")
    (outcome,) = json.loads(result.out)
    assert result.code == 0
    assert fields(outcome) == set(MergeOutcome.__annotations__)
    assert [set(run) for run in outcome["runs"]] == [set(MergedRun.__annotations__)] * 3
    assert [run["kind"] for run in outcome["runs"]] == ["event", "study", "run"]
    names = ("pairs", "games", "trials", "encounters", "searches", "state")
    for run, planned in zip(outcome["runs"], dry[0]["runs"], strict=True):
        assert [run[name] for name in names] == [planned[name] for name in names]
    match = outcome["runs"][0]
    assert match["repeats"] == 8 and match["renamed"] == "m-2"
    assert two("db", "check", "--db", "a.db").code == 0
    for words in (("show", "tuned"), ("show", "lab")):
        here, there = (json.loads(two(*words, "--json", "--db", n).out) for n in ("a.db", "b.db"))
        for row in (here, there):
            for name in ("event", "event_id"):
                row.pop(name, None) if isinstance(row, dict) else None
        assert here == there
    again = two("db", "merge", "b.db", "a.db", "--db", "c.db")
    assert again.code == 0 and "a.db: nothing added" not in again.out
    assert two("ratings", "--db", "c.db", "--json").code == 0
    known = two("db", "merge", "b.db", "--db", "a.db")
    assert known.out == "b.db: nothing added; 3 runs: 3 known\n"


def rows_of(path: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        games = connection.execute(
            "SELECT e.name, pairing, pair, game, white_score, moves FROM games JOIN game_moves "
            "ON game_id = games.id JOIN events e ON e.id = event_id ORDER BY 1, 2, 3, 4"
        ).fetchall()
        trials = connection.execute("SELECT number, params, state, value FROM tuning_trials")
        query = "SELECT engine, position, value, move FROM lab_searches ORDER BY 1, 2"
        return [games, trials.fetchall(), connection.execute(query).fetchall()]


def test_merged_runs_are_resumed(two: Run) -> None:
    """What is interrupted in the source goes on here, and ends as there."""
    shutil.copyfile("b.db", "whole.db")
    with open_database("b.db") as db, closing(sqlite3.connect("b.db")) as connection:
        (event,) = (event for event in db.repository.events() if event.kind == "match")
        db.repository.set_status(event, "interrupted")
        (study,), (run,) = db.repository.studies(), db.repository.lab_runs()
        for one in (study, run):
            db.repository.set_status(one, "interrupted")
        cut = event.id, study.event_id, study.id, run.id
        _cut(connection, *cut)
    assert two("db", "check", "--db", "b.db").code == 0
    result = two("db", "merge", "b.db", "--db", "new.db")
    assert result.code == 0, result
    for words in (("resume", event.key), ("resume", "tuned"), ("resume", "lab")):
        assert two(*words, "--db", "new.db", "--quiet").code == 0, words
    assert rows_of("new.db") == rows_of("whole.db")
    # The whole one has the same runs, and nothing else.
    assert two("db", "merge", "whole.db", "--db", "new.db").out.startswith(
        "whole.db: nothing added"
    )


def _cut(connection: sqlite3.Connection, event: int, games: int, study: int, run: int) -> None:
    """Take results away as if they had never been stored."""
    with connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        late = f"(event_id = {event} AND pair >= 3) OR (event_id = {games} AND pairing >= 2)"
        ids = f"SELECT id FROM games WHERE {late}"
        connection.execute(f"DELETE FROM game_moves WHERE game_id IN ({ids})")
        connection.execute(f"DELETE FROM games WHERE {late}")
        connection.execute(f"DELETE FROM pairs WHERE {late}")
        connection.execute(f"DELETE FROM tuning_encounters WHERE study_id = {study} AND number > 1")
        connection.execute(f"DELETE FROM tuning_trials WHERE study_id = {study} AND number > 1")
        connection.execute(f"DELETE FROM lab_searches WHERE run_id = {run} AND position > 1")


def test_merge_reports_refused_run_and_continues(two: Run) -> None:
    assert two("db", "merge", "b.db", "--db", "a.db").code == 0
    with closing(sqlite3.connect("b.db")) as connection, connection:
        connection.execute("UPDATE games SET plies = plies + 1 WHERE id = 3")
    result = two("db", "merge", "b.db", "--db", "a.db")
    assert result.code == 3 and "1 refused" in result.out
    (line,) = [line for line in result.err.splitlines() if line.startswith("warning:")]
    assert "is another one here" in line
    assert two("show", "tuned", "--db", "a.db").code == 0


def test_unwritable_target_is_refused(two: Run) -> None:
    Path("a.db").rename("kept.db")
    for words, text in (
        (("b.db", "--db", "b.db"), "is the database itself"),
        (("none.db", "--db", "kept.db"), "no database at none.db"),
    ):
        before = Path("kept.db").read_bytes()
        result = two("db", "merge", *words)
        assert (result.code, result.out) == (2 if "itself" in text else 3, "")
        assert len(result.errors) == 1 and text in result.err
        assert Path("kept.db").read_bytes() == before


def test_exported_rows_are_documented() -> None:
    assert {"db backup", "games --output", "games --jsonl", "db merge"} <= JSON_OUTPUT.keys()
