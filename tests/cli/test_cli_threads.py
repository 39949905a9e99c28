"""Engines with several threads: what is told, what is refused, and that nothing is struck out."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FAST = ("--pairs", "2", "--nodes", "300", "--max-plies", "12", "--seed", "3")
pytestmark = pytest.mark.native


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores."""
    from toolkit.base import doctor

    monkeypatch.setattr(doctor, "available_cores", lambda: 2)


def test_an_event_of_several_threads_is_not_repeatable(mtdf: Run, two_cores: None) -> None:
    plan = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--dry-run")
    assert "not repeatable: up to 2 threads search together" in plan.out
    assert "deterministic" not in plan.out
    row = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--dry-run", "--json").json
    assert row["deterministic"] is False
    row = mtdf("match", "mtdf", "pvs", *FAST, "--dry-run", "--json").json
    assert row["deterministic"] is True


def test_its_equal_games_all_count(mtdf: Run, two_cores: None) -> None:
    words = ("match", "mtdf:threads=2,name=two", "pvs", "--pairs", "1", "--depth", "1")
    for name in ("one", "other"):
        played = mtdf(*words, "--seed", "3", "--max-plies", "12", "--name", name, "--quiet")
        assert played.code == 0, played.err
    games = mtdf("games", "--json").json
    assert len({tuple(game["moves"]) for game in games}) < len(games) == 4, "depth 1 repeats itself"
    assert sum(row["games"] for row in mtdf("ratings", "--json").json) == 8
    checked = mtdf("db", "check", "--replay")
    assert checked.code == 0 and "4 games replayed" in checked.out


def test_more_threads_than_cores_are_told_before_the_start(mtdf: Run, two_cores: None) -> None:
    told = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--jobs", "2", "--dry-run")
    assert any(
        "2 jobs of 2 threads on 2 cores" in line and "use --jobs 1" in line for line in told.errors
    )
    told = mtdf("match", "mtdf:threads=4", "pvs", *FAST, "--jobs", "1", "--dry-run")
    assert any(
        "1 job of 4 threads on 2 cores" in line and "use fewer threads" in line
        for line in told.errors
    )
    quiet = mtdf("match", "mtdf:threads=2", "pvs", *FAST, "--jobs", "1", "--dry-run")
    assert not any("threads" in line for line in quiet.errors)


def test_affinity_gives_a_game_the_cores_of_its_threads(mtdf: Run) -> None:
    refused = mtdf("match", "mtdf:threads=64", "pvs", *FAST, "--jobs", "4", "--affinity")
    assert refused.code == 2 and "with 64 threads each need 256 processor cores" in refused.err


def test_lab_parallel(mtdf: Run) -> None:
    words = ("lab", "parallel", "--engine", "mtdf:entries=2^12,eval=pst", "--threads", "2")
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
    text = mtdf("lab", "show", "p").out
    assert "speed-up" in text and "not repeatable" in text and "values agree in all 6" in text
    refused = mtdf("lab", "show", "p", "--baseline", "mtdf")
    assert refused.code == 2 and "with itself on one thread" in refused.err
    refused = mtdf("lab", "parallel", "--engine", "minimax", *few)
    assert refused.code == 2 and "`minimax` searches with one thread only" in refused.err
    refused = mtdf(*words[:4], "--threads", "65", *few)
    assert refused.code == 2 and "threads" in refused.err


def test_lab_parallel_compares_engines(mtdf: Run, two_cores: None) -> None:
    engines = ("--engine", "pvs:entries=2^12,eval=pst", "--engine", "mtdf:entries=2^12,eval=pst")
    words = ("lab", "parallel", *engines, "--threads", "2,4", "--parallel", "lazy", "--depth", "3")
    done = mtdf(*words, "--limit-positions", "10", "--quiet", "--name", "both")
    assert done.code == 0, done.err
    report = mtdf("lab", "show", "both", "--json").json
    title = f"the same ratios over those of {report['engines'][0]}, position by position"
    assert title in done.out
    second = done.out.split(title)[1]
    for row in report["rows"][4:]:
        ends = f"[{row['nodes_against_low95']:.3f}, {row['nodes_against_high95']:.3f}]"
        assert f"{row['nodes_against']:.3f}  {ends}" in second
    assert all(answer in second.splitlines() for answer in report["answers"])
    assert len(report["answers"]) == 2
    rows = list(csv.DictReader(io.StringIO(mtdf("lab", "show", "both", "--csv").out)))
    assert [(row["threads"], row["parallel"]) for row in rows] == 2 * [
        *(("1", ""), ("2", "lazy"), ("4", "lazy")),
    ]
    assert [bool(row["speedup_against"]) for row in rows] == [*[False] * 4, True, False]
    assert mtdf("plot", "threads", "both", "-o", "x.svg").code == 0
    assert mtdf("lab", "show", "both", "--svg", "y.svg").code == 0
    assert Path("x.svg").read_bytes() == Path("y.svg").read_bytes()
    refused = mtdf("plot", "nodes", "both", "-o", "z.svg")
    assert refused.code == 2 and "mtdf plot threads draws it" in refused.err


def test_lab_parallel_goes_deeper_where_search_prunes(mtdf: Run) -> None:
    words = ("lab", "parallel", "--engine", "mtdf", "--parallel", "lazy", "--limit-positions", "1")
    for mode, depth in (("exact", 7), ("selective", 14)):
        done = mtdf(*words, "--mode", mode, "--quiet", "--json")
        assert done.code == 0 and done.json["depths"] == [depth]


def test_times_that_are_too_short_and_rows_without_searches(mtdf: Run) -> None:
    words = ("lab", "parallel", "--engine", "mtdf:entries=2^12,eval=pst", "--depth", "2")
    done = mtdf(*words, "--limit-positions", "2", "--quiet", "--name", "short")
    assert done.code == 0
    assert done.out.count("times that short say little, so choose a greater --depth") == 1
    with sqlite3.connect("mtdf.db") as connection:
        connection.execute("DELETE FROM lab_searches WHERE engine > 0")
    shown = mtdf("lab", "show", "short").out
    (line,) = [line for line in shown.splitlines() if line.split()[1:3] == ["2", "lazy"]]
    assert set(line.split()[3:]) == {"--"}


def test_lab_compare_says_that_it_is_not_repeatable(mtdf: Run) -> None:
    words = ("--engine", "mtdf:entries=2^12,eval=pst,threads=2", "--depth", "3")
    done = mtdf("lab", "compare", *words, "--limit-positions", "3", "--quiet")
    assert done.code == 0 and "not repeatable" in done.out


def test_the_doctor_tries_threads(mtdf: Run) -> None:
    rows = {row["name"]: row for row in mtdf("doctor", "--json").json}
    assert rows["threads"]["status"] == "ok"
    assert rows["threads"]["detail"] == "2 threads find the value of minimax"
