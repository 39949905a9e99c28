"""``mtdf round-robin`` plays every pairing once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolkit.reports.outcome import OutcomeRow

Run = Callable[..., Any]
SHORT = ("--pairs", "1", "--nodes", "60", "--max-plies", "12", "--quiet")


def test_all_pairings_are_played_once(mtdf: Run, has_fields: Callable[..., bool]) -> None:
    row = mtdf("round-robin", "mtdf", "pvs", "--engine", "alphabeta", *SHORT, "--json").json
    assert has_fields(row, OutcomeRow)
    assert (row["kind"], row["status"], row["games"]) == ("round-robin", "done", 6)
    met = [(score["first"], score["second"]) for score in row["scores"]]
    assert met == [("mtdf", "pvs"), ("mtdf", "alphabeta"), ("pvs", "alphabeta")]


def test_plan(mtdf: Run) -> None:
    row = mtdf("round-robin", "mtdf", "pvs", "alphabeta", *SHORT, "--dry-run", "--json").json
    assert (row["kind"], len(row["pairings"]), row["games"]) == ("round-robin", 3, 6)


def test_one_engine_is_not_enough(mtdf: Run) -> None:
    result = mtdf("round-robin", "mtdf", *SHORT)
    assert result.code == 2
    assert "number of engines" in result.errors[0]
