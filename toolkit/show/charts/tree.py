"""The top of a recorded tree as icicles: a pass is a panel, a ply a row, the width of a node its
share of the nodes of the pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_centipawns, format_count
from toolkit.lab.trace import TraceReport, TraceTree, TraceTreeRow
from toolkit.show.charts.picture import WIDTH, Picture, of_field, values_of

if TYPE_CHECKING:
    from toolkit.show.charts.picture import Panel

_PLY = 34
"""Pixels of a ply."""
_HEAD, _TAIL = 4, 2
"""Of more passes, so many are drawn of the first and of the last ones."""
_BORDER = 100
"""Pixels by which a page's panel may be narrower than a file's."""
_LETTER = 7
"""Pixels of a letter."""
_CUTS = {None: "all moves searched", "beta": "cut by beta", "table": "cut by the table"}


def tree_picture(report: TraceReport, tree: TraceTree, width: int = WIDTH) -> Picture:
    """The tree of ``trace --top``, pass by pass. ``width``: of a panel, whose boxes say as much as
    fits."""
    passes: list[list[TraceTreeRow]] = [[] for _ in range(tree.passes)]
    for row in tree.rows:
        passes[row.pass_number - 1].append(row)
    numbers = list(range(1, len(passes) + 1))
    left_out = ""
    if len(numbers) > _HEAD + _TAIL:
        first, last = _HEAD + 1, len(numbers) - _TAIL
        left_out = f" Passes {first} to {last} are left out."
        if first == last:
            left_out = f" Pass {first} is left out."
        numbers = [*numbers[:_HEAD], *numbers[-_TAIL:]]
    return Picture(
        f"{report.engine}, depth {tree.depth}: the top of the tree",
        f"{report.fen}\nA row is a ply, the root on top; a box is a node, as wide as its share "
        "of the nodes of its pass, with its move and value. Framed: expanded before."
        f"{left_out}",
        "; ".join(_in_words(tree, passes)),
        [_panel(number, passes[number - 1], tree, width) for number in numbers],
        columns=1,
    )


def _in_words(tree: TraceTree, passes: Sequence[Sequence[TraceTreeRow]]) -> Iterator[str]:
    for number, rows in enumerate(passes, 1):
        if rows:
            root = rows[0]
            yield (
                f"pass {number}{_move(root)} {_window(root)} returned "
                f"{format_centipawns(root.value)} after {count_of(root.nodes, 'node')}, "
                f"{format_count(tree.re_expanded[number - 1])} of "
                f"{format_count(tree.expanded[number - 1])} expanded before"
            )


def _panel(number: int, nodes: Sequence[TraceTreeRow], tree: TraceTree, width: int) -> Panel:
    import altair as alt

    whole = max((node.nodes for node in nodes), default=1)
    pixels = width - _BORDER
    rows = [_row(node, start, end, pixels / max(whole, 1)) for node, start, end in _places(nodes)]
    plies = max((node.ply for node in nodes), default=0) + 1
    x = alt.X(
        "from:Q", axis=None, scale=alt.Scale(domain=[0, max((r["to"] for r in rows), default=1)],
                                             nice=False),
    )  # fmt: skip
    y = alt.Y("ply:O", title="ply", axis=alt.Axis(labelAngle=0, grid=False),
              scale=alt.Scale(paddingInner=0.08, paddingOuter=0))  # fmt: skip
    color = alt.Color(
        "end:N", title=None, scale=alt.Scale(domain=list(_CUTS.values())),
        legend=alt.Legend() if number == 1 else None,
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("line:N"), alt.Tooltip("window:N"), alt.Tooltip("value:N"),
        alt.Tooltip("nodes:N"), alt.Tooltip("end:N", title="how it ended"),
        alt.Tooltip("again:N", title="expanded before"),
    ]  # fmt: skip
    base = alt.Chart(values_of(rows))
    boxes = base.mark_rect(style="cell", strokeWidth=1, opacity=0.45).encode(
        x=x, x2=alt.X2("to:Q"), y=y, color=color, tooltip=tooltip
    )
    layers = [boxes]
    framed = [row for row in rows if row["again"]]
    if framed:
        frame = alt.Chart(values_of(framed)).mark_rect(style="frame", filled=False)
        layers.append(frame.encode(x=x, x2=alt.X2("to:Q"), y=y, tooltip=tooltip))
    told = [row for row in rows if row["label"]]
    words = alt.Chart(values_of(told)).mark_text(style="label", fontSize=11)
    layers.append(
        words.encode(x=of_field(x, "middle"), y=y, text=alt.Text("label:N"), tooltip=tooltip)
    )
    root = nodes[0] if nodes else None
    about = (
        "" if root is None else f"{_move(root)} {_window(root)}: {format_centipawns(root.value)}"
    )
    again = format_count(tree.re_expanded[number - 1])
    expanded = count_of(tree.expanded[number - 1], "node")
    return alt.layer(*layers).properties(
        title=f"Pass {number}{about}; {expanded} expanded, {again} of them before",
        height=_PLY * plies,
    )


def _places(nodes: Sequence[TraceTreeRow]) -> Iterator[tuple[TraceTreeRow, int, int]]:
    """Each node with the first and the last of its nodes, counted from the left: children lie below
    their parent in the order of the search."""
    # A pass over a single root move has no root.
    free = [0] * (nodes[0].ply + 1) if nodes else []
    for node in nodes:
        ply = node.ply
        start = free[ply]
        free[ply] = start + node.nodes
        free[ply + 1 :] = [start]
        yield node, start, free[ply]


def _row(node: TraceTreeRow, start: int, end: int, pixels: float) -> dict[str, Any]:
    """``pixels``: of one node."""
    return {
        "ply": node.ply, "from": start, "to": end, "middle": (start + end) / 2,
        "line": " ".join(node.line) or "root", "window": _window(node),
        "value": format_centipawns(node.value), "nodes": format_count(node.nodes),
        "end": _CUTS[node.cut], "again": node.again,
        "label": _label(node, pixels * (end - start)),
    }  # fmt: skip


def _move(node: TraceTreeRow) -> str:
    """The root move that a pass is about, if it is about one."""
    return f" of {node.line[-1]}" if node.line else ""


def _label(node: TraceTreeRow, pixels: float) -> str:
    """As much of move, value and nodes as fits into a box."""
    move = node.line[-1] if node.line else "root"
    value = f"{move}: {format_centipawns(node.value)}"
    for text in (f"{value}, {count_of(node.nodes, 'node')}", value, move):
        if len(text) * _LETTER <= pixels:
            return text
    return ""


def _window(node: TraceTreeRow) -> str:
    ends = [
        f"{sign}inf" if end is None else format_centipawns(end)
        for end, sign in ((node.alpha, "-"), (node.beta, "+"))
    ]
    return f"({ends[0]}, {ends[1]})"
