"""Expected and unexpected errors, closed streams and signals end with the right code and output."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from cases import each

from cli import program
from toolkit.base.errors import (
    DatabaseProblem,
    EngineProblem,
    NothingMatched,
    OperationFailed,
    UsageError,
)
from toolkit.commands._invocation import Invocation
from toolkit.commands._program import Terminated, report_unexpected, run_program

Run = Callable[..., Any]


def _program(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TERM": "dumb"},
    )


BREAK = """
import cli, engines.backend
def bench(game):
    raise ZeroDivisionError("no such luck\\nsecond line")
engines.backend.bench = bench
cli.main()
"""


def test_very_verbose_prints_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    invocation = Invocation()
    invocation.verbose = 2
    error = ZeroDivisionError("no such luck")
    report_unexpected(invocation, error, None)
    err = capsys.readouterr().err
    assert "ZeroDivisionError: no such luck" in err.splitlines()[1]
    Path(re.findall(r"traceback in (\S+)", err)[0]).unlink()


def test_unexpected_error_saves_a_traceback() -> None:
    done = _program(BREAK, "bench")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if "reference backend" not in line]
    assert len(lines) == 1
    match = re.fullmatch(
        r"error: unexpected ZeroDivisionError: no such luck; traceback in (\S+)", lines[0]
    )
    assert match is not None
    saved = Path(match[1])
    text = saved.read_text(encoding="utf-8")
    saved.unlink()
    assert text.startswith("mtdf bench\n") and "Traceback" in text and "second line" in text


def _failing(error: BaseException) -> click.Group:
    """A program with the command ``fail``, which raises the error."""

    @click.group()
    def group() -> None:
        """Nothing."""

    @group.command()
    def fail() -> None:
        raise error

    return group


def test_lack_of_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever notices it: Python, the loader of a library below an error of NumPy, or a thread."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    numpy = ImportError("\n\nPLEASE READ THIS")
    numpy.__cause__ = ImportError("x.so: failed to map segment from shared object")
    for error in (MemoryError(), numpy, RuntimeError("can't start new thread")):
        assert run_program(_failing(error), ["fail"]) == 1
        err = capsys.readouterr().err
        assert err.startswith("error: not enough memory") and err.count("\n") == 1, error
    for other in (RuntimeError("no such luck"), ImportError("No module named 'x'")):
        with pytest.raises(type(other)):
            run_program(_failing(other), ["fail"])


def test_removed_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the files of relative paths, which may be right."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        folder.rmdir()
        for words in (["events"], ["db", "check"], ["match", "mtdf", "pvs", "--db", "x.db"]):
            assert run_program(program, words) == 2
            assert "error: the current folder does not exist any more" in capsys.readouterr().err


@each(
    "error, code",
    [
        (OperationFailed("it failed"), 1),
        (UsageError("it failed"), 2),
        (DatabaseProblem("it failed"), 3),
        (EngineProblem("it failed"), 4),
        (NothingMatched("it failed"), 5),
        (PermissionError(13, "it failed", "some.file"), 1),
        (click.UsageError("it failed"), 2),
        (KeyboardInterrupt(), 130),
        (Terminated(), 143),
        (click.Abort(), 130),
    ],
)
def test_exit_codes(
    error: BaseException,
    code: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    assert run_program(_failing(error), ["fail"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert "it failed" in captured.err or code in (130, 143)


def test_very_verbose_shows_traceback_of_expected_error(mtdf: Run) -> None:
    result = mtdf("games", "--db", "nope.db", "-vv")
    assert result.code == 3
    assert result.errors[0].startswith("error: no database") and "Traceback" in result.err


def test_closed_pipe_is_quiet(played: Path) -> None:
    """`mtdf games | head -1` is quiet."""
    script = "import cli; cli.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "games", "--json", "--db", str(played)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=600) == 0
    assert [line for line in err.splitlines() if "reference backend" not in line] == []


@pytest.mark.slow
@each("redirection", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(redirection: str, tmp_path: Path) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "20", "--max-plies", "4")
    program = (sys.executable, "-c", "import cli; cli.main()", "--db", str(tmp_path / "closed.db"))
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *program, *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "unexpected" in done.stderr) == (0, False)
    with closing(sqlite3.connect(tmp_path / "closed.db")) as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchone() == (2,)


@pytest.mark.slow
def test_ascii_stream_gets_ascii(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"  # ratings stores its list
    copy.write_bytes(played.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", "import cli; cli.main()", "ratings", "--db", str(copy)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert b"+-95" in done.stdout
