"""Tables of pages: what the commands print, so that columns are defined once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

from toolkit.base.format import format_count
from toolkit.base.output import Output, Style
from toolkit.base.printable import printable
from toolkit.base.table import Column
from toolkit.show.pages.parts import Cell, TableBlock, Words

_Result = TypeVar("_Result")
_Further = ParamSpec("_Further")
MOST_ROWS = 500
"""Rows of a table of a page."""


class PageOutput(Output):
    """An output that keeps what is printed as blocks of a page; hints are left out."""

    def __init__(self, captions: Sequence[str]) -> None:
        """``captions`` of the tables in their order; the last one is that of all others."""
        super().__init__(quiet=True, color="never")
        self.blocks: list[TableBlock | Words] = []
        self._captions = list(captions)

    def text(self, line: str = "", *, style: Style | None = None, lead: str = "") -> None:
        """A line of its own."""
        if line or lead:
            self.blocks.append(Words(printable(lead + line), "note"))

    def cells(
        self, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, data: str = ""
    ) -> list[str]:
        """A table with all its columns."""
        cells = [[Cell(printable(text)) for text in row] for row in rows]
        caption = self._captions.pop(0) if len(self._captions) > 1 else self._captions[0]
        if len(cells) > MOST_ROWS:
            caption += f", the first {MOST_ROWS} of {format_count(len(cells))}"
        self.blocks.append(TableBlock(caption, tuple(columns), cells[:MOST_ROWS]))
        return [column.title for column in columns]


def printed(
    printer: Callable[Concatenate[Output, _Result, _Further], None],
    result: _Result,
    caption: str | Sequence[str],
    *others: _Further.args,
    **named: _Further.kwargs,
) -> list[TableBlock | Words]:
    """What a function of :mod:`toolkit.show.tables` prints of a result, with a caption for all its
    tables or for each; ``others`` and ``named`` are its further arguments."""
    output = PageOutput([caption] if isinstance(caption, str) else caption)
    printer(output, result, *others, **named)
    return output.blocks
