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
from typing import Any, Literal, TextIO

from engines.spec import MATE, MATE_BOUND
from toolkit.base.config import (
    ColorMode,
    is_colored,
    is_live_terminal,
    shown_encoding,
    terminal_width,
)
from toolkit.base.printable import encodable, printable
from toolkit.base.table import Column, Layout, display_width, wrapped

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
_NAMED = 8
"""Columns that a hint names."""
_WIDTHS_FROM = 2000
"""Rows of a long table that are laid out together; the first of them decide which columns are
shown."""
Style = Literal["bold", "dim", "red", "green", "yellow"]


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

    def json_object(self, fields: Mapping[str, Any]) -> None:
        """One JSON object on standard output, with ``program_backend`` as its last field."""
        sys.stdout.write(json.dumps(self._document(fields), indent=2, allow_nan=False) + "\n")

    def json_rows(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """A JSON array on standard output, one row per line, written as the rows arrive; each row
        gets ``program_backend``. Returns the number of rows. Nothing is written before the first
        row, so that an early error leaves standard output empty."""
        count = 0
        for count, row in enumerate(rows, start=1):
            sys.stdout.write("[\n" if count == 1 else ",\n")
            sys.stdout.write(json.dumps(self._document(row), allow_nan=False))
        sys.stdout.write("\n]\n" if count else "[]\n")
        return count

    def csv_rows(self, fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
        """CSV with a heading on standard output; absent values are empty, and a text that a
        spreadsheet would compute begins with ``'``. Returns the number of rows."""
        self.data(_csv_line(map(_no_formula, fields)))
        count = 0
        for row in rows:
            self.data(_csv_line(_csv_cell(name, row.get(name)) for name in fields))
            count += 1
        return count

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
        self.to_stderr(line, lead=self.styled("warning:", "yellow", sys.stderr) + " ")

    def error(self, line: str) -> None:
        """The reason why the command failed, on standard error."""
        self.to_stderr(line, lead=self.styled("error:", "red", sys.stderr) + " ")

    def to_stderr(self, line: str, *, lead: str = "") -> None:
        """A line on standard error, with ``lead`` as of :meth:`text`. A reader that went away does
        not end the work."""
        try:
            sys.stderr.write(f"{lead}{self.shown(line, sys.stderr)}\n")
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
        document = _jsonable_fields(fields)
        document.setdefault("program_backend", self.backend)  # a column of `query` may be called so
        return document


def jsonable(value: Any) -> Any:
    """``value`` for JSON: numbers that are none become null, tuples become arrays."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return _jsonable_fields(value)
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return value


_SYMMETRICAL = 0.05
"""Share of the half width by which an end of an interval may lie off for it to be called so."""


def format_number(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number for a table; ``--`` if there is none."""
    if value is None or not math.isfinite(value):
        return "--"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def format_interval(
    value: float, error: float, low: float | None, high: float | None, digits: int = 1
) -> str:
    """The 95 % interval of a value: ``± error``, half its width, if it is symmetrical to within 5 %
    of that, else both ends. An open end is printed as ``open``; if both are open, the error shows
    that nothing is known."""
    ends = ((low, value - error), (high, value + error))
    lopsided = any(end is None or abs(end - told) > _SYMMETRICAL * error for end, told in ends)
    if not lopsided or (low is None and high is None):
        return f"± {format_number(error, digits)}"
    return format_ends(low, high, digits)


def format_ends(low: float | None, high: float | None, digits: int = 1) -> str:
    """The ends of an interval; ``open`` where the results set none."""
    low_text, high_text = (
        "open" if end is None else format_number(end, digits, signed=True) for end in (low, high)
    )
    return f"[{low_text}, {high_text}]"


def format_pairs(pentanomial: Sequence[int]) -> str:
    """Pairs by points, or that there are none."""
    return f"Ptnml {list(pentanomial)}" if any(pentanomial) else "no pairs"


def format_los(share: float | None) -> str:
    """A likelihood of superiority, in percent; it is never certain, so no rounding makes it so."""
    if share is None:
        return "--"
    if not 0.00005 <= share <= 0.99995:
        return "<0.01 %" if share < 0.5 else ">99.99 %"
    return f"{100 * share:.2f} %"


def format_core(core: str) -> str:
    """``backend:signature`` with the first digits of the signature."""
    backend, _, signature = core.partition(":")
    return f"{backend}:{signature[:8]}"


def format_count(value: int) -> str:
    """A whole number with thin groups of three, such as ``41 288``."""
    return f"{value:,}".replace(",", " ")


def format_duration(seconds: float | None) -> str:
    """A duration with two figures: ``0.4s``, ``37s``, ``1m12s``, ``1h07m``, ``3d04h``; ``?`` if
    unknown. Tables, plain lines and live tables all use this format."""
    if seconds is None or not math.isfinite(seconds):
        return "?"
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f}s" if seconds >= 0.05 else "0s"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d{hour:02}h"
    if hours:
        return f"{hours}h{minute:02}m"
    return f"{minutes}m{second:02}s" if minutes else f"{second}s"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, which gets an ``s`` unless another ``plural`` is given:
    ``1 pairing``, ``0 jobs``, ``41 288 entries``."""
    return f"{format_count(number)} {noun if number == 1 else plural or noun + 's'}"


def gone_line(number: int, one: str, more: str, done: str) -> str:
    """What a resumed run says of results that are no longer in the database."""
    was, are = ("was", "is") if number == 1 else ("were", "are")
    them = "it is" if number == 1 else "they are"
    return f"{count_of(number, one, more)} that {was} stored {are} gone; {them} {done} again"


def format_value(value: int | None) -> str:
    """A search value in centipawns for a table; mates in moves."""
    if value is None:
        return "--"
    if abs(value) > MATE_BOUND:
        return f"#{'-' if value < 0 else ''}{(MATE - abs(value) + 1) // 2}"
    return format_centipawns(value)


def format_centipawns(value: int) -> str:
    """A search value in centipawns, including mates. It is used for ends of windows, which would
    look alike in moves and may be beyond the value of any mate."""
    return f"{value:+d}" if value else "0"


def format_value_and_mate(value: int) -> str:
    """A search value in centipawns; a mate in moves, and in centipawns as windows have it."""
    told = format_value(value)
    return f"{told} ({value:+d})" if told.startswith("#") else told


def format_setting(value: Any) -> str:
    """A parameter's value for a table; ``--`` if there is none."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "--" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _some_of(titles: Sequence[str]) -> str:
    """The first titles, and how many more."""
    more = len(titles) - _NAMED
    return ", ".join(titles[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _jsonable_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): jsonable(value) for name, value in fields.items()}


def _csv_cell(name: str, value: Any) -> Any:
    """A cell. Moves and numbers stand with blanks between them; other texts may hold blanks, so a
    list of them is JSON in every row."""
    value = jsonable(value)
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
