"""The chart of a claim has every point with its interval, over numbers and over words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from chart_reading import HOSTILE, drawn, layer_of, marks, specs, texts
from msgspec import structs

from claims.chart import claim_picture
from claims.views import ClaimMatchRow, ClaimRow

POINTS = [("a", -40, 1.3), ("a", 0, 1.0), ("a", 40, 1.2), ("b", 0, 0.9)]

MATCH = ClaimMatchRow(
    event="", engines=[], limit="", pairs=9, pentanomial=[], book="", book_slice="", seed=1,
    version="1", backend="native", signature="0123456789abcdef", ended_at=None,
)  # fmt: skip


def claim(points: list[tuple[str, float | str, float]], **chart: Any) -> ClaimRow:
    rows = [
        {"series": series, "at": at, "estimate": value, "low95": value - 0.1,
         "high95": value + 0.1, "n": 20}
        for series, at, value in points
    ]  # fmt: skip
    told = {"across": "x axis", "up": "y axis", "reference": 1.0, "logarithmic": False}
    part = {
        "part": "p", "text": "the part", "relation": "below", "threshold": 0.95, "verdict": "holds",
        "resolution": 0.05, "estimate": 0.9, "low95": 0.85, "high95": 0.94, "n": 20,
    }  # fmt: skip
    run = {
        "run": "claims-x-full", "positions": 60, "depths": [2, 3], "version": "1", "engines": ["e"],
        "backend": "native", "signature": "0123456789abcdef", "suite": "s", "suite_id": "",
        "searches": 9, "ended_at": None,
    }  # fmt: skip
    row = {
        "claim": 7,
        "game": "chess",
        "title": "A title",
        "statement": "",
        "source": "",
        "size": "full",
        "parts": [part],
        "further": [],
        "runs": [run],
        "matches": [],
    }
    return msgspec.convert(row | {"chart": told | chart | {"points": rows}}, ClaimRow)


def test_every_point_has_its_position_and_interval() -> None:
    (panel,) = specs(claim_picture(claim(POINTS)))
    points = layer_of(panel, "point")["rows"]
    assert [(row["series"], row["at"], row["value"]) for row in points] == POINTS
    bars = layer_of(panel, "rule", style="interval")["rows"]
    assert [(row["low"], row["high"]) for row in bars] == [
        (pytest.approx(value - 0.1), pytest.approx(value + 0.1)) for _, _, value in POINTS
    ]
    assert layer_of(panel, "line")["rows"]


def test_words_are_not_joined() -> None:
    (panel,) = specs(claim_picture(claim([("a", "sss", 2.0), ("a", "dual", 1.0)])))
    assert layer_of(panel, "point")["encoding"]["x"]["scale"]["domain"] == ["sss", "dual"]
    assert "line" not in [mark["type"] for mark in marks(panel)]


def test_text_of_a_chart_has_title_verdicts_and_origin() -> None:
    picture = claim_picture(claim(POINTS, logarithmic=True))
    assert picture.title == "Claim 7: A title"
    assert "the part: 0.900 [0.850, 0.940], claimed < 0.95: holds" in picture.alt
    shown = texts(drawn(picture))
    for text in ("x axis", "y axis", "Claim 7: A title", "−40"):
        assert text in shown
    assert any("0123456789abcdef" in text for text in shown)


def test_points_without_an_interval_and_hostile_names() -> None:
    one = claim([(HOSTILE, 1, 2.0), ("b", 2, 3.0)])
    first, *others = one.chart.points
    points = [structs.replace(first, low95=None, high95=None), *others]
    one = structs.replace(one, chart=structs.replace(one.chart, points=points))
    (panel,) = specs(claim_picture(one))
    assert len(layer_of(panel, "rule", style="interval")["rows"]) == 1
    assert len(layer_of(panel, "point")["rows"]) == 2
    drawn(claim_picture(one))


@pytest.mark.parametrize(
    ("changed", "units"),
    [
        ({}, "positions"),
        ({"runs": []}, "random trees"),
        (
            {"runs": [], "matches": [MATCH]},
            "game pairs",
        ),
    ],
)  # fmt: skip
def test_caption_names_the_units_of_intervals(changed: dict[str, Any], units: str) -> None:
    picture = claim_picture(structs.replace(claim(POINTS), **changed))
    assert picture.caption.splitlines()[0] == f"bars: 95 % intervals over {units}"
