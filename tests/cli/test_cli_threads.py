"""Engines with several threads: what is told, what is refused, and that nothing is struck out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
FAST = ("--pairs", "2", "--nodes", "300", "--max-plies", "12", "--seed", "3")
pytestmark = pytest.mark.native


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores."""
    from engines import cores

    monkeypatch.setattr(cores, "available_cores", lambda: 2)


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
    text = mtdf("lab", "show", "p").out
    assert "speed-up" in text and "not repeatable" in text and "values agree in all 6" in text
    refused = mtdf("lab", "show", "p", "--baseline", "mtdf")
    assert refused.code == 2 and "with itself on one thread" in refused.err
    refused = mtdf("lab", "parallel", "--engine", "minimax", *few)
    assert refused.code == 2 and "`minimax` searches with one thread only" in refused.err
    refused = mtdf(*words[:4], "--threads", "65", *few)
    assert refused.code == 2 and "threads" in refused.err


def test_lab_compare_says_that_it_is_not_repeatable(mtdf: Run) -> None:
    words = ("--engine", "mtdf:entries=2^12,eval=pst,threads=2", "--depth", "3")
    done = mtdf("lab", "compare", *words, "--limit-positions", "3", "--quiet")
    assert done.code == 0 and "not repeatable" in done.out


def test_the_doctor_tries_threads(mtdf: Run) -> None:
    rows = {row["name"]: row for row in mtdf("doctor", "--json").json}
    assert rows["threads"]["status"] == "ok"
    assert rows["threads"]["detail"] == "2 threads find the value of minimax"
