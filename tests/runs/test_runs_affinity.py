"""Workers and what they start run on processors of their own."""

from __future__ import annotations

import importlib
import os
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from toolkit.base.errors import UsageError
from toolkit.runs import affinity
from toolkit.runs.affinity import cores_of_workers
from toolkit.runs.executor import POLL_S, Cores, Done
from toolkit.runs.pool import WorkerPool

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="the system pins no processes"
)
Task = tuple[Any, ...]


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy work, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("toy_tasks")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Make a machine: ``machine({0: "0,4", ...})`` gives the siblings of each processor."""

    def make(siblings: dict[int, str]) -> None:
        for processor, text in siblings.items():
            if text:
                (tmp_path / str(processor)).write_text(f"{text}\n")
        monkeypatch.setattr(affinity, "_TOPOLOGY", f"{tmp_path}/{{}}")
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(siblings))

    return make


def sets(*cores: set[int]) -> tuple[Cores, ...]:
    return tuple(frozenset(some) for some in cores)


def test_whole_cores_come_first(machine: Any) -> None:
    machine({0: "0,4", 1: "1,5", 2: "2,6", 3: "3,7", 4: "0,4", 5: "1,5", 6: "2,6", 7: "3,7"})
    assert cores_of_workers(4, 1) == sets({0}, {1}, {2}, {3})
    assert cores_of_workers(6, 1) == sets({0}, {1}, {2}, {3}, {4}, {5})
    assert cores_of_workers(2, 2) == sets({0, 1}, {2, 3})


def test_siblings_with_neighbouring_numbers(machine: Any) -> None:
    machine({0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"})
    assert cores_of_workers(2, 1) == sets({0}, {2})
    assert cores_of_workers(4, 1) == sets({0}, {2}, {1}, {3})


def test_only_allowed_processors_are_used(machine: Any) -> None:
    machine({3: "", 5: "", 11: ""})  # and nothing is known of their cores
    assert cores_of_workers(3, 1) == sets({3}, {5}, {11})


@pytest.mark.parametrize(
    ("jobs", "each", "advice"), [(4, 1, "--jobs 3"), (2, 2, "--jobs 1"), (1, 4, "fewer threads")]
)
def test_too_few_processors_are_refused(machine: Any, jobs: int, each: int, advice: str) -> None:
    machine({0: "0", 1: "1", 2: "2"})
    message = f"needs? 4 processor cores and there are 3: use {advice}"
    with pytest.raises(UsageError, match=message) as refused:
        cores_of_workers(jobs, each)
    assert "\n" not in str(refused.value)


def test_sets_are_distinct(machine: Any) -> None:
    machine({number: str(number) for number in range(12)})
    for jobs, each in ((12, 1), (6, 2), (4, 3), (5, 2)):
        found = cores_of_workers(jobs, each)
        assert [len(cores) for cores in found] == [each] * jobs
        assert len(frozenset().union(*found)) == jobs * each


def drain(pool: WorkerPool[Task, Any], tasks: list[Task]) -> list[Any]:
    for task in tasks:
        pool.submit(task)
    reports: list[Any] = []
    while pool.pending:
        reports += pool.finished(POLL_S)
    return [report.result for report in reports if isinstance(report, Done)]


@pytest.mark.slow
@pytest.mark.workers
def test_replacement_workers_are_pinned_too(toys: ModuleType, tmp_path: Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("there is one processor")
    cores = sets({usable[0]}, {usable[1]})
    look: list[Task] = [("pinned", 0.05)] * 12
    with WorkerPool[Task, Any](toys.work, 2, cores) as pool:
        before = drain(pool, look)
        spared = str(tmp_path / "spared")
        drain(pool, [("die", signal.SIGKILL, spared), *look])
        after = drain(pool, look)
    assert os.sched_getaffinity(0) == set(usable)  # ours did not change
    for results in (before, after):
        of_worker = {pid: (own, child) for (own, child), pid, _ in results}
        assert sorted(own for own, _ in of_worker.values()) == [[one] for one in usable[:2]]
        assert all(own == child for own, child in of_worker.values())
    assert {pid for _, pid, _ in before} != {pid for _, pid, _ in after}


@pytest.mark.slow
@pytest.mark.workers
def test_without_cores_no_worker_is_pinned(toys: ModuleType) -> None:
    with WorkerPool[Task, Any](toys.work, 1) as pool:
        ((found, _, _),) = drain(pool, [("pinned", 0.0)])
    assert found == (sorted(os.sched_getaffinity(0)),) * 2
