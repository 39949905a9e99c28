"""Reading trees: ``((3 12 8) (2 4 6) (14 5 2))``, with names ``A(B(3 12) C(2 B))``."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from engines.errors import PositionError
from engines.trees.published import PUBLISHED
from engines.trees.tree import MOST_NODES, MOST_PLIES, MOST_VALUE, GameTree

_GAP = re.compile(r"[\s,]*")
_TOKEN = re.compile(
    r"(?P<value>[+-]?[0-9]{1,20}(?![\w.(]))|(?P<name>[^\W\d]\w*)(?P<node>\()?|(?P<open>\()|(?P<close>\))"
)
_FORM = "a list of values and lists such as `((3 12 8) (2 4 6))`"


@dataclass(slots=True)
class _Open:
    """A node whose `)` has not been read yet."""

    name: str
    at: int
    children: list[int] = field(default_factory=list)


class _Builder:
    """Nodes, children first."""

    def __init__(self) -> None:
        self.children: list[tuple[int, ...]] = []
        self.values: list[int | None] = []
        self.names: list[str] = []
        self.heights: list[int] = []
        self.sizes: list[int] = []
        self.named: dict[str, int] = {}

    def leaf(self, value: int, at: int) -> int:
        """Add a leaf."""
        if abs(value) > MOST_VALUE:
            raise _fault(at, f"value {value} is not from -{MOST_VALUE} to {MOST_VALUE}")
        return self._add((), value, "", 0, 1)

    def inner(self, node: _Open, at: int) -> int:
        """Add a node whose children are known."""
        if not node.children:
            raise _fault(at, "a node has no children")
        height = 1 + max(self.heights[child] for child in node.children)
        size = 1 + sum(self.sizes[child] for child in node.children)
        if height > MOST_PLIES:
            raise _fault(node.at, f"the tree has more than {MOST_PLIES} plies")
        if size > MOST_NODES:
            raise _fault(
                node.at, f"the tree has more than {MOST_NODES} nodes, each counted where it stands"
            )
        number = self._add(tuple(node.children), None, node.name, height, size)
        if node.name:
            self.named[node.name] = number
        return number

    def _add(
        self, children: tuple[int, ...], value: int | None, name: str, height: int, size: int
    ) -> int:
        self.children.append(children)
        self.values.append(value)
        self.names.append(name)
        self.heights.append(height)
        self.sizes.append(size)
        return len(self.children) - 1

    @property
    def tree(self) -> GameTree:
        """All of them; the last one is the root."""
        return GameTree(
            tuple(self.children),
            tuple(self.values),
            tuple(self.names),
            tuple(self.heights),
            tuple(self.sizes),
        )


def read_tree(text: str) -> GameTree:
    """A tree by its text, by the name of a published one, or ``random:...``. Raises PositionError
    with one line that says where the text is wrong."""
    text = text.strip()
    if text.partition(":")[0] == "random":
        return random_tree(text)
    known = PUBLISHED.get(text)
    if known is None and "(" not in text:
        raise PositionError(
            f"tree `{text[:40]}`: expected {_FORM}, {', '.join(PUBLISHED)} or "
            "random:depth=4,width=3,seed=1,values=0..20"
        )
    return _parsed(text if known is None else known.text)


def _parsed(text: str) -> GameTree:
    """The tree of a text in parentheses."""
    built, path, at = _Builder(), list[_Open](), 0
    while True:
        start = _end_of_gap(text, at)
        token = _TOKEN.match(text, start)
        if token is None:
            raise _unreadable(text, start, path)
        at, name = token.end(), token["name"]
        if token["open"] or token["node"]:
            _check_new(name, start, built, path)
            path.append(_Open(name or "", start))
            continue
        if not path:
            raise _fault(start, f"expected {_FORM}")
        if token["value"]:
            number = built.leaf(int(token["value"]), start)
        elif name:
            number = _known(name, start, built, path)
        else:
            number = built.inner(path.pop(), start)
        if not path:
            break
        path[-1].children.append(number)
    if (rest := _end_of_gap(text, at)) < len(text):
        raise _fault(rest, "the tree has ended; put one pair of parentheses around all of it")
    return built.tree


def _end_of_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return at if gap is None else gap.end()


def _unreadable(text: str, at: int, path: list[_Open]) -> PositionError:
    if at == len(text):
        return _fault(path[-1].at if path else 0, "`(` is not closed")
    return _fault(at, f"`{text[at : at + 10]}` is no whole number, name, `(` or `)`")


def _check_new(name: str | None, at: int, built: _Builder, path: list[_Open]) -> None:
    if name and (name in built.named or any(node.name == name for node in path)):
        raise _fault(at, f"{name} has children already; write `{name}` alone where it stands again")


def _known(name: str, at: int, built: _Builder, path: list[_Open]) -> int:
    if any(node.name == name for node in path):
        raise _fault(at, f"{name} stands below itself")
    if name not in built.named:
        raise _fault(at, f"{name} is not known yet: write `{name}(...)` with its children first")
    return built.named[name]


def _fault(at: int, reason: str) -> PositionError:
    return PositionError(f"tree, character {at + 1}: {reason}")


_RANDOM = {"depth": "4", "width": "3", "seed": "1", "values": "0..20"}


def random_tree(text: str) -> GameTree:
    """The tree of ``random:depth=4,width=3,seed=1,values=0..20``: every inner node has ``width``
    children, values of leaves are drawn evenly. Raises PositionError."""
    given = dict(_RANDOM)
    for item in filter(None, text.partition(":")[2].split(",")):
        name, _, value = item.partition("=")
        pattern = r"-?\d{1,5}\.\.-?\d{1,5}" if name.strip() == "values" else r"\d{1,9}"
        if name.strip() not in given or not re.fullmatch(pattern, value.strip()):
            raise PositionError(
                f"tree `{text[:60]}`: `{item[:30]}` is none of depth=N, width=N, seed=N and "
                "values=A..B"
            )
        given[name.strip()] = value.strip()
    depth, width, seed = (int(given[name]) for name in ("depth", "width", "seed"))
    low, high = map(int, given["values"].split(".."))
    if not 1 <= depth <= MOST_PLIES or width < 1 or low > high:
        raise PositionError(
            f"tree `{text[:60]}`: expected a depth from 1 to {MOST_PLIES}, a width of 1 or more, "
            "and the smaller value first"
        )
    if sum(width**ply for ply in range(depth + 1)) > MOST_NODES:
        raise PositionError(f"tree `{text[:60]}`: the tree has more than {MOST_NODES} nodes")
    # Only random() itself is the same in all versions of Python.
    draw, built = random.Random(seed).random, _Builder()

    def node(plies: int) -> int:
        if plies == 0:
            return built.leaf(low + int(draw() * (high - low + 1)), 0)
        return built.inner(_Open("", 0, [node(plies - 1) for _ in range(width)]), 0)

    node(depth)
    return built.tree
