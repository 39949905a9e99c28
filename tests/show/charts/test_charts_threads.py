"""Charts of engines with several threads: every point and interval lies where the report says."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
from chart_reading import Panel, drawn, panels, texts
from lab_reports import report_of, row
from msgspec.structs import replace

from toolkit.base.errors import NothingMatched
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport
from toolkit.show.charts.lab import lab_picture

CASES = [(way, number) for way in ("lazy", "abdada") for number in (2, 4, 8)]


def threaded(*engines: str, cores: int = 4, known: bool = True) -> LabReport:
    """A run of these engines on so many cores, in which all figures differ."""
    rows: list[LabRow] = []
    for k, engine in enumerate(engines):
        own = {"baseline": engine, "parameter": "threads", "parallel": None}
        alone = {"threads": 1, "speedup": 1.0, "speedup_low95": 1.0, "speedup_high95": 1.0}
        rows.append(row(engine, 7, 1.0, **own, **alone))
        for n, (way, number) in enumerate(CASES):
            speed = 1.1 + 0.3 * k + 0.07 * n if known and number <= cores else None
            more: dict[str, Any] = {
                "threads": number,
                "parallel": way,
                "speedup": speed,
                "speedup_low95": speed and speed / 1.05,
                "speedup_high95": speed and speed * 1.08,
            }
            ratio = 1.02 + 0.05 * k + 0.09 * n if known else None
            rows.append(row(f"{engine}:{way}-{number}", 7, ratio, **own | more))
    return report_of(rows, kind="parallel", mode="exact", baseline=None, answers=[])


@cache
def panels_of(*engines: str, cores: int = 4) -> list[Panel]:
    """The panels of speed-up and nodes of such a run, drawn once for all tests."""
    return panels(drawn(lab_picture(threaded(*engines, cores=cores))))


def place(panel: Panel, number: float) -> float:
    """Where a number must lie up a panel, as two of its labels tell."""
    ticks = [(math.log(float(told)), y) for told, y in panel.ticks["y"]]
    (low, start), (high, end) = ticks[0], ticks[-1]
    return start + (math.log(number) - low) / (high - low) * (end - start)


@pytest.mark.parametrize("engines", [("mtdf",), ("pvs", "mtdf", "sss")])
def test_points_and_intervals_have_the_positions_of_the_report(engines: tuple[str, ...]) -> None:
    report = threaded(*engines)
    speeds, nodes = panels_of(*engines)
    for panel, field in ((speeds, "speedup"), (nodes, "nodes")):
        wanted: list[Any] = [
            one for one in report.rows if one.threads > 1 and getattr(one, field) is not None
        ]  # fmt: skip
        points = {
            (one.told["engine"], one.told["way"], one.told["threads"]): one.points[0]
            for one in panel.of("point")
            if "engine" in one.told
        }
        bars = sorted(
            (x, *sorted(y for _, y in one.points))
            for one in panel.of("rule mark")
            if "engine" in one.told
            for x in [one.points[0][0]]
        )
        assert len(points) == len(bars) == len(wanted)
        expected = []
        for one in wanted:
            key = (one.baseline, one.parallel, str(one.threads))
            x, y = points[key]
            assert y == pytest.approx(place(panel, getattr(one, field)), abs=0.6)
            ends = [getattr(one, f"{field}_{end}95") for end in ("high", "low")]
            expected.append((x, *(place(panel, end) for end in ends)))
        for bar, told in zip(bars, sorted(expected), strict=True):
            assert bar == pytest.approx(told, abs=0.6)
        assert len({x for x, _ in points.values()}) == len(points), "none hides another"
        width = 640
        assert all(0 <= x <= width for x, _ in points.values())


def test_of_more_threads_than_cores_only_overhead_is_drawn() -> None:
    speeds, nodes = panels_of("mtdf", cores=2)
    told = [{one.told["threads"] for one in panel.of("point")} for panel in (speeds, nodes)]
    assert told == [{"2"}, {"2", "4", "8"}]
    picture = lab_picture(threaded("mtdf", cores=1))
    assert len(picture.panels) == 1 and "speed-up not judged" in picture.alt
    shown = texts(drawn(picture))
    assert any(line.startswith("search overhead: nodes of all") for line in shown)
    assert not any(line.startswith("Speed-up") for line in shown)
    assert {"mtdf", "lazy", "abdada"} <= set(shown), "the key is in the only panel"
    assert not any(line.startswith("dotted") for line in shown)


@pytest.mark.parametrize("cores", [2, 4])
def test_each_panel_has_the_numbers_of_threads_it_knows(cores: int) -> None:
    speeds, nodes = panels_of("mtdf", "pvs", cores=cores)
    judged = ["2", "4"][: cores // 2]
    assert [told for told, _ in speeds.ticks["x"]] == judged
    assert [told for told, _ in nodes.ticks["x"]] == ["2", "4", "8"]
    for panel in (speeds, nodes):
        ticks = dict(panel.ticks["x"])
        for one in panel.of("point"):
            (x, _), own = one.points[0], one.told["threads"]
            assert abs(x - ticks[own]) < 60, "near its number, also where it is alone"
            assert min(ticks, key=lambda number: abs(x - ticks[number])) == own  # noqa: B023


def test_ideal_speedup_is_the_number_of_threads() -> None:
    speeds, nodes = panels_of("mtdf", "pvs")
    ideal = [one for one in speeds.of("rule mark") if one.told.keys() == {"threads", "at"}]
    ticks = dict(speeds.ticks["x"])
    assert [one.told["threads"] for one in ideal] == ["2", "4"]
    for one in ideal:
        (start, y), (end, _) = one.points
        assert start < ticks[one.told["threads"]] < end
        assert y == pytest.approx(place(speeds, float(one.told["threads"])), abs=0.6)
    assert not any("threads" in one.told and "at" in one.told for one in nodes.of("rule mark"))


@pytest.mark.parametrize("number", [0.19, 0.97, 2.9, 35.0])
def test_all_bars_end_between_the_outer_ticks(number: float) -> None:
    report = threaded("mtdf")
    told = {"nodes": number, "nodes_low95": number / 1.3, "nodes_high95": number * 1.2}
    rows = [one if one.threads == 1 else replace(one, **told) for one in report.rows]
    report = replace(report, rows=rows)
    for panel in panels(drawn(lab_picture(report))):
        heights = [y for _, y in panel.ticks["y"]]
        for one_mark in panel.of("rule mark") + panel.of("point"):
            assert all(min(heights) - 0.6 <= y <= max(heights) + 0.6 for _, y in one_mark.points)


def test_engine_has_one_colour_and_a_way_one_shape() -> None:
    for panel in panels_of("mtdf", "pvs", "sss"):
        points = panel.of("point")
        looks = {
            (one.told["engine"], one.told["way"]): (one.attributes["fill"], one.attributes["d"])
            for one in points
        }
        assert len({color for color, _ in looks.values()}) == 3
        assert len({shape for _, shape in looks.values()}) == 2
        assert len(set(looks.values())) == 6
        kinds = [one.kind for one in panel.marks]
        assert kinds.index("point") > max(k for k, kind in enumerate(kinds) if "rule" in kind)


def test_many_engines_differ_in_their_looks_too() -> None:
    engines = [f"mtdf:entries={number}" for number in range(1, 10)]
    _, nodes = panels_of(*engines)
    looks = {
        (one.told["engine"], one.told["way"]): (one.attributes["fill"], one.attributes["d"])
        for one in nodes.of("point")
    }
    assert len(set(looks.values())) == len(looks) == 18


def test_chart_names_its_ratio() -> None:
    picture = lab_picture(threaded("pvs", "mtdf"))
    assert picture.title == (
        "run-1: 2 engines with several threads, each over itself on one thread"
    )
    shown = texts(drawn(picture))
    assert "Speed-up over one thread" in shown
    assert "Nodes over one thread (search overhead)" in shown
    assert "dotted: the ideal speed-up, which is the number of threads" in shown
    assert any(line.endswith("logarithmic axes") for line in shown)
    assert "mtdf, abdada, 2 threads: speed-up 1.610 [1.533, 1.739], nodes 1.340" in picture.alt


def test_nothing_is_drawn_of_a_run_that_compared_nothing() -> None:
    with pytest.raises(NothingMatched, match="mtdf resume run-1"):
        lab_picture(threaded("mtdf", known=False))
