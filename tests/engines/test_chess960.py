"""Core and reference play Chess960 by its rules; oracles are python-chess and published counts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import chess
import pytest

from engines.backend import perft
from engines.errors import PositionError
from engines.moves import decode_move, encode_move
from engines.native import NativeSearcher
from engines.reference import ReferenceSearcher
from engines.reference.evaluation.chess import load_evaluation
from engines.reference.games.chess import ChessGame, read_board
from engines.reference.games.chess import perft as reference_perft
from engines.reference.oracle import minimax
from engines.spec import MATE, Searcher, SearchLimit
from engines.variant import parse_variant

POSITIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "perft_chess960.json").read_text(encoding="utf-8")
)["positions"]

CASTLING = {
    # Position, and the castling moves that are legal there.
    "king and rook side by side": ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),
    "the king stays": ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),
    "the king stays on c1": ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1"),
    "the rook stays": ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"),
    "the rook stays on d1": ("4k3/8/8/8/8/8/8/3RK3 w D - 0 1", "e1d1"),
    "they change places": ("4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "d1c1"),
    "beside an ordinary move of the king": ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1"),
    "with an inner rook": ("4k3/8/8/8/8/8/8/RR1K1R1R w FB - 0 1", "d1f1 d1b1"),
    "with the outermost rooks": ("4k3/8/8/8/8/8/8/1RRK3R w KQ - 0 1", "d1h1"),
    "out of check": ("4kr2/8/8/8/8/8/8/1R3KR1 w GB - 0 1", ""),
    "through check": ("3rk3/8/8/8/8/8/8/1K4R1 w G - 0 1", ""),
    "into check": ("4k1r1/8/8/8/8/8/8/3K3R w H - 0 1", ""),
    "past an attacked square of the rook": ("1r2k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1"),
    "a rook that shields its king": ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", ""),
    "a rook that shields its king on the other side": ("4k3/8/8/8/8/8/8/5KRq w G - 0 1", ""),
    "over a piece": ("4k3/8/8/8/8/8/8/1K1N2R1 w G - 0 1", ""),
    "a piece on the rook's square": ("4k3/8/8/8/8/8/8/R2BK3 w A - 0 1", ""),
    "the other rook on the king's square": ("4k3/8/8/8/8/8/8/R1R1K3 w A - 0 1", ""),
    "with check": ("3k4/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1"),
    "in the start position of chess": ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1 e1a1"),
}


def mirrored(fen: str, moves: str) -> tuple[str, str]:
    board = chess.Board(fen, chess960=True).mirror()
    return board.fen(), moves.translate(str.maketrans("18", "81"))


@pytest.fixture(params=["native", "reference"])
def searcher(request: pytest.FixtureRequest) -> Callable[[str], Searcher]:
    """Makes players of one backend."""
    if request.param == "reference":
        return lambda variant: ReferenceSearcher(parse_variant(variant))
    core = pytest.importorskip("engines._core")
    return lambda variant: NativeSearcher(core, parse_variant(variant))


def codes_of(board: chess.Board) -> list[int]:
    """Every code of a move of a man of the side to move, without promotion."""
    men = chess.SquareSet(board.occupied_co[board.turn])
    return [start | end << 6 for start in men for end in range(64)]


@cache
def random_games(number: int, plies: int) -> list[list[chess.Board]]:
    """Positions of random games from random start positions."""
    rng = random.Random(960)
    games = []
    for _ in range(number):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        positions = [board.copy()]
        while len(positions) < plies and not board.is_game_over():
            moves = list(board.legal_moves)
            castling = [move for move in moves if board.is_castling(move)]
            board.push(rng.choice(castling or moves))
            positions.append(board.copy())
        games.append(positions)
    return games


@pytest.mark.native
def test_published_perft(core: Any) -> None:
    for number, position in enumerate(POSITIONS):
        fen = position["fen"]
        for depth, leaves in enumerate(position["leaves"], 1):
            assert core.perft(fen, depth, True) == leaves, (fen, depth)
        if number % 5 == 0:
            assert reference_perft(read_board(fen, chess960=True), 2) == position["leaves"][1], fen


def test_there_are_many_published_positions_with_all_rights() -> None:
    assert len(POSITIONS) >= 40
    rights = {position["fen"].split()[2] for position in POSITIONS}
    assert len(rights) >= 15
    assert perft(POSITIONS[0]["fen"], 3, chess960=True) == POSITIONS[0]["leaves"][2]


def test_castling(searcher: Callable[[str], Searcher]) -> None:
    player = searcher("pvs:entries=2^10")
    for name, case in CASTLING.items():
        for fen, expected in (case, mirrored(*case)):
            board = chess.Board(fen, chess960=True)
            castling = {move.uci() for move in board.legal_moves if board.is_castling(move)}
            assert castling == set(expected.split()), name
            player.set_position(fen, chess960=True)
            legal = {encode_move(move.uci()) for move in board.legal_moves}
            assert {code for code in codes_of(board) if player.is_legal(code)} == legal, name
            for uci in castling:
                player.set_position(fen, [encode_move(uci)], chess960=True)
                after = board.copy()
                after.push_uci(uci)
                replies = {encode_move(move.uci()) for move in after.legal_moves}
                found = {code for code in codes_of(after) if player.is_legal(code)}
                assert found == replies, (name, uci)


def test_perft_of_positions_with_castling() -> None:
    for fen, _ in CASTLING.values():
        count = reference_perft(chess.Board(fen, chess960=True), 2)
        assert perft(fen, 2, chess960=True) == count, fen


def test_castling_has_one_code_in_each_kind_of_game(searcher: Callable[[str], Searcher]) -> None:
    """Also in the start position of standard chess, which is one of the 960."""
    fen = CASTLING["in the start position of chess"][0]
    own, takes = encode_move("e1g1"), encode_move("e1h1")
    player = searcher("pvs:entries=2^10")
    for chess960 in (False, True, False):
        player.set_position(fen, chess960=chess960)
        assert (player.is_legal(own), player.is_legal(takes)) == (not chess960, chess960)
        with pytest.raises(PositionError, match=r"e1g1|e1h1"):
            player.push(own if chess960 else takes)
        player.push(takes if chess960 else own)
        # Both castle: the white rook stands on f1 and the black king still may castle.
        assert player.is_legal(encode_move("e8a8" if chess960 else "e8c8"))


def test_order_of_set_position_and_new_game_does_not_matter(
    searcher: Callable[[str], Searcher],
) -> None:
    player = searcher("pvs:entries=2^10")
    player.set_position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    player.new_game()
    assert player.is_legal(encode_move("f1g1"))


IMPOSSIBLE_RIGHTS = [
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", False),
    ("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", False),
    ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", False),
    ("4k3/8/8/8/8/8/8/5KR1 w A - 0 1", True),
    ("4k3/8/8/8/8/8/8/5KR1 w Q - 0 1", True),
    ("4k3/8/8/8/8/8/8/5KR1 w X - 0 1", True),
    ("4k3/8/8/8/8/8/5K2/6R1 w G - 0 1", True),
    ("4k3/8/8/8/8/8/8/3K1RR1 w GF - 0 1", True),
    ("4k3/8/8/8/8/8/8/5KR1 w g - 0 1", True),
]


def test_impossible_castling_rights_are_refused(searcher: Callable[[str], Searcher]) -> None:
    player = searcher("pvs:entries=2^10")
    for fen, chess960 in IMPOSSIBLE_RIGHTS:
        with pytest.raises(PositionError) as caught:
            player.set_position(fen, chess960=chess960)
        text = str(caught.value)
        assert fen in text and "castling rights" in text and "\n" not in text
        assert player.is_legal(encode_move("e2e4"))  # it stayed where it was


def test_random_games_have_the_same_moves(searcher: Callable[[str], Searcher]) -> None:
    player = searcher("pvs:entries=2^10")
    castled = 0
    for positions in random_games(12, 60):
        player.set_position(positions[0].fen(shredder=True), chess960=True)
        for before, after in zip(positions, positions[1:], strict=False):
            move = after.peek()
            castled += before.is_castling(move)
            assert before.king(before.turn) is not None
            kings = {
                encode_move(legal.uci())
                for legal in before.legal_moves
                if legal.from_square == before.king(before.turn)
            }
            start = before.king(before.turn)
            found = {start | end << 6 for end in range(64) if player.is_legal(start | end << 6)}
            assert found == kings, before.fen()
            player.push(encode_move(move.uci()))
    assert castled >= 7


@cache
def value_of(fen: str) -> int:
    """Plain minimax of depth 2 in Python."""
    return minimax(ChessGame(chess.Board(fen, chess960=True), load_evaluation("pst"), 1), 2)


@pytest.mark.parametrize("driver", ["pvs", "mtdf", "minimax"])
def test_exact_values_match_plain_minimax(driver: str, searcher: Callable[[str], Searcher]) -> None:
    hash_option = "" if driver == "minimax" else ",entries=2^12"
    player = searcher(f"{driver}:eval=pst,grain=1{hash_option}")
    positions = [board for game in random_games(2, 12) for board in game[11::6]]
    positions += [chess.Board(fen, chess960=True) for fen, _ in list(CASTLING.values())[:9:4]]
    for board in positions:
        player.new_game()
        player.set_position(board.fen(), chess960=True)
        result = player.search(SearchLimit(depth=2), exact=True)
        assert result.value == value_of(board.fen())


def test_variations_are_legal(searcher: Callable[[str], Searcher]) -> None:
    player = searcher("mtdf:entries=2^12,eval=pst")
    for positions in random_games(3, 30):
        board = positions[-1]
        player.new_game()
        player.set_position(board.fen(), chess960=True)
        for iteration in player.search(SearchLimit(depth=2)).iterations:
            line = board.copy()
            for uci in iteration.pv:
                move = chess.Move.from_uci(uci)
                assert line.is_legal(move), (board.fen(), iteration.pv)
                line.push(move)


def test_castling_that_mates_is_played(searcher: Callable[[str], Searcher]) -> None:
    fen = "8/2Q5/4R3/8/3k4/8/8/RK6 w Q - 0 1"
    player = searcher("pvs:entries=2^12")
    player.set_position(fen, chess960=True)
    report = player.go(SearchLimit(depth=2))
    assert (decode_move(report.move), report.value) == ("b1a1", MATE - 1)
    assert player.search(SearchLimit(depth=2)).iterations[-1].pv == ("b1a1",)
