"""In exact mode every driver of the reference returns the value of plain minimax, and the suite
catches the mistakes in a table that are known from print."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Hashable, Sequence
from functools import cache

import chess
import pytest
from exact_values import exact_value
from hypothesis import given, settings
from hypothesis import strategies as st
from texts import with_table

from engines.choices import CONVERGENCES
from engines.reference import ReferenceSearcher
from engines.reference.drivers.bounds import crossings
from engines.reference.drivers.catalog import ITERATE, TREES, Start
from engines.reference.drivers.convergence import Convergence
from engines.reference.drivers.mtdf import mtdf
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame, read_board
from engines.reference.oracle import minimax, open_quiescence, unpruned_quiescence
from engines.reference.search.game import Game, M, from_child
from engines.reference.search.limits import Meter, SearchStopped
from engines.reference.search.nodes import Log, Tree
from engines.reference.search.root import Root
from engines.reference.search.table import Entry, Table
from engines.spec import MATE, SearchLimit
from engines.variant import parse_variant

SETTINGS = [
    with_table(driver, table)
    for table, driver in itertools.product(
        ["hash=0", "entries=2^8", "entries=2^14", "entries=2^20"],
        [
            "alphabeta:",
            "pvs:window=0",
            "pvs:window=25,below=0,etc=1,etc_rule=settle,leaf_bounds=on",
            "mtdf:guess=zero,convergence=growth,below=0",
            "mtdf:guess=static,convergence=growth",
            "mtdf:guess=previous,convergence=growth",
            "mtdf:guess=parity,convergence=growth",
            "mtdf:guess=parity,convergence=plaat,below=0,etc=1,etc_rule=settle,leaf_bounds=on,"
            "low_move=best",
            "mtdf:guess=average,convergence=growth",
            "mtdf:guess=blend,weight=0.7,convergence=growth",
            "mtdf:guess=offset,max_passes=3,etc=1,convergence=growth",
            "mtdf:guess=drift,convergence=step,bounds=one",
            "mtdf:guess=ema,convergence=one-side",
            "mtdf:guess=trend,convergence=bisect",
            "mtdf:guess=game,convergence=secant,iid=on",
            "mtdf:guess=previous,below=6,tolerance=16,reopen=on,adopt=all,convergence=growth",
            "pvs:window=9,below=4",
            "hybrid:guess=drift,convergence=growth,below=0",
            "hybrid:null_passes=1,cap=3,below=-5",
            "negascout:",
            "sss:",
            "dual:etc=2,etc_rule=settle",
            "mtd-bi:",
            "mtd-step:",
        ],
    )
]


PAWN_ENDINGS = [
    "8/8/6p1/6P1/5p2/5P1K/2k5/8 b - - 0 1",
    "8/2k5/8/p2K4/P4p2/5P2/2P5/8 b - - 0 1",
    "8/8/8/p7/P5K1/8/7k/8 w - - 0 1",
    "2k5/8/1K6/5p2/5Pp1/6P1/7P/8 w - - 0 1",
    "4k3/8/5p2/2K2P1p/7P/8/8/8 b - - 0 1",
    "8/8/p7/Pp6/1P6/6K1/8/6k1 b - - 0 1",
    "8/1K6/3p4/3P4/3k4/8/8/8 w - - 0 1",
    "8/8/3k3K/8/2pP4/2P5/8/8 w - - 0 1",
    "1k6/8/8/p3p3/P3P3/1K6/5P2/8 b - - 0 1",
    "8/1K6/3k4/8/7p/7P/8/8 b - - 0 1",
    "8/8/8/3p4/3P4/8/4k3/2K5 b - - 0 1",
    "8/8/6p1/5pP1/4KP2/8/8/5k2 w - - 0 1",
    "8/8/4K3/k2p4/3P4/8/8/8 b - - 0 1",
    "8/k7/4K3/1p6/1P2p3/2P1P3/8/8 b - - 0 1",
    "8/8/8/2k1p3/4P3/8/P1K5/8 w - - 0 1",
    "8/3K2k1/6p1/6Pp/7P/8/8/8 b - - 0 1",
]
"""The blocked pawn endings of the file of endgames."""


def chess_game(fen: str) -> ChessGame:
    return ChessGame(read_board(fen), load_evaluation("pst"), 1)


def values(text: str, fen: str, depth: int) -> list[int]:
    """What exact search says of a position, depth by depth."""
    searcher = ReferenceSearcher(parse_variant(text))
    searcher.set_position(fen)
    result = searcher.search(SearchLimit(depth=depth), exact=True)
    return [iteration.value for iteration in result.iterations]


class RandomGame:
    """A random graph with few nodes, so that one node is met at many depths and by many ways.

    Some nodes end the game, some are in check; captures lead to nodes of a higher number only,
    so that quiescence ends.
    """

    def __init__(self, seed: int, nodes: int = 40, width: int = 3, span: int = 12) -> None:
        rng = random.Random(seed)
        last = nodes - 1
        self._children = []
        self._check = []
        self._captures = []
        self._static = [rng.randint(-span, span) for _ in range(nodes)]
        self._ended = [-MATE if rng.random() < 0.5 else 0 for _ in range(nodes)]
        for node in range(nodes):
            check = rng.random() < 0.15
            low = node + 1 if check else 0
            moves = rng.randint(1, width) if rng.random() > 0.06 and node < last else 0
            children = [rng.randint(low, last) for _ in range(moves)]
            self._children.append(children)
            self._check.append(check)
            quiet_enough = [move for move, child in enumerate(children) if child > node]
            self._captures.append([move for move in quiet_enough if rng.random() < 0.4])
        self._path = [rng.randrange(nodes // 2)]

    def key(self) -> Hashable:
        return self._path[-1]

    def moves(self) -> Sequence[int]:
        return range(len(self._children[self._path[-1]]))

    def has_move(self) -> bool:
        return bool(self._children[self._path[-1]])

    def terminal_value(self) -> int:
        return self._ended[self._path[-1]]

    def static(self) -> int:
        return self._static[self._path[-1]]

    def is_forced(self) -> bool:
        return self._check[self._path[-1]]

    def captures(self) -> Sequence[int]:
        return self._captures[self._path[-1]]

    def promise(self, move: int) -> int:
        return int(move in self._captures[self._path[-1]])

    def push(self, move: int) -> None:
        self._path.append(self._children[self._path[-1]][move])

    def pop(self) -> None:
        self._path.pop()

    def is_path_draw(self) -> bool:
        raise AssertionError("exact search must not look at the path")

    def near_path_draw(self, depth: int) -> bool:
        raise AssertionError("exact search must not look at the path")


class Counted(RandomGame):
    """A game that counts the moves made in it."""

    def __init__(self, game: RandomGame) -> None:
        self.__dict__.update(game.__dict__)
        self.pushed = 0

    def push(self, move: int) -> None:
        self.pushed += 1
        super().push(move)


class SwapsBounds(Tree[M]):
    """Takes what failed low for a lower bound, and the reverse."""

    def store(
        self, depth: int, alpha: int, beta: int, value: int, move: M | None, clean: bool
    ) -> None:
        if self.table is not None:
            lower, upper = value if value < beta else None, value if value > alpha else None
            self.table.store(self.game.key(), depth, move, lower, upper)


class WrongFailSoft(Tree[M]):
    """Takes a value at alpha for more than an upper bound: off by one."""

    def store(
        self, depth: int, alpha: int, beta: int, value: int, move: M | None, clean: bool
    ) -> None:
        super().store(depth, alpha - 1, beta, value, move, clean)


class BothBoundsAfterFailLow(Tree[M]):
    """The published version of AlphaBetaWithMemory that stores both bounds after a fail low."""

    def store(
        self, depth: int, alpha: int, beta: int, value: int, move: M | None, clean: bool
    ) -> None:
        if value <= alpha and self.table is not None:
            self.table.store(self.game.key(), depth, move, value, value)
        else:
            super().store(depth, alpha, beta, value, move, clean)


class AcceptsDeeper(Tree[M]):
    """Takes entries of a greater depth, which selective search may do and exact search not."""

    def _usable(self, entry: Entry[M], depth: int) -> bool:
        return entry.depth >= depth


class IgnoresDepth(Tree[M]):
    """Takes entries of any depth."""

    def _usable(self, entry: Entry[M], depth: int) -> bool:
        return True


@cache
def graph_values(seed: int) -> list[int]:
    """The values of a random graph to depth 6."""
    game = RandomGame(seed)
    return [minimax(game, depth) for depth in range(1, 7)]


DRIVERS = [
    "alphabeta",
    "pvs:window=3",
    "mtdf:guess=previous,convergence=plaat",
    "mtdf:guess=parity,convergence=secant,max_passes=4",
    "hybrid:convergence=step,step=2",
    "negascout",
    "sss",
    "dual",
    "mtd-bi",
    "mtd-step:stride=4",
    "minimax",
]
PROOFS = ["mtd-best:guess=previous", "bns:guess=previous", "mtd-best:guess=zero", "bns:guess=zero"]


def deepen(
    text: str,
    game: Game[M],
    depth: int,
    size: int,
    tree_type: type[Tree[M]] | None = None,
    logs: list[Log[M]] | None = None,
    **options: int,
) -> tuple[list[int], list[M]]:
    """The values and the moves of the iterations up to ``depth`` in a table of ``size``; their logs
    go to ``logs``."""
    variant = parse_variant(text)
    table = Table[M](size) if size and variant.driver != "minimax" else None
    meter = Meter(SearchLimit(), threading.Event())
    tree_type = tree_type or TREES[variant.driver]
    etc, iid = options.get("etc", 0), bool(options.get("iid", 0))
    tree = tree_type(
        game,
        table,
        meter,
        exact=True,
        quiescence=not options.get("calm", 0),
        enhanced_cuts=etc,
        settle=bool(options.get("settle", 0)),
        leaf_bounds=bool(options.get("leaf_bounds", 0)),
        best_of_low=bool(options.get("best_of_low", 0)),
        internal_deepening=iid,
    )
    values: list[int] = []
    moves: list[M] = []
    for iteration in range(1, depth + 1):
        last = values[-1] if values else None
        guess = last if last is not None and "zero" not in text else 0
        tree.log = Log[M]()
        if logs is not None:
            logs.append(tree.log)
        root = Root(tree, iteration, moves[-1] if moves else None)
        values.append(ITERATE[variant.driver](root, Start(last, guess, variant.parameters)))
        moves.extend(tree.log.line[:1])  # a game that has ended has none
    return values, moves


def test_openings_to_depth_2(book_fens: list[str]) -> None:
    turns = itertools.cycle(SETTINGS)
    grains = itertools.cycle([1, 4, 25])
    for fen, grain in zip(book_fens[2:300:150], grains, strict=False):
        oracle = [exact_value(fen, depth, grain=grain) for depth in (1, 2)]
        for text in itertools.islice(turns, 4):
            assert values(f"{text},eval=pst,grain={grain}", fen, 2) == oracle, (text, grain, fen)


def test_endgames_to_depth_2(endgame_fens: list[str]) -> None:
    turns = itertools.cycle(SETTINGS)
    grains = itertools.cycle([1, 4, 25, 200])
    for fen, grain in zip(endgame_fens[::5], grains, strict=False):
        for switch in ("on", "off"):
            tree = {"grain": grain, "quiescence": switch == "on"}
            oracle = [exact_value(fen, depth, **tree) for depth in (1, 2)]
            for text in itertools.islice(turns, 3):
                text = f"{text},eval=pst,grain={grain},quiescence={switch}"
                assert values(text, fen, 2) == oracle, (text, fen)


def test_pawn_endings_to_depth_4(endgame_fens: list[str]) -> None:
    turns = itertools.cycle(SETTINGS)
    for fen in PAWN_ENDINGS[::3]:
        oracle = [exact_value(fen, depth) for depth in (1, 2, 3, 4)]
        for text in itertools.islice(turns, 5):
            assert values(f"{text},eval=pst", fen, 4) == oracle, (text, fen)


def test_full_evaluation_to_depth_2(book_fens: list[str], endgame_fens: list[str]) -> None:
    turns = itertools.cycle(SETTINGS)
    for fen in [book_fens[3], *endgame_fens[::50]]:
        oracle = [exact_value(fen, depth, evaluation="full", grain=4) for depth in (1, 2)]
        for text in itertools.islice(turns, 2):
            assert values(f"{text},eval=full,grain=4", fen, 2) == oracle, (text, fen)


def hard_passes(truth: int, guess: int, convergence: str) -> list[int]:
    """The betas that MTD(f) asks where a pass tells no more than that it failed."""
    betas: list[int] = []

    def search(alpha: int, beta: int) -> int:
        assert alpha == beta - 1
        betas.append(beta)
        return beta if truth >= beta else alpha

    assert mtdf(search, guess, Convergence(convergence, step=4)) == truth
    return betas


def test_growth_doubles_and_halves_its_steps() -> None:
    assert hard_passes(6, 0, "plaat") == [0, 1, 2, 3, 4, 5, 6, 7]
    # Steps of 1, 2 and 4 up to 7, which fails low; back by 2, and up again by 1.
    assert hard_passes(6, 0, "growth") == [0, 1, 3, 7, 5, 6]
    assert hard_passes(-3, 0, "plaat") == [0, -1, -2, -3]
    assert len(hard_passes(1000, -1000, "plaat")) == 2002
    assert len(hard_passes(1000, -1000, "growth")) < 40


def test_other_convergences_take_their_steps() -> None:
    assert hard_passes(6, 0, "step") == [0, 4, 8, 5, 7, 6]
    assert hard_passes(6, 0, "one-side") == [0, 4, 12, 11, 10, 9, 8, 7, 6]
    assert hard_passes(6, 0, "bisect") == [0, 4, 12, 8, 6, 7]
    # Without a value between the windows no line is to be drawn: as growth.
    assert hard_passes(6, 0, "secant") == hard_passes(6, 0, "growth")


@pytest.mark.parametrize("convergence", CONVERGENCES)
def test_every_convergence_finds_the_value(convergence: str) -> None:
    for truth, guess in itertools.product((-32_000, -77, 0, 1, 500, 31_990), (-300, 0, 501)):
        if convergence in ("growth", "bisect", "secant") or abs(truth - guess) < 1000:
            hard_passes(truth, guess, convergence)
        if convergence in ("plaat", "growth", "secant"):
            for near in (truth, truth + 1):
                assert len(hard_passes(truth, near, convergence)) == 2


@pytest.mark.parametrize("convergence", ["plaat", "growth", "secant"])
def test_mtdf_takes_two_passes_from_the_value_itself(
    endgame_fens: list[str], convergence: str
) -> None:
    searcher = ReferenceSearcher(parse_variant(f"mtdf:eval=pst,convergence={convergence},below=0"))
    for fen in endgame_fens[::20]:
        searcher.set_position(fen)
        value = searcher.search(SearchLimit(depth=3), exact=True).value
        for guess, fails_high in ((value, [True, False]), (value + 1, [False, True])):
            result = searcher.search(SearchLimit(depth=3), exact=True, first_guess=guess)
            last = result.iterations[-1]
            assert (result.value, last.first_guess) == (value, guess)
            assert [one.fails_high for one in last.passes] == fails_high, (fen, guess)


def test_open_quiescence_is_unpruned_quiescence(random_boards: list[chess.Board]) -> None:
    compared = 0
    for board in random_boards[::2]:
        game = chess_game(board.fen())
        value = unpruned_quiescence(game, 500)
        if value is not None:
            assert open_quiescence(game) == value, board.fen()
            compared += 1
    assert compared > 60


def test_larger_trees_of_unpruned_quiescence(book_fens: list[str]) -> None:
    compared = 0
    for fen in book_fens[:200:8]:
        board = chess.Board(fen)
        move = max(board.legal_moves, key=lambda move: (board.is_capture(move), move.uci()))
        board.push(move)
        game = chess_game(board.fen())
        value = unpruned_quiescence(game, 9_999)
        if value is not None:
            assert open_quiescence(game) == value, fen
            compared += 1
    assert compared > 12


@pytest.mark.parametrize("driver", DRIVERS)
def test_random_graphs(driver: str) -> None:
    for seed in range(36):
        game = RandomGame(seed)
        found, _ = deepen(
            driver,
            game,
            6,
            [0, 7, 4096][seed // 6 % 3],
            etc=seed % 3,
            iid=seed % 2,
            settle=seed // 2 % 2,
            leaf_bounds=seed // 3 % 2,
            best_of_low=seed // 5 % 2,
        )
        assert found == graph_values(seed), seed


@pytest.mark.parametrize("driver", ["negascout", "pvs:window=0", "sss"])
def test_random_graphs_without_quiescence(driver: str) -> None:
    for seed in range(20):
        game = RandomGame(seed)
        oracle = [minimax(game, depth, quiescence=False) for depth in range(1, 7)]
        assert deepen(driver, game, 6, 4096 * (seed % 2), calm=1)[0] == oracle, seed


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(DRIVERS), st.sampled_from([0, 7, 4096]))
def test_bounds_bracket_the_value_after_every_pass(seed: int, driver: str, size: int) -> None:
    game = RandomGame(seed, span=60)
    logs: list[Log[int]] = []
    values, _ = deepen(driver, game, 4, size, logs=logs)
    assert values == [minimax(game, depth) for depth in (1, 2, 3, 4)]
    for value, log in zip(values, logs, strict=True):
        assert crossings(log.passes) == 0
        for one in log.passes:
            assert one.fails_low or one.fails_high or one.beta > one.alpha + 1
            assert not one.fails_low or value <= one.value
            assert not one.fails_high or value >= one.value
            assert one.fails_low or one.fails_high or value == one.value


@pytest.mark.parametrize("driver", PROOFS)
def test_proofs_name_a_move_of_the_minimax_value(driver: str) -> None:
    for seed in range(30):
        game = RandomGame(seed)
        if not game.has_move():
            continue
        bounds, moves = deepen(driver, game, 6, [0, 7, 4096][seed % 3])
        for depth, (bound, move) in enumerate(zip(bounds, moves, strict=True), 1):
            best = minimax(game, depth)
            game.push(move)
            assert from_child(minimax(game, depth - 1)) == best, (seed, depth)
            game.pop()
            assert bound <= best


@pytest.mark.parametrize(
    "mutant", [BothBoundsAfterFailLow, AcceptsDeeper, IgnoresDepth, SwapsBounds, WrongFailSoft]
)
def test_random_graphs_catch_unsound_tables(mutant: type[Tree[int]]) -> None:
    wrong = 0
    for seed in range(36):
        game, oracle = RandomGame(seed), graph_values(seed)
        drivers = ("alphabeta", "mtdf:guess=previous,convergence=plaat", "sss")
        wrong += any(deepen(text, game, 6, 4096, mutant)[0] != oracle for text in drivers)
    assert wrong > 4


@pytest.mark.parametrize("mutant", [BothBoundsAfterFailLow, AcceptsDeeper])
def test_endgames_catch_unsound_tables(mutant: type[Tree[chess.Move]]) -> None:
    text, wrong = "mtdf:guess=previous,convergence=plaat", 0
    for fen in PAWN_ENDINGS[:3]:
        oracle = [exact_value(fen, depth) for depth in range(1, 6)]
        assert deepen(text, chess_game(fen), 5, 2**18)[0] == oracle
        wrong += deepen(text, chess_game(fen), 5, 2**18, mutant)[0] != oracle
    assert wrong >= 2


class DoesNotNarrow(Tree[M]):
    """Leaves the window as it is where a stored bound does not cut."""

    def narrow(self, entry: Entry[M], alpha: int, beta: int) -> tuple[int, int]:
        return alpha, beta


@pytest.mark.parametrize("driver", ["mtdf:convergence=plaat", "sss", "dual", "bns", "mtd-best"])
def test_narrowing_by_the_table_changes_nothing_under_null_windows(driver: str) -> None:
    for seed in filter(lambda seed: RandomGame(seed).has_move(), range(12)):
        nodes = []
        for tree in (Tree[int], DoesNotNarrow[int]):
            game = RandomGame(seed)
            counted = Counted(game)
            deepen(driver, counted, 6, 4096, tree)
            nodes.append(counted.pushed)
        assert nodes[0] == nodes[1], seed


def test_narrowing_by_the_table_changes_open_windows() -> None:
    def pushed(seed: int, tree: type[Tree[int]]) -> int:
        counted = Counted(RandomGame(seed))
        deepen("alphabeta", counted, 6, 4096, tree)
        return counted.pushed

    assert any(pushed(seed, Tree[int]) != pushed(seed, DoesNotNarrow[int]) for seed in range(60))


def test_cpu_time_ends_a_search_of_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5_000_000]
    monkeypatch.setattr("engines.reference.search.limits.time.thread_time_ns", lambda: now[0])
    meter = Meter(SearchLimit(cpu_ms=3), threading.Event())
    meter.must_finish = False
    now[0] += 2_999_999
    for _ in range(100):
        meter.spend_node()
    assert meter.may_deepen()
    now[0] += 1
    assert not meter.may_deepen()
    with pytest.raises(SearchStopped):
        for _ in range(100):
            meter.spend_node()
