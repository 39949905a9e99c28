"""A disk that fills up or fails: one line, nothing by halves, and afterwards the run goes on."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from diary import run_on_disk

from db.session import open_database
from toolkit.base.files import write_whole

PROGRAM = [sys.executable, "-c", "import cli; cli.main()"]
EVENT = "match mtdf:eval=pst pvs:eval=pst --nodes 60 --max-plies 6 --seed 3 --book b.epd".split()
GAMES = 6
BOOK = """\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty database and a small book."""
    (path := tmp_path / "disk").mkdir()
    open_database(path / "m.db").close()
    (path / "b.epd").write_text(BOOK)
    return path


@pytest.fixture
def failing(disk_library: Path, folder: Path) -> Run:
    """Run ``mtdf`` on a disk that fails as the variables DISK_... say."""

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_on_disk(disk_library, folder, [*PROGRAM, *words], **environment)

    return run


def errors(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines that name an error; there is no traceback."""
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr, done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("error: ")]


def stored(folder: Path) -> int:
    """The number of stored games, if the database is sound."""
    with open_database(folder / "m.db") as database:
        database.check()
        assert database.repository.damage() == []
        games = list(database.repository.games())
    assert len(games) == 2 * len({(game.event_id, game.pair) for game in games})
    return len(games)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "problem"), [(85, errno.ENOSPC), (80, errno.EIO)])
def test_event_continues_after_a_failed_write(
    failing: Run, folder: Path, number: int, problem: int
) -> None:
    """All writes fail from that one on."""
    fail = {"DISK_FAIL": str(problem), "DISK_FROM": str(number)}
    done = failing(*EVENT, "--pairs", "3", "--jobs", "1", **fail)
    (line,) = errors(done)
    assert done.returncode == 3 and line.startswith("error: m.db: "), line
    if "the disk is full or fails" not in line:
        assert ("the disk is full" in line) == (problem == errno.ENOSPC)
    begun = re.search(r"^event (\w+) ", done.stderr, re.MULTILINE)
    assert begun is not None and stored(folder) < GAMES
    assert line.endswith(f"; continue with: mtdf resume {begun[1]}")
    assert failing("resume", begun[1]).returncode == 0
    assert stored(folder) == GAMES


def test_pgn_file_without_space_is_refused_before_the_start(failing: Run, folder: Path) -> None:
    fail = {"DISK_FAIL": str(errno.ENOSPC), "DISK_ONLY": ".part"}
    done = failing(*EVENT, "--pairs", "3", "--pgn-out", "g.pgn", **fail)
    assert done.returncode == 2
    assert errors(done) == ["error: --pgn-out g.pgn: No space left on device"]
    assert sorted(path.name for path in folder.iterdir()) == ["b.epd", "m.db"]
    assert stored(folder) == 0


@pytest.mark.slow
def test_pgn_file_that_cannot_grow_is_written_at_the_end(failing: Run, folder: Path) -> None:
    """The games are stored, and the line at the end says how to get them."""
    fail = {"DISK_FAIL": str(errno.ENOSPC), "DISK_ONLY": "g.pgn"}
    done = failing(*EVENT, "--pairs", "3", "--pgn-out", "g.pgn", **fail)
    assert done.returncode == 0, "it is written again at the end, beside its place"
    assert "warning: --pgn-out g.pgn: No space left on device" in done.stderr
    assert (folder / "g.pgn").read_text().count("[Event ") == GAMES == stored(folder)


@pytest.mark.slow
def test_backup_without_space_leaves_no_file(failing: Run, folder: Path) -> None:
    fail = {"DISK_FAIL": str(errno.ENOSPC), "DISK_ONLY": ".part"}
    done = failing("db", "backup", "copy.db", **fail)
    (line,) = errors(done)
    assert done.returncode == 3 and "cannot write the backup copy.db: " in line
    assert "full" in line or "space" in line, line
    assert sorted(path.name for path in folder.iterdir()) == ["b.epd", "m.db"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.slow
def test_standard_output_on_a_full_disk(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "events", "--json"],
            cwd=folder,
            env=os.environ | {"MTDF_DB": "m.db"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 1, done.stderr
    assert len(errors(done)) == 1 and "No space left on device" in errors(done)[0]


def test_files_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, "one")
    (tmp_path / "link").symlink_to("a")
    write_whole(tmp_path / "link", "two")
    assert path.read_text() == "two" and (tmp_path / "link").is_symlink()
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "three \udc80")
    assert path.read_text() == "two"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "link"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    (path := tmp_path / "small").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1300k", "tmpfs", str(path)]
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small file system")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.mark.slow
def test_event_continues_after_a_file_system_was_full(small_disk: Path) -> None:
    """The real thing; then it gets more space."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *words],
            cwd=small_disk,
            env=os.environ | {"MTDF_DB": "m.db"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    open_database(small_disk / "m.db").close()
    words = "match mtdf:eval=pst pvs:eval=pst --nodes 60 --max-plies 80 --seed 3".split()
    done = run(*words, "--book", "default-500", "--pairs", "450", "--name", "long")
    (line,) = errors(done)
    assert done.returncode == 3 and "the disk is full" in line, line
    assert re.search(r"; continue with: mtdf resume \w+$", line)
    grow = ["mount", "-o", "remount,size=50m", str(small_disk)]
    subprocess.run(grow, check=True)
    before = stored(small_disk)
    assert 0 < before < 900
    assert run("resume", "long").returncode == 0
    assert stored(small_disk) == 900
