"""Memory of an event in floods and over many games, in the quick size of benchmarks/memory.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory.py"


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_memory_grows_with_neither_floods_nor_games() -> None:
    """20 MB before each of four moves, on either output, and 2,000 games of each kind of engine."""
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--quick", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["case"] for row in rows] == ["flood-stdout", "flood-stderr", "native", "uci"]
    for row in rows:
        # The benchmark compares with its aims; these are the promised ones.
        assert 10 < row["worker_peak_mb"] < 150 and 10 < row["coordinator_peak_mb"] < 150
        assert row["output_mb"] < 1
        if row["games"] > 2:
            assert len(row["worker_after_mb"]) > 3
            assert abs(row["worker_growth_mb"]) < 16 and abs(row["coordinator_growth_mb"]) < 16
