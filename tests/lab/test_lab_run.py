"""Runs of the laboratory are stored at once, can be stopped at any time, and resumed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import structs
from msgspec.structs import replace

from db.errors import EventLocked
from db.records.laboratory import LabSearchRecord
from db.session import Database, open_database
from db.storage import file_lock
from engines.backend import make_searcher
from engines.spec import MATE
from engines.variant import parse_variant
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.lab import run as lab_run
from toolkit.lab import searches
from toolkit.lab.measuring import Searchers, SearchTask, run_task
from toolkit.lab.plan import SHIFT, LabPlan, compare_plan, sweep_plan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, cores_of, resume_lab, start_lab, stored_plan
from toolkit.lab.searches import Searched
from toolkit.lab.views import list_runs, run_report, search_rows
from toolkit.runs import lifecycle
from toolkit.runs.lifecycle import last_jobs

TABLE = "entries=2^12,eval=pst"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with open_database(tmp_path / "lab.db") as opened:
        yield opened


@pytest.fixture
def plan() -> LabPlan:
    """Three positions, two depths, three drivers and the two that stand beside them."""
    engines = [parse_variant(f"{driver}:{TABLE}") for driver in ("mtdf", "sss", "bns")]
    return compare_plan(engines, load_suite("lab-60", 3), (1, 2))


def counted(db: Database, run_id: int) -> list[LabSearchRecord]:
    """The stored searches without what depends on clocks."""
    return [
        structs.replace(
            one,
            cpu_us=0,
            searched_at="",
            iterations=[{**each, "cpu_us": 0, "wall_us": 0} for each in one.iterations],
        )
        for one in db.repository.lab_searches(run_id)
    ]


def test_run_searches_everything_once(db: Database, plan: LabPlan) -> None:
    shown: list[LabProgress] = []
    outcome = start_lab(db, plan, name="drivers", on_progress=shown.append)
    assert (outcome.status, outcome.done, outcome.total) == ("done", 15, 15)
    assert (shown[0].done, shown[-1].done) == (0, 15)
    assert stored_plan(db, outcome.run) == plan
    report = run_report(db, outcome.run)
    assert report.values_agree and report.values_compared == 24
    assert len(report.rows) == 10
    assert {row.agree for row in report.rows} == {3}
    rows = list(search_rows(db, outcome.run))
    assert len(rows) == 30 and all(row.cpu_us >= 0 for row in rows)
    windows = {
        tuple(data[:2])
        for row in rows
        if row.engine.startswith("pvs:window")
        for data in row.passes
    }
    assert windows == {(None, None)}, "an open window has no bounds"
    assert {row.move_value is None for row in rows if row.engine.startswith("bns")} == {False}


def test_resumed_run_equals_an_uninterrupted_run(
    db: Database, plan: LabPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = start_lab(db, plan, name="whole", jobs=2)
    stop = threading.Event()

    def stop_at_four(progress: LabProgress) -> None:
        if progress.done >= 4:
            stop.set()

    cut = start_lab(db, plan, name="cut", on_progress=stop_at_four, stop=stop)
    assert cut.status == "interrupted" and 4 <= cut.done < 15
    before = db.repository.lab_searches(cut.run.id)
    resumed = resume_lab(db, "cut", jobs=2)
    assert (resumed.status, resumed.done) == ("done", 15)
    after = db.repository.lab_searches(cut.run.id)
    assert [one for one in after if one in before] == before, "nothing was searched again"
    assert counted(db, cut.run.id) == counted(db, whole.run.id)
    assert resume_lab(db, "cut").done == 15


@pytest.mark.parametrize("kind", ["compare", "sweep"])
def test_stored_searches_are_not_repeated(
    db: Database, plan: LabPlan, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The searches that are really made, whatever the database would keep of them."""
    if kind == "sweep":
        engine = parse_variant(f"mtdf:{TABLE}")
        plan = sweep_plan([engine], SHIFT, ["-30", "7"], load_suite("lab-60", 3), (2,))
    made: list[int] = []

    def search_here(
        tasks: Iterable[SearchTask], pool: None, stop: threading.Event
    ) -> Iterator[list[Searched]]:
        searchers = Searchers(make_searcher)
        for task in tasks:
            if stop.is_set():
                return
            made.append(task.number)
            yield [Searched(task, run_task(task, searchers))]

    monkeypatch.setattr(lab_run, "search_pool", lambda jobs, game: nullcontext())
    monkeypatch.setattr(lab_run, "search_all", search_here)
    total, done = plan.searches, 0
    for stops_at in (4, total - 2, total, total):
        stop = threading.Event()

        def stop_there(
            progress: LabProgress, at: int = stops_at, stop: threading.Event = stop
        ) -> None:
            if progress.done >= at:
                stop.set()

        before = len(made)
        if done:
            outcome = resume_lab(db, "cut", on_progress=stop_there, stop=stop)
        else:
            outcome = start_lab(db, plan, name="cut", on_progress=stop_there, stop=stop)
        assert outcome.done == stops_at
        assert len(made) - before == stops_at - done, "as many searches as were missing"
        done = stops_at
    assert Counter(made) == Counter(range(total)), "each of them once"


