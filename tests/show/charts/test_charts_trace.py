"""Charts of a trace: bounds, values and nodes of each pass, and the top of the tree."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from chart_reading import HOSTILE, Spec, drawn, layer_of, layers, specs, texts
from msgspec.structs import replace

from engines.spec import MATE
from engines.variant import parse_variant
from toolkit.lab.pass_sequence import traced_search
from toolkit.lab.positions import find_position
from toolkit.lab.trace import TraceQuery, TraceReport, trace_search
from toolkit.show.charts.passes import passes_picture
from toolkit.show.charts.static import picture_bytes
from toolkit.show.charts.tree import tree_picture

FEN = find_position("lab-50").fen
START = find_position("start").fen
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
TABLE = "entries=2^12,eval=pst"
MTDF = parse_variant(f"mtdf:{TABLE},convergence=plaat,below=0")


def traced(driver: str, depth: int = 2, **fields: Any) -> TraceReport:
    table = "" if driver == "minimax" else "entries=2^12,"
    return trace_search(
        TraceQuery(parse_variant(f"{driver}:{table}eval=pst"), FEN, depth, **fields)
    )


def last(report: TraceReport) -> list[Any]:
    return [row for row in report.passes if row.depth == report.depth]


def values_panel(report: TraceReport) -> Spec:
    return specs(passes_picture(traced_search(report)))[0]


def span(values: Spec) -> tuple[float, float]:
    low, high = layer_of(values, "rect")["encoding"]["y"]["scale"]["domain"]
    return low, high


@pytest.mark.parametrize("driver", ["minimax", "alphabeta", "pvs", "mtdf", "sss", "mtd-best"])
def test_every_pass_has_its_bounds_value_and_nodes(driver: str) -> None:
    report = traced(driver)
    rows = last(report)
    values, costs = specs(passes_picture(traced_search(report)))
    low, high = span(values)
    left = layer_of(values, "rect")["rows"]
    assert [row["number"] for row in left] == [row.number for row in rows]
    for shown, row in zip(left, rows, strict=True):
        assert shown["value"] == row.value and low < row.value < high
        assert shown["lower"] == (low if row.lower is None else max(row.lower, low))
        assert shown["upper"] == (high if row.upper is None else min(row.upper, high))
        fails = {"high": "fails high", "low": "fails low", None: "inside its window"}
        assert shown["fails"] == fails[row.fails]
        assert shown["from"] < shown["bar_from"] < shown["number"] < shown["bar_to"] < shown["to"]
    asked = [one for one in layers(values) if one["mark"]["type"] == "rule" and one["rows"]
             and "asked" in one["rows"][0]]  # fmt: skip
    wanted = [
        (row.number, end)
        for row in rows
        for end in (
            [row.beta] if row.alpha is not None and row.beta == row.alpha + 1
            else [row.alpha, row.beta]
        )
        if end is not None
    ]  # fmt: skip
    if wanted:
        assert [(one["number"], one["asked"]) for one in asked[0]["rows"]] == wanted
        assert all(low <= one["at"] <= high for one in asked[0]["rows"])
    bars = layer_of(costs, "rect")["rows"]
    assert [row["count"] for row in bars] == [row.nodes for row in rows]


def test_windows_far_off_do_not_flatten_the_picture_and_are_arrows() -> None:
    report = trace_search(TraceQuery(parse_variant("sss"), START, 2))
    assert last(report)[0].beta == MATE, "the first window is far from all values"
    values = values_panel(report)
    low, high = span(values)
    assert low < report.value < high < 3000
    arrow = layer_of(values, "point", shape="triangle-up")
    beyond = [one for one in arrow["rows"] if one["beyond"] == 1]
    assert beyond and all(one["at"] == high and one["asked"] > high for one in beyond)
    assert arrow["transform"] == [{"filter": "datum.beyond == 1"}]
    assert (
        "an arrow at the edge: beyond the picture" in passes_picture(traced_search(report)).caption
    )
    passes = [row for row in report.passes if row.beta is not None and row.beta < high]
    near = replace(report, passes=passes)
    assert "beyond the picture" not in passes_picture(traced_search(near)).caption
    assert not [m for m in layers(values_panel(near))
                if m["mark"].get("shape") == "triangle-up"]  # fmt: skip


@pytest.mark.parametrize("first_guess", [None, 40, 1 - MATE])
def test_value_and_first_guess_are_marked(first_guess: int | None) -> None:
    report = trace_search(TraceQuery(MTDF, FEN, 2, first_guess))
    picture = passes_picture(traced_search(report))
    values = specs(picture)[0]
    (level,) = layer_of(values, "rule", style="reference")["rows"]
    assert level == {"value": report.value}
    guess = report.iterations[-1].first_guess
    assert guess is not None and (first_guess is None or guess == first_guess)
    (mark,) = layer_of(values, "point", style="chosen")["rows"]
    low, high = span(values)
    assert mark["guess"] == f"first guess {guess:+d}" and mark["at"] == min(max(guess, low), high)
    assert f"value {report.value:+d}" in picture.title
    assert f"first guess {guess:+d}" in picture.alt


def test_missing_first_guess_is_not_marked() -> None:
    picture = passes_picture(traced_search(traced("sss", 2)))
    assert not [m for m in layers(specs(picture)[0]) if m["mark"].get("style") == "chosen"]
    assert "guess" not in picture.caption + picture.alt


@pytest.mark.parametrize("depth", [1, 3])
def test_ticks_within_one_mate_tell_values_apart(depth: int) -> None:
    report = trace_search(TraceQuery(MTDF, MATE_IN_ONE, depth))
    picture = passes_picture(traced_search(report))
    low, high = span(specs(picture)[0])
    assert high - low >= 4
    svg = picture_bytes(picture, ".svg")
    assert not re.search(rb"\b(NaN|Infinity|undefined)\b", svg)
    told = texts(fromstring(svg))
    ticks = [t for t in told if re.fullmatch(r"[+\N{MINUS SIGN}]\d+", t)]
    assert len(ticks) >= 2 and len(set(ticks)) == len(ticks)


def test_text_of_a_trace_escapes_names() -> None:
    report = replace(traced("mtd-best"), engine=HOSTILE)
    picture = passes_picture(traced_search(report))
    root = drawn(picture)
    told = " ".join(texts(root))
    assert HOSTILE[:20] in told and report.fen in told
    assert "values are of the one root move that was searched" in picture.caption
    assert f"value {report.value:+d} at least, best {report.best}" in told
    assert not [one for one in root.iter() if one.tag.endswith("script")]


def boxes(spec: Spec) -> list[Any]:
    rows: list[Any] = layer_of(spec, "rect", style="cell")["rows"]
    return rows


@pytest.mark.parametrize("driver", ["pvs", "sss", "mtd-best"])
def test_tree_has_each_node_below_its_parent(driver: str) -> None:
    report = traced(driver, plies=2)
    tree = report.tree
    assert tree is not None
    picture = tree_picture(report, tree)
    shown = [1, 2, 3, 4, tree.passes - 1, tree.passes]
    numbers = shown if tree.passes > 6 else range(1, tree.passes + 1)
    assert len(picture.panels) == len(numbers)
    for spec, number in zip(specs(picture), numbers, strict=True):
        nodes = [row for row in tree.rows if row.pass_number == number]
        found = boxes(spec)
        assert [(one["line"], one["to"] - one["from"]) for one in found] == [
            (" ".join(row.line) or "root", row.nodes) for row in nodes
        ]
        for ply in (0, 1, 2):
            row = [one for one in found if one["ply"] == ply]
            assert all(a["to"] <= b["from"] for a, b in pairwise(row)), "side by side"
        for one in found:
            if one["ply"] > found[0]["ply"]:
                above = [p for p in found if p["ply"] == one["ply"] - 1
                         and p["from"] <= one["from"] and one["to"] <= p["to"]]  # fmt: skip
                line = one["line"].rpartition(" ")[0] or "root"
                assert [p["line"] for p in above] == [line]
        cuts = {None: "all moves searched", "beta": "cut by beta", "table": "cut by the table"}
        assert [one["end"] for one in found] == [cuts[row.cut] for row in nodes]
        frames = [m["rows"] for m in layers(spec) if m["mark"].get("style") == "frame"]
        again = [one for one in found if one["again"]]
        assert frames == ([again] if again else [])
        about = f" of {nodes[0].line[0]}" if nodes[0].line else ""
        assert f"Pass {number}{about} (" in spec["title"]
        assert f"{tree.re_expanded[number - 1]} of them before" in spec["title"]


def test_labels_of_a_tree_fit_into_their_boxes() -> None:
    report = traced("mtdf", plies=2)
    assert report.tree is not None
    for width in (300, 640):
        picture = tree_picture(report, report.tree, width)
        for spec in specs(picture):
            whole = max(one["to"] for one in boxes(spec))
            for one in boxes(spec):
                assert len(one["label"]) * 6 <= width * (one["to"] - one["from"]) / whole, width
    root = boxes(specs(picture)[0])[0]
    assert root["label"].startswith(f"root: {root['value']}")
    assert root["label"] in texts(drawn(picture))
    many = trace_search(TraceQuery(parse_variant("sss:entries=2^12,eval=pst"), FEN, 3, plies=1))
    assert many.tree is not None and many.tree.passes > 6
    assert (
        f"Passes 5 to {many.tree.passes - 2} are left out" in tree_picture(many, many.tree).caption
    )
