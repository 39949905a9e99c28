"""``mtdf trace`` shortens long traces and prints mates and windows correctly."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

from engines.registry import DRIVERS

Run = Callable[..., Any]


@each("place", ["no/such/folder.svg", "folder"])
def test_bad_picture_path_fails_before_searching(mtdf: Run, place: str) -> None:
    Path("folder").mkdir()
    result = mtdf("trace", "--position", "start", "--depth", "40", "--html", place)
    assert result.code == 2 and "cannot write" in result.err and len(result.errors) == 1


def test_long_trace_shows_both_ends(mtdf: Run) -> None:
    words = ("trace", "--position", "start", "--depth", "5", "--engine", "sss")
    passes = [row for row in mtdf(*words, "--json").json["passes"] if row["depth"] == 5]
    assert len(passes) > 50
    short, whole = (mtdf(*words, *more).out for more in ((), ("--all",)))
    assert f"passes 21 to {len(passes) - 20} are left out: --all shows them" in short
    assert "left out" not in whole
    for number in range(1, len(passes) + 1):
        kept = number <= 20 or number > len(passes) - 20
        assert bool(re.search(rf"^ *{number}  \(", short, re.MULTILINE)) == kept
        assert re.search(rf"^ *{number}  \(", whole, re.MULTILINE)


def test_mates_have_windows_in_centipawns(mtdf: Run) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    text = mtdf("trace", "--fen", fen, "--depth", "2", "--engine", "mtdf:below=0").out
    assert "(+31998, +31999)" in text and "value #1 (+31999)" in text


@pytest.mark.slow
def test_minimax_check_is_announced_and_interruptible(mtdf: Run) -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    words = ("trace", "--fen", fen, "--depth", "4", "--check")
    process = subprocess.Popen(
        [sys.executable, "-c", "import cli; cli.main()", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "plain minimax visits about 4 " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=600) == 130
    process.communicate()


def test_large_tree_shows_first_and_last_passes(mtdf: Run) -> None:
    words = (
        "trace",
        "--position",
        "lab-40",
        "--depth",
        "3",
        "--engine",
        "sss:eval=pst",
        "--top",
        "1",
    )
    tree = mtdf(*words, "--json").json["tree"]
    assert len(tree["rows"]) > 400
    short, whole = (mtdf(*words, *more).out for more in ((), ("--all",)))
    assert re.findall(r"^pass (\d+): ", whole, re.MULTILINE) == [
        str(number + 1) for number in range(tree["passes"])
    ]
    found = re.findall(r"^passes (\d+) to (\d+) are left out: --all", short, re.MULTILINE)
    first, last = map(int, found[-1])
    shown = list(map(int, re.findall(r"^pass (\d+): ", short, re.MULTILINE)))
    assert shown == [*range(1, first), *range(last + 1, tree["passes"] + 1)]
    assert 2 <= len(shown) and sum(row["pass_number"] in shown for row in tree["rows"]) <= 400


MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def test_first_guesses_are_printed_like_windows(mtdf: Run) -> None:
    engine = ("--engine", "mtdf:guess=parity,convergence=growth,below=0")
    text = mtdf("trace", "--fen", MATE_IN_ONE, "--depth", "3", *engine).out
    assert "first guess +31999 (value of depth 1)" in text
    assert re.search(r"^ +2 +\+31999 +#1 \(\+31999\) ", text, re.MULTILINE)
    for guess in ("32000", "-31999"):
        words = ("trace", "--position", "lab-50", "--depth", "1", "--first-guess", guess)
        text = mtdf(*words, *engine).out
        assert f"first guess {int(guess):+d} (given)" in text
        assert f"1  ({int(guess) - 1:+d}, {int(guess):+d}) " in text
    for guess in ("32001", "-32000"):
        result = mtdf("trace", "--position", "lab-50", "--depth", "1", "--first-guess", guess)
        said = f"error: --first-guess ({guess}) must be from -31999 to 32000"
        assert (result.code, result.errors) == (2, [said])


@each("engine", ["mtdf", "bns", "pvs"])
@each("position", [("--position", "lab-50"), ("--fen", MATE_IN_ONE)])
def test_narrow_terminal_hides_columns(
    mtdf: Run, monkeypatch: pytest.MonkeyPatch, engine: str, position: tuple[str, str]
) -> None:
    words = ("trace", *position, "--depth", "3", "--engine", engine)
    piped = mtdf(*words)
    assert piped.err == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    assert mtdf(*words).out == piped.out
    monkeypatch.setenv("COLUMNS", "40")
    result = mtdf(*words)
    tables = result.out.split("\n\n")[2:4]  # after the board and what is searched
    assert all(len(line) <= 40 for table in tables for line in table.splitlines())
    starts = [line.split() for table in tables for line in table.splitlines()]
    heads = [
        next(words for words in starts if words[0] == "depth" and "value" in words),
        next(words for words in starts if words[0] == "pass"),
    ]
    assert {*heads[0]} >= {"depth", "value", "passes", "nodes"}
    assert set(heads[1]) >= {"pass", "window", "returned", "nodes"}
    for head in heads:
        assert "hits" not in head and "re-exp." not in head
    assert all("hits" in line for line in result.errors)
    assert all(
        line.endswith("(a wider one, a pipe or --json shows everything)") for line in result.errors
    )
    assert 1 <= len(result.errors) <= 2
    every = mtdf(*words, "--all")
    assert len(every.errors) == len(set(every.errors)), "each set of columns is named once"


def test_tree_made_by_hand_is_printed_node_by_node(mtdf: Run) -> None:
    text = mtdf("trace", "--tree", "((3 12 8) (2 4 6) (14 5 2))", "--check").out
    assert "first guess 0 (always 0 on a tree made by hand)" in text
    assert "static value" not in text and "to move\n" not in text
    assert "plain minimax agrees: +3" in text
    assert re.search(r"^root MAX +\+3  \[\+3, \+3\] +2", text, re.MULTILINE)
    assert re.search(r"^  2 MIN +\+2  \[-inf, \+2\] +1 +1$", text, re.MULTILINE)
    assert re.search(r"^    3 +\+6 +never", text, re.MULTILINE)


def test_every_driver_searches_trees(mtdf: Run) -> None:
    for driver in DRIVERS:
        words = ("trace", "--tree", "A(B(C(5 3) D(4 C)) E(D (7 (1 9))) 2)", "--engine", driver)
        report = mtdf(*words, "--check", "--json").json
        assert report["check_passed"] and report["agrees"], driver
        assert (report["game"], report["depth"], report["backend"]) == ("tree", 4, "reference")
        assert report["best"] == "B" and report["recording"] is None, driver
    assert (
        "SSS*: it begins above all values" in mtdf("trace", "--tree", "aima", "--engine", "sss").out
    )


def test_two_engines_stand_beside_each_other(mtdf: Run) -> None:
    words = ("trace", "--tree", "plaat", "--engine", "sss", "--beside", "alphabeta")
    text = mtdf(*words).out
    assert re.search(r"^sss +\+35  2 +4 +41 +12 +6 +18 +23 +12$", text, re.MULTILINE)
    assert re.search(r"^alphabeta +\+35  2 +1 +25 +12 +0 +0 +13 +0$", text, re.MULTILINE)
    report = mtdf(*words, "--json", "--record").json
    for one, passes in ((report, 4), (report["beside"], 1)):
        assert len(one["recording"]["passes"]) == passes
        assert len(one["recording"]["tree"]) == 31
        assert sum(one["recording"]["visits"]["expanded"]) == one["iterations"][-1]["expanded"]
    words = ("trace", "--position", "lab-50", "--depth", "3", "--beside", "pvs")
    report = mtdf(*words, "--json").json
    assert report["beside"]["value"] == report["value"] and report["backend"] != "reference"
    result = mtdf(*words, "--engine", "mtdf:grain=10")
    assert result.code == 2 and "search different trees" in result.err


def test_second_engine_with_another_value_fails(mtdf: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.lab import trace

    second = trace._second

    def off(query: Any, truth: int) -> Any:
        return second(query, truth + 1)

    monkeypatch.setattr(trace, "_second", off)
    result = mtdf("trace", "--tree", "aima", "--beside", "pvs")
    assert result.code == 1 and "pvs says 3, best B; PVS says 3" in result.err


def test_options_that_a_tree_has_no_use_for_are_refused(mtdf: Run) -> None:
    for words, said in (
        (("--tree", "5"), "a tree is a list of values; `--top 5` prints plies"),
        (("--tree", "aima", "--fen", MATE_IN_ONE), "leave --fen out"),
        (("--tree", "aima", "--position", "start"), "leave --position out"),
        (("--tree", "aima", "--depth", "1"), "the tree has 2 plies"),
        (("--tree", "aima", "--game", "othello"), "no position of othello: leave it out"),
        (("--tree", "aima", "--beside", "pvs:threads=2"), "leave `threads` out"),
        (("--position", "start", "--top", "1", "--engine", "pvs:threads=2"), "one thread"),
        (("--tree", "aima", "--record"), "--record prints with --json only"),
        (("--tree", "(1 2"), "tree, character 1: `(` is not closed"),
        (("--depth", "3"), "give either --fen, --position or --tree"),
    ):
        result = mtdf("trace", *words)
        assert result.code == 2 and said in result.errors[-1], result.err
    assert mtdf("trace", "--tree", "aima", "--depth", "2").code == 0
