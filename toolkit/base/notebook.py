"""Results in a notebook: the output of the commands, as HTML.

Results of the library have ``_repr_html_``, which IPython calls. It prints them with the functions
of the commands, so the columns are the same. These functions are loaded when a result is shown, so
neither play nor statistics depend on the command line.
"""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast

from toolkit.base.output import Output, Style
from toolkit.base.printable import printable
from toolkit.base.table import Column

PRINTERS = {
    "ablation": ("ablation", "print_ablation"),
    "crosstable": ("crosstable", "print_crosstable"),
    "drivers": ("engines", "print_drivers"),
    "engines": ("engines", "print_engines"),
    "events": ("events", "print_events"),
    "h2h": ("h2h", "print_h2h"),
    "history": ("history", "print_history"),
    "openings": ("openings", "print_opening_stats"),
    "outcome": ("outcome", "print_outcome"),
    "parameters": ("engines", "print_parameters"),
    "plan": ("event_plan", "print_plan"),
    "ratings": ("ratings", "print_ratings"),
    "stats": ("stats", "print_stats"),
}
"""The function of :mod:`toolkit.show.tables` that prints each kind of result on an ``Output``."""
_Row = TypeVar("_Row")


class HtmlOutput(Output):
    """An output that makes HTML of tables and lines instead of printing them; hints are left
    out."""

    def __init__(self) -> None:
        super().__init__(quiet=True, color="never")
        self._parts: list[str] = []
        self._lines: list[str] = []

    def text(self, line: str = "", *, style: Style | None = None, lead: str = "") -> None:
        """A line; those that follow each other are one paragraph."""
        if line or lead:
            self._lines.append(_escaped(lead + line))
        else:
            self._end_paragraph()

    def table(
        self, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, data: str = ""
    ) -> list[str]:
        """A table with all its columns."""
        self._end_paragraph()
        head = "".join(_cell("th", column, column.title) for column in columns)
        body = "".join(
            f"<tr>{''.join(_cell('td', *both) for both in zip(columns, row, strict=True))}</tr>"
            for row in rows
        )
        self._parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return [column.title for column in columns]

    @property
    def html(self) -> str:
        """All that was printed."""
        self._end_paragraph()
        return "\n".join(self._parts)

    def _end_paragraph(self) -> None:
        if self._lines:
            self._parts.append(f'<p style="white-space: pre-wrap">{"<br>".join(self._lines)}</p>')
            self._lines = []


def html_of(kind: str, result: object) -> str:
    """A result of one of the kinds in HTML, escaped."""
    module, name = PRINTERS[kind]
    output = HtmlOutput()
    getattr(importlib.import_module(f"toolkit.show.tables.{module}"), name)(output, result)
    return output.html


class _ShownDict(dict[str, Any]):
    """A row that a notebook shows as tables; otherwise a plain dictionary."""

    def __init__(self, kind: str, row: dict[str, Any]) -> None:
        super().__init__(row)
        self._kind = kind

    def _repr_html_(self) -> str:
        return html_of(self._kind, self)


class _ShownList(list[_Row]):
    """Rows that a notebook shows as a table; otherwise a plain list."""

    def __init__(self, kind: str, rows: Iterable[_Row]) -> None:
        super().__init__(rows)
        self._kind = kind

    def _repr_html_(self) -> str:
        return html_of(self._kind, self)


def shown_row(kind: str, row: _Row) -> _Row:
    """The same dictionary, which a notebook shows as tables."""
    return cast(_Row, _ShownDict(kind, cast("dict[str, Any]", row)))


def shown_rows(kind: str, rows: Iterable[_Row]) -> list[_Row]:
    """The same rows as a list, which a notebook shows as a table."""
    return _ShownList(kind, rows)


def _cell(tag: str, column: Column, text: str) -> str:
    return f'<{tag} style="text-align: {column.align}">{_escaped(text)}</{tag}>'


def _escaped(text: str) -> str:
    return html.escape(printable(text))
