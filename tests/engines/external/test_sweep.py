"""Orphaned engine processes are found by their marks and killed; others are left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engines.external import sweep
from engines.external.process import EngineProcess
from engines.spec import UciCommand

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
Marked = Callable[[str], "subprocess.Popen[bytes]"]
OWN = f"MTDF_OWNER_OF_{os.getpid()}"
"""The variable of these tests, so that runs beside them do not end their processes."""


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Marked]:
    """Starts a process with this mark; it is killed after the test."""
    monkeypatch.setattr(sweep, "OWNER", OWN)
    started = []

    def start(mark: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["sleep", "600"], env=os.environ | {OWN: mark})
        started.append(process)
        # Popen returns a moment before the system shows the environment of the new program.
        deadline = time.monotonic() + 300
        while OWN.encode() not in Path(f"/proc/{process.pid}/environ").read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.001)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def dead_owner() -> str:
    """The mark of a process that has ended, as it would have made it."""
    code = "from engines.external.sweep import new_mark; print(new_mark())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def test_marks_are_unique() -> None:
    one, other = sweep.new_mark(), sweep.new_mark()
    assert one is not None and one != other
    assert one.split(":")[:3] == str(other).split(":")[:3]
    assert one.startswith(f"{os.getpid()}:")


def test_processes_of_dead_owner_are_killed(marked: Marked) -> None:
    left = [marked(dead_owner()), marked(dead_owner())]
    assert sweep.kill_orphans() <= 2, "a run beside this test may be the first to find one"
    assert [one.wait(300) for one in left] == [-signal.SIGKILL] * 2
    assert sweep.kill_orphans() == 0


@pytest.mark.slow
def test_processes_of_living_owners_are_kept(marked: Marked) -> None:
    """Of owners that live, whose number now means another process, or of which nothing is known."""
    living = str(sweep.new_mark())
    pid, start, namespace, number = dead_owner().split(":")
    here = living.split(":")
    safe = [
        living,
        f"{os.getppid()}:{_start_of(os.getppid())}:{namespace}:1",
        f"{pid}:{start}:{int(namespace) + 1}:{number}",
        "",
        "nonsense",
        f"{pid}:{start}:{namespace}",
        f"{pid}:{start}:{namespace}:x",
    ]
    kept = [marked(mark) for mark in safe]
    reused = marked(f"{here[0]}:{int(here[1]) - 1}:{here[2]}:1")
    assert sweep.kill_orphans() == 1
    assert reused.wait(300) == -signal.SIGKILL
    assert [one.poll() for one in kept] == [None] * len(kept)


def _start_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]


@pytest.mark.slow
def test_zombie_owner_counts_as_dead(marked: Marked) -> None:
    owner = subprocess.Popen(["sleep", "600"])
    namespace = str(sweep.new_mark()).split(":")[2]
    left = marked(f"{owner.pid}:{_start_of(owner.pid)}:{namespace}:1")
    assert sweep.kill_orphans() == 0
    owner.kill()
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    assert sweep.kill_orphans() == 1
    assert left.wait(300) == -signal.SIGKILL
    owner.wait()


@pytest.mark.slow
def test_sweep_spares_its_own_process(marked: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a program that an engine started, and whose owner died, all processes have its mark."""
    mark = dead_owner()
    ours = marked(mark)
    monkeypatch.setenv(OWN, mark)
    assert sweep.kill_orphans() == 0
    assert ours.poll() is None


@pytest.mark.slow
def test_children_end_with_their_own_engine_only(
    fake: Callable[..., UciCommand], tmp_path: Path
) -> None:
    files = [tmp_path / "one", tmp_path / "other"]
    engines = [EngineProcess(fake(f"escaped={file}")) for file in files]
    try:
        for engine in engines:
            engine.send(b"isready\n")
            engine.read_until(b"readyok", 60)
        children = [_escaped(file) for file in files]
        assert all(map(is_alive, children))
        engines[0].close()
        assert not is_alive(children[0])
        assert is_alive(children[1])
    finally:
        for engine in engines:
            engine.kill()
    assert not is_alive(children[1])


