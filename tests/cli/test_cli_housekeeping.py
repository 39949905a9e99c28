"""Stored runs are removed, renamed and annotated, and ``db vacuum`` shrinks the file."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cases import each

from db.session import open_database
from toolkit.base.names import MAX_NOTE
from toolkit.reports.events import EventRow
from toolkit.reports.upkeep import DatabaseVacuum
from toolkit.runs.housekeeping import NamedRow, RemovedRow

Run = Callable[..., Any]
Check = Callable[[Mapping[str, Any], type[Any]], bool]
SHORT = ("--pairs", "3", "--nodes", "60", "--max-plies", "16", "--seed", "7", "--quiet")
STUDY = (
    *("tune", "run", "--param", "grain=1..20", "--nodes", "60", "--budget-pairs", "12"),
    *("--pairs-per-trial", "2", "--max-plies", "12", "--seed", "1", "--quiet"),
)
LAB = (
    *("lab", "compare", "--engine", "mtdf:eval=pst", "--baseline", "pvs:eval=pst"),
    *("--limit-positions", "2", "--depth", "2", "--quiet"),
)


class Terminal(io.StringIO):
    """Standard input with somebody who answers."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Answer the next question."""

    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(text))

    return give


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers, unless a test says so."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))


@pytest.fixture(scope="module")
def played_twice(run_quietly: Callable[..., Path], played: Path) -> Path:
    """``played`` with a newer event ``again`` of which six games repeat those of ``short``."""
    return run_quietly(("match", "mtdf", "pvs", *SHORT, "--name", "again"), start=played)


@pytest.fixture
def twice(on: Run, played_twice: Path) -> Run:
    """As ``on``, on a copy of that database."""
    Path("played.db").write_bytes(played_twice.read_bytes())
    return on


def test_event_is_removed(twice: Run, has_fields: Check) -> None:
    first, again = twice("events", "--json").json
    info = twice("db", "info", "--json").json
    assert info["excluded_games"] == 6 and info["rating_lists"] > 0
    before = twice("crosstable", "--event", "again", "--json").json
    result = twice("rm", "short", "--yes", "--json")
    assert result.code == 0 and has_fields(result.json, RemovedRow)
    assert result.json["events"] == [first["id"]]
    assert (result.json["games"], result.json["now_counted"]) == (12, 6)
    assert twice("events", "--json").json == [again]
    assert twice("db", "info", "--json").json["excluded_games"] == 0
    assert twice("crosstable", "--json").json == before
    assert twice("db", "check", "--replay").code == 0
    # The rating list of the first event stays, and its engines with it.
    assert twice("db", "info", "--json").json["rating_lists"] == info["rating_lists"]
    assert {row["engine"] for row in twice("history", "mtdf:grain=20", "--json").json} == {"coarse"}
    assert any("grain=20" in row["spelling"] for row in twice("engines", "list", "--json").json)


def test_removal_is_reported(twice: Run) -> None:
    key = twice("events", "--json").json[0]["id"]
    assert twice("games", "--event", "again").out.count(" (stored before) ") == 6
    result = twice("rm", "short", "-y")
    assert result.out.splitlines() == [
        f'removed event {key} "short"',
        "with 12 games; 6 games of other events, repetitions so far, now count in their place",
    ]
    assert result.errors == ["the file keeps its size until: mtdf db vacuum"]


@each("text, gone", [("y\n", True), ("YES\n", True), ("\n", False), ("", False)])
def test_removal_asks_first(on: Run, answer: Callable[[str], None], text: str, gone: bool) -> None:
    key = on("events", "--json").json[0]["id"]
    answer(text)
    result = on("rm", "short")
    asked = f'remove event {key} "short" (12 games)? It cannot be brought back. [y/N] '
    assert result.err.startswith(asked)
    assert result.code == (0 if gone else 1)
    assert result.err.endswith("nothing was removed\n") is not gone
    assert bool(on("events", "--json").json) is not gone


def test_removal_needs_yes_without_a_terminal(on: Run) -> None:
    for words in (("rm", "short"), ("rm", "short", "--json")):
        result = on(*words)
        assert result.code == 2 and result.out == "" and len(result.errors) == 1
        assert "use --yes" in result.errors[0] and "(12 games)" in result.errors[0]
    assert len(on("events", "--json").json) == 1


