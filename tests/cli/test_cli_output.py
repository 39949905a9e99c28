"""Tables, JSON, CSV and color are printed correctly."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator

import pytest
from cases import each

from engines.spec import MATE
from toolkit.base.config import ColorMode, database_location, is_colored, is_live_terminal
from toolkit.base.format import format_count, format_number, format_setting, format_value
from toolkit.base.output import Output, jsonable
from toolkit.base.table import Column, display_width


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [Column("engine"), Column("Elo", "right")]
    Output().cells(columns, [("mtdf", "+14.3"), ("pvs", "0.0"), ("日本", "1")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["engine    Elo", "mtdf    +14.3", "pvs       0.0", "日本        1"]


def test_table_without_rows_is_its_heading(capsys: pytest.CaptureFixture[str]) -> None:
    Output().cells([Column("a"), Column("bc")], [])
    assert capsys.readouterr().out == "a  bc\n"


def test_width_of_text_on_a_terminal() -> None:
    assert display_width("abc") == 3
    assert display_width("\x1b[1mabc\x1b[0m") == 3
    assert display_width("日本") == 4
    assert display_width("e\N{COMBINING ACUTE ACCENT}") == 1


@each(
    "value, text",
    [(34, "+34"), (-7, "-7"), (0, "0"), (None, "--"), (MATE - 1, "#1"), (MATE - 4, "#2")]
    + [(MATE - 5, "#3"), (-MATE, "#-0"), (-MATE + 2, "#-1"), (-MATE + 4, "#-2")],
)
def test_values(value: int | None, text: str) -> None:
    assert format_value(value) == text


def test_numbers() -> None:
    assert format_number(None) == "--"
    assert format_number(math.nan) == "--"
    assert format_number(math.inf) == "--"
    assert format_number(-0.04) == "0.0"
    assert format_number(0.04, signed=True) == "0.0"
    assert format_number(3.14159, 2, signed=True) == "+3.14"
    assert format_count(1234567) == "1 234 567"
    assert [format_setting(value) for value in (True, False, None, 0.5, 3, "zero")] == [
        "on",
        "off",
        "--",
        "0.5",
        "3",
        "zero",
    ]


def test_json_replaces_nan_and_infinity() -> None:
    row = {"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}, "e": (1, None)}
    assert jsonable(row) == {"a": None, "b": [None, 1.5], "c": {"d": None}, "e": [1, None]}


def test_json_object_ends_with_the_backend(capsys: pytest.CaptureFixture[str]) -> None:
    Output(backend="native").json_object({"elo": math.nan})
    assert json.loads(capsys.readouterr().out) == {"elo": None, "program_backend": "native"}


@each("number", [0, 1, 3])
def test_json_rows(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert Output(backend="native").json_rows({"id": i} for i in range(number)) == number
    out = capsys.readouterr().out
    assert json.loads(out) == [{"id": i, "program_backend": "native"} for i in range(number)]
    assert out.count("\n") == (number + 2 if number else 1), "one row a line"


def test_json_rows_are_streamed(capsys: pytest.CaptureFixture[str]) -> None:
    """Many games are not collected first, and an error before the first prints nothing."""
    seen = []

    def rows() -> Iterator[dict[str, int]]:
        for number in range(3):
            seen.append(capsys.readouterr().out)
            yield {"id": number}

    Output().json_rows(rows())
    assert seen[0] == "" and seen[1].startswith("[\n") and '"id": 1' in seen[2]


def test_csv(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"a": 1, "moves": ["e2e4", "e7e5"], "c": None},
        {"a": 'x, "y"', "moves": [], "c": math.nan},
        {"a": ["b"], "moves": [1, 2], "c": 3},
    ]
    assert Output().csv_rows(["a", "moves", "c"], rows) == 3
    out = capsys.readouterr().out
    assert out == 'a,moves,c\n1,e2e4 e7e5,\n"x, ""y""",,\n"[""b""]",1 2,3\n'


def test_quiet_hides_hints_only(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(quiet=True)
    output.hint("hint")
    output.detail("detail")
    output.warning("beware")
    output.error("bad")
    assert capsys.readouterr().err == "warning: beware\nerror: bad\n"


def test_details_with_v(capsys: pytest.CaptureFixture[str]) -> None:
    Output(verbosity=1).detail("detail")
    assert capsys.readouterr().err == "detail\n"


def test_closed_standard_error_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Broken())
    output = Output()
    output.hint("nobody reads this")
    output.hint("nor this")


@each(
    "terminal, mode, variables, colored",
    [
        (True, "auto", {"TERM": "xterm"}, True),
        (False, "auto", {"TERM": "xterm"}, False),
        (True, "auto", {"TERM": "dumb"}, False),
        (True, "auto", {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, "auto", {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, "never", {"TERM": "xterm"}, False),
        (False, "always", {"TERM": "dumb", "NO_COLOR": "1"}, True),
    ],
)
def test_color(
    terminal: bool,
    mode: ColorMode,
    variables: dict[str, str],
    colored: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if terminal else io.StringIO()
    assert is_colored(stream, mode) is colored
    styled = Output(color=mode).styled("x", "red", stream)
    assert styled == ("\x1b[31mx\x1b[0m" if colored else "x")


def test_live_output_needs_a_capable_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert is_live_terminal(Terminal())
    assert not is_live_terminal(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not is_live_terminal(Terminal())
    closed = Terminal()
    closed.close()
    assert not is_live_terminal(io.StringIO())


def test_database_location(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MTDF_DB", raising=False)
    assert database_location() == "mtdf.db"
    monkeypatch.setenv("MTDF_DB", "other.db")
    assert database_location() == "other.db"
    assert database_location("given.db") == "given.db"
    assert database_location("") == "", "the empty name is no file, and refused when it is opened"
    monkeypatch.setenv("MTDF_DB", "")
    assert database_location() == "mtdf.db"