def _escaped(file: Path) -> int:
    """The last process that the scripted engine left in a session of its own."""
    deadline = time.monotonic() + 300
    while not (file.exists() and file.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int(file.read_text().split()[-1])


WORKER = """
    import os, signal, subprocess, sys, time
    from engines.external import process, sweep
    from engines.spec import UciCommand

    sweep.adopt_orphans()
    assert sweep.adopts_orphans()

    def pids():
        return open(sys.argv[1]).read().split() if os.path.exists(sys.argv[1]) else []

    def started():
        before = len(pids())
        one = process.EngineProcess(UciCommand(tuple(sys.argv[2:])))
        one.send(b"isready\\n")
        one.read_until(b"readyok", 60)
        while len(pids()) == before:
            time.sleep(0.01)
        return one
"""


def run_worker(code: str, file: Path, command: UciCommand) -> list[str]:
    """What a process prints that adopts what its engines leave behind, and goes on with this."""
    text = textwrap.dedent(WORKER) + textwrap.dedent(code)
    words = [sys.executable, "-c", text, str(file), *command.argv]
    told = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert not told.stderr
    return told.stdout.split()


@pytest.mark.slow
def test_worker_finds_escaped_processes_itself(
    fake: Callable[..., UciCommand], tmp_path: Path
) -> None:
    code = """
        def refused(): raise AssertionError("it looked at all processes")
        sweep._own_processes = refused
        kept = started()
        for _ in range(3):
            started().close()
        print(*pids())
        kept.send(b"isready\\n")
        assert kept.read_until(b"readyok", 60) is not None
        print(len(sweep._children()))  # the engine that was kept, and what it left behind
        print(*(os.path.exists(f"/proc/{pid}") for pid in pids()))
        process.kill_all()
        print(len(sweep._children()))
    """
    file = tmp_path / "pids"
    told = run_worker(code, file, fake(f"escaped={file}"))
    assert told[4:] == ["2", "True", "False", "False", "False", "0"]
    assert not any(is_alive(int(pid)) for pid in told[:4])


@pytest.mark.slow
def test_process_without_environment_ends_with_worker(
    fake: Callable[..., UciCommand], tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    script = tmp_path / "engine"
    script.write_text(f'#!/bin/sh\nsetsid env -i sleep 600 & echo $! >> {file}\nexec "$@"\n')
    script.chmod(0o755)
    command = UciCommand((str(script), *fake().argv))
    code = "one = started(); print(*pids()); process.end_all(); os._exit(0)"
    (pid,) = run_worker(code, file, command)
    assert not is_alive(int(pid))


@pytest.mark.slow
def test_ended_strays_are_reaped(fake: Callable[..., UciCommand], tmp_path: Path) -> None:
    code = """
        one = started()
        pid = int(pids()[0])
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        process.bury_strays()
        print(sweep._children() == [one.pid])
        one.kill()
    """
    file = tmp_path / "pids"
    assert run_worker(code, file, fake(f"escaped={file}")) == ["True"]


@pytest.mark.slow
def test_all_engines_of_worker_end_together(
    fake: Callable[..., UciCommand], tmp_path: Path
) -> None:
    """Polite ones hear `quit` and end by themselves. The others, which flood, are stopped, or
    ignore everything, have one time of grace in common."""
    code = """
        wanted = ["log=" + sys.argv[1] + ".log", "stubborn", "stderr", "deaf=isready"]
        engines = [
            process.EngineProcess(UciCommand((*sys.argv[2:], wanted[number % 4])))
            for number in range(8)
        ]
        for number, one in enumerate(engines):
            one.send(b"isready\\n")
            if number % 4 != 3:
                assert one.read_until(b"readyok", 60) is not None
        os.kill(engines[1].pid, signal.SIGSTOP)
        begin = time.monotonic()
        process.end_all(10)
        print(time.monotonic() - begin, *(one.pid for one in engines))
        try:
            process.EngineProcess(UciCommand(tuple(sys.argv[2:])))
        except Exception as error:
            print(str(error).endswith("its worker ends"))
        os._exit(0)
    """
    file = tmp_path / "pids"
    seconds, *pids, refused = run_worker(code, file, fake())
    assert 10 <= float(seconds) < 30, "one after the other takes 40 s"
    assert len(pids) == 8 and not any(is_alive(int(pid)) for pid in pids)
    assert refused == "True"
    heard = Path(f"{file}.log").read_text().split()
    assert sorted(heard) == ["isready"] * 2 + ["quit"] * 2


@pytest.mark.slow
def test_kernel_kills_engines_first() -> None:
    with suppress(OSError):
        if int(Path("/proc/self/oom_score_adj").read_text()) == 1000:
            pytest.skip("everything is taken first here")
    process = EngineProcess(UciCommand(("cat",)))
    try:
        assert Path(f"/proc/{process.pid}/oom_score_adj").read_text() == "1000\n"
    finally:
        process.kill()
