"""The table of the reference keeps, replaces and returns entries by its rules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

import chess
import pytest
from exact_values import exact_value
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.choices import REPLACEMENTS
from engines.reference import ReferenceSearcher
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame, position_key
from engines.reference.search.game import INFINITY, from_child, to_child
from engines.reference.search.ordering import Ordering
from engines.reference.search.table import ENTRIES_PER_MB, Entry, Table, table_size
from engines.spec import MATE, MATE_BOUND, SearchLimit
from engines.variant import parse_variant

EVALUATIONS = st.integers(-30_000, 30_000)
MATES = st.integers(MATE_BOUND + 100, MATE - 1)
VALUES = EVALUATIONS | MATES | MATES.map(lambda value: -value)


Known = tuple[int, int | None, int | None, str | None]
"""Depth, bounds and move of an entry; None for what is not known."""


def known(entry: Entry[str] | None) -> Known | None:
    """An entry as these tests write it."""
    if entry is None:
        return None
    lower = None if entry.lower == -INFINITY else entry.lower
    upper = None if entry.upper == INFINITY else entry.upper
    return entry.depth, lower, upper, entry.move


def test_both_bounds_of_one_depth_are_kept() -> None:
    table = Table[str](64)
    table.store("node", 3, "a", 10, None)
    table.store("node", 3, None, None, 20)
    assert known(table.probe("node", 3)) == (3, 10, 20, "a")


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_one_bound_is_kept_with_bounds_one(replacement: str) -> None:
    table = Table[str](64, both_bounds=False, replacement=replacement)
    table.store("node", 3, "a", -10, None)
    table.store("node", 3, None, None, 20)
    assert known(table.probe("node", 3)) == (3, None, 20, "a")
    table.store("node", 3, "b", None, None)
    assert known(table.probe("node", 3)) == (3, None, 20, "b")
    table.store("node", 3, None, 4, 4)
    assert known(table.probe("node", 3)) == (3, 4, 4, "b")


def test_contradicted_bound_is_dropped() -> None:
    table = Table[str](64)
    table.store("node", 3, "a", 10, None)
    table.store("node", 3, None, None, 9)
    assert known(table.probe("node", 3)) == (3, None, 9, "a")
    table.store("node", 3, None, 9, None)
    assert known(table.probe("node", 3)) == (3, 9, 9, "a")
    table.store("node", 3, None, 10, None)
    assert known(table.probe("node", 3)) == (3, 10, None, "a")


def test_new_depth_drops_the_bounds_and_keeps_the_move() -> None:
    table = Table[str](64)
    table.store("node", 3, "a", 10, 20)
    table.store("node", 4, None, None, 5)
    assert known(table.probe("node", 4)) == known(table.probe("node", 3)) == (4, None, 5, "a")


def test_deeper_entry_stays_next_to_a_shallower_one() -> None:
    for replacement in ("depth", "two-tier", "age"):
        table = Table[str](64, replacement=replacement)
        table.store("node", 6, "a", 1, 1)
        table.store("node", 4, None, 2, 2)
        assert known(table.probe("node", 6)) == (6, 1, 1, "a")
        assert known(table.probe("node", 4)) == (4, 2, 2, None)
        for other in (3, 5, 7):
            assert known(table.probe("node", other)) == (6, 1, 1, "a"), "else the deepest"


def test_slot_answers_for_its_own_node_only() -> None:
    table = Table[str](1)
    table.store("one", 2, "a", 1, 1)
    assert table.probe("other", 2) is None
    table.store("other", 2, "b", 2, 2)
    assert table.probe("one", 2) is None
    assert table.probe("other", 2) is not None
    table.clear()
    assert table.probe("other", 2) is None


def filled(replacement: str, depths: Iterable[int], size: int = 4) -> Table[str]:
    """A table with the nodes 0, 1, ... at these depths."""
    table = Table[str](size, replacement=replacement)
    for node, depth in enumerate(depths):
        table.store(node, depth, None, 0, 0)
    return table


def present(table: Table[str], nodes: Iterable[int]) -> list[int]:
    """Those of the nodes that the table knows."""
    return [node for node in nodes if table.probe(node, 0) is not None]


def test_always_keeps_the_newest() -> None:
    table = filled("always", [9, 9, 9, 9])
    table.store(4, 1, None, 0, 0)
    assert present(table, range(5)) == [1, 2, 3, 4], "0 and 4 have the same place"


def test_depth_keeps_the_deepest_however_old() -> None:
    table = filled("depth", [5, 6, 7, 8])
    for _ in range(20):
        table.new_search()
    table.store(9, 4, None, 0, 0)
    assert present(table, range(10)) == [0, 1, 2, 3], "shallower than all"
    table.store(9, 5, None, 0, 0)
    assert present(table, range(10)) == [1, 2, 3, 9]


def test_two_tiers_keep_the_deepest_and_the_newest() -> None:
    table = Table[str](4, replacement="two-tier")
    for node, depth in [(2, 5), (4, 7), (6, 3)]:
        table.store(node, depth, None, 0, 0)
    assert present(table, range(8)) == [4, 6], "7 stays, and 3 took the place of 5"
    table.store(1, 1, None, 0, 0)
    assert present(table, range(8)) == [1, 4, 6], "another pair"
    for size in (1, 2):
        assert present(filled("two-tier", [2, 1], size), range(2)) == [0, 1][-size:]


def test_age_replaces_the_shallowest_and_oldest() -> None:
    table = filled("age", [5, 6, 7, 8])
    table.store(9, 1, None, 0, 0)
    assert present(table, range(10)) == [1, 2, 3, 9], "the shallowest"
    table.new_search()
    for node in (10, 11, 12):
        table.store(node, 4, None, 0, 0)
    assert present(table, range(13)) == [3, 10, 11, 12], "8 is deep enough to outlive a search"
    table.new_search()
    table.store(13, 1, None, 0, 0)
    # 8 - 2 x 4 is as much as 4 - 4: of equals the one stored first.
    assert present(table, range(14)) == [10, 11, 12, 13]


@dataclass
class Model:
    """The rules of a table with whole numbers for nodes, on all that it keeps."""

    size: int
    replacement: str
    both_bounds: bool
    kept: dict[tuple[int, int], Known] = field(default_factory=dict)
    """By node and depth, the newest last."""
    searches: dict[tuple[int, int], int] = field(default_factory=dict)
    first_tier: dict[int, tuple[int, int]] = field(default_factory=dict)
    search: int = 0

    def probe(self, node: int, depth: int) -> Known | None:
        exact = self.kept.get((node, depth))
        depths = [other for known, other in self.kept if known == node]
        return exact or (self.kept[node, max(depths)] if depths else None)

    def store(
        self, node: int, depth: int, move: str | None, lower: int | None, upper: int | None
    ) -> None:
        same = self.kept.get((node, depth))
        if same is not None and (self.both_bounds or (lower, upper) == (None, None)):
            old_lower, old_upper = same[1:3]
            if lower is None and old_lower is not None and (upper is None or old_lower <= upper):
                lower = old_lower
            if upper is None and old_upper is not None and (lower is None or lower <= old_upper):
                upper = old_upper
        for other in range(depth, -1, -1):
            old = self.kept.pop((node, other), None)
            move = move or (old and old[3])
        if self.has_room(node, depth):
            self.kept[node, depth] = depth, lower, upper, move
            self.searches[node, depth] = self.search

    def has_room(self, node: int, depth: int) -> bool:
        """Whether a new entry is kept; then what goes for it has gone."""
        places = min(self.size, {"always": 1, "two-tier": 2}.get(self.replacement, 4))
        buckets = self.size // places
        rivals = [one for one in self.kept if one[0] % buckets == node % buckets]
        goes: tuple[int, int] | None = rivals[0] if len(rivals) == places else None
        if self.replacement == "two-tier" and places == 2:
            first = self.first_tier.get(node % buckets)
            if goes is not None:
                (goes,) = set(rivals) - {first}
            if first not in rivals or first is None or first[1] <= depth:
                self.first_tier[node % buckets] = node, depth
        elif goes is not None and self.replacement == "depth":
            goes = min(rivals, key=lambda one: one[1])
            if goes[1] > depth:
                return False
        elif goes is not None and self.replacement == "age":
            goes = min(rivals, key=lambda one: one[1] - 4 * (self.search - self.searches[one]))
        if goes is not None:
            del self.kept[goes]
        return True


BOUND = st.integers(-2, 2)
BOUNDS = st.one_of(
    st.just((None, None)),
    st.tuples(BOUND, st.none()),
    st.tuples(st.none(), BOUND),
    BOUND.map(lambda value: (value, value)),
)
STORE = st.tuples(
    st.integers(0, 9), st.integers(0, 6), st.sampled_from([None, "a", "b", "c"]), BOUNDS
)


@pytest.mark.parametrize("both_bounds", [True, False])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
@settings(max_examples=25)
@given(size=st.sampled_from([1, 2, 4, 8, 16]), stores=st.lists(st.none() | STORE, max_size=80))
def test_table_agrees_with_a_model_of_its_rules(
    replacement: str,
    both_bounds: bool,
    size: int,
    stores: list[tuple[int, int, str | None, tuple[int | None, int | None]] | None],
) -> None:
    table = Table[str](size, both_bounds=both_bounds, replacement=replacement)
    model = Model(size, replacement, both_bounds)
    for store in stores:
        if store is None:
            table.new_search()
            model.search += 1
            continue
        node, depth, move, bounds = store
        table.store(node, depth, move, *bounds)
        model.store(node, depth, move, *bounds)
        for other in range(8):
            assert known(table.probe(node, other)) == model.probe(node, other), store
    for node, depth in itertools.product(range(10), range(8)):
        assert known(table.probe(node, depth)) == model.probe(node, depth)


def test_sizes() -> None:
    assert table_size(hash_mb=16, entries=0) == 16 * ENTRIES_PER_MB
    assert table_size(hash_mb=16, entries=256) == 256
    assert table_size(hash_mb=0, entries=0) == 0


@given(VALUES, VALUES)
def test_windows_of_child_and_parent_agree(value: int, bound: int) -> None:
    # The value of a child beats a bound at its parent exactly when it misses the child's bound.
    assert (from_child(value) >= bound) == (value <= to_child(bound))
    assert (from_child(value) <= bound) == (value >= to_child(bound))
    assert to_child(INFINITY) <= -INFINITY
    assert to_child(-INFINITY) >= INFINITY


@pytest.mark.parametrize(
    ("child", "parent"),
    [(0, 0), (25, -25), (-MATE, MATE - 1), (MATE - 1, 2 - MATE), (2 - MATE, MATE - 3)],
)
def test_mates_move_away_by_a_ply(child: int, parent: int) -> None:
    assert from_child(child) == parent


def test_position_keys_follow_the_rules() -> None:
    def key(fen: str) -> object:
        return position_key(chess.Board(fen))

    base = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    assert key(f"{base} b KQkq - 0 1") == key(f"{base} b KQkq e3 5 9")  # no pawn can capture
    assert key(f"{base} b KQkq - 0 1") != key(f"{base} w KQkq - 0 1")
    assert key(f"{base} b KQkq - 0 1") != key(f"{base} b KQk - 0 1")
    passant = "4k3/8/8/8/3pP3/8/8/4K3 b - {} 0 1"
    assert key(passant.format("e3")) != key(passant.format("-"))
    pinned = "4k3/8/8/8/b2pP2r/8/8/4K3 b - {} 0 1"
    assert key(pinned.format("e3")) != key(pinned.format("-"))
    illegal = "8/8/8/8/k2pP2R/8/8/4K3 b - {} 0 1"
    assert key(illegal.format("e3")) == key(illegal.format("-"))


def test_order_is_table_move_captures_history() -> None:
    board = chess.Board("4k3/8/8/3q1p2/4P3/8/8/R3K3 w - - 0 1")
    game = ChessGame(board, load_evaluation("pst"), 1)
    ordering = Ordering[chess.Move]()
    quiet, table_move = chess.Move.from_uci("a1a7"), chess.Move.from_uci("e1e2")
    ordering.reward(game, quiet, 3)
    ordering.reward(game, chess.Move.from_uci("e4f5"), 9)  # a capture has no history
    order = [move.uci() for move in ordering.sort(game, game.moves(), table_move)]
    assert order[:4] == ["e1e2", "e4d5", "e4f5", "a1a7"]
    ordering.clear()
    assert [move.uci() for move in ordering.sort(game, game.moves(), None)][:2] == ["e4d5", "e4f5"]


@pytest.mark.parametrize("driver", ["mtdf", "sss", "bns", "pvs"])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_no_replacement_changes_a_value(
    driver: str, replacement: str, endgame_fens: list[str]
) -> None:
    fens = itertools.cycle(endgame_fens[::3])
    for bounds, power in itertools.product(("one", "two"), (0, 4)):
        table = f"replacement={replacement},bounds={bounds},entries=2^{power}"
        searcher = ReferenceSearcher(parse_variant(f"{driver}:eval=pst,{table}"))
        fen = next(fens)
        searcher.set_position(fen)
        result = searcher.search(SearchLimit(depth=3), exact=True)
        for iteration in result.iterations:
            value = exact_value(fen, iteration.depth)
            if driver != "bns":
                assert iteration.value == value, (table, fen)
                continue
            assert iteration.value <= value, (table, fen)
            board = chess.Board(fen)
            board.push_uci(iteration.move)
            assert from_child(exact_value(board.fen(), iteration.depth - 1)) == value


def nodes_of_a_game(parameter: str) -> list[int]:
    """What the searches of a game cost in a small table."""
    searcher = ReferenceSearcher(parse_variant(f"mtdf:eval=pst,entries=32,{parameter}"))
    searcher.set_position("8/8/6p1/6P1/5p2/5P1K/2k5/8 b - - 0 1")
    nodes = []
    for _ in range(4):
        report = searcher.go(SearchLimit(depth=4))
        nodes.append(report.nodes)
        searcher.push(report.move)
    return nodes


def test_each_replacement_changes_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*(f"replacement={replacement}" for replacement in REPLACEMENTS), "bounds=one"]
    nodes = {text: nodes_of_a_game(text) for text in texts}
    for one, other in itertools.combinations(texts, 2):
        assert nodes[one] != nodes[other]
    monkeypatch.setattr(Table, "new_search", lambda self: None)
    aged, ageless = nodes["replacement=age"], nodes_of_a_game("replacement=age")
    assert aged[0] == ageless[0]
    assert aged != ageless, "nothing ages where no search tells that it is new"
    assert nodes_of_a_game("replacement=depth") == nodes["replacement=depth"]
