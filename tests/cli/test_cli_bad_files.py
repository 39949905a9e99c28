"""Bad databases, books, configurations and outputs: every command prints one line that names the
file, and changes no byte of it."""

from __future__ import annotations

import gzip
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cases import each
from command_tree import LEAVES

from db.storage.sides import SQLITE_MAGIC
from toolkit.base.errors import OperationFailed
from toolkit.base.files import open_input, write_output

Run = Callable[..., Any]

LINE = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"
PAGE = 4096


def _random(path: Path, good: bytes) -> None:
    path.write_bytes(random.Random(1).randbytes(50_000))


def _cut(path: Path, good: bytes) -> None:
    path.write_bytes(good[: len(good) // 2])


def _random_pages(path: Path, good: bytes) -> None:
    noise = random.Random(2)
    pages = [good[:PAGE]]
    pages += [noise.randbytes(PAGE) for _ in range(PAGE, len(good), PAGE)]
    path.write_bytes(b"".join(pages))


def _edited(statement: str) -> Callable[[Path, bytes], None]:
    def make(path: Path, good: bytes) -> None:
        path.write_bytes(good)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    return make


def _foreign(path: Path, good: bytes) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.execute("INSERT INTO alembic_version VALUES ('1a2b3c4d5e6f')")
        connection.execute("CREATE TABLE games (title TEXT)")


DATABASES: dict[str, Callable[[Path, bytes], None]] = {
    "directory": lambda path, good: path.mkdir(),
    "random bytes": _random,
    "magic alone": lambda path, good: path.write_bytes(good[:16]) and None,
    "header alone": lambda path, good: path.write_bytes(good[:100]) and None,
    "first page alone": lambda path, good: path.write_bytes(good[:PAGE]) and None,
    "cut in the middle": _cut,
    "cut by a page": lambda path, good: path.write_bytes(good[:-PAGE]) and None,
    "random pages": _random_pages,
    "named pipe": lambda path, good: os.mkfifo(path),
    "link to itself": lambda path, good: path.symlink_to(path.name),
    "device": lambda path, good: path.symlink_to("/dev/full"),
    "foreign": _foreign,
    "newer": _edited("UPDATE alembic_version SET version_num = '0999'"),
    "without a version": _edited("DELETE FROM alembic_version"),
}
CALLS: dict[str, tuple[str, ...]] = {
    "gauntlet": ("--hero", "mtdf", "--field", "pvs", "--pairs", "1", "--nodes", "50"),
    "round-robin": ("mtdf", "pvs", "--pairs", "1", "--nodes", "50"),
    "match": ("mtdf", "pvs", "--pairs", "1", "--nodes", "50"),
    "knockout": ("mtdf", "pvs", "--pairs", "1", "--nodes", "50"),
    "swiss": ("mtdf", "pvs", "--rounds", "1", "--pairs", "1", "--nodes", "50"),
    "sprt": ("--test", "mtdf", "--base", "pvs", "--nodes", "50", "--max-pairs", "2"),
    "race": ("mtdf", "pvs", "--nodes", "50", "--block", "2", "--max-pairs", "2"),
    "ablate": ("--engine", "mtdf", "--feature", "null_move", "--pairs", "1", "--nodes", "50"),
    "run": ("event.toml",),
    "resume": ("last",),
    "tune run": ("--base", "mtdf", "--param", "grain=1..9", "--budget-pairs", "8", "--nodes", "9"),
    "annotate": ("last", "note"),
    "rename": ("last", "new"),
    "rm": ("last", "--yes"),
    "tune confirm": ("last", "--pairs", "2"),
    **dict.fromkeys(("tune export", "tune importance", "tune trials"), ("last",)),
    **dict.fromkeys(("plot ratings", "plot crosstable"), ("--output", "x.svg")),
    "plot history": ("mtdf", "--output", "x.svg"),
    "plot game": ("g1", "--output", "x.svg"),
    "report": ("--all", "--output", "x.html"),
    "serve": ("--port", "0"),
    **dict.fromkeys(
        ("plot study", "plot lab", "plot sprt", "plot race"), ("last", "--output", "x.svg")
    ),
    **dict.fromkeys(("show", "stats"), ("last",)),
    **dict.fromkeys(("tune list", "lab list", "events", "engines list"), ()),
    "lab compare": ("--engine", "mtdf", "--depth", "1", "--limit-positions", "1"),
    "lab sweep": ("--engine", "mtdf", "--param", "grain=1,2", "--limit-positions", "1"),
    "suite": ("bratko-kopec", "--engine", "mtdf", "--nodes", "50"),
    "import": ("games.pgn",),
    **dict.fromkeys(("ratings", "crosstable", "games", "openings stats"), ()),
    "h2h": ("mtdf", "pvs"),
    "history": ("mtdf",),
    "extend": ("last", "--pairs", "4"),
    "game": ("g1",),
    "query": ("SELECT 1",),
    "engines add": ("kept", sys.executable),
    "engines rm": ("kept",),
    "engines show": ("mtdf",),
    "db backup": ("copy.db",),
    "db merge": ("good.db",),
    **dict.fromkeys(("db check", "db info", "db vacuum"), ()),
}
"""A call of every command that opens a database."""
WITHOUT = {
    *(
        "sprt calc",
        "sprt plan",
        "race plan",
        "trace",
        "plot trace",
        "engines parameters",
        "engines test",
    ),
    *(
        "bench",
        "engines builds",
        "uci",
        "openings check",
        "openings info",
        "openings make",
        "doctor",
        "worker",
    ),
}
"""Commands without a database."""


def test_every_command_is_listed() -> None:
    assert LEAVES.keys() == CALLS.keys() | WITHOUT


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that starts is a failure."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", refuse)
    monkeypatch.setattr("toolkit.runs.jobs.WorkerPool", refuse)


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.iterdir())
        if not path.is_symlink()
    }


