"""What commands print: tables, JSON and CSV on standard output, all else on standard error."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from engines.spec import MATE, MATE_BOUND
from toolkit.config import ColorMode, is_colored, is_live_terminal, terminal_width

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_GAP = "  "
_WIDTHS_FROM = 2000
"""Rows of a long table that decide how wide the columns are; the rest is printed as it comes."""
Style = Literal["bold", "dim", "red", "green", "yellow"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and the side to which its cells are pushed."""

    title: str
    align: Literal["left", "right"] = "left"
    spare: int = 0
    """Whether a terminal too narrow for the table does without it: that of the highest number goes
    first, of equal ones the last; 0 is always shown."""


class _Nowhere(io.StringIO):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


class Output:
    """The two streams of a command and how to write on them.

    The streams are looked up when something is written, so that redirecting them works.
    """

    def __init__(
        self,
        *,
        as_json: bool = False,
        quiet: bool = False,
        verbosity: int = 0,
        color: ColorMode = "auto",
        backend: str = "",
    ) -> None:
        self.as_json = as_json
        """Standard output carries one JSON object or array and nothing else."""
        self.quiet = quiet
        """No progress, no hints; warnings and errors remain."""
        self.verbosity = verbosity
        self.color = color
        self.backend = backend
        """Which backend runs this program, a field of every JSON object."""
        self._left_out: list[list[str]] = []
        """Columns of narrow tables that a hint has named."""

    def text(self, line: str = "") -> None:
        """A line of data on standard output."""
        sys.stdout.write(line + "\n")

    def table(
        self, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, data: str = "--csv"
    ) -> list[str]:
        """A table on standard output; a cell is text, and no cell is cut. Where standard output is
        a terminal, columns that are spare make room, and a hint names them once; ``data`` is the
        option that gives all. Returns the titles of the others."""
        cells = [list(row) for row in rows]
        width = terminal_width(sys.stdout)
        shown = list(range(len(columns))) if width is None else fitting(columns, cells, width)
        self._print_table(
            [columns[place] for place in shown], [[row[place] for place in shown] for row in cells]
        )
        left = [column.title for place, column in enumerate(columns) if place not in shown]
        if left and left not in self._left_out:
            self._left_out.append(left)
            self.hint(
                f"left out, as the terminal is narrow: {', '.join(left)} (a wider one, a pipe or "
                f"{data} has all)"
            )
        return [columns[place].title for place in shown]

    def _print_table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        for number, line in enumerate(format_table(columns, rows)):
            self.text(self.styled(line, "bold") if number == 0 else line)

    def long_table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """A table of any length, printed as its rows come; the first of them decide how wide the
        columns are."""
        left = iter(rows)
        self._print_table(columns, itertools.islice(left, _WIDTHS_FROM))
        while part := list(itertools.islice(left, _WIDTHS_FROM)):
            for line in format_table(columns, part)[1:]:
                self.text(line)

    def json_object(self, fields: Mapping[str, Any]) -> None:
        """One JSON object on standard output, with ``program_backend`` as its last field."""
        self.text(json.dumps(self._document(fields), indent=2, allow_nan=False))

    def json_rows(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """A JSON array on standard output, one row a line, written as the rows come; each row
        gets ``program_backend``. Returns their number. Nothing is written before the first row
        is there, so that an early error leaves standard output empty."""
        count = 0
        for count, row in enumerate(rows, start=1):
            sys.stdout.write("[\n" if count == 1 else ",\n")
            sys.stdout.write(json.dumps(self._document(row), allow_nan=False))
        sys.stdout.write("\n]\n" if count else "[]\n")
        return count

    def csv_rows(self, fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
        """CSV with a heading on standard output; absent values are empty. Returns the number of
        rows."""
        writer = csv.DictWriter(sys.stdout, fields, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        count = 0
        for row in rows:
            writer.writerow({name: _csv_cell(name, row.get(name)) for name in fields})
            count += 1
        return count

    def hint(self, line: str) -> None:
        """Something useful to know, on standard error; left out by ``--quiet``."""
        if not self.quiet:
            self.to_stderr(line)

    def detail(self, line: str) -> None:
        """Something for the curious, on standard error; only with ``-v``."""
        if self.verbosity:
            self.to_stderr(line)

    def warning(self, line: str) -> None:
        """Something that may spoil the result, on standard error."""
        self.to_stderr(f"{self.styled('warning:', 'yellow', sys.stderr)} {line}")

    def error(self, line: str) -> None:
        """Why the command failed, on standard error."""
        self.to_stderr(f"{self.styled('error:', 'red', sys.stderr)} {line}")

    def to_stderr(self, line: str) -> None:
        """A line on standard error. A reader that went away does not end the work."""
        try:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
        except BrokenPipeError:
            sys.stderr = _Nowhere()

    def styled(self, text: str, style: Style, stream: TextIO | None = None) -> str:
        """``text`` in a style where that stream (standard output by default) shows colours."""
        if not is_colored(stream or sys.stdout, self.color):
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"

    @property
    def is_live(self) -> bool:
        """Whether progress may redraw itself: standard error is a terminal that can."""
        return is_live_terminal(sys.stderr) and not self.quiet

    def _document(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**_jsonable_fields(fields), "program_backend": self.backend}


def format_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, heading first, columns two blanks apart."""
    cells = [[column.title for column in columns], *(list(row) for row in rows)]
    widths = _column_widths(cells)
    return [_table_line(columns, widths, row) for row in cells]


def fitting(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Places of the columns that remain where the table may be ``width`` wide."""
    widths = _column_widths([[column.title for column in columns], *rows])
    shown = list(range(len(columns)))
    spare = [place for place in shown if columns[place].spare]
    for place in sorted(spare, key=lambda place: (columns[place].spare, place), reverse=True):
        if sum(widths[one] + len(_GAP) for one in shown) - len(_GAP) <= width:
            break
        shown.remove(place)
    return shown


def display_width(text: str) -> int:
    """How many terminal cells ``text`` takes, colour codes not counted."""
    plain = _ESCAPE.sub("", text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in plain
    )


def jsonable(value: Any) -> Any:
    """``value`` for JSON: numbers that are none become null, tuples become arrays."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return _jsonable_fields(value)
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return value


def format_number(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number for a table; ``--`` when there is none."""
    if value is None or not math.isfinite(value):
        return "--"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def format_los(share: float | None) -> str:
    """A likelihood of superiority, in percent; it is never certain, so no rounding makes it so."""
    if share is None:
        return "--"
    if not 0.00005 <= share <= 0.99995:
        return "<0.01 %" if share < 0.5 else ">99.99 %"
    return f"{100 * share:.2f} %"


def format_count(value: int) -> str:
    """A whole number with thin groups of three, such as ``41 288``."""
    return f"{value:,}".replace(",", " ")


def count_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, which gets an ``s`` unless another ``plural`` is given:
    ``1 pairing``, ``0 jobs``, ``41 288 entries``."""
    return f"{format_count(number)} {noun if number == 1 else plural or noun + 's'}"


def format_value(value: int | None) -> str:
    """A search value in centipawns for a table; mates in moves."""
    if value is None:
        return "--"
    if abs(value) > MATE_BOUND:
        return f"#{'-' if value < 0 else ''}{(MATE - abs(value) + 1) // 2}"
    return format_centipawns(value)


def format_centipawns(value: int) -> str:
    """A search value in centipawns, mates too: as ends of windows are told, which in moves would
    look alike, and may be more than any mate is worth."""
    return f"{value:+d}" if value else "0"


def format_value_and_mate(value: int) -> str:
    """A search value in centipawns; a mate in moves, and in centipawns as windows have it."""
    told = format_value(value)
    return f"{told} ({value:+d})" if told.startswith("#") else told


def format_setting(value: Any) -> str:
    """A parameter's value for a table; ``--`` where there is none."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "--" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _jsonable_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): jsonable(value) for name, value in fields.items()}


def _csv_cell(name: str, value: Any) -> Any:
    """A cell. Moves and numbers stand with blanks between them; other texts may hold blanks, so a
    list of them is JSON in every row."""
    value = jsonable(value)
    if isinstance(value, list) and (name == "moves" or all(isinstance(x, int) for x in value)):
        return " ".join(str(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _table_line(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> str:
    parts = []
    for column, width, cell in zip(columns, widths, row, strict=True):
        blanks = " " * (width - display_width(cell))
        parts.append(blanks + cell if column.align == "right" else cell + blanks)
    return _GAP.join(parts).rstrip()


def _column_widths(cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(display_width, column)) for column in zip(*cells, strict=True)]
