"""A plan lists what an event would play, and invalid jobs are refused."""

from __future__ import annotations

import pytest

from engines.limit import Limit
from toolkit.base.errors import UsageError
from toolkit.events.plan import plan_event
from toolkit.events.settings import gauntlet_settings, match_settings
from toolkit.referee.adjudication import Adjudication


def test_plan_lists_what_would_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolkit.events.plan.WARM_UP_S", 600.0)
    monkeypatch.setattr("toolkit.events.plan.WARM_UP_LIMIT_S", 600.0)
    settings = gauntlet_settings(
        ["mtdf:hash=1"],
        ["pvs:hash=1,name=base", "alphabeta:hash=1"],
        pairs=100,
        limit=Limit(nodes=20),
        seed=7,
        adjudication=Adjudication(max_plies=10),
    )
    plan = plan_event(settings, jobs=2)
    assert plan.pairings == [["mtdf:hash=1", "base"], ["mtdf:hash=1", "alphabeta:hash=1"]]
    assert (plan.kind, plan.pairs, plan.games, plan.seed) == ("gauntlet", 100, 400, 7)
    assert (plan.book, plan.lines, plan.lines_used) == ("balanced-20k", 20_000, 200)
    assert (plan.limit, plan.deterministic) == ("20 nodes/move", True)
    assert plan.adjudication == "draw 8@8cp:40, resign 4@600cp:both, length 10 plies"
    assert plan.estimate_basis == "from 12 warm-up games"
    assert plan.estimate_s is not None and plan.estimate_s > 0


def test_clock_needs_no_warm_up() -> None:
    settings = match_settings("mtdf", "pvs", pairs=50, limit=Limit(base_ms=10_000, inc_ms=100))
    one, two = plan_event(settings, jobs=1), plan_event(settings, jobs=2)
    assert one.estimate_basis == "from the clock"
    # 100 games of 2 x 8.5 s of the base and 120 x 0.1 s of increment.
    assert one.estimate_s == pytest.approx(2900)
    assert two.estimate_s == pytest.approx(1450)
    controls = match_settings("mtdf", "pvs", pairs=50, limit=Limit(base_ms=10_000, moves=40))
    # 60 moves a side take the base one and a half times.
    assert plan_event(controls).estimate_s == pytest.approx(2550)
    settings = match_settings("mtdf", "pvs", pairs=5, limit=Limit(movetime_ms=100))
    assert plan_event(settings).estimate_s == pytest.approx(120)


def test_warm_up_can_be_skipped() -> None:
    settings = match_settings("mtdf", "pvs", pairs=5, limit=Limit(nodes=10**9))
    plan = plan_event(settings, warm_up=False)
    assert (plan.estimate_s, plan.estimate_basis) == (None, "not estimated")


@pytest.mark.parametrize("jobs", [0, -1, 10**9])
def test_invalid_jobs_are_refused(jobs: int) -> None:
    settings = match_settings("mtdf", "pvs", pairs=5, limit=Limit(nodes=1))
    with pytest.raises(UsageError, match="jobs"):
        plan_event(settings, jobs=jobs)
