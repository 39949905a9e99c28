"""Progress that redraws itself on standard error, fitted to the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from msgspec.structs import replace

from toolkit.base.output import Output
from toolkit.base.table import Column, Layout, display_width, shortened

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.live import Live
    from rich.text import Text

Part = tuple[str, int]
"""A part of a line, and how readily a narrow terminal does without it; 0: never."""
_SCALE = 16
_BLOCKS = " ▏▎▍▌▋▊▉"


class Line(Struct, frozen=True):
    """A line that is there in several lengths."""

    lengths: Sequence[str]
    """The longest first; the first that fits is shown."""
    spare: int = 0
    """Whether a low terminal does without it: that of the highest number goes first; 0 is always
    shown."""

    def fitted(self, width: int) -> str:
        """The line on a terminal of that width."""
        for text in self.lengths:
            if display_width(text) <= width:
                return text
        return shortened(self.lengths[-1], width)


class Rows(Struct, frozen=True):
    """A table without a heading; rows that do not fit are replaced by ``... and 7 more``."""

    versions: Sequence[tuple[Sequence[Column], Sequence[Sequence[str]]]]
    """Columns and cells, the widest first. The first that fits with its texts whole is shown, else
    the narrowest but one with some of them shortened, else the narrowest."""

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.versions[0][1])

    def fitted(self, width: int, height: int) -> list[str]:
        """Its lines on a terminal of that width, at most this many."""
        # There may be thousands, and a frame is drawn several times a second.
        fits = self.rows <= height
        shown = self.rows if fits else max(height - 1, 0)
        versions = [(columns, cells[:shown]) for columns, cells in self.versions]
        layouts = [Layout.of(columns, cells, width - 1) for columns, cells in versions]
        fitting = [at for at, layout in enumerate(layouts[:-1]) if layout.width < width]
        whole = [at for at in fitting if not layouts[at].shortened]
        at = [*whole[:1], *fitting[-1:], len(layouts) - 1][0]
        rows = (line for row in versions[at][1] for line in layouts[at].lines(row))
        lines = [shortened(f" {line}", width) for line in rows]
        if not fits:
            lines.append(f" ... and {self.rows - shown} more")
        return lines[: max(height, 0)]


Frame = Sequence[Line | Rows]


def dropping(parts: Sequence[Part], gap: str) -> list[str]:
    """A line of parts in all its lengths: whole, then without those of the highest number, ..."""
    levels = sorted({spare for _, spare in parts} | {0}, reverse=True)
    return [gap.join(text for text, spare in parts if spare <= level) for level in levels]


def frame_lines(frame: Frame, width: int, height: int) -> list[str]:
    """A frame on a terminal of that size. Rows make room first, then spare lines."""
    lines = [one for one in frame if isinstance(one, Line)]
    spare = sorted((one for one in lines if one.spare), key=lambda one: one.spare)
    while len(lines) > height and spare:
        lines.remove(spare.pop())
    tables = [one for one in frame if isinstance(one, Rows)]
    heights = iter(_shared([table.rows for table in tables], height - len(lines)))
    return [
        text
        for one in frame
        for text in (
            one.fitted(width, next(heights))
            if isinstance(one, Rows)
            else [one.fitted(width)]
            if one in lines
            else []
        )
    ]


def _shared(wanted: Sequence[int], height: int) -> list[int]:
    """How many lines each table gets: all it wants, if the others leave it that much of an equal
    share, else an equal part of the rest."""
    given = [0] * len(wanted)
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    for place, at in enumerate(order):
        given[at] = min(wanted[at], max(height, 0) // (len(wanted) - place))
        height -= given[at]
    return given


def format_bar(share: float) -> str:
    """A bar of blocks, ``share`` (0 to 1) of it full."""
    eighths = round(min(max(share, 0.0), 1.0) * _SCALE * 8)
    full, rest = divmod(eighths, 8)
    drawn = "█" * full + (_BLOCKS[rest] if rest else "")
    return drawn.ljust(_SCALE, "░")


class Screen:
    """The part of a terminal that redraws itself; a context manager. Where standard error is no
    such terminal, :attr:`is_live` is false and nothing may be drawn."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._output.is_live:
            from rich.console import Console
            from rich.live import Live

            # The lines are coloured here or not at all; the console only redraws them.
            console = Console(stderr=True, color_system=None, highlight=False, emoji=False)
            self._live = Live(console=console, refresh_per_second=4, vertical_overflow="crop")
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    @property
    def is_live(self) -> bool:
        """Whether frames are shown."""
        return self._live is not None

    def draw(self, frame: Frame) -> None:
        """Show this frame instead of the last one."""
        if self._live is not None:
            self._live.update(_Drawn(shown_frame(self._output, frame)))


def shown_frame(output: Output, frame: Frame) -> Frame:
    """A frame as standard error shows it."""

    def shown(text: str) -> str:
        return output.shown(text, sys.stderr)

    return [_changed(one, shown) for one in frame]


def _changed(one: Line | Rows, change: Callable[[str], str]) -> Line | Rows:
    if isinstance(one, Line):
        return replace(one, lengths=[change(text) for text in one.lengths])
    return Rows(
        [
            (columns, [[change(cell) for cell in row] for row in cells])
            for columns, cells in one.versions
        ]
    )


class _Drawn:
    """A frame for rich, which asks again whenever the size of the terminal changed."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        for line in frame_lines(self._frame, options.max_width, options.size.height):
            yield Text(line, no_wrap=True, overflow="crop")
