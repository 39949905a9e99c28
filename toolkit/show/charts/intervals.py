"""Gains with their 95 % intervals, as rows, words and marks of charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from toolkit.base.format import format_ends, format_number
from toolkit.show.charts.picture import values_of
from toolkit.show.charts.study_data import Span
from toolkit.tuning.models.gain import GainUnit

if TYPE_CHECKING:
    import altair as alt

_MARGIN = 0.08
"""Of the range of an axis, left free at its ends."""


def gain_axis(unit: GainUnit) -> str:
    """The title of an axis of gains."""
    return "Elo over the base" if unit == "elo" else "effort saved, %"


def told_gain(span: Span, unit: GainUnit) -> str:
    """A gain in words, such as ``+12.3 Elo [+4.0, +20.5]``; an end may be ``open``."""
    value = format_number(span.value, signed=True)
    return f"{value} {'Elo' if unit == 'elo' else '%'} {format_ends(span.low, span.high)}"


def span_row(span: Span, unit: GainUnit) -> dict[str, Any]:
    """Fields of a row: the value, the ends of its interval as far as it has any, all in words."""
    return {
        "value": span.value,
        "low": span.value if span.low is None else span.low,
        "high": span.value if span.high is None else span.high,
        "told": told_gain(span, unit),
    }


def range_of(spans: Sequence[Span]) -> tuple[float, float]:
    """An axis on which all intervals and 0 lie, with some margin."""
    ends = [end for one in spans for end in (one.low, one.value, one.high) if end is not None]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    margin = _MARGIN * (high - low) or 1.0
    return low - margin, high + margin


def zero_line(axis: Literal["x", "y"]) -> alt.Chart:
    """The line of no gain, across one of the axes."""
    import altair as alt

    line = alt.Chart(values_of([{"at": 0}])).mark_rule(style="reference")
    placed: alt.Chart = (
        line.encode(x=alt.X("at:Q")) if axis == "x" else line.encode(y=alt.Y("at:Q"))
    )
    return placed
