"""The node counts that ``benchmarks/laboratory.json`` keeps hold on this machine."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "laboratory.py"


@pytest.mark.native
@pytest.mark.slow
def test_every_driver_searches_as_many_nodes_as_on_any_machine() -> None:
    spec = importlib.util.spec_from_file_location("laboratory", BENCHMARK)
    assert spec is not None and spec.loader is not None
    laboratory = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(laboratory)
    kept = json.loads(laboratory.KEPT.read_text(encoding="utf-8"))
    counted = {name: laboratory.counted(name, d)[0] for name, d in laboratory.variants().items()}
    assert counted == kept