@pytest.mark.usefixtures("nothing_starts")
@each("kind", DATABASES)
def test_bad_database_is_refused_by_every_command(
    kind: str, mtdf: Run, played: Path, tmp_path: Path
) -> None:
    """Each kind with a third of the commands, each command with a third of the kinds."""
    (tmp_path / "games.pgn").write_text('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n')
    (tmp_path / "event.toml").write_text(
        'command = "match"\npairs = 1\nnodes = 50\n[[engine]]\nengine = "mtdf"\n'
        '[[engine]]\nengine = "pvs"\n'
    )
    DATABASES[kind](tmp_path / "bad.db", played.read_bytes())
    before = _files(tmp_path)
    found = []
    for number, (words, more) in enumerate(CALLS.items()):
        if (number + list(DATABASES).index(kind)) % 3:
            continue
        result = mtdf(*words.split(), *more, "--db", "bad.db")
        one_line = len(result.errors) == 1 and "bad.db" in result.err
        if result.code != 3 or result.out or not one_line or _files(tmp_path) != before:
            found.append((words, result))
    assert found == []


def test_locked_database_is_refused(on: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from db import session

    monkeypatch.setitem(session.open_database.__kwdefaults__, "busy_timeout_s", 0.1)
    with closing(sqlite3.connect("played.db", isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE events SET name = name")
        for words in (("rename", "short", "x"), ("import", "games.pgn")):
            Path("games.pgn").write_text('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n')
            result = on(*words)
            assert (result.code, result.out, len(result.errors)) == (3, "", 1)
            assert "played.db" in result.err
    assert "short" in on("events").out


SETPRIV = shutil.which("setpriv")
RIGHTLESS = (SETPRIV or "setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Starts a program for which rights of files hold, although it is root's."""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0 and SETPRIV is None, reason="root may do everything")
def test_places_without_permission(played: Path, tmp_path: Path) -> None:
    for name in ("secret.db", "secret.epd", "secret.toml", "kept.db"):
        (tmp_path / name).write_bytes(played.read_bytes() if name.endswith("db") else LINE)
        (tmp_path / name).chmod(0o444 if name == "kept.db" else 0)
    tmp_path.chmod(0o555)
    play = ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "50")
    before = sorted(tmp_path.iterdir())
    try:
        for words, code, named in (
            (("events", "--db", "secret.db"), 3, "secret.db"),
            (("rename", "short", "x", "--db", "kept.db"), 3, "kept.db"),
            ((*play, "--db", "new.db"), 3, "new.db"),
            ((*play, "--book", "secret.epd", "--db", "new.db"), 2, "secret.epd"),
            (("run", "secret.toml", "--db", "new.db"), 2, "secret.toml"),
            ((*play, "--pgn-out", "x.pgn", "--db", "new.db"), 2, "x.pgn"),
            (("trace", "--position", "start", "--depth", "1", "--html", "x.html"), 2, "x.html"),
        ):
            done = subprocess.run(
                [*(RIGHTLESS if os.geteuid() == 0 else ()), sys.executable]
                + ["-c", "import cli; cli.main()", *words],
                capture_output=True,
                text=True,
                cwd=tmp_path,
                timeout=600,
                check=False,
            )
            lines = [one for one in done.stderr.splitlines() if "reference backend" not in one]
            assert (done.returncode, done.stdout, len(lines)) == (code, "", 1), (words, done)
            assert named in lines[0]
        assert sorted(tmp_path.iterdir()) == before
        assert (tmp_path / "kept.db").read_bytes() == played.read_bytes()
    finally:
        tmp_path.chmod(0o755)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


INPUTS: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: None,
    "directory": lambda path: path.mkdir(),
    "empty": lambda path: path.touch(),
    "garbage": lambda path: path.write_bytes(random.Random(3).randbytes(5000)) and None,
    "NUL": lambda path: path.write_bytes(bytes(5000)) and None,
    "cut gzip": lambda path: path.write_bytes(gzip.compress(LINE * 500)[:40]) and None,
    "a line of 10 MB": lambda path: path.write_bytes(b"x" * 10_000_000) and None,
    "a number of 5,000 digits": lambda path: path.write_text(f"pairs = {'9' * 5000}\n") and None,
    "named pipe": lambda path: os.mkfifo(path),
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "endless device": _device,
    "empty device": lambda path: path.symlink_to("/dev/null"),
}
CONTENTS = (
    *("empty", "garbage", "NUL", "cut gzip", "a line of 10 MB", "a number of 5,000 digits"),
    "empty device",
)
"""Files that can be opened."""
READERS: dict[str, tuple[str, ...]] = {
    "book": ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "50", "--book"),
    "run": ("run",),
    "tune": ("tune", "run"),
    "suite": ("lab", "compare", "--engine", "mtdf", "--depth", "1", "--positions"),
    "info": ("openings", "info"),
    "import": ("import",),
}


