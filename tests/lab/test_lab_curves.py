"""Pictures of runs: every point, interval and label lies where the report says."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest

from toolkit.base.errors import NothingMatched
from toolkit.lab.pictures.curves import curves_of
from toolkit.lab.pictures.drawing import elided
from toolkit.lab.pictures.of_curves import WIDTH, curves_svg
from toolkit.lab.rows import LabReport, LabRow

SVG = "{http://www.w3.org/2000/svg}"
BASE = "pvs:window=0"
FOURTEEN = (
    "alphabeta pvs negascout mtdf mtdf:convergence=plaat hybrid mtd-bi mtdf:guess=previous "
    "mtd-step mtd-best bns dual sss mtdf:guess=zero"
).split()
Ratio = Callable[[int, int], float | None]
"""Of the number of an engine and that of a value."""


def some_ratio(engine: int, value: int) -> float:
    """Ratios that all differ, on both sides of 1."""
    return math.exp(0.17 * math.sin(3.1 * engine + 1.7 * value) + 0.05 * engine)


def row(engine: str, depth: int, ratio: float | None, **fields: Any) -> LabRow:
    """A row with an interval that is not symmetric, and passes that follow from its ratio."""
    told = {
        "engine": engine,
        "depth": depth,
        "baseline": BASE,
        "parameter": None,
        "parameter_value": None,
        "nodes": ratio,
        "nodes_low95": None if ratio is None else ratio / 1.13,
        "nodes_high95": None if ratio is None else ratio * 1.21,
        "passes": None if ratio is None else 1 + 5 * ratio,
    }
    return cast(LabRow, told | fields)


def report_of(rows: Sequence[LabRow], **fields: Any) -> LabReport:
    """A report of these rows."""
    told = {
        "name": "run-1",
        "kind": "compare",
        "status": "done",
        "suite": "lab-60",
        "positions": 60,
        "depths": sorted({one["depth"] for one in rows}),
        "searches_done": 120,
        "searches_planned": 120,
        "created_at": "2026-11-21T16:12:13Z",
        "backend": "native",
        "signature": "0123456789abcdef",
        "version": "9.8.7",
        "baseline": BASE,
        "baseline_table": "16 MB",
        "measure": "cumulative",
        "values_agree": True,
        "notes": [],
        "rows": list(rows),
    }
    return cast(LabReport, told | fields)


def compared(
    engines: Sequence[str], depths: Sequence[int], ratio: Ratio = some_ratio, **fields: Any
) -> LabReport:
    """A comparison."""
    rows = []
    for place, depth in enumerate(depths):
        rows.append(row(BASE, depth, 1.0, nodes_low95=1.0, nodes_high95=1.0, passes=1.0))
        rows += [row(name, depth, ratio(k, place)) for k, name in enumerate(engines)]
    return report_of(rows, **fields)


def swept(
    engines: Sequence[str], parameter: str, values: Sequence[str], ratio: Ratio = some_ratio,
    depths: Sequence[int] = (6,), own: bool = False, **fields: Any,
) -> LabReport:  # fmt: skip
    """A sweep; ``own``: each value has a baseline of its own. At all depths but the deepest the
    ratios are others."""
    rows = []
    for depth in depths:
        for place, value in enumerate(values):
            base = f"{BASE},{parameter}={value}" if own else BASE
            if own or place == 0:
                rows.append(row(base, depth, 1.0, baseline=base, passes=1.0))
            for k, name in enumerate(engines):
                found = ratio(k, place) if depth == max(depths) else 77.0
                joint = "," if ":" in name else ":"
                label = f"{name}{joint}{parameter}={value}"
                about = {"parameter": parameter, "parameter_value": value, "baseline": base}
                rows.append(row(label, depth, found, **about))
    fields = {"baseline": None, "baseline_table": None} | fields if own else fields
    return report_of(rows, kind="sweep", **fields)


@pytest.mark.parametrize("own", [False, True])
def test_a_former_baseline_becomes_a_curve(own: bool) -> None:
    report = swept(["mtdf", "sss"], "entries", ["1024", "16", "65536"], own=own)
    chosen = "sss:entries=16"
    for number, one in enumerate(report["rows"]):
        one["baseline"] = chosen
        if one["parameter_value"] is None:
            one["nodes"] = 2.0 + number
    found = curves_of(cast(LabReport, report | {"baseline": chosen}))
    assert found.baseline == chosen and found.values == ("16", "1024", "65536")
    assert [curve.name for curve in found.curves] == ["mtdf", "sss", BASE]
    ratios = [point.ratio for point in found.curves[-1].points]
    assert ratios == ([5.0, 2.0, 8.0] if own else [2.0, 2.0, 2.0])


def test_a_picture_without_intervals_says_why() -> None:
    rows = [row("mtdf", depth, 1.2, nodes_low95=None, nodes_high95=None) for depth in (4, 5)]
    assert "too few positions for intervals" in curves_svg(report_of(rows))
    assert "bands: 95 % by paired bootstrap" in curves_svg(
        report_of([*rows, row("sss", 4, 1.2), row("sss", 5, 1.2)])
    )


@dataclass
class Scale:
    """An axis as two of its labels tell it."""

    ticks: list[tuple[float, float]]
    """Number and place."""
    is_log: bool

    def place(self, number: float) -> float:
        """Where a number must lie."""
        told = [(math.log(a) if self.is_log else a, at) for a, at in self.ticks]
        (low, start), (high, end) = told[0], told[-1]
        here = math.log(number) if self.is_log else number
        return start + (here - low) / (high - low) * (end - start)


@dataclass
class Picture:
    """A picture, read as anyone could read it."""

    root: xml.etree.ElementTree.Element

    @property
    def texts(self) -> list[tuple[float, float, str, str]]:
        """Place, anchor and content of every text."""
        return [
            (float(one.attrib["x"]), float(one.attrib["y"]), one.attrib.get("text-anchor", ""),
             one.text or "")
            for one in self.root.iter(f"{SVG}text")
        ]  # fmt: skip

    @property
    def border(self) -> float:
        """The height of the caption between both panels."""
        return next(y for _, y, _, told in self.texts if told.startswith("passes of"))

    @property
    def lines(self) -> list[str]:
        return [told for *_, told in self.texts]

    def across(self) -> list[tuple[str, float]]:
        """The labels of the axis that both panels share; its name stands below them."""
        middle = [(y, x, told) for x, y, anchor, told in self.texts if anchor == "middle"]
        top = min(y for y, _, _ in middle)
        return [(told, x) for y, x, told in middle if y == top]

    def up(self, *, passes: bool = False) -> Scale:
        """The axis of a panel. A letter stands 4 pixels below the middle of its line."""
        ticks = [
            (float(told), y - 4)
            for _, y, anchor, told in self.texts
            if anchor == "end" and (y > self.border) == passes
        ]
        assert len(ticks) >= 2
        return Scale(sorted(ticks), is_log=True)

    def marks(self, *, passes: bool = False) -> dict[tuple[str, str], tuple[float, float]]:
        """Centres of marks by engine and value, as what a pointer on them shows says."""
        found = {}
        for one in self.root.iter():
            title = one.find(f"{SVG}title")
            if title is None or title.text is None:
                continue
            corners = points_of(one)
            x, y = (sum(some) / len(corners) for some in zip(*corners, strict=True))
            if (y > self.border) == passes:
                engine, _, value = title.text.rpartition(", ")
                found[engine, value.split(":")[0]] = (x, y)
        return found

    def paths(self, *, passes: bool = False) -> list[list[tuple[float, float]]]:
        """The courses of engines: paths of more than two points."""
        every = [points_of(one) for one in self.root.iter(f"{SVG}path")]
        return [some for some in every if len(some) > 2 and (some[0][1] > self.border) == passes]

    def bands(self) -> list[list[tuple[float, float]]]:
        return [
            points_of(one)
            for one in self.root.iter(f"{SVG}polygon")
            if "fill-opacity" in one.attrib
        ]


def points_of(element: xml.etree.ElementTree.Element) -> list[tuple[float, float]]:
    """The places that an element goes through, or its centre."""
    of = element.attrib
    if "cx" in of:
        return [(float(of["cx"]), float(of["cy"]))]
    numbers = list(map(float, re.findall(r"-?[\d.]+", of.get("d") or of.get("points") or "")))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def drawn(report: LabReport) -> Picture:
    """The picture of a report, which must be XML."""
    return Picture(xml.etree.ElementTree.fromstring(curves_svg(report)))


def rows_of(report: LabReport) -> Iterator[LabRow]:
    """What is to be seen: the deepest rows of a sweep, all of a comparison, without baselines."""
    for one in report["rows"]:
        if one["nodes"] is not None and not one["engine"].startswith(BASE):
            if report["kind"] == "compare" or one["depth"] == max(report["depths"]):
                yield one


REPORTS = {
    "depths": compared(["mtdf", "sss"], [4, 5, 6, 8]),
    "fourteen": compared(FOURTEEN, [3, 4]),
    "one depth": compared(["mtdf", "sss", "dual"], [4]),
    "linear": swept(["mtdf", "hybrid"], "window", ["10", "0", "25", "-40"]),
    "log": swept(["mtdf", "sss"], "entries", ["256", "1024", "65536"], own=True),
    "words": swept(["mtdf", "hybrid"], "guess", ["zero", "parity", "2"], depths=(3, 4)),
    "apart": compared(["mtdf", "sss"], [2, 3, 4], lambda k, v: 9.3 if k and v else 1.02 + 0.01 * v),
    "narrow": compared(["pvs"], [2, 3], lambda k, v: 1.0001),
    "gaps": compared(["mtdf", "sss"], [1, 2, 3, 4, 5], lambda k, v: None if v == 2 else 1.1 + k),
}


@pytest.mark.parametrize("name", REPORTS)
def test_points_and_intervals_lie_where_the_report_says(name: str) -> None:
    report = REPORTS[name]
    picture = drawn(report)
    nodes, passes = picture.up(), picture.up(passes=True)
    marks, below = picture.marks(), picture.marks(passes=True)
    rows = list(rows_of(report))
    assert len(marks) == len(below) == len(rows)
    spans = intervals(picture)
    for one in rows:
        value = str(one["depth"]) if one["parameter_value"] is None else one["parameter_value"]
        engine = one["engine"].removesuffix(f"{one['parameter']}={value}").rstrip(":,")
        x, y = marks[engine, value]
        assert one["nodes"] and one["nodes_low95"] and one["nodes_high95"] and one["passes"]
        assert y == pytest.approx(nodes.place(one["nodes"]), abs=0.25)
        assert below[engine, value][1] == pytest.approx(passes.place(one["passes"]), abs=0.25)
        assert below[engine, value][0] == pytest.approx(x, abs=0.1), "both panels share their axis"
        wanted = (nodes.place(one["nodes_high95"]), nodes.place(one["nodes_low95"]))
        assert any(
            at == pytest.approx(x, abs=0.1) and ends == pytest.approx(wanted, abs=0.25)
            for at, ends in spans
        ), f"the interval of {engine} at {value}"
    assert len(spans) == len(rows)


def intervals(picture: Picture) -> list[tuple[float, tuple[float, float]]]:
    """All intervals: of bands at each of their values, and of bars."""
    found = []
    for band in picture.bands():
        half = len(band) // 2
        for (x, top), (other, bottom) in zip(band[:half], reversed(band[half:]), strict=True):
            assert x == other
            found.append((x, (top, bottom)))
    centres = {x for x, _ in picture.marks().values()}
    foot = max(y for points in picture.bands() for _, y in points) if picture.bands() else math.inf
    for one in picture.root.iter(f"{SVG}path"):
        (x, top), *_, (other, bottom) = points_of(one)
        colored = one.attrib["stroke"] not in ("#222222", "#dde1e7")
        if x == other and colored and bottom <= max(foot, picture.border):
            assert any(abs(x - at) <= 0.1 for at in centres)
            found.append((x, (top, bottom)))
    return found


@pytest.mark.parametrize("name", ["depths", "linear", "log"])
def test_lines_go_through_their_points(name: str) -> None:
    report = REPORTS[name]
    picture = drawn(report)
    for passes in (False, True):
        marks = picture.marks(passes=passes)
        engines = list(dict.fromkeys(engine for engine, _ in marks))
        courses = picture.paths(passes=passes)
        assert len(courses) == len(engines)
        for engine, course in zip(engines, courses, strict=True):
            own = sorted(at for (who, _), at in marks.items() if who == engine)
            assert [x for x, _ in course] == pytest.approx([x for x, _ in own], abs=0.1)
            assert [y for _, y in course] == pytest.approx([y for _, y in own], abs=0.1)


def test_the_line_of_the_baseline_lies_at_one() -> None:
    picture = drawn(REPORTS["depths"])
    one = picture.up().place(1)
    inked = [one for one in picture.root.iter(f"{SVG}path") if one.attrib["stroke"] == "#222222"]
    paths = list(map(points_of, inked))
    flat = [some for some in paths if some[0][1] == some[-1][1] and some[-1][0] > some[0][0] + 200]
    assert any(some[0][1] == pytest.approx(one, abs=0.2) for some in flat)
    assert BASE in picture.lines, "its name is in the key"


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
def test_the_axis_follows_from_the_values(values: list[str], scale: str) -> None:
    report = swept(["mtdf"], "window", values)
    assert curves_of(report).scale == scale
    picture = drawn(report)
    labels = picture.across()
    assert [told for told, _ in labels] == (
        values if scale == "words" else sorted(values, key=float)
    )
    marks = picture.marks()
    for told, x in labels:
        assert marks["mtdf", told][0] == pytest.approx(x, abs=0.1)
    if scale != "words" and len(labels) > 2:
        axis = Scale([(float(told), x) for told, x in labels], is_log=scale == "log")
        for told, x in labels:
            assert axis.place(float(told)) == pytest.approx(x, abs=0.2)


def test_powers_of_two_are_written_as_such() -> None:
    told = [label for label, _ in drawn(REPORTS["log"]).across()]
    assert told == ["2^8", "2^10", "2^16"]
    picture = drawn(swept(["mtdf"], "entries", ["1024", "3000", "65536"]))
    assert [label for label, _ in picture.across()] == ["1024", "3000", "65536"]


def test_words_stand_in_the_order_given_and_engines_side_by_side() -> None:
    picture = drawn(REPORTS["words"])
    labels = picture.across()
    assert [told for told, _ in labels] == ["zero", "parity", "2"]
    marks = picture.marks()
    gap = labels[1][1] - labels[0][1]
    for told, x in labels:
        first, second = marks["mtdf", told][0], marks["hybrid", told][0]
        assert first < x < second and second - first < gap * 0.75
    assert not picture.paths() and not picture.bands(), "no line between words"


def test_long_words_stand_in_two_rows() -> None:
    values = ["parity", "previous", "average", "regression", "quantile", "previous-best", "static"]
    picture = drawn(swept(["mtdf:convergence=plaat,table=none"], "guess", values))
    found = {told: (x, y) for x, y, anchor, told in picture.texts if anchor == "middle"}
    assert [found[value][0] for value in values] == sorted(found[value][0] for value in values)
    assert len({found[value][1] for value in values[::2]}) == 1
    assert {found[value][1] for value in values[1::2]} == {found[values[0]][1] + 12}
    assert found["guess"][1] > found[values[1]][1]
    foot = next(y for _, y, _, told in picture.texts if told.startswith("mtdf 9.8.7"))
    assert foot > found["guess"][1] + 12


def test_a_sweep_is_drawn_at_its_deepest_depth() -> None:
    picture = drawn(REPORTS["words"])
    assert "60 positions of lab-60, depth 4, the deepest of 2" in picture.lines
    assert max(number for number, _ in picture.up().ticks) < 3, "nothing of depth 3"


def test_an_engine_of_a_sweep_has_one_name() -> None:
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


def test_what_is_missing_leaves_gaps() -> None:
    picture = drawn(REPORTS["gaps"])
    missing = next(x for told, x in picture.across() if told == "3")
    marks = [at for (_, value), at in picture.marks().items() if value == "3"]
    assert not marks
    lines = [points_of(one) for one in picture.root.iter(f"{SVG}path")]
    crossing = [
        some
        for some in lines
        for (a, top), (b, bottom) in zip(some, some[1:], strict=False)
        if a < missing < b and b - a < 300
    ]
    assert not crossing, "no line bridges the gap"
    for band in picture.bands():
        xs = [x for x, _ in band]
        assert max(xs) < missing or min(xs) > missing
    assert len(picture.bands()) == 4


def test_an_engine_without_figures_is_named_and_not_drawn() -> None:
    picture = drawn(compared(["mtdf", "sss"], [1, 2], lambda k, v: None if k else 1.1))
    assert {engine for engine, _ in picture.marks()} == {"mtdf"}
    assert "sss" in picture.lines


def test_no_interval_and_no_passes_are_no_obstacle() -> None:
    rows = [row("mtdf", depth, 1.2, nodes_low95=None, nodes_high95=None, passes=None)
            for depth in (1, 2)]  # fmt: skip
    picture = drawn(report_of(rows))
    assert len(picture.marks()) == 2 and not picture.bands() and not picture.marks(passes=True)


@pytest.mark.parametrize("status", ["planned", "interrupted"])
def test_a_run_without_searches_has_no_picture(status: str) -> None:
    report = compared(["mtdf"], [3, 4], lambda *_: None, status=status)
    with pytest.raises(NothingMatched, match="run run-1 has nothing to draw"):
        curves_svg(report)


def test_labels_are_escaped() -> None:
    report = compared(['<a&"b>', "]]>"], [1, 2], name="a<b", suite="<&>\x07\udcff.epd")
    picture = drawn(report)
    assert '<a&"b>' in picture.lines and "]]>" in picture.lines
    assert any(told.startswith("a<b: ") for told in picture.lines)
    assert any(
        "<&>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.epd" in t for t in picture.lines
    )
    assert curves_svg(report).encode()


def test_long_names_lose_their_middle() -> None:
    name = f"mtdf:{'x' * 80},guess=zero"
    told = next(t for t in drawn(compared([name], [1, 2])).lines if t.startswith("mtdf:x"))
    assert "…" in told and told.endswith("guess=zero") and len(told) < 40
    assert elided("abcdefgh", 6 * 6, 10) == "abc…gh" and elided("abc", 100, 10) == "abc"


def test_the_text_says_what_was_searched() -> None:
    lines = drawn(REPORTS["depths"]).lines
    assert lines[0] == "run-1: nodes and passes of 2 engines over depth"
    assert lines[1] == "60 positions of lab-60, depths 4, 5, 6, 8"
    assert "of all iterations up to a depth" in lines[2] and "bands: 95 %" in lines[2]
    assert "all nodes over those of pvs:window=0 (table: 16 MB); logarithmic" in lines
    assert lines[-1] == "mtdf 9.8.7, native 0123456789abcdef, 2026-11-21"
    alone = swept(["mtdf"], "first_guess_offset", ["-5", "5"], measure="last")
    told = drawn(alone).lines
    assert "of that iteration alone" in told[2]
    assert "first_guess_offset: first guess less the value found, in centipawns" in told
    assert "pvs:window=0" in drawn(REPORTS["linear"]).lines, "also where windows are varied"
    own = drawn(REPORTS["log"]).lines
    assert "all nodes over those of pvs:window=0, same entries; logarithmic" in own


def test_what_limits_the_figures_is_said() -> None:
    notes = [f"reason {k} " + "word " * 40 for k in range(4)]
    report = compared(
        ["mtdf"], [1, 2], status="interrupted", searches_done=7, values_agree=False, notes=notes
    )
    lines = drawn(report).lines
    assert "interrupted: 7 of 120 searches" in lines
    assert any(told.startswith("values differ") for told in lines)
    assert any(told.startswith("note: reason 1 ") for told in lines)
    assert "2 more notes: mtdf lab show run-1" in lines
    assert not any("reason 2" in told for told in lines)


def test_engines_differ_in_more_than_their_colour() -> None:
    root = drawn(REPORTS["fourteen"]).root
    looks: dict[str, set[tuple[Any, ...]]] = {}
    for one in root.iter():
        title = one.find(f"{SVG}title")
        if title is not None and title.text is not None:
            centre = points_of(one)
            x, y = (sum(some) / len(centre) for some in zip(*centre, strict=True))
            shape = tuple((round(a - x), round(b - y)) for a, b in centre)
            of = one.attrib
            looks.setdefault(title.text.split(", ")[0], set()).add(
                (of["stroke"], of["fill"] == "white", one.tag, shape)
            )
    assert len(looks) == 14
    firsts = [min(some) for some in looks.values()]
    assert len({one[1:] for one in firsts}) == 14, "they differ without colours"
    assert len({one[0] for one in firsts}) == 7
    assert len({(one[0], one[3]) for one in firsts}) == 14, "those of one colour differ in shape"


def test_names_of_the_key_keep_apart_and_in_order() -> None:
    report = REPORTS["fourteen"]
    picture = drawn(report)
    key = sorted((y, told) for x, y, _, told in picture.texts if told in [BASE, *FOURTEEN])
    assert len(key) == 15
    assert all(b - a >= 13.9 for (a, _), (b, _) in zip(key, key[1:], strict=False))
    last = {name: at[1] for (name, value), at in picture.marks().items() if value == "4"}
    heights = [last.get(told, picture.up().place(1)) for _, told in key]
    assert heights == sorted(heights)


BIG = [f"{name}:a={k}" for k, name in enumerate(["engine-of-a-rather-long-name"] * 40)]
HARD = REPORTS | {
    "forty engines": compared(BIG, [1, 2, 3]),
    "two hundred values": swept(["mtdf"], "window", list(map(str, range(-99, 101)))),
    "many words": swept(["mtdf", "pvs"], "guess", [f"quite-a-long-word-{k}" for k in range(25)]),
    "long": compared(["x" * 300], [1, 2], name="n" * 300, suite="/s" * 200,
                     notes=["one note " * 60, "y" * 400]),
    "long words": swept(["a", "b"], "guess", ["w" * 200, "v" * 200, "u" * 200]),
    "wide": compared(["\N{HIRAGANA LETTER A}" * 90], [1, 2], lambda k, v: 10.0 ** (6 * v - 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_nothing_lies_outside_and_no_labels_of_the_axis_collide(name: str) -> None:
    picture = drawn(HARD[name])
    left, top, width, height = map(float, picture.root.attrib["viewBox"].split())
    assert (left, top, width) == (0, 0, WIDTH)
    for one in picture.root.iter():
        for x, y in points_of(one):
            assert 0 <= x <= width and 0 <= y <= height
    for one in picture.root.iter(f"{SVG}text"):
        x, y = float(one.attrib["x"]), float(one.attrib["y"])
        assert 0 < y < height
        start, end = extent(one)
        assert start >= 0 and end <= width, one.text
    rows: dict[str, list[tuple[float, float]]] = {}
    for one in picture.root.iter(f"{SVG}text"):
        if one.attrib.get("text-anchor") == "middle":
            rows.setdefault(one.attrib["y"], []).append(extent(one))
    for row_of in rows.values():
        labels = sorted(row_of)
        assert all(a[1] < b[0] for a, b in zip(labels, labels[1:], strict=False))


def extent(one: xml.etree.ElementTree.Element) -> tuple[float, float]:
    """From where to where a text goes, if a letter is 0.56 of the font's size wide on average."""
    letters = sum(2 if ord(letter) > 0x3000 else 1 for letter in one.text or "")
    width = 0.56 * float(one.attrib.get("font-size", 12)) * letters
    x, anchor = float(one.attrib["x"]), one.attrib.get("text-anchor", "start")
    start = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
    return start, start + width


@pytest.mark.parametrize("name", HARD)
def test_the_same_report_gives_the_same_text(name: str) -> None:
    assert curves_svg(HARD[name]) == curves_svg(HARD[name])
    assert not re.search(r"\b(nan|inf)\b", curves_svg(HARD[name]))
