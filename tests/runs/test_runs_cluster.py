"""On a cluster every task ends once, whichever process dies."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from toolkit.base.errors import ExecutorLost, OperationFailed, UsageError
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.dask.executor import ClusterExecutor
from toolkit.runs.dask.worker_side import Taken, take_on, this_build
from toolkit.runs.executor import MAX_ATTEMPTS, POLL_S, Done, Executor, Failed, Retried
from toolkit.runs.jobs import at_once, on_this_machine

Task = tuple[Any, ...]
HERE = Path(__file__).parent
PATIENCE_S = 600.0


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy work."""
    monkeypatch.syspath_prepend(str(HERE))
    return importlib.import_module("toy_tasks")


@pytest.fixture(scope="module")
def running(
    local_cluster: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Processes of a cluster with one worker of two slots, for tests that leave it as it is."""
    with local_cluster(tmp_path_factory.mktemp("cluster"), HERE) as processes:
        processes.start_worker(slots=2)
        yield processes


@pytest.fixture
def processes(local_cluster: Callable[..., Any], tmp_path: Path) -> Iterator[Any]:
    """Processes of a cluster without workers, for tests that kill."""
    with local_cluster(tmp_path, HERE) as made:
        yield made


def executor(
    processes: Any, toys: ModuleType, fitted: str = "fitted", heard: list[str] | None = None
) -> ClusterExecutor[Task, Any]:
    notice = None if heard is None else heard.append
    return ClusterExecutor(Cluster(processes.address, notice), getattr(toys, fitted))


def drain(pool: Executor[Task, Any], tasks: list[Task]) -> list[Any]:
    """All reports on these tasks."""
    for task in tasks:
        pool.submit(task)
    reports: list[Any] = []
    deadline = time.monotonic() + PATIENCE_S
    while pool.pending:
        reports += pool.finished(POLL_S)
        assert time.monotonic() < deadline, reports
    return reports


def results(reports: list[Any]) -> list[Any]:
    return [report.result[0] for report in reports if isinstance(report, Done)]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:  # gone, before or while it is read
        return False
    return "Z" not in stat.rpartition(")")[2]


def test_every_task_ends_once(running: Any, toys: ModuleType) -> None:
    with executor(running, toys) as pool:
        reports = drain(pool, [("double", number) for number in range(100)])
        again = drain(pool, [("double", number) for number in range(50)])
    assert sorted(results(reports)) == [2 * number for number in range(100)]
    assert all(report.result[0] == 2 * report.task[1] for report in reports)
    pids = {report.result[1] for report in (*reports, *again)}
    assert len(pids) == 2, "processes live from batch to batch"


@pytest.mark.slow
def test_only_short_tasks_are_batched(running: Any, toys: ModuleType) -> None:
    with executor(running, toys) as pool:
        assert pool.room == 1, "no worker is known yet"
        drain(pool, [("sleep", 0.5)] * 6)
        assert pool.room == 4, "one at work and one ahead"
        drain(pool, [("double", 1)] * 400)
        assert pool.room > 4


@pytest.mark.slow
def test_exception_fails_its_task_only(running: Any, toys: ModuleType) -> None:
    tasks: list[Task] = [("raise",), ("double", 1), ("exit",), ("double", 2), ("unsendable",)]
    with executor(running, toys) as pool:
        reports = drain(pool, tasks)
    failed = {one.task: (one.attempts, one.reason) for one in reports if isinstance(one, Failed)}
    why = failed.pop(("unsendable",))[1]
    assert failed == {
        ("raise",): (1, "ZeroDivisionError: a bug in two lines"),
        ("exit",): (1, "SystemExit: 3"),
    }
    assert why.startswith("TypeError: cannot pickle")
    assert sorted(results(reports)) == [2, 4]


@pytest.mark.slow
def test_crash_fails_its_task_and_no_worker(running: Any, toys: ModuleType) -> None:
    tasks: list[Task] = [("double", number) for number in range(8)]
    tasks[3] = ("die", signal.SIGSEGV)
    with executor(running, toys) as pool:
        reports = drain(pool, tasks)
        assert len(drain(pool, [("double", 1)])) == 1
    (retried,) = (one for one in reports if isinstance(one, Retried))
    (failed,) = (one for one in reports if isinstance(one, Failed))
    assert retried == Retried(tasks[3], "killed by SIGSEGV")
    assert (failed.task, failed.attempts) == (tasks[3], MAX_ATTEMPTS)
    assert sorted(results(reports)) == [2 * number for number in range(8) if number != 3]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["sleep", "spin"])
def test_closing_ends_running_tasks(
    running: Any, toys: ModuleType, tmp_path: Path, what: str
) -> None:
    told = tmp_path / "pid"
    with executor(running, toys) as pool:
        drain(pool, [("tell", str(told))])
        pool.submit((what, 60) if what == "sleep" else (what,))
        pool.finished(0.5)
        pid = int(told.read_text())
        assert runs(pid)
    wait_until(lambda: not runs(pid), "a slot goes on with what nobody waits for")
    pool.close()
    with executor(running, toys) as pool:
        assert len(drain(pool, [("double", 1)] * 4)) == 4, "the slots are free again"


@pytest.mark.slow
def test_slots_and_processes(running: Any, toys: ModuleType) -> None:
    cluster = Cluster(running.address)
    assert (at_once(cluster), at_once(7)) == (2, 7)
    assert on_this_machine("--affinity", 3) == 3
    with pytest.raises(UsageError, match="--affinity works with processes of this machine only"):
        on_this_machine("--affinity", cluster)


def test_missing_scheduler_is_reported(tmp_path: Path) -> None:
    missing = tmp_path / "scheduler.json"
    with pytest.raises(OperationFailed, match="cannot read the scheduler file"):
        _ = Cluster(str(missing)).client
    missing.write_text('{"address": 7')
    with pytest.raises(OperationFailed, match="cannot read the scheduler file"):
        _ = Cluster(str(missing)).client
    missing.write_text('{"id": "Scheduler-7"}')
    with pytest.raises(OperationFailed, match="is not a scheduler file: it has no `address`"):
        _ = Cluster(str(missing)).client
    for address in ("somewhere", "tcp://host:0", "tcp://host:65536", "tcp://host:８７８６"):
        with pytest.raises(UsageError, match="is not a scheduler"):
            Cluster(address)


@pytest.mark.slow
def test_scheduler_file_replaces_address(running: Any, toys: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(f'{{"address": "{running.address}"}}')
    with ClusterExecutor(Cluster(str(file)), toys.fitted) as pool:
        assert results(drain(pool, [("double", 4)])) == [8]


@pytest.mark.slow
def test_run_without_fit_worker_is_refused(running: Any, toys: ModuleType) -> None:
    with (
        executor(running, toys, "fitted_nowhere") as pool,
        pytest.raises(OperationFailed, match="refused, 2 slots are not enough"),
    ):
        drain(pool, [("double", 1)])
    running.wait_for("worker", "refused a run: 2 slots are not enough")


def test_other_build_is_refused() -> None:
    """Two checkouts may have one version."""
    worker = SimpleNamespace(state=SimpleNamespace(nthreads=3))

    def taking() -> Taken:
        return asyncio.run(take_on("run", "0.1.0 (of yesterday)", b"", worker))  # type: ignore[arg-type]

    with ThreadPoolExecutor(1) as threads:  # Playwright may have a loop in this one
        taken = threads.submit(taking).result()
    assert taken == Taken(3, f"it has mtdf {this_build()} and the coordinator 0.1.0 (of yesterday)")


@pytest.mark.slow
def test_silent_listener_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the port of Dask's pages, which waits for a request."""
    monkeypatch.setattr("toolkit.runs.dask.cluster._CONNECT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cluster = Cluster(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(OperationFailed, match="no scheduler answers at tcp://.*timed out"):
            _ = cluster.client


@pytest.mark.slow
def test_other_protocol_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as threads:
        cluster = Cluster(f"tcp://127.0.0.1:{listener.getsockname()[1]}")

        def greet() -> None:
            with listener.accept()[0] as connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

        threads.submit(greet)
        with pytest.raises(OperationFailed, match="no Dask scheduler listens there"):
            _ = cluster.client


@pytest.mark.slow
def test_late_scheduler_is_waited_for(local_cluster: Any, tmp_path: Path) -> None:
    heard: list[str] = []
    with local_cluster(tmp_path) as processes:
        processes.scheduler.kill()
        processes.scheduler.wait()

        def hear(text: str) -> None:
            heard.append(text)
            processes.start_scheduler()

        cluster = Cluster(processes.address, hear)
        assert cluster.slots == 0
        cluster.close()
    assert heard == [f"waiting for a scheduler at {processes.address}"]


@pytest.mark.slow
def test_unfit_workers_get_nothing(processes: Any, toys: ModuleType) -> None:
    """Of those that are there, and of those that come later."""
    heard: list[str] = []
    fit = processes.start_worker("fit", MTDF_TEST_FIT="1")
    processes.start_worker("unfit")
    with executor(processes, toys, "fitted_where_allowed", heard) as pool:
        drain(pool, [("sleep", 0.05)] * 10)
        processes.start_worker("late", MTDF_TEST_FIT="1")
        pids: set[int] = set()
        deadline = time.monotonic() + PATIENCE_S
        while len(pids) < 2:
            assert time.monotonic() < deadline, "the one that came does not work"
            pids |= {one.result[1] for one in drain(pool, [("sleep", 0.05)] * 20)}
    (line,) = heard
    assert line.endswith("refused: a variable is missing")
    assert fit.poll() is None


@pytest.mark.slow
def test_waiting_for_first_worker_is_reported(processes: Any, toys: ModuleType) -> None:
    heard: list[str] = []
    with executor(processes, toys, heard=heard) as pool:
        pool.submit(("double", 1))
        assert pool.finished(0.3) == [] and pool.pending == 1
        assert heard == [
            f"the cluster at {processes.address} has no worker: waiting for one "
            f"(mtdf worker {processes.address})"
        ]
        processes.start_worker()
        assert results(drain(pool, [])) == [2]


@pytest.mark.slow
def test_dying_worker_loses_no_task(processes: Any, toys: ModuleType, tmp_path: Path) -> None:
    """Nothing is lost, and nothing is reported twice, with short tasks and long ones."""
    first = processes.start_worker("first")
    processes.start_worker("second")
    with executor(processes, toys) as pool:
        drain(pool, [("double", 0)] * 100)
        told = tmp_path / "pid"
        tasks: list[Task] = [("sleep", 0.02)] * 150
        for task in tasks:
            pool.submit(task)
        reports = []
        while sum(isinstance(one, Done) for one in reports) < 20:
            reports += pool.finished(POLL_S)
        first.kill()
        reports += drain(pool, [("tell", str(told))])
    done = [one.task for one in reports if isinstance(one, Done)]
    assert done.count(("sleep", 0.02)) == 150 and len(done) == 151
    assert [one for one in reports if isinstance(one, Failed)] == []


@pytest.mark.slow
def test_ended_worker_returns_its_tasks(processes: Any, toys: ModuleType) -> None:
    first = processes.start_worker("first")
    with executor(processes, toys) as pool:
        drain(pool, [("double", 0)])
        for number in range(6):
            pool.submit(("sleep", 0.5, number)[:2])
        reports = pool.finished(0.2)
        first.terminate()
        first.wait(PATIENCE_S)
        assert first.returncode == 0 and "Traceback" not in processes.said("first")
        processes.start_worker("second")
        reports += drain(pool, [])
    assert len(results(reports)) == 6
    assert not [one for one in reports if isinstance(one, Retried)], "nobody died"


@pytest.mark.slow
def test_task_that_kills_workers_fails_alone(processes: Any, toys: ModuleType) -> None:
    """Two deaths may have other causes; then it is alone on two more workers."""
    for number in range(2 * MAX_ATTEMPTS + 1):
        processes.start_worker(f"worker{number}")
    tasks: list[Task] = [("sleep", 0.1), ("die with worker",), *[("sleep", 0.1)] * 20]
    with executor(processes, toys) as pool:
        reports = drain(pool, tasks)
    (failed,) = (one for one in reports if isinstance(one, Failed))
    assert (failed.task, failed.attempts) == (("die with worker",), 2 * MAX_ATTEMPTS)
    assert "4 workers died while they had it, 2 of them with nothing else to do" in failed.reason
    assert len(results(reports)) == 21
    assert sum(isinstance(one, Retried) for one in reports) == 2 * MAX_ATTEMPTS


@pytest.mark.slow
def test_single_death_fails_no_task(processes: Any, toys: ModuleType, tmp_path: Path) -> None:
    processes.start_worker("first")
    processes.start_worker("second")
    tasks: list[Task] = [("die with worker", str(tmp_path / "spared")), *[("double", 1)] * 9]
    with executor(processes, toys) as pool:
        reports = drain(pool, tasks)
    assert len(results(reports)) == 10
    assert sum(isinstance(one, Retried) for one in reports) == 1


@pytest.mark.slow
def test_loss_of_scheduler_is_reported(processes: Any, toys: ModuleType) -> None:
    processes.start_worker()
    with executor(processes, toys) as pool:
        drain(pool, [("double", 0)])
        processes.scheduler.kill()
        with pytest.raises(ExecutorLost, match=f"the scheduler at {processes.address} is gone"):
            drain(pool, [("sleep", 0.2)] * 100)
    processes.wait_for("worker", "waiting for a scheduler")
    processes.start_scheduler()
    wait_until(
        lambda: processes.said("worker").count("connected to") == 2, "the worker does not come back"
    )
    with executor(processes, toys) as pool:
        assert results(drain(pool, [("double", 3)])) == [6]


COORDINATOR = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import toy_tasks
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.dask.executor import ClusterExecutor
if __name__ == "__main__":
    pool = ClusterExecutor(Cluster(sys.argv[2]), toy_tasks.fitted)
    pool.submit(("tell", sys.argv[3]))
    while pool.pending:
        pool.finished(0.1)
    pool.submit(("spin",))
    pool.finished(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_killed_coordinator_frees_slots(running: Any, toys: ModuleType, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    words = [sys.executable, "-c", COORDINATOR, str(HERE), running.address, str(told)]
    done = subprocess.run(words, check=False, timeout=300, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    pid = int(told.read_text())
    wait_until(lambda: not runs(pid), "a slot works for a coordinator that is dead")
    with executor(running, toys) as pool:
        assert len(drain(pool, [("double", 1)] * 4)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_waiting_worker_ends_on_signal(processes: Any, number: signal.Signals) -> None:
    processes.scheduler.kill()
    processes.scheduler.wait()
    worker = processes.start_worker(wait=False)
    processes.wait_for("worker", "waiting for a scheduler")
    os.kill(worker.pid, number)
    assert worker.wait(PATIENCE_S) == 0, processes.said("worker")
    assert "Traceback" not in processes.said("worker")
