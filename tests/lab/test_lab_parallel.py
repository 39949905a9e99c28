"""Engines with several threads are compared with themselves on one thread."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from db.session import Database
from engines.spec import Pass
from engines.variant import parse_variant
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.base.rows import field_names
from toolkit.lab import notes as lab_notes
from toolkit.lab import run as lab_run
from toolkit.lab.cost import DepthCost, geometric_mean
from toolkit.lab.effort import DepthEffort
from toolkit.lab.measuring import SearchTask
from toolkit.lab.notes import answers_of, disturbed
from toolkit.lab.parallel import (
    against_of,
    first_of,
    parallel_plan,
    parse_threads,
    times_of,
)
from toolkit.lab.plan import LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, resume_lab, start_lab, stored_plan
from toolkit.lab.summary import LabRow
from toolkit.lab.views import run_report

TABLE = "entries=2^12,eval=pst"
WAYS = ("lazy", "abdada")


def planned(
    *engines: str, threads: str = "2,8", cores: int = 2, depth: int = 3, positions: int = 4
) -> LabPlan:
    """A plan on a few positions."""
    variants = [parse_variant(engine) for engine in engines]
    suite = load_suite("lab-60", positions)
    numbers = parse_threads(threads)
    return parallel_plan(variants, numbers, WAYS, suite, [depth], mode="exact", cores=cores)


def test_engines_of_presets_are_called_by_texts_that_mean_them() -> None:
    variants = [one.variant for one in planned("mtdf:preset=plaat,hash=1", threads="2").engines]
    assert [variant.label for variant in variants[1:]] == [
        f"mtdf:preset=plaat,hash=1,threads=2,parallel={way}" for way in WAYS
    ]
    for variant in variants:
        assert parse_variant(variant.label).identity == variant.identity


def cost(wall_us: int, cpu_us: int, nodes: int = 10) -> DepthCost:
    """A search that took so long."""
    passes = (Pass(-1, 1, 0, nodes),)
    effort = DepthEffort(
        depth=1,
        value=0,
        move="a1a2",
        move_value=None,
        first_guess=0,
        interior=nodes,
        **dict.fromkeys(("leaves", "quiescence", "probes", "hits", "cutoffs"), 0),
        cpu_us=cpu_us,
        wall_us=wall_us,
        passes=passes,
    )
    return DepthCost(nodes, 0, 0, cpu_us, wall_us, effort)


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


def test_incomparable_engines_are_refused() -> None:
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
        ("1", "--param threads `1`: one thread is always measured; give numbers above 1"),
        ("01", "one thread is always measured"),
        ("0", "--param threads `0`: numbers of threads are from 1 to 64"),
        ("2,65", "--param threads `2,65`: numbers of threads are from 1 to 64"),
        ("-2", "numbers of threads are from 1 to 64"),
        ("x", "--param threads `x`: expected values such as"),
    ],
)
def test_numbers_that_cannot_be_compared(text: str, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        parse_threads(text)


def test_times_are_paired_by_position() -> None:
    plan = planned(f"mtdf:{TABLE}")
    base = [cost(100 * (place + 1), 100 * (place + 1)) for place in range(12)]
    own = [cost(50 * (place + 1), 80 * (place + 1)) for place in range(12)]
    costs = dict(enumerate(zip(own, base, strict=True)))
    times = times_of(plan, plan.engines[1], costs)
    assert times["speedup"] == pytest.approx(2)
    assert times["speedup_low95"] == times["speedup_high95"] == pytest.approx(2)
    assert times["idle"] == pytest.approx(0.2), "80 of two times 50"
    mean = math.prod(one.wall_us for one in own) ** (1 / 12)
    assert times["wall_ms"] == pytest.approx(mean / 1000)
    many = times_of(plan, plan.engines[2], costs)
    assert many["speedup"] is many["speedup_low95"] is many["idle"] is None, "8 threads on 2 cores"
    assert many["wall_ms"] == times["wall_ms"]


@pytest.mark.native
def test_drivers_that_prove_a_move_agree_too(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(f"bns:{TABLE}", f"mtd-best:{TABLE}", threads="2,3", depth=4)
    report = run_report(db, start_lab(db, plan, name="moves").run)
    assert report.values_agree and report.values_compared == 32
    assert not any("the same nodes" in note for note in report.notes)


def test_intervals_stay_within_the_ratios() -> None:
    for small in (1e-3, 1e-4, 1e-5):
        found = geometric_mean([0.0] * 10 + [small, 0.4])
        assert found.ratio is not None and found.high is not None
        assert 1 <= found.ratio <= found.high <= math.exp(0.4)


@pytest.mark.native
def test_resumed_run_has_the_same_values(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert report.values_agree and report.values_compared == 32
    judged = {row.parameter_value for row in report.rows if row.speedup is not None}
    assert judged == {"1", "2"}
    assert all(row.wall_ms for row in report.rows)
    notes = " ".join(report.notes)
    assert "not repeatable" in notes and "the machine has 2 cores" in notes
    with pytest.raises(UsageError, match="with itself on one thread"):
        run_report(db, done.run, "mtdf")


def test_times_of_other_runs_are_not_reported(db: Database) -> None:
    plan = replace(planned(f"mtdf:{TABLE}", threads="2"), kind="sweep", cores=None)
    costs = dict.fromkeys(range(12), (cost(50, 90), cost(100, 100)))
    assert set(times_of(plan, plan.engines[1], costs).values()) == {None}


def several(rng: np.random.Generator, positions: range) -> dict[int, tuple[DepthCost, DepthCost]]:
    """Costs of an engine and its baseline that have nothing to do with each other."""
    draw = rng.integers(100, 100_000, size=(len(positions), 4))
    return {
        place: (cost(int(a), 1, int(b)), cost(int(c), 1, int(d)))
        for place, (a, b, c, d) in zip(positions, draw, strict=True)
    }


def logs(costs: dict[int, tuple[DepthCost, DepthCost]], places: range, field: str) -> Any:
    """By position: the logarithm of the engine's cost over its baseline's."""
    pairs = [[getattr(one, field) for one in costs[place]] for place in places]
    return -np.diff(np.log(pairs), axis=1)[:, 0]


def test_gains_are_compared_position_by_position() -> None:
    plan = planned(f"pvs:{TABLE}", f"mtdf:{TABLE}")
    rng = np.random.default_rng(3)
    own, first = several(rng, range(40)), several(rng, range(5, 60))
    both = range(5, 40)
    speed = logs(first, both, "wall_us") - logs(own, both, "wall_us")
    nodes = logs(own, both, "nodes") - logs(first, both, "nodes")
    found = against_of(plan, 6, own, first)
    assert found["against"] == plan.names[0]
    assert found["speedup_against"] == pytest.approx(np.exp(speed.mean()))
    assert found["nodes_against"] == pytest.approx(np.exp(nodes.mean()))
    # Bootstrap-t and Student's t differ little for as many positions.
    for values, name in ((speed, "speedup_against"), (nodes, "nodes_against")):
        ends = scipy.stats.t.interval(0.95, len(both) - 1, values.mean(), scipy.stats.sem(values))
        told = [math.log(found[f"{name}_{end}95"]) for end in ("low", "high")]
        assert told == pytest.approx(ends, abs=0.15 * (ends[1] - ends[0]))
    swapped = against_of(plan, 6, first, own)
    assert swapped["speedup_against"] == pytest.approx(1 / np.exp(speed.mean()))


def test_common_effects_of_positions_do_not_widen_intervals() -> None:
    plan = planned(f"pvs:{TABLE}", f"mtdf:{TABLE}")
    gains = [1 + place % 7 for place in range(30)]
    first = {
        place: (cost(1000, 1, 12 * gain), cost(1000 * gain, 1, 10))
        for place, gain in enumerate(gains)
    }
    own = {
        place: (cost(2000, 1, 6 * gain), cost(3000 * gain, 1, 10))
        for place, gain in enumerate(gains)
    }
    found = against_of(plan, 6, own, first)
    speed = (found["speedup_against_low95"], found["speedup_against_high95"])
    assert speed == (pytest.approx(1.5), pytest.approx(1.5))
    nodes = (found["nodes_against_low95"], found["nodes_against_high95"])
    assert nodes == (pytest.approx(0.5), pytest.approx(0.5))
    many = against_of(plan, 7, own, first)
    assert many["speedup_against"] is many["speedup_against_low95"] is None, "8 threads on 2 cores"
    assert many["nodes_against"] == pytest.approx(0.5)


def test_engines_are_compared_with_the_first_at_as_many_threads_used_alike() -> None:
    plan = planned(f"pvs:{TABLE}", f"mtdf:{TABLE}", f"sss:{TABLE}")
    firsts = [first_of(plan, number) for number in range(len(plan.engines))]
    assert firsts == [None] * 6 + [1, 2, 3, 4] + [None] + [1, 2, 3, 4]
    for number, first in enumerate(firsts):
        if first is not None:
            one, other = plan.engines[number].variant, plan.engines[first].variant
            assert one.threads == other.threads
            assert one.parameters["parallel"] == other.parameters["parallel"]
    swept = replace(plan, kind="sweep")
    assert {first_of(swept, number) for number in range(len(plan.engines))} == {None}


def lab_row(**fields: Any) -> LabRow:
    """A row with these fields; all others are null."""
    return LabRow(**dict.fromkeys(field_names(LabRow)) | fields)


def answered(*intervals: tuple[float, float] | None, idle: float = 0.05) -> list[str]:
    """What is said of engine ``b`` against ``a`` with these intervals of its speed-up, with 2, 3
    and more threads; its nodes have none. ``idle``: share of the time of one thread."""
    rows = [
        lab_row(
            baseline="b", against="a", threads=number, parallel="lazy",
            speedup_against_low95=ends and ends[0], speedup_against_high95=ends and ends[1],
        )
        for number, ends in enumerate(intervals, start=2)
    ]  # fmt: skip
    return answers_of([lab_row(threads=1, idle=idle), *rows])


def test_answers_follow_from_the_intervals() -> None:
    assert answered((1.01, 1.2)) == ["speed-up: b gains more than a with 2 threads by lazy"]
    assert answered((0.8, 0.99)) == ["speed-up: b gains less than a with 2 threads by lazy"]
    unsure = ["speed-up: no difference between b and a is shown with 2, 3 threads by lazy"]
    assert answered((0.9, 1.1), (1.0, 1.2)) == unsure
    assert answered((1.1, 1.2), (0.5, 0.6), None, (1.1, 1.3)) == [
        "speed-up: b gains more than a with 2, 5 threads by lazy; "
        "b gains less than a with 3 threads by lazy"
    ]
    assert answered(None) == []


def test_disturbed_machine_gives_no_answer() -> None:
    assert answered((1.01, 1.2), idle=0.11) == []

    def noted(*idle: tuple[int, float | None]) -> list[str]:
        return disturbed([lab_row(threads=number, idle=share) for number, share in idle])

    assert noted((1, 0.1), (2, 0.6), (2, 0.1), (4, None)) == [], "one waits for its own threads"
    (note,) = noted((1, 0.47), (2, 0.1))
    assert note.startswith("one thread was idle 47 % of the time: other programs had the cores")
    (note,) = noted((1, 0.01), (2, 0.47), (2, 0.36), (4, None))
    assert note.startswith("several threads were idle at least 36 % of the time")


def test_engines_search_a_position_one_after_the_other(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SearchTask] = []
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    monkeypatch.setattr(lab_run, "search_all", lambda tasks, *_, **__: asked.extend(tasks) or ())
    plan = planned(f"mtdf:{TABLE}", threads="2", positions=6)
    with pytest.raises(DatabaseProblem, match="order is not done"):
        start_lab(db, plan, name="order")
    turns = [[divmod(task.number, 6)[0] for task in asked[at : at + 3]] for at in range(0, 18, 3)]
    assert turns == 2 * [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    places = [divmod(task.number, 6)[1] for task in asked]
    assert places == [place for place in range(6) for _ in range(3)]


@pytest.mark.native
def test_stored_run_answers(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    monkeypatch.setattr(lab_notes, "disturbed", lambda _: [])  # other programs may have the cores
    monkeypatch.setattr(lab_notes, "_SHORT_MS", math.inf)  # on a slow machine searches take longer
    plan = planned(f"sss:{TABLE},name=first", f"mtdf:{TABLE}", positions=12)
    report = run_report(db, start_lab(db, plan, name="answers").run)
    rows = {row.engine: row for row in report.rows}
    assert [(row.threads, row.parallel) for row in report.rows] == 2 * [
        (1, None), (2, "lazy"), (8, "lazy"), (2, "abdada"), (8, "abdada"),
    ]  # fmt: skip
    assert {row.against for row in report.rows[:6]} == {None}
    assert {row.against for row in report.rows[6:]} == {"first"}
    own, first = rows[plan.names[6]], rows["first:lazy-2"]
    assert own.speedup_against and own.speedup and first.speedup
    assert own.speedup_against == pytest.approx(own.speedup / first.speedup)
    assert own.nodes_against and own.nodes and first.nodes
    assert own.nodes_against == pytest.approx(own.nodes / first.nodes)
    assert own.nodes_against_low95 and rows[plan.names[7]].speedup_against is None
    assert [one.split(":")[0] for one in report.answers] == ["speed-up", "overhead"]
    assert any("ms: times that short" in note and "greater depth" in note for note in report.notes)
    for row in report.rows:
        shares = [row.first_share, row.high_passes, row.first_high, row.later_low]
        assert (set(shares) == {None}) == (row.threads > 1), "nodes of no pass"
