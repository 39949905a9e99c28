"""Output of commands: tables, JSON and CSV on standard output, the rest on standard error."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias, TypeVar

from toolkit.base.config import (
    ColorMode,
    is_colored,
    is_live_terminal,
    shown_encoding,
    terminal_width,
)
from toolkit.base.printable import encodable, printable
from toolkit.base.table import Column, Field, Layout, cells_of, display_width, wrapped

if TYPE_CHECKING:
    from msgspec import Struct

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
_NAMED = 8
"""Columns that a hint names."""
_WIDTHS_FROM = 2000
"""Rows of a long table that are laid out together; the first of them decide which columns are
shown."""
_LONGEST_REPORT = 1000
"""Characters of a warning or error; a path of usual length fits whole."""
Style = Literal["bold", "dim", "red", "green", "yellow"]
_Row = TypeVar("_Row")
AnyRow: TypeAlias = "Mapping[str, Any] | Struct"
"""What is printed as a JSON object or as a line of CSV."""


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
        self._narrow: list[list[list[str]]] = [[[], []]]
        """Columns of narrow tables that a hint has named: left out, and shortened."""

    def text(self, line: str = "", *, style: Style | None = None, lead: str = "") -> None:
        """A human-readable line on standard output, wrapped between words on a narrow terminal.
        Control characters are shown as escapes, except in ``lead``, a possibly styled prefix from
        the program."""
        shown, width = self.shown(line, sys.stdout), terminal_width(sys.stdout)
        before = display_width(lead)
        for part in [shown] if width is None else wrapped(shown, width - before):
            styled = part if style is None else self.styled(part, style)
            sys.stdout.write(f"{lead}{styled}\n")
            lead = " " * before

    def data(self, text: str) -> None:
        """Text for programs, such as PGN, written unchanged to standard output; only on a terminal
        are control characters escaped."""
        if terminal_width(sys.stdout) is not None:
            text = "\n".join(map(printable, text.split("\n")))
        sys.stdout.write(text)

    def shown(self, text: str, stream: TextIO) -> str:
        """``text`` as it looks on that stream: escapes for characters that control a terminal,
        ASCII for symbols that the encoding lacks."""
        return encodable(printable(text), shown_encoding(stream))

    def table(
        self, fields: Sequence[Field[_Row]], rows: Iterable[_Row], *, data: str = "--csv"
    ) -> list[str]:
        """A table of records, as :meth:`cells` prints one."""
        return self.cells(*cells_of(fields, rows), data=data)

    def cells(
        self, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, data: str = "--csv"
    ) -> list[str]:
        """A table on standard output, printed in blocks as its rows arrive; the first block decides
        which columns are shown. On a narrow terminal, spare columns are dropped, then prose is
        wrapped, then text is shortened; a hint says so once, and ``data`` is the option that shows
        everything. Elsewhere the table is complete. Returns the titles of the shown columns."""
        left = ([self.shown(cell, sys.stdout) for cell in row] for row in rows)
        heads = [replace(one, title=self.shown(one.title, sys.stdout)) for one in columns]
        width = terminal_width(sys.stdout)
        part = list(itertools.islice(left, _WIDTHS_FROM))
        layout = Layout.of(heads, part, width)
        for line in layout.lines([one.title for one in heads]):
            sys.stdout.write(self.styled(line, "bold") + "\n")
        while part:
            sys.stdout.writelines(line + "\n" for row in part for line in layout.lines(row))
            part = list(itertools.islice(left, _WIDTHS_FROM))
            layout = Layout.of(heads, part, width, layout.places) if part else layout
        self._hint_at_width(layout, data)
        return [columns[place].title for place in layout.places]

    def _hint_at_width(self, layout: Layout, data: str) -> None:
        """Report what a narrow terminal does not show, once for each such list."""
        if (found := [layout.left_out, layout.shortened]) in self._narrow:
            return
        self._narrow.append(found)
        said = [
            f"{what} because the terminal is narrow: {_some_of(titles)}"
            for what, titles in zip(("left out", "shortened"), found, strict=True)
            if titles
        ]
        if said:
            self.hint(f"{'; '.join(said)} (a wider one, a pipe or {data} shows everything)")

    def json_object(self, row: AnyRow) -> None:
        """One JSON object on standard output, with ``program_backend`` as its last field."""
        sys.stdout.write(json.dumps(self._document(row), indent=2, allow_nan=False) + "\n")

    def json_rows(self, rows: Iterable[AnyRow]) -> int:
        """A JSON array on standard output, one row per line, written as the rows arrive; each row
        gets ``program_backend``. Returns the number of rows. Nothing is written before the first
        row, so that an early error leaves standard output empty."""
        count = 0
        for count, row in enumerate(rows, start=1):
            sys.stdout.write("[\n" if count == 1 else ",\n")
            sys.stdout.write(self.json_text(row))
        sys.stdout.write("\n]\n" if count else "[]\n")
        return count

    def json_text(self, row: AnyRow) -> str:
        """A row as :meth:`json_rows` writes it: one line without its end."""
        return json.dumps(self._document(row), allow_nan=False)

    def csv_rows(self, fields: Sequence[str], rows: Iterable[AnyRow]) -> int:
        """CSV with a heading on standard output; absent values are empty, and a text that a
        spreadsheet would compute begins with ``'``. Returns the number of rows."""
        self.data(_csv_line(map(_no_formula, fields)))
        count = 0
        for row in rows:
            cells = _jsonable_fields(row)
            self.data(_csv_line(_csv_cell(name, cells.get(name)) for name in fields))
            count += 1
        return count

    def flush(self) -> None:
        """Show now what was written on standard output, as between the findings of a long test."""
        sys.stdout.flush()

    def hint(self, line: str) -> None:
        """A hint on standard error, suppressed by ``--quiet``."""
        if not self.quiet:
            self.to_stderr(line)

    def detail(self, line: str) -> None:
        """A detail on standard error, only with ``-v``."""
        if self.verbosity:
            self.to_stderr(line)

    def warning(self, line: str) -> None:
        """A warning on standard error, about something that may invalidate the result."""
        self._report(line, self.styled("warning:", "yellow", sys.stderr))

    def error(self, line: str) -> None:
        """The reason why the command failed, on standard error."""
        self._report(line, self.styled("error:", "red", sys.stderr))

    def _report(self, line: str, kind: str) -> None:
        """A warning or an error. One that quotes an endless name keeps its beginning and its end,
        which say what and what to do."""
        if len(line) > _LONGEST_REPORT:
            half = _LONGEST_REPORT // 2
            line = f"{line[:half]}…{line[-half:]}"
        self.to_stderr(line, lead=f"{kind} ")

    def to_stderr(self, line: str, *, lead: str = "") -> None:
        """A line on standard error, with ``lead`` as of :meth:`text`. A reader that went away does
        not end the work."""
        try:
            sys.stderr.write(f"{lead}{self.shown(line, sys.stderr)}\n")
            sys.stderr.flush()
        except BrokenPipeError:
            sys.stderr = _Nowhere()

    def is_confirmed(self, question: str) -> bool:
        """Whether the answer to a question on standard error is yes; its end is a no."""
        sys.stderr.write(f"{self.shown(question, sys.stderr)} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def styled(self, text: str, style: Style, stream: TextIO | None = None) -> str:
        """``text`` in a style where that stream (standard output by default) shows colours."""
        if not is_colored(stream or sys.stdout, self.color):
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"

    @property
    def is_live(self) -> bool:
        """Whether progress may redraw itself: standard error is a terminal that can."""
        return is_live_terminal(sys.stderr) and not self.quiet

    def _document(self, row: AnyRow) -> dict[str, Any]:
        document = _jsonable_fields(row)
        document.setdefault("program_backend", self.backend)  # a column of `query` may be called so
        return document


def jsonable(value: Any) -> Any:
    """``value`` for JSON: rows become objects, numbers that are none null, tuples arrays."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping) or hasattr(value, "__struct_fields__"):
        return _jsonable_fields(value)
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return value


def _some_of(titles: Sequence[str]) -> str:
    """The first titles, and how many more."""
    more = len(titles) - _NAMED
    return ", ".join(titles[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _jsonable_fields(row: AnyRow) -> dict[str, Any]:
    # What msgspec.structs.asdict does, for programs that have not imported msgspec.
    given = row if isinstance(row, Mapping) else {n: getattr(row, n) for n in row.__struct_fields__}
    return {str(name): jsonable(value) for name, value in given.items()}


def _csv_cell(name: str, value: Any) -> Any:
    """A cell. Moves and numbers stand with blanks between them; other texts may hold blanks, so a
    list of them is JSON in every row."""
    if isinstance(value, list) and (name == "moves" or all(isinstance(x, int) for x in value)):
        return " ".join(str(item) for item in value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return _no_formula(value)


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _no_formula(value: Any) -> Any:
    """A cell that no spreadsheet computes: a text that would begin a formula and is no number gets
    an apostrophe, which says that it is text (OWASP, CSV injection)."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
