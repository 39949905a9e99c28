"""The native core computes the numbers of the reference, which is its oracle."""

from __future__ import annotations

import itertools
from typing import Any

import chess
import pytest

from engines.moves import encode_move
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.evaluation.see import see
from engines.reference.games.chess import ChessGame, perft, position_key
from engines.reference.oracle import minimax
from engines.reference.search.game import INFINITY
from engines.reference.search.quiescence import Leaves, quiesce
from engines.spec import Searcher, SearchLimit
from engines.variant import parse_variant

pytestmark = pytest.mark.native

PST = load_evaluation("pst")


def test_random_positions_are_diverse(random_boards: list[chess.Board]) -> None:
    assert len({position_key(board) for board in random_boards}) > 150
    assert sum(board.is_check() for board in random_boards) > 10
    assert sum(board.has_legal_en_passant() for board in random_boards) >= 5
    assert sum(chess.popcount(board.occupied) < 10 for board in random_boards) > 10
    pinned = (
        board.is_pinned(board.turn, square) for board in random_boards for square in range(64)
    )
    assert sum(pinned) > 10


def test_evaluation(core: Any, random_boards: list[chess.Board]) -> None:
    for board, grain in zip(random_boards, itertools.cycle([1, 3, 10, 200, 1]), strict=False):
        fen = board.fen()
        assert core.evaluate(fen, "pst", grain) == PST.value(board, grain), fen


def test_static_exchange_evaluation(core: Any, random_boards: list[chess.Board]) -> None:
    captures = 0
    for board in random_boards:
        fen = board.fen()
        for move in board.legal_moves:
            captures += board.is_capture(move)
            assert core.see(fen, move.uci()) == see(PST, board, move), (fen, move.uci())
    assert captures > 250


EXCHANGES = [
    # Chess Programming Wiki, "SEE - The Swap Algorithm".
    ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
    ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
    ("8/8/8/2pP4/8/8/8/K6k w - c6 0 1", "d5c6", 100),
    ("2r4k/8/8/2pP4/8/8/8/K7 w - c6 0 1", "d5c6", 0),
    ("1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", 500 - 100),
    ("8/3k4/4p3/8/8/8/4R3/K7 w - - 0 1", "e2e6", 100 - 500),
    ("8/3k4/4p3/8/8/4R3/4R3/K7 w - - 0 1", "e3e6", 100),
    ("7k/3p4/8/8/8/8/8/K3R3 w - - 0 1", "e1e6", -500),
]


def test_exchanges_by_hand(core: Any) -> None:
    for fen, move, value in EXCHANGES:
        assert see(PST, chess.Board(fen), chess.Move.from_uci(move)) == value, fen
        assert core.see(fen, move) == value, fen


def test_quiescence(core: Any, random_boards: list[chess.Board]) -> None:
    for board, grain in zip(random_boards, itertools.cycle([1, 1, 25]), strict=False):
        game = ChessGame(board.copy(), PST, grain)
        value = quiesce(game, -INFINITY, INFINITY, Leaves())
        assert core.quiesce(board.fen(), "pst", grain) == value, board.fen()


def test_minimax(core: Any, random_boards: list[chess.Board], endgame_fens: list[str]) -> None:
    # Two oracles that share no line of code.
    for fen in endgame_fens[::60]:
        for quiescence in (True, False):
            game = ChessGame(chess.Board(fen), PST, 1)
            value = minimax(game, 3, quiescence=quiescence)
            assert core.minimax(fen, 3, "pst", 1, quiescence) == value, fen
    for board in random_boards[::80]:
        game = ChessGame(board.copy(), PST, 5)
        assert core.minimax(board.fen(), 1, "pst", 5, True) == minimax(game, 1), board.fen()
        value = minimax(game, 2, quiescence=False)
        assert core.minimax(board.fen(), 2, "pst", 5, False) == value, board.fen()


def test_perft(core: Any, random_boards: list[chess.Board]) -> None:
    for board in random_boards[::5]:
        assert core.perft(board.fen(), 2) == perft(board, 2), board.fen()


