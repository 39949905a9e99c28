"""``mtdf resume`` continues any kind of run by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
EVENT = "match mtdf:entries=2^10 pvs:entries=2^10 --pairs 1 --nodes 20 --max-plies 10 --name"
LAB = "lab compare --engine mtdf:entries=2^10,eval=pst --depth 1..2 --limit-positions 2 --name"
STUDY = (
    "tune run --base mtdf:entries=2^10 --param reverse_futility --nodes 20 --max-plies 10 "
    "--budget-pairs 48 --measure 0 --sampler random --trials 2 --name"
)


@pytest.fixture
def all_three(mtdf: Run) -> Run:
    """An event `one`, a study `two` and a laboratory run `three`, and an event and a run `both`."""
    for words in (f"{EVENT} one", f"{LAB} three", f"{EVENT} both", f"{LAB} both", f"{STUDY} two"):
        assert mtdf(*words.split(), "--quiet").code == 0, words
    return mtdf


def test_any_run_is_resumed_by_name(all_three: Run) -> None:
    assert "event" in all_three("resume", "one").err
    study = all_three("resume", "two")
    assert study.code == 0 and study.out == all_three("tune", "resume", "two").out
    run = all_three("resume", "three", "--jobs", "1")
    assert run.code == 0 and run.out == all_three("lab", "resume", "three").out


def test_ambiguous_names_and_bad_options(all_three: Run) -> None:
    for words, message in (
        ("both", "`both` matches several things: event (mtdf resume r"),
        ("both", "laboratory run (mtdf lab resume both)"),
        ("two --pgn-out x.pgn", "`two` is a study; it writes no games"),
        ("three --pgn-out x.pgn", "`three` is a laboratory run; it writes no games"),
    ):
        result = all_three("resume", *words.split())
        assert result.code == 2 and message in result.errors[0] and len(result.errors) == 1
    nothing = all_three("resume", "four")
    assert nothing.code == 5
    assert nothing.errors[0].endswith("and no study or laboratory run has this name")


def test_unfinished_runs_of_other_kinds_are_suggested(
    all_three: Run, edited: Callable[..., Any]
) -> None:
    done = all_three("resume")
    assert done.code == 5 and "continue another run" not in done.errors[0]
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE tuning_studies SET status = 'interrupted'")
        connection.execute("UPDATE lab_runs SET status = 'interrupted' WHERE name = 'three'")
    left = all_three("resume")
    assert left.code == 5 and left.errors[0].endswith(
        "; continue another run with: mtdf tune resume two or mtdf lab resume three"
    )
