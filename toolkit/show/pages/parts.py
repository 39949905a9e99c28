"""What a page is made of: sections, and the few kinds of block in them.

Content is data and words; the templates make HTML of it, and escape everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolkit.base.table import Column
from toolkit.show.charts.picture import Picture


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str
    role: Literal["", "verdict", "note"] = ""
    """``verdict``: the answer that the page is read for; ``note``: small print of a table."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """Lines of one width a letter, such as a board."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, such as settings."""

    rows: Sequence[tuple[str, str]]
    summary: str = ""
    """The line that unfolds them; empty: they are open."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. It may lead to the games of two engines (``meeting``), to a game, by its
    id, or to an event, a study or a laboratory run, by its key such as ``event-r3f9``. A ``bar``
    shows a value between two others: value, least, greatest."""

    text: str
    meeting: tuple[str, str] | None = None
    game: str = ""
    subject: str = ""
    bar: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table; the first cell of a row that is aligned to the left is its heading."""

    caption: str
    """It is seen unless it is the title of its section."""
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    filters: Sequence[int] = ()
    """Places of the columns by whose texts the rows can be filtered; of a table with filters the
    texts of rows may have several lines."""

    @property
    def heading(self) -> int:
        """The place of the column that names the rows."""
        lefts = (at for at, column in enumerate(self.columns) if column.align == "left")
        return next(lefts, 0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart."""

    picture: Picture
    beside: bool = False
    """Whether its panels stand beside each other even if a file has them below each other."""


@dataclass(frozen=True, slots=True)
class GameList:
    """The games of an event, in pages, with filters."""

    event: str
    """Its key."""
    engines: Sequence[tuple[str, str]]
    """Labels, and what to call them."""
    results: Sequence[str]
    end_reasons: Sequence[str]
    games: int
    """How many there are."""
    rows: Sequence[Mapping[str, Any]] | None
    """The rows of ``games`` in a file; None: the server has them."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Where a game is looked at: the board, the moves, and the graph of its searches."""

    games: Mapping[str, Mapping[str, Any]]
    """By id; see :mod:`toolkit.show.pages.game`."""


@dataclass(frozen=True, slots=True)
class Player:
    """Where a recorded search is played, or two side by side."""

    data: Mapping[str, Any]
    """See :mod:`toolkit.show.pages.player`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer, which unfolds, and a step of a player that shows it."""

    text: str
    answer: str
    step: str
    """As in ``player-1-17``."""


Block: TypeAlias = (
    Words | Diagram | Facts | TableBlock | Drawing | GameList | Viewer | Player | Question
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading."""

    key: str
    """Its place in the page, as in ``#event-r3f9-ratings``."""
    title: str
    """Empty for the first one, whose heading is the title of the page."""
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Subject:
    """An event, a study, a laboratory run or a game: what a page or a chapter of a report shows."""

    key: str
    """As in ``event-r3f9``."""
    title: str
    """What was played, tuned or searched, in words."""
    about: str
    """What else names it, such as ``gauntlet r3f9, done``; may be empty."""
    sections: Sequence[Section]
    rows: Mapping[str, Any] = field(default_factory=dict)
    """What ``--json`` prints of it, by the name of the command."""
    is_live: bool = False
    """Whether it may still change and a served page follows it."""
