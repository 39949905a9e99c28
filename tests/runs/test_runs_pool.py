"""In the worker pool every task ends once, a death costs only its task, and no process stays."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from toolkit.runs.executor import POLL_S, Done, Executor, Failed, Retried
from toolkit.runs.pool import MAX_ATTEMPTS, WorkerPool

Task = tuple[Any, ...]
pytestmark = pytest.mark.workers


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy work, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("toy_tasks")


@pytest.fixture
def pool(toys: ModuleType) -> Iterator[WorkerPool[Task, Any]]:
    """Two workers."""
    with WorkerPool[Task, Any](toys.work, 2) as made:
        yield made
    assert multiprocessing.active_children() == []


def drain(pool: Executor[Task, Any], tasks: list[Task] = []) -> list[Any]:  # noqa: B006
    """All reports on these tasks and those submitted before."""
    for task in tasks:
        pool.submit(task)
    reports: list[Any] = []
    while pool.pending:
        reports += pool.finished(POLL_S)
    return reports


def results(reports: list[Any]) -> list[Any]:
    return [report.result[0] for report in reports if isinstance(report, Done)]


def pids(reports: list[Any]) -> set[int]:
    return {report.result[1] for report in reports if isinstance(report, Done)}


@pytest.mark.parametrize("defines", [True, False])
def test_a_worker_imports_a_main_module_that_defines_something(
    toys: ModuleType, tmp_path: Path, defines: bool
) -> None:
    """Pickled work may refer to what it defines. One that defines nothing is a program's script."""
    main = tmp_path / "main.py"
    own = "def own() -> None: ...\n" if defines else ""
    main.write_text(
        "import os, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "print('imported', flush=True)\n"
        f"{own}"
        "if __name__ == '__main__':\n"
        "    import toy_tasks\n"
        "    from toolkit.runs.pool import WorkerPool\n"
        "    with WorkerPool(toy_tasks.work, 1) as pool:\n"
        "        pool.submit(('double', 1))\n"
        "        while not pool.finished(1.0):\n"
        "            pass\n"
    )
    done = subprocess.run([sys.executable, main], capture_output=True, text=True, check=True)
    assert done.stdout.count("imported") == 1 + defines


def test_every_task_ends_once(pool: WorkerPool[Task, Any]) -> None:
    reports = drain(pool, [("double", number) for number in range(100)])
    assert sorted(results(reports)) == [2 * number for number in range(100)]
    assert all(report.result[0] == 2 * report.task[1] for report in reports)


@pytest.mark.slow
def test_workers_are_kept_between_tasks(pool: WorkerPool[Task, Any]) -> None:
    reports = [*drain(pool, [("double", 1)] * 20), *drain(pool, [("double", 1)] * 20)]
    assert len(pids(reports)) == 2
    for pid in pids(reports):
        counts = [one.result[2] for one in reports if one.result[1] == pid]
        assert counts == list(range(1, len(counts) + 1))


@pytest.mark.slow
def test_only_short_tasks_are_batched(pool: WorkerPool[Task, Any]) -> None:
    assert pool.room == 4, "of unknown length"
    drain(pool, [("sleep", 0.2)] * 4)
    assert pool.room <= 8
    drain(pool, [("double", 1)] * 400)
    assert pool.room > 8


@pytest.mark.slow
def test_few_tasks_are_spread_over_workers(pool: WorkerPool[Task, Any]) -> None:
    drain(pool, [("double", 1)] * 100)
    assert pool.room > 8
    reports = drain(pool, [("sleep", 0.1)] * 8)
    shares = sorted(sum(r.result[1] == pid for r in reports) for pid in pids(reports))
    assert len(shares) == 2 and shares[0] > 1


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 3, 7])
def test_only_task_that_kills_its_workers_fails(pool: WorkerPool[Task, Any], place: int) -> None:
    drain(pool, [("double", 1)] * 100)  # so that tasks travel together
    tasks: list[Task] = [("double", number) for number in range(8)]
    tasks[place] = ("die", signal.SIGKILL)
    reports = drain(pool, tasks)
    (retried,) = (one for one in reports if isinstance(one, Retried))
    (failed,) = (one for one in reports if isinstance(one, Failed))
    assert retried == Retried(tasks[place], "killed by SIGKILL")
    assert failed == Failed(
        tasks[place], MAX_ATTEMPTS, "its worker process died 2 times (killed by SIGKILL)"
    )
    others = [2 * number for number in range(8) if number != place]
    assert sorted(results(reports)) == others


@pytest.mark.slow
def test_single_death_fails_no_task(pool: WorkerPool[Task, Any], tmp_path: Path) -> None:
    spared = str(tmp_path / "spared")
    tasks: list[Task] = [("double", 1), ("die", signal.SIGSEGV, spared), ("double", 2)]
    reports = drain(pool, tasks)
    assert [one.reason for one in reports if isinstance(one, Retried)] == ["killed by SIGSEGV"]
    assert sorted(one.task for one in reports if isinstance(one, Done)) == sorted(tasks)