def test_several_are_removed_together_or_not_at_all(twice: Run) -> None:
    result = twice("rm", "again", "nothing", "--yes")
    assert result.code == 5 and len(result.errors) == 1
    path = "played.db"
    with open_database(path) as db:
        event = db.repository.find_event("short")
        with db.run_lock(event.key):
            result = twice("rm", "again", "short", "--yes")
    assert result.code == 3 and "is already running in process" in result.errors[0]
    assert len(twice("events", "--json").json) == 2
    result = twice("rm", "again", "short", "last", "--yes", "--json")
    assert len(result.json["events"]) == 2 and result.json["games"] == 18
    assert twice("events", "--json").json == []
    assert twice("ratings").code == 5
    assert twice("db", "check").code == 0


def test_event_is_renamed(twice: Run, has_fields: Check) -> None:
    key = twice("events", "--json").json[0]["id"]
    result = twice("rename", "short", "a longer name", "--json")
    assert result.code == 0 and has_fields(result.json, NamedRow)
    assert result.json | {"program_backend": ""} == {
        **{"kind": "event", "id": key, "name": "a longer name", "note": ""},
        "program_backend": "",
    }
    assert twice("show", "a longer name", "--json").json["id"] == key
    assert twice("resume", key).code == 0  # its settings have the name too
    result = twice("rename", key, "again")
    assert result.code == 2
    assert result.errors == ["error: event `again` already exists: choose another name"]
    assert twice("rename", key, "a longer name").code == 0
    assert twice("db", "check").code == 0


@each("name", ["", "last", "r12f", " x", "-x", "a\nb", "x" * 101, "\x1b[31m"])
def test_bad_names_are_refused(on: Run, name: str) -> None:
    result = on("rename", "short", "--", name)
    assert result.code == 2 and len(result.errors) == 1 and "name of the event" in result.errors[0]
    assert on("events", "--json").json[0]["name"] == "short"


def test_note(on: Run, has_fields: Check) -> None:
    result = on("annotate", "short", "=on battery [red]", "--json")
    assert has_fields(result.json, NamedRow) and result.json["note"] == "=on battery [red]"
    row = on("show", "short", "--json").json
    assert has_fields(row, EventRow) and row["note"] == "=on battery [red]"
    assert "=on battery [red]" in on("show", "short").out
    assert "=on battery [red]" in on("events", "-v").out
    assert "battery" not in on("events").out
    assert "'=on battery [red]" in on("events", "--csv").out
    assert on("resume", "short").code == 0
    assert on("games", "--event", "short", "--pgn").code == 0
    assert on("db", "check", "--replay").code == 0
    assert on("annotate", "short", "").out.endswith(" has no note\n")
    assert on("events", "-v").out == on("events").out


@each("text", ["a\nb", "\x07", "x" * (MAX_NOTE + 1), "\udcff"])
def test_note_is_one_line(on: Run, text: str) -> None:
    result = on("annotate", "short", text)
    assert result.code == 2 and len(result.errors) == 1
    assert f"one line of at most {MAX_NOTE} printable characters" in result.errors[0]


def test_study(mtdf: Run, has_fields: Check) -> None:
    """Renamed, annotated, and removed with its games."""
    assert mtdf(*STUDY).code == 0  # named study-1
    (event,) = mtdf("events", "--json").json
    assert event["name"] == "study-1"
    for verb, more in (("rm", ("--yes",)), ("rename", ("x",)), ("annotate", ("x",))):
        result = mtdf(verb, event["id"], *more)
        assert result.code == 2 and f"mtdf {verb} study-1" in result.errors[0]
    result = mtdf("rename", "study-1", "grain", "--json")
    assert has_fields(result.json, NamedRow) and result.json["id"] == "grain"
    assert mtdf("events", "--json").json[0]["name"] == "grain"
    assert mtdf("annotate", "grain", "too small").code == 0
    assert mtdf("show", "grain", "--json").json["note"] == "too small"
    assert "too small" in mtdf("show", "grain").out
    assert "too small" in mtdf("tune", "list", "-v").out
    assert mtdf("resume", "grain", "--quiet").code == 0
    assert mtdf("rename", "grain", "no good").code == 2
    assert mtdf("db", "check").code == 0
    assert mtdf(*STUDY, "--name", "other").code == 0
    result = mtdf("rename", "other", "grain")
    assert result.code == 2 and "study `grain` already exists" in result.errors[0]
    result = mtdf("rm", "grain", "--yes", "--json")
    assert has_fields(result.json, RemovedRow)
    assert (result.json["studies"], result.json["events"]) == (["grain"], [event["id"]])
    assert result.json["games"] > 0 and result.json["books"] == 0
    assert [row["name"] for row in mtdf("tune", "list", "--json").json] == ["other"]
    assert mtdf("db", "check").code == 0
    result = mtdf("rm", "other", "--yes", "--json")
    assert result.json["books"] == 1 and result.json["engines"] >= 2
    assert mtdf("engines", "list", "--json").code == 0
    assert mtdf("db", "check").code == 0


