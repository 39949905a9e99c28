"""The referee's fast rules agree with the rules of python-chess."""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest

from engines.errors import PositionError
from engines.moves import encode_move
from engines.rules.chess_rules import referee_board
from engines.rules.position import GameEnding
from toolkit.referee.outcome import EndReason

GAMES = 30
ENDGAMES = [
    "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
    "8/8/4k3/8/8/2NBK3/8/8 w - - 0 1",
    "8/5k2/8/8/8/1R2K3/8/8 b - - 90 80",
    "8/p7/8/4k3/8/4K3/7P/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]


def reason_of(ending: GameEnding | None) -> EndReason | None:
    return None if ending is None else EndReason(ending.reason)


def slow_ending(board: chess.Board) -> EndReason | None:
    """By python-chess's own functions, in the order of EndReason."""
    if board.is_checkmate():
        return EndReason.CHECKMATE
    if board.is_stalemate():
        return EndReason.STALEMATE
    if board.is_insufficient_material():
        return EndReason.INSUFFICIENT_MATERIAL
    if board.is_repetition(3):
        return EndReason.THREEFOLD_REPETITION
    return EndReason.FIFTY_MOVES if board.halfmove_clock >= 100 else None


def play_both(fen: str, rng: random.Random, most: int, chess960: bool = False) -> EndReason | None:
    """A random game on both boards, compared after every ply; returns how it ended."""
    slow, fast = chess.Board(fen, chess960=chess960), referee_board(fen, chess960)
    ending = None
    hesitation = rng.choice((0.0, 0.6))
    for _ in range(most):
        moves = list(slow.legal_moves)
        # Going back and forth often makes repetitions likely.
        undo = [m for m in moves if len(slow.move_stack) > 1 and _undoes(slow, m)]
        move = rng.choice(undo) if undo and rng.random() < hesitation else rng.choice(moves)
        slow.push(move)
        assert fast.push(encode_move(move.uci())), (slow.fen(), move)
        ending = slow_ending(slow)
        assert reason_of(fast.ending()) == ending, (slow.fen(), move)
        assert fast.board == slow
        assert fast.white_to_move == slow.turn
        if ending is not None:
            break
    return ending


def _undoes(board: chess.Board, move: chess.Move) -> bool:
    last = board.move_stack[-2]
    return (move.from_square, move.to_square) == (last.to_square, last.from_square)


def test_endings_of_random_games_are_those_of_python_chess() -> None:
    rng = random.Random(20)
    seen: Counter[EndReason | None] = Counter()
    for number in range(GAMES):
        seen[play_both(chess.STARTING_FEN, rng, 250)] += 1
        seen[play_both(ENDGAMES[number % len(ENDGAMES)], rng, 250)] += 1
    assert seen[EndReason.THREEFOLD_REPETITION] >= 5
    assert seen[EndReason.INSUFFICIENT_MATERIAL] >= 5
    assert seen[EndReason.FIFTY_MOVES] >= 1
    assert seen[EndReason.CHECKMATE] + seen[EndReason.STALEMATE] >= 1


def test_random_games_of_chess960_are_those_of_python_chess() -> None:
    rng = random.Random(960)
    for number in range(0, 960, 24):
        play_both(chess.Board.from_chess960_pos(number).fen(), rng, 60, chess960=True)
    endgame = "1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 3 9"
    seen = Counter(play_both(endgame, rng, 250, chess960=True) for _ in range(30))
    assert seen[EndReason.THREEFOLD_REPETITION] and seen[EndReason.CHECKMATE]


def all_codes() -> list[int]:
    """Every move code there could be, and some that cannot."""
    squares = [start | end << 6 for start in range(64) for end in range(64)]
    last_ranks = [code for code in squares if (code >> 6) // 8 in (0, 7)]
    promotions = [code | kind << 12 for code in last_ranks for kind in (1, 2, 3, 4, 5, 6)]
    return squares + promotions


def assert_only_legal(fen: str, legal: set[int], chess960: bool = False) -> None:
    rules = referee_board(fen, chess960)
    for code in all_codes():
        if code not in legal:
            assert not rules.push(code), code
    assert rules.text() == fen
    for code in legal:
        assert referee_board(fen, chess960).push(code), code


LEGALITY = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    # En passant: legal, pinned along the rank, pinned on a diagonal, out of check, only apparent.
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    "4k3/8/7b/3pP3/8/4K3/8/8 w - d6 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 b - - 0 1",
    # Castling: through check, out of check, with the b-file attacked, with a pinned rook's friend.
    "r3k2r/8/8/8/8/8/6p1/R3K2R w KQkq - 0 1",
    "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1",
    # Checks: double, by a knight, and by a slider whose ray goes on behind the king.
    "4k3/8/8/8/1b2r3/8/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/3n4/PPP2PPP/R2QKB1R w KQ - 0 1",
    "4k3/8/8/8/q3K3/8/8/8 w - - 0 1",
    # Pins on every kind of line, and promotions with and without capture.
    "4r1k1/8/8/1b5b/8/3PNP2/q2PKP1q/3N1N2 w - - 0 1",
    "1n2k1n1/P6P/8/8/8/8/p6p/1N2K1N1 w - - 0 1",
]


@pytest.mark.parametrize("fen", LEGALITY)
@pytest.mark.parametrize("mirrored", [False, True])
def test_every_code_is_legal_exactly_when_python_chess_says_so(fen: str, mirrored: bool) -> None:
    board = chess.Board(fen)
    if mirrored:
        board = board.mirror()
    legal = {encode_move(move.uci()) for move in board.legal_moves}
    assert_only_legal(board.fen(), legal)


CHESS960 = [
    # Side by side, the king stays, the rook stays, beside an ordinary move, an inner rook.
    "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
    "1rk5/8/8/8/8/8/8/R5KR w Hb - 0 1",
    "4k3/8/8/8/8/8/8/3RKR2 w FD - 0 1",
    "4k3/8/8/8/8/8/8/5K1R w H - 0 1",
    "4k3/8/8/8/8/8/8/RR1K1R1R w FB - 0 1",
    # Out of, through and into check; rooks that shield their king; over a piece.
    "4kr2/8/8/8/8/8/8/1R3KR1 w GB - 0 1",
    "3rk3/8/8/8/8/8/8/1K4R1 w G - 0 1",
    "4k1r1/8/8/8/8/8/8/3K3R w H - 0 1",
    "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
    "4k3/8/8/8/8/8/8/5KRq w G - 0 1",
    "4k3/8/8/8/8/8/8/1K1N2R1 w G - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
]


@pytest.mark.parametrize("fen", CHESS960)
@pytest.mark.parametrize("mirrored", [False, True])
def test_castling_of_chess960_is_legal_exactly_when_python_chess_says_so(
    fen: str, mirrored: bool
) -> None:
    board = chess.Board(fen, chess960=True)
    if mirrored:
        board = board.mirror()
    legal = {encode_move(move.uci()) for move in board.legal_moves}
    assert_only_legal(board.fen(), legal, chess960=True)


def test_illegal_move_changes_nothing() -> None:
    rules = referee_board(chess.STARTING_FEN)
    assert not rules.push(encode_move("e2e5"))
    assert not rules.push(encode_move("e7e5"))
    assert rules.board == chess.Board()
    assert rules.push(encode_move("e2e4"))


def play(fen: str, moves: str) -> list[EndReason | None]:
    """The endings after each of the moves."""
    rules = referee_board(fen)
    endings = []
    for uci in moves.split():
        assert rules.push(encode_move(uci)), uci
        endings.append(reason_of(rules.ending()))
    return endings


def test_third_time_on_the_board_ends_the_game_not_a_threat_of_it() -> None:
    shuffle = "g1f3 g8f6 f3g1 f6g8"
    endings = play(chess.STARTING_FEN, f"{shuffle} {shuffle}")
    assert endings[:-1] == [None] * 7
    assert endings[-1] is EndReason.THREEFOLD_REPETITION


def test_position_with_a_legal_en_passant_capture_is_another_position() -> None:
    # After e2e4 the pawn on d4 may take; when the pieces are back it may not any more, so the
    # position after the first shuffle is new, and the third time is one shuffle later.
    fen = "4k1n1/8/8/8/3p4/8/4P3/4K1N1 w - - 0 1"
    shuffle = "g8f6 g1f3 f6g8 f3g1"
    assert play(fen, f"e2e4 {shuffle} {shuffle}")[-1] is None
    assert play(fen, f"e2e4 {shuffle} {shuffle} {shuffle}")[-1] is EndReason.THREEFOLD_REPETITION


def test_apparent_en_passant_capture_is_no_difference() -> None:
    # Taking would leave the black king in check from the rook on d1.
    fen = "3k2n1/8/8/8/3p4/8/4P3/3RK1N1 w - - 0 1"
    shuffle = "g8f6 g1f3 f6g8 f3g1"
    assert play(fen, f"e2e4 {shuffle} {shuffle}")[-1] is EndReason.THREEFOLD_REPETITION


def test_lost_castling_rights_make_another_position() -> None:
    fen = "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1"
    shuffle = "a1b1 h8g8 b1a1 g8h8"
    assert play(fen, f"{shuffle} {shuffle}")[-1] is None
    assert play(fen, f"{shuffle} {shuffle} {shuffle}")[-1] is EndReason.THREEFOLD_REPETITION


def test_rights_without_a_rook_are_no_rights() -> None:
    with pytest.raises(PositionError):
        referee_board("4k2r/8/8/8/8/8/8/R3K3 w KQk - 0 1")


def test_checkmate_on_the_hundredth_ply_is_checkmate() -> None:
    fen = "7k/8/6K1/8/8/8/8/R7 w - - 99 80"
    assert play(fen, "a1a8") == [EndReason.CHECKMATE]
    assert play(fen, "a1b1") == [EndReason.FIFTY_MOVES]


def test_stalemate_on_the_hundredth_ply_is_stalemate() -> None:
    assert play("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80", "g5g6") == [EndReason.STALEMATE]


def test_pawn_move_or_capture_starts_the_fifty_moves_again() -> None:
    assert play("7k/8/6K1/8/8/8/P7/R7 w - - 99 80", "a2a3 h8g8") == [None, None]


def test_bare_minor_pieces_are_insufficient_after_the_last_capture() -> None:
    assert play("7k/8/8/8/8/5n2/4P3/4K3 w - - 0 1", "e2f3") == [None]
    assert play("7k/8/8/8/8/5n2/8/4K1N1 w - - 0 1", "g1f3") == [EndReason.INSUFFICIENT_MATERIAL]


@pytest.mark.parametrize("fen", ["", "8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_start_that_is_no_position_is_refused(fen: str) -> None:
    with pytest.raises(PositionError):
        referee_board(fen)
