"""``research/judge_claims.py``: the table, the data; and how each failure ends."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cases import each

from claims import catalogue, running, stored
from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.experiment import Experiment, Size, sample
from claims.measured import nodes
from claims.other_games import DEPTH_STRETCH
from claims.views import ClaimRow
from db.session import open_database
from engines.choices import GAMES
from judge_claims import PROGRAM, command
from toolkit.lab import searches
from toolkit.lab.fixed import engines_of
from toolkit.lab.plan import LabPlan, compare_plan

Run = Callable[..., Any]
ENGINE, BASE = "mtdf:eval=pst", "pvs:window=0,eval=pst"


def _plan(size: Size) -> LabPlan:
    return compare_plan(engines_of(ENGINE), sample(size, 10, 12), [1, 2], *engines_of(BASE))


TINY = Experiment("tiny", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence["tiny"]
    figure = found.ratio(ENGINE, BASE, nodes)
    points = [
        ChartPoint.of("nodes", depth, found.ratio(ENGINE, BASE, nodes, depth)) for depth in (1, 2)
    ]
    figures = {"few": figure, "many": figure}
    return Weighed(
        figures,
        ClaimChart(across="Depth", up="Nodes", points=points, reference=1.0),
        [("not judged", figure)],
    )


def claim(number: int) -> Claim:
    parts = (
        ClaimPart("few", "nodes | few", "below", 100),
        ClaimPart("many", "nodes many", "above", 100),
    )
    return Claim(number, f"Claim {number}", "It is so.", "A book", (TINY,), parts, _weigh)


@pytest.fixture
def judge(mtdf: Run) -> Run:
    """Run the script: ``judge("--only", "1")``."""
    return partial(mtdf, group=command)


@pytest.fixture(autouse=True)
def claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two claims that share one small experiment; no results come with the program."""
    monkeypatch.setattr(catalogue, "CLAIMS", {number: claim(number) for number in (1, 2)})
    monkeypatch.setattr(stored, "stored_results", dict)


def test_table_of_parts_and_error_rate(mtdf: Run, judge: Run) -> None:
    result = judge()
    assert result.code == 0, result.err
    lines = [line.split() for line in result.out.splitlines()]
    assert [line[0] for line in lines[1:5]] == ["1", "nodes", "2", "nodes"]
    assert "holds" in lines[1] and lines[2][-3:] == ["does", "not", "hold"]
    assert "4 parts of 2 claims judged: 2 holds, 2 does not hold, 0 undecided" in result.out
    assert "about 0.1 of these verdicts wrong" in result.out
    # Both claims are judged by one run, and a second call searches nothing.
    assert [run["name"] for run in mtdf("lab", "list", "--json").json] == ["claims-tiny-quick"]
    again = judge("--only", "2")
    assert again.code == 0 and "2 parts of 1 claim judged" in again.out