@pytest.mark.workers
@pytest.mark.slow
def test_searches_are_stored_during_a_long_search(
    db: Database, toys: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The third position is searched only when two searches are in the database."""
    engines = [parse_variant(f"{driver}:{TABLE}") for driver in ("mtdf", "alphabeta")]
    plan = compare_plan(engines[:1], load_suite("lab-60", 3), (1,), engines[1])
    monkeypatch.setenv(toys.DOOMED, plan.positions[toys.AWAITED].fen)
    monkeypatch.setenv(toys.STORE, str(tmp_path / "lab.db"))
    patient = partial(searches.search_pool, make=toys.PatientSearcher)
    monkeypatch.setattr(searches, "search_pool", patient)
    outcome = start_lab(db, plan)
    assert (outcome.status, outcome.problem, outcome.done) == ("done", None, 6)


def test_run_is_locked_by_its_process(
    db: Database, plan: LabPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one that would go on with a running run is refused and changes nothing."""
    monkeypatch.setattr(file_lock, "PATIENCE_S", 0.0)
    refused: list[bool] = []
    stop = threading.Event()

    def go_on_elsewhere(progress: LabProgress) -> None:
        stop.set()
        if refused:
            return
        refused.append(False)
        with open_database(tmp_path / "lab.db") as other:
            ended = threading.Event()
            ended.set()
            with pytest.raises(EventLocked):
                resume_lab(other, "one", stop=ended)
            refused[0] = True
            assert other.repository.find_lab_run("one").status == "running"

    outcome = start_lab(db, plan, name="one", on_progress=go_on_elsewhere, stop=stop)
    assert refused == [True] and outcome.status == "interrupted"
    ended = threading.Event()
    ended.set()
    assert resume_lab(db, "one", stop=ended).status == "interrupted", "free again"


def test_first_guess_lies_at_its_distance_from_the_value(db: Database) -> None:
    engine = parse_variant(f"mtdf:{TABLE},convergence=plaat,below=0")
    plan = sweep_plan([engine], SHIFT, ["-30", "0", "7"], load_suite("lab-60", 3), (3,))
    outcome = start_lab(db, plan)
    assert outcome.run.name == "lab-1"
    found = {(s.engine, s.position): s for s in db.repository.lab_searches(outcome.run.id)}
    for (number, place), search in found.items():
        shift = plan.engines[number].shift
        if shift is not None:
            assert search.iterations[-1]["first_guess"] == found[0, place].value + shift
            assert search.value == found[0, place].value
    report = run_report(db, outcome.run)
    assert report.measure == "last"
    assert report.engines == [plan.engines[0].variant.label] + [
        f"{engine.label} first_guess_offset={shift}" for shift in (-30, 0, 7)
    ]
    assert [run.row.engines for run in list_runs(db)] == [report.engines]
    told = {(row.parameter, row.parameter_value) for row in search_rows(db, outcome.run)}
    assert told == {(None, None), *((SHIFT, shift) for shift in ("-30", "0", "7"))}
    passes = {row.parameter_value: row.passes for row in report.rows}
    assert passes["0"] == 2.0, "from the value itself it takes two"


def test_first_guess_shifted_beyond_a_mate_stays_a_value(db: Database, tmp_path: Path) -> None:
    mate = tmp_path / "mate.epd"
    mate.write_text("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\n", encoding="utf-8")
    engine = parse_variant(f"mtdf:{TABLE}")
    plan = sweep_plan([engine], SHIFT, ["-40", "40"], load_suite(str(mate)), (2,))
    outcome = start_lab(db, plan)
    assert (outcome.status, outcome.problem) == ("done", None)
    guesses = [
        one.first_guess for one in search_rows(db, outcome.run) if one.engine == engine.label
    ]
    value = MATE - 1
    assert guesses == [value - 40] * 2 + [MATE] * 2


@pytest.mark.parametrize("change", [{"signature": "f" * 16}, {"backend": "another"}])
def test_other_core_cannot_resume(
    db: Database, plan: LabPlan, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    stop = threading.Event()
    stop.set()
    outcome = start_lab(db, plan, name="cut", stop=stop)
    assert (outcome.status, outcome.done) == ("interrupted", 0)
    own = this_program()
    for module in (lifecycle, lab_run):
        monkeypatch.setattr(module, "this_program", lambda *_: replace(own, **change))
    with pytest.raises(EngineProblem, match="laboratory run cut was started .*--allow-changed"):
        resume_lab(db, "cut")
    resumed = resume_lab(db, "cut", allow_changed=True, jobs=2)
    assert resumed.status == "done" and last_jobs(db, resumed.run) == 2
    assert cores_of(resumed.run) == (replace(own, **change).core,), "the first searched nothing"
    assert not any("cores" in note for note in run_report(db, resumed.run).notes)


def test_run_names_all_cores_that_searched(
    db: Database, plan: LabPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()

    def stop_after_one(progress: LabProgress) -> None:
        if progress.done:
            stop.set()

    outcome = start_lab(db, plan, name="cut", on_progress=stop_after_one, stop=stop)
    assert outcome.status == "interrupted" and 0 < outcome.done < outcome.total
    own = this_program()
    other = replace(own, signature="f" * 16)
    assert cores_of(outcome.run) == (own.core,)
    monkeypatch.setattr(lab_run, "this_program", lambda *_: other)
    resumed = resume_lab(db, "cut", allow_changed=True)
    assert resumed.status == "done" and cores_of(resumed.run) == (own.core, other.core)
    first = run_report(db, resumed.run).notes[0]
    assert first.startswith(f"searched by 2 cores ({own.backend}:")


def test_names_are_unique(db: Database, plan: LabPlan) -> None:
    stop = threading.Event()
    stop.set()
    start_lab(db, plan, name="one", stop=stop)
    with pytest.raises(UsageError, match="run `one` exists"):
        start_lab(db, plan, name="one")
