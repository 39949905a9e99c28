"""The live lines and log lines of a running study are correct and fit the terminal."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from cases import each
from msgspec import structs

from db.records.studies import StudyRecord, TrialRecord
from toolkit.commands._invocation import Invocation
from toolkit.show.live.progress import Live
from toolkit.show.live.screen import frame_lines
from toolkit.show.live.study import StudyView
from toolkit.tuning.models.worth import MeasuredPoint
from toolkit.tuning.study.progress import StandingEstimate, StudyProgress
from toolkit.tuning.study.recall import Trial

NOW = datetime(2026, 11, 21, 10, 2, 30, tzinfo=UTC)
STUDY = StudyRecord(
    id=1,
    name="lmr",
    status="running",
    settings={"objective": {"kind": "elo"}},
    created_at="",
    started_at=None,
    ended_at=None,
    version="",
    backend="native",
    signature="",
    host="",
)
PROGRESS = StudyProgress(
    study=STUDY,
    phase="search",
    pairs_done=1204,
    pairs_planned=4000,
    trials_done=37,
    trials_planned=200,
    pruned=2,
    current={"grain": 4, "weight": 0.123456},
    estimate=StandingEstimate(12.34, -8.0, 32.1, "surface"),
    elapsed_s=89.0,
    pairs_per_minute=812.3,
    eta_s=206.4,
)
NOTES = {"user": {"opponent": {"grain": 2}}}
NONE = MeasuredPoint.of({}, [])
ENDS = Trial(TrialRecord(1, 37, "complete", {"grain": 6}, NOTES, value=0.0125), NONE, 8)
ALONE = Trial(TrialRecord(1, 38, "pruned", {"grain": 9}, value=-0.25), NONE, 20)


def study_lines(progress: StudyProgress, width: int = 120, height: int = 24) -> list[str]:
    return frame_lines(StudyView().frame(progress), width, height)


def test_live_lines() -> None:
    head, bar, now, estimate = study_lines(PROGRESS)
    assert head.endswith("continue with: mtdf resume lmr")
    assert "1 204/4 000 pairs · 30 % · trial 37/200 · 2 pruned · 812 pairs/min · ETA 3m26s" in bar
    assert bar.endswith("searching")
    assert now == " now  grain=4,weight=0.1235"
    assert estimate == (
        " about +12.3 [-8.0, 32.1] Elo over the base (by its surface, indicative only)"
    )


@each("width, height", [(200, 50), (80, 12), (60, 24), (40, 3), (30, 2)])
def test_small_terminal_keeps_important_columns(width: int, height: int) -> None:
    lines = study_lines(PROGRESS, width, height)
    assert len(lines) == min(height, 4) and max(map(len, lines)) <= width
    assert "mtdf resume lmr" in lines[0]
    assert "1 204/4 000 pairs" in lines[1] and "ETA 3m26s" in lines[1]


def test_live_lines_before_anything_is_known() -> None:
    empty = replace(
        PROGRESS, pairs_done=0, pruned=0, current=None, estimate=None, eta_s=None,
        pairs_per_minute=None, phase="choice",
    )  # fmt: skip
    _, bar = study_lines(empty)
    assert bar.endswith("0/4 000 pairs · 0 % · trial 37/200   playing the leading points again")


def test_measured_and_predicted_are_distinguished() -> None:
    measured = replace(PROGRESS, phase="gain", estimate=StandingEstimate(9.0, 1.0, 17.0, "pairs"))
    assert study_lines(measured)[-1].endswith("Elo over the base (measured)")
    effort = replace(
        PROGRESS, study=structs.replace(STUDY, settings={"objective": {"kind": "nodes"}})
    )
    assert "% of effort saved" in study_lines(effort)[-1]


def test_log_lines() -> None:
    standing = "phase=search pairs=1204/4000 eta=3m26s estimate=+12.3[-8.0,32.1](surface) pruned=2"
    ends, alone = StudyView().news(replace(PROGRESS, news=(ENDS, ALONE)))
    assert ends == (
        f"lmr trial=37 complete pairs=8 worth=+0.013 point=grain=6 minus=grain=2 {standing}"
    )
    assert alone == (f"lmr trial=38 pruned pairs=20 worth=-0.250 point=grain=9 {standing}")
    assert StudyView().line(PROGRESS) == f"lmr {standing}"


def test_pipe_gets_every_trial_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Live(Invocation(), StudyView()) as live:
        for progress in (
            PROGRESS,
            replace(PROGRESS, news=(ENDS, ALONE)),
            PROGRESS,
            replace(PROGRESS, phase="gain"),
        ):
            live.show(progress)
    lines = capsys.readouterr().err.splitlines()
    kinds = [line.split()[2] if line[:1] == "2" else line.split()[0] for line in lines]
    assert kinds == ["study", "phase=search", "trial=37", "trial=38", "phase=gain"]
    invocation = Invocation()
    invocation.quiet = True
    with Live(invocation, StudyView()) as live:
        live.show(PROGRESS)
    assert capsys.readouterr().err == ""
