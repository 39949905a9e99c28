"""A recording equals, event by event, plain searches written here, and its rows recount every
number that the search counted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from engines.recorded import BY_TABLE, REASONS, RecordedTree
from engines.reference import ReferenceSearcher
from engines.reference.drivers.catalog import TREES
from engines.reference.recording import Recorder
from engines.reference.search.game import from_child, to_child
from engines.registry import DRIVERS
from engines.rules.connect_four import RULES as CONNECT_FOUR
from engines.spec import MATE, MATE_BOUND, SearchLimit, SearchResult, Variant
from engines.trees.tree import TREE
from engines.variant import parse_variant
from toolkit.lab.trees import on_tree

INF = float("inf")
ENDING = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
MATES = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
SHARED = "(A(B(5 -3 9) C(2 D(7 1))) E(C B) F(B (4 C)) 3)"
"""A tree with transpositions at equal and at different plies, and leaves at different plies."""
Nest = int | list[Any]
Event = tuple[tuple[int, ...], float, float, float, str]
"""The way to a node, its window, what it returned, and why."""


def recorded(
    variant: Variant, text: str, depth: int, guess: int | None = None, **settings: int
) -> tuple[SearchResult, RecordedTree]:
    """A search by the reference, with its visits."""
    recorder = Recorder(**settings)
    searcher = ReferenceSearcher(variant, recorder.tree_of(TREES[variant.driver]))
    searcher.set_position(text)
    limit = SearchLimit(depth=depth)
    result = searcher.search(limit, exact=True, first_guess=guess, expansions=True)
    return result, recorder.found


class Plain:
    """Alpha-beta with memory on nested lists, as in print; values of leaves are those of MAX."""

    def __init__(self, tree: Nest, scout: Callable[[int], bool] | None) -> None:
        """``scout``: later moves get a null window first, unless that was exact at this height."""
        self.tree, self.scout = tree, scout
        self.memory: dict[tuple[int, ...], tuple[float, float]] = {}
        self.events: list[Event] = []

    def search(self, alpha: float, beta: float) -> float:
        """A pass."""
        return self.visit(self.tree, (), alpha, beta)

    def visit(self, node: Nest, way: tuple[int, ...], alpha: float, beta: float) -> float:
        """A node, told as an event in the order of entering."""
        place, window = len(self.events), (alpha, beta)
        self.events.append(((), 0, 0, 0, ""))
        value, reason = self.found(node, way, alpha, beta)
        self.events[place] = (way, *window, value, reason)
        return value

    def found(
        self, node: Nest, way: tuple[int, ...], alpha: float, beta: float
    ) -> tuple[float, str]:
        if isinstance(node, int):
            return (node if len(way) % 2 == 0 else -node), "leaf"
        lower, upper = self.memory.get(way, (-INF, INF))
        asked = beta
        if way:
            if lower >= beta:
                return lower, "table"
            if upper <= alpha or lower >= upper:
                return upper, "table"
            alpha, beta = max(alpha, lower), min(beta, upper)
        best, searched = -INF, 0
        for place, child in enumerate(node):
            low, searched = max(alpha, best), searched + 1
            best = max(best, self.child(node, child, (*way, place), low, beta))
            if best >= beta:
                break
        if best > alpha:
            lower = best
        if best < beta:
            upper = best
        self.memory[way] = (lower, upper)
        if searched == len(node):
            return best, "all-searched"
        return best, "fail-high" if best >= asked else "upper-met"

    def child(
        self, node: Nest, child: Nest, way: tuple[int, ...], alpha: float, beta: float
    ) -> float:
        if self.scout is None or way[-1] == 0 or beta - alpha == 1:
            return -self.visit(child, way, -beta, -alpha)
        value = -self.visit(child, way, -alpha - 1, -alpha)
        if alpha < value < beta and not self.scout(len(way) - 1):
            value = -self.visit(child, way, -beta, -value)
        return value


def mtdf(plain: Plain) -> None:
    """Plaat's loop, from 0."""
    lower, upper, value = -INF, INF, 0.0
    while lower < upper:
        beta = value + 1 if value == lower else value
        value = plain.search(beta - 1, beta)
        if value < beta:
            upper = value
        else:
            lower = value


def sss(plain: Plain) -> None:
    """Null windows from above all values."""
    beta = float(MATE)
    while (value := plain.search(beta - 1, beta)) < beta:
        beta = value


def dual(plain: Plain) -> None:
    """Null windows from below all values."""
    alpha = float(-MATE)
    while (value := plain.search(alpha, alpha + 1)) > alpha:
        alpha = value


def alphabeta(plain: Plain) -> None:
    """One open window."""
    plain.search(-INF, INF)


def _tree(draw: random.Random, plies: int) -> Nest:
    if plies == 0 or draw.random() < 0.15:
        return draw.randrange(-9, 20)
    return [_tree(draw, plies - 1) for _ in range(draw.randrange(1, 4))]


def _height(node: Nest) -> int:
    return 0 if isinstance(node, int) else 1 + max(map(_height, node))


