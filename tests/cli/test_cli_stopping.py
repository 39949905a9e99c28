"""Ctrl-C and SIGTERM at seeded random moments save every run and leave no process."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from db.session import open_database

PROGRAM = """
import importlib, os, signal, sys, threading

import cli

trigger, calls, delays, number = sys.argv[1:5]
del sys.argv[1:5]
if trigger == "main":
    place, name, function = None, "", cli.main
else:
    module, _, path = trigger.partition(":")
    place = importlib.import_module(module)
    *classes, name = path.split(".")
    for one in classes:
        place = getattr(place, one)
    function = getattr(place, name)
left = int(calls)

def signalling(*arguments, **options):
    global left
    left -= 1
    if left == 0:
        for delay in delays.split("+"):
            threading.Timer(float(delay), os.killpg, (0, int(number))).start()
    return function(*arguments, **options)

if place is not None:
    setattr(place, name, signalling)
    cli.main()
else:
    signalling()
"""
"""Runs ``mtdf``, and sends a signal to its process group some time after the n-th call of a
function; ``+`` separates the times of several signals."""

MADE, COMMIT = "toolkit.events.event:store_event", "db.repository:Repository.commit_pairs"
START, CLOSE = "toolkit.runs.pool:WorkerPool._start", "toolkit.runs.pool:WorkerPool.close"
STATUS = "db.repository:Repository.set_status"
LAB_MADE, LAB_STORE = "toolkit.lab.run:store_run", "db.repository:Repository.add_lab_searches"
CHUNK = "toolkit.books.making:_LineSearch._take"

AT_ITS_END = -signal.SIGINT
"""The exit code of a process that the signal ended when all was said and saved (cli.py)."""

EVENT = "match mtdf pvs --pairs 60 --nodes 60 --max-plies 20 --seed 3 --jobs 2".split()
LONG = "match mtdf pvs --pairs 4000 --nodes 2000 --seed 3 --jobs 2".split()
"""Does not end by itself before it is stopped."""
LAB = (
    "lab compare --engine mtdf:entries=2^12,eval=pst --depth 2..4 --limit-positions 30 --jobs 2 "
    "--name cut"
).split()
BOOK = (
    "openings make b.epd --count 300 --plies 4 --nodes 60 --judge pvs:entries=2^12 --jobs 2"
).split()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without anything in it."""
    path = tmp_path_factory.mktemp("empty") / "mtdf.db"
    open_database(path).close()
    return path


def stop(
    folder: Path,
    words: list[str],
    trigger: str,
    calls: int,
    delays: str,
    number: signal.Signals = signal.SIGINT,
) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that is stopped so, of which nothing stays."""
    arguments = [trigger, str(calls), delays, str(int(number)), *words]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=os.environ | {"MTDF_DB": "mtdf.db", "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, err = process.communicate(timeout=600)
    deadline = time.monotonic() + 600
    while left := list(group(process.pid)):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.02)
    assert "Traceback" not in err and "xception" not in err, err
    return process.returncode, out, err


def group(pgid: int) -> list[str]:
    """The processes of a group that run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, owner = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it has just ended
        if int(owner) == pgid and state != "Z":
            found.append(path.parent.name)
    return found


def count(folder: Path, query: str) -> int:
    with closing(sqlite3.connect(folder / "mtdf.db")) as connection:
        return int(connection.execute(query).fetchone()[0])


def check_event(folder: Path, code: int, out: str, err: str) -> None:
    """An event that was stopped, or was done before."""
    assert code in (0, 130, AT_ITS_END), err
    games = count(folder, "SELECT count(*) FROM games")
    assert games % 2 == 0
    if code != 130:
        assert games == 120
        return
    if not count(folder, "SELECT count(*) FROM events"):
        assert err.splitlines()[-1].startswith("stopped by ")
        return
    with closing(sqlite3.connect(folder / "mtdf.db")) as connection:
        key, status = connection.execute("SELECT key, status FROM events").fetchone()
    last = err.splitlines()[-1]
    assert last.endswith(f"continue with: mtdf resume {key}") or games == 120
    assert status == ("done" if games == 120 else "interrupted")
    if f"event {key}: " in last:
        saved = re.search(r": (\d+) of 120 games are saved", last)
        assert saved is not None and int(saved[1]) == games
        assert (f"standings after {games} of 120 games" in out) == (games > 0)
    shown = [int(found) for found in re.findall(r" (\d+)/120 eta", err)]
    assert games >= max([0, *shown])


