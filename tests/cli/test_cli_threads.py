"""Engines with several threads are announced, counted and refused correctly."""

from __future__ import annotations

import csv
import io
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

from db.session import open_database
from engines import backend
from engines.cores import available_cores
from engines.limit import Limit
from engines.variant import parse_variant
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings
from toolkit.lab import parallel
from toolkit.lab.positions import load_suite
from toolkit.lab.run import start_lab

Run = Callable[..., Any]
FAST = ("--pairs", "2", "--nodes", "300", "--max-plies", "12", "--seed", "3")
pytestmark = pytest.mark.native


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores."""
    from engines import cores

    monkeypatch.setattr(cores, "available_cores", lambda: 2)


def test_event_with_threads_is_not_repeatable(mtdf: Run, two_cores: None) -> None:
    plan = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--dry-run")
    assert "not repeatable: up to 2 threads search together" in plan.out
    assert "deterministic" not in plan.out
    row = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--dry-run", "--json").json
    assert row["deterministic"] is False
    row = mtdf("match", "mtdf", "pvs", *FAST, "--dry-run", "--json").json
    assert row["deterministic"] is True


def test_equal_games_of_threads_all_count(mtdf: Run, two_cores: None) -> None:
    words = ("match", "mtdf:threads=2,name=two", "pvs", "--pairs", "1", "--depth", "1")
    for name in ("one", "other"):
        played = mtdf(*words, "--seed", "3", "--max-plies", "12", "--name", name, "--quiet")
        assert played.code == 0, played.err
    games = mtdf("games", "--json").json
    assert len({tuple(game["moves"]) for game in games}) < len(games) == 4, "depth 1 repeats itself"
    assert sum(row["games"] for row in mtdf("ratings", "--json").json) == 8
    checked = mtdf("db", "check", "--replay")
    assert checked.code == 0 and "4 games replayed" in checked.out


def test_too_many_threads_are_reported_before_the_start(mtdf: Run, two_cores: None) -> None:
    told = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--jobs", "2", "--dry-run")
    (line,) = [line for line in told.errors if "on 2 cores" in line]
    assert "2 jobs with 2 threads each on 2 cores" in line and "use --jobs 1" in line
    told = mtdf("match", "mtdf:threads=4", "pvs", *FAST, "--jobs", "1", "--dry-run")
    (line,) = [line for line in told.errors if "on 2 cores" in line]
    assert "1 job with 4 threads on 2 cores" in line and "use fewer threads" in line
    quiet = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--jobs", "1", "--dry-run")
    assert not any("cores" in line for line in quiet.errors)


def test_load_warning_suggests_no_shared_limit(
    mtdf: Run, two_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (2.0, 0.0, 0.0))
    words = ("--movetime", "10", "--pairs", "1", "--jobs", "1", "--dry-run")
    told = mtdf("match", "mtdf:threads=2", "mtdf", *words)
    (line,) = [line for line in told.errors if "load average" in line]
    assert line.endswith("timed games will be unfair; end the other programs")
    assert "--nodes" not in told.err and "--cpu-ms" not in told.err


@each("limit", [("--nodes", "300"), ("--cpu-ms", "2")])
def test_hint_for_threads_under_a_shared_limit(
    mtdf: Run, two_cores: None, limit: tuple[str, str]
) -> None:
    words = ("match", "mtdf:threads=2", "pvs:threads=2", "--pairs", "1", "--dry-run")
    told = mtdf(*words, *limit)
    (line,) = [line for line in told.errors if "can only lose" in line]
    what = {"--nodes": "nodes", "--cpu-ms": "CPU time"}[limit[0]]
    assert line == (
        f"engine `mtdf:threads=2`: its 2 threads share the limit of {what}, so they can only lose; "
        "use --movetime or a clock (--tc) to test them"
    )
    assert told.code == 0
    study = ("tune", "run", "--base", "mtdf:threads=2", "--param", "grain", "--budget-pairs", "20")
    assert line in mtdf(*study, *limit, "--dry-run").errors
    for other in ("--movetime", "10"), ("--tc", "1+0.1"), ("--depth", "3"):
        assert "can only lose" not in mtdf(*words, *other).err
    one = ("match", "mtdf", "pvs", "--pairs", "1", "--dry-run")
    assert "can only lose" not in mtdf(*one, *limit).err
    own = mtdf(*one[:2], "pvs:threads=2,movetime=5", *one[3:], *limit)
    assert "can only lose" not in own.err, "its own limit is a time"


def test_views_explain_why_an_event_is_not_repeatable(mtdf: Run, two_cores: None) -> None:
    why = "not repeatable: up to 2 threads search together"
    started = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--name", "two")
    assert any(line.startswith("event ") and why in line for line in started.errors)
    for show in ("show", "two"), ("stats", "two"):
        shown = mtdf(*show).out
        assert f"nodes=300 ({why})" in shown and "repeat others" not in shown
        assert mtdf(*show, "--json").json["variation"] == why
    mtdf("report", "--event", "two", "-o", "page.html")
    assert f"nodes=300 ({why})" in Path("page.html").read_text(encoding="utf-8")
    timed = ("--movetime", "5", "--max-plies", "4", "--pairs", "1", "--seed", "1", "--name", "time")
    told = mtdf("match", "mtdf:threads=2", "pvs", *timed)
    both = f"{why} and time limits the searches"
    assert both in told.err and both in mtdf("show", "time").out
    told = mtdf("match", "mtdf", "pvs", *FAST, "--name", "one")
    assert "repeatable" not in told.err
    for show in ("show", "one"), ("stats", "one"):
        assert "repeatable" not in mtdf(*show).out
        assert mtdf(*show, "--json").json["variation"] == ""
    mtdf("match", "mtdf", "pvs", *FAST, "--name", "again", "--quiet")
    assert "4, 4 repeat others" in mtdf("stats", "again").out


def test_affinity_needs_a_core_per_thread(mtdf: Run) -> None:
    refused = mtdf("match", "mtdf:threads=64", "pvs", *FAST, "--jobs", "4", "--affinity")
    assert refused.code == 2 and not Path("mtdf.db").exists()
    (line,) = refused.errors
    assert "4 jobs with 64 threads each need 256 processor cores" in line
    assert line.endswith("use fewer threads")


def test_sweep_over_threads(mtdf: Run) -> None:
    words = ("lab", "sweep", "--engine", "mtdf:entries=2^12,eval=pst", "--param", "threads=2")
    few = ("--depth", "3", "--limit-positions", "3", "--quiet")
    done = mtdf(*words, *few, "--name", "p", "--json")
    assert done.code == 0, done.err
    assert done.json["kind"] == "parallel" and done.json["values_agree"]
    rows = done.json["rows"]
    assert [row["parameter_value"] for row in rows] == ["1", "2", "2"]
    assert rows[0]["speedup"] == rows[0]["nodes"] == 1
    assert [(row["threads"], row["parallel"]) for row in rows] == [
        *((1, None), (2, "lazy"), (2, "abdada")),
    ]
    text = mtdf("show", "p").out
    assert "speed-up" in text and "not repeatable" in text and "values agree in all 6" in text
    refused = mtdf("show", "p", "--baseline", "mtdf")
    assert refused.code == 2 and "with itself on one thread" in refused.err
    refused = mtdf("lab", "sweep", "--engine", "minimax", "--param", "threads=2", *few)
    assert refused.code == 2 and "`minimax` searches with one thread only" in refused.err
    for wrong, message in (
        (("--param", "threads=65"), "--param threads `65`: numbers of threads are from 1 to 64"),
        (("--param", "threads=1"), "--param threads `1`: one thread is always measured"),
        (("--param", "threads=x"), "--param threads `x`: expected values such as"),
        ((*words[4:], "--depth", "4..6"), "threads are compared at one depth: give one --depth"),
        ((*words[4:], "--jobs", "2"), "leave out --baseline, --vary-baseline and --jobs"),
        ((*words[4:], "--baseline", "pvs"), "leave out --baseline, --vary-baseline and --jobs"),
        (("--param", "grain=1,2", "--mode", "selective"), "need --param threads=LIST"),
        (("--param", "grain=1,2", "--parallel", "lazy"), "need --param threads=LIST"),
    ):
        refused = mtdf(*words[:4], "--limit-positions", "3", *wrong)
        assert refused.code == 2 and message in refused.err and len(refused.errors) == 1
    assert len(mtdf("lab", "list", "--json").json) == 1
    refused = mtdf("--param", "threads=2", *words[:4])
    assert refused.code == 2 and "The options of a command stand after its name." in refused.err


def test_sweep_over_threads_compares_engines(
    mtdf: Run, two_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other programs may have the cores.
    monkeypatch.setattr("toolkit.lab.notes.disturbed", lambda _: [])
    engines = ("--engine", "pvs:entries=2^12,eval=pst", "--engine", "mtdf:entries=2^12,eval=pst")
    words = ("lab", "sweep", *engines, "--param", "threads=2,4", "--parallel", "lazy")
    done = mtdf(*words, "--depth", "3", "--limit-positions", "10", "--quiet", "--name", "both")
    assert done.code == 0, done.err
    report = mtdf("show", "both", "--json").json
    title = f"the same ratios over those of {report['engines'][0]}, position by position"
    assert title in done.out
    second = done.out.split(title)[1]
    for row in report["rows"][4:]:
        ends = f"[{row['nodes_against_low95']:.3f}, {row['nodes_against_high95']:.3f}]"
        assert f"{row['nodes_against']:.3f}  {ends}" in second
    assert all(answer in second.splitlines() for answer in report["answers"])
    assert len(report["answers"]) == 2
    rows = list(csv.DictReader(io.StringIO(mtdf("show", "both", "--csv").out)))
    assert [(row["threads"], row["parallel"]) for row in rows] == 2 * [
        *(("1", ""), ("2", "lazy"), ("4", "lazy")),
    ]
    assert [bool(row["speedup_against"]) for row in rows] == [*[False] * 4, True, False]
    assert mtdf("plot", "lab", "both", "-o", "x.svg", "--json").json["kind"] == "threads"


def test_default_depth_of_a_sweep_over_threads_depends_on_mode(mtdf: Run) -> None:
    words = ("lab", "sweep", "--engine", "mtdf", "--param", "threads=2", "--parallel", "lazy")
    words = (*words, "--limit-positions", "1")
    for mode, depth in (("exact", 7), ("selective", 14)):
        done = mtdf(*words, "--mode", mode, "--quiet", "--json")
        assert done.code == 0 and done.json["depths"] == [depth]


def test_short_times_and_rows_without_searches(mtdf: Run) -> None:
    words = ("lab", "sweep", "--engine", "mtdf:entries=2^12,eval=pst", "--param", "threads=2")
    done = mtdf(*words, "--depth", "2", "--limit-positions", "2", "--quiet", "--name", "short")
    assert done.code == 0
    assert done.out.count("times that short say little, those of a greater depth say more") == 1
    with sqlite3.connect("mtdf.db") as connection:
        connection.execute("DELETE FROM lab_searches WHERE engine > 0")
    shown = mtdf("show", "short").out
    (line,) = [line for line in shown.splitlines() if line.split()[1:3] == ["2", "lazy"]]
    assert set(line.split()[3:]) == {"--"}


def test_lab_compare_with_threads_is_not_repeatable(mtdf: Run) -> None:
    words = ("--engine", "mtdf:entries=2^12,eval=pst,threads=2", "--depth", "3")
    done = mtdf("lab", "compare", *words, "--limit-positions", "3", "--quiet")
    assert done.code == 0 and "not repeatable" in done.out


def test_trace_with_threads_hides_unknown_counts(
    mtdf: Run,
) -> None:
    words = ("trace", "--position", "start", "--depth", "3", "--engine")
    told = mtdf(*words, "mtdf:entries=2^12,threads=2")
    assert told.code == 0 and "the search is not repeatable" in told.err
    assert "re-expanded interior nodes (re-exp.):" not in told.out
    assert "not repeatable: several threads search together" in told.out
    told = mtdf(*words, "mtdf:entries=2^12")
    assert "re-expanded interior nodes (re-exp.):" in told.out
    assert "repeatable" not in told.out + told.err


def test_doctor_checks_threads(mtdf: Run) -> None:
    rows = {row["name"]: row for row in mtdf("doctor", "--json").json}
    assert rows["threads"]["status"] == "ok"
    assert rows["threads"]["detail"] == "2 threads find the value of minimax"


class TestOnTheReference:
    """It has one thread, and says so before anything is stored."""

    @pytest.fixture(autouse=True)
    def reference(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from engines import backend

        monkeypatch.setattr(backend, "load", lambda: (None, "as a test wants it"))

    @each(
        "words",
        [
            ("match", "mtdf:threads=2", "mtdf", *FAST),
            ("match", "mtdf", "pvs:threads=2,nodes=9", *FAST, "--dry-run"),
            ("gauntlet", "--hero", "mtdf", "--field", "pvs:threads=2", *FAST),
            ("sprt", "--test", "mtdf:threads=2", "--base", "mtdf", "--nodes", "9"),
            ("run", "event.toml"),
            ("tune", "run", "--base", "mtdf:threads=2", "--param", "grain=1..9", "--nodes", "9"),
            ("lab", "compare", "--engine", "mtdf:threads=2", "--depth", "2"),
            ("lab", "sweep", "--engine", "mtdf", "--param", "threads=1,2", "--depth", "2"),
            ("trace", "--engine", "mtdf:threads=2", "--depth", "2"),
            ("uci", "--engine", "mtdf:threads=2"),
        ],
    )
    def test_several_threads_are_refused(self, mtdf: Run, words: tuple[str, ...]) -> None:
        Path("event.toml").write_text(
            'command = "match"\npairs = 1\nnodes = 9\n'
            '[[engine]]\ndriver = "mtdf"\nthreads = 2\n[[engine]]\ndriver = "mtdf"\n'
        )
        refused = mtdf(*words)
        assert refused.code == 2, refused.err
        (line,) = refused.errors
        assert "threads=2 needs the native core, and this is the reference" in line
        assert not refused.out and not Path("mtdf.db").exists()

    def test_threads_are_not_tunable(self, mtdf: Run) -> None:
        words = ("tune", "run", "--base", "mtdf", "--param", "threads=1..4", "--nodes", "9")
        refused = mtdf(*words)
        assert refused.code == 2 and len(refused.errors) == 1
        assert "threads" in refused.err and not Path("mtdf.db").exists()


def test_threaded_runs_are_not_resumed_without_the_core(
    mtdf: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = match_settings("mtdf:threads=2", "pvs", pairs=2, limit=Limit(nodes=9))
    plan = parallel.parallel_plan(
        [parse_variant("mtdf")], [2], ["lazy"], load_suite("lab-60", 2), [2],
        mode="exact", cores=available_cores(),
    )  # fmt: skip
    stop = threading.Event()
    stop.set()
    with open_database("mtdf.db", create=True) as db:
        event = start_event(db, settings, stop=stop).event
        start_lab(db, plan, name="cut", stop=stop)
    monkeypatch.setattr(backend, "load", lambda: (None, "as a test wants it"))
    for words in (("resume", event.key), ("resume", "cut")):
        refused = mtdf(*words, "--allow-changed")
        assert refused.code == 2, refused.err
        assert "threads=2 needs the native core" in refused.errors[-1]
    with open_database("mtdf.db") as db:
        assert not db.repository.failures(event.id)
