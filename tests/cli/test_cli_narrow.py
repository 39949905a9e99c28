"""Tables fit terminals of all widths, and a note names what is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from cases import each

from engines.choices import GUESSES
from toolkit.base.output import Output
from toolkit.base.table import Column, Layout, display_width, fitting, shortened
from toolkit.show.tables.study import print_tuned
from toolkit.tuning.study.report import StudyReport, TunedRow

Run = Callable[..., Any]
LONG = "mtdf:guess=previous,null_move=off,killers=off"


@pytest.fixture
def at_width(on: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a command as on a terminal of that width."""

    def run(width: int | None, *words: str) -> Any:
        monkeypatch.setattr("toolkit.base.output.terminal_width", lambda stream: width)
        return on(*words)

    return run


COMMANDS = [
    ("events",),
    ("crosstable",),
    ("crosstable", "--colors"),
    ("ratings",),
    ("ratings", "--los"),
    ("stats", "last"),
    ("h2h", "mtdf", "pvs"),
    ("history", "mtdf"),
    ("games",),
    ("game", "g1"),
    ("openings", "stats"),
    ("engines", "list"),
    ("engines", "parameters"),
    ("sprt", "plan", "--true-elo", "0"),
    ("query", "select * from v_games"),
    ("tune", "run", "--param", "guess", "--nodes", "300", "--dry-run"),
]


