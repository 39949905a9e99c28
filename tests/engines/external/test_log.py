"""Logs keep what is sent to engines and what they answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.external import log as module
from engines.external.log import MOST_FILE, MOST_LINE, EngineLog, LogFolder
from engines.external.process import EngineProcess
from engines.spec import UciCommand

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (\S+) ([<>!#]) (.*)")
FULL = Path("/dev/full")


def lines(path: Path) -> list[tuple[str, str]]:
    """Signs and texts; every line has its form."""
    found = [LINE.fullmatch(line) for line in path.read_text().split("\n")[:-1]]
    assert all(found)
    return [(one[2], one[3]) for one in found if one]


@pytest.fixture
def log(tmp_path: Path) -> EngineLog:
    return EngineLog(tmp_path / "engine.log")


def test_conversation_is_kept_in_order(log: EngineLog, fake: Callable[..., UciCommand]) -> None:
    log.game = "0.3.2"
    process = EngineProcess(fake(), "fake", log)
    process.send(b"isready\n")
    process.read_until(b"readyok", 5)
    process.send(b"position startpos\ngo nodes 1\n")
    process.read_until(b"bestmove", 5)
    process.close()
    begin, *told = lines(log.path)
    assert begin[0] == "#" and begin[1].startswith(f"process {process.pid}: ")
    assert told == [
        (">", "isready"),
        ("<", "readyok"),
        (">", "position startpos"),
        (">", "go nodes 1"),
        ("<", "info depth 3 score cp 25 nodes 100 time 1"),
        ("<", "bestmove g1f3"),
        (">", "quit"),
        ("#", "the process has ended"),
    ]
    assert " 0.3.2 > isready\n" in log.path.read_text()


def test_standard_error_is_kept(log: EngineLog) -> None:
    process = EngineProcess(UciCommand(("sh", "-c", "echo lost >&2; read x")), "fake", log)
    process.read_until(b"nothing", 0.5)
    process.kill()
    assert ("!", "lost") in lines(log.path)


def test_pieces_of_lines_are_joined(log: EngineLog) -> None:
    for piece in (b"id na", b"me x\nuci", b"", b"ok", b"\nrest"):
        log.printed(piece)
    log.complained(b"oth")
    log.complained(b"er\n")
    log.ended()
    assert lines(log.path) == [
        ("<", "id name x"),
        ("<", "uciok"),
        ("!", "other"),
        ("<", "rest"),
        ("#", "the process has ended"),
    ]


def test_control_characters_are_escaped(log: EngineLog) -> None:
    log.printed(b"a\x1b[2Jb\r\x00\xff\xc3\xa9\xe2\x80\xae\n")
    assert lines(log.path) == [("<", r"a\x1b[2Jb\r\x00\xffé\u202e")]


def test_long_lines_are_cut(log: EngineLog) -> None:
    log.printed(b"x" * 700)
    log.printed(b"x" * 700 + b"\nshort\n" + b"y" * 1001 + b"\n" + b"z" * 3000)
    log.ended()
    texts = [text for _, text in lines(log.path)]
    assert texts[0] == "x" * MOST_LINE + " [and 400 bytes]"
    assert texts[1] == "short"
    assert texts[2] == "y" * MOST_LINE + " [and 1 bytes]"
    assert texts[3] == "z" * MOST_LINE + " [and 2000 bytes]"


def test_our_own_lines_are_not_cut(log: EngineLog) -> None:
    """The end of a position says which move it is about."""
    text = "position startpos moves " + "a2a3 " * 800
    log.sent(text.encode() + b"\n\nstop\n")
    assert lines(log.path) == [(">", text), (">", "stop")]


def test_flood_keeps_its_begin_and_end(log: EngineLog) -> None:
    log.sent(b"go nodes 1\n")
    chunk = b"info string flood\n" * 1000
    for _ in range(2000):
        log.printed(chunk)
    log.printed(b"bestmove e2e4\n")
    log.sent(b"isready\n")
    told = lines(log.path)
    assert log.path.stat().st_size < 1 << 20
    assert told[1] == ("<", "info string flood")
    assert told[-2:] == [("<", "bestmove e2e4"), (">", "isready")]
    note = next(text for sign, text in told if sign == "#")
    kept = sum(len(text) + 1 for sign, text in told[1 : told.index(("#", note))])
    assert note == f"{2000 * len(chunk) + 14 - kept} bytes are left out; their end:"
    log.printed(b"readyok\n")
    assert lines(log.path)[-1] == ("<", "readyok")


def test_log_is_limited_in_size(log: EngineLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILE", 10_000)
    old = log.path.with_suffix(".old.log")
    for number in range(1000):
        log.sent(f"go nodes {number}\n".encode())
        log.printed(b"bestmove e2e4\n")
        assert log.path.stat().st_size <= 10_000
    assert sorted(log.path.parent.iterdir()) == sorted([log.path, old])
    assert old.stat().st_size <= 10_000
    told = [text for _, text in lines(old) + lines(log.path)]
    wanted = [f"go nodes {number}" for number in range(1000)]
    numbers = [text for text in told if text.startswith("go")]
    assert numbers == wanted[-len(numbers) :] and len(told) > 200
    assert 2 * MOST_FILE == 8 << 20  # as the help says


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_unwritable_log_ends_with_one_warning(
    tmp_path: Path, fake: Callable[..., UciCommand]
) -> None:
    (path := tmp_path / "engine.log").symlink_to(FULL)
    log = EngineLog(path)
    process = EngineProcess(fake(), "fake", log)
    process.send(b"isready\n")
    assert process.read_until(b"readyok", 5) == b"readyok"
    process.close()
    problem = log.take_problem()
    assert problem == (f"engine log {path}: No space left on device; this engine is logged no more")
    assert log.take_problem() is None


@pytest.mark.parametrize("label", ["../../etc/passwd", "a/b", "x" * 300, "é\n\x1b", ".", ""])
def test_label_is_not_used_as_path(tmp_path: Path, label: str) -> None:
    log = LogFolder(str(tmp_path), "r3f9").log_of(1, label)
    log.sent(b"uci\n")
    (file,) = tmp_path.iterdir()
    assert file == log.path and file.is_file()
    assert re.fullmatch(rf"r3f9-2-[\w.+=-]{{0,60}}-{os.getpid()}\.log", file.name)


def test_silent_engine_has_no_file(log: EngineLog) -> None:
    log.close()
    log.sent(b"uci\n")
    log.close()
    assert not log.path.exists()
