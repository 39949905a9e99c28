"""Tables of text: their columns, and how they make room on a narrow terminal."""

from __future__ import annotations

import itertools
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_GAP = "  "
_LEAST_PROSE, _LEAST_TEXT = 30, 8
"""How narrow a column of prose, or another one of text, may become on a narrow terminal."""
_CUT = ".."
"""Marks the omitted part of a text."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and the side to which its cells are pushed."""

    title: str
    align: Literal["left", "right"] = "left"
    spare: int = 0
    """Whether a terminal too narrow for the table does without it: that of the highest number goes
    first, of equal ones the last; 0 is always shown."""
    prose: bool = False
    """Whether a cell may take several lines on a narrow terminal, which break between words."""
    called: str = ""
    """What a note calls the column where it is left out; the heading, if empty."""


_Row = TypeVar("_Row", contravariant=True)


@dataclass(frozen=True, slots=True)
class Field(Generic[_Row]):
    """A column of a table of records: what it shows of each of them."""

    title: str
    cell: Callable[[_Row], str | None]
    """The text under the heading; None is shown as ``--``."""
    align: Literal["left", "right"] = "left"
    spare: int = 0
    prose: bool = False
    called: str = ""
    when: bool = True
    """Whether this table has the column at all."""

    @property
    def column(self) -> Column:
        """Its heading."""
        return Column(self.title, self.align, self.spare, self.prose, self.called)


def cells_of(
    fields: Sequence[Field[_Row]], rows: Iterable[_Row]
) -> tuple[list[Column], Iterator[list[str]]]:
    """The headings of the fields that a table has, and its cells, made as they are asked for."""
    shown = [field for field in fields if field.when]
    texts = ([field.cell(row) for field in shown] for row in rows)
    cells = (["--" if text is None else text for text in line] for line in texts)
    return [field.column for field in shown], cells


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns of a table are shown, and how wide."""

    columns: Sequence[Column]
    places: list[int]
    """Of the columns that are shown."""
    widths: list[int]
    """Of those."""
    shortened: list[str]
    """Titles of those whose longest cells are cut."""

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        width: int | None,
        places: list[int] | None = None,
    ) -> Layout:
        """The layout of these rows where they may be ``width`` wide; None: as wide as they are.
        ``places``: the columns that rows before them had."""
        if places is None:
            whole = list(range(len(columns)))
            places = whole if width is None else fitting(columns, rows, width)
        natural = _column_widths([[column.title for column in columns], *rows])
        wide = {place: natural[place] for place in places}
        for least, is_prose in ((_LEAST_PROSE, True), (_LEAST_TEXT, False)):
            excess = 0 if width is None else _total(wide.values()) - width
            soft = [
                place
                for place in places
                if columns[place].align == "left" and columns[place].prose == is_prose
            ]
            _shrink(wide, soft, least, excess)
        cut = [place for place in places if wide[place] < natural[place]]
        shortened = [columns[place].title for place in cut if not columns[place].prose]
        return cls(columns, places, list(wide.values()), shortened)

    @property
    def width(self) -> int:
        """How wide the table is."""
        return _total(self.widths)

    @property
    def left_out(self) -> list[str]:
        """Names of the columns that are not shown."""
        return [
            one.called or one.title
            for place, one in enumerate(self.columns)
            if place not in self.places
        ]

    def lines(self, row: Sequence[str]) -> list[str]:
        """The lines of a row: one, but where prose breaks."""
        cells = [
            wrapped(row[place], width, "")
            if self.columns[place].prose
            else [shortened(row[place], width)]
            for place, width in zip(self.places, self.widths, strict=True)
        ]
        return [self._line(line) for line in itertools.zip_longest(*cells, fillvalue="")]

    def _line(self, cells: Sequence[str]) -> str:
        parts = []
        for place, width, cell in zip(self.places, self.widths, cells, strict=True):
            blanks = " " * (width - display_width(cell))
            parts.append(blanks + cell if self.columns[place].align == "right" else cell + blanks)
        return _GAP.join(parts).rstrip()


def fitting(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Places of the columns that remain where the table may be ``width`` wide."""
    widths = [
        min(found, max(_LEAST_PROSE, display_width(column.title))) if column.prose else found
        for column, found in zip(
            columns, _column_widths([[one.title for one in columns], *rows]), strict=True
        )
    ]
    shown = list(range(len(columns)))
    spare = [place for place in shown if columns[place].spare]
    for place in sorted(spare, key=lambda place: (columns[place].spare, place), reverse=True):
        if _total(widths[one] for one in shown) <= width:
            break
        shown.remove(place)
    return shown


def shortened(text: str, width: int) -> str:
    """``text`` in this many terminal cells. Longer text keeps both ends, because names often differ
    in the last part."""
    if display_width(text) <= width:
        return text
    room = max(width - len(_CUT), 0)
    head, tail = "", ""
    while display_width(head + tail) < room:
        grown = (head + text[len(head)], tail)
        if len(head) > len(tail):
            grown = (head, text[-1 - len(tail)] + tail)
        if display_width("".join(grown)) > room:
            break
        head, tail = grown
    return (head + _CUT + tail)[: max(width, 0)]


def display_width(text: str) -> int:
    """How many terminal cells ``text`` takes, colour codes not counted."""
    plain = _ESCAPE.sub("", text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in plain
    )


def wrapped(line: str, width: int, indent: str | None = None) -> list[str]:
    """A line in parts that are at most so wide if its words are; the later ones are indented."""
    if display_width(line) <= width:
        return [line]
    if indent is None:
        indent = " " * (len(line) - len(line.lstrip()) + len(_GAP))
    return textwrap.wrap(
        line,
        max(width, _LEAST_TEXT),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _total(widths: Iterable[int]) -> int:
    """How wide columns of these widths are side by side."""
    found = list(widths)
    return sum(found) + len(_GAP) * max(len(found) - 1, 0)


def _shrink(widths: dict[int, int], soft: Sequence[int], least: int, excess: int) -> None:
    """Take ``excess`` cells from the soft columns, the widest first, each down to ``least``."""
    if excess <= 0 or not soft:
        return
    wanted = sum(widths[place] for place in soft) - excess
    cap = max(widths[place] for place in soft)
    while cap > least and sum(min(widths[place], cap) for place in soft) > wanted:
        cap -= 1
    for place in soft:
        widths[place] = min(widths[place], cap)


def _column_widths(cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(display_width, column)) for column in zip(*cells, strict=True)]