def _open(value: float | None, side: int) -> float:
    """A recorded end of a window, or one counted here; beyond all values of trees it is open."""
    if value is None:
        return side * INF
    return value if abs(value) < MATE_BOUND else INF if value > 0 else -INF


def _events(found: RecordedTree) -> Iterator[Event]:
    visits, ways = found.visits, list[tuple[int, ...]]()
    for row, (above, move) in enumerate(zip(visits.parent, visits.move, strict=True)):
        ways.append(() if above < 0 else (*ways[above], int(found.moves[move]) - 1))
        code = REASONS[visits.reason[row]].code
        yield (
            ways[row],
            _open(visits.alpha[row], -1),
            _open(visits.beta[row], 1),
            visits.value[row],
            "table" if code in BY_TABLE else code,
        )


def test_every_event_equals_that_of_a_plain_search() -> None:
    draw = random.Random(42)
    seen = set[str]()
    for number in range(30):
        tree = [_tree(draw, 4) for _ in range(3)]
        text, height = str(tree).replace("[", "(").replace("]", ")"), _height(tree)
        for engine, drive, scout in (
            ("alphabeta", alphabeta, None),
            ("mtdf:preset=plaat", mtdf, None),
            ("pvs:window=0", alphabeta, lambda ply: False),
            ("negascout", alphabeta, lambda ply, height=height: height - ply <= 2),
            ("sss", sss, None),
            ("dual", dual, None),
        ):
            plain = Plain(tree, scout)
            drive(plain)
            _, found = recorded(on_tree(parse_variant(engine)), text, height, 0)
            wanted = [
                (way, _open(alpha, -1), _open(beta, 1), value, reason)
                for way, alpha, beta, value, reason in plain.events
            ]
            assert list(_events(found)) == wanted, f"tree {number} by {engine}: {text}"
            seen |= {reason for *_, reason in wanted}
    assert seen == {"leaf", "table", "all-searched", "fail-high"}


def _check_counts(name: str, result: SearchResult, found: RecordedTree, *, has_all: bool) -> None:
    """Rows recount passes and the iteration. ``has_all``: every look at the table is by a row."""
    last, visits = result.iterations[-1], found.visits
    rows = len(visits.parent)
    codes = [REASONS[place].code for place in visits.reason]
    firsts = [one for one in found.first_visits if one is not None]
    assert len(firsts) == len(last.passes) and firsts[0] == 0, name
    known = set[tuple[int, int]]()
    for one, (start, end) in zip(last.passes, pairwise([*firsts, rows]), strict=True):
        of_pass = range(start, end)
        assert [row for row in of_pass if visits.parent[row] < 0] == [start], name
        assert sum(1 + visits.below[row] for row in of_pass) == one.nodes, name
        for column, count in (
            (visits.probes, one.probes),
            (visits.hits, one.hits),
            (visits.expanded, one.expanded),
            (visits.again, one.re_expanded),
        ):
            assert sum(column[start:end]) == count, name
        assert visits.value[start] == one.value, name
        for row in of_pass:
            if visits.expanded[row]:
                known.add((visits.position[row], visits.depth[row]))
    assert sum(visits.expanded) - sum(visits.again) == len(known), name
    assert visits.depth.count(0) == last.leaves, name
    assert rows == last.interior + last.leaves, name
    assert sum(visits.below) == last.quiescence and found.left_out == 0, name
    if has_all:
        assert sum(code in BY_TABLE for code in codes) == last.cutoffs, name


def _check_values(name: str, found: RecordedTree, *, is_open: bool) -> None:
    """Windows nest, and values are what their reasons say. ``is_open``: windows do not nest."""
    visits = found.visits
    below = dict[int, dict[int, int]]()
    for row in range(len(visits.parent)):
        alpha, beta = visits.alpha[row], visits.beta[row]
        low, high = _end(alpha, -MATE - 1), _end(beta, MATE + 1)
        value, above, move = visits.value[row], visits.parent[row], visits.move[row]
        before = visits.before[row] or (None, None)
        code = REASONS[visits.reason[row]].code
        if move >= 0:
            assert visits.research[row] == (move in below.get(above, {})), (name, row)
            below.setdefault(above, {})[move] = value
            least = to_child(_end(visits.beta[above], MATE + 1))
            most = to_child(_end(visits.alpha[above], -MATE - 1))
            least, most = max(-MATE - 1, min(least, MATE)), min(MATE + 1, max(most, -MATE))
            assert is_open or (least <= low and high <= most), (name, row)
        elif above >= 0:
            assert visits.position[row] == visits.position[above], (name, row)
            assert visits.depth[row] < visits.depth[above], (name, row)
        searched, of = visits.searched[row], visits.of[row]
        assert 0 <= searched <= of, (name, row)
        assert (searched > 0) == bool(visits.expanded[row]), (name, row)
        facts = {
            "leaf": visits.depth[row] == 0,
            "no-moves": not searched and value in (0, -MATE),
            "table-exact": before == (value, value),
            "table-lower": before[0] == value >= high,
            "table-upper": before[1] == value <= low,
            "children": visits.depth[row] > 0 and not searched,
            "fail-high": searched < of and value >= high,
            "upper-met": searched < of and value == before[1] < high,
            "all-searched": searched == of,
            "one-move": above < 0 and searched == 1,
        }
        assert facts[code], (name, row, code)
        assert (searched == 0) == (
            code not in ("fail-high", "upper-met", "all-searched", "one-move")
        )
    for row, values in below.items():
        assert len(values) <= visits.searched[row], (name, row)
        if len(values) == visits.searched[row]:  # the table has not settled one unvisited
            assert visits.value[row] == max(map(from_child, values.values())), (name, row)
            assert visits.value[row] == from_child(values[visits.best[row]]), (name, row)


