"""Every fault of an engine, in whole events: each game gets what it deserves, and the event goes on.

The list of faults is ``fault_list.py``, the engine is ``faulty_uci.py``; ``benchmarks/faults.py``
prints the table, with the patience of a real event.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # worker processes look there, too

from fault_event import ENGINE, QUICK, judge, play, play_and_judge
from fault_list import FAULTS, MODES, Fault, Mode

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc"),
]

BY_NAME = {fault.name: fault for fault in FAULTS}
TYPICAL: dict[Mode, tuple[str, ...]] = {
    "nodes": (
        "exit-at-start",
        "start-fails-twice",
        "exit-between-games",
        "die",
        "die-as-black",
        "sigstop",
        "close-input",
        "illegal",
        "none",
        "twice-late",
        "flood-before",
        "long-line",
        "huge-numbers",
        "fork-die",
        "false-mate",
    ),
    "clock": ("exit-1", "hang-go", "late", "flood-endless", "null", "twice", "crlf", "stubborn"),
}
"""At least one fault of each sort, for a quick test."""


def check(faults: Sequence[Fault], mode: Mode, folder: Path) -> None:
    """Play these faults and compare all rows with what they deserve."""
    rows = play_and_judge(faults, mode, QUICK, folder / "events", jobs=4)
    assert [row.fault.name for row in rows] == [fault.name for fault in faults]
    assert not {row.fault.name: row.wrong for row in rows if row.wrong}


@pytest.mark.parametrize("mode", MODES)
def test_typical_faults_cost_what_they_deserve(mode: Mode, tmp_path: Path) -> None:
    check([BY_NAME[name] for name in TYPICAL[mode]], mode, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_every_fault_costs_what_it_deserves(mode: Mode, tmp_path: Path) -> None:
    check(FAULTS, mode, tmp_path)


def test_the_list_has_every_fault_of_the_engine() -> None:
    text = subprocess.run(
        [sys.executable, "-I", str(ENGINE), "--help"], capture_output=True, text=True, check=True
    ).stdout
    words = {line.split()[0] for line in text.splitlines() if line.startswith("  --")}
    numbers = {"--at", "--seconds", "--megabytes", "--sound-starts", "--faulty-starts", "--log"}
    used = {word for fault in FAULTS for word in fault.flags.split() if word.startswith("--")}
    assert words - numbers == used - numbers
    assert len(BY_NAME) == len(FAULTS) >= 24


@pytest.mark.parametrize(
    ("name", "changes", "complaint"),
    [
        ("die", {"deserves": "plays on"}, "lost by engine-failure"),
        ("die", {"reasons": ("illegal-move",) * 2}, "lost by engine-failure, not illegal-move"),
        ("die", {"texts": ("SIGTERM",) * 2}, "the reason says"),
        ("die", {"games": "as Black"}, "lost 2 games, not 1"),
        ("die", {"deserves": "out"}, "2 games were stored"),
        ("crlf", {"deserves": "loses"}, "lost 0 games, not 2"),
    ],
)
def test_the_judge_sees_what_is_not_deserved(
    sample: object, name: str, changes: dict[str, object], complaint: str
) -> None:
    fault = replace(BY_NAME[name], **changes)
    assert any(complaint in text for text in judge(fault, sample).wrong)