def test_renamed_study_resumes(mtdf: Run) -> None:
    """And recommends what it would have."""
    hill = Path("hill.py")
    hill.write_text(
        "def hill(parameters, opponent, pair_numbers, seed):\n"
        "    return [0.5 + 0.01 * parameters['x'] for _ in pair_numbers]\n"
    )
    words = ("tune", "run", "--objective", "simulated:hill:hill", "--param", "x=-10..10", "-q")
    sys.path.insert(0, ".")
    try:
        assert mtdf(*words, "--seed", "4", "--budget-pairs", "40", "--name", "s").code == 0
        trials = mtdf("tune", "trials", "s", "--json").json
        assert mtdf("rename", "s", "t").code == 0
        assert mtdf("resume", "t", "-q").code == 0
        assert mtdf("tune", "trials", "t", "--json").json == trials
    finally:
        sys.path.remove(".")
    assert mtdf("rm", "t", "--yes", "--json").json["events"] == []


def test_laboratory_run(mtdf: Run, has_fields: Check) -> None:
    assert mtdf(*LAB, "--name", "first").code == 0
    assert mtdf(*LAB, "--name", "second").code == 0
    before = mtdf("show", "first", "--json").json["rows"]
    result = mtdf("rename", "first", "third", "--json")
    assert has_fields(result.json, NamedRow) and result.json["kind"] == "run"
    assert mtdf("annotate", "third", "before").code == 0
    report = mtdf("show", "third", "--json").json
    assert (report["rows"], report["note"]) == (before, "before")
    assert "before" in mtdf("lab", "list", "-v").out and "before" in mtdf("show", "third").out
    assert mtdf("rename", "third", "second").code == 2
    assert mtdf("resume", "third", "-q").code == 0
    assert mtdf("db", "check").code == 0
    result = mtdf("rm", "third", "--yes", "--json")
    assert has_fields(result.json, RemovedRow)
    assert (result.json["runs"], result.json["searches"]) == (["third"], 4)
    assert result.json["engines"] == 0
    assert mtdf("rm", "second", "--yes").out.splitlines() == [
        "removed laboratory run second",
        "with 4 searches, 2 engines of no other run",
    ]
    assert mtdf("db", "check").code == 0


def test_imported_event(mtdf: Run, tmp_path: Path) -> None:
    games = "".join(
        f'[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n1. {move} 1-0\n\n'
        for white, black, move in (("Ann", "Bob", "e4"), ("Bob", "Ann", "d4"))
    )
    (tmp_path / "a.pgn").write_text(games)
    assert mtdf("import", "a.pgn", "-q").code == 0
    assert mtdf("annotate", "a.pgn", "two games").code == 0
    (tmp_path / "a.pgn").write_text(games + games.replace("e4", "c4").replace("d4", "g3"))
    row = mtdf("import", "a.pgn", "-q", "--json").json
    row = row[0] if isinstance(row, list) else row
    assert (row["added"], row["players"]) == (2, 2)
    event = mtdf("show", "a.pgn", "--json").json
    assert event["engines"] == ["Ann", "Bob"] and event["note"] == "two games"
    assert mtdf("rm", "a.pgn", "--yes", "--json").json["engines"] == 2
    assert mtdf("db", "check").code == 0


def test_vacuum_shrinks_the_file(on: Run, has_fields: Check) -> None:
    assert on("rm", "short", "--yes").code == 0
    before = Path("played.db").stat().st_size
    result = on("db", "vacuum", "--json")
    assert result.code == 0 and has_fields(result.json, DatabaseVacuum)
    assert (result.json["bytes_before"], result.json["shrunk"]) == (before, True)
    assert result.json["bytes_after"] == Path("played.db").stat().st_size < before
    assert "MB before" in on("db", "vacuum").out
    assert on("db", "check").code == 0


def test_nothing_is_vacuumed_while_an_event_runs(on: Run) -> None:
    with open_database("played.db") as db:
        with db.run_lock(db.repository.events()[0].key):
            result = on("db", "vacuum")
    assert result.code == 3 and len(result.errors) == 1
    assert "is in use by a running event" in result.errors[0]


def test_running_event_is_annotated_not_renamed(on: Run) -> None:
    with open_database("played.db") as db:
        with db.run_lock(db.repository.events()[0].key):
            assert on("rename", "short", "x").code == 3
            assert on("annotate", "short", "x").code == 0
