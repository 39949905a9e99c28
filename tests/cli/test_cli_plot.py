"""Every kind of ``mtdf plot`` writes its picture, and bad options are refused before any work."""

from __future__ import annotations

import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

from toolkit.show.charts.picture import PlotRow

Run = Callable[..., Any]
Check = Callable[..., bool]
ENGINE = "mtdf:entries=2^12,eval=pst"
SMALL = ("--depth", "1..2", "--limit-positions", "3", "--quiet")
EFFORT = (
    "--objective",
    "nodes",
    "--depth",
    "2",
    "--trials",
    "4",
    "--position-count",
    "4",
    "--quiet",
)


def text_of(file: str) -> str:
    """All text of an SVG picture."""
    return " ".join(xml.etree.ElementTree.parse(file).getroot().itertext())


@pytest.fixture
def laboratory(mtdf: Run) -> Run:
    """A comparison ``two`` and a sweep ``curve``."""
    assert mtdf("lab", "compare", "--engine", ENGINE, *SMALL, "--name", "two").code == 0
    words = ("--engine", ENGINE, "--param", "guess=zero,parity")
    assert mtdf("lab", "sweep", *words, *SMALL, "--name", "curve").code == 0
    return mtdf


@each("kind, run, other", [("nodes", "two", "curve"), ("sweep", "curve", "two")])
def test_lab_runs(laboratory: Run, has_fields: Check, kind: str, run: str, other: str) -> None:
    row = laboratory("plot", kind, run, "-o", "x.svg", "--json").json
    assert has_fields(row, PlotRow)
    assert (row["kind"], row["file"]) == (kind, "x.svg") and row["title"].startswith(f"{run}: ")
    assert laboratory("lab", "show", run, "--svg", "y").code == 0
    assert Path("x.svg").read_bytes() == Path("y").read_bytes()
    refused = laboratory("plot", kind, other, "-o", "z.svg")
    assert refused.code == 2 and len(refused.errors) == 1 and not Path("z.svg").exists()
    right = "sweep" if kind == "nodes" else "nodes"
    assert f"mtdf plot {right} draws it" in refused.err


def test_studies(mtdf: Run) -> None:
    words = (
        "--base",
        f"{ENGINE},guess=zero",
        "--param",
        "guess=zero|parity",
        "--param",
        "grain=1..20",
    )
    assert mtdf("tune", "run", *words, *EFFORT, "--name", "tuned").code == 0
    titles = {
        "gain": "Gain of study tuned", "parameters": "Parameters of study tuned",
        "slice": "Slices of study tuned", "contour": "Contour of study tuned: ",
    }  # fmt: skip
    for kind, title in titles.items():
        assert mtdf("plot", kind, "tuned", "-o", "x.svg").out == "wrote x.svg\n"
        assert title in text_of("x.svg")
    axes = ("--x", "grain", "--y", "guess")
    assert mtdf("plot", "contour", "tuned", *axes, "-o", "x.svg").code == 0
    assert "Contour of study tuned: grain and guess" in text_of("x.svg")
    for bad, told in (
        (("--x", "grain"), "give both --x and --y"),
        (("--x", "grain", "--y", "window"), "does not tune window: guess, grain"),
        (("--x", "grain", "--y", "grain"), "both are grain"),
    ):
        result = mtdf("plot", "contour", "tuned", *bad, "-o", "x.svg")
        assert result.code == 2 and len(result.errors) == 1 and told in result.err
    few = mtdf("plot", "importance", "tuned", "-o", "few.svg")
    assert few.code == 5 and "too few to estimate importance" in few.err
    assert not Path("few.svg").exists()


def test_ratings(mtdf: Run) -> None:
    words = ("mtdf", "pvs", "--pairs", "2", "--nodes", "50", "--quiet")
    assert mtdf("match", *words).code == 0
    assert mtdf("plot", "ratings", "--event", "last", "-o", "x.svg").code == 0
    names = {row["engine"] for row in mtdf("ratings", "--json").json}
    assert all(name in text_of("x.svg") for name in names) and len(names) == 2
    assert mtdf("plot", "ratings", "--event", "none", "-o", "y.svg").code == 5


def test_trace_needs_no_database(mtdf: Run) -> None:
    words = ("--position", "start", "--depth", "2", "--engine", ENGINE)
    assert mtdf("plot", "passes", *words, "-o", "x.svg").code == 0
    assert mtdf("trace", *words, "--svg", "y.svg", "--quiet").code == 0
    assert Path("x.svg").read_bytes() == Path("y.svg").read_bytes()
    assert mtdf("plot", "tree", *words, "--plies", "1", "-o", "tree.svg").code == 0
    assert "the top of the tree" in text_of("tree.svg")
    both = mtdf("plot", "passes", *words, "--fen", "x", "-o", "x.svg")
    assert both.code == 2 and "either --fen or --position" in both.err


@each(
    "place, told",
    [
        ("x.jpg", "a picture ends in .svg, .png or .pdf"),
        ("folder.svg", "it is a folder"),
        ("no/such/x.svg", "there is no folder no/such"),
    ],
)
def test_bad_path_fails_before_any_work(mtdf: Run, place: str, told: str) -> None:
    Path("folder.svg").mkdir()
    for words in (("gain", "none"), ("passes", "--position", "start", "--depth", "40")):
        result = mtdf("plot", *words, "-o", place)
        assert result.code == 2 and len(result.errors) == 1 and told in result.err


def test_png_and_pdf_are_written(laboratory: Run) -> None:
    for name, head in (("x.png", b"\x89PNG"), ("x.pdf", b"%PDF")):
        assert laboratory("plot", "nodes", "two", "-o", name).code == 0
        assert Path(name).read_bytes().startswith(head)
