"""In exact mode every driver of the core returns the value of plain minimax.

Not each position meets each setting: the settings take turns, so that every driver meets every
guess, grain and size of the table on many positions. An opening cannot tell a table that accepts
deeper entries from a sound one; the endgames can.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import chess
import pytest
from texts import with_table

from engines.native import NativeSearcher
from engines.reference.search.game import from_child
from engines.spec import MATE, Iteration, SearchLimit
from engines.variant import parse_variant

pytestmark = pytest.mark.native

DRIVERS = [
    "alphabeta:",
    "pvs:window=0",
    "pvs:window=25,below=0",
    "pvs:window=1,below=0",
    "mtdf:guess=zero,convergence=growth,below=0",
    "mtdf:guess=static,convergence=growth",
    "mtdf:guess=previous,convergence=growth",
    "mtdf:guess=parity,convergence=growth",
    "mtdf:guess=parity,convergence=plaat,below=0,reward_once=off",
    "mtdf:guess=average,convergence=growth",
    "mtdf:guess=blend,weight=0.3,convergence=growth",
    "mtdf:guess=offset,max_passes=3,convergence=growth",
    "mtdf:guess=drift,convergence=step,step=12",
    "mtdf:guess=ema,convergence=one-side,etc=2,etc_rule=settle,low_move=best",
    "mtdf:guess=trend,convergence=one-side,side=below,bounds=one",
    "mtdf:guess=game,convergence=bisect,replacement=two-tier",
    "mtdf:guess=parity,convergence=secant,iid=on",
    "mtdf:guess=previous,below=6,tolerance=16,reopen=on,adopt=all,convergence=growth",
    "mtdf:",
    "mtdf:best_move_stop=on,fail_high_reduction=2,cut_reduction=2,reward_once=on",
    "pvs:below=-9",
    "hybrid:",
    "hybrid:null_passes=1,cap=25,below=3,reward_once=on",
    "hybrid:guess=drift,null_passes=1,replacement=always,convergence=growth,below=0",
    "negascout:",
    "negascout:replacement=depth,iid=on",
    "sss:",
    "dual:",
    "mtd-bi:bounds=one,etc=1,etc_rule=settle,leaf_bounds=on",
    "mtd-step:stride=30",
]
TABLES = ["hash=0", "entries=2^8", "entries=2^12", "entries=2^16", "entries=2^20"]
SETTINGS = list(
    dict.fromkeys(with_table(driver, table) for table, driver in itertools.product(TABLES, DRIVERS))
)


@pytest.fixture
def turns() -> Iterator[str]:
    """The settings again and again."""
    return itertools.cycle(SETTINGS)


def values(core: Any, text: str, fen: str, depth: int) -> list[int]:
    """What exact search says of a position, depth by depth."""
    searcher = NativeSearcher(core, parse_variant(text))
    searcher.set_position(fen)
    result = searcher.search(SearchLimit(depth=depth), exact=True)
    assert [iteration.depth for iteration in result.iterations] == list(range(1, depth + 1))
    assert result.value == result.iterations[-1].value
    return [iteration.value for iteration in result.iterations]


def test_settings_cover_drivers_guesses_and_tables() -> None:
    # Without a table, what differs in parameters of the table is one variant.
    assert 5 * len(DRIVERS) - 1 == len(SETTINGS) == len(set(SETTINGS))


@pytest.mark.slow
def test_openings_to_depth_4(
    core: Any, minimax_values: list[dict[str, Any]], turns: Iterator[str]
) -> None:
    groups = [group for group in minimax_values if group["depth"] == 4]
    assert {group["grain"]: len(group["values"]) for group in groups} == {1: 208, 10: 52}
    for group in groups:
        grain = group["grain"]
        for fen, value in list(group["values"].items())[::6]:
            oracle = [core.minimax(fen, depth, "pst", grain, True) for depth in (1, 2)]
            for text in itertools.islice(turns, 17):
                found = values(core, f"{text},eval=pst,grain={grain}", fen, 4)
                assert (found[:2], found[3]) == (oracle, value), (text, grain, fen)


def test_openings_to_depth_3(core: Any, book_fens: list[str], turns: Iterator[str]) -> None:
    """Each setting once. Plain minimax of wilder openings takes seconds."""
    fens = book_fens[41:241:40]
    for fen, grain in zip(fens, itertools.cycle([1, 4, 25, 200]), strict=False):
        oracle = [core.minimax(fen, depth, "pst", grain, True) for depth in (1, 2, 3)]
        for text in itertools.islice(turns, 32):
            assert values(core, f"{text},eval=pst,grain={grain}", fen, 3) == oracle, (
                text,
                grain,
                fen,
            )


@pytest.mark.parametrize("grain", [1, 16])
def test_openings_without_quiescence_to_depth_4(
    core: Any, book_fens: list[str], turns: Iterator[str], grain: int
) -> None:
    for fen in book_fens[grain:4000:500]:
        oracle = [core.minimax(fen, depth, "pst", grain, False) for depth in (1, 2, 3, 4)]
        for text in itertools.islice(turns, 5):
            found = values(core, f"{text},eval=pst,grain={grain},quiescence=off", fen, 4)
            assert found == oracle, (text, grain, fen)


def test_endgames_to_depth_6(
    core: Any, minimax_values: list[dict[str, Any]], turns: Iterator[str]
) -> None:
    (group,) = [group for group in minimax_values if group["depth"] == 6]
    assert len(group["values"]) >= 50
    for fen, value in list(group["values"].items())[::12]:
        oracle = [core.minimax(fen, depth, "pst", 1, True) for depth in (1, 2, 3, 4)]
        for text in itertools.islice(turns, 17):
            found = values(core, f"{text},eval=pst", fen, 6)
            assert (found[:4], found[5]) == (oracle, value), (text, fen)


@pytest.mark.parametrize(("grain", "quiescence"), [(4, "on"), (25, "on"), (1, "off"), (7, "off")])
def test_endgames_to_depth_4(
    core: Any, endgame_fens: list[str], turns: Iterator[str], grain: int, quiescence: str
) -> None:
    for fen in endgame_fens[grain % 5 :: 15]:
        oracle = [
            core.minimax(fen, depth, "pst", grain, quiescence == "on") for depth in (1, 2, 3, 4)
        ]
        for text in itertools.islice(turns, 17):
            text = f"{text},eval=pst,grain={grain},quiescence={quiescence}"
            assert values(core, text, fen, 4) == oracle, (text, fen)


@pytest.mark.parametrize("grain", [1, 10])
def test_full_evaluation(
    core: Any,
    minimax_values: list[dict[str, Any]],
    endgame_fens: list[str],
    turns: Iterator[str],
    grain: int,
) -> None:
    (openings,) = [g["values"] for g in minimax_values if (g["depth"], g["grain"]) == (4, 10)]
    plan = [(fen, 3) for fen in list(openings)[:3]] + [(fen, 4) for fen in endgame_fens[::20]]
    for fen, depth in plan:
        oracle = [core.minimax(fen, d, "full", grain, True) for d in range(1, depth + 1)]
        for text in itertools.islice(turns, 17):
            found = values(core, f"{text},eval=full,grain={grain}", fen, depth)
            assert found == oracle, (text, fen)


@pytest.mark.parametrize("quiescence", ["on", "off"])
def test_plain_minimax(core: Any, endgame_fens: list[str], quiescence: str) -> None:
    for fen in endgame_fens[::3]:
        oracle = [core.minimax(fen, depth, "pst", 1, quiescence == "on") for depth in (1, 2, 3)]
        assert values(core, f"minimax:eval=pst,quiescence={quiescence}", fen, 3) == oracle, fen


PROOFS = [
    f"{driver}:guess={guess},{table}"
    for table in ("hash=0", "entries=2^8", "entries=2^16")
    for driver in ("mtd-best", "bns")
    for guess in ("previous", "zero", "drift", "parity")
]


def check_proofs(core: Any, text: str, fen: str, depth: int, grain: int) -> int:
    """Compares the move of each iteration with plain minimax; tells how many were proved."""
    searcher = NativeSearcher(core, parse_variant(f"{text},eval=pst,grain={grain}"))
    searcher.set_position(fen)
    result = searcher.search(SearchLimit(depth=depth), exact=True)
    for one in result.iterations:
        best = core.minimax(fen, one.depth, "pst", grain, True)
        board = chess.Board(fen)
        board.push_uci(one.move)
        value = from_child(core.minimax(board.fen(), one.depth - 1, "pst", grain, True))
        assert value == best, (text, fen, one.depth)
        assert one.value <= best
        check_proof(one, board.copy(stack=True))
    return len(result.iterations)


def check_proof(iteration: Iteration, board: chess.Board) -> None:
    """The passes alone prove the move: no other one's upper bound exceeds its lower bound."""
    upper = {move.uci(): MATE for move in (board.pop(), board)[1].legal_moves}
    lower = {move: -MATE for move in upper}
    for one in iteration.passes:
        assert one.move is not None
        assert one.beta == one.alpha + 1
        bound = lower if one.fails_high else upper
        bound[one.move] = one.value
    best = iteration.move
    assert lower[best] == iteration.value
    assert all(upper[move] <= lower[best] for move in upper if move != best)
    assert iteration.crossings == 0


