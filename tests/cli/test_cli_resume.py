"""``resume``, ``show`` and their like take a run of any kind by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
EVENT = "match mtdf:entries=2^10 pvs:entries=2^10 --pairs 1 --nodes 20 --max-plies 10 --name"
LAB = "lab compare --engine mtdf:entries=2^10,eval=pst --depth 1..2 --limit-positions 2 --name"
STUDY = (
    "tune run --base mtdf:entries=2^10 --param reverse_futility --nodes 20 --max-plies 10 "
    "--budget-pairs 48 --measure 0 --sampler random --trials 2 --name"
)


@pytest.fixture(scope="module")
def stored_three(run_quietly: Callable[..., Path]) -> Path:
    """An event `one`, a study `two` and a laboratory run `three`, and an event and a run `both`."""
    lines = (f"{EVENT} one", f"{LAB} three", f"{EVENT} both", f"{LAB} both", f"{STUDY} two")
    return run_quietly(*([*words.split(), "--quiet"] for words in lines))


@pytest.fixture
def all_three(mtdf: Run, stored_three: Path) -> Run:
    """Run a command on a copy of the three."""
    Path("mtdf.db").write_bytes(stored_three.read_bytes())
    return mtdf


def test_any_run_is_named_in_the_same_way(all_three: Run) -> None:
    for verb in ("resume", "show"):
        for name, what in (("one", "r"), ("two", "two"), ("thr", "three"), ("last", "two")):
            result = all_three(verb, name, "--json")
            row = result.json.get("event", result.json) if what == "r" else result.json
            assert result.code == 0 and str(row.get("id", row["name"])).startswith(what), name


def test_shared_name_is_refused_with_ids_that_work(all_three: Run) -> None:
    for words in ("resume both", "show both", "rename both x", "annotate both x", "rm both -y"):
        result = all_three(*words.split())
        assert (result.code, result.out, len(result.errors)) == (5, "", 1)
        ids = re.findall(r'(event|laboratory run) (\w+) "both"', result.errors[0])
        assert result.errors[0].startswith("error: `both` matches event r") and len(ids) == 2
    notes = {what: all_three("annotate", key, "x", "--json").json for what, key in ids}
    assert {what: row["kind"] for what, row in notes.items()} == {
        "event": "event", "laboratory run": "run",
    }  # fmt: skip
    assert all_three("rm", ids[1][1], "--yes").code == 0
    assert all_three("show", "both", "--json").json["id"] == ids[0][1]


def test_unknown_names_and_options_of_other_kinds_are_refused(all_three: Run) -> None:
    for words, message in (
        ("resume two --pgn-out x.pgn", "--pgn-out is for events, not for study two"),
        ("resume three --affinity", "--affinity is for events and studies, not for laboratory run"),
        ("resume three --engine-log x", "--engine-log is for events and studies, not for lab"),
        ("resume two --retry-failed", "--retry-failed is for events, not for study two"),
        ("show three --toml", "--toml is for events, not for laboratory run three"),
        ("show one --searches", "--searches is for laboratory runs, not for event r"),
        ("show two --baseline x", "--baseline is for laboratory runs, not for study two"),
        ("show two --csv", "--csv is for laboratory runs, not for study two"),
    ):
        result = all_three(*words.split())
        assert result.code == 2 and message in result.errors[0] and len(result.errors) == 1
    for run, name, what in (
        ("one", "two", "study"),
        ("two", "three", "run"),
        ("three", "one", "event"),
    ):
        refused = all_three("rename", run, name)
        assert refused.code == 2 and f"{what} `{name}` already exists" in refused.errors[0]
    for verb, *more in (("resume",), ("show",), ("rename", "x"), ("annotate", "x"), ("rm", "-y")):
        nothing = all_three(verb, "four", *more)
        assert nothing.code == 5 and len(nothing.errors) == 1
        assert "no event, study or laboratory run `four`" in nothing.errors[0]


def test_newest_unfinished_run_is_resumed(all_three: Run, edited: Callable[..., Any]) -> None:
    done = all_three("resume")
    assert done.code == 5 and "no unfinished run" in done.errors[0]
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE tuning_studies SET status = 'interrupted'")
        connection.execute("UPDATE lab_runs SET status = 'interrupted' WHERE name = 'three'")
    resumed = all_three("resume", "--json")
    assert resumed.code == 0 and resumed.json["name"] == "two"
    assert "1 older run is not finished either: laboratory run three" in resumed.err
