"""``mtdf lab show --svg`` draws a run, and reports early if it cannot."""

from __future__ import annotations

import csv
import io
import os
import sqlite3
import xml.etree.ElementTree
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each

Run = Callable[..., Any]
SMALL = ("--depth", "1..2", "--limit-positions", "3", "--quiet")
ENGINE = "mtdf:entries=2^12,eval=pst"


@pytest.fixture
def run(mtdf: Run) -> Run:
    """A database with a sweep called `curve`."""
    words = ("--engine", ENGINE, "--param", "guess=zero,parity")
    assert mtdf("lab", "sweep", *words, *SMALL, "--name", "curve").code == 0
    return mtdf


def points(file: str) -> list[dict[str, str]]:
    """What the points of a picture say."""
    root = xml.etree.ElementTree.parse(file).getroot()
    labels = [one.get("aria-label", "") for one in root.iter()
              if one.get("aria-roledescription") == "point"]  # fmt: skip
    told = [dict(part.split(": ", 1) for part in label.split("; ")) for label in labels]
    return [one for one in told if "engine" in one]


def test_run_is_drawn(run: Run) -> None:
    Path("curve.svg").write_text("old")
    plain = run("lab", "show", "curve")
    result = run("lab", "show", "curve", "--svg", "curve.svg")
    assert result.code == 0 and result.out == plain.out
    assert result.errors == ["wrote curve.svg"]
    rows = run("lab", "show", "curve", "--json").json["rows"]
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


def test_picture_with_json_and_csv(run: Run) -> None:
    result = run("lab", "show", "curve", "--svg", "a.svg", "--json")
    assert result.json["name"] == "curve" and "wrote a.svg" in result.err
    result = run("lab", "show", "curve", "--svg", "b.svg", "--csv")
    assert len(list(csv.DictReader(io.StringIO(result.out)))) == 6
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert run("lab", "show", "curve", "--svg", "c.svg", "--quiet").errors == []


def test_comparison_is_drawn_over_depth(mtdf: Run) -> None:
    assert mtdf("lab", "compare", "--engine", ENGINE, *SMALL, "--name", "two").code == 0
    assert mtdf("lab", "show", "two", "--svg", "two.svg").code == 0
    found = points("two.svg")
    assert {one["depth"] for one in found} == {"1", "2"}
    assert {one["engine"] for one in found} == {
        "mtdf:entries=4096,eval=pst", "pvs:entries=4096,eval=pst",
    }  # fmt: skip


@each("place", ["no/such/folder.svg", "folder", ""])
def test_bad_path_fails_before_the_run(mtdf: Run, place: str) -> None:
    Path("folder").mkdir()
    result = mtdf("lab", "show", "nothing", "--svg", place)
    assert result.code == 2 and "cannot write" in result.err and len(result.errors) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_full_disk_is_reported_in_one_line(run: Run) -> None:
    os.symlink("/dev/full", "full.svg")
    result = run("lab", "show", "curve", "--svg", "full.svg")
    assert result.code == 1 and result.out == "" and len(result.errors) == 1
    assert "cannot write full.svg" in result.err


def test_searches_are_not_drawn(run: Run) -> None:
    result = run("lab", "show", "curve", "--searches", "--svg", "a.svg")
    assert result.code == 2 and "leave out --searches" in result.err and len(result.errors) == 1
    assert not Path("a.svg").exists()
    result = run("lab", "show", "curve", "--svg", "a.svg", "--csv", "--json")
    assert result.code == 2 and not Path("a.svg").exists()


def test_run_without_searches_is_not_drawn(run: Run) -> None:
    with closing(sqlite3.connect("mtdf.db")) as connection, connection:
        connection.execute("DELETE FROM lab_searches")
    result = run("lab", "show", "curve", "--svg", "a.svg")
    assert result.code == 5 and result.out == "" and len(result.errors) == 1
    assert "run curve has nothing to draw" in result.err and "mtdf lab resume curve" in result.err
    assert not Path("a.svg").exists()
