"""Recording the visits of a search of the reference, which does not know that it is recorded."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, cast

from engines.recorded import (
    ALL_SEARCHED,
    CHILDREN,
    FAIL_HIGH,
    LEAF,
    MOST_VISITS,
    NO_MOVES,
    ONE_MOVE,
    REASON_AT,
    TABLE_EXACT,
    TABLE_LOWER,
    TABLE_UPPER,
    UPPER_MET,
    Bounds,
    RecordedTree,
    Visits,
)
from engines.reference.search.game import INFINITY
from engines.reference.search.nodes import Counts, Tree
from engines.reference.search.table import Entry
from engines.spec import MATE


class _Lined(Protocol):
    """A game that knows its moves."""

    def played(self, plies: int) -> Sequence[Any]:
        """The last moves."""


@dataclass(slots=True)
class _Visit:
    """A visit that has not ended yet."""

    row: int
    depth: int
    ply: int
    alpha: int
    beta: int
    entry: Entry[Any] | None
    """What the table knew at this depth."""
    start: tuple[int, int, int]
    """Nodes, probes and hits of the iteration before the visit."""
    counted: tuple[int, int, int] = (0, 0, 0)
    """Those of the rows below it."""
    searched: int = 0
    tries: int = 0
    """Rows of the move that is being searched."""
    by_children: bool = False
    expanded: bool = False
    again: bool = False


@dataclass(slots=True)
class Recorder:
    """The visits of the last iteration of one search, which has a limit of depth."""

    plies: int | None = None
    """Visits further from the root have no row; None: all have."""
    most: int = MOST_VISITS
    visits: Visits = field(default_factory=lambda: Visits(*([] for _ in Visits.__struct_fields__)))
    first_visits: list[int | None] = field(default_factory=list)
    left_out: int = 0
    is_on: bool = False
    """Whether the search is in its last iteration, and above all that is left out."""
    path: list[_Visit] = field(default_factory=list)
    """From the root of the pass."""
    _moves: dict[str, int] = field(default_factory=dict)
    _positions: dict[Hashable, int] = field(default_factory=dict)

    def tree_of(self, tree: type[Tree[Any]]) -> type[Tree[Any]]:
        """The tree of a driver, which tells this recorder of every visit."""
        return type("RecordingTree", (_RecordingTree, tree), {"recorder": self})

    @property
    def found(self) -> RecordedTree:
        """What was recorded."""
        return RecordedTree(self.visits, self.first_visits, list(self._moves), self.left_out)

    def is_left_out(self, ply: int) -> bool:
        """Whether a visit so far from the root gets no row."""
        return len(self.visits.parent) >= self.most or (self.plies is not None and ply > self.plies)

    def place_of(self, name: str) -> int:
        """The place of a move among those with names."""
        return self._moves.setdefault(name, len(self._moves))

    def enter(self, visit: _Visit, key: Hashable, move: str | None) -> None:
        """Begin a row."""
        rows, above = self.visits, self.path[-1] if self.path else None
        rows.parent.append(-1 if above is None else above.row)
        rows.move.append(-1 if move is None else self.place_of(move))
        rows.position.append(self._positions.setdefault(key, len(self._positions)))
        rows.depth.append(visit.depth)
        # Windows of SSS* lie beyond all values, where mates are counted on.
        rows.alpha.append(None if visit.alpha < -MATE else min(visit.alpha, MATE))
        rows.beta.append(None if visit.beta > MATE else max(visit.beta, -MATE))
        rows.before.append(_bounds(visit.entry))
        rows.after.append(None)
        rows.research.append(int(move is not None and above is not None and above.tries > 0))
        for column in (
            *(rows.value, rows.reason, rows.best, rows.searched, rows.of, rows.expanded),
            *(rows.again, rows.below, rows.probes, rows.hits),
        ):
            column.append(0)
        self.path.append(visit)

    def leave(self, after: Entry[Any] | None, counts: Counts, found: tuple[Any, ...]) -> None:
        """Complete the row. ``found``: value, reason, name of the best move or None, and the number
        of moves."""
        visit, rows = self.path.pop(), self.visits
        value, reason, best, moves = found
        row = visit.row
        whole = _sums(counts, visit.start)
        nodes, probes, hits = (all_ - told for all_, told in zip(whole, visit.counted, strict=True))
        rows.after[row], rows.value[row] = _bounds(after), value
        rows.reason[row], rows.searched[row], rows.of[row] = (
            REASON_AT[reason],
            visit.searched,
            moves,
        )
        rows.best[row] = -1 if best is None else self.place_of(best)
        rows.expanded[row], rows.again[row] = int(visit.expanded), int(visit.again)
        rows.below[row], rows.probes[row], rows.hits[row] = nodes - 1, probes, hits
        if self.path:
            above = self.path[-1]
            told = above.counted
            above.counted = (told[0] + whole[0], told[1] + whole[1], told[2] + whole[2])
            above.tries += 1

    def take_back(self) -> None:
        """Drop the last row: the node was not visited, since its parent had found it settled."""
        self.path.pop()
        for name in Visits.__struct_fields__:
            getattr(self.visits, name).pop()


class _RecordingTree(Tree[Any]):
    """In front of the tree of a driver."""

    recorder: ClassVar[Recorder]

    def search_root(self, depth: int, alpha: int, beta: int) -> int:
        """A pass, which is recorded in the last iteration."""
        before = self._begin_recording(depth)
        value = super().search_root(depth, alpha, beta)
        self._end_recording(before)
        return value

    def search_root_move(self, depth: int, move: Any, beta: int) -> tuple[int, list[Any]]:
        """A pass over one move: its root is a visit, too."""
        recorder = self.recorder
        before = self._begin_recording(depth)
        if recorder.is_on:
            self._enter(depth, beta - 1, beta, 0)
        value, line = super().search_root_move(depth, move, beta)
        if recorder.is_on:
            found = (value, ONE_MOVE, self.spell(move), len(self.root_moves()))
            recorder.leave(self._entry(depth), self.log.counts, found)
        self._end_recording(before)
        return value, line

    def alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> tuple[int, list[Any]]:
        """Search as the driver's tree does, and tell the recorder."""
        recorder, counts = self.recorder, self.log.counts
        if not recorder.is_on:
            return super().alpha_beta(depth, alpha, beta, ply)
        visited = self._visited
        if recorder.is_left_out(ply):
            recorder.is_on = False
            try:
                return super().alpha_beta(depth, alpha, beta, ply)
            finally:
                recorder.is_on = True
                recorder.left_out += self._visited - visited
        self._enter(depth, alpha, beta, ply)
        value, line = super().alpha_beta(depth, alpha, beta, ply)
        if self._visited == visited:
            recorder.take_back()
            return value, line
        visit = recorder.path[-1]
        moves = self._moves_there(visit, value)
        best = self.spell(line[0]) if line else None
        found = (value, self._reason(visit, value, moves), best, moves)
        recorder.leave(self._entry(depth), counts, found)
        return value, line

    def search_child(
        self, depth: int, alpha: int, beta: int, ply: int, first: bool
    ) -> tuple[int, list[Any]]:
        """Search a move, which counts once however often the driver searches it."""
        if self.recorder.is_on:
            visit = self.recorder.path[-1]
            visit.searched += 1
            visit.tries = 0
        return super().search_child(depth, alpha, beta, ply, first)

    def _begin_recording(self, depth: int) -> int | None:
        """The visits of the iteration so far; None before the last iteration."""
        recorder = self.recorder
        if depth != self.meter.limit.depth:
            return None
        recorder.is_on = not recorder.is_left_out(0)
        recorder.first_visits.append(len(recorder.visits.parent) if recorder.is_on else None)
        return self._visited

    def _end_recording(self, before: int | None) -> None:
        if before is not None and not self.recorder.is_on:
            self.recorder.left_out += self._visited - before

    @property
    def _visited(self) -> int:
        """Visits of the iteration so far."""
        return self.log.counts.interior + self.log.counts.leaves

    def _enter(self, depth: int, alpha: int, beta: int, ply: int) -> None:
        recorder, path = self.recorder, self.recorder.path
        start = _sums(self.log.counts, (0, 0, 0))
        row = len(recorder.visits.parent)
        visit = _Visit(row, depth, ply, alpha, beta, self._entry(depth), start)
        # Internal deepening stays at the node.
        is_child = ply > 0 and path[-1].ply < ply
        move = self.spell(cast("_Lined", self.game).played(1)[0]) if is_child else None
        recorder.enter(visit, self.game.key(), move)

    def _entry(self, depth: int) -> Entry[Any] | None:
        """What the table knows of the node at this depth, uncounted."""
        entry = None if self.table is None else self.table.probe(self.game.key(), depth)
        return entry if entry is not None and entry.depth == depth else None

    def _moves_there(self, visit: _Visit, value: int) -> int:
        """How many moves the node has, where any was searched."""
        upper = INFINITY if visit.entry is None else visit.entry.upper
        if not visit.searched or value < min(visit.beta, upper):
            return visit.searched
        return len(self.game.moves() if visit.ply > 0 else self.root_moves())

    def _reason(self, visit: _Visit, value: int, moves: int) -> str:
        """Why the visit ended."""
        if visit.by_children:
            return CHILDREN
        if visit.searched:
            if visit.searched == moves:
                return ALL_SEARCHED
            return FAIL_HIGH if value >= visit.beta else UPPER_MET
        entry = visit.entry
        keeps = self.quiescence and self._leaf_table is not None if visit.depth == 0 else True
        if entry is not None and visit.ply > 0 and keeps:
            if entry.settled(visit.alpha, visit.beta) is not None:
                if entry.lower >= entry.upper:
                    return TABLE_EXACT
                return TABLE_LOWER if entry.lower >= visit.beta else TABLE_UPPER
        return LEAF if visit.depth == 0 and self.game.has_move() else NO_MOVES

    def _expanded(self, depth: int) -> None:
        if self.recorder.is_on:
            visit, known = self.recorder.path[-1], self.expansions
            visit.expanded = True
            visit.again = known is not None and known.know(self.game.key(), depth)
        super()._expanded(depth)

    def _cut_by_children(self, depth: int, beta: int) -> tuple[int, list[Any]] | None:
        return self._told_of_children(super()._cut_by_children(depth, beta))

    def _settle_by_children(
        self, depth: int, alpha: int, beta: int
    ) -> tuple[int, list[Any]] | None:
        return self._told_of_children(super()._settle_by_children(depth, alpha, beta))

    def _told_of_children(
        self, found: tuple[int, list[Any]] | None
    ) -> tuple[int, list[Any]] | None:
        if found is not None and self.recorder.is_on:
            self.recorder.path[-1].by_children = True
        return found


def _sums(counts: Counts, before: tuple[int, int, int]) -> tuple[int, int, int]:
    """Nodes, probes and hits since then."""
    return counts.nodes - before[0], counts.probes - before[1], counts.hits - before[2]


def _bounds(entry: Entry[Any] | None) -> Bounds | None:
    """Bounds in the table, None where they are open."""
    if entry is None:
        return None
    return (
        entry.lower if entry.lower > -INFINITY else None,
        entry.upper if entry.upper < INFINITY else None,
    )
