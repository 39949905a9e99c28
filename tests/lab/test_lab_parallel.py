"""Engines with several threads, relative to themselves on one."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import pytest

from db.session import Database
from engines.spec import Pass
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.lab import run as lab_run
from toolkit.lab.cost import DepthCost, geometric_mean
from toolkit.lab.effort import DepthEffort
from toolkit.lab.parallel import parallel_plan, parse_threads, times_of
from toolkit.lab.plan import LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, resume_lab, start_lab, stored_plan
from toolkit.lab.views import run_report

TABLE = "entries=2^12,eval=pst"
WAYS = ("lazy", "abdada")


def planned(*engines: str, threads: str = "2,8", cores: int = 2, depth: int = 3) -> LabPlan:
    """A plan on four positions."""
    variants = [parse_variant(engine) for engine in engines]
    suite = load_suite("lab-60", 4)
    numbers = parse_threads(threads)
    return parallel_plan(variants, numbers, WAYS, suite, depth, mode="exact", cores=cores)


def cost(wall_us: int, cpu_us: int) -> DepthCost:
    """A search that took so long."""
    passes = (Pass(-1, 1, 0, 10),)
    effort = DepthEffort(1, 0, "a1a2", 0, 10, 0, 0, 0, 0, 0, cpu_us, None, passes, wall_us)
    return DepthCost(10, 0, 0, cpu_us, wall_us, effort)


def test_engines_are_compared_with_themselves_on_one_thread() -> None:
    plan = planned(f"mtdf:{TABLE}", f"pvs:{TABLE},name=mine")
    assert [(one.variant.threads, one.baseline) for one in plan.engines] == [
        *((1, 0), (2, 0), (8, 0), (2, 0), (8, 0)),
        *((1, 5), (2, 5), (8, 5), (2, 5), (8, 5)),
    ]
    assert plan.names[6:8] == ["mine:lazy-2", "mine:lazy-8"]
    ways = [one.variant.parameters["parallel"] for one in plan.engines[1:5]]
    assert ways == ["lazy", "lazy", "abdada", "abdada"]
    one, other = (parse_variant(f"mtdf:{TABLE}"), plan.engines[0].variant)
    assert one.identity == other.identity, "one thread is the engine as it always was"


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="`minimax` searches with one thread only"):
        planned("minimax")
    with pytest.raises(UsageError, match="name the engine without them"):
        planned("mtdf:threads=2")
    with pytest.raises(UsageError, match="engine `mtdf` is given twice"):
        planned("mtdf", "mtdf")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2", (2,)), ("1,2,2,4", (2, 4)), ("8,2..4", (8, 2, 3, 4)), ("02,2", (2,))],
)
def test_numbers_of_threads(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_threads(text) == numbers


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1", "--threads `1`: one thread is always measured; give numbers above 1"),
        ("01", "one thread is always measured"),
        ("0", "--threads `0`: numbers of threads are from 1 to 64"),
        ("2,65", "--threads `2,65`: numbers of threads are from 1 to 64"),
        ("-2", "numbers of threads are from 1 to 64"),
        ("x", "--threads `x`: expected values such as"),
    ],
)
def test_numbers_that_cannot_be_compared(text: str, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        parse_threads(text)


def test_times_are_paired_by_position() -> None:
    plan = planned(f"mtdf:{TABLE}")
    base = [cost(100 * (place + 1), 100 * (place + 1)) for place in range(12)]
    own = [cost(50 * (place + 1), 80 * (place + 1)) for place in range(12)]
    times = times_of(plan, plan.engines[1], own, base)
    assert times["speedup"] == pytest.approx(2)
    assert times["speedup_low95"] == times["speedup_high95"] == pytest.approx(2)
    assert times["idle"] == pytest.approx(0.2), "80 of two times 50"
    mean = math.prod(one.wall_us for one in own) ** (1 / 12)
    assert times["wall_ms"] == pytest.approx(mean / 1000)
    many = times_of(plan, plan.engines[2], own, base)
    assert many["speedup"] is many["speedup_low95"] is many["idle"] is None, "8 threads on 2 cores"
    assert many["wall_ms"] == times["wall_ms"]


@pytest.mark.native
def test_drivers_that_prove_a_move_agree_too(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(f"bns:{TABLE}", f"mtd-best:{TABLE}", threads="2,3", depth=4)
    report = run_report(db, start_lab(db, plan, name="moves").run)
    assert report["values_agree"] and report["values_compared"] == 32
    assert not any("the same nodes" in note for note in report["notes"])


def test_intervals_stay_within_the_ratios() -> None:
    for small in (1e-3, 1e-4, 1e-5):
        found = geometric_mean([0.0] * 10 + [small, 0.4])
        assert found["ratio"] is not None and found["high"] is not None
        assert 1 <= found["ratio"] <= found["high"] <= math.exp(0.4)


@pytest.mark.native
def test_a_stopped_run_goes_on_and_all_values_agree(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    plan, stop = planned(f"mtdf:{TABLE}", f"alphabeta:{TABLE}"), threading.Event()

    def stop_at_four(progress: LabProgress) -> None:
        if progress.done >= 4:
            stop.set()

    cut = start_lab(db, plan, name="cut", on_progress=stop_at_four, stop=stop)
    assert cut.status == "interrupted" and 4 <= cut.done < plan.searches == 40
    assert stored_plan(db, cut.run) == plan
    with pytest.raises(UsageError, match="one search at a time"):
        resume_lab(db, "cut", jobs=2)
    monkeypatch.setattr(lab_run, "available_cores", lambda: 16)
    with pytest.raises(UsageError, match="began on a machine with 2 cores, and this one has 16"):
        resume_lab(db, "cut")
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    before = db.repository.lab_searches(cut.run.id)
    done = resume_lab(db, "cut")
    after = db.repository.lab_searches(cut.run.id)
    assert (done.status, done.done) == ("done", 40)
    assert [one for one in after if one in before] == before, "nothing was searched again"
    report = run_report(db, done.run)
    assert report["values_agree"] and report["values_compared"] == 32
    judged = {row["parameter_value"] for row in report["rows"] if row["speedup"] is not None}
    assert judged == {"1", "2"}
    assert all(row["wall_ms"] for row in report["rows"])
    notes = " ".join(report["notes"])
    assert "not repeatable" in notes and "the machine has 2 cores" in notes
    with pytest.raises(UsageError, match="with itself on one thread"):
        run_report(db, done.run, "mtdf")


def test_times_of_other_runs_are_not_told(db: Database) -> None:
    plan = replace(planned(f"mtdf:{TABLE}", threads="2"), kind="sweep", cores=None)
    base, own = [cost(100, 100)] * 12, [cost(50, 90)] * 12
    assert set(times_of(plan, plan.engines[1], own, base).values()) == {None}
