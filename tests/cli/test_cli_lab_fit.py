"""``mtdf lab fit`` prints a playable variant with the fitted parameters."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each
from ended import LAB_STORE, ended

from engines.variant import parse_variant
from toolkit.base.rows import field_names
from toolkit.lab.fits.rows import LabFitReport, LabFitRow

Run = Callable[..., Any]
Fields = Callable[..., bool]

pytestmark = pytest.mark.native


@each("guess", ["regression", "quantile"])
def test_printed_variant_has_fitted_parameters(mtdf: Run, has_fields: Fields, guess: str) -> None:
    command = f"lab fit --guess {guess} --positions default-500 --count 24 --depth 3 --grain 5"
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
    assert (report["fitted"], report["held_out"], report["depth"]) == (12, 12, 3)
    assert [row["against"] for row in report["rows"]] == [
        parse_variant(f"mtdf:guess={one},grain=5").label for one in ("parity", "previous")
    ]
    for row in report["rows"]:
        assert list(row) == field_names(LabFitRow)
        assert row["gain"] == pytest.approx(row["error"] - report["error"])
        assert row["gain_low95"] <= row["gain"] <= row["gain_high95"]
        assert row["nodes_low95"] <= row["nodes"] <= row["nodes_high95"]


def test_table(mtdf: Run) -> None:
    command = "lab fit --guess quantile --positions default-500 --count 12 --depth 4"
    result = mtdf(*command.split())
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("engine  mtdf:guess=quantile,")
    assert "depth 4; measured on 6 others" in lines[1]
    assert (
        lines[2].startswith("runs    fit-1 (mtdf ") and "; measured by fit-1-quantile" in lines[2]
    )
    assert "of values should lie above the guess" in lines[3]
    rivals = [parse_variant(f"mtdf:guess={one}").label for one in ("parity", "previous")]
    assert [line.split()[0] for line in lines[-2:]] == rivals
    again = "mtdf lab fit --guess quantile --run fit-1"
    assert f"run fit-1   ctrl-c saves and stops; continue with: mtdf resume fit-1 && {again}\n" in (
        result.err
    )
    assert f"run fit-1-quantile   ctrl-c saves and stops; continue with: {again}\n" in result.err


def test_fit_from_stored_run_is_identical(mtdf: Run) -> None:
    words = "--guess quantile --positions default-500 --count 24 --depth 3 --grain 5"
    direct = mtdf("lab", "fit", *words.split(), "--name", "mine", "--json", "--jobs", "2")
    assert direct.code == 0, direct.err
    stored = mtdf("lab", "fit", "--guess", "quantile", "--run", "mine", "--json")
    assert stored.code == 0 and stored.json == direct.json
    assert (stored.json["runs"], stored.json["measured_by"]) == (["mine"], "mine-quantile")
    runs = mtdf("lab", "list", "--json").json
    assert [(run["name"], run["searches_done"]) for run in runs] == [
        ("mine", 48),
        ("mine-quantile", 36),
    ]
    measured = mtdf("show", "mine-quantile", "--json").json
    assert measured["values_agree"] is True
    assert measured["engines"][2] == direct.json["engine"]


def test_fit_from_several_runs(mtdf: Run) -> None:
    small = ("--engine", "mtdf:entries=2^12,eval=pst", "--depth", "3", "--quiet")
    assert mtdf("lab", "compare", *small, "--limit-positions", "6", "--name", "done").code == 0
    assert mtdf("lab", "compare", *small, "--limit-positions", "4", "--name", "cut").code == 0
    with closing(sqlite3.connect("mtdf.db")) as connection, connection:
        connection.execute(
            "DELETE FROM lab_searches WHERE run_id = 2 AND position = 3 AND engine=2"
        )
    result = mtdf("lab", "fit", "--guess", "regression", "--run", "done", "--run", "cut")
    assert result.code == 0, result.err
    assert "runs    done, cut (mtdf " in result.out
    assert "note    run cut is unfinished: only the 3 of its 4 positions" in result.out
    assert "regression_last=" in result.out and "entries=4096,eval=pst" in result.out


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_fit_is_resumed(mtdf: Run, number: signal.Signals) -> None:
    words = "lab fit --guess quantile --positions lab-60 --count 60 --depth 6 --json".split()
    whole = mtdf(*words, "--name", "whole")
    assert whole.code == 0, whole.err
    done = ended(LAB_STORE, 2, number, *words, "--name", "cut", "--jobs", "2")
    assert 0 < _stored("cut") < 120 and done.stdout == ""
    if number == signal.SIGINT:
        advice = "continue with: mtdf resume cut && mtdf lab fit --guess quantile --run cut"
        assert done.stderr.splitlines()[-1].endswith(advice)
    assert mtdf("resume", "cut", "--quiet").code == 0
    resumed = mtdf("lab", "fit", "--guess", "quantile", "--run", "cut", "--json").json
    assert {**resumed, "runs": ["whole"]} == whole.json
    assert resumed["measured_by"] == "whole-quantile", "the same searches are not made again"


def _stored(name: str) -> int:
    """Searches of a run in the database."""
    query = "SELECT count(*) FROM lab_searches s JOIN lab_runs r ON r.id = s.run_id WHERE name = ?"
    with closing(sqlite3.connect("mtdf.db", timeout=5)) as connection:
        return int(connection.execute(query, [name]).fetchone()[0])


@each(
    "words, code, said",
    [
        ("--run nothing", 5, "no laboratory run `nothing` (mtdf lab list)"),
        ("--run fine --run fine", 2, "run fine is given twice"),
        ("--run fine --run coarse", 2, "search different trees"),
        ("--run fine --engine mtdf:grain=9", 2, "search different trees"),
        ("--run fine --engine pvs:eval=pst", 2, "uses no first guess"),
        ("--run fine --depth 4", 2, "--depth and --run exclude each other"),
        ("--run fine --name other", 2, "--name and --run exclude each other"),
        ("--run low", 2, "run low was searched to depth 2"),
        ("--run one", 2, "positions searched by every engine: 1; a fit needs at least two"),
    ],
)
def test_unsuitable_runs_are_refused(mtdf: Run, words: str, code: int, said: str) -> None:
    for name, engine, depth, count in [
        ("fine", "mtdf:eval=pst", "3", "3"),
        ("coarse", "mtdf:eval=pst,grain=9", "3", "3"),
        ("low", "mtdf:eval=pst", "2", "3"),
        ("one", "mtdf:eval=pst", "3", "1"),
    ]:
        if name in words:
            options = ("--depth", depth, "--limit-positions", count, "--name", name, "--quiet")
            assert mtdf("lab", "compare", "--engine", engine, *options).code == 0
    if "nothing" in words:
        assert mtdf("lab", "compare", "--engine", "mtdf", "--depth", "1", "--quiet").code == 0
    result = mtdf("lab", "fit", "--guess", "regression", *words.split())
    assert result.code == code and result.out == ""
    assert len(result.errors) == 1 and said in result.err


def test_quantile_fit_needs_two_guesses(mtdf: Run) -> None:
    small = ("--depth", "3", "--limit-positions", "6", "--quiet")
    assert mtdf("lab", "compare", "--engine", "mtdf", *small, "--name", "alone").code == 0
    two = ("--engine", "mtdf:guess=zero", "--engine", "mtdf:guess=previous", "--name", "two")
    assert mtdf("lab", "compare", *two, *small).code == 0
    result = mtdf("lab", "fit", "--guess", "quantile", "--run", "alone")
    assert result.code == 2 and len(result.errors) == 1
    assert "the cost of failing is unknown (runs that have two guesses: two)" in result.err
    assert mtdf("lab", "fit", "--guess", "quantile", "--run", "two", "--quiet").code == 0
    none = mtdf("lab", "fit", "--guess", "regression", "--run", "two", "--db", "none.db")
    assert none.code == 3 and not Path("none.db").exists()


@each(
    "command, message",
    [
        ("--guess regression --depth 2", "--depth (2) must be from 3"),
        ("--guess regression --count 1", "--count 1 must be at least 2"),
        ("--guess regression --positions nowhere.epd", "no suite `nowhere.epd`"),
        ("--guess regression --grain 0", "grain=0 is not allowed"),
        ("--guess drift", "'drift' is not one of"),
        ("--guess regression --engine pvs", "uses no first guess"),
        ("--guess regression --engine bns", "proves a move"),
    ],
)
def test_bad_fit_options_are_refused(mtdf: Run, command: str, message: str) -> None:
    result = mtdf("lab", "fit", *command.split())
    assert result.code == 2 and not Path("mtdf.db").exists()
    assert message in result.err and "Traceback" not in result.err
