"""``--then COMMAND`` gets the result of a run, and its failure changes nothing else."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from toolkit.reports.sprt import sprt_from_counts

Run = Callable[..., Any]
SHORT = ("--nodes", "60", "--max-plies", "10", "--seed", "7", "--quiet")
SPRT = ("sprt", "--test", "mtdf", "--base", "pvs", "--max-pairs", "2")


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str], Any]]:
    """The commands that were run, each with its variables and what it could read; all fail."""
    calls: list[tuple[str, dict[str, str], Any]] = []

    def run(command: str, *, env: dict[str, str], input: bytes, **_: Any) -> Any:
        ours = {name: one for name, one in env.items() if name.startswith("MTDF_")}
        calls.append((command, ours, json.loads(input)))
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr("toolkit.commands.runs.then.subprocess.run", run)
    return calls


def test_command_has_the_result(
    mtdf: Run, called: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a test the median-unbiased Elo: the plain one is biased by the stop."""
    monkeypatch.setattr(
        "toolkit.reports.sprt.sprt_from_counts",
        lambda *given: structs.replace(sprt_from_counts(*given), elo_unbiased=12.5),
    )
    for words, kind, has_llr in (
        (("match", "mtdf", "pvs", "--pairs", "2"), "match", False),
        (SPRT, "sprt", True),
        (("resume", "last"), "sprt", True),
    ):
        more = SHORT if words[0] != "resume" else ()
        done = mtdf(*words, *more, "--json", "--then", "send it")
        assert done.code == 0, done.err
        assert done.errors[-1:] == ["warning: --then `send it` ended with exit code 3"]
        command, said, row = called.pop()
        assert (command, row) == ("send it", done.json) and not called
        key = row["id"]
        assert (said["MTDF_RUN"], said["MTDF_KIND"]) == (key, kind)
        assert said["MTDF_STATUS"] == "done" and Path(said["MTDF_DB"]).samefile("mtdf.db")
        assert said["MTDF_ELO"] == ("12.5" if has_llr else str(row["scores"][0]["elo"]))
        assert ("MTDF_LLR" in said) == ("MTDF_VERDICT" in said) == has_llr
    assert mtdf("show", "last", "--json").json["status"] == "done"


def test_nothing_is_run_where_nothing_was_played(mtdf: Run, called: list[Any]) -> None:
    assert mtdf(*SPRT, *SHORT, "--dry-run", "--then", "x").code == 0
    assert mtdf(*SPRT, "--then", "x").code == 2
    Path("f.toml").write_text('command = "match"\npairs = 1\nthen = "x"\n')
    refused = mtdf("run", "f.toml")
    assert refused.code == 2 and "unknown key `then`" in refused.errors[0] and not called


@pytest.mark.slow
def test_shell_runs_the_command_after_a_study(mtdf: Run) -> None:
    words = ("tune", "run", "--param", "grain=1..90", "--book", "default-500", "--name", "s")
    words = (*words, *SHORT, "--budget-pairs", "24", "--pairs-per-trial", "3", "--json")
    done = mtdf(*words, "--then", 'cat > "$MTDF_RUN.json"; echo "$MTDF_KIND $MTDF_STATUS"')
    assert done.code == 0, done.err
    assert json.loads(Path("s.json").read_text()) == done.json and "gain" in done.json
