"""A recorded search: every visit of a node, and why it ended. Written by
:mod:`engines.reference.recording`."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Struct

MOST_VISITS = 200_000
"""Visits that are recorded at most; the search goes on without its recorder then."""

Bounds = tuple[int | None, int | None]
"""A lower and an upper bound; None where none is known."""


class Reason(Struct, frozen=True):
    """Why a visit ended."""

    code: Annotated[str, "name of the reason"]
    text: Annotated[str, "the reason in words"]
    cut: Annotated[bool, "whether moves were left out that the search did not need"]


LEAF: Final = "leaf"
NO_MOVES: Final = "no-moves"
TABLE_EXACT: Final = "table-exact"
TABLE_LOWER: Final = "table-lower"
TABLE_UPPER: Final = "table-upper"
CHILDREN: Final = "children"
FAIL_HIGH: Final = "fail-high"
UPPER_MET: Final = "upper-met"
ALL_SEARCHED: Final = "all-searched"
ONE_MOVE: Final = "one-move"

REASONS: tuple[Reason, ...] = (
    Reason(LEAF, "leaf", False),
    Reason(NO_MOVES, "no legal moves", False),
    Reason(TABLE_EXACT, "table: exact value", True),
    Reason(TABLE_LOWER, "table: lower bound ≥ β", True),
    Reason(TABLE_UPPER, "table: upper bound ≤ α", True),
    Reason(CHILDREN, "table: the bounds of its children decide", True),
    Reason(FAIL_HIGH, "fail high: value ≥ β", True),
    Reason(UPPER_MET, "the value reaches the upper bound in the table", True),
    Reason(ALL_SEARCHED, "all moves searched", False),
    Reason(ONE_MOVE, "only this move of the root was to be searched", False),
)
"""All of them; a row of visits has a place in this list."""
BY_TABLE = frozenset({TABLE_EXACT, TABLE_LOWER, TABLE_UPPER, CHILDREN})
"""The reasons that count as cut-offs by the table."""
REASON_AT = {reason.code: place for place, reason in enumerate(REASONS)}
"""The places of :data:`REASONS` by code."""


class Visits(Struct):
    """Columns of equal length, one row a visit, in the order of entering: the rows of a subtree
    follow its root. Values are from the side to move."""

    parent: Annotated[list[int], "row of the parent; -1 for the root of a pass"]
    move: Annotated[
        list[int],
        "place in `moves`; -1 for a root, and for internal deepening, which visits its parent's "
        "position less deep",
    ]
    position: Annotated[list[int], "number of the position; equal numbers are transpositions"]
    depth: Annotated[list[int], "remaining depth"]
    alpha: Annotated[list[int | None], "lower end of the window; null if open"]
    beta: Annotated[list[int | None], "upper end of the window; null if open"]
    before: Annotated[
        list[Bounds | None],
        "bounds in the table at this depth when the node was entered, null if none; null: no entry",
    ]
    after: Annotated[list[Bounds | None], "the same when it was left"]
    value: Annotated[list[int], "returned fail-soft value"]
    reason: Annotated[list[int], "place in `reasons`"]
    best: Annotated[list[int], "best move, place in `moves`; -1 if none"]
    searched: Annotated[list[int], "moves searched, each counted once"]
    of: Annotated[list[int], "moves there were; 0 if none was searched"]
    expanded: Annotated[list[int], "1 if its moves were searched to the end of the visit"]
    again: Annotated[list[int], "1 if re-expanded, as in `re_expanded`"]
    below: Annotated[
        list[int], "nodes of its subtree without a row: quiescence, and what the limit left out"
    ]
    research: Annotated[list[int], "1 if its parent searched the move again, with another window"]
    probes: Annotated[list[int], "positions looked up in the table, except by visits below it"]
    hits: Annotated[list[int], "those of them that were found, at any depth"]


class TreePlace(Struct, frozen=True):
    """A place in a tree made by hand; a node that stands twice has two."""

    parent: Annotated[int, "row of the parent; -1 for the root"]
    move: Annotated[str, "name of the move that leads to it; empty for the root"]
    name: Annotated[str, "name of the node; empty if it has none"]
    value: Annotated[int | None, "of a leaf: its value, as the side at the root sees it"]


class RecordedTree(Struct, frozen=True):
    """The visits of the last iteration of a search."""

    visits: Visits
    first_visits: list[int | None]
    """The row of the root of each pass; None for a pass after the limit."""
    moves: list[str]
    """Names of moves."""
    left_out: int
    """Visits that have no row."""

    def nodes_of_subtrees(self) -> list[int]:
        """For each row, the nodes of all kinds of its subtree."""
        nodes = [1 + below for below in self.visits.below]
        for row in range(len(nodes) - 1, 0, -1):
            if (above := self.visits.parent[row]) >= 0:
                nodes[above] += nodes[row]
        return nodes
