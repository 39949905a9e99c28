"""``mtdf sprt`` and its calculator match published figures; ``mtdf openings`` makes books."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cases import each

import toolkit
from toolkit.base.format import format_count, format_duration, format_ends
from toolkit.base.rows import field_names
from toolkit.books.info import BookCheck
from toolkit.reports.sprt import SprtRow

Mtdf = Callable[..., Any]
Fields = Callable[..., bool]
CALC = ("sprt", "calc", "--json", "--elo0", "0")
SHORT = ("--nodes", "40", "--max-plies", "16", "--quiet")


def test_calculator_matches_published_figures(mtdf: Mtdf) -> None:
    counts = ("--pentanomial", "10,120,300,150,20", "--elo1", "10", "--model", "logistic")
    row = mtdf(*CALC, *counts).json
    assert list(row)[: len(field_names(SprtRow))] == field_names(SprtRow)
    assert row["llr"] == pytest.approx(2.92236, abs=1e-5)
    assert (row["elo"], row["nelo"]) == pytest.approx((14.485, 25.530), abs=1e-3)
    errors = (row["elo_error95"], row["nelo_error95"])
    assert errors == pytest.approx((11.170, 19.658), rel=0.01)
    assert row["elo_low95"] < row["elo"] < row["elo_high95"]
    assert row["los"] == pytest.approx(0.9945, abs=5e-4)
    assert row["pairs_ratio"] == pytest.approx(1.3077, abs=1e-4)
    assert row["verdict"] == "continue"
    normalized = mtdf(*CALC, "--pentanomial", "365,16618,36229,16974,390", "--elo1", "2").json
    assert normalized["llr"] == pytest.approx(2.25037, abs=1e-5)
    lopsided = mtdf(*CALC, "--trinomial", "0,0,4250", "--elo1", "10").json
    assert lopsided["llr"] == pytest.approx(120.5, abs=0.1)
    assert lopsided["verdict"] == "H1"


@each(
    "words, message",
    [
        ((), "--test ENGINE is missing"),
        (("--test", "mtdf"), "--base ENGINE is missing"),
        (("--test", "mtdf", "--base", "pvs"), "a limit is missing"),
        (
            ("--test", "mtdf", "--base", "pvs", "--nodes", "9", "--elo0", "5", "--elo1", "0"),
            "elo0 (5) must be below elo1 (0)",
        ),
        (
            ("--test", "mtdf", "--base", "pvs", "--nodes", "9", "--model", "bayesian"),
            "needs trinomial counts",
        ),
        (("calc",), "give either --pentanomial or --trinomial"),
        (("calc", "--trinomial", "1,2"), "expected 3 whole numbers"),
        (("calc", "--trinomial", "1,2,-3"), "counts are not negative"),
        (("calc", "--pentanomial", "1,2,3"), "5 whole numbers, as in 10,120,300,150,20"),
        (("calc", "--pentanomial", "1,2,3,4,5", "--model", "bayesian"), "give --trinomial L,D,W"),
        (("plan", "--pentanomial", "1,2,3,4,5", "--model", "bayesian"), "in place of"),
        (("plan", "--draws", "1.5"), "draw ratio"),
        (("plan", "--alpha", "0"), "alpha must be between 0 and 1"),
        (("plan", "--elo0", "nan"), "finite"),
    ],
)
def test_bad_tests_are_refused(mtdf: Mtdf, words: tuple[str, ...], message: str) -> None:
    result = mtdf("sprt", *words)
    assert (result.code, result.out) == (2, "")
    assert len(result.errors) == 1 and message in result.errors[0]


def test_plan_is_symmetric_and_matches_simulation(mtdf: Mtdf) -> None:
    options = ("--elo0", "0", "--elo1", "10", "--model", "logistic", "--draws", "0.6")
    rows = mtdf("sprt", "plan", "--json", *options).json
    by_elo = {row["true_elo"]: row for row in rows}
    assert by_elo[0.0]["pass_rate"] == pytest.approx(0.049, abs=0.006)
    assert by_elo[0.0]["mean_pairs"] == pytest.approx(1301, rel=0.02)
    assert by_elo[10.0]["pass_rate"] == pytest.approx(0.955, abs=0.006)
    assert by_elo[10.0]["mean_pairs"] == pytest.approx(1298, rel=0.02)
    assert by_elo[5.0]["pass_rate"] == pytest.approx(0.5, abs=0.01)


def test_sprt_runs_to_its_verdict(mtdf: Mtdf) -> None:
    engines = ("--test", "pvs:entries=2^10", "--base", "pvs:entries=2^10,quiescence=off")
    words = ("sprt", *engines, "--elo1", "150", "--max-pairs", "60", *SHORT)
    result = mtdf(*words, "--json")
    assert result.code == 0
    row = result.json
    assert row["kind"] == "sprt" and row["verdict"] in ("H0", "H1", "inconclusive")
    assert sum(row["pentanomial"]) <= row["pairs_tested"] <= 60
    again = mtdf("resume", "last", "--json").json
    assert (again["test"], again["verdict"]) == (row["test"], row["verdict"])
    assert mtdf("show", "last", "--json").json["verdict"] == row["verdict"]
    text = mtdf("show", "last").out
    assert "LLR" in text and row["reason"].split()[0] in text
    text = mtdf("resume", "last").out
    assert "LLR" in text and "median-unbiased" in text


def test_books_are_made_described_and_checked(mtdf: Mtdf, tmp_path: Path) -> None:
    options = ("--count", "5", "--plies", "3", "--nodes", "50", "--judge", "pvs:entries=2^8")
    made = mtdf("openings", "make", "b.epd", *options, "--json").json
    assert (made["lines"], made["file"]) == (5, "b.epd")
    assert mtdf("openings", "info", "b.epd", "--json").json["plies"] == {"3": 5}
    slices = mtdf("openings", "info", "b.epd", "--slices", "2", "--json").json["slices"]
    assert sum(slices) == 5 and len(slices) == 2
    assert (
        f"slice 2/2    {slices[1]} line" in mtdf("openings", "info", "b.epd", "--slices", "2").out
    )
    assert mtdf("openings", "info", "b.epd", "--slices", "0").code == 2
    assert mtdf("openings", "check", "b.epd").code == 0
    again = mtdf("openings", "make", "b.epd", *options)
    assert again.code == 2 and "exists already" in again.errors[0]
    with (tmp_path / "b.epd").open("a") as book:
        book.write("8/8/8/8/8/8/8/8 w - -\n")
    checked = mtdf("openings", "check", "b.epd")
    assert checked.code == 1
    assert "b.epd line 7: illegal position" in checked.out
    assert "5 lines can be played, 1 cannot" in checked.out


def test_check_names_bad_lines(mtdf: Mtdf, tmp_path: Path, has_fields: Fields) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    queenless = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq -"
    (tmp_path / "c.epd").write_text(f"{start}\n{queenless}\n{start}\nrubbish\n")
    judge = ("--max-cp", "80", "--nodes", "300", "--judge", "pvs:entries=2^8")
    check = mtdf("openings", "check", "c.epd", *judge, "--json")
    assert check.code == 1
    assert has_fields(check.json, BookCheck)
    faults = {(fault["line"], fault["fault"]) for fault in check.json["faults"]}
    assert faults == {(4, "unplayable"), (3, "repeated"), (2, "unbalanced")}
    assert check.json["faults"][-1]["cp"] < -500
    assert check.json["judged"] == 3
    text = mtdf("openings", "check", "c.epd", *judge).out
    assert "c.epd line 3: the position of line 1 again" in text
    assert "cp for the side to move" in text and "1 of 3 out of balance" in text
    (tmp_path / "d.epd").write_text(f"{queenless}\n")
    assert mtdf("openings", "check", "d.epd").code == 0
    assert mtdf("openings", "check", "d.epd", *judge).code == 1
    assert mtdf("openings", "check", "d.epd", "--nodes", "9").code == 2


def test_book_shows_judge_and_signature(mtdf: Mtdf, tmp_path: Path) -> None:
    book = Path(toolkit.__file__).with_name("data") / "openings_balanced_20k.epd.gz"
    with gzip.open(book, "rt", encoding="utf-8") as lines:
        (tmp_path / "short.epd").write_text("".join(islice(lines, 9)), encoding="utf-8")
    described = mtdf("openings", "info", "short.epd").out.splitlines()
    assert "judge        pvs:entries=2^16" in described
    assert "signature    186ee1de50763a15" in described
    (tmp_path / "c.epd").write_text(
        '# book made by mtdf: {"cut\n4k3/8/8/8/8/8/4P3/4K3 w - -\n', encoding="utf-8"
    )
    assert mtdf("openings", "info", "c.epd", "--json").json["recipe"] == {}


@each(
    "elo0, elo1, says",
    [
        ("-400", "-300", "H1 accepted: {test} against {base} at least -300 nElo rather than -400"),
        ("300", "400", "H0 accepted: {test} against {base} at most +300 nElo rather than +400"),
    ],
)
def test_verdict_names_its_hypotheses(mtdf: Mtdf, elo0: str, elo1: str, says: str) -> None:
    test, base = "pvs:entries=1024", "pvs:entries=2048"
    words = ("sprt", "--test", test, "--base", base, "--elo0", elo0, "--elo1", elo1, *SHORT)
    first = mtdf(*words, "--max-pairs", "80").out.splitlines()[0]
    assert first == says.format(test=test, base=base)


def test_impossible_counts_have_no_corrected_estimate(mtdf: Mtdf) -> None:
    words = ("sprt", "calc", "--elo0", "0", "--elo1", "5")
    far = ("--pentanomial", "100,200,400,600,300")
    row = mtdf(*words, *far, "--json").json
    assert row["verdict"] == "H1" and row["elo_unbiased"] is None
    text = mtdf(*words, *far).out
    assert "median-unbiased" not in text
    assert "a test would have stopped before these counts" in text


def test_estimate_without_an_end_is_open(mtdf: Mtdf) -> None:
    words = ("sprt", "calc", "--elo0", "0", "--elo1", "5", "--pentanomial")
    assert re.search(r"\[-\d+\.\d, open\] \(95 %, median", mtdf(*words, "0,0,0,0,1").out)
    assert mtdf(*words, "0,0,0,0,1", "--json").json["elo_unbiased_high95"] is None
    assert "open" not in mtdf(*words, "10,120,300,150,20").out


def test_asymmetric_interval_is_printed_with_both_ends(mtdf: Mtdf) -> None:
    words = ("sprt", "calc", "--elo0", "0", "--elo1", "5", "--pentanomial")
    row = mtdf(*words, "1,1,0,0,0", "--json").json
    ends = format_ends(row["elo_low95"], row["elo_high95"])
    assert f"Elo  {row['elo']:+.1f} {ends} (95 %)" in mtdf(*words, "1,1,0,0,0").out
    # The published figures are 14.485 and 11.170.
    assert "Elo  +14.5 ± 11.2 (95 %)" in mtdf(*words, "10,120,300,150,20").out


def test_plan_lists_strengths_and_undecided_tests(mtdf: Mtdf) -> None:
    lines = mtdf("sprt", "plan", "--elo0", "0", "--elo1", "0.001").out.splitlines()
    assert [line.split()[0] for line in lines[1:8]] == [
        *("-0.00050", "0.00000", "+0.00025", "+0.00050", "+0.00075", "+0.00100", "+0.00150")
    ]
    words = ("sprt", "plan", "--elo1", "20", "--true-elo", "10")
    assert "no verdict" not in mtdf(*words).out
    limited = mtdf(*words, "--max-pairs", "200").out
    (row,) = mtdf(*words, "--max-pairs", "200", "--json").json
    rates = [row[name] for name in ("pass_rate", "fail_rate", "no_verdict_rate")]
    assert sum(rates) == pytest.approx(1.0)
    assert "no verdict" in limited and f"{100 * rates[2]:.1f} %" in limited


def test_plan_uses_measured_pairs(mtdf: Mtdf) -> None:
    """Fewer pairs that are not drawn: a smaller spread, and a shorter test in Elo."""
    words = ("sprt", "plan", "--model", "logistic", "--elo1", "10", "--true-elo", "0", "--json")
    (same,) = mtdf(*words, "--pentanomial", "1,4,6,4,1").json
    (guessed,) = mtdf(*words, "--draws", "0.5").json
    assert same["mean_pairs"] == pytest.approx(guessed["mean_pairs"])
    (drawn,) = mtdf(*words, "--pentanomial", "1,40,600,40,1").json
    assert drawn["mean_pairs"] < guessed["mean_pairs"] / 3
    for wrong in (("--draws", "0.5"), ("--trinomial",)):
        refused = mtdf(*words, "--pentanomial", "1,4,6,4,1", *wrong)
        assert refused.code == 2 and "exclude each other" in refused.errors[0]
    assert mtdf(*words, "--pentanomial", "0,0,0,0,0").code == 2


@each("counting", [(), ("--trinomial",)])
def test_dry_run_shows_expected_and_maximum_pairs(mtdf: Mtdf, counting: tuple[str, ...]) -> None:
    ends = ("--elo0", "0", "--elo1", "20", *counting)
    words = ("sprt", "--test", "mtdf", "--base", "pvs", *ends, "--movetime", "5", "--dry-run")
    row = mtdf(*words, "--json").json
    elos = ("--true-elo", "0", "--true-elo", "20", "--max-pairs", "20000")
    planned = [one["mean_pairs"] for one in mtdf("sprt", "plan", *ends, *elos, "--json").json]
    assert row["expected_pairs"] == pytest.approx(sum(planned) / 2)
    assert row["estimate_s"] == pytest.approx(row["latest_s"] * row["expected_pairs"] / 20_000)
    text = mtdf(*words).out
    expected = format_count(round(row["expected_pairs"]))
    assert f"at most 20 000 pairs, about {expected} expected, book" in text
    expected, most = map(format_duration, (row["estimate_s"], row["latest_s"]))
    assert f"est.   ~{expected} (at most ~{most}) at 1 job" in text
    few = mtdf(*words, "--max-pairs", "10", "--json").json
    assert few["expected_pairs"] <= 10 and few["estimate_s"] <= few["latest_s"]


def test_dry_run_of_a_match_has_one_length(mtdf: Mtdf) -> None:
    words = ("match", "mtdf", "pvs", "--pairs", "9", "--movetime", "5", "--dry-run")
    assert "9 pairs each = 18 games" in mtdf(*words).out
    row = mtdf(*words, "--json").json
    assert row["expected_pairs"] is None and row["latest_s"] is None


def test_inconclusive_test_does_not_say_that_it_continues(mtdf: Mtdf) -> None:
    words = ("--test", "mtdf", "--base", "pvs", "--max-pairs", "1")
    shown = mtdf("sprt", *words, *SHORT).out
    assert shown.startswith("inconclusive: ") and "continue" not in shown