def test_full_size_verdicts_are_shown_beside(judge: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    full = judge("--size", "full", "--json").json
    for row in full:
        row["parts"][0]["verdict"] = "undecided"
    rows = {(row["game"], row["claim"]): msgspec.convert(row, ClaimRow) for row in full}
    monkeypatch.setattr(stored, "stored_results", lambda: rows)
    table = judge().out.splitlines()
    assert table[0].endswith("full size")
    assert table[1].split()[-2:] == ["holds", "undecided"]
    assert "full size" not in judge("--size", "full").out


def test_json_equals_stored_results(judge: Run) -> None:
    Path("kept").mkdir()
    result = judge("--only", "2", "--results", "kept", "--json")
    (row,) = result.json
    assert row["claim"] == 2 and row["size"] == "quick"
    assert [part["verdict"] for part in row["parts"]] == ["holds", "does not hold"]
    assert row["runs"][0]["positions"] == 10 and row["runs"][0]["engines"][-1] == ENGINE
    assert len(row["chart"]["points"]) == 2
    kept = json.loads(Path("kept/2.json").read_text(encoding="utf-8"))
    assert kept == {name: row[name] for name in kept} and not Path("kept/1.json").exists()


@each(
    "words, told",
    [
        (("--only", "9"), "there is no claim 9: the claims are 1 to 2"),
        (("--only", "x"), "--only"),
        (("--size", "huge"), "huge"),
        (("--results", "none/deep"), "cannot make it: No such file"),
    ],
)
def test_bad_options_are_refused_before_searching(
    judge: Run, words: tuple[str, ...], told: str
) -> None:
    result = judge(*words)
    assert result.code == 2 and told in result.err
    assert not Path("mtdf.db").exists()


def test_run_with_another_plan_is_refused(mtdf: Run, judge: Run) -> None:
    words = ("--engine", ENGINE, "--depth", "1", "--limit-positions", "2", "--quiet")
    assert mtdf("lab", "compare", *words, "--name", "claims-tiny-quick").code == 0
    result = judge()
    assert result.code == 2 and len(result.errors) == 1, result.err
    assert "another plan" in result.errors[0]
    assert "mtdf rm claims-tiny-quick" in result.errors[0]
    assert mtdf("rm", "claims-tiny-quick", "--yes").code == 0
    assert judge().code == 0


def test_file_instead_of_a_folder_is_refused(judge: Run) -> None:
    Path("out").write_text("the folder would be here")
    result = judge("--results", "out")
    assert result.code == 2 and "--results `out`: it is not a folder" in result.err
    assert not Path("mtdf.db").exists()


def test_second_process_is_refused(judge: Run) -> None:
    """Both would start the run; the second is told so, and can be repeated."""
    with open_database("mtdf.db") as db, db.run_lock("claims-tiny-quick"):
        result = judge()
        assert result.code == 3 and len(result.errors) == 1, result.err
        assert "experiment claims-tiny-quick in" in result.errors[0]
        assert "is already running" in result.errors[0]
        assert db.repository.lab_names() == []
    assert judge().code == 0


def test_ctrl_c_shows_how_to_continue(judge: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    start = running.start_lab

    def interrupted(*args: Any, on_progress: Any, **options: Any) -> Any:
        def show(progress: Any) -> None:
            on_progress(progress)
            if progress.done:
                signal.raise_signal(signal.SIGINT)

        return start(*args, on_progress=show, **options)

    with monkeypatch.context() as patched:
        patched.setattr(running, "start_lab", interrupted)
        patched.setattr(searches, "POLL_S", 0.001)  # reports come one by one
        result = judge("--only", "2")
    assert result.code == 130
    assert f"continue with: {PROGRAM} --only 2\n" in result.err
    assert not result.out
    assert judge("--only", "2").code == 0


def test_one_claim_in_several_games_is_one_claim(judge: Run) -> None:
    result = judge("--only", "1", "--game", "all")
    number = len(DEPTH_STRETCH)
    assert f"{2 * number} parts of 1 claim in {number} games judged" in result.out


def test_only_measured_games_are_offered(judge: Run) -> None:
    others = [game for game in GAMES if game not in DEPTH_STRETCH]
    shown = judge("--help").out
    assert others and not [game for game in others if game in shown]
    assert judge("--game", others[0]).code == 2


def test_games_side_by_side(mtdf: Run, judge: Run) -> None:
    Path("kept").mkdir()
    words = ("--only", "1", "--game", "all")
    result = judge(*words, "--results", "kept", "--json")
    assert result.code == 0, result.err
    games = [row["game"] for row in result.json]
    assert games == [*DEPTH_STRETCH] and len(games) >= 3
    assert {run["name"] for run in mtdf("lab", "list", "--json").json} == {
        "claims-tiny-quick", *(f"claims-{game}-tiny-quick" for game in games[1:])
    }  # fmt: skip
    assert len({row["parts"][0]["estimate"] for row in result.json}) == len(games)
    assert sorted(one.name for one in Path("kept").iterdir()) == sorted(
        ["1.json", *(f"{game}-1.json" for game in games[1:])]
    )
    table = judge(*words).out.splitlines()
    assert [line.split()[0] for line in table[1:4:2]] == games[:2]
    one = judge("--only", "1", "--game", games[1], "--json").json
    assert [row["game"] for row in one] == games[1:2]
