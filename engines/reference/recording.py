"""Recording the top of the tree that a search of the reference goes through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, cast

from engines.reference.drivers.catalog import TREES
from engines.reference.search.nodes import Log, Tree


@dataclass(slots=True)
class RecordedNode:
    """A node at the top of the tree in one pass."""

    pass_number: int
    """From 1 within the iteration."""
    line: tuple[str, ...]
    """Moves from the root, UCI."""
    alpha: int
    beta: int
    again: bool = False
    """Whether its moves were searched although the iteration had searched those of the position at
    this depth before."""
    value: int = 0
    nodes: int = 0
    """Nodes of all kinds of its subtree."""
    from_table: bool = False
    """Whether the table decided it."""


class _Lined(Protocol):
    """A game that knows its moves."""

    def played(self, plies: int) -> Sequence[Any]:
        """The last moves."""


@dataclass(slots=True)
class Recorder:
    """The top of the tree of a search's last iteration."""

    plies: int
    """How much of it is kept."""
    name: Callable[[Any], str]
    """What names moves."""
    nodes: list[RecordedNode] = field(default_factory=list)
    _log: Log[Any] | None = None

    def tree_of(self, driver: str) -> type[Tree[Any]]:
        """The tree of a driver, which tells this recorder of every node."""
        return type("RecordingTree", (_RecordingTree, TREES[driver]), {"recorder": self})

    def keep(self, log: Log[Any], node: RecordedNode) -> None:
        """Take in a node; another log is that of another iteration."""
        if log is not self._log:
            self._log, self.nodes = log, []
        self.nodes.append(node)


class _RecordingTree(Tree[Any]):
    """In front of the tree of a driver."""

    recorder: ClassVar[Recorder]

    def alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> tuple[int, list[Any]]:
        """Search as the driver's tree does, and tell the recorder."""
        if ply > self.recorder.plies:
            return super().alpha_beta(depth, alpha, beta, ply)
        log, counts = self.log, self.log.counts
        line = tuple(map(self.recorder.name, cast("_Lined", self.game).played(ply)))
        node = RecordedNode(len(log.passes) + 1, line, alpha, beta)
        found = self.expansions
        known = found is not None and found.know(self.game.key(), depth)
        expanded = 0 if found is None else found.expanded
        self.recorder.keep(log, node)
        nodes, cutoffs = counts.nodes, counts.cutoffs
        node.value, line_of_play = super().alpha_beta(depth, alpha, beta, ply)
        # Whatever was expanded below it, the node itself was expanded first.
        node.again = known and found is not None and found.expanded > expanded
        node.nodes = counts.nodes - nodes
        node.from_table = depth > 0 and node.nodes == 1 and counts.cutoffs > cutoffs
        return node.value, line_of_play
