"""A run of the laboratory as a picture: nodes over those of the baseline, and passes below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from toolkit.base.format import count_of
from toolkit.lab.notes import depths_in_words
from toolkit.lab.pictures.axes import Axis, even_ticks, log_axis, log_ticks, spread
from toolkit.lab.pictures.curves import CurveSet, curves_of
from toolkit.lab.pictures.drawing import (
    INK,
    PALE,
    SHAPES,
    Point,
    area,
    document,
    elided,
    line,
    mark,
    path,
    text,
    text_width,
    write_svg,
)
from toolkit.lab.rows import LabReport
from toolkit.runs.lifecycle import named_command

WIDTH = 760
_LEFT, _TOP, _EDGE = 56, 88, 14
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#e69f00", "#56b4e9", "#555555")
"""Told apart by colour-blind readers too, after Okabe and Ito (2008)."""
_DASHES = ("", "6 3", "2 2")
"""Of the first seven engines, of the next seven, of all others."""
_NODES, _PASSES, _BETWEEN = 290, 110, 38
"""Heights of the panels, and of the gaps between them."""
_ROW, _SAMPLE, _NAME = 14, 22, 190
"""Pixels of a line of the key, of its sample, and at most of its name."""
_SMALL, _PRINT = 11, 10
"""Font sizes of labels, and of the text above and below."""
_COLUMNS = 110
"""Letters of a line of the small print."""
_NOTES = 2
"""How many notes are repeated in the picture, the most important first."""
_NODE_TICKS, _PASS_TICKS = 18, 13
"""Pixels between the labels of each panel's ticks."""
_FEW = 4
"""So many bands may be as dark as one."""
_WORD = 48
"""Pixels of a label below which none is cut; rather, some are left out."""
_T = TypeVar("_T")
Label = tuple[float, str]
"""Where a label lies, and its text."""
_PAD = 14
"""Pixels between the sides of a panel and its content."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How an engine is drawn."""

    color: str
    shape: int
    dash: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class _PictureLayout:
    """Where everything lies."""

    shown: CurveSet
    x: Axis
    right: float
    nodes: Axis
    passes: Axis

    def place(self, number: int, value: int) -> float:
        """Where an engine's point at a value lies: words have the engines side by side."""
        at = self.x.at(self.shown.places[value])
        if self.shown.scale != "words":
            return at
        many = len(self.shown.curves)
        step = abs(self.x.at(1) - self.x.at(0)) * 0.75 / many
        return round(at + (number - (many - 1) / 2) * min(step, 2.0 * _ROW), 1)


def write_curves(report: LabReport, file: Path) -> None:
    """Draw a run. Raises NothingMatched if there is nothing to draw, OperationFailed if the
    picture cannot be written."""
    write_svg(curves_svg(report), file)


def curves_svg(report: LabReport) -> str:
    """An SVG document, of the same text for the same report. Raises NothingMatched."""
    shown = curves_of(report)
    layout = _laid_out(shown)
    labels = _value_labels(layout)
    below = layout.passes.start + 24 + 12 * len(labels)
    small = [part for told in _small_print(report) for part in textwrap.wrap(told, _COLUMNS)]
    room = WIDTH - _LEFT - _EDGE
    table = report["baseline_table"]
    baseline = shown.baseline if table is None else f"{shown.baseline} (table: {table})"
    parts = [
        text(_LEFT, 22, elided(_title(report, shown), room, 14), size=14),
        *(
            text(_LEFT, 38 + 13 * k, elided(told, room, _PRINT), size=_PRINT)
            for k, told in enumerate(_subtitle(report, shown))
        ),
        *_panel(
            layout, layout.nodes, _NODE_TICKS, f"all nodes over those of {baseline}; logarithmic"
        ),
        *_panel(layout, layout.passes, _PASS_TICKS, "passes of the iteration, mean; logarithmic"),
        *_values(layout, labels),
        *_curves(layout),
        *_key(layout),
        *(text(_LEFT, below + 18 + 13 * k, told, size=_PRINT) for k, told in enumerate(small)),
    ]
    return document(WIDTH, below + 18 + 13 * len(small), parts)


