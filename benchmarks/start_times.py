"""CPU that a command needs from its start to its end, as a multiple of the bare interpreter's.

    python benchmarks/start_times.py

The commands work on a database of one small event, and the match makes a new one. Each command and
``python -c pass`` run in turn, several times; a figure is the median of user and system time of all
processes of a run. Install the program with ``pip install .`` for figures that mean something: the
import hook of an editable installation takes time of its own.

Exit code 1 when a command needs more than its limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_RUNS = 7
_BARE = "python -c pass"
_MATCH = ("match", "mtdf", "pvs", "--pairs", "2", "--nodes", "300", "--jobs", "1")
_LIMITS = {
    "--help": 8,
    "events": 20,
    "games": 20,
    "game last": 22,
    "ratings": 36,
    "doctor": 70,
    " ".join(_MATCH): 70,
}
"""Commands with the most that they may need, in multiples of the bare interpreter."""


def cpu_ms(command: Sequence[str], folder: Path) -> float:
    """CPU time of a process with all its descendants. Raises RuntimeError when it fails."""
    # Python writes the bytecode of what it imports, as it does for users.
    hidden = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=output, stderr=output)
        # Of descendants those count that their parents have waited for, as our program does.
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = (folder / "output.txt").read_text(errors="replace")
        raise RuntimeError(f"{command}: exit code {process.returncode}: {said}")
    return (used.ru_utime + used.ru_stime) * 1000


def measure(runs: int, folder: Path) -> dict[str, float]:
    """Median milliseconds of each command."""
    base = [str(Path(sys.executable).with_name("mtdf"))]
    cpu_ms([*base, *_MATCH], folder)
    found: dict[str, list[float]] = {name: [] for name in (_BARE, *_LIMITS)}
    for run in range(runs):
        found[_BARE].append(cpu_ms([sys.executable, "-c", "pass"], folder))
        for name in _LIMITS:
            new = ["--db", f"new-{run}.db"] if name.startswith("match") else []
            found[name].append(cpu_ms([*base, *name.split(), *new], folder))
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    """Print a line a command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=_RUNS, help="runs of each command")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        found = measure(runs, Path(folder))
    width = max(map(len, found))
    print(f"{'command':<{width}}  CPU ms  multiple  limit")
    missed = False
    for name, ms in found.items():
        multiple, limit = ms / found[_BARE], _LIMITS.get(name)
        missed |= limit is not None and multiple > limit
        print(f"{name:<{width}} {ms:7.1f} {multiple:9.1f} {limit or '':>6}")
    sys.exit(int(missed))


if __name__ == "__main__":
    main()
