"""Recording what a search of the reference does: the top of its tree, and what it expands twice."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import chess

from engines.reference.chess_game import ChessGame
from engines.reference.drivers import TREES
from engines.reference.search import Log, Tree


@dataclass(slots=True)
class RecordedNode:
    """A node at the top of the tree in one pass."""

    pass_number: int
    """From 1 within the iteration."""
    line: tuple[str, ...]
    """Moves from the root, UCI."""
    alpha: int
    beta: int
    again: bool
    """Whether an earlier pass of the iteration had expanded the position at this depth."""
    value: int = 0
    nodes: int = 0
    """Nodes of all kinds of its subtree."""
    from_table: bool = False
    """Whether the table decided it."""


@dataclass(slots=True)
class Recorder:
    """What the last iteration of a search did. An expanded node is an interior one whose moves
    were searched."""

    plies: int
    """How much of the top of the tree is kept."""
    nodes: list[RecordedNode] = field(default_factory=list)
    expanded: list[int] = field(default_factory=list)
    """Expanded nodes of each pass."""
    re_expanded: list[int] = field(default_factory=list)
    """Those that an earlier pass of the iteration had expanded at the same depth."""
    _log: Log[Any] | None = None
    _earlier: set[Hashable] = field(default_factory=set)
    _current: set[Hashable] = field(default_factory=set)

    def tree_of(self, driver: str) -> type[Tree[Any]]:
        """The tree of a driver, which tells this recorder of every node."""
        return type("RecordingTree", (_RecordingTree, TREES[driver]), {"recorder": self})

    def enter(self, log: Log[Any], place: Hashable) -> tuple[int, bool]:
        """The number of the pass, and whether an earlier one expanded this place."""
        if log is not self._log:
            self._log = log
            self.nodes, self.expanded, self.re_expanded = [], [], []
            self._earlier, self._current = set(), set()
        number = len(log.passes) + 1
        while len(self.expanded) < number:
            self.expanded.append(0)
            self.re_expanded.append(0)
            self._earlier |= self._current
            self._current = set()
        return number, place in self._earlier

    def expand(self, place: Hashable, again: bool) -> None:
        """Count a node of the running pass whose moves were searched."""
        self._current.add(place)
        self.expanded[-1] += 1
        self.re_expanded[-1] += again


class _RecordingTree(Tree[Any]):
    """In front of the tree of a driver."""

    recorder: ClassVar[Recorder]

    def alpha_beta(
        self, depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, list[chess.Move]]:
        """Search as the driver's tree does, and tell the recorder."""
        recorder, counters = self.recorder, self.log.counters
        place = (self.game.key(), depth)
        number, again = recorder.enter(self.log, place)
        node = None
        if ply <= recorder.plies:
            stack = cast(ChessGame, self.game).board.move_stack
            line = tuple(move.uci() for move in stack[len(stack) - ply :])
            node = RecordedNode(number, line, alpha, beta, again)
            recorder.nodes.append(node)
        nodes, cutoffs = counters.nodes, counters.cutoffs
        value, line_of_play = super().alpha_beta(depth, alpha, beta, ply)
        nodes = counters.nodes - nodes
        if depth > 0 and nodes > 1:
            recorder.expand(place, again)
        if node is not None:
            node.value, node.nodes = value, nodes
            node.from_table = depth > 0 and nodes == 1 and counters.cutoffs > cutoffs
        return value, line_of_play
