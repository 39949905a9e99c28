"""The convergence of one iteration as a picture: bounds closing in on the value, and the cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.spec import MATE
from toolkit.base.format import format_centipawns, format_count, format_value_and_mate
from toolkit.lab.pictures.drawing import INK, box, document, dot, line, mark, text, write_svg
from toolkit.lab.rows import TracePassRow, TraceReport

WIDTH, HEIGHT = 720, 466
_LEFT, _RIGHT, _TOP = 112, 16, 48
_LABELS = _LEFT - 12
"""Where the labels of the left edge end."""
_VALUES_END, _NODES_TOP, _NODES_END = 310, 340, 410
"""Where, from above, the panel of values ends and that of nodes begins and ends."""
_HIGH, _LOW, _RANGE, _COST = "#1b7f4b", "#b3261e", "#dfe7f3", "#8a97a8"
_TICKS = 12
_ROW = 14
"""Pixels that two labels must lie apart."""
_TO_THE_RIGHT = 6
"""The shape of the mark of the first guess: it points into the panel."""
_REACH, _LEAST_REACH = 4, 500
"""How far beyond the returned values a requested bound is shown: this many times the range of the
returned values, and at least this many centipawns."""


def write_picture(report: TraceReport, path: Path) -> None:
    """Draw the last iteration. Raises OperationFailed if that cannot be written."""
    last = [row for row in report["passes"] if row["depth"] == report["depth"]]
    bound = " at least" if report["proves"] == "move" else ""
    found = f"value {format_value_and_mate(report['value'])}{bound}, best {report['best']}"
    title = f"{report['engine']}, depth {report['depth']}: {found}"
    guess = report["iterations"][-1]["first_guess"]
    write_svg(convergence_svg(last, report["value"], title, report["fen"], guess), path)


def convergence_svg(
    passes: Sequence[TracePassRow],
    value: int,
    title: str,
    subtitle: str = "",
    first_guess: int | None = None,
) -> str:
    """An SVG document: for each pass the remaining range of the value (of the root move, if only
    one was searched), the requested window, the returned value, and the nodes; also the value and
    the first guess, if there was one. Open or distant ends are cut at the edge of the picture."""
    scale = _ValueScale(max(len(passes), 1), *_span(passes, value, first_guess))
    most = max((row["nodes"] for row in passes), default=1)
    parts = [
        text(_LEFT, 20, title, size=14),
        text(_LEFT, 35, subtitle, size=10),
        *(_left_of_value(scale, place, row) for place, row in enumerate(passes)),
        line(scale.x(0), scale.y(value), scale.x(scale.count), scale.y(value), INK, width=1),
        *_value_labels(scale, value, first_guess),
    ]
    for place, row in enumerate(passes):
        parts += [*_answer(scale, place, row), _cost(scale, place, row, most)]
        if place % max(1, -(-scale.count // _TICKS)) == 0:
            parts.append(text(scale.x(place + 0.5), _NODES_END + 16, str(row["number"]), "middle"))
    parts += [
        text(_LABELS, _NODES_TOP + 4, format_count(most), "end"),
        text(_LABELS, _NODES_END, "nodes", "end"),
        text(_LABELS, _NODES_END + 16, "pass", "end"),
        *_legend(scale, passes),
    ]
    return document(WIDTH, HEIGHT, parts)


@dataclass(frozen=True, slots=True)
class _ValueScale:
    """Where passes and values lie in the picture."""

    count: int
    low: float
    high: float

    def x(self, place: float) -> float:
        """Of a pass, 0 for the first; its middle lies half further."""
        return round(_LEFT + place * (WIDTH - _LEFT - _RIGHT) / self.count, 1)

    def is_beyond(self, value: float) -> bool:
        """Whether a value lies outside the picture."""
        return not self.low <= value <= self.high

    def y(self, of: float) -> float:
        """Of a value."""
        share = (min(max(of, self.low), self.high) - self.low) / (self.high - self.low)
        return round(_VALUES_END - share * (_VALUES_END - _TOP), 1)


def _left_of_value(scale: _ValueScale, place: int, row: TracePassRow) -> str:
    top = scale.y(scale.high if row["upper"] is None else row["upper"])
    bottom = scale.y(scale.low if row["lower"] is None else row["lower"])
    return _box(scale, place, place + 1, top, max(bottom - top, 1), _RANGE)


def _answer(scale: _ValueScale, place: int, row: TracePassRow) -> list[str]:
    """The window, a bar at its end or one at each end of a wide one, and the value returned."""
    color = _HIGH if row["fails"] == "high" else _LOW if row["fails"] == "low" else INK
    alpha, beta = row["alpha"], row["beta"]
    null = alpha is not None and beta == alpha + 1
    ends = [end for end in ((beta,) if null else (alpha, beta)) if end is not None]
    middle, value = scale.x(place + 0.5), scale.y(row["value"])
    parts = []
    for end in ends:
        at = scale.y(end)
        far = scale.is_beyond(end)
        parts.append(line(scale.x(place + 0.15), at, scale.x(place + 0.85), at, color, dashed=far))
        parts.append(line(middle, at, middle, value, color, dashed=far))
    return [*parts, dot(middle, value, color)]


def _cost(scale: _ValueScale, place: int, row: TracePassRow, most: int) -> str:
    height = max(row["nodes"] / max(most, 1) * (_NODES_END - _NODES_TOP), 1)
    return _box(scale, place + 0.15, place + 0.85, _NODES_END - height, height, _COST)


def _value_labels(scale: _ValueScale, value: int, first_guess: int | None) -> list[str]:
    """The value, the ends of the panel where they do not lie upon it, and the first guess with its
    mark. All in centipawns: a whole panel may lie within one mate."""
    labels = {scale.y(value): f"value {format_centipawns(value)}"}
    for end, place in ((scale.low, _VALUES_END), (scale.high, _TOP)):
        if _is_free(place, labels):
            labels[place] = format_centipawns(round(end))
    marks = []
    if first_guess is not None:
        at = scale.y(first_guess)
        told = f"guess {format_centipawns(first_guess)}"
        marks.append(mark((_LEFT - 5, at), _TO_THE_RIGHT, INK, told=f"first {told}"))
        labels[_nearest_free(at, labels, upwards=first_guess >= value)] = told
    placed = [text(_LABELS, round(place + 4, 1), told, "end") for place, told in labels.items()]
    return [*placed, *marks]


def _is_free(place: float, labels: Iterable[float]) -> bool:
    return all(abs(place - other) >= _ROW for other in labels)


def _nearest_free(wanted: float, labels: Iterable[float], *, upwards: bool) -> float:
    """Where one more label goes that is wanted at a place: there, or beside the others, of two
    places as near the upper or the lower one."""
    beside = [other + side * _ROW for other in labels for side in (-1, 1)]
    free = [place for place in (wanted, *beside) if _is_free(place, labels)]
    inside = [place for place in free if _TOP <= place <= _VALUES_END]
    return min(inside, key=lambda place: (abs(place - wanted), place if upwards else -place))


def _span(
    passes: Sequence[TracePassRow], value: int, first_guess: int | None
) -> tuple[float, float]:
    """The range of the panel of values, with some margin: all returned values, and the first guess
    and windows as far as they do not hide all detail."""
    returned = [value, *(row["value"] for row in passes)]
    low, high = min(returned), max(returned)
    reach = max(_REACH * (high - low), _LEAST_REACH)
    asked = [end for row in passes for end in (row["alpha"], row["beta"]) if end is not None]
    asked += [] if first_guess is None else [first_guess]
    near = [end for end in asked if low - reach <= end <= high + reach]
    low, high = min([low, *near]), max([high, *near])
    room = max(0.1 * (high - low), 2)
    return max(low - room, -MATE), min(high + room, MATE)


def _box(
    scale: _ValueScale, left: float, right: float, top: float, height: float, color: str
) -> str:
    wide = round(scale.x(right) - scale.x(left), 1)
    return box(scale.x(left), round(top, 1), wide, round(height, 1), color)


def _legend(scale: _ValueScale, passes: Sequence[TracePassRow]) -> list[str]:
    """The legend; single root moves and cut-off bounds are explained only if they occur."""
    ends = [end for row in passes for end in (row["alpha"], row["beta"]) if end is not None]
    one_move = any(row["move"] is not None for row in passes)
    told = (
        f'bar: bound asked; dot: value returned, <tspan fill="{_HIGH}">fails high</tspan> or '
        f'<tspan fill="{_LOW}">fails low</tspan>; shaded: what is left of the value'
    )
    more = [
        *(["values are of the one root move that was searched"] if one_move else []),
        *(["dashed: beyond the picture"] if any(map(scale.is_beyond, ends)) else []),
    ]
    lines = [told, "; ".join(["values in centipawns", *more])]
    return [
        f'<text x="{_LEFT}" y="{HEIGHT - 22 + 14 * place}" font-size="11">{words}</text>'
        for place, words in enumerate(lines)
    ]