@pytest.mark.usefixtures("nothing_starts")
@each("kind, reader", sorted(set(product(INPUTS, READERS)) - {("named pipe", "import")}))
def test_bad_input_files(kind: str, reader: str, mtdf: Run, tmp_path: Path) -> None:
    INPUTS[kind](tmp_path / "bad.file")
    result = mtdf(*READERS[reader], "bad.file")
    # What an import reads is compared with its database, so that is there first.
    made = {"mtdf.db"} if reader == "import" and kind in CONTENTS else set()
    lines = [line for line in result.errors if not line.startswith("made ")]
    assert (result.code, result.out, len(lines)) == (2, "", 1), result
    assert len(lines) + len(made) == len(result.errors)
    assert len(result.err) < 1200
    assert "bad.file" in lines[0] or (reader == "tune" and "nothing to tune" in lines[0])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == made | (set() if kind == "missing" else {"bad.file"})


def test_shell_pipe_is_read_as_a_file(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, LINE)
    os.close(writing)
    with open_input(f"/dev/fd/{reading}") as file:
        assert file.read() == LINE
    os.close(reading)
    with open_input(os.devnull) as file:
        assert file.read() == b""


OUTPUTS: dict[str, Callable[[Path], None]] = {
    "directory": lambda path: path.mkdir(),
    "full": lambda path: path.symlink_to("/dev/full"),
    "named pipe": lambda path: os.mkfifo(path),
    "link to itself": lambda path: path.symlink_to(path.name),
    "database": lambda path: path.write_bytes(SQLITE_MAGIC + bytes(100)) and None,
}
WRITERS: dict[str, tuple[str, ...]] = {
    "games": ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "50", "--pgn-out"),
    "picture": ("trace", "--position", "start", "--depth", "2", "--html"),
}


@pytest.mark.usefixtures("nothing_starts")
@each("kind, writer", sorted(set(product(OUTPUTS, WRITERS)) - {("link to itself", "games")}))
def test_bad_output_files(kind: str, writer: str, mtdf: Run, tmp_path: Path) -> None:
    OUTPUTS[kind](tmp_path / "bad.file")
    result = mtdf(*WRITERS[writer], "bad.file")
    assert result.code in (1, 2), result
    assert (result.out, len(result.errors)) == ("", 1), result
    assert "bad.file" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.file"]
    if kind == "database":
        assert (tmp_path / "bad.file").read_bytes().startswith(SQLITE_MAGIC)
        assert result.code == 2 or writer == "picture", result


def test_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.toml"
    path.write_text("old\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        for place in (path, tmp_path / "new.toml"):
            with pytest.raises(
                OperationFailed, match=f"cannot write .*{place.name}: File too large"
            ):
                write_output(place, "x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {item.name: item.read_text() for item in tmp_path.iterdir()} == {"kept.toml": "old\n"}
    write_output(path, "new\n")
    assert path.read_text() == "new\n"


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_output(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"