def _title(report: LabReport, shown: CurveSet) -> str:
    engines = count_of(len(shown.curves), "engine")
    return f"{report['name']}: nodes and passes of {engines} over {shown.parameter}"


def _subtitle(report: LabReport, shown: CurveSet) -> tuple[str, str]:
    """Text on the trees, the iterations and the intervals."""
    depths = depths_in_words(report["depths"])
    if report["kind"] == "sweep":
        deepest = f", the deepest of {len(report['depths'])}" if len(report["depths"]) > 1 else ""
        depths = f"depth {max(report['depths'])}{deepest}"
    what = "that iteration alone" if report["measure"] == "last" else "all iterations up to a depth"
    interval = f"{'bars' if shown.scale == 'words' else 'bands'}: 95 % by paired bootstrap"
    if not any(point.interval for curve in shown.curves for point in curve.points):
        interval = "too few positions for intervals"
    return (
        f"{count_of(report['positions'], 'position')} of {elided(report['suite'], 300, _PRINT)}, "
        f"{depths}",
        f"geometric means over positions, of {what}; {interval}",
    )


def _small_print(report: LabReport) -> Iterator[str]:
    """What limits the figures, and where they are from."""
    done, planned = report["searches_done"], report["searches_planned"]
    if done < planned:
        yield f"{report['status']}: {done} of {count_of(planned, 'search', 'searches')}"
    if not report["values_agree"]:
        yield "values differ: not all engines found what their baselines found"
    for note in report["notes"][:_NOTES]:
        yield f"note: {note}"
    if (more := len(report["notes"]) - _NOTES) > 0:
        yield f"{count_of(more, 'more note')}: {named_command('lab', 'show', report['name'])}"
    yield (
        f"mtdf {report['version']}, {report['backend']} {report['signature']}, "
        f"{report['created_at'][:10]}"
    )


def _look(number: int) -> _Look:
    """Engines of one colour differ in shape, filling and dashes."""
    color, turn = number % len(_COLORS), number // len(_COLORS)
    dash = _DASHES[min(turn, len(_DASHES) - 1)]
    return _Look(_COLORS[color], (color + 3 * turn) % SHAPES, dash, turn % 2 == 1)


def _laid_out(shown: CurveSet) -> _PictureLayout:
    names = [shown.baseline, *(curve.name for curve in shown.curves)]
    widest = max(text_width(elided(name, _NAME, _SMALL), _SMALL) for name in names)
    right = round(WIDTH - _EDGE - widest - _SAMPLE - 13)
    low, high = min(shown.places), max(shown.places)
    if shown.scale == "words":
        x = Axis(low - 0.5, high + 0.5, _LEFT, right)
    else:
        x = Axis(low, high, _LEFT + _PAD, right - _PAD, is_log=shown.scale == "log")
    points = [point for curve in shown.curves for point in curve.points]
    ratios = [one.ratio for one in points if one.ratio is not None]
    ends = [end for one in points for end in one.interval or ()]
    passes = [one.passes for one in points if one.passes]
    bottom = _TOP + max(_NODES, _ROW * (len(names) + 1))
    top = bottom + _BETWEEN
    return _PictureLayout(
        shown,
        x,
        right,
        nodes=log_axis([1, *ratios, *ends], 1.1, bottom, _TOP),
        passes=log_axis(passes or [1], 2, top + _PASSES, top),
    )


def _panel(layout: _PictureLayout, y: Axis, gap: float, caption: str) -> list[str]:
    """A ruled panel, its caption and its ticks; all lines lie below the curves."""
    parts = [text(_LEFT, y.end - 8, elided(caption, WIDTH - _LEFT - _EDGE, _SMALL), size=_SMALL)]
    for tick in log_ticks(y, gap):
        at = y.at(tick)
        parts.append(line(_LEFT, at, layout.right, at, PALE, width=0.8))
        parts.append(text(_LEFT - 6, round(at + 4, 1), f"{tick:g}", "end", _SMALL))
    parts.append(line(_LEFT, y.start, layout.right, y.start, INK, width=1))
    return parts


