"""The last iteration of a trace, pass by pass: bounds closing in on the value, and the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from engines.spec import MATE
from toolkit.base.format import (
    count_of,
    format_centipawns,
    format_count,
    format_value_and_mate,
)
from toolkit.lab.pass_sequence import PassSequence
from toolkit.lab.passes import TracePassRow
from toolkit.show.charts.picture import Picture, of_field, values_of

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Panel

_VALUES, _NODES = 270, 90
_AXIS = 64
"""Pixels of the axes at the left, which have to lie below each other."""
_REACH, _LEAST_REACH = 4, 500
"""How far beyond the returned values a requested bound is shown: this many times the range of the
returned values, and at least this many centipawns."""
_MANY = 40
"""Passes from which on dots are small."""
_TICKS = 20
"""Passes that are numbered."""
_FAILS = {"high": "fails high", "low": "fails low", None: "inside its window"}


def passes_picture(search: PassSequence) -> Picture:
    """The passes of an iteration; open and distant ends are arrows at the edge."""
    passes, guess = search.passes, search.first_guess
    low, high = _span(passes, search.value, guess)
    bound = " at least" if search.proves == "move" else ""
    found = f"value {format_value_and_mate(search.value)}{bound}, best {search.best}"
    one_move = any(row.move is not None for row in passes)
    ends = [end for row in passes for end in (row.alpha, row.beta)]
    beyond = any(end is not None and not low <= end <= high for end in ends)
    legend = [
        "Bar: the bound that a pass asks about; dot: the value that it returns; shaded: where the "
        "value can still lie; dashed: the value (in chess in centipawns)",
        *(["triangle: the first guess"] if guess is not None else []),
        *(["values are of the one root move that was searched"] if one_move else []),
        *(["an arrow at the edge: beyond the picture"] if beyond else []),
    ]
    return Picture(
        f"{search.engine}, depth {search.depth}: {found}",
        f"{search.fen}\n{'; '.join(legend)}.",
        "; ".join(_in_words(passes, guess)),
        [
            _values(passes, search.value, guess, (low, high)),
            _costs(passes),
        ],
        columns=1,
    )


def _in_words(passes: Sequence[TracePassRow], guess: int | None) -> Iterator[str]:
    yield count_of(len(passes), "pass", "passes")
    if guess is not None:
        yield f"first guess {format_centipawns(guess)}"
    shown = passes if len(passes) <= _MANY else [*passes[:3], *passes[-3:]]
    for row in shown:
        nodes = count_of(row.nodes, "node")
        yield (
            f"pass {row.number} {_window(row)} {_FAILS[row.fails]} with "
            f"{format_centipawns(row.value)}, {nodes}"
        )


def _window(row: TracePassRow) -> str:
    ends = [
        f"{sign}inf" if end is None else format_centipawns(end)
        for end, sign in ((row.alpha, "-"), (row.beta, "+"))
    ]
    return f"({ends[0]}, {ends[1]})"


def _values(
    passes: Sequence[TracePassRow], value: int, guess: int | None, span: tuple[float, float]
) -> Panel:
    """For each pass the range left, the window asked and the value returned."""
    import altair as alt

    rows = [_row(row, span) for row in passes]
    x = alt.X(
        "from:Q", title=None, axis=alt.Axis(labels=False, ticks=False, grid=False),
        scale=alt.Scale(domain=[0.5, max(len(passes), 1) + 0.5], nice=False),
    )  # fmt: skip
    y = alt.Y(
        "value:Q", title="value", axis=alt.Axis(minExtent=_AXIS, format="+d", tickMinStep=1),
        scale=alt.Scale(domain=list(span), nice=False, zero=False),
    )  # fmt: skip
    color = alt.Color("fails:N", title=None, scale=alt.Scale(domain=list(_FAILS.values())))
    tooltip = [
        alt.Tooltip("number:Q", title="pass"), alt.Tooltip("window:N"),
        alt.Tooltip("returned:N"), alt.Tooltip("fails:N"), alt.Tooltip("left:N"),
        alt.Tooltip("nodes:N"), alt.Tooltip("move:N", title="root move searched"),
        alt.Tooltip("best:N"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows)).encode(tooltip=tooltip)
    left = base.mark_rect(style="band").encode(
        x=x, x2=alt.X2("to:Q"), y=of_field(y, "lower"), y2=alt.Y2("upper:Q")
    )
    level = alt.Chart(values_of([{"value": value}])).mark_rule(style="reference").encode(y=y)
    middle = of_field(x, "number")
    asked = [{**row, **end} for row in rows for end in row["ends"]]
    known = alt.Chart(values_of(asked)).encode(color=color, tooltip=tooltip)
    bars = known.mark_rule(strokeWidth=2).encode(
        x=of_field(x, "bar_from"), x2=alt.X2("bar_to:Q"), y=of_field(y, "at")
    )
    stems = known.mark_rule().encode(x=middle, y=of_field(y, "at"), y2=alt.Y2("value:Q"))
    dots = base.mark_point(filled=True, opacity=1, size=_dot(passes)).encode(
        x=middle, y=y, color=color
    )
    layers = [left, level, bars, stems, *_arrows(asked, known, middle, y), dots]
    if guess is not None:
        at = min(max(float(guess), span[0]), span[1])
        told = {"at": at, "from": 0.5, "guess": f"first guess {format_centipawns(guess)}"}
        mark = alt.Chart(values_of([told])).mark_point(
            style="chosen", filled=True, opacity=1, shape="triangle-right", size=110
        )
        layers.append(mark.encode(x=x, y=of_field(y, "at"), tooltip=alt.Tooltip("guess:N")))
    return alt.layer(*layers).properties(title="Bounds and values", height=_VALUES)


def _arrows(
    asked: Sequence[dict[str, Any]], known: alt.Chart, x: alt.X, y: alt.Y
) -> list[alt.Chart]:
    """At the edge, for bounds beyond it."""
    return [
        known.transform_filter(f"datum.beyond == {sign}")
        .mark_point(shape=shape, filled=True, opacity=1, size=60)
        .encode(x=x, y=of_field(y, "at"))
        for sign, shape in ((1, "triangle-up"), (-1, "triangle-down"))
        if any(one["beyond"] == sign for one in asked)
    ]


def _row(row: TracePassRow, span: tuple[float, float]) -> dict[str, Any]:
    """A pass; ``ends`` are the bounds it asked: the end of a null window, both of a wide one."""
    low, high = span
    alpha, beta = row.alpha, row.beta
    null = alpha is not None and beta == alpha + 1
    number = row.number
    left = [
        f"{sign}inf" if end is None else format_centipawns(end)
        for end, sign in ((row.lower, "-"), (row.upper, "+"))
    ]
    return {
        "number": number, "from": number - 0.5, "to": number + 0.5,
        "bar_from": number - 0.35, "bar_to": number + 0.35,
        "value": row.value, "returned": format_centipawns(row.value),
        "fails": _FAILS[row.fails], "window": _window(row),
        "lower": low if row.lower is None else max(float(row.lower), low),
        "upper": high if row.upper is None else min(float(row.upper), high),
        "left": f"[{left[0]}, {left[1]}]", "nodes": format_count(row.nodes),
        "move": row.move or "all", "best": row.best or "",
        "ends": [
            {"asked": end, "at": min(max(float(end), low), high),
             "beyond": (end > high) - (end < low)}
            for end in ((beta,) if null else (alpha, beta))
            if end is not None
        ],
    }  # fmt: skip


def _costs(passes: Sequence[TracePassRow]) -> Panel:
    """The nodes of each pass."""
    import altair as alt

    rows = [
        {
            "number": row.number, "bar_from": row.number - 0.35,
            "bar_to": row.number + 0.35, "count": row.nodes, "none": 0,
            "nodes": format_count(row.nodes),
        }
        for row in passes
    ]  # fmt: skip
    ticks = list(range(1, len(passes) + 1, -(-len(passes) // _TICKS) or 1))
    x = alt.X(
        "bar_from:Q", title="pass", axis=alt.Axis(values=ticks, format="d", grid=False),
        scale=alt.Scale(domain=[0.5, max(len(passes), 1) + 0.5], nice=False),
    )  # fmt: skip
    y = alt.Y("count:Q", title="nodes", axis=alt.Axis(minExtent=_AXIS, tickCount=4, format=",d"))
    tooltip = [alt.Tooltip("number:Q", title="pass"), alt.Tooltip("nodes:N")]
    bars = alt.Chart(values_of(rows)).mark_rect(style="base")
    return alt.layer(
        bars.encode(x=x, x2=alt.X2("bar_to:Q"), y=y, y2=alt.Y2("none:Q"), tooltip=tooltip)
    ).properties(title="Cost", height=_NODES)


def _dot(passes: Sequence[TracePassRow]) -> int:
    return 60 if len(passes) <= _MANY else 18


def _span(
    passes: Sequence[TracePassRow], value: int, first_guess: int | None
) -> tuple[float, float]:
    """The range of the panel of values, with some margin: all returned values, and the first guess
    and windows as far as they do not hide all detail."""
    returned = [value, *(row.value for row in passes)]
    low, high = min(returned), max(returned)
    reach = max(_REACH * (high - low), _LEAST_REACH)
    asked = [end for row in passes for end in (row.alpha, row.beta) if end is not None]
    asked += [] if first_guess is None else [first_guess]
    near = [end for end in asked if low - reach <= end <= high + reach]
    low, high = min([low, *near]), max([high, *near])
    room = max(0.1 * (high - low), 2)
    return max(low - room, -MATE), min(high + room, MATE)
