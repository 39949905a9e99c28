"""Trees made by hand as a game: no evaluation above the leaves, which lie at any depth."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple

from engines.errors import PositionError
from engines.reference.search.nodes import Tree
from engines.trees.text import read_tree
from engines.trees.tree import GameTree


class Branch(NamedTuple):
    """A move: the child that it leads to, and its name."""

    child: int
    name: str


class TreeGame:
    """A node of a tree, with the way to it."""

    def __init__(self, tree: GameTree) -> None:
        """Stand at the root."""
        self._tree = tree
        self._path = [tree.root]
        self._names: list[Branch] = []
        self._branches = cache(self._branches_of)

    def played(self, plies: int) -> Sequence[Branch]:
        """The last moves of the search."""
        return self._names[len(self._names) - plies :]

    def key(self) -> Hashable:
        """The node, and who is to move: for MAX and for MIN it has two values."""
        return self._path[-1], len(self._path) % 2

    def moves(self) -> Sequence[Branch]:
        """The children, from left to right."""
        return self._branches(self._path[-1])

    def has_move(self) -> bool:
        """True: no node ends the game. A leaf has a value as positions at the last ply have."""
        return True

    def terminal_value(self) -> int:
        """The value of a leaf."""
        return self.static()

    def static(self) -> int:
        """The value of a leaf for the side to move; of other nodes 0, for they have none."""
        value = self._tree.values[self._path[-1]] or 0
        return value if len(self._path) % 2 else -value

    def is_forced(self) -> bool:
        """Never."""
        return False

    def captures(self) -> Sequence[Branch]:
        """None: there is no quiescence."""
        return ()

    def promise(self, move: Branch) -> int:
        """All moves are quiet."""
        return 0

    def push(self, move: Branch) -> None:
        """Go to a child."""
        self._path.append(move.child)
        self._names.append(move)

    def pop(self) -> None:
        """Go back."""
        self._path.pop()
        self._names.pop()

    def is_path_draw(self) -> bool:
        """Never."""
        return False

    def near_path_draw(self, depth: int) -> bool:
        """Never."""
        return False

    def _branches_of(self, node: int) -> tuple[Branch, ...]:
        tree = self._tree
        return tuple(map(Branch, tree.children[node], tree.moves(node)))


class TreeSeat:
    """The root of a tree; a code of a move is its place from 1."""

    is_by_hand = True

    def __init__(self) -> None:
        self._tree = read_tree("(0)")
        self._text = "(0)"

    def stand(self, text: str, moves: Sequence[int], chess960: bool) -> None:
        """Stand at the root of a tree. Raises PositionError."""
        if moves or chess960:
            raise PositionError("a tree made by hand is searched from its root")
        self._tree, self._text = read_tree(text), text

    def push(self, code: int) -> None:
        """Raises PositionError: it has no other positions."""
        raise PositionError("a tree made by hand is searched from its root")

    def legal(self, code: int) -> Branch | None:
        """The move at a place of the root."""
        moves = self.game().moves()
        return moves[code - 1] if 0 < code <= len(moves) else None

    def text(self) -> str:
        """The text of the tree."""
        return self._text

    def place(self) -> tuple[str, int]:
        """The root."""
        return self._text, 0

    def game(self) -> TreeGame:
        """The game to be searched."""
        return TreeGame(self._tree)

    def name(self, move: Branch) -> str:
        """The name of a move."""
        return move.name

    def named(self, code: int) -> str:
        """The place."""
        return str(code)

    def code(self, name: str) -> int:
        """The place of a move of the root."""
        return 1 + [move.name for move in self.game().moves()].index(name)


def ending_anywhere(tree: type[Tree[Any]]) -> type[Tree[Any]]:
    """The tree of a driver, for which a node without children is a leaf wherever it lies."""
    return type("TreeByHand", (_EndingAnywhere, tree), {})


class _EndingAnywhere(Tree[Any]):
    """In front of the tree of a driver."""

    def alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> tuple[int, list[Any]]:
        """Search; a leaf has no depth left."""
        return super().alpha_beta(depth if self.game.moves() else 0, alpha, beta, ply)