def _values(layout: _PictureLayout, labels: Sequence[Sequence[Label]]) -> list[str]:
    """The axis that both panels share: its ticks, labels in rows, and name."""
    panels = (layout.nodes, layout.passes)
    foot = layout.passes.start + 16
    parts = []
    if layout.shown.scale == "words":
        for place in layout.shown.places[1:]:
            at = layout.x.at(place - 0.5)
            parts += [line(at, y.start, at, y.end, PALE, width=0.8) for y in panels]
    for number, row in enumerate(labels):
        for at, label in row:
            parts += [line(at, y.start, at, y.start + 4, INK, width=1) for y in panels]
            parts.append(text(at, foot + 12 * number, label, "middle", _SMALL))
    middle = round((_LEFT + layout.right) / 2, 1)
    name = text(middle, foot + 12 * len(labels) + 4, layout.shown.axis, "middle", _SMALL)
    return [*parts, name]


def _value_labels(layout: _PictureLayout) -> list[list[Label]]:
    """The labels of the values: those of numbers in a row; of words that are too long for it, in
    two, by turns."""
    shown = layout.shown
    ticks = [layout.x.at(place) for place in shown.places]
    if shown.scale != "words":
        return [_number_row(layout, list(zip(ticks, _number_labels(shown.values), strict=True)))]
    width = (layout.right - _LEFT) / len(shown.values) - 6
    rows = 1 if all(text_width(value, _SMALL) <= width for value in shown.values) else 2
    room = max(min(rows * width, width + 2 * _LEFT), _WORD)  # the first may not leave the picture
    labels = [elided(value, room, _SMALL) for value in shown.values]
    told = list(zip(ticks, labels, strict=True))
    return [_apart(told[first::rows]) for first in range(min(rows, len(told)))]


def _number_row(layout: _PictureLayout, ticks: Sequence[Label]) -> list[Label]:
    """At the values themselves, or at round numbers where a linear axis has too many."""
    shown = layout.shown
    kept = _apart(ticks)
    if shown.scale == "log" or len(kept) == len(ticks):
        return kept
    most = int((layout.right - _LEFT) / 60)
    numbers = even_ticks(min(shown.places), max(shown.places), most)
    return _apart([(layout.x.at(one), f"{one:g}") for one in numbers])


def _apart(ticks: Sequence[Label]) -> list[Label]:
    """The ticks whose labels do not run into those before."""
    kept: list[Label] = []
    free = 0.0
    for at, label in ticks:
        half = text_width(label, _SMALL) / 2
        if at - half >= free:
            kept.append((at, label))
            free = at + half + 4
    return kept


def _number_labels(values: Sequence[str]) -> list[str]:
    """Numbers as they are; powers of two as such where some of them are great."""
    numbers = [float(value) for value in values]
    powers = [int(one).bit_length() - 1 for one in numbers]
    if max(numbers) >= 1024 and all(one == 2.0**k for one, k in zip(numbers, powers, strict=True)):
        return [f"2^{k}" for k in powers]
    return list(values)


def _curves(layout: _PictureLayout) -> list[str]:
    """The line of the baseline; above it all intervals, then the lines with their marks."""
    curves = list(enumerate(layout.shown.curves))
    one = layout.nodes.at(1)
    parts = [line(_LEFT, one, layout.right, one, INK, width=1.2)]
    for number, curve in curves:
        parts += _intervals(layout, number, [point.interval for point in curve.points])
    for number, curve in curves:
        parts += _course(layout, number, layout.nodes, [point.ratio for point in curve.points])
    for number, curve in curves:
        parts += _course(layout, number, layout.passes, [point.passes for point in curve.points])
    return parts


