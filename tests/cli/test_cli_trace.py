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