@each("words", COMMANDS)
def test_output_fits_every_terminal(
    words: tuple[str, ...], at_width: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is wider than the terminal; colour adds styles to what is printed, and no escape is
    spelled out; the C locale prints no question marks."""
    whole = at_width(None, *words)
    assert whole.code == 0
    assert "narrow" not in whole.err, "in a pipe nothing is left out"
    widest = max(map(display_width, whole.out.splitlines()))
    for width in (60, 90):
        result = at_width(width, *words)
        lines = result.out.splitlines()
        assert max(map(display_width, lines)) <= width
        assert set(result.out.split()) - {*whole.out.split()} <= {
            word for word in result.out.split() if ".." in word or word.startswith("~")
        }, "words stay whole, or are marked as shortened; estimates of time vary"
        if widest > width and words[0] in ("events", "query", "crosstable"):
            assert "because the terminal is narrow" in result.err
    piped, narrow = (at_width(width, "--color", "always", *words) for width in (None, 80))
    for colored in (piped, narrow):
        assert colored.code == 0
        assert "\\x1b" not in colored.out + colored.err
    assert "\x1b[" in piped.out
    if words[0] != "tune":  # its estimate of the time varies
        assert re.sub(r"\x1b\[[0-9]*m", "", piped.out) == whole.out
    _prints_no_question_marks(words, whole, at_width, monkeypatch)


def _prints_no_question_marks(
    words: tuple[str, ...], usual: Any, at_width: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    result = at_width(None, *words)
    assert result.code == usual.code
    assert result.out.isascii() and result.err.isascii()
    assert result.out.count("?") == usual.out.count("?")


def test_note_names_hidden_columns(at_width: Run) -> None:
    note = at_width(60, "events").errors[-1]
    assert note.startswith("left out because the terminal is narrow: ") and "engines" in note
    assert note.endswith("(a wider one, a pipe or --csv shows everything)")
    assert at_width(60, "events", "--quiet").errors == []


def test_note_names_columns_and_the_option(on: Run, at_width: Run) -> None:
    narrow = [at_width(20, "crosstable"), at_width(22, "ratings", "--los")]
    for result in narrow:
        (note,) = [line for line in result.errors if "column 3" in line]
        assert re.fullmatch(r"left out.*: (.+, )?column 2, column 3(;| \().*", note)
    assert "column" not in narrow[0].out, "the heading is the number"
    for width, words, part in (
        (30, ("h2h", "mtdf", "pvs"), "CPU ms/move, nodes/s"),
        (20, ("stats", "last"), "shortened because the terminal is narrow: end reason"),
    ):
        (note,) = [line for line in at_width(width, *words).errors if part in line]
        assert note.endswith("or --json shows everything)"), "CSV has another table"


def test_crosstable_hides_limits_before_results(
    two_limits: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    for width in range(20, 120, 5):
        monkeypatch.setattr("toolkit.base.output.terminal_width", lambda stream, width=width: width)
        shown = (
            two_limits("crosstable", "--all-events").out.split("\n\n")[1].splitlines()[0].split()
        )
        seen.add(tuple(shown))
        assert "W-L-D" in shown or "limit" not in shown
        assert "pairs" not in shown or shown[-1] == "pairs"
    assert (
        {"limit" in shown for shown in seen}
        == {"W-L-D" in shown for shown in seen}
        == {True, False}
    )


def _tuned() -> list[TunedRow]:
    return [
        TunedRow(
            parameter="guess", kind="choice", range="|".join(GUESSES), needs=None, base="zero",
            recommended="previous",
        ),
        TunedRow(
            parameter="null_move_reduction", kind="int", range="1..5", needs="null_move=on",
            base=2, recommended=3,
        ),
    ]  # fmt: skip


@each("width", range(60, 101, 10))
def test_recommended_values_stay_visible(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolkit.base.output.terminal_width", lambda stream: width)
    print_tuned(Output(), Mock(spec=StudyReport, tuned=_tuned(), is_base=False))
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["parameter", "base", "recommended"]
    assert lines[1].split() == ["guess", "zero", "previous"]
    assert max(map(len, lines)) <= width
    assert captured.err == (
        "left out because the terminal is narrow: searched (a wider one, a pipe or --json shows "
        "everything)\n"
    )


FOUR = [Column("a"), Column("bb", spare=1), Column("c", spare=2), Column("d", spare=2)]
FULL = ["aaaa", "b", "cccc", "d"]


@each(
    "width, places",
    [
        (17, [0, 1, 2, 3]),  # 4 + 2 + 2 + 2 + 4 + 2 + 1
        (16, [0, 1, 2]),
        (14, [0, 1, 2]),
        (13, [0, 1]),
        (8, [0, 1]),
        (7, [0]),
        (1, [0]),
    ],
)
def test_spare_columns_are_hidden_first(width: int, places: list[int]) -> None:
    assert fitting(FOUR, [FULL, ["", "", "", ""]], width) == places
    assert fitting(FOUR, [], 11) == [0, 1, 2, 3], "headings alone: 1 + 2 + 2 + 2 + 1 + 2 + 1"


def test_names_are_shortened_last_and_in_the_middle() -> None:
    columns = [Column("engine"), Column("Elo", "right"), Column("games", "right", 1)]
    rows = [[LONG, "+12.3", "100"], ["pvs", "0.0", "100"]]
    assert Layout.of(columns, rows, 53).lines(rows[0]) == [f"{LONG}  +12.3"]
    cut = Layout.of(columns, rows, 30)
    assert cut.lines(rows[0]) == ["mtdf:guess=..illers=off  +12.3"]
    assert cut.shortened == ["engine"]
    assert Layout.of(columns, rows, None).shortened == []


@each("width", range(0, 30))
def test_shortened_text_fits_and_keeps_both_ends(width: int) -> None:
    for text in (LONG, "日本語のエンジンの名前です", "ab"):
        cut = shortened(text, width)
        assert display_width(cut) <= width
        if cut == text:
            continue
        assert display_width(text) > width
        head, mark, tail = cut.partition("..")
        if width >= 2:
            assert mark and text.startswith(head) and text.endswith(tail)
            assert display_width(cut) >= width - 1, "a wide character may not fit"


def test_prose_breaks_between_words() -> None:
    columns = [Column("name"), Column("what it does", prose=True)]
    rows = [["weight", "share of the last value in the first guess of an iteration"]]
    lines = Layout.of(columns, rows, 44).lines(rows[0])
    assert [line[:6] for line in lines] == ["weight", "      "]
    assert " ".join(" ".join(line.split()) for line in lines) == f"weight {rows[0][1]}"
    assert max(map(len, lines)) <= 44


def test_text_wraps_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolkit.base.output.terminal_width", lambda stream: 40)
    output = Output()
    line = "  budget 1 600 of 1 600 pairs: search 1 200/1 200, measured gain 400/400"
    output.text(line)
    output.text("advice", lead="[ok]  disk  ")
    output.data(f"{line}\n")
    lines = capsys.readouterr().out.splitlines()
    assert [*lines[0].split(), *lines[1].split()] == line.split()
    assert lines[1].startswith("    ") and max(map(len, lines[:2])) <= 40
    assert lines[2:] == ["[ok]  disk  advice", line], "data is not broken"


def test_board_in_c_locale_has_letters(on: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    symbols = on("game", "g1", "--board", "0").out
    letters = on("game", "g1", "--board", "0", "--ascii").out
    assert not symbols.isascii() and letters.isascii()
    monkeypatch.setenv("LC_ALL", "C")
    assert on("game", "g1", "--board", "0").out == letters


def test_doctor_in_c_locale_has_no_question_marks(
    at_width: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prints_no_question_marks(("doctor",), at_width(None, "doctor"), at_width, monkeypatch)


@pytest.mark.slow
def test_ascii_stream_gets_ascii(played: Path) -> None:
    """A real process whose streams cannot encode our symbols: letters, no crash, no `?`."""
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "MTDF_DB": str(played)}
    for words in (("game", "g1", "--board", "0"), ("ratings",)):
        done = subprocess.run(
            [sys.executable, "-c", "import cli; cli.main()", *words],
            env=os.environ | narrow,
            capture_output=True,
            check=True,
        )
        assert (done.stdout + done.stderr).isascii() and b"?" not in done.stdout
