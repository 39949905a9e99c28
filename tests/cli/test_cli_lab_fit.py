"""``mtdf lab fit``: what it prints is what can be played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engines.variant import parse_variant
from toolkit.lab.fit_rows import LabFitReport, LabFitRow
from toolkit.rows import field_names

Run = Callable[..., Any]
Fields = Callable[..., bool]

pytestmark = pytest.mark.native


@pytest.mark.parametrize("guess", ["regression", "quantile"])
def test_the_variant_that_is_printed_has_what_was_fitted(
    mtdf: Run, has_fields: Fields, guess: str
) -> None:
    command = f"lab fit --guess {guess} --positions default-500 --count 12 --depth 4 --grain 5"
    result = mtdf(*command.split(), "--json")
    assert result.code == 0, result.err
    report = result.json
    assert has_fields(report, LabFitReport)
    variant = parse_variant(report["engine"])
    assert (variant.parameters["guess"], variant.parameters["grain"]) == (guess, 5)
    assert variant.identity == report["engine_id"]
    assert {name: variant.parameters[name] for name in report["parameters"]} == report["parameters"]
    shifts = [name for name in report["parameters"] if name.startswith("quantile")]
    assert len(shifts) == (2 if guess == "quantile" else 0)
    assert (report["cost_low"] is None) == (report["share_above"] is None) == (not shifts)
    assert (report["fitted"], report["held_out"], report["depth"]) == (6, 6, 4)
    assert [row["against"] for row in report["rows"]] == [
        "mtdf:grain=5",
        "mtdf:guess=previous,grain=5",
    ]
    for row in report["rows"]:
        assert list(row) == field_names(LabFitRow)
        assert row["gain"] == pytest.approx(row["error"] - report["error"])
        assert row["gain_low95"] <= row["gain"] <= row["gain_high95"]
        assert row["nodes_low95"] <= row["nodes"] <= row["nodes_high95"]


def test_the_table(mtdf: Run) -> None:
    command = "lab fit --guess quantile --positions default-500 --count 12 --depth 4"
    result = mtdf(*command.split())
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("engine  mtdf:guess=quantile,")
    assert "depth 4; measured on 6 others" in lines[1]
    assert "of values are to lie above the guess" in lines[2]
    assert [line.split()[0] for line in lines[-2:]] == ["mtdf", "mtdf:guess=previous"]
    assert "searching 6 positions to depth 4 to fit the guess" in result.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("--guess regression --depth 2", "--depth (2) must be from 3"),
        ("--guess regression --count 1", "two or more"),
        ("--guess regression --positions nowhere.epd", "no suite `nowhere.epd`"),
        ("--guess regression --grain 0", "grain=0 is not allowed"),
        ("--guess drift", "'drift' is not one of"),
    ],
)
def test_what_cannot_be_fitted(mtdf: Run, command: str, message: str) -> None:
    result = mtdf("lab", "fit", *command.split())
    assert result.code != 0
    assert message in result.err and "Traceback" not in result.err
