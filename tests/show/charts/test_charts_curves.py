"""Charts of laboratory runs: every point, interval and label lies where the report says."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element, tostring

import pytest
from chart_reading import HOSTILE, Drawn, Panel, drawn, panels, texts
from lab_reports import BASE, FOURTEEN, HARD, REPORTS, compared, report_of, row, swept
from msgspec.structs import asdict

from toolkit.base.errors import NothingMatched
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport
from toolkit.show.charts.curves import curves_picture


@cache
def hard(name: str) -> Element:
    """The picture of a hard report, drawn once for all tests."""
    return drawn(curves_picture(HARD[name]))


def root_of(report: LabReport | str) -> Element:
    """The picture of a report, or of the hard one of that name."""
    return hard(report) if isinstance(report, str) else drawn(curves_picture(report))


def shown(report: LabReport | str) -> list[Panel]:
    """The panels of nodes, leaves and passes."""
    return panels(root_of(report))


def lines(report: LabReport | str) -> list[str]:
    """The text of a picture, without the spaces that break no line."""
    found = texts(root_of(report))
    return [told.replace("\N{NO-BREAK SPACE}", " ") for told in found]


def place(panel: Panel, number: float) -> float:
    """Where a number must lie up a panel, as two of its labels tell."""
    ticks = [(math.log(float(told)), y) for told, y in panel.ticks["y"]]
    (low, start), (high, end) = ticks[0], ticks[-1]
    return start + (math.log(number) - low) / (high - low) * (end - start)


def rows_of(report: LabReport) -> Iterator[tuple[str, str, LabRow]]:
    """What is to be seen, by engine and value: the deepest rows of a sweep, all of a comparison."""
    for one in report.rows:
        if one.nodes is None or one.engine.startswith(BASE):
            continue
        if report.kind == "compare":
            yield one.engine, str(one.depth), one
        elif one.depth == max(report.depths):
            value = one.parameter_value or ""
            yield one.engine.removesuffix(f"{one.parameter}={value}").rstrip(":,"), value, one


def points(panel: Panel) -> list[tuple[str, Drawn]]:
    return [(one.told["engine"], one) for one in panel.of("point") if "engine" in one.told]


def intervals(panel: Panel) -> list[tuple[float, float, float]]:
    """All intervals, place, upper and lower end: of bands at each of their values, and of bars."""
    found = []
    for band in panel.of("area mark"):
        upper, lower = band.points[: len(band.points) // 2], band.points[len(band.points) // 2 :]
        for (x, a), (other, b) in zip(upper, reversed(lower), strict=True):
            assert x == pytest.approx(other)
            found.append((x, min(a, b), max(a, b)))
    for bar in panel.of("rule mark"):
        if "engine" in bar.told:
            (x, a), (_, b) = bar.points
            found.append((x, min(a, b), max(a, b)))
    return found


@pytest.mark.parametrize("name", REPORTS)
def test_points_and_intervals_have_the_positions_of_the_report(name: str) -> None:
    report = REPORTS[name]
    nodes, leaves, passes = shown(name)
    rows = list(rows_of(report))
    below = points(passes)
    assert len(below) == len(rows)
    for panel, field in ((nodes, "nodes"), (leaves, "leaves")):
        above, spans = points(panel), intervals(panel)
        assert len(above) == len(spans) == len(rows)
        for engine, value, one in rows:
            known: dict[str, Any] = asdict(one)
            ratio, low, high = (known[field + end] for end in ("", "_low95", "_high95"))
            # An axis tells its own field without the interval.
            told = "{nodes:.3f} [{nodes_low95:.3f}, {nodes_high95:.3f}]".format(**known)
            about = {"engine": engine, "nodes": told, one.parameter or "depth": value}
            if field == "nodes":
                ends = "{leaves:.3f} [{leaves_low95:.3f}, {leaves_high95:.3f}]"
                about["leaves"] = ends.format(**known)
            (mark,) = [m for _, m in above if about.items() <= m.told.items()]
            ((x, y),) = mark.points
            assert y == pytest.approx(place(panel, ratio), abs=0.3)
            wanted = (place(panel, high), place(panel, low))
            assert any(
                at == pytest.approx(x, abs=0.6) and span == pytest.approx(wanted, abs=0.3)
                for at, *span in spans
            ), f"the interval of {engine}"
            (other,) = [m for _, m in below if about.items() <= m.told.items()]
            assert one.passes
            assert other.points[0][1] == pytest.approx(place(passes, one.passes), abs=0.3)
            assert other.points[0][0] == pytest.approx(x, abs=0.1), "the panels share their axis"


@pytest.mark.parametrize("name", ["depths", "linear", "log", "gaps"])
def test_lines_go_through_their_points_and_end_at_gaps(name: str) -> None:
    for panel in shown(name):
        own: dict[str, list[tuple[float, float]]] = {}
        for engine, one in points(panel):
            own.setdefault(engine, []).append(one.points[0])
        through: dict[str, list[tuple[float, float]]] = {}
        for course in panel.of("line mark"):
            through.setdefault(course.told["engine"], []).extend(course.points)
            step = max(b[0] - a[0] for a, b in zip(course.points, course.points[1:], strict=False))
            assert name != "gaps" or step < 200, "no line bridges a gap"
        assert through.keys() == own.keys()
        for engine, course_points in through.items():
            found, wanted = sum(sorted(course_points), ()), sum(sorted(own[engine]), ())
            assert found == pytest.approx(wanted, abs=0.1)


def test_bands_end_at_gaps() -> None:
    nodes, *_ = shown("gaps")
    missing = next(x for told, x in nodes.ticks["x"] if told == "3")
    assert len(nodes.of("area mark")) == 4
    for band in nodes.of("area mark"):
        xs = [x for x, _ in band.points]
        assert max(xs) < missing or min(xs) > missing


def test_line_of_the_baseline_lies_at_one() -> None:
    nodes, *_ = shown("depths")
    (line,) = [one for one in nodes.of("rule mark") if "engine" not in one.told]
    (left, y), (right, other) = line.points
    assert y == other == pytest.approx(place(nodes, 1), abs=0.3) and abs(right - left) > 500
    assert any(BASE in told for told in lines("depths"))


@pytest.mark.parametrize(
    ("values", "is_words"),
    [(["-40", "0", "40"], False), (["0.5", "16"], False),
     (["1", "two", "3"], True), (["16"], True)],
)  # fmt: skip
def test_values_are_labelled_where_their_points_are(values: list[str], is_words: bool) -> None:
    nodes, *_ = shown(swept(["mtdf"], "window", values))
    labels = [(told.replace("\N{MINUS SIGN}", "-"), x) for told, x in nodes.ticks["x"]]
    assert [told for told, _ in labels] == (values if is_words else sorted(values, key=float))
    at = sorted(one.points[0][0] for _, one in points(nodes))
    assert [x for _, x in labels] == pytest.approx(at, abs=0.6)
    assert not is_words or not nodes.of("line mark") and not nodes.of("area mark")


def test_powers_of_two_are_written_as_such() -> None:
    assert [told for told, _ in shown("log")[0].ticks["x"]] == ["2^8", "2^10", "2^16"]
    others = shown(swept(["mtdf"], "entries", ["1024", "3000", "65536"]))[0]
    assert [told for told, _ in others.ticks["x"]] == ["1024", "3000", "65536"]


def test_words_keep_their_order_with_engines_side_by_side() -> None:
    nodes, *_ = shown("words")
    labels = nodes.ticks["x"]
    assert [told for told, _ in labels] == ["zero", "parity", "2"]
    gap = labels[1][1] - labels[0][1]
    for _, x in labels:
        near = {name: one.points[0][0] for name, one in points(nodes)
                if abs(one.points[0][0] - x) < gap / 2}  # fmt: skip
        assert near["mtdf"] < x < near["hybrid"] and near["hybrid"] - near["mtdf"] < gap * 0.75


def test_sweep_is_drawn_at_its_deepest_depth() -> None:
    told = lines("words")
    assert any("60 positions of lab-60, depth 4, the deepest of 2" in line for line in told)
    assert max(float(t) for t, _ in shown("words")[0].ticks["y"]) < 3, "none of depth 3"


def test_engine_without_figures_is_named_and_not_drawn() -> None:
    report = compared(["mtdf", "sss"], [1, 2], lambda k, v: None if k else 1.1)
    assert {engine for engine, _ in points(shown(report)[0])} == {"mtdf"}
    assert "sss" in lines(report) and "sss: not known" in curves_picture(report).alt


def test_missing_intervals_and_passes_are_allowed() -> None:
    rows = [row("mtdf", depth, 1.2, nodes_low95=None, nodes_high95=None, passes=None)
            for depth in (1, 2)]  # fmt: skip
    picture = curves_picture(report_of(rows))
    nodes, *_ = panels(drawn(picture))
    assert len(points(nodes)) == 2 and not intervals(nodes)
    assert "too few positions for intervals" in picture.caption
    some = report_of([*rows, row("sss", 1, 1.2), row("sss", 2, 1.2)])
    assert "shaded: 95 % intervals (paired bootstrap)" in curves_picture(some).caption
    assert len(intervals(shown(some)[0])) == 2


@pytest.mark.parametrize("status", ["planned", "interrupted"])
def test_run_without_searches_has_no_picture(status: str) -> None:
    report = compared(["mtdf"], [3, 4], lambda *_: None, status=status)
    with pytest.raises(NothingMatched, match="run run-1 has nothing to draw"):
        curves_picture(report)


def test_names_are_text() -> None:
    report = compared([HOSTILE, "]]>"], [1, 2], name="a<b", suite="<&>\x07\udcff.epd")
    root = drawn(curves_picture(report))
    told = texts(root)
    assert HOSTILE in told and "]]>" in told
    assert any(line.startswith("a<b: ") for line in told)
    assert any("<&>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.epd" in t for t in told)
    assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_text_says_what_was_searched() -> None:
    told = lines("depths")
    assert "run-1: nodes, leaves and passes of 2 engines over depth" in told
    dashed = "dashed: the baseline, pvs:window=0 (table: 16 MB)"
    assert f"60 positions of lab-60, depths 4, 5, 6, 8; {dashed}" in told
    whole = curves_picture(REPORTS["depths"]).caption
    assert "of all iterations up to a depth" in whole and "shaded: 95 %" in whole
    assert "All nodes over the baseline's" in told
    assert "mtdf 9.8.7, native 0123456789abcdef, 2026-11-21" in told
    alone = swept(["mtdf"], "first_guess_offset", ["-5", "5"], measure="last")
    assert "of that iteration alone" in curves_picture(alone).caption
    assert "first_guess_offset: first guess less the value found, in centipawns" in lines(alone)
    own = lines("log")
    assert any(one.endswith("the baseline, pvs:window=0, same entries") for one in own)


def test_limits_of_the_figures_are_stated() -> None:
    notes = [f"reason {k} " + "word " * 40 for k in range(4)]
    report = compared(
        ["mtdf"], [1, 2], status="interrupted", searches_done=7, values_agree=False, notes=notes
    )
    told = lines(report)
    assert "interrupted: 7 of 120 searches" in told
    assert any(line.startswith("values differ") for line in told)
    assert any(line.startswith("note: reason 1 ") for line in told)
    assert "2 more notes" in told
    assert not any("reason 2" in line for line in told)


def test_engines_differ_in_more_than_their_colour() -> None:
    nodes, *_ = shown("fourteen")
    looks: dict[str, set[tuple[Any, ...]]] = {}
    for engine, one in points(nodes):
        looks.setdefault(engine, set()).add((one.attributes["fill"], one.attributes["d"]))
    assert all(len(some) == 1 for some in looks.values())
    each = [next(iter(some)) for some in looks.values()]
    assert len(each) == len(set(each)) == 14
    assert len({color for color, _ in each}) == len({shape for _, shape in each}) == 7
    dashes = {one.told["engine"]: one.attributes["stroke-dasharray"]
              for one in nodes.of("line mark")}  # fmt: skip
    assert len({dashes[name] for name in FOURTEEN}) == 2
    assert set(FOURTEEN) <= set(lines("fourteen")), "all stand in the key"


@pytest.mark.parametrize("name", HARD)
def test_labels_of_an_axis_do_not_collide(name: str) -> None:
    for panel in shown(name):
        heights = sorted(y for _, y in panel.ticks["y"])
        assert len(heights) >= 2
        assert all(b - a >= 8 for a, b in zip(heights, heights[1:], strict=False))
        assert_apart(panel.ticks["x"])


def assert_apart(labels: Sequence[tuple[str, float]]) -> None:
    """Labels side by side do not run into each other; long ones are turned, a line high each."""
    turned = sum(len(told) for told, _ in labels) * 6 > 640
    found = sorted((x, 6 if turned else 5.5 * len(told) / 2) for told, x in labels)
    for (a, half), (b, other) in zip(found, found[1:], strict=False):
        assert b - a >= half + other, labels


def test_pictures_have_no_undefined_numbers() -> None:
    undefined = re.compile(rb"\b(NaN|Infinity|undefined|null)\b")
    assert not [name for name in HARD if undefined.search(tostring(hard(name)))]
