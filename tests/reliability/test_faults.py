"""Every fault of an engine, in whole events: games get what they deserve, and the event goes on.

The list of faults is ``fault_list.py``, the engine is ``faulty_uci.py``; ``benchmarks/faults.py``
prints the table, with the patience of a real event.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from msgspec import structs

from cli import program
from db.session import open_database
from toolkit.base.errors import ExitCode
from toolkit.commands._program import run_program

sys.path.insert(0, str(Path(__file__).parent))  # worker processes look there, too

from fault_event import ENGINE, QUICK, Played, Timing, judge, play, play_and_judge
from fault_list import FAULTS, HEALTHY, Fault, Mode

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc"),
]

BY_NAME = {fault.name: fault for fault in FAULTS}
PATIENT = replace(QUICK, orphans_gone_s=120.0, bounds_detection=False)
"""Nothing depends on how busy the machine is."""
LATE = "2100-01-01T00:00:00.000Z"


def check(faults: Sequence[Fault], mode: Mode, folder: Path, jobs: int) -> None:
    """Play these faults and compare all rows with what they deserve."""
    rows = play_and_judge(faults, mode, PATIENT, folder / "events", jobs)
    assert [row.fault.name for row in rows] == [fault.name for fault in faults]
    wrong = [f"{row.fault.name}: {'; '.join(row.wrong)}" for row in rows if row.wrong]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_every_fault_costs_what_it_deserves(tmp_path: Path) -> None:
    check(FAULTS, "nodes", tmp_path, jobs=4)


@pytest.mark.slow
def test_faults_that_wait_cost_time_on_a_clock(tmp_path: Path) -> None:
    waiting = [fault for fault in FAULTS if fault.reason("nodes") != fault.reason("clock")]
    check([HEALTHY, *waiting], "clock", tmp_path, jobs=4)


@pytest.mark.slow
def test_failing_engine_is_out_and_plays_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It starts when its settings are read, fails three times in the event, and then works."""
    monkeypatch.chdir(tmp_path)
    command = ["gauntlet", "--hero", "pvs:hash=1", "--nodes", "100", "--pairs", "2"]
    for name in ("out", "sound"):
        (tmp_path / name).mkdir()
        flags = "--exit-at-start --sound-starts 1 --faulty-starts 3" if name == "out" else ""
        words = f"{sys.executable} -I {ENGINE} {flags} --log {tmp_path / name}".split()
        command += ["--field", f"uci:{' '.join(map(quote, words))}?name={name}"]
    assert run_program(program, [*command, "--max-plies", "4"]) == ExitCode.ENGINE
    said = " ".join(capsys.readouterr().err.split())
    assert "2 of 4 pairs could not be played: `out` ended (exit code 1)" in said
    assert "failed to start 3 times in a row" in said
    assert "4 of 8 games are saved" in said and "--retry-failed" in said
    assert scores(tmp_path) == {"sound": 4}

    assert run_program(program, ["resume", "last", "--retry-failed", "--quiet"]) == ExitCode.DONE
    assert "warning" not in capsys.readouterr().err
    assert scores(tmp_path) == {"sound": 4, "out": 4}
    assert len((tmp_path / "out" / "starts").read_text().splitlines()) == 6


def scores(folder: Path) -> dict[str, int]:
    """Stored games of each engine, none of which ended by a fault."""
    with open_database(folder / "mtdf.db") as db:
        games = list(db.repository.games())
    assert {game.end_reason for game in games} == {"max-length"}
    return dict(
        Counter(
            next(one for one in (game.white, game.black) if one in ("out", "sound"))
            for game in games
        )
    )


def test_list_has_every_fault_of_the_engine() -> None:
    text = subprocess.run(
        [sys.executable, "-I", str(ENGINE), "--help"], capture_output=True, text=True, check=True
    ).stdout
    words = {line.split()[0] for line in text.splitlines() if line.startswith("  --")}
    numbers = {"--at", "--seconds", "--megabytes", "--sound-starts", "--faulty-starts", "--log"}
    used = {word for fault in FAULTS for word in fault.flags.split() if word.startswith("--")}
    assert words - numbers == used - numbers
    assert len(BY_NAME) == len(FAULTS) >= 24


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """An event with one fault that costs games, and one that does not."""
    faults = [BY_NAME["die"], BY_NAME["twice"]]
    return play(faults, "nodes", PATIENT, tmp_path_factory.mktemp("sample") / "event")


UNDESERVED: list[tuple[str, dict[str, Any], str]] = [
    ("die", {"deserves": "plays on"}, "lost: died"),
    ("die", {"reasons": ("illegal-move",) * 2}, "lost by engine-failure, not illegal-move"),
    ("die", {"texts": ("SIGTERM",) * 2}, "the reason says: died"),
    ("die", {"games": "as Black"}, "lost 2 games, not 1"),
    ("die", {"deserves": "out"}, "2 games were stored"),
    ("twice", {"deserves": "loses"}, "lost 0 games, not 2"),
    ("twice", {"warning": "nothing"}, "the warnings are: gave an answer twice"),
    ("twice", {"pairs": 2}, "2 of 4 games were played"),
]


def test_judge_finds_what_is_not_deserved(sample: Played) -> None:
    for name, changes, complaint in UNDESERVED:
        assert not judge(BY_NAME[name], sample).wrong
        row = judge(replace(BY_NAME[name], **changes), sample)
        assert any(complaint in text for text in row.wrong), (name, changes, row.wrong)


def test_judge_finds_other_moves_late_detection_and_orphans(sample: Played) -> None:
    games = sample.games_of(BY_NAME["twice"])
    row = judge(BY_NAME["twice"], sample, games[::-1])
    assert row.wrong == ("played other moves than without the fault",)
    late = replace(
        sample,
        timing=Timing(),
        games=[structs.replace(game, ended_at=LATE) for game in sample.games],
    )
    assert any("detected after" in text for text in judge(BY_NAME["die"], late).wrong)
    left = replace(sample, orphans={"die": 1})
    assert judge(BY_NAME["die"], left).wrong == ("left 1 processes behind",)
