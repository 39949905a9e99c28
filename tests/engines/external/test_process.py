"""Processes of engines start, fail and end without leaving anything behind."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.backend import conversation
from engines.errors import EngineFailure
from engines.external.process import EngineProcess
from engines.spec import UciCommand

Start = Callable[..., EngineProcess]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone does this")


def command_at(path: Path, directory: str | None = None) -> UciCommand:
    return UciCommand((str(path),), directory)


def file_with(path: Path, text: str, mode: int = 0o755) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")


def dies_soon(pid: int) -> bool:
    for _ in range(3000):
        if not is_alive(pid):
            return True
        time.sleep(0.02)
    return False


def test_failed_start_gives_reason(tmp_path: Path) -> None:
    missing, text = tmp_path / "none", file_with(tmp_path / "text", "hello")
    plain = file_with(tmp_path / "plain", "#!/bin/sh\n", 0o644)
    lost = file_with(tmp_path / "lost", "#!/no/such/interpreter\n")
    cases = [
        (UciCommand(("no-such-engine",)), "no program `no-such-engine` in PATH"),
        (UciCommand(()), "no program `` in PATH"),
        (command_at(missing), "none` does not exist"),
        (command_at(tmp_path), "is a directory, not a program"),
        (command_at(plain), "is not executable"),
        (command_at(text), "is not a program for this machine, nor a script with `#!`"),
        (command_at(lost), "the interpreter or loader that .* names does not exist"),
        (UciCommand(("cat",), str(missing)), "none` is not a directory"),
        (UciCommand(("cat",), str(plain)), "plain` is not a directory"),
        (UciCommand(("cat", "a\0b")), "null character"),
        (UciCommand(("cat",), environment=(("A=B", "1"),)), "illegal environment"),
        (UciCommand(("cat", "x" * 3_000_000)), "did not start: Argument list too long"),
        (UciCommand(("a\n'b\x1b[31m" + "x" * 5000,)), "no program `a"),
    ]
    for command, message in cases:
        with pytest.raises(EngineFailure, match=message) as caught:
            EngineProcess(command)
        told = str(caught.value)
        assert told.isprintable() and len(told) < 300
        assert command.argv == () or command.argv[0][:1] in told


@pytest.mark.slow
def test_programs_are_found_by_path_of_command(tmp_path: Path) -> None:
    file_with(tmp_path / "my-engine", "#!/bin/sh\necho found $COLOUR\n")
    environment = (("COLOUR", "blue"), ("PATH", f"{tmp_path}:/usr/bin:/bin"))
    with_path = UciCommand(("my-engine",), environment=environment)
    from_its_directory = UciCommand(("./my-engine",), str(tmp_path), environment)
    for command in (with_path, from_its_directory):
        process = EngineProcess(command)
        assert process.read_until(b"found", 60) == b"found blue"
        process.close()
    with pytest.raises(EngineFailure, match="does not exist"):
        EngineProcess(UciCommand(("./my-engine",)))


def test_deaths_are_reported_in_one_line(start: Start) -> None:
    for arguments, message in [
        (["crash=0"], "`fake` died (SIGSEGV)"),
        (["exit=0"], "`fake` ended (exit code 3): out of luck"),
        (["closed=go"], "`fake` closed its input or output"),
    ]:
        process = start(*arguments)
        process.send(b"go\n")
        with pytest.raises(EngineFailure) as caught:
            process.read_until(b"bestmove", 60)
        assert str(caught.value) == message
        assert not process.running
        for again in (lambda p=process: p.send(b"x"), process.discard):
            with pytest.raises(EngineFailure, match="`fake` is not running"):
                again()


@pytest.mark.slow
def test_last_info_string_explains_death() -> None:
    script = "echo info string ERROR: no network file; exit 1"
    process = EngineProcess(UciCommand(("sh", "-c", script)), "mute")
    with pytest.raises(EngineFailure) as caught:
        process.read_until(b"uciok", 60)
    assert str(caught.value) == "`mute` ended (exit code 1): info string ERROR: no network file"


@pytest.mark.slow
def test_last_words_are_short_and_printable() -> None:
    script = r"import os; os.write(2, b'a\x1b[31m\xff' + b'x' * 9000)"
    process = EngineProcess(UciCommand((sys.executable, "-S", "-c", script)), "n\x07" * 200)
    with pytest.raises(EngineFailure) as caught:
        process.read_until(b"uciok", 60)
    told = str(caught.value)
    assert told.isprintable() and len(told) < 350
    assert "ended (exit code 0): " in told and told.endswith("xxx")


@pytest.mark.slow
def test_silence_ends_at_deadline(start: Start) -> None:
    process = start("hang=go")
    process.send(b"go\n")
    begin = time.monotonic()
    assert process.read_until(b"bestmove", 0.2) is None
    assert time.monotonic() - begin > 0.19


@pytest.mark.slow
def test_unread_output_stays(start: Start) -> None:
    process = start()
    process.send(b"uci\n")
    assert process.read_until(b"nothing", 0.3) is None
    assert process.read_until(b"uciok", 60) == b"id name Fake 1.0\nid author nobody\nuciok"


@pytest.mark.slow
def test_answers_may_come_in_pieces() -> None:
    pieces = (
        "printf 'info x bestmove\\nbestm'; sleep 0.05; printf 'ove e2'; sleep 0.05; echo e4; cat"
    )
    process = EngineProcess(UciCommand(("sh", "-c", pieces)))
    assert process.read_until(b"bestmove", 60) == b"info x bestmove\nbestmove e2e4"
    process.close()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["flood=go", "line=go"])
def test_flood_ends_at_deadline_in_little_memory(start: Start, fault: str) -> None:
    process = start(fault)
    process.send(b"go\n")
    while process.printed <= 2 << 20:
        assert process.read_until(b"bestmove", 1.0) is None
    assert process.running
    assert len(process._buffer) < 2 << 20


@pytest.mark.slow
def test_flood_between_searches_is_dropped(start: Start) -> None:
    """At most what a pipe holds, or it would not end."""
    process = start("flood=position")
    process.send(b"position startpos\n")
    process.read_until(b"info", 60)
    before = process.printed
    for _ in range(20):
        assert not process.discard()
        assert not process._buffer
    assert process.printed - before <= 20 * ((1 << 20) + (1 << 16))


@pytest.mark.slow
def test_rest_of_dropped_line_is_no_answer() -> None:
    """What is cut before a `bestmove` in the middle of a line is none."""
    script = "printf 'info string '; sleep 0.2; echo 'bestmove a2a3'; echo 'bestmove e2e4'; cat"
    process = EngineProcess(UciCommand(("sh", "-c", script)))
    assert process.read_until(b"x", 0.1) is None
    process.discard()
    assert process.read_until(b"bestmove", 60) == b"bestmove e2e4"
    process.close()


@pytest.mark.slow
def test_dropped_answer_is_reported() -> None:
    for text, found in (("info\\nbestmove e2e4\\n", True), ("info string bestmove\\n", False)):
        process = EngineProcess(UciCommand(("sh", "-c", f"printf '{text}ready\\n'; cat")))
        assert process.read_until(b"ready", 60)
        process._buffer[:0] = text.replace("\\n", "\n").encode()
        assert process.discard() is found
        process.close()


@pytest.mark.slow
def test_end_of_long_output_is_kept(tmp_path: Path) -> None:
    script = "for n in range(60_000): print('info depth', n, 'x' * 50)\nprint('bestmove e2e4')"
    process = EngineProcess(UciCommand((sys.executable, "-S", "-c", script)))
    answer = process.read_until(b"bestmove", 60)
    assert answer is not None and answer.endswith(b"x\nbestmove e2e4")
    assert answer.startswith(b"info depth ") and b"info depth 59999 " in answer
    assert 256 << 10 < len(answer) < 2 << 20
    process.close()


@pytest.mark.slow
def test_begin_of_very_long_answer_is_kept(tmp_path: Path) -> None:
    script = (
        "print('info string', 'x' * 10_000_000)\n"
        "print('bestmove e2e4', 'y' * 10_000_000)\n"
        "print('readyok')"
    )
    process = EngineProcess(UciCommand((sys.executable, "-S", "-c", script)))
    answer = process.read_until(b"bestmove", 60)
    assert answer is not None and answer.startswith(b"bestmove e2e4 yyy")
    assert len(answer) < 1 << 20
    assert process.read_until(b"readyok", 60) == b"readyok"
    process.close()


@pytest.mark.slow
def test_closed_input_is_noticed_while_waiting() -> None:
    process = EngineProcess(UciCommand(("sh", "-c", "read x; exec 0<&-; sleep 60")))
    process.send(b"go\n")
    with pytest.raises(EngineFailure, match="closed its input or output"):
        process.read_until(b"bestmove", 60)


@pytest.mark.slow
def test_death_is_noticed_behind_flood_of_child() -> None:
    process = EngineProcess(UciCommand(("sh", "-c", "yes & read x; exit 3")))
    process.send(b"go\n")
    with pytest.raises(EngineFailure, match="exit code 3"):
        process.read_until(b"bestmove", 60)


@pytest.mark.slow
def test_standard_error_never_blocks(start: Start) -> None:
    process = start("stderr")
    for _ in range(50):
        process.send(b"isready\n")
        assert process.read_until(b"readyok", 60) == b"readyok"
        process.discard()
    assert 0 < len(process._stderr) <= 2048


@pytest.mark.slow
def test_engine_that_does_not_read_is_failure(start: Start) -> None:
    process = start("deaf=position")
    process.send(b"position startpos\n")
    with pytest.raises(EngineFailure, match="`fake` does not read what it is sent"):
        process.send(b"x" * 1_000_000, 0.2)


@pytest.mark.slow
def test_long_input_and_output_do_not_block() -> None:
    process = EngineProcess(UciCommand(("cat",)))
    process.send(b"".join(b"line %d\n" % n for n in range(50_000)) + b"end\n")
    answer = process.read_until(b"end", 60)
    assert answer is not None and answer.endswith(b"line 49999\nend")
    process.close()


@pytest.mark.slow
def test_death_during_long_input_is_failure() -> None:
    process = EngineProcess(UciCommand(("sh", "-c", "read x; exit 5")))
    with pytest.raises(EngineFailure, match=r"ended \(exit code 5\)"):
        process.send(b"x\n" * 1_000_000)


@pytest.mark.slow
def test_close_asks_first(start: Start, tmp_path: Path) -> None:
    process = start(f"log={tmp_path / 'log'}")
    process.close()
    process.close()
    process.kill()
    assert (tmp_path / "log").read_text() == "quit\n"
    assert process._process.returncode == 0
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, 0)  # no zombie


@pytest.mark.slow
def test_stubborn_engines_are_killed(start: Start) -> None:
    process = start("stubborn")
    process.send(b"isready\n")
    process.read_until(b"readyok", 60)
    begin = time.monotonic()
    process.close(0.2)
    assert time.monotonic() - begin > 0.15
    assert process._process.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("end", ["close", "kill", "crash"])
def test_children_end_with_engine(start: Start, tmp_path: Path, end: str) -> None:
    process = start(f"child={tmp_path / 'pid'}", "crash=0")
    process.send(b"isready\n")
    process.read_until(b"readyok", 60)
    child = int((tmp_path / "pid").read_text())
    assert is_alive(child)
    if end == "crash":
        process.send(b"go\n")
        with pytest.raises(EngineFailure, match="SIGSEGV"):
            process.read_until(b"bestmove", 60)
    else:
        getattr(process, end)()
    assert dies_soon(child)


def run_worker(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python process that starts the scripted engine as ``p``, prints the engine's number, and
    goes on with this code."""
    begin = """
        import os, signal, sys, time
        from engines.external.process import EngineProcess, kill_all
        from engines.spec import UciCommand
        p = EngineProcess(UciCommand(tuple(sys.argv[1:])))
        p.send(b"isready\\n")
        p.read_until(b"readyok", 60)
        print(p.pid, flush=True)
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(begin) + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("os.kill(os.getpid(), signal.SIGKILL)", marks=LINUX, id="killed"),
        pytest.param("os._exit(1)", marks=LINUX, id="exits at once"),
        pytest.param("kill_all(); os._exit(1)", id="kills all"),
        pytest.param("sys.exit()", id="ends"),
    ],
)
def test_no_engine_outlives_its_worker(fake: Callable[..., UciCommand], code: str) -> None:
    worker = run_worker(code, *fake("stubborn", "hang=go").argv)
    assert worker.stdout is not None
    with worker:
        pid = int(worker.stdout.readline())
    assert dies_soon(pid)


@pytest.mark.slow
def test_forked_process_keeps_engines_of_parent(
    fake: Callable[..., UciCommand],
) -> None:
    code = """
        if (child := os.fork()) == 0:
            sys.exit()
        os.waitpid(child, 0)
        p.send(b"isready\\n")
        print(p.read_until(b"readyok", 60))
    """
    worker = run_worker(code, *fake().argv)
    assert worker.stdout is not None
    with worker:
        assert worker.stdout.read().splitlines()[1] == "b'readyok'"


@pytest.mark.slow
@LINUX
def test_engines_do_not_inherit_signal_handling() -> None:
    old = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, old)
    try:
        for number in old:
            signal.signal(number, signal.SIG_IGN)
        process = EngineProcess(UciCommand(("cat", "/proc/self/status", "-")))
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    status = process.read_until(b"SigIgn:", 60)
    process.close()
    assert status is not None
    for name in (b"SigBlk", b"SigIgn"):
        found = re.search(rb"^%s:\s*([0-9a-f]+)" % name, status, re.MULTILINE)
        assert found is not None
        number = int(found[1], 16)
        assert not number & (1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1)


@pytest.mark.slow
@LINUX
def test_cpu_time_is_that_of_engine(start: Start) -> None:
    process = start("sleep=isready:1")
    process.send(b"isready\n")
    process.read_until(b"readyok", 60)
    slept = process.cpu_ns()
    assert 1e6 < slept < 900e6  # it started Python, and slept
    process.kill()
    busy = EngineProcess(UciCommand(("sh", "-c", "while true; do :; done")))
    deadline = time.monotonic() + 120
    while busy.cpu_ns() <= 5e6:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    busy.kill()
    assert busy.cpu_ns() == 0


@pytest.mark.slow
def test_only_first_word_of_line_is_answer() -> None:
    script = "printf 'bestmoves are a1a1\\ninfo bestmove a2a3\\n \\t bestmove e2e4\\r\\n'; cat"
    process = EngineProcess(UciCommand(("sh", "-c", script)))
    answer = process.read_until(b"bestmove", 60)
    assert answer is not None and answer.endswith(b"\n \t bestmove e2e4\r")
    process.close()


@pytest.mark.slow
def test_flood_of_awaited_word_is_read_in_linear_time() -> None:
    script = "print('info string ' + 'bestmove ' * 200_000); print('bestmove e2e4')"
    process = EngineProcess(UciCommand((sys.executable, "-S", "-c", script)))
    begin = time.process_time()
    answer = process.read_until(b"bestmove", 60)
    assert answer is not None and answer.endswith(b"bestmove e2e4")
    assert time.process_time() - begin < 5, "a step for each word, and not for each pair of them"
    process.close()


@pytest.mark.native
def test_core_reads_up_to_line_of_word_and_leaves_other_events() -> None:
    core = conversation()
    assert core is not None
    read = core.read_answer
    for begun, printed, found in (
        (b"", b"info\nbestmove a2a3\n", b"info\nbestmove a2a3\n"),
        (b"bestm", b"ove a2a3\n", b"ove a2a3\n"),  # without a limit of time, as the one above
        (b"", b"info\nbestmove a2", b"info\nbestmove a2"),
        (b"", b"", b""),
    ):
        (out, to), (aside, event) = os.pipe(), os.pipe()
        os.write(to, printed)
        patience_ms = None if printed.endswith(b"3\n") else 0.0
        assert read(out, aside, b"bestmove", begun, patience_ms, 1 << 16) == found, printed
        os.write(to, b"bestmove a2a3\n")
        os.write(event, b"!")
        assert read(out, aside, b"bestmove", b"", None, 1 << 16) == b"", "the caller looks aside"
        os.read(aside, 1)
        os.write(to, b"x" * 60_000)
        assert 20_000 <= len(read(out, aside, b"readyok", b"", None, 20_000)) < 60_000
        os.close(to)
        rest = read(out, aside, b"readyok", b"", None, 1 << 16)
        assert 0 < len(rest) <= 40_014 and rest.endswith(b"x")
        assert read(out, aside, b"readyok", b"", None, 1 << 16) == b"", "the end of the pipe"
        for number in (out, aside, event):
            os.close(number)


def test_what_came_before_a_question_is_no_answer() -> None:
    script = "for move in 'abc': print(f'bestmove {move}2{move}3'); input()"
    process = EngineProcess(UciCommand((sys.executable, "-S", "-u", "-c", script)))
    assert select.select([process._out], [], [], 300)[0], "it printed the first"
    assert process.ask(b"go\n", b"bestmove", 60) == b"bestmove b2b3"
    assert process.answered_before
    assert process.ask(b"go\n", b"bestmove", 60) == b"bestmove c2c3"
    assert not process.answered_before
    process.close()