def test_proofs_name_a_move_of_the_minimax_value(
    core: Any, book_fens: list[str], endgame_fens: list[str]
) -> None:
    turns = itertools.cycle(PROOFS)
    plan = [(fen, 2) for fen in book_fens[:4000:400]] + [(fen, 4) for fen in endgame_fens[::6]]
    proved = 0
    for (fen, depth), grain in zip(plan, itertools.cycle([1, 1, 10]), strict=False):
        for text in itertools.islice(turns, 3):
            proved += check_proofs(core, text, fen, depth, grain)
    assert proved > 150


def test_known_values_match_the_oracle(core: Any, minimax_values: list[dict[str, Any]]) -> None:
    # A sample: the whole of it takes minutes.
    for group in minimax_values:
        for fen in list(group["values"])[3:4]:
            value = core.minimax(fen, group["depth"], "pst", group["grain"], True)
            assert value == group["values"][fen], (group["depth"], group["grain"], fen)


@pytest.mark.parametrize("convergence", ["plaat", "growth", "secant"])
def test_mtdf_takes_two_passes_from_the_value_itself(
    core: Any, book_fens: list[str], endgame_fens: list[str], convergence: str
) -> None:
    text = f"mtdf:entries=2^16,convergence={convergence},below=0"
    searcher = NativeSearcher(core, parse_variant(text))
    for fen in book_fens[:200:100] + endgame_fens[::27]:
        searcher.set_position(fen)
        first = searcher.search(SearchLimit(depth=4), exact=True)
        for iteration in first.iterations:
            value, limit = iteration.value, SearchLimit(depth=iteration.depth)
            for guess, fails_high in ((value, [True, False]), (value + 1, [False, True])):
                result = searcher.search(limit, exact=True, first_guess=guess)
                last = result.iterations[-1]
                assert (result.value, last.first_guess) == (value, guess)
                assert [one.fails_high for one in last.passes] == fails_high, (fen, guess)


def test_selective_searches_do_not_change_exact_values(core: Any, endgame_fens: list[str]) -> None:
    searcher = NativeSearcher(core, parse_variant("mtdf:entries=2^12"))
    for fen in endgame_fens[52:68:4]:
        searcher.set_position(fen)
        first = searcher.search(SearchLimit(depth=6), exact=True)
        searcher.search(SearchLimit(nodes=5_000))
        again = searcher.search(SearchLimit(depth=6), exact=True)
        assert [one.value for one in again.iterations] == [one.value for one in first.iterations]
        assert again.nodes == first.nodes