@pytest.mark.parametrize("guess", ["offset", "drift", "ema", "trend", "game"])
def test_guesses_and_windows(core: Any, endgame_fens: list[str], guess: str) -> None:
    """Where values agree the guesses do, and the first pass asks the null window at the guess."""
    text = f"mtdf:guess={guess},eval=pst,below=0"
    native, reference = (
        NativeSearcher(core, parse_variant(text)),
        ReferenceSearcher(parse_variant(text)),
    )
    for fen in endgame_fens[1::30]:
        seen = []
        for searcher in (native, reference):
            searcher.set_position(fen)
            result = searcher.search(SearchLimit(depth=4), exact=True)
            first = [(one.passes[0].alpha, one.passes[0].beta) for one in result.iterations]
            guesses = [one.first_guess or 0 for one in result.iterations]
            assert first == [(guess - 1, guess) for guess in guesses], (searcher, fen)
            values = [one.value for one in result.iterations]
            seen.append(list(zip(values, guesses, first, strict=True)))
        assert seen[0] == seen[1], fen


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_guess_of_the_game_is_the_value_of_two_plies_before(core: Any, backend: str) -> None:
    variant = parse_variant("mtdf:guess=game,eval=pst")
    player = NativeSearcher(core, variant) if backend == "native" else ReferenceSearcher(variant)
    board = chess.Board("8/1p3pk1/p2r2p1/3P3p/P1R2P1P/1P4P1/5K2/8 b - - 0 36")
    player.set_position(board.fen())
    first = player.search(SearchLimit(depth=4))
    known = [one.value for one in first.iterations]
    moves = [encode_move(move) for move in (first.move or "", "f2f3")]
    for move in moves:
        player.push(move)
    second = player.search(SearchLimit(depth=2))
    assert [one.first_guess for one in second.iterations] == known[2:]
    # As a program that is told the whole game each time.
    player.new_game()
    player.set_position(board.fen())
    player.search(SearchLimit(depth=4))
    player.set_position(board.fen(), moves)
    second = player.search(SearchLimit(depth=2))
    assert [one.first_guess for one in second.iterations] == known[2:]
    player.new_game()
    third = player.search(SearchLimit(depth=2))
    assert [one.first_guess for one in third.iterations] != known[2:]


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_guess_of_the_game_uses_no_other_search(core: Any, backend: str) -> None:
    """Neither one of another game, nor one of this game that is not two plies old."""
    variant = parse_variant("mtdf:guess=game,eval=pst")
    start = "8/1p3pk1/p2r2p1/3P3p/P1R2P1P/1P4P1/5K2/8 b - - 0 36"
    moves = [encode_move(move) for move in ("g7f6", "f2f3", "d6d7", "f3e4")]

    def player() -> Searcher:
        return NativeSearcher(core, variant) if backend == "native" else ReferenceSearcher(variant)

    def first_guess(searcher: Searcher, fen: str, played: int, depth: int = 1) -> int | None:
        """Of depth 1, for which no value of the same search is known."""
        searcher.set_position(fen, moves[:played])
        return searcher.search(SearchLimit(depth=depth)).iterations[0].first_guess

    def unknowing(fen: str, played: int) -> int | None:
        return first_guess(player(), fen, played)

    for before, after in ((0, 0), (0, 1), (0, 4), (3, 1)):
        searcher = player()
        first_guess(searcher, start, before, 3)
        assert first_guess(searcher, start, after) == unknowing(start, after), (before, after)
    for before, after in ((0, 2), (1, 3)):
        searcher = player()
        first_guess(searcher, start, before, 3)
        assert first_guess(searcher, start, after) != unknowing(start, after), (before, after)
        searcher = player()
        first_guess(searcher, start, before, 3)
        searcher.new_game()
        assert first_guess(searcher, start, after) == unknowing(start, after), "a new game"
        searcher = player()
        first_guess(searcher, start.replace("1p3pk1", "1p4k1"), before, 3)
        assert first_guess(searcher, start, after) == unknowing(start, after), "another game"


@pytest.mark.parametrize(
    "driver",
    [
        *("alphabeta", "pvs", "mtdf", "hybrid", "sss", "mtd-bi"),
        *(f"mtdf:guess={one}" for one in ("blend,weight=0.37", "parity", "average")),
    ],
)
def test_exact_searches(core: Any, random_boards: list[chess.Board], driver: str) -> None:
    native = NativeSearcher(core, parse_variant(f"{driver}{',' if ':' in driver else ':'}eval=pst"))
    reference = ReferenceSearcher(parse_variant(f"{driver}{',' if ':' in driver else ':'}eval=pst"))
    few = [board for board in random_boards if chess.popcount(board.occupied) < 9]
    plan = [(board.fen(), 3) for board in few[:24:12]]
    plan += [(board.fen(), 2) for board in random_boards[::120]]
    for fen, depth in plan:
        results = []
        for searcher in (native, reference):
            searcher.set_position(fen)
            results.append(searcher.search(SearchLimit(depth=depth), exact=True))
        ours, oracle = results
        assert ours.value == oracle.value, fen
        assert len(ours.iterations) == len(oracle.iterations)
        for one, other in zip(ours.iterations, oracle.iterations, strict=True):
            assert (one.value, one.first_guess) == (other.value, other.first_guess), fen


def test_exact_searches_with_the_full_evaluation(
    core: Any, random_boards: list[chess.Board]
) -> None:
    native = NativeSearcher(core, parse_variant("mtdf:eval=full"))
    reference = ReferenceSearcher(parse_variant("mtdf:eval=full"))
    for board in random_boards[::60]:
        results = []
        for searcher in (native, reference):
            searcher.set_position(board.fen())
            result = searcher.search(SearchLimit(depth=2), exact=True)
            results.append([(one.value, one.first_guess) for one in result.iterations])
        assert results[0] == results[1], board.fen()
