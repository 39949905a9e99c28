"""Play the tours again: run ``python docs/tour.py`` to renew the outputs in README.md, tour.md and
testing-a-patch.md, or give the name of one of them, without its ending.

Every ``$`` line of a page's ``console`` blocks, every ``mtdf`` line of its ``sh`` blocks and its
Python program are run in an empty directory, in which ``recipes`` are those of this repository,
with an empty cache. With ``--check`` nothing is written; what is printed
now is compared with what the pages show, but for times, speeds and the ids of events and games.
A command that the next one resumes is stopped by Ctrl-C. Needs the native core and some minutes
of an idle machine.
"""

from __future__ import annotations

import datetime
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection
from pathlib import Path

from engines.backend import backend_name, signature
from toolkit.base.version import program_version

_DOCS = Path(__file__).resolve().parent
PAGES = (_DOCS.parent / "README.md", _DOCS / "tour.md", _DOCS / "testing-a-patch.md")
_BLOCK = re.compile(r"```(console|sh|python)\n(.*?)```\n", re.DOTALL)
STAMP = re.compile(r"<!-- made by docs/tour.py: .* -->")
"""Says in a page what printed the outputs."""
_LOG_LINE = r"^\d{4}-\d\d-\d\dT\S+ .*\n"
_LOG_LINES = re.compile(f"((?:{_LOG_LINE}){{3}})(?:{_LOG_LINE}){{2,}}({_LOG_LINE})", re.MULTILINE)
"""Progress of a command that took long: the first three lines and the last one say enough."""
_STOP_AFTER_S = 15.0
"""Long enough for some lines of progress."""
_VARYING = (
    (re.compile(r"^(\d{4}-\d\d-\d\dT\S+ .*|\.\.\.)\n", re.MULTILINE), ""),
    (re.compile(r"^\d+ pairs? finished after the stop, left out\n", re.MULTILINE), ""),
    (re.compile(r"\b\d+ of 600 games are (saved|in)\b(, \d+ are left)?"), "N games"),
    (re.compile(r"\br[0-9a-z]{3}\b"), "EVENT"),
    (re.compile(r"^g\d+ +EVENT", re.MULTILINE), "GAME EVENT"),
    (re.compile(r"~[\d.]+[smhd](\d\d[smh])?"), "TIME"),
    (re.compile(r" +\d+\.\d$", re.MULTILINE), " MS"),
    (re.compile(r"nps \d+ hashfull \d+ time \d+"), "SPEED"),
    (re.compile(r"at a load of [\d.]+"), "LOAD"),
    (re.compile(r"\bin \d+\.\d s\b"), "in TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z)?"), "MOMENT"),
    (re.compile(r"^(\S+@\S+ .*|ratio .*|measured .*)$", re.MULTILINE), "SPEED"),
)


def main(check: bool, names: Collection[str]) -> int:
    """Run the tours; exit code 1 when a command fails or, with ``check``, prints something else."""
    return max(_play(page, check) for page in PAGES if not names or page.stem in names)


def _play(page: Path, check: bool) -> int:
    """Run one page's tour."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "recipes").symlink_to(_DOCS.parent / "recipes")
        renewed = _BLOCK.sub(lambda block: _renewed(block, Path(directory)), text)
    if not check:
        page.write_text(STAMP.sub(_stamp(), renewed), encoding="utf-8")
        return 0
    if _steady(renewed) == _steady(text):
        return 0
    for old, new in zip(_steady(text).splitlines(), _steady(renewed).splitlines(), strict=False):
        if old != new:
            print(f"shown:   {old}\nprinted: {new}")
            break
    return 1


def _stamp() -> str:
    """What prints the outputs: program, core and day."""
    core = f"{backend_name()} core {signature()}"
    today = datetime.date.today().isoformat()
    return f"<!-- made by docs/tour.py: mtdf {program_version()}, {core}, {today} -->"


def _renewed(block: re.Match[str], directory: Path) -> str:
    """A block of a page with what its commands print now."""
    language, body = block.groups()
    joined = body.replace("\\\n", "\\\0")
    if language == "python":
        program = re.sub(r"^# .*\n", "", body, flags=re.MULTILINE)
        (directory / "notebook.py").write_text(program, encoding="utf-8")
        printed = _run("python notebook.py", directory)
        shown = "".join(f"# {line}\n" for line in printed.splitlines())
        return f"```python\n{program}{shown}```\n"
    if language == "sh":
        # What needs programs in the background is not played.
        for line in () if re.search("&$", joined, re.MULTILINE) else joined.splitlines():
            if line.startswith("mtdf "):
                _run(line.replace("\\\0", ""), directory)
        return block[0]
    commands = [line for line in joined.splitlines() if line.startswith("$ ")]
    lines = []
    for command, after in zip(commands, [*commands[1:], ""], strict=True):
        stopped = after.startswith("$ mtdf resume")
        printed = _run(command[2:].replace("\\\0", ""), directory, stopped=stopped)
        printed = _LOG_LINES.sub(r"\1...\n\2", printed)
        lines.append(command.replace("\0", "\n") + "\n" + printed)
    return f"```console\n{''.join(lines)}```\n"


def _run(command: str, directory: Path, *, stopped: bool = False) -> str:
    """What a command prints on a terminal that cannot redraw; raises SystemExit when it fails."""
    ours, theirs = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    wide = {"COLUMNS": "150", "TERM": "dumb", "GIT_PAGER": "cat"}  # nothing is left out
    cache = {"XDG_CACHE_HOME": f"{directory}/.cache", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = os.environ | wide | {"MTDF_DB": "tour.db", "PATH": path} | cache
    process = subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    stop = threading.Timer(_STOP_AFTER_S, os.killpg, (process.pid, signal.SIGINT))
    if stopped:
        stop.start()
    printed = b"".join(iter(lambda: _read(ours), b"")).decode().replace("\r\n", "\n")
    os.close(ours)
    expected = {0, 141} if not stopped else {130}
    if process.wait() not in expected:
        raise SystemExit(f"exit code {process.returncode}: {command}\n{printed}")
    return printed.replace(str(directory), "~")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux tells that the other side is closed
        return b""


def _steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


if __name__ == "__main__":
    words = set(sys.argv[1:])
    sys.exit(main("--check" in words, words - {"--check"}))
