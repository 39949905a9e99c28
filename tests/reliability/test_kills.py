"""Runs that are killed at random moments and continued: nothing is lost, doubled or torn, and no
process stays. ``benchmarks/kills.py`` kills many more."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from killing import JOBS, WORKER, Damage, Engines, How, KilledRuns

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

QUICK: list[tuple[str, Engines, tuple[How, ...]]] = [("match", "uci", ("SIGKILL",))]
MORE: list[tuple[str, Engines, tuple[How, ...]]] = [
    ("match", "uci", ("SIGINT", "SIGTERM", WORKER)),
    ("match", "native", ("SIGKILL", WORKER)),
    ("sprt", "uci", ("SIGKILL",)),
    ("tune", "native", ("SIGKILL",)),
    ("lab", "native", ("SIGKILL",)),
    ("claims", "native", ("SIGKILL",)),
    ("import", "native", ("SIGKILL",)),
]


def check(kind: str, engines: Engines, hows: tuple[How, ...], folder: Path) -> None:
    runs = KilledRuns(kind, engines, folder)
    for how in hows:
        damage = runs.kill(how, random.Random(f"{kind} {engines} {how}"))
        assert damage == Damage(replayed=damage.replayed), f"{kind} {engines} {how}"
        assert damage.replayed <= JOBS


@pytest.mark.parametrize(("kind", "engines", "hows"), QUICK)
def test_killed(kind: str, engines: Engines, hows: tuple[How, ...], tmp_path: Path) -> None:
    check(kind, engines, hows, tmp_path / "runs")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "engines", "hows"), MORE)
def test_killed_otherwise(
    kind: str, engines: Engines, hows: tuple[How, ...], tmp_path: Path
) -> None:
    check(kind, engines, hows, tmp_path / "runs")
