"""Curves of laboratory runs have the right engines, values, scale and baseline."""

from __future__ import annotations

import pytest
from lab_reports import BASE, compared, report_of, row, swept
from msgspec.structs import replace

from toolkit.base.errors import NothingMatched
from toolkit.lab.curves import curves_of


@pytest.mark.parametrize("own", [False, True])
def test_former_baseline_becomes_a_curve(own: bool) -> None:
    report = swept(["mtdf", "sss"], "entries", ["1024", "16", "65536"], own=own)
    chosen = "sss:entries=16"
    rows = [
        replace(one, baseline=chosen, nodes=one.nodes if one.parameter_value else 2.0 + number)
        for number, one in enumerate(report.rows)
    ]
    found = curves_of(replace(report, rows=rows, baseline=chosen))
    assert found.baseline == chosen and found.values == ("16", "1024", "65536")
    assert [curve.name for curve in found.curves] == ["mtdf", "sss", BASE]
    ratios = [point.ratio for point in found.curves[-1].points]
    assert ratios == ([5.0, 2.0, 8.0] if own else [2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (["1", "2", "32"], "log"),
        (["1", "2", "31"], "linear"),
        (["0", "2", "64"], "linear"),
        (["-40", "0", "40"], "linear"),
        (["0.5", "16"], "log"),
        (["on", "off"], "words"),
        (["1", "two", "3"], "words"),
        (["16"], "words"),
        (["nan", "1", "2"], "words"),
    ],
)
def test_scale_follows_from_the_values(values: list[str], scale: str) -> None:
    shown = curves_of(swept(["mtdf"], "window", values))
    assert shown.scale == scale
    assert list(shown.values) == (values if scale == "words" else sorted(values, key=float))
    places = range(len(values)) if scale == "words" else map(float, shown.values)
    assert list(shown.places) == list(map(float, places))


def test_engine_of_a_sweep_has_one_name() -> None:
    """A value may leave another parameter without a meaning, which its label then has not."""
    labels = ["mtdf", "mtdf:convergence=step,step=5", "mtdf:convergence=secant"]
    values = ["growth", "step", "secant"]
    about = [{"parameter": "convergence", "parameter_value": value} for value in values]
    rows = [row(label, 4, 1.1, **one) for label, one in zip(labels, about, strict=True)]
    assert [one.name for one in curves_of(report_of(rows, kind="sweep")).curves] == ["mtdf:step=5"]


def test_engines_that_would_have_one_name_keep_their_labels() -> None:
    rows = [row(f"mtdf:step={k}", 4, 1.1, parameter="step", parameter_value="9") for k in (1, 2)]
    names = [one.name for one in curves_of(report_of(rows, kind="sweep")).curves]
    assert names == ["mtdf:step=1", "mtdf:step=2"]


@pytest.mark.parametrize("status", ["planned", "interrupted"])
def test_run_without_searches_has_no_picture(status: str) -> None:
    report = compared(["mtdf"], [3, 4], lambda *_: None, status=status)
    with pytest.raises(NothingMatched, match="run run-1 has nothing to draw"):
        curves_of(report)