def _end(value: int | None, beyond: int) -> int:
    return beyond if value is None else value


PLACES = [
    ("chess", ENDING, 3),
    ("chess", MATES, 2),
    ("connect-four", CONNECT_FOUR.start, 2),
    (TREE, SHARED, 4),
]


def _variant(driver: str, game: str) -> Variant:
    if game == TREE:
        return on_tree(parse_variant(driver))
    return parse_variant(f"{driver}{',' if ':' in driver else ':'}game={game},eval=pst,grain=10")


@pytest.mark.parametrize("driver", DRIVERS)
def test_rows_recount_what_the_search_counted(driver: str) -> None:
    for game, text, depth in PLACES:
        variant = _variant(driver, game)
        result, found = recorded(variant, text, depth, 0)
        _check_counts(f"{driver}, {game}", result, found, has_all=True)
        _check_values(f"{driver}, {game}", found, is_open=driver == "minimax")
        searcher = ReferenceSearcher(variant)
        searcher.set_position(text)
        limit = SearchLimit(depth=depth)
        plain = searcher.search(limit, exact=True, first_guess=0, expansions=True)
        timeless = [
            [replace(one, time_us=0) for one in each.iterations] for each in (result, plain)
        ]
        assert timeless[0] == timeless[1], "a recorder changes nothing"


@pytest.mark.parametrize(
    "features", ["etc=1", "etc=1,etc_rule=settle,leaf_bounds=on,low_move=best", "iid=on"]
)
def test_rows_recount_searches_with_enhancements(features: str) -> None:
    for driver in ("mtdf:guess=zero,", "pvs:"):
        depth = 6 if "iid" in features else 5
        result, found = recorded(_variant(driver + features, "chess"), ENDING, depth)
        _check_counts(features, result, found, has_all="leaf_bounds" not in features)
        _check_values(features, found, is_open=False)
        codes = {REASONS[place].code for place in found.visits.reason}
        inner = sum(
            move < 0 <= above
            for above, move in zip(found.visits.parent, found.visits.move, strict=True)
        )
        assert ("children" in codes) == ("etc" in features)
        assert (inner > 0) == ("iid" in features)


def test_what_the_limit_leaves_out_is_counted() -> None:
    variant = parse_variant("mtdf:preset=plaat,guess=zero,eval=pst")
    result, whole = recorded(variant, ENDING, 4, 300)
    short, part = recorded(variant, ENDING, 4, 300, most=40)
    last = result.iterations[-1]
    assert [one.nodes for one in short.iterations[-1].passes] == [one.nodes for one in last.passes]
    rows = len(part.visits.parent)
    assert rows == 40 and part.left_out == len(whole.visits.parent) - rows
    assert len(part.first_visits) == len(last.passes) and part.first_visits[-1] is None
    firsts = [one for one in part.first_visits if one is not None]
    for one, (start, end) in zip(last.passes, pairwise([*firsts, rows]), strict=False):
        assert sum(1 + below for below in part.visits.below[start:end]) == one.nodes
    for name in ("parent", "position", "depth", "alpha", "value", "searched", "again", "after"):
        assert getattr(part.visits, name) == getattr(whole.visits, name)[:rows], name
    top = recorded(variant, ENDING, 4, 300, plies=1)[1]
    assert set(top.visits.depth) == {3, 4}
    assert sum(1 + below for below in top.visits.below) == last.nodes


def test_windows_of_sss_are_open_beyond_all_values() -> None:
    _, found = recorded(on_tree(parse_variant("sss")), SHARED, 4)
    visits = found.visits
    assert (visits.alpha[0], visits.beta[0]) == (MATE - 1, MATE)
    assert (visits.alpha[1], visits.beta[1]) == (None, -MATE)
    assert (visits.alpha[2], visits.beta[2]) == (MATE, None)


def test_transpositions_have_one_number_and_are_found_in_the_table() -> None:
    _, found = recorded(on_tree(parse_variant("alphabeta")), "(A(B(5 4)) C(B 9))", 3)
    visits, moves = found.visits, found.moves
    at = [row for row, move in enumerate(visits.move) if move >= 0 and moves[move] == "B"]
    assert len(at) == 2 and len({visits.position[row] for row in at}) == 1
    assert REASONS[visits.reason[at[1]]].code == "table-exact"
    assert visits.before[at[1]] == visits.after[at[0]] == (5, 5)
