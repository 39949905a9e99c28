"""The move generator of the core has the published perft counts of six positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.native

POSITIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "perft.json").read_text(encoding="utf-8")
)["positions"]


def test_perft(core: Any) -> None:
    for position in POSITIONS:
        for depth, leaves in enumerate(position["leaves"], 1):
            assert core.perft(position["fen"], depth) == leaves, (position["fen"], depth)


def test_there_are_six_positions() -> None:
    assert len({position["fen"] for position in POSITIONS}) == 6
    assert all(len(position["leaves"]) >= 4 for position in POSITIONS)


def test_depth_0_is_one_leaf(core: Any) -> None:
    assert core.perft(POSITIONS[0]["fen"], 0) == 1
    assert core.perft("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", 3) == 0
