"""Searching in worker processes, and what becomes of it when they die or are to stop."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType

import pytest

from engines.backend import make_searcher
from engines.variant import parse_variant
from toolkit.errors import EngineProblem
from toolkit.lab.effort import SearchTask, exact_effort
from toolkit.lab.pool import Searched, SearchPool, search_all
from toolkit.play.openings import default_book

VARIANT = parse_variant("mtdf:entries=2^12,eval=pst")


def tasks(count: int) -> list[SearchTask]:
    fens = [opening.fen for opening in default_book().openings[:count]]
    return [SearchTask(number, (VARIANT,), fen, 2) for number, fen in enumerate(fens)]


def drain(pool: SearchPool, wanted: list[SearchTask]) -> list[Searched]:
    for task in wanted:
        pool.submit(task)
    found = []
    while pool.pending:
        searched = pool.next_searched(threading.Event())
        assert searched is not None
        found.append(searched)
    return found


def test_every_task_is_done_once_and_costs_what_it_costs_here() -> None:
    wanted = tasks(9)
    done = list(search_all(wanted, 2, threading.Event()))
    assert multiprocessing.active_children() == []
    assert sorted(one.task.number for one in done) == list(range(9))
    direct = make_searcher(VARIANT)
    for one in done:
        assert one.task == wanted[one.task.number]
        (effort,) = one.efforts
        assert effort.nodes == exact_effort(direct, one.task.fen, 2).nodes


def test_workers_and_searchers_live_from_task_to_task(toys: ModuleType) -> None:
    with SearchPool(2, toys.CountingSearcher) as pool:
        efforts = [one.efforts[0] for _ in range(2) for one in drain(pool, tasks(10))]
    pids = {effort.passes for effort in efforts}
    assert len(pids) == 2
    for pid in pids:
        # Of one searcher in each process, which counts its searches.
        counts = [effort.cpu_us for effort in efforts if effort.passes == pid]
        assert counts == list(range(1, len(counts) + 1))


def test_a_death_that_does_not_come_again_costs_no_task(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = tasks(8)
    monkeypatch.setenv(toys.DOOMED, wanted[3].fen)
    monkeypatch.setenv(toys.SPARED, str(tmp_path / "spared"))
    with SearchPool(2, toys.DeadlySearcher) as pool:
        done = drain(pool, wanted)
    assert (tmp_path / "spared").exists()
    assert sorted(one.task.number for one in done) == list(range(8))


def test_a_search_that_kills_again_is_named_in_one_line(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tasks(8)
    monkeypatch.setenv(toys.DOOMED, wanted[3].fen)
    with SearchPool(2, toys.DeadlySearcher) as pool, pytest.raises(EngineProblem) as caught:
        drain(pool, wanted)
    assert str(caught.value) == (
        f"searching {wanted[3].fen} to depth 2 by {VARIANT.label} ended its worker process "
        "2 times (Killed)"
    )
    assert multiprocessing.active_children() == []


def test_a_worker_that_died_idle_is_replaced(toys: ModuleType) -> None:
    with SearchPool(1, toys.CountingSearcher) as pool:
        (first,) = drain(pool, tasks(1))
        (child,) = multiprocessing.active_children()
        assert child.pid == first.efforts[0].passes != os.getpid()
        child.kill()
        child.join()
        (second,) = drain(pool, tasks(1))
        assert second.efforts[0].passes != first.efforts[0].passes


def test_workers_are_deaf_to_ctrl_c(toys: ModuleType) -> None:
    with SearchPool(1, toys.CountingSearcher) as pool:
        for task in tasks(2):
            pool.submit(task)
        (child,) = multiprocessing.active_children()
        assert child.pid is not None
        os.kill(child.pid, signal.SIGINT)  # while it starts
        first = drain(pool, [])
        os.kill(child.pid, signal.SIGINT)
        again = drain(pool, tasks(1))
    assert {one.efforts[0].passes for one in [*first, *again]} == {child.pid}
    assert len(first) == 2


def test_a_search_that_fails_is_told_in_one_line(toys: ModuleType) -> None:
    with SearchPool(1, toys.FailingSearcher) as pool, pytest.raises(EngineProblem) as caught:
        drain(pool, tasks(1))
    assert str(caught.value).endswith(f"by {VARIANT.label} failed: no memory for a table")


def test_a_request_to_stop_kills_the_workers_in_their_searches(toys: ModuleType) -> None:
    stop = threading.Event()
    begin = time.monotonic()
    with SearchPool(2, toys.SlowSearcher) as pool:
        for task in tasks(4):
            pool.submit(task)
        threading.Timer(1.0, stop.set).start()
        assert pool.next_searched(stop) is None
    assert time.monotonic() - begin < 10
    assert multiprocessing.active_children() == []


def test_stopped_searches_of_all_end(toys: ModuleType) -> None:
    stop = threading.Event()
    found = search_all(tasks(50), 1, stop)
    next(found)
    stop.set()
    assert list(found) == []
    assert multiprocessing.active_children() == []


def test_no_tasks_start_no_process() -> None:
    assert list(search_all([], 2, threading.Event())) == []
    with SearchPool(2) as pool, pytest.raises(ValueError, match="no task is pending"):
        pool.next_searched(threading.Event())
    assert multiprocessing.active_children() == []


def test_workers_die_with_the_coordinator(toys: ModuleType) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(toys.__file__).parent)!r})\n"
        "import multiprocessing, os, signal, toy_searchers\n"
        "from engines.variant import parse_variant\n"
        "from toolkit.lab.effort import SearchTask\n"
        "from toolkit.lab.pool import SearchPool\n"
        "if __name__ == '__main__':\n"
        "    pool = SearchPool(1, toy_searchers.SlowSearcher)\n"
        "    pool.submit(SearchTask(0, (parse_variant('mtdf'),), 'any', 1))\n"
        "    print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and "Z" not in _state(pid):
        assert time.monotonic() < deadline, "the worker outlived its coordinator"
        time.sleep(0.05)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except FileNotFoundError:
        return "Z"
