"""The benchmarks of the cluster run in their quick size; their figures are not judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.native,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc"),
]


def _report(*words: str) -> Any:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / words[0]), *words[1:], "--quick", "--json"],
        capture_output=True,
        text=True,
        # They import what stands beside them.
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_cluster_benchmark_compares_same_games() -> None:
    report = _report("cluster.py", "--nodes", "1000")
    assert report["same_games"]
    assert [row["slots"] for row in report["rows"]] == [1, 2]
    for row in report["rows"]:
        assert row["cpu_efficiency"] > 0
        assert row["scheduler_ms"] > 0 and row["workers_ms"] > 0


def test_swarm_benchmark_survives_deaths() -> None:
    report = _report("swarm.py", "--seconds", "3")
    (load,) = report["loads"]
    assert 0 < load["pairs"] < 2 * load["asked"] and load["game_bytes"] > 100
    assert load["messages"] > load["pairs"] / load["batch"]
    faults = report["faults"]
    assert (faults["killed"], faults["left"], faults["joined"]) == (2, 18, 10)
    assert faults["repaired"] == 2 and faults["joined_rate"] > 0