@pytest.mark.slow
def test_idle_worker_that_died_is_replaced(toys: ModuleType) -> None:
    with WorkerPool[Task, Any](toys.work, 1) as pool:
        (first,) = drain(pool, [("double", 1)])
        (child,) = multiprocessing.active_children()
        child.kill()
        child.join()
        (second,) = drain(pool, [("double", 1)])
    assert pids([first]) == {child.pid} != pids([second])


@pytest.mark.slow
def test_exception_fails_its_task_only(
    pool: WorkerPool[Task, Any],
) -> None:
    tasks: list[Task] = [("raise",), ("double", 1), ("exit",), ("double", 2), ("mute",)]
    reports = drain(pool, tasks)
    failed = {one.task: (one.attempts, one.reason) for one in reports if isinstance(one, Failed)}
    assert failed == {
        ("raise",): (1, "ZeroDivisionError: a bug in two lines"),
        ("exit",): (1, "SystemExit: 3"),
        ("mute",): (1, "_Mute"),
    }
    assert sorted(results(reports)) == [2, 4]


@pytest.mark.slow
def test_unpicklable_result_is_failure(pool: WorkerPool[Task, Any]) -> None:
    (report,) = drain(pool, [("unsendable",)])
    assert isinstance(report, Failed) and report.reason.startswith("TypeError: cannot pickle")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "attempts", "reason"),
    [
        ("broken_work", 1, "ImportError: no such module"),
        ("deadly_work", 2, "its worker process died 2 times (exit code 7)"),
    ],
)
def test_broken_work_fails_its_tasks(
    toys: ModuleType, name: str, attempts: int, reason: str
) -> None:
    with WorkerPool[Task, Any](getattr(toys, name), 1) as pool:
        failures = [one for one in drain(pool, [("double", 1)] * 3) if isinstance(one, Failed)]
    assert [(one.attempts, one.reason) for one in failures] == [(attempts, reason)] * 3


@pytest.mark.slow
def test_workers_ignore_terminal_signals(toys: ModuleType) -> None:
    with WorkerPool[Task, Any](toys.work, 1) as pool:
        pool.submit(("mask",))
        pool.finished(0)
        (child,) = multiprocessing.active_children()
        assert child.pid is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(child.pid, number)  # while it starts
        (first,) = drain(pool)
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(child.pid, number)
        (second,) = drain(pool, [("double", 1)])
    assert results([first]) == [[signal.SIGINT, signal.SIGTERM]]
    assert pids([first, second]) == {child.pid}


@pytest.mark.slow
@pytest.mark.parametrize("what", ["sleep", "spin"])
def test_closing_ends_running_workers(toys: ModuleType, what: str) -> None:
    with WorkerPool[Task, Any](toys.work, 2) as pool:
        drain(pool, [("double", 1)] * 2)
        pool.submit((what, 60) if what == "sleep" else (what,))
        assert pool.finished(0) == []
        assert len(multiprocessing.active_children()) == 2
    assert multiprocessing.active_children() == []
    pool.close()


def test_without_tasks_no_process_starts(pool: WorkerPool[Task, Any]) -> None:
    assert pool.finished(0) == [] and pool.pending == 0
    assert multiprocessing.active_children() == []


COORDINATOR = """
import multiprocessing, os, signal, sys
sys.path.insert(0, sys.argv[1])
import toy_tasks
from toolkit.runs.pool import WorkerPool
if __name__ == "__main__":
    pool = WorkerPool(toy_tasks.work, 2)
    if sys.argv[3] == "started":
        for number in range(2):
            pool.submit(("double", 1))
        while pool.pending:
            pool.finished(1)
    for number in range(2):
        pool.submit(("spin",))
    pool.finished(0)
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    {
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "exited": lambda: os._exit(0),
        "raised": lambda: 1 / 0,
        "forgot": lambda: None,
    }[sys.argv[2]]()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "when"),
    [
        *(("killed", "starting"), ("killed", "started"), ("exited", "started")),
        *(("raised", "started"), ("forgot", "starting")),
    ],
)
def test_workers_end_with_coordinator(toys: ModuleType, how: str, when: str) -> None:
    """In the middle of a task that never leaves the interpreter, and while they start."""
    folder = str(Path(str(toys.__file__)).parent)
    done = subprocess.run(
        [sys.executable, "-c", COORDINATOR, folder, how, when],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert len(done.stdout.split()) == 2
    assert ("ZeroDivisionError" in done.stderr) == (how == "raised")
    assert done.stderr.count("Traceback") == (how == "raised")
    deadline = time.monotonic() + 300
    while any(map(runs, done.stdout.split())):
        assert time.monotonic() < deadline, "a worker outlived its coordinator"
        time.sleep(0.02)


def runs(pid: str) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:  # gone, before or while it is read
        return False
    return "Z" not in stat.rpartition(")")[2]
