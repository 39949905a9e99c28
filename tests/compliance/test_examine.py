"""Each check of ``mtdf engines test`` finds its own fault and reports no other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from engines.errors import EngineFailure
from engines.spec import UciCommand, UciEngine
from toolkit.compliance.examine import POINTS, examine
from toolkit.compliance.finding import CheckFinding, WaitingTimes

PACE = WaitingTimes(
    start_s=120.0,
    search_s=60.0,
    stop_s=60.0,
    ready_s=60.0,
    quit_s=60.0,
    end_of_input_s=60.0,
    idle_s=0.2,
    busy_s=0.1,
    soon_ms=5000,
    late_ms=5000,
    new_game_ms=5000,
    margin_ms=5000,
    movetimes_ms=(500,),
    clock_ms=1000,
    clock_plies=6,
    total_s=600.0,
)
"""Patience with a busy machine."""
WAITS: dict[str, dict[str, float]] = {
    "silent when mated": {"search_s": 3.0, "stop_s": 3.0},
    "no stop": {"search_s": 3.0, "stop_s": 1.0},
    "deaf while it searches": {"ready_s": 0.5},
    "slow ucinewgame": {"new_game_ms": 200},
    "no nodes limit": {"search_s": 3.0},
    "no depth limit": {"search_s": 1.0},
    "no movetime": {"margin_ms": 700},
    "slow on the clock": {"margin_ms": 1500},
    "stubborn": {"quit_s": 1.0},
    "immortal": {"end_of_input_s": 0.5},
}
"""Faults that are found by waiting: these waits are short."""
MakeEngine = Callable[..., UciEngine]


@pytest.fixture(autouse=True)
def busy_machine_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolkit.compliance.starting._SLOW_MS", 120_000)
    monkeypatch.setattr("toolkit.compliance.moves._LONG_SEARCH_MS", 60_000)


FAULTS = {
    "nameless": ("start", "warn", "no `id name`"),
    "unreadable option": ("options", "warn", "1 unreadable"),
    "bad default": ("options", "warn", "Odd: its default is out of its range"),
    "touchy": ("unknown words", "FAIL", "exit code 5"),
    "illegal promotion": ("legal moves", "FAIL", "`a7a8` (promotion"),
    "long games": ("long games", "FAIL", "exit code 3"),
    "silent when mated": ("game over", "warn", "does not answer at checkmate"),
    "mates in centipawns": ("mates", "warn", "a mate in 1 is announced as +29999 centipawns"),
    "mates for the other side": ("mates", "FAIL", "for the other side"),
    "scores of White": ("scores", "FAIL", "scores of White"),
    "no stop": ("stop", "FAIL", "does not answer `stop`"),
    "answers go infinite": ("stop", "warn", "before `stop`"),
    "answers every stop": ("stop", "warn", "without a search"),
    "deaf while it searches": ("isready", "warn", "no `readyok`"),
    "slow ucinewgame": ("ucinewgame", "warn", "takes "),
    "no nodes limit": ("nodes", "FAIL", "ignores `go nodes 1000`"),
    "many nodes": ("nodes", "FAIL", "30 000 of 1 000"),
    "few nodes": ("nodes", "FAIL", "7 of 1 000"),
    "deeper": ("depth", "FAIL", "2, 4, 6 of 1, 3, 5"),
    "deeper at depth 1": ("depth", "warn", "2, 3, 5 of 1, 3, 5"),
    "no depth limit": ("depth", "FAIL", "ignores `go depth 1`"),
    "no movetime": ("movetime", "FAIL", "ignores `go movetime 500`"),
    "early": ("movetime", "warn", "of 500 ms"),
    "slow on the clock": ("clock", "FAIL", "oversteps its time at ply 1"),
    "book": ("own book", "warn", "without a search"),
    "random": ("repeats", "warn", "equal moves, other nodes"),
    "forgets nothing": ("repeats", "warn", "not after `ucinewgame`"),
    "malformed": ("info", "warn", "`score` without cp or mate and a whole number"),
    "chatter": ("info", "warn", "a line that is not UCI: `thinking hard`"),
    "illegal variation": ("pv", "warn", "illegal: e2e5"),
    "twice": ("one answer", "FAIL", "that no `go` asked for"),
    "castles as in chess": ("chess960", "FAIL", "`e1g1` (Chess960"),
    "dies of an option": ("option values", "FAIL", "Level=20: `table` ended (exit code 4)"),
    "busy": ("idle", None, "of a core"),
    "threads": ("threads", "warn", "plays with Threads=4; used "),
    "stubborn": ("quit", "warn", "does not end within 1 s"),
    "child": ("quit", "warn", "leaves 1 processes behind"),
    "exit code": ("quit", "warn", "exit code 3"),
    "immortal": ("end of input", "warn", "runs on"),
}
"""By fault: the point that finds it, its status (None: either), and words of what it says."""
SEEN_BY = {"repeats": "nodes"}
"""Points whose faults another point sees, too: both count nodes."""


def _examined(engine: UciEngine, pace: WaitingTimes = PACE) -> list[CheckFinding]:
    return list(examine(engine, pace=pace))


def test_engine_without_fault_passes_every_point(engine: MakeEngine) -> None:
    found = _examined(engine())
    assert [(one.point, one.status, one.meaning) for one in found] == [
        (name, "ok", "") for name in POINTS
    ]


def _groups() -> list[list[str]]:
    """All faults in a few engines, in each of which a point has one fault. Those that are found by
    waiting are alone."""
    together: list[list[str]] = []
    for fault in FAULTS:
        if fault not in WAITS:
            fits = [group for group in together if _kind(fault) not in map(_kind, group)]
            if fits:
                fits[0].append(fault)
            else:
                together.append([fault])
    return [[fault] for fault in WAITS] + together


def _kind(fault: str) -> str:
    point = FAULTS[fault][0]
    return SEEN_BY.get(point, point)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize("faults", _groups(), ids=lambda group: group[0])
def test_each_fault_is_found_by_its_point_only(engine: MakeEngine, faults: list[str]) -> None:
    waits = WAITS.get(faults[0], {})
    found = _examined(engine(",".join(faults)), replace(PACE, **waits))
    wrong = {one.point: one for one in found if one.status != "ok"}
    assert set(wrong) == {FAULTS[fault][0] for fault in faults}, wrong
    for fault in faults:
        point, status, words = FAULTS[fault]
        assert status in (None, wrong[point].status), fault
        assert words in wrong[point].detail, fault
        assert wrong[point].meaning, fault


def test_every_point_has_fault() -> None:
    assert {point for point, _, _ in FAULTS.values()} == set(POINTS)


@pytest.mark.slow
def test_silent_engine_has_gaps(engine: MakeEngine) -> None:
    wrong = {one.point: one.detail for one in _examined(engine("silent")) if one.status != "ok"}
    assert wrong["info"] == "never says depth, score, nodes, pv"
    assert set(wrong) == {"info", "scores", "nodes", "depth"}


@pytest.mark.slow
def test_points_after_time_limit_are_not_tested(engine: MakeEngine) -> None:
    found = _examined(engine(), replace(PACE, total_s=0.0))
    assert len(found) == len(POINTS)
    assert {one.status for one in found[1:]} == {"warn"}
    assert all("not tested" in one.detail for one in found[1:])


@pytest.mark.slow
def test_hanging_engine_is_tested_to_end(engine: MakeEngine) -> None:
    pace = replace(PACE, search_s=0.2, stop_s=0.1, total_s=3.0)
    assert len(_examined(engine("no stop"), pace)) == len(POINTS)


def test_failed_start_is_no_finding() -> None:
    missing = UciEngine(
        command=UciCommand(("./nowhere",)), facts={}, spelling="uci:./nowhere", label="nowhere"
    )
    with pytest.raises(EngineFailure, match="does not exist"):
        next(examine(missing, pace=PACE))


@pytest.mark.slow
def test_closed_examination_leaves_no_process(engine: MakeEngine) -> None:
    made = engine("child")
    tested = examine(made, pace=PACE)
    for finding in tested:
        if finding.point == "stop":
            break
    tested.close()
    assert not _running("table_uci.py")


def _running(name: str) -> list[str]:
    """Processes of this one with that word in their command."""
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file, open(f"/proc/{entry}/stat") as stat:
                parent = int(stat.read().rpartition(") ")[2].split()[1])
                words = file.read()
        except OSError:
            continue
        if name.encode() in words and parent == os.getpid():
            found.append(entry)
    return found
