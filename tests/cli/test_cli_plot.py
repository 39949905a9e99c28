"""Every kind of ``mtdf plot`` writes its picture, and bad options are refused before any work."""

from __future__ import annotations

import os
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


def points(file: str) -> list[dict[str, str]]:
    """What the points of a picture say."""
    root = xml.etree.ElementTree.parse(file).getroot()
    labels = [one.get("aria-label", "") for one in root.iter()
              if one.get("aria-roledescription") == "point"]  # fmt: skip
    told = [dict(part.split(": ", 1) for part in label.split("; ")) for label in labels]
    return [one for one in told if "engine" in one]


@pytest.fixture(scope="module")
def searched(run_quietly: Callable[..., Path]) -> Path:
    """A database with a comparison ``two`` and a sweep ``curve``, to copy."""
    words = ("--engine", ENGINE, "--param", "guess=zero,parity")
    return run_quietly(
        ("lab", "compare", "--engine", ENGINE, *SMALL, "--name", "two"),
        ("lab", "sweep", *words, *SMALL, "--name", "curve"),
    )


@pytest.fixture
def laboratory(mtdf: Run, searched: Path) -> Run:
    """Run a command on a copy of the comparison and the sweep."""
    Path("mtdf.db").write_bytes(searched.read_bytes())
    return mtdf


@each("kind, run", [("nodes", "two"), ("sweep", "curve")])
def test_lab_runs(laboratory: Run, has_fields: Check, kind: str, run: str) -> None:
    row = laboratory("plot", "lab", run, "-o", "x.svg", "--json").json
    assert has_fields(row, PlotRow)
    assert (row["kind"], row["file"]) == (kind, "x.svg") and row["title"].startswith(f"{run}: ")
    title = laboratory("plot", "lab", run, "-o", "y.svg", "--title", "Mine", "--json").json["title"]
    assert title == "Mine" and "Mine" in text_of("y.svg")


def test_sweep_is_drawn_over_its_values(laboratory: Run) -> None:
    assert laboratory("plot", "lab", "curve", "-o", "curve.svg").out == "wrote curve.svg\n"
    rows = laboratory("show", "curve", "--json").json["rows"]
    swept = [row for row in rows if row["depth"] == 2 and row["parameter_value"] is not None]
    engine = ENGINE.replace("2^12", "4096")
    wanted = [
        (engine, row["parameter_value"], f"{row['nodes']:.3f}", round(row["passes"], 2))
        for _ in ("nodes", "leaves", "passes")
        for row in swept
    ]
    found = [
        (one["engine"], one["guess"], one["nodes"], round(float(one["passes"]), 2))
        for one in points("curve.svg")
    ]
    assert len(wanted) == 6 and found == wanted


def test_comparison_is_drawn_over_depth(laboratory: Run) -> None:
    assert laboratory("plot", "lab", "two", "-o", "two.svg").code == 0
    found = points("two.svg")
    assert {one["depth"] for one in found} == {"1", "2"}
    assert {one["engine"] for one in found} == {
        "mtdf:entries=4096,eval=pst", "pvs:entries=4096,eval=pst",
    }  # fmt: skip


def test_run_without_searches_is_not_drawn(laboratory: Run, edited: Callable[..., Any]) -> None:
    with edited("mtdf.db") as connection:
        connection.execute("DELETE FROM lab_searches")
    result = laboratory("plot", "lab", "curve", "-o", "a.svg")
    assert result.code == 5 and result.out == "" and len(result.errors) == 1
    assert "run curve has nothing to draw" in result.err and "mtdf resume curve" in result.err
    assert not Path("a.svg").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_full_disk_is_reported_in_one_line(laboratory: Run) -> None:
    os.symlink("/dev/full", "full.svg")
    result = laboratory("plot", "lab", "curve", "-o", "full.svg")
    assert result.code == 1 and result.out == "" and len(result.errors) == 1
    assert "cannot write full.svg" in result.err


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
        "slices": "Slices of study tuned", "contour": "Contour of study tuned: ",
    }  # fmt: skip
    for kind, title in titles.items():
        assert mtdf("plot", "study", "tuned", "--chart", kind, "-o", "x.svg").out == "wrote x.svg\n"
        assert title in text_of("x.svg")
    axes = ("--x", "grain", "--y", "guess")
    assert mtdf("plot", "study", "tuned", *axes, "-o", "x.svg").code == 0
    assert "Contour of study tuned: grain and guess" in text_of("x.svg")
    for bad, told in (
        (("--x", "grain"), "give both --x and --y"),
        (("--x", "grain", "--y", "window"), "does not tune window: guess, grain"),
        (("--x", "grain", "--y", "grain"), "both are grain"),
        (("--x", "grain", "--y", "guess", "--chart", "gain"), "--x and --y are for the contour"),
    ):
        result = mtdf("plot", "study", "tuned", *bad, "-o", "x.svg")
        assert result.code == 2 and len(result.errors) == 1 and told in result.err
    few = mtdf("plot", "study", "tuned", "--chart", "importance", "-o", "few.svg")
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
    assert mtdf("plot", "trace", *words, "-o", "x.svg", "--json").json["kind"] == "passes"
    assert mtdf("plot", "trace", *words, "--top", "1", "-o", "tree.svg").code == 0
    assert "the top of the tree" in text_of("tree.svg")
    both = mtdf("plot", "trace", *words, "--fen", "x", "-o", "x.svg")
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
    for words in (("study", "none"), ("trace", "--position", "start", "--depth", "40")):
        result = mtdf("plot", *words, "-o", place)
        assert result.code == 2 and len(result.errors) == 1 and told in result.err


def test_png_and_pdf_are_written(laboratory: Run) -> None:
    for name, head in (("x.png", b"\x89PNG"), ("x.pdf", b"%PDF")):
        assert laboratory("plot", "lab", "two", "-o", name).code == 0
        assert Path(name).read_bytes().startswith(head)
