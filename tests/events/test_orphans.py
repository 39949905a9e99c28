"""No process is left of an event, however it ends: engines that ignore everything, their children
that hold the pipes, and children of these in sessions of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from db.session import open_database
from engines.external import sweep
from engines.external.process import EngineProcess
from engines.spec import UciCommand

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
EVENT = """
import sys
from toolkit.commands._program import run_program
from cli import program
sys.exit(run_program(program, sys.argv[1:]))
"""
TOKEN = "MTDF_TEST"
"""A variable of the engines, by which everything that they start is found."""


def engine(folder: Path, name: str, *more: str) -> str:
    """A stubborn engine with a child that holds its pipes and one that escaped."""
    words = [sys.executable, "-I", "-S", str(FAKE), "stubborn", *more]
    words += [f"child={folder / f'child-{name}'}", f"escaped={folder / f'escaped-{name}'}"]
    command = " ".join(quote(word, safe="/=:") for word in words)
    return f"uci:{command}?name={name}&env.{TOKEN}={quote(str(folder), safe='')}"


def family(folder: Path) -> set[int]:
    """All processes that run and that engines of this folder are or started."""
    token = f"\0{TOKEN}={folder}\0".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                told = b"\0" + (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(") ")[2][0]
            except OSError:
                continue
            if token in told and state not in "ZX":
                found.add(int(entry.name))
    return found


def children(pid: int) -> list[int]:
    """The workers of an event's process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(") ")[2].split()[1]
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(parent) == pid and b"spawn_main" in words:
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


Event = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def event(tmp_path: Path) -> Iterator[Event]:
    """Starts an event of two such engines, and waits until games are stored and both play."""
    started = []

    def start(*more: str, jobs: int = 1, pairs: int = 2000) -> subprocess.Popen[str]:
        words = ["match", *(engine(tmp_path, name, *more) for name in ("one", "two"))]
        words += ["--pairs", str(pairs), "--nodes", "10", "--max-plies", "4", "--jobs", str(jobs)]
        words += ["--draw", "off", "--resign", "off", "--db", str(tmp_path / "games.db")]
        process = subprocess.Popen(
            [sys.executable, "-c", EVENT, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        if pairs > 1:
            wait_until(lambda: len(family(tmp_path)) >= 6 * jobs and games(tmp_path) > 0)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
    for pid in family(tmp_path):
        os.kill(pid, signal.SIGKILL)


def games(folder: Path) -> int:
    path = folder / "games.db"
    if not path.exists():
        return 0
    with open_database(path, read_only=True) as db:
        return db.repository.count_games()


@pytest.mark.slow
def test_finished_event_leaves_no_process(event: Event, tmp_path: Path) -> None:
    process = event(pairs=1)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert games(tmp_path) == 2
    assert not family(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_event_leaves_no_process(
    event: Event, tmp_path: Path, number: signal.Signals
) -> None:
    process = event("sleep=go:0.2", jobs=2)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + number, err
    assert "continue with: mtdf resume" in err
    assert not family(tmp_path)


@pytest.mark.slow
def test_killed_coordinator_leaves_no_process(event: Event, tmp_path: Path) -> None:
    process = event("sleep=go:0.2", jobs=2)
    process.kill()
    wait_until(lambda: not family(tmp_path))


@pytest.mark.slow
def test_killed_worker_leaves_no_process(event: Event, tmp_path: Path) -> None:
    """The pair is played again by another worker, with other engines."""
    process = event("sleep=go:0.2")
    before = family(tmp_path)
    (worker,) = children(process.pid)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not before & family(tmp_path))
    wait_until(lambda: len(family(tmp_path)) >= 6)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=300)
    assert not family(tmp_path)


@pytest.mark.slow
def test_next_start_ends_processes_of_killed_run(event: Event, tmp_path: Path) -> None:
    """Engines end with their worker; what they started ends with the next run."""
    process = event("sleep=go:0.2", jobs=2)
    workers = children(process.pid)
    assert len(workers) == 2
    for pid in (process.pid, *workers):
        os.kill(pid, signal.SIGSTOP)  # so that none sees another one die
    for pid in (*workers, process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    wait_until(lambda: all(b"fake_uci" not in command_of(pid) for pid in family(tmp_path)))
    words = ["match", "mtdf", "pvs", "--pairs", "1", "--nodes", "1", "--max-plies", "1"]
    subprocess.run(
        [sys.executable, "-c", EVENT, *words, "--db", str(tmp_path / "next.db"), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert not family(tmp_path)


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number"), [("identifies", signal.SIGINT), ("tests", signal.SIGTERM)]
)
def test_engines_hanging_before_game_leave_no_process(
    tmp_path: Path, command: str, number: signal.Signals
) -> None:
    """While they are identified, side by side, and while one is tested."""
    if command == "tests":
        words = ["engines", "test", engine(tmp_path, "one", "hang=go")]
    else:
        words = ["round-robin", "--pairs", "1", "--nodes", "1"]
        words += [engine(tmp_path, f"engine{at}", "hang=uci") for at in range(6)]
    process = subprocess.Popen(
        [sys.executable, "-c", EVENT, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        wait_until(lambda: len(family(tmp_path)) >= (3 if command == "tests" else 12))
        if command == "tests":
            time.sleep(0.5)
        process.send_signal(number)
        process.communicate(timeout=300)
        assert process.returncode == 128 + number
        assert not family(tmp_path)
    finally:
        process.kill()
        for pid in family(tmp_path):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_next_start_reports_what_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cli import program
    from toolkit.commands._program import run_program

    # A variable that runs beside this test do not look for.
    monkeypatch.setattr(sweep, "OWNER", f"MTDF_OWNER_OF_{os.getpid()}")
    code = "from engines.external.sweep import new_mark; print(new_mark())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    left = subprocess.Popen(["sleep", "600"], env=os.environ | {sweep.OWNER: told.stdout.strip()})
    living = EngineProcess(UciCommand(("cat",)))
    words = ["match", "mtdf", "pvs", "--pairs", "1", "--nodes", "1", "--max-plies", "1", "--quiet"]
    assert run_program(program, [*words, "--db", str(tmp_path / "games.db")]) == 0
    assert "warning: ended 1 process that engines of a killed run left behind" in (
        capsys.readouterr().err.splitlines()
    )
    assert left.wait(300) == -signal.SIGKILL
    assert living.running and family_of(living.pid)
    living.kill()


def family_of(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
