"""Runs that are killed at random moments and continued: nothing is lost, doubled or torn, and no
process stays. ``benchmarks/kills.py`` kills many more."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from killing import JOBS, WORKER, Damage, Engines, How, KilledRuns

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]

GUARD_S = 120.0
RUNS: list[tuple[str, Engines, tuple[How, ...]]] = [
    ("match", "uci", ("SIGINT", "SIGTERM", "SIGKILL", WORKER)),
    ("tune", "native", ("SIGKILL",)),
    ("lab", "native", ("SIGKILL",)),
    ("import", "native", ("SIGKILL",)),
]


@pytest.mark.parametrize(("kind", "engines", "hows"), RUNS)
def test_killed_run_is_continued(
    kind: str, engines: Engines, hows: tuple[How, ...], tmp_path: Path
) -> None:
    runs = KilledRuns(kind, engines, tmp_path / "runs", orphans_after_s=GUARD_S)
    for how in hows:
        damage = runs.kill(how, random.Random(f"{kind} {engines} {how}"))
        assert damage == Damage(replayed=damage.replayed), f"{kind} {engines} {how}"
        assert damage.replayed <= JOBS
