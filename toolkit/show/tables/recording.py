"""A tree made by hand as it was searched, and two searches beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_value_and_mate
from toolkit.base.output import Output
from toolkit.base.table import Field

if TYPE_CHECKING:
    from engines.recorded import Bounds, TreePlace
    from toolkit.lab.recording import Recording
    from toolkit.lab.trace import TraceBeside, TraceIterationRow, TraceReport

_MOST_PLACES = 100
"""Nodes of a tree that is printed at most."""
SAID = {
    "sss": "SSS*: it begins above all values, where +32000 is infinity, and each pass lowers the "
    "upper bound of the root; it evaluates the leaves that Stockman's list evaluates, in that "
    "order",
    "dual": "DUAL*: it begins below all values, where -32000 is minus infinity, and each pass "
    "raises the lower bound of the root",
}
"""One sentence on drivers that are known by other forms."""


@dataclass(slots=True)
class _Place:
    """A place of the tree and what the search made of it."""

    place: TreePlace
    ply: int
    value: int | None
    """As MAX sees it: of a leaf, or as its last visit returned it."""
    bounds: Bounds | None = None
    """As MAX sees them, in the table after the last visit."""
    visits: int = 0
    cuts: int = 0
    below: dict[str, int] = field(default_factory=dict)
    """Rows of the children by move."""


def print_made_tree(output: Output, recording: Recording) -> None:
    """The tree with what the search made of every node, unless it is large."""
    if said := SAID.get(recording.driver):
        output.text(said)
    if recording.tree is None or len(recording.tree) > _MOST_PLACES:
        output.text(f"the tree has more than {_MOST_PLACES} nodes: --record --json prints it")
        return
    output.text("tree; values and bounds as MAX, the side to move at the root, sees them")
    fields: list[Field[_Place]] = [
        Field("node", _name),
        Field("value", lambda row: "" if row.value is None else f"{row.value:+d}", "right"),
        Field("bounds", lambda row: _interval(row.bounds), spare=2),
        Field("visits", lambda row: str(row.visits) if row.visits else "never", "right"),
        Field("cut", lambda row: str(row.cuts) if row.cuts else "", "right", 1),
    ]
    output.table(fields, _visited(recording, recording.tree), data="--json")
    output.text("visits: how often the node was entered; cut: how often some of its moves were not")
    if recording.left_out:
        output.text(f"the last {format_count(recording.left_out)} visits are not in this table")


def print_beside(output: Output, report: TraceReport, beside: TraceBeside) -> None:
    """Both searches, a line each, of the last iteration."""
    output.text(f"depth {report.depth}, each engine with a table of its own, empty at the start")
    rows: list[TraceReport | TraceBeside] = [report, beside]

    def last(row: TraceReport | TraceBeside) -> TraceIterationRow:
        return row.iterations[-1]

    fields: list[Field[TraceReport | TraceBeside]] = [
        Field("engine", lambda row: row.engine),
        Field("value", lambda row: format_value_and_mate(row.value), "right"),
        Field("best", lambda row: row.best),
        Field("passes", lambda row: str(last(row).passes), "right"),
        Field("nodes", lambda row: format_count(last(row).nodes), "right"),
        Field("leaves", lambda row: format_count(last(row).leaves), "right", 1),
        Field("cut-offs", lambda row: format_count(last(row).cutoffs), "right", 4),
        Field("hits", lambda row: format_count(last(row).hits), "right", 5),
        Field("expanded", lambda row: format_count(last(row).expanded), "right", 3),
        Field("re-exp.", lambda row: format_count(last(row).re_expanded), "right", 2),
    ]
    output.table(fields, rows, data="--json")


def _visited(recording: Recording, places: Sequence[TreePlace]) -> list[_Place]:
    """Every place with its visits."""
    rows = list[_Place]()
    for number, place in enumerate(places):
        ply = 0 if place.parent < 0 else rows[place.parent].ply + 1
        rows.append(_Place(place, ply, place.value))
        if place.parent >= 0:
            rows[place.parent].below[place.move] = number
    visits, at = recording.visits, list[int]()
    for row, (above, move) in enumerate(zip(visits.parent, visits.move, strict=True)):
        at.append(0 if move < 0 else rows[at[above]].below[recording.moves[move]])
        one = rows[at[row]]
        is_max, after = one.ply % 2 == 0, visits.after[row]
        one.visits += 1
        one.cuts += recording.reasons[visits.reason[row]].cut
        one.value = visits.value[row] if is_max else -visits.value[row]
        one.bounds = after if is_max or after is None else _turned(after)
    return rows


def _turned(bounds: Bounds) -> Bounds:
    """Bounds as the other side sees them."""
    lower, upper = bounds
    return None if upper is None else -upper, None if lower is None else -lower


def _name(row: _Place) -> str:
    """Indented by ply."""
    name = row.place.name or row.place.move or "root"
    side = "" if row.place.value is not None else " MAX" if row.ply % 2 == 0 else " MIN"
    return f"{'  ' * row.ply}{name}{side}"


def _interval(bounds: Bounds | None) -> str:
    if bounds is None:
        return ""
    lower, upper = bounds
    low, high = (
        ("-inf" if lower is None else f"{lower:+d}"),
        ("+inf" if upper is None else f"{upper:+d}"),
    )
    return f"[{low}, {high}]"