def _intervals(
    layout: _PictureLayout, number: int, intervals: Sequence[tuple[float, float] | None]
) -> list[str]:
    """A band for each part of a curve without gaps; a bar for an isolated point."""
    parts = []
    color = _look(number).color
    opacity = 0.16 if len(layout.shown.curves) <= _FEW else 0.06
    for some in _unbroken(intervals, layout.shown):
        upper = [(layout.place(number, k), layout.nodes.at(high)) for k, (_, high) in some]
        lower = [(layout.place(number, k), layout.nodes.at(low)) for k, (low, _) in some]
        if len(some) == 1:
            parts.append(path([upper[0], lower[0]], color))
        else:
            parts.append(area([*upper, *reversed(lower)], color, opacity))
    return parts


def _course(
    layout: _PictureLayout, number: int, y: Axis, numbers: Sequence[float | None]
) -> list[str]:
    """The line of an engine, which ends at gaps, and its marks; words have no line."""
    parts = []
    look = _look(number)
    curve = layout.shown.curves[number]
    for some in _unbroken(numbers, layout.shown):
        points = [(layout.place(number, k), y.at(one)) for k, one in some]
        if len(points) > 1:
            parts.append(path(points, look.color, dash=look.dash))
        for point, (k, one) in zip(points, some, strict=True):
            told = f"{curve.name}, {layout.shown.values[k]}: {one:.3f}"
            parts.append(_mark(point, look, told))
    return parts


def _unbroken(numbers: Sequence[_T | None], shown: CurveSet) -> list[list[tuple[int, _T]]]:
    """What is known, by place, in parts without a gap; words stand each alone."""
    found: list[list[tuple[int, _T]]] = []
    for place, one in enumerate(numbers):
        if one is None:
            continue
        if found and found[-1][-1][0] == place - 1 and shown.scale != "words":
            found[-1].append((place, one))
        else:
            found.append([(place, one)])
    return found


def _mark(at: Point, look: _Look, told: str = "") -> str:
    return mark(at, look.shape, look.color, is_open=look.is_open, told=told)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the key."""

    name: str
    look: _Look | None
    """None: the baseline."""
    end: float
    """How high the last known point of its line lies."""
    leads: bool
    """Whether the line reaches the side of the panel where the key is."""


def _key(layout: _PictureLayout) -> list[str]:
    """Names as near as can be to the ends of their lines; of words, in the order given."""
    entries = _entries(layout)
    top = layout.nodes.end + _ROW / 2
    if layout.shown.scale == "words":
        places = [top + _ROW * number for number in range(len(entries))]
    else:
        entries.sort(key=lambda entry: entry.end)
        places = spread([one.end for one in entries], _ROW, top, layout.nodes.start)
    parts = []
    left = layout.right + 8
    for entry, place in zip(entries, places, strict=True):
        color, dash = (INK, "") if entry.look is None else (entry.look.color, entry.look.dash)
        if entry.leads:
            start = (layout.x.end + 6, entry.end)
            parts.append(path([start, (left, place)], color, width=0.6))
        parts.append(path([(left, place), (left + _SAMPLE, place)], color, dash=dash))
        if entry.look is not None:
            parts.append(_mark((left + _SAMPLE / 2, place), entry.look))
        name = elided(entry.name, _NAME, _SMALL)
        parts.append(text(left + _SAMPLE + 5, round(place + 4, 1), name, size=_SMALL))
    return parts


def _entries(layout: _PictureLayout) -> list[_Entry]:
    is_line = layout.shown.scale != "words"
    baseline = layout.nodes.at(1)
    found = [_Entry(layout.shown.baseline, None, baseline, leads=is_line)]
    for number, curve in enumerate(layout.shown.curves):
        known = [point.ratio for point in curve.points if point.ratio is not None]
        end = layout.nodes.at(known[-1]) if known else baseline
        leads = is_line and curve.points[-1].ratio is not None
        found.append(_Entry(curve.name, _look(number), end, leads))
    return found
