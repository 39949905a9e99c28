"""Results in a notebook: the output of the commands, as HTML, and traces as their pages.

IPython calls :func:`html_of` for a result by its type. The functions that print are loaded when a
result is shown.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from toolkit.base.output import Output, Style
from toolkit.base.printable import printable
from toolkit.base.table import Column

_Printer = Callable[[Output, Any], None]


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

    def cells(
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


def register(get_ipython: Callable[[], Any]) -> None:
    """Let the notebook in which this program runs, if it does, show results as tables."""
    shell = get_ipython()
    if shell is None:
        return
    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type(list, html_of)
    for module, names in SHOWN.items():
        for name in names:
            formatter.for_type_by_name(module, name, html_of)


SHOWN = {
    "toolkit.events.progress": ("EventOutcome", "EventPlan"),
    "toolkit.lab.trace": ("TraceReport",),
    "toolkit.ratings.rating_list": ("RatingReport",),
    "toolkit.reports.ablation": ("AblationOutcome",),
    "toolkit.reports.crosstables": ("Crosstable",),
    "toolkit.reports.event_statistics": ("EventStats",),
    "toolkit.reports.meetings": ("HeadToHeadRow",),
}
"""Types of results, by module; they are imported when there is something to show. Lists are told by
the types of their rows."""


def html_of(result: object) -> str | None:
    """A result in HTML, escaped; None if there is no table for it."""
    pages, printers, kind = _pages(), _printers(), type(result)
    if kind in pages:
        # A document of its own: its scripts reach nothing of the notebook.
        page = html.escape(pages[kind](result))
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="900" '
            'style="border: 0"></iframe>'
        )
    if isinstance(result, list):
        printers, kind = _row_printers(), type(result[0]) if result else list
    if kind not in printers:
        return None
    output = HtmlOutput()
    printers[kind](output, result)
    return output.html


@cache
def _pages() -> Mapping[type, Callable[[Any], str]]:
    """What makes a page of a result, by its type."""
    from toolkit.lab.trace import TraceReport
    from toolkit.show.pages.trace import trace_page

    return {TraceReport: trace_page}


@cache
def _printers() -> Mapping[type, _Printer]:
    """What prints a result, by its type."""
    from toolkit.events.progress import EventOutcome, EventPlan
    from toolkit.ratings.rating_list import RatingReport
    from toolkit.reports.ablation import AblationOutcome
    from toolkit.reports.crosstables import Crosstable
    from toolkit.reports.event_statistics import EventStats
    from toolkit.reports.meetings import HeadToHeadRow
    from toolkit.show.tables.ablation import print_ablation
    from toolkit.show.tables.crosstable import print_crosstable
    from toolkit.show.tables.event_plan import print_plan
    from toolkit.show.tables.h2h import print_h2h
    from toolkit.show.tables.outcome import print_outcome
    from toolkit.show.tables.ratings import print_ratings
    from toolkit.show.tables.stats import print_stats

    return {
        AblationOutcome: print_ablation,
        Crosstable: print_crosstable,
        EventOutcome: print_outcome,
        EventPlan: print_plan,
        EventStats: print_stats,
        HeadToHeadRow: print_h2h,
        RatingReport: print_ratings,
    }


@cache
def _row_printers() -> Mapping[type, _Printer]:
    """What prints a list of rows, by the type of a row."""
    from toolkit.ratings.history import HistoryLine
    from toolkit.reports.catalog import DriverRow, ParameterRow
    from toolkit.reports.events import EventRow
    from toolkit.reports.external import EngineRow
    from toolkit.reports.openings import OpeningStats
    from toolkit.show.tables.engines import print_drivers, print_engines, print_parameters
    from toolkit.show.tables.events import print_events
    from toolkit.show.tables.history import print_history
    from toolkit.show.tables.openings import print_opening_stats

    return {
        DriverRow: print_drivers,
        EngineRow: print_engines,
        EventRow: print_events,
        HistoryLine: print_history,
        OpeningStats: print_opening_stats,
        ParameterRow: print_parameters,
    }


def _cell(tag: str, column: Column, text: str) -> str:
    return f'<{tag} style="text-align: {column.align}">{_escaped(text)}</{tag}>'


def _escaped(text: str) -> str:
    return html.escape(printable(text))
