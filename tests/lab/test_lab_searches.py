"""Worker processes do each search once, survive a death, report failures and stop at once."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from types import ModuleType

import pytest

from engines.backend import make_searcher
from engines.variant import parse_variant
from toolkit.base.errors import EngineProblem
from toolkit.books.book import default_book
from toolkit.lab.measuring import SearcherFactory, SearchTask, exact_effort
from toolkit.lab.searches import Searched, search_all, search_pool, searched

VARIANT = parse_variant("mtdf:entries=2^12,eval=pst")


def tasks(count: int) -> list[SearchTask]:
    fens = [opening.fen for opening in default_book().openings[:count]]
    return [SearchTask(number, (VARIANT,), fen, 2) for number, fen in enumerate(fens)]


def drain(make: SearcherFactory, wanted: list[SearchTask], jobs: int = 2) -> list[Searched]:
    found: list[Searched] = []
    with search_pool(jobs, make) as pool:
        for task in wanted:
            pool.submit(task)
        while pool.pending:
            found += searched(pool)
    return found


def test_every_task_is_done_once_at_the_same_cost() -> None:
    wanted = tasks(9)
    with search_pool(2) as pool:
        done = [one for group in search_all(wanted, pool, threading.Event()) for one in group]
    assert multiprocessing.active_children() == []
    assert sorted(one.task.number for one in done) == list(range(9))
    direct = make_searcher(VARIANT)
    for one in done:
        assert one.task == wanted[one.task.number]
        (effort,) = one.result
        assert effort.nodes == exact_effort(direct, one.task.fen, 2).nodes


@pytest.mark.workers
@pytest.mark.slow
def test_searchers_live_from_task_to_task(toys: ModuleType) -> None:
    efforts = [one.result[0] for one in drain(toys.CountingSearcher, tasks(20))]
    pids = {effort.passes for effort in efforts}
    assert len(pids) == 2
    for pid in pids:
        # Of one searcher in each process, which counts its searches.
        counts = [effort.cpu_us for effort in efforts if effort.passes == pid]
        assert counts == list(range(1, len(counts) + 1))


@pytest.mark.workers
def test_single_death_of_a_worker_loses_no_task(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = tasks(8)
    monkeypatch.setenv(toys.DOOMED, wanted[3].fen)
    monkeypatch.setenv(toys.SPARED, str(tmp_path / "spared"))
    done = drain(toys.DeadlySearcher, wanted)
    assert (tmp_path / "spared").exists()
    assert sorted(one.task.number for one in done) == list(range(8))


@pytest.mark.workers
@pytest.mark.slow
def test_search_that_kills_two_workers_is_reported_in_one_line(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tasks(8)
    monkeypatch.setenv(toys.DOOMED, wanted[3].fen)
    with pytest.raises(EngineProblem) as caught:
        drain(toys.DeadlySearcher, wanted)
    assert str(caught.value) == (
        f"searching {wanted[3].fen} to depth 2 by {VARIANT.label} failed: its worker process died "
        "2 times (killed by SIGKILL)"
    )
    assert multiprocessing.active_children() == []


@pytest.mark.workers
@pytest.mark.slow
def test_failed_search_is_reported_after_finished_ones(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EngineProblem) as caught:
        drain(toys.FailingSearcher, tasks(1), jobs=1)
    assert str(caught.value).endswith(f"by {VARIANT.label} failed: no memory for a table")
    wanted = tasks(8)
    monkeypatch.setenv(toys.DOOMED, wanted[7].fen)
    done: list[Searched] = []
    with search_pool(1, toys.DeadlySearcher) as pool, pytest.raises(EngineProblem):
        for group in search_all(wanted, pool, threading.Event()):
            done += group
    assert sorted(one.task.number for one in done) == list(range(7))


@pytest.mark.workers
@pytest.mark.slow
def test_stop_kills_workers_during_their_searches(toys: ModuleType) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with search_pool(2, toys.SlowSearcher) as pool:
        assert list(search_all(tasks(4), pool, stop)) == []
    assert multiprocessing.active_children() == []


def test_stop_ends_all_searches() -> None:
    stop = threading.Event()
    with search_pool(1) as pool:
        found = search_all(tasks(50), pool, stop)
        next(found)
        stop.set()
        assert list(found) == []
    assert multiprocessing.active_children() == []
