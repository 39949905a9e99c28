"""Experiments are laboratory runs that are measured once, resumed, and never mixed with others."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from msgspec import structs

from claims import running
from claims.claim import Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.experiment import Experiment, Size, sample
from claims.measured import nodes
from claims.running import evidence_of, experiments_of, measure
from claims.views import judged
from db.session import Database
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.lab.fixed import engines_of
from toolkit.lab.plan import LabPlan, compare_plan
from toolkit.lab.run import LabProgress

ENGINE, BASE = "mtdf:entries=2^12,eval=pst", "pvs:window=0,entries=2^12,eval=pst"


def tiny(name: str = "tiny", positions: int = 12) -> Experiment:
    def plan(size: Size) -> LabPlan:
        suite = sample(size, positions, 2 * positions)
        return compare_plan(engines_of(ENGINE), suite, [2], *engines_of(BASE))

    return Experiment(name, plan)


def _weigh(evidence: Evidence) -> Weighed:
    figure = evidence["tiny"].ratio(ENGINE, BASE, nodes)
    return Weighed({"a": figure}, ClaimChart(across="x", up="y", points=[]))


CLAIM = Claim(1, "t", "s", "o", (tiny(),), (ClaimPart("a", "a", "below", 100),), _weigh)


def stopping_after(searches: int, stop: threading.Event) -> running.ProgressCallback:
    def show(progress: LabProgress) -> None:
        if progress.done >= searches:
            stop.set()

    return show


def test_interrupted_experiment_is_continued(db: Database) -> None:
    stop = threading.Event()
    first = measure(db, tiny(), "quick", on_progress=stopping_after(1, stop), stop=stop)
    assert first.status == "interrupted" and 0 < first.done < first.total
    stored = db.repository.lab_searches(first.run.id)
    second = measure(db, tiny(), "quick")
    assert (second.status, second.run.id) == ("done", first.run.id)
    after = db.repository.lab_searches(first.run.id)
    assert len(after) == second.total
    # What was stored before is what it was: nothing is searched twice.
    assert [one for one in after if one in stored] == stored
    whole = [(one.engine, one.position, one.interior, one.value) for one in after]
    assert measure(db, tiny("other"), "quick").status == "done"
    other = db.repository.lab_searches(second.run.id + 1)
    assert [(one.engine, one.position, one.interior, one.value) for one in other] == whole


def test_complete_experiment_is_used_again(db: Database) -> None:
    first = measure(db, tiny(), "quick")
    seen: list[LabProgress] = []
    second = measure(db, tiny(), "quick", on_progress=seen.append)
    assert (second.status, second.run, seen) == ("done", first.run, [])
    full = measure(db, tiny(), "full")
    assert full.run.id != first.run.id and full.total == 2 * first.total
    row = judged(db, CLAIM, "quick")
    assert row.runs[0].run == "claims-tiny-quick" == first.run.name
    assert row.parts[0].verdict == "holds"


def test_experiments_that_claims_share_are_measured_once() -> None:
    one, two = tiny(), tiny("two")
    claims = [replace(CLAIM, experiments=(one, two)), replace(CLAIM, experiments=(two, one))]
    assert experiments_of(claims) == [one, two]


def test_another_plan_under_the_same_name_is_refused(db: Database) -> None:
    measure(db, tiny(), "quick")
    with pytest.raises(UsageError, match="another plan .* mtdf rm claims-tiny-quick"):
        measure(db, tiny(positions=11), "quick")


@pytest.mark.parametrize("is_done", [True, False])
def test_searches_of_another_core_are_not_mixed(
    db: Database, is_done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    measure(
        db, tiny(), "quick", on_progress=None if is_done else stopping_after(1, stop), stop=stop
    )
    other = structs.replace(this_program(), signature="0123456789abcdef")
    monkeypatch.setattr(running, "this_program", lambda *_: other)
    with pytest.raises(EngineProblem, match=":01234567.* mtdf rm claims-tiny-quick"):
        measure(db, tiny(), "quick")


def test_disagreeing_searches_give_no_verdict(db: Database) -> None:
    run = measure(db, tiny(), "quick").run
    searches = db.repository.lab_searches(run.id)
    db.repository.remove_runs([run])
    stop = threading.Event()
    stop.set()
    again = measure(db, tiny(), "quick", stop=stop).run
    last = searches[0].iterations[-1]
    wrong = {**last, "value": last["value"] + 1}
    forged = structs.replace(searches[0], iterations=[*searches[0].iterations[:-1], wrong])
    db.repository.add_lab_searches(again.id, [forged, *searches[1:]])
    with pytest.raises(EngineProblem, match="disagree .* mtdf show claims-tiny-quick"):
        evidence_of(db, CLAIM, "quick")
