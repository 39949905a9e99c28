"""The evaluation ``full`` has the right data, symmetry, and terms on positions made by hand."""

from __future__ import annotations

import json
import random
from functools import cache
from importlib import resources
from typing import Any

import chess
import pytest

from engines.moves import decode_move
from engines.native import NativeSearcher
from engines.reference.evaluation.attacks import camp_of, flip
from engines.reference.evaluation.chess import LIMIT, load_evaluation
from engines.reference.evaluation.full import FullEvaluation
from engines.spec import MATE_BOUND, SearchLimit
from engines.variant import parse_variant


def _full() -> FullEvaluation:
    evaluation = load_evaluation("full")
    assert isinstance(evaluation, FullEvaluation)
    return evaluation


FULL = _full()


def counts(fen: str, name: str) -> dict[int, int]:
    """How often each weight of a term counts for White, less how often for Black."""
    found = FULL.trace(chess.Board(fen)).counts
    return {index: times for (term, index), times in found.items() if term == name}


def white_value(fen: str) -> int:
    return FULL.white_value(chess.Board(fen))


def data() -> dict[str, Any]:
    text = (resources.files("engines") / "data" / "full.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def test_file_holds_integers_and_every_table_both_phases() -> None:
    for weights in data()["terms"].values():
        assert len(weights["mg"]) == len(weights["eg"])
        assert all(type(number) is int for number in weights["mg"] + weights["eg"])


def test_colours_are_mirrored(random_boards: list[chess.Board]) -> None:
    for board in random_boards[::4]:
        assert FULL.white_value(board) == -FULL.white_value(board.mirror()), board.fen()
        assert FULL.value(board, 7) == FULL.value(board.mirror(), 7)


def test_passes_of_the_trace_give_the_value(random_boards: list[chess.Board]) -> None:
    for board in random_boards[::8]:
        trace = FULL.trace(board)
        middle, end, _ = FULL.sums(board)
        middle += sum(n * FULL.terms[name][i][0] for (name, i), n in trace.counts.items())
        end += sum(n * FULL.terms[name][i][1] for (name, i), n in trace.counts.items())
        rest = FULL.phase_max - trace.phase
        value = int((middle * trace.phase + end * rest * trace.scale / 64) / FULL.phase_max)
        assert FULL.white_value(board) == value + trace.drive, board.fen()


def test_attacks_match_the_rules(random_boards: list[chess.Board]) -> None:
    """python-chess counts attackers; it sees through nothing, so men that camps look through go."""
    for board in random_boards[::8]:
        for color in chess.COLORS:
            camp = camp_of(board, color)
            if board.queens & board.occupied_co[color]:
                continue
            rooks = board.rooks & board.occupied_co[color]
            if chess.popcount(rooks) > 1:
                continue
            for square in chess.SQUARES:
                seen = square if color else chess.square_mirror(square)
                attackers = len(board.attackers(color, square))
                found = (camp.once >> seen & 1) + (camp.twice >> seen & 1)
                assert found == min(attackers, 2), (board.fen(), color, square)


def test_flipping_twice_is_the_identity(random_boards: list[chess.Board]) -> None:
    camp = camp_of(random_boards[9], chess.BLACK)
    assert camp.flipped().flipped() == camp
    assert flip(chess.BB_RANK_2 | chess.BB_A1) == chess.BB_RANK_7 | chess.BB_A8


@pytest.mark.parametrize(
    ("fen", "term", "expected"),
    [
        # A knight in the corner has two squares; a pawn takes one of them.
        ("4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "mobility_knight", {2: 1}),
        ("4k3/8/8/8/p7/8/8/N3K3 w - - 0 1", "mobility_knight", {1: 1}),
        ("4k3/8/8/8/8/8/8/B3K3 w - - 0 1", "mobility_bishop", {7: 1}),
        ("4k3/8/8/8/8/8/1Q6/B3K3 w - - 0 1", "mobility_bishop", {7: 1}),
        ("4k3/8/8/8/8/8/1P6/B3K3 w - - 0 1", "mobility_bishop", {0: 1}),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "mobility_rook", {10: 1}),
        ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "bishop_pair", {0: 1}),
        ("2b1kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "bishop_pair", {0: -1}),
        ("4k3/8/8/8/3P4/8/1P2P3/2B1K3 w - - 0 1", "bishop_pawns", {0: 2}),
        ("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", "rook_half_open", {0: 1}),
        ("4k3/p7/8/8/8/8/8/1R2K3 w - - 0 1", "rook_open", {0: 1}),
        ("4k3/1R6/8/8/8/8/8/4K3 w - - 0 1", "rook_seventh", {0: 1}),
        ("8/1R6/4k3/8/8/8/8/4K3 w - - 0 1", "rook_seventh", {}),
        ("4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight_outpost", {0: 1}),
        ("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight_outpost", {}),
        ("4k3/8/8/3B4/4P3/8/8/4K3 w - - 0 1", "bishop_outpost", {0: 1}),
        ("4k3/8/8/8/4P3/4N3/8/4K3 w - - 0 1", "minor_behind_pawn", {0: 1}),
        ("4k3/8/8/8/P7/8/8/4K3 w - - 0 1", "isolated", {0: 1}),
        ("4k3/p7/8/8/P7/8/8/4K3 w - - 0 1", "isolated_open", {}),
        ("4k3/p1p5/8/8/P7/8/8/4K3 w - - 0 1", "isolated", {0: -1}),
        ("4k3/8/8/8/P7/P7/8/4K3 w - - 0 1", "doubled", {0: 1}),
        ("4k3/8/3p4/8/2P5/1P6/8/4K3 w - - 0 1", "backward", {}),
        ("4k3/8/8/2p5/2P5/1P6/P7/4K3 w - - 0 1", "backward", {}),
        ("4k3/8/8/2p5/1P6/P7/8/4K3 w - - 0 1", "backward", {}),
        ("4k3/8/8/p7/1PP5/1P6/8/4K3 w - - 0 1", "doubled", {0: 1}),
        ("4k3/8/8/p7/2P5/1P6/8/4K3 w - - 0 1", "backward", {0: 1}),
        ("4k3/8/8/8/2PP4/8/8/4K3 w - - 0 1", "phalanx", {3: 2}),
        ("4k3/8/8/8/3P4/2P5/8/4K3 w - - 0 1", "supported", {3: 1}),
        ("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "passed", {5: 1}),
        ("4k3/8/2pP4/8/8/8/8/4K3 w - - 0 1", "passed", {5: 1, 2: -1}),
        ("4k3/2p5/8/3P4/8/8/8/4K3 w - - 0 1", "passed", {}),
        ("4k3/8/8/8/8/3P4/3P4/4K3 w - - 0 1", "passed", {2: 1}),
        ("4k3/8/3P4/2P5/8/8/8/4K3 w - - 0 1", "passed_protected", {5: 1}),
        ("8/3k4/3P4/8/8/8/8/4K3 w - - 0 1", "passed_blocked", {5: 1}),
        ("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "passed_safe", {}),
        ("6k1/8/3P4/8/8/8/8/4K3 w - - 0 1", "passed_safe", {5: 1}),
        ("6k1/8/3P4/8/8/8/8/4K3 w - - 0 1", "passed_free", {5: 1}),
        ("r5k1/8/3P4/8/8/8/8/4K3 w - - 0 1", "passed_free", {}),
        ("4k3/8/3P4/3K4/8/8/8/8 w - - 0 1", "passed_own_king", {5: 2}),
        ("4k3/8/3P4/3K4/8/8/8/8 w - - 0 1", "passed_enemy_king", {5: 1}),
        ("k7/8/8/5P2/8/8/8/K7 w - - 0 1", "passed_unstoppable", {0: 1}),
        ("2k5/8/8/5P2/8/8/8/K7 b - - 0 1", "passed_unstoppable", {}),
        ("r6k/8/8/5P2/8/8/8/K7 w - - 0 1", "passed_unstoppable", {}),
        ("8/8/4k3/8/8/8/8/4K3 w - - 0 1", "tempo", {0: 1}),
        ("8/8/4k3/8/8/8/8/4K3 b - - 0 1", "tempo", {0: -1}),
        ("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1", "threat_pawn", {0: 1}),
        ("4k3/8/8/3q4/8/4N3/8/4K3 w - - 0 1", "threat_minor", {4: 1}),
        ("4k3/8/4p3/3p4/8/4N3/8/4K3 w - - 0 1", "threat_minor", {}),
        ("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "threat_rook", {1: 1}),
        ("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", "threat_rook", {}),
        ("7k/8/8/8/8/8/4p3/4K3 w - - 0 1", "threat_king", {0: 1}),
        ("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "hanging", {0: 1}),
        ("8/8/3k4/3n4/8/8/8/3RK3 w - - 0 1", "hanging", {}),
        ("4k3/8/3n4/8/8/4P3/8/4K3 w - - 0 1", "threat_push", {}),
        ("4k3/8/3n4/8/4P3/8/8/4K3 w - - 0 1", "threat_push", {0: 1}),
    ],
)
def test_terms_by_hand(fen: str, term: str, expected: dict[int, int]) -> None:
    assert counts(fen, term) == expected
    mirrored = {index: -times for index, times in expected.items()}
    assert counts(chess.Board(fen).mirror().fen(), term) == mirrored


def test_shelter_and_storm() -> None:
    castled = "6k1/8/8/8/8/8/5PPP/6K1 w - - 0 1"
    # King's file g: own pawn on rank 2; f and h: the same; Black has none at all.
    assert counts(castled, "shelter") == {0: -1, 1: 1, 8: -2, 9: 2}
    assert counts(castled, "storm") == {0: 3, 6: -3}
    # The black pawn on h3 is blocked by h2; the one on g4 comes on freely.
    assert counts("4k3/8/8/8/6p1/7p/7P/7K w - - 0 1", "storm")[8 + 2] == 1
    assert counts("4k3/8/8/8/6p1/7p/7P/7K w - - 0 1", "storm")[3] == 1


def test_attack_on_the_king_counts_but_a_lone_rook_does_not() -> None:
    # Queen and knight beside the king, which has no defender near.
    attack = "r4rk1/8/8/6NQ/8/8/5PPP/6K1 w - - 0 1"
    (index,) = counts(attack, "king_danger")
    assert index > 20 and counts(attack, "king_danger")[index] == 1
    assert counts("6k1/8/8/8/8/8/5PPP/R5K1 w - - 0 1", "king_danger") == {}


def test_space_is_the_safe_centre_of_the_own_half() -> None:
    # 12 squares; with pawns on d4 and e4 ten, and four behind them count twice.
    assert counts("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "space") == {}
    assert counts("4k3/8/8/8/3PP3/8/8/4K3 w - - 0 1", "space") == {0: 10 + 4 - 12 + 4}


@pytest.mark.parametrize(
    ("better", "worse", "least"),
    [
        # Elementary mates: the king at the edge, the other king near, the right corner.
        ("3k4/8/8/3K4/8/8/8/1Q6 w - - 0 1", "3K4/8/8/3k4/8/8/8/1Q6 w - - 0 1", 20),
        ("3k4/8/3K4/8/8/8/8/R7 w - - 0 1", "3k4/8/8/8/8/3K4/8/R7 w - - 0 1", 20),
        ("7k/8/8/4K3/8/8/8/2B1N3 w - - 0 1", "k7/8/8/3K4/8/8/8/2B1N3 w - - 0 1", 100),
        ("k7/8/8/3K4/8/8/8/2N2B2 w - - 0 1", "7k/8/8/4K3/8/8/8/2N2B2 w - - 0 1", 100),
        # Two bishops mate, two knights do not.
        ("8/8/3k4/8/8/3K4/8/2BB4 w - - 0 1", "8/8/3k4/8/8/3K4/8/2NN4 w - - 0 1", 400),
        # Opposite-coloured bishops, and the rook pawn with the wrong bishop.
        ("8/4k3/5b2/8/3PP3/3KB3/8/8 w - - 0 1", "8/4k3/4b3/8/3PP3/3KB3/8/8 w - - 0 1", 50),
        ("k7/8/8/P7/8/8/2B5/2K5 w - - 0 1", "k7/8/8/P7/8/8/1B6/2K5 w - - 0 1", 300),
    ],
)
def test_endgames_by_hand(better: str, worse: str, least: int) -> None:
    assert white_value(better) - white_value(worse) >= least


@pytest.mark.parametrize(
    ("fen", "scale"),
    [
        ("8/8/3k4/8/8/3K4/3NN3/8 w - - 0 1", 0),
        ("8/8/3k4/8/8/3K4/4N3/8 w - - 0 1", 0),
        ("8/8/4k3/8/4r3/8/8/2KRB3 w - - 0 1", 14),
        ("8/8/4k3/8/4n3/8/8/2KR4 w - - 0 1", 4),
        ("8/8/4k3/8/4n3/8/8/2KQ4 w - - 0 1", 64),
        ("k7/8/8/P7/8/8/1B6/2K5 w - - 0 1", 0),
        ("k7/8/8/P7/8/8/2B5/2K5 w - - 0 1", 48),
        ("8/8/2k5/P7/8/8/1B6/2K5 w - - 0 1", 0),
        ("8/8/P7/3k4/8/8/1B6/2K5 w - - 0 1", 48),
        ("8/2K5/2k5/P7/8/8/1B6/8 w - - 0 1", 48),
        ("k7/8/8/P7/P7/8/8/2K5 w - - 0 1", 0),
        ("7k/8/8/7P/8/8/1B6/2K5 w - - 0 1", 48),
        ("8/4k3/4b3/8/3PP3/3KB3/8/8 w - - 0 1", 24),
        ("8/4k3/3rb3/8/3PP3/3KB3/3R4/8 w - - 0 1", 48),
        ("8/4k3/3r4/8/2PPP3/3KB3/3R4/8 w - - 0 1", 64),
    ],
)
def test_scales_by_hand(fen: str, scale: int) -> None:
    assert FULL.trace(chess.Board(fen)).scale == scale
    assert FULL.trace(chess.Board(fen).mirror()).scale == scale


def test_only_a_bare_king_is_driven() -> None:
    won = FULL.endgame.drive[0]
    assert FULL.trace(chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")).drive >= won
    assert FULL.trace(chess.Board("8/8/8/3K4/8/8/8/kq6 w - - 0 1")).drive <= -won
    assert FULL.trace(chess.Board("8/8/8/3kp3/8/8/8/KQ6 w - - 0 1")).drive == 0
    assert FULL.trace(chess.Board("8/8/8/3k4/8/8/8/KN6 w - - 0 1")).drive == 0


def test_many_queens_stay_below_the_mates() -> None:
    board = chess.Board("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/K1k5 w - - 0 1")
    assert FULL.value(board, 1) == LIMIT < MATE_BOUND
    board.turn = chess.BLACK
    assert FULL.value(board, 1) == -LIMIT


@cache
def odd_positions() -> list[str]:
    """Random men on random squares: crowds, promoted men, exposed kings, few men."""
    rng = random.Random(20261122)
    fens = []
    while len(fens) < 600:
        board = chess.Board(None)
        free = rng.sample(chess.SQUARES, 40)
        for color in chess.COLORS:
            board.set_piece_at(free.pop(), chess.Piece(chess.KING, color))
            for _ in range(rng.choice((0, 1, 2, 3, 6, 12))):
                square, kind = free.pop(), rng.choice((1, 1, 1, 2, 3, 4, 5))
                if kind != chess.PAWN or 0 < chess.square_rank(square) < 7:
                    board.set_piece_at(square, chess.Piece(kind, color))
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid():
            fens.append(board.fen())
    return fens


@pytest.mark.native
def test_both_backends_agree(core: Any, random_boards: list[chess.Board]) -> None:
    fens = [board.fen() for board in random_boards] + odd_positions()
    for turn, fen in enumerate(fens):
        grain = (1, 1, 10, 200)[turn % 4]
        assert core.evaluate(fen, "full", grain) == FULL.value(chess.Board(fen), grain), fen


@pytest.mark.native
def test_core_mirrors_colours(core: Any) -> None:
    for fen in odd_positions():
        mirrored = chess.Board(fen).mirror().fen()
        assert core.evaluate(fen, "full", 1) == core.evaluate(mirrored, "full", 1), fen


@pytest.mark.native
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1",
        "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
        "8/8/8/3k4/8/8/8/2BBK3 w - - 0 1",
        "k7/8/8/3K4/8/8/8/2N2B2 w - - 0 1",
    ],
)
def test_elementary_mates_are_won(core: Any, fen: str) -> None:
    searcher = NativeSearcher(core, parse_variant("mtdf:eval=full"))
    searcher.set_position(fen)
    board = chess.Board(fen)
    while not board.is_game_over(claim_draw=True):
        move = searcher.go(SearchLimit(nodes=10_000)).move
        board.push_uci(decode_move(move))
        searcher.push(move)
    assert board.is_checkmate() and board.turn == chess.BLACK
