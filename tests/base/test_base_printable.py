"""A terminal gets no control characters and no symbols that its encoding lacks."""

from __future__ import annotations

import ast
import io
import sys
import unicodedata
from pathlib import Path

import pytest

from toolkit.base.config import shown_encoding
from toolkit.base.output import Output
from toolkit.base.printable import _SYMBOLS, encodable, in_one_line, printable, text_in_one_line
from toolkit.base.table import Column


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mtdf:guess=previous ± 日本 e\u0301", "mtdf:guess=previous ± 日本 e\u0301"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("one\ntwo\r\tthree\x07", "one\\ntwo\\r\\tthree\\x07"),
        ("\x9b31m", "\\x9b31m"),  # the one-byte form of an escape sequence
        ("pvs\u202efdtm\u2066", "pvs\\u202efdtm\\u2066"),
        ("p\u200bv\ufeffs", "p\\u200bv\\ufeffs"),
        ("\udc80", "\\udc80"),
        ("\u2028x", "\\u2028x"),
        ("a\u00a0b\u3000c", "a\u00a0b\u3000c"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_printable_text_is_unchanged() -> None:
    """Over the characters of most scripts and marks, and some of each other plane of Unicode: what
    is left unchanged neither controls nor hides."""
    for code in (*range(0x3100), *range(0x3100, sys.maxunicode + 1, 0xFB)):
        char = chr(code)
        kept = printable(char) == char
        assert kept == (unicodedata.category(char)[0] != "C" and not 0x2028 <= code <= 0x2029)


def test_every_symbol_of_ours_has_ascii() -> None:
    """Every character beyond ASCII in a string of the program that may be printed; what imports
    know is only read."""
    root = Path(__file__).parents[2] / "toolkit"
    found = set()
    for file in root.rglob("*.py"):
        if file.name in ("printable.py", "picture.py", "document.py"):  # files of any text
            continue
        if "imports" in file.parts:
            continue
        text = file.read_text(encoding="utf-8")
        if text.isascii() and not any(mark in text for mark in ("\\N{", "\\u", "\\x")):
            continue
        tree = ast.parse(text)
        docs = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }  # docstrings are not printed
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs:
                found.update(char for char in node.value if not char.isascii())
    assert {"±", "·", "█", "●"} <= found
    assert found <= set(_SYMBOLS)
    assert all(ascii_text.isascii() and ascii_text for ascii_text in _SYMBOLS.values())


def test_bars_and_pieces_keep_their_width() -> None:
    bars = "▁▂▃▄▅▆▇█▉▊▋▌▍▎▏░─├┤●♔♟·"
    assert len(encodable(bars, "ascii")) == len(bars)
    assert encodable("♔♚♞·", "ascii") == "Kkn."
    assert encodable("±5 é 日", "latin-1") == "±5 é \\u65e5"
    assert encodable("±5 é 日", "ascii") == "+-5 \\xe9 \\u65e5"
    assert encodable("±5", "no-such-encoding") == "±5"


@pytest.mark.parametrize(
    ("variables", "encoding"),
    [
        ({}, "utf-8"),
        ({"LANG": "C.UTF-8"}, "utf-8"),
        ({"LANG": "C"}, "ascii"),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, "ascii"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "C"}, "utf-8"),
        ({"LANG": "C", "PYTHONUTF8": "1"}, "utf-8"),
        ({"LANG": "C", "PYTHONIOENCODING": "utf-8"}, "utf-8"),
    ],
)
def test_encoding_of_the_locale(
    variables: dict[str, str], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONUTF8", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shown_encoding(io.StringIO()) == encoding


def test_every_way_to_print_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "x\x1b]0;title\x07\r\u202e"
    output = Output(verbosity=1)
    output.text(evil)
    output.cells([Column(evil), Column("b", "right")], [[evil, "1"], ["y", evil]])
    for write in (output.hint, output.detail, output.warning, output.error, output.to_stderr):
        write(evil)
    captured = capsys.readouterr()
    for line in (captured.out + captured.err).splitlines():
        assert line.isprintable(), line
    assert (captured.out + captured.err).count("\\x1b]0;title\\x07\\r\\u202e") == 9


def test_data_is_exact_but_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = Output()
    output.data("a\x1b[1m\nb\n")
    output.csv_rows(["n"], [{"n": "a\x1b[1m\nb"}])
    output.json_object({"n": "a\x1b\u202e"})
    assert capsys.readouterr().out == (
        'a\x1b[1m\nb\nn\n"a\x1b[1m\nb"\n{\n  "n": "a\\u001b\\u202e",\n  "program_backend": ""\n}\n'
    )
    monkeypatch.setattr("toolkit.base.output.terminal_width", lambda stream: 80)
    output.data("a\x1b[1m\nb\n")
    output.csv_rows(["n"], [{"n": "a\x1b[1mb"}])
    assert capsys.readouterr().out == "a\\x1b[1m\nb\nn\na\\x1b[1mb\n"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("-200 to 200", "'-200 to 200"),
        ("-3.5", "-3.5"),
        ("+1e5", "+1e5"),
        (-3.5, "-3.5"),
        (-7, "-7"),
        ("a=1", "a=1"),
        ("", ""),
        ([-1, 2], "-1 2"),
    ],
)
def test_no_text_of_csv_is_a_formula(
    value: object, cell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Output().csv_rows(["x"], [{"x": value}])
    assert capsys.readouterr().out.splitlines()[1:] == ([cell] if cell else ['""'])


def test_no_heading_of_csv_is_a_formula(capsys: pytest.CaptureFixture[str]) -> None:
    Output().csv_rows(["=1+1"], [{"=1+1": 2}])
    assert capsys.readouterr().out == "'=1+1\n2\n"


def test_errors_of_others_are_one_line() -> None:
    """Whatever their text is, and where it is code that fails."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise SystemExit(3)

    assert in_one_line(ValueError("two\n  lines")) == "ValueError: two lines"
    assert in_one_line(ValueError()) == "ValueError"
    assert in_one_line(Mute()) == "Mute" and text_in_one_line(Mute()) == ""
    assert len(in_one_line(ValueError("x" * 10_000))) == 500
