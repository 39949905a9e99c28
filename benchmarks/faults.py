"""What becomes of an event with engines that crash, hang, lie and flood: fault by fault.

    python benchmarks/faults.py
    python benchmarks/faults.py --quick --only flood-before,late --json

One engine of ours meets the faulty engines of ``tests/reliability`` in a gauntlet, once with fixed
nodes and once with a clock. For each fault and mode the table shows what is expected, what became
of it, and how long it took to detect it: from the fault, or from the end of the time that the
engine had to answer or to start, to the end of the game. The exit code is 1 if a row is not what it
deserves. ``--alone`` gives each fault an event of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "reliability"))

from fault_event import QUICK, Row, Timing, play_and_judge
from fault_list import FAULTS, MODES, Fault, Mode


def main() -> int:
    """Play, print, and say whether every row is as expected."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="Wait less long for each engine.")
    parser.add_argument("--jobs", type=int, default=4, help="Games at a time.")
    parser.add_argument("--only", help="Names of faults, separated by commas.")
    parser.add_argument("--mode", choices=MODES, help="One mode alone.")
    parser.add_argument("--alone", action="store_true", help="An event for each fault.")
    parser.add_argument("--json", action="store_true", help="Print JSON instead of Markdown.")
    arguments = parser.parse_args()
    names = (arguments.only or "").split(",")
    faults = [fault for fault in FAULTS if not arguments.only or fault.name in names]
    modes = [mode for mode in MODES if arguments.mode in (None, mode)]
    timing = QUICK if arguments.quick else Timing()
    run = _alone if arguments.alone else _together
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for mode in modes for row in run(faults, mode, timing, folder, arguments.jobs)]
    print(json.dumps([_plain(row) for row in rows], indent=2) if arguments.json else _table(rows))
    return int(any(row.wrong for row in rows))


def _together(
    faults: Sequence[Fault], mode: Mode, timing: Timing, folder: str, jobs: int
) -> list[Row]:
    return play_and_judge(faults, mode, timing, Path(folder) / mode, jobs)


def _alone(
    faults: Sequence[Fault], mode: Mode, timing: Timing, folder: str, jobs: int
) -> list[Row]:
    # Processes, because Alembic cannot make two databases in one process at a time.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        runs = [
            pool.submit(play_and_judge, [fault], mode, timing, Path(folder) / mode / fault.name)
            for fault in faults
        ]
        return [row for run in runs for row in run.result()]


def _table(rows: Sequence[Row]) -> str:
    columns: dict[str, Callable[[Row], str]] = {
        "fault": lambda row: row.fault.name,
        "mode": lambda row: row.mode,
        "expected": lambda row: row.fault.deserved(row.mode),
        "outcome": lambda row: row.outcome,
        "detected after": lambda row: (
            "" if row.detected_ms is None else f"{row.detected_ms:.0f} ms"
        ),
        "at most": lambda row: (
            "" if row.detected_ms is None else f"{row.fault.most_ms(row.mode)} ms"
        ),
        "": lambda row: "; ".join(row.wrong) if row.wrong else "as expected",
    }
    lines = [list(columns), ["---"] * len(columns)]
    lines += [[of(row).replace("|", "\\|") for of in columns.values()] for row in rows]
    good = sum(not row.wrong for row in rows)
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{good} of {len(rows)} rows as expected"


def _plain(row: Row) -> dict[str, object]:
    return {
        "fault": row.fault.name,
        "mode": row.mode,
        "expected": row.fault.deserved(row.mode),
        "outcome": row.outcome,
        "detected_ms": None if row.detected_ms is None else round(row.detected_ms, 1),
        "most_ms": row.fault.most_ms(row.mode),
        "wrong": list(row.wrong),
    }


if __name__ == "__main__":
    sys.exit(main())
