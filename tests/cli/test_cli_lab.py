"""``mtdf lab`` and ``mtdf trace`` print correct tables, refuse bad options and lose no search."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each
from ended import LAB_STORE, ended
from msgspec.structs import replace

from toolkit.base.rows import field_names
from toolkit.lab.summary import LabRow
from toolkit.lab.trace import TraceReport
from toolkit.lab.views import LabReport, LabRunRow, LabSearchRow

Run = Callable[..., Any]
Check = Callable[[Mapping[str, Any], type[Any]], bool]
ENGINES = ("--engine", "mtdf:entries=2^12,eval=pst", "--engine", "bns:entries=2^12,eval=pst")
SMALL = ("--depth", "1..2", "--limit-positions", "3", "--quiet")


def compare(mtdf: Run, *words: str) -> Any:
    """A small comparison."""
    return mtdf("lab", "compare", *ENGINES, *SMALL, *words)


@pytest.fixture(scope="module")
def searched(run_quietly: Callable[..., Path]) -> Path:
    """A database with that comparison, called ``one``."""
    return run_quietly(("lab", "compare", *ENGINES, *SMALL, "--name", "one"))


@pytest.fixture
def compared(mtdf: Run, searched: Path) -> Run:
    """Run a command on a copy of that database."""
    Path("mtdf.db").write_bytes(searched.read_bytes())
    return mtdf


def test_compare_as_json(mtdf: Run, has_fields: Check) -> None:
    result = compare(mtdf, "--json", "--name", "two")
    assert result.code == 0
    report = result.json
    assert has_fields(report, LabReport)
    assert report["values_agree"] is True and report["values_compared"] == 18
    assert (report["name"], report["status"], report["positions"]) == ("two", "done", 3)
    assert report["baseline"] == "pvs:window=0,entries=4096,eval=pst"
    assert all(list(row) == field_names(LabRow) for row in report["rows"])
    assert len(report["rows"]) == 8
    shown = mtdf("show", "two", "--json").json
    assert shown == report


def test_compare_as_text_and_csv(mtdf: Run) -> None:
    table = compare(mtdf).out
    assert "depth  engine" in table and "values agree in all 18 comparisons" in table
    agree = [line.endswith("3/3") for line in table.splitlines() if "eval=pst  " in line]
    assert agree == [False, True, True, True] * 2, "the baseline is compared with nothing"
    rows = list(csv.DictReader(io.StringIO(compare(mtdf, "--csv").out)))
    assert [row["depth"] for row in rows] == ["1"] * 4 + ["2"] * 4
    assert float(rows[0]["nodes"]) == 1.0


def test_narrow_terminal_hides_columns(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--depth", "1..2", "--limit-positions", "10", "--quiet", "--name", "two")
    mtdf("lab", "compare", *ENGINES, *words)
    piped = mtdf("show", "two").out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    assert mtdf("show", "two").out == piped
    monkeypatch.setenv("COLUMNS", "80")
    result = mtdf("show", "two")
    table = result.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["depth", "engine", "nodes", "[95", "%]", "passes", "agree"]
    assert len(table) == 9 and max(map(len, table)) <= 80, "no row wraps, and no legend is needed"
    assert result.err.startswith(
        "left out because the terminal is narrow: leaves, [95 %] of leaves, inner, quiesc"
    )
    assert "--csv" in result.err
    listed = mtdf("lab", "list")
    assert "engines" not in listed.out and "engines" in listed.err
    assert max(map(len, listed.out.splitlines())) <= 80


def test_single_searches_are_listed(compared: Run, has_fields: Check) -> None:
    rows = compared("show", "last", "--searches", "--json").json
    windows = [row["passes"][0][:2] for row in rows if row["engine"].startswith("pvs:window=0")]
    assert windows == [[None, None]] * 6
    assert len(rows) == 4 * 3 * 2 and all(has_fields(row, LabSearchRow) for row in rows)
    assert compared("show", "last", "--searches").out.count("\n") == 25
    listed = compared("lab", "list", "--json").json
    assert [row["searches_done"] for row in listed] == [12] and has_fields(listed[0], LabRunRow)
    found = compared(
        "query", "select count(*) as n from v_lab_searches where nodes > 0", "--json"
    ).json
    assert found[0]["n"] == 12


def test_differing_value_fails(compared: Run, edited: Run) -> None:
    with edited("mtdf.db") as connection:
        place = "WHERE engine = 2 AND position = 1"
        (text,) = connection.execute(f"SELECT iterations FROM lab_searches {place}").fetchone()
        one, two = json.loads(text)
        # One pass with an open window, and all of it told alike: what a wrong engine would store.
        nodes = two["interior"] + two["leaves"] + two["quiescence"]
        two["value"] = 12345
        two["passes"] = [{"alpha": -32700, "beta": 32700, "value": 12345, "nodes": nodes}]
        connection.execute(
            f"UPDATE lab_searches SET value = 12345, passes = ?, iterations = ? {place}",
            (len(one["passes"]) + 1, json.dumps([one, two])),
        )
    result = compared("resume", "one")
    assert result.code == 1
    assert "depth 2 of lab-21: mtdf:entries=4096,eval=pst found" in result.out
    assert "values differ, of 18 comparisons" in result.out
    report = compared("show", "one", "--json").json
    assert report["values_agree"] is False and len(report["disagreements"]) == 1


def test_another_engine_as_baseline(compared: Run) -> None:
    rows = compared("show", "one", "--json").json["rows"]
    nodes = {row["engine"]: row["nodes_mean"] for row in rows if row["depth"] == 2}
    name = "mtdf:entries=4096,eval=pst"
    report = compared("show", "one", "--baseline", name, "--json").json
    assert report["baseline"] == name and report["values_agree"]
    assert report["values_compared"] == 18 and report["baseline_table"] == "4096 entries"
    for row in report["rows"]:
        if row["depth"] == 2:
            assert row["baseline"] == name
            assert row["nodes"] == pytest.approx(nodes[row["engine"]] / nodes[name])
    assert compared("show", "one", "--json").json["baseline"] != name, "nothing is stored"
    text = compared("show", "one", "--baseline", name).out
    assert f"geometric means over {name} (table: 4096 entries)" in text
    for wrong, said in (
        ("nobody", "--baseline `nobody` is not an engine of the run: pvs:window=0,"),
        ("bns:entries=4096,eval=pst", "proves a move, not a value"),
    ):
        result = compared("show", "one", "--baseline", wrong)
        assert result.code == 2 and said in result.err and len(result.errors) == 1
    compared(
        "lab", "sweep", "--engine", "mtdf:eval=pst", "--param", "grain=1,20", *SMALL, "--name", "g"
    )
    result = compared("show", "g", "--baseline", "grain=1")
    assert result.code == 2 and "search different trees" in result.err
    words = ("--engine", "mtdf:eval=pst", "--depth", "2", "--limit-positions", "2", "-q")
    compared("lab", "sweep", "--first-guess-offset", "0,20", *words, "--name", "o")
    rows = compared("show", "o", "--baseline", "first_guess_offset=0", "--json").json["rows"]
    assert [row["nodes"] == 1 for row in rows] == [False, True, False]
    assert {row["baseline"] for row in rows} == {"mtdf:eval=pst first_guess_offset=0"}


def test_sweeps(mtdf: Run) -> None:
    words = ("--engine", "mtdf:eval=pst", *SMALL, "--json")
    rows = mtdf("lab", "sweep", "--param", "grain=1,20", *words).json["rows"]
    assert [(row["parameter"], row["parameter_value"]) for row in rows if row["depth"] == 2] == [
        *((None, None), ("grain", "1")),
        *((None, None), ("grain", "20")),
    ]
    words = ("--engine", "mtdf:eval=pst", "--depth", "3", "--limit-positions", "2", "-q", "--json")
    report = mtdf("lab", "sweep", "--first-guess-offset", "-20..20/20", *words).json
    assert [row["parameter_value"] for row in report["rows"]] == [None, "-20", "0", "20"]
    assert report["measure"] == "last" and report["values_agree"]
    text = mtdf("show", "last").out
    assert "\nsweep  first_guess_offset, 3 values of mtdf:eval=pst: -20, 0, 20\n" in text
    assert "mtdf:eval=pst (3 first-guess offsets)" in mtdf("lab", "list").out
    searches = mtdf("show", "last", "--searches").out
    assert searches.count("\nmtdf:eval=pst first_guess_offset=-20 ") == 2 * 3
    two = ("--engine", "mtdf:eval=pst", "--engine", "sss:eval=pst", *SMALL)
    text = mtdf("lab", "sweep", "--param", "entries=16,4096", *two).out
    assert "\nsweep  entries, 2 values of 2 engines: 16, 4096\n" in text
    assert (
        text.count("  sss:entries=16,eval=pst ") == text.count("  mtdf:entries=4096,eval=pst ") == 2
    )


def test_baseline_table_size_is_shown(mtdf: Run) -> None:
    words = ("lab", "sweep", "--engine", "mtdf:eval=pst", "--param", "entries=2^4,2^12", *SMALL)
    text = mtdf(*words).out
    assert "over pvs:window=0,eval=pst (table: 16 MB), of all" in text
    assert "note: the baseline has a table of 16 MB at every value" in text
    report = mtdf(*words, "--vary-baseline", "--json").json
    assert (report["baseline"], report["baseline_table"]) == (None, None)
    assert not any("at every value" in note for note in report["notes"])
    assert {row["baseline"] for row in report["rows"] if row["parameter_value"] == "16"} == {
        "pvs:window=0,entries=16,eval=pst"
    }


def test_heading_and_legend(mtdf: Run) -> None:
    words = ("lab", "compare", "--engine", "mtdf:eval=pst", "--limit-positions", "1", "-q")
    text = mtdf(*words, "--depth", "1,3").out
    assert "1 position of lab-60, depths 1, 3\n" in text
    legend = next(line for line in text.splitlines() if line.startswith("p95, worst: "))
    assert "first: share of the first pass" in legend and "high, low: nodes of one later" in legend
    assert "lab-60, depths 1 to 3\n" in mtdf(*words, "--depth", "1..3").out


@each(
    "words, code, said",
    [
        (("compare", "--engine", "mtdf", "--engine", "pvs:grain=4"), 2, "different trees"),
        (("compare", "--engine", "mtdf", "--baseline", "mtdf"), 2, "nothing to compare"),
        (("compare", "--engine", "mtdf", "--positions", "nothing"), 2, "no suite `nothing`"),
        (("compare", "--engine", "mtdf", "--depth", "8..4"), 2, "8 is greater than 4"),
        (("compare", "--engine", "mtdf", "--json", "--csv"), 2, "exclude each other"),
        (("compare", "--engine", "mtdf", "--jobs", "0"), 2, "jobs"),
        (("compare", "--engine", "mtdf", "--limit-positions", "0"), 2, "--limit-positions"),
        (("sweep", "--engine", "mtdf"), 2, "either --param or --first-guess-offset"),
        (("sweep", "--engine", "mtdf", "--param", "grain"), 2, "expected NAME=LIST"),
    ],
)
def test_bad_options_are_one_line(mtdf: Run, words: tuple[str, ...], code: int, said: str) -> None:
    result = mtdf("lab", *words)
    assert result.code == code and len(result.errors) == 1 and said in result.err
    assert result.out == "" and not Path("mtdf.db").exists()


def test_too_many_jobs_affect_times_only(compared: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from engines import cores

    monkeypatch.setattr(cores, "available_cores", lambda: 2)
    said = "3 jobs on 2 cores: nodes are the same, CPU times will be wrong; use --jobs 2"
    assert compared("resume", "one", "--jobs", "3").errors == [f"warning: {said}"]
    assert compared("resume", "one", "--jobs", "2").errors == []


def test_repeated_positions_are_reported(mtdf: Run) -> None:
    line = "8/8/1p2pK2/1N2P3/P2n1k2/8/8/8 b - -\n"
    Path("own.epd").write_text(line * 3, encoding="utf-8")
    words = ("compare", "--engine", "mtdf:eval=pst", "--positions", "own.epd", "--depth", "1")
    result = mtdf("lab", *words)
    said = "suite own: 2 lines repeat positions; each position is searched once"
    assert said in result.errors and "1 position of own" in result.out


def test_progress_in_a_pipe_is_timestamped_lines(
    mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.show.live import progress

    monkeypatch.setattr(progress, "PLAIN_EVERY_S", 0.0)
    words = [word for word in SMALL if word != "--quiet"]
    head, *lines = [
        line
        for line in mtdf("lab", "compare", *ENGINES, *words, "--name", "two").errors
        if not line.startswith("made ")
    ]
    assert head.startswith("run two   ctrl-c saves and stops") and len(lines) >= 2
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    assert re.fullmatch(rf"{moment} two 0/12 eta=\?", lines[0])
    assert all(re.fullmatch(rf"{moment} two \d+/12 eta=(\?|[\dmhs.]+)", line) for line in lines)
    assert lines[-1].endswith(" two 12/12 eta=0s")


def test_run_names_are_completed(mtdf: Run) -> None:
    from click.shell_completion import ShellComplete

    from cli import program

    def completed(*words: str) -> list[str]:
        complete = ShellComplete(program, {}, "mtdf", "_MTDF_COMPLETE")
        return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]

    assert completed("show", "") == [] and not Path("mtdf.db").exists()
    compare(mtdf, "--name", "one")
    compare(mtdf, "--name", "two")
    assert completed("show", "") == ["two", "one", "last"]
    assert completed("resume", "t") == ["two"]
    assert completed("show", "--db", "none.db", "") == []


def test_resume_takes_the_newest_unfinished(compared: Run, edited: Run) -> None:
    for name in ("two", "three"):
        compare(compared, "--name", name)
    nothing = compared("resume")
    assert nothing.code == 5 and "no unfinished run in" in nothing.err
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE lab_runs SET status = 'interrupted' WHERE name != 'three'")
    resumed = compared("resume", "--json")
    assert resumed.code == 0 and resumed.json["name"] == "two"
    assert "1 older run is not finished either: laboratory run one" in resumed.err
    assert compared("resume", "--json").json["name"] == "one"


def test_unknown_run(compared: Run) -> None:
    for verb in ("show", "resume"):
        result = compared(verb, "nothing")
        assert result.code == 5 and "mtdf lab list" in result.err
    again = compare(compared, "--name", "one")
    assert again.code == 2 and "mtdf resume one" in again.err


@pytest.mark.slow
def test_stopped_run_is_resumed(mtdf: Run) -> None:
    words = (*ENGINES, "--depth", "2..5", "--jobs", "2", "--quiet")
    out = ended(LAB_STORE, 2, signal.SIGINT, "lab", "compare", *words, "--name", "cut").stdout
    with closing(sqlite3.connect("mtdf.db")) as connection:
        (before,) = connection.execute("SELECT count(*) FROM lab_searches").fetchone()
    assert 0 < before < 240
    assert out.startswith(f"run    cut, interrupted: {before} of 240 searches\n")
    assert out == mtdf("show", "cut").out, "the table, as far as it is searched"
    assert mtdf("show", "cut", "--json").json["status"] == "interrupted"
    with closing(sqlite3.connect("mtdf.db")) as connection:
        kept = connection.execute("SELECT * FROM lab_searches").fetchall()
    resumed = mtdf("resume", "cut", "--quiet", "--json", "--jobs", "2")
    assert resumed.code == 0 and resumed.json["searches_done"] == 240
    with closing(sqlite3.connect("mtdf.db")) as connection:
        after = set(connection.execute("SELECT * FROM lab_searches").fetchall())
    assert set(kept) <= after


def test_trace(mtdf: Run, has_fields: Check) -> None:
    words = ("trace", "--position", "lab-50", "--depth", "3", "--engine", "mtdf:eval=pst")
    report = mtdf(*words, "--json", "--check").json
    assert has_fields(report, TraceReport)
    assert report["check_passed"] is True and isinstance(report["passes"], list)
    assert report["nodes"] == sum(row["nodes"] for row in report["passes"])
    text = mtdf(*words, "--check", "--top", "1").out
    assert "first guess" in text and "plain minimax agrees" in text
    assert (
        "re-expanded" in text and "expanded before" in text and "by the reference backend" in text
    )
    every = mtdf(*words, "--all").out
    assert all(f"\ndepth {depth} " in every for depth in (1, 2, 3))
    drawn = mtdf("plot", *words, "-o", "passes.svg")
    assert drawn.code == 0 and drawn.out == "wrote passes.svg\n"
    assert Path("passes.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert not Path("mtdf.db").exists()


def test_trace_with_a_wrong_value_fails(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.lab import trace

    monkeypatch.setattr(trace, "plain_value", lambda *_: 4321)
    result = mtdf("trace", "--position", "lab-50", "--depth", "2", "--check")
    assert result.code == 1 and "plain minimax says 4321" in result.err
    words = ("--position", "lab-50", "--depth", "2", "--check", "--engine", "bns")
    result = mtdf("trace", *words)
    assert result.code == 1 and " at least and " in result.err and "is worth" in result.err


def test_trace_that_disagrees_with_pvs_fails(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.lab import trace

    words = ("trace", "--position", "lab-50", "--depth", "2", "--engine", "mtdf")
    value = mtdf(*words, "--json").json["value"]
    searched = trace._search

    def off(query: Any, variant: Any, first_guess: Any) -> Any:
        found = searched(query, variant, first_guess)
        return replace(found, value=found.value + 1) if variant.driver == "pvs" else found

    monkeypatch.setattr(trace, "_search", off)
    result = mtdf(*words)
    assert result.code == 1
    assert f"the search says {value}; PVS says {value + 1}" in result.err


@each(
    "words, said",
    [
        ((), "either --fen, --position or --tree"),
        (("--fen", "8/8/8/8/8/8/8/8 w - - 0 1"), "not a legal chess position"),
        (("--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "no legal move"),
        (("--position", "nothing"), "has no position `nothing`"),
        (("--position", "start", "--first-guess", "0", "--engine", "pvs"), "no first guess"),
        (("--position", "start", "--depth", "0"), "--depth"),
        (("--position", "start", "--depth", "1", "--html", "no/such/x.html"), "x.html"),
    ],
)
def test_bad_trace_options_are_refused(mtdf: Run, words: tuple[str, ...], said: str) -> None:
    result = mtdf("trace", *words)
    assert result.code in (1, 2) and len(result.errors) == 1 and said in result.err