def moments(seed: int, number: int) -> list[tuple[str, int, str]]:
    """Random moments of an event: what is done, the how manyeth time, and seconds after that."""
    rng = random.Random(seed)
    found = []
    for place in range(number):
        trigger = (MADE, START, COMMIT, CLOSE, STATUS)[place % 5]
        calls = {START: rng.choice([1, 2]), COMMIT: rng.choice([1, 2]), STATUS: rng.choice([1, 2])}
        found.append((trigger, calls.get(trigger, 1), f"{rng.choice([0, 0.003, 0.03, 0.2]):g}"))
    return found


def lab_moments(seed: int, number: int) -> list[tuple[str, int, str]]:
    """The same of a laboratory run."""
    rng = random.Random(seed)
    triggers = (LAB_MADE, START, LAB_STORE, CLOSE)
    return [
        (triggers[place % 4], rng.choice([1, 2]) if place % 4 in (1, 2) else 1, f"{delay:g}")
        for place in range(number)
        for delay in [rng.choice([0, 0.003, 0.03, 0.2])]
    ]


def book_moments(seed: int, number: int) -> list[tuple[str, int, str]]:
    """The same of a book that is made."""
    rng = random.Random(seed)
    return [
        ((START, CHUNK, CLOSE)[place % 3], 1, f"{rng.choice([0, 0.003, 0.03, 0.2]):g}")
        for place in range(number)
    ]


def run_event(tmp_path: Path, empty: Path, moment: tuple[str, int, str]) -> None:
    shutil.copy(empty, tmp_path / "mtdf.db")
    check_event(tmp_path, *stop(tmp_path, EVENT, *moment))


def run_lab(tmp_path: Path, empty: Path, moment: tuple[str, int, str]) -> None:
    shutil.copy(empty, tmp_path / "mtdf.db")
    code, _, err = stop(tmp_path, LAB, *moment)
    assert code in (0, 130, AT_ITS_END), err
    if code != 130:
        assert count(tmp_path, "SELECT count(*) FROM lab_runs WHERE status = 'done'") == 1
    elif count(tmp_path, "SELECT count(*) FROM lab_runs"):
        assert err.splitlines()[-1].endswith("continue with: mtdf resume cut")


def run_book(tmp_path: Path, moment: tuple[str, int, str]) -> None:
    code, out, err = stop(tmp_path, BOOK, *moment)
    assert code in (0, 130, AT_ITS_END), err
    assert (tmp_path / "b.epd").exists() == (code != 130)
    assert (tmp_path / "b.epd.partial").exists() == (code == 130)
    if code == 130:
        assert out == "" and "are saved in b.epd.partial" in err.splitlines()[-1]


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "moment",
    [pytest.param(moment, marks=[] if moment[0] == COMMIT else SLOW) for moment in moments(1, 5)],
)
def test_ctrl_c_during_an_event(tmp_path: Path, empty: Path, moment: tuple[str, int, str]) -> None:
    run_event(tmp_path, empty, moment)


@pytest.mark.slow
@pytest.mark.parametrize("moment", lab_moments(1, 4))
def test_ctrl_c_during_a_lab_run(tmp_path: Path, empty: Path, moment: tuple[str, int, str]) -> None:
    run_lab(tmp_path, empty, moment)


@pytest.mark.slow
@pytest.mark.parametrize("moment", book_moments(1, 3))
def test_ctrl_c_while_making_a_book(tmp_path: Path, moment: tuple[str, int, str]) -> None:
    run_book(tmp_path, moment)


@pytest.mark.slow
def test_ctrl_c_during_startup(tmp_path: Path, empty: Path) -> None:
    """Before anything is made, too."""
    for number in range(1, 8):
        (folder := tmp_path / str(number)).mkdir()
        run_event(folder, empty, ("main", 1, f"{0.2 * number:g}"))


@pytest.mark.slow
def test_sigterm_saves_and_stops(tmp_path: Path, empty: Path) -> None:
    shutil.copy(empty, tmp_path / "mtdf.db")
    code, _, err = stop(tmp_path, LONG, COMMIT, 1, "0", signal.SIGTERM)
    assert code == 143, err
    assert "continue with: mtdf resume " in err.splitlines()[-1]
    games = count(tmp_path, "SELECT count(*) FROM games")
    assert games > 0 and games % 2 == 0


@pytest.mark.slow
@pytest.mark.parametrize("trigger", [START, COMMIT])
def test_second_ctrl_c_ends_at_once(tmp_path: Path, empty: Path, trigger: str) -> None:
    """During the standings at the latest, which the first one asks for."""
    shutil.copy(empty, tmp_path / "mtdf.db")
    code, _, err = stop(tmp_path, LONG, trigger, 1, "0+0.05")
    assert code == 130, err
    assert "mtdf resume " in err.splitlines()[-1]
    assert count(tmp_path, "SELECT count(*) FROM games") % 2 == 0
