"""Games that the core plays alone equal the same games under the Python referee.

The referee is the oracle, and python-chess replays every game.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from itertools import permutations

import chess
import pytest
from msgspec.structs import replace

from engines.backend import make_searcher
from engines.errors import PositionError
from engines.limit import Limit
from engines.moves import decode_move
from engines.registry import DRIVERS
from engines.rules.chess import CHESS960
from engines.spec import Contestant, MoveReport, SearchLimit
from engines.variant import parse_variant
from toolkit.books.book import default_book
from toolkit.lab.fixed import engine_of
from toolkit.referee.adjudication import Adjudication, DrawRule, ResignRule
from toolkit.referee.outcome import EndReason
from toolkit.referee.referee import GameRules, PlayedGame, play_contest, play_game, play_refereed

pytestmark = pytest.mark.native

OFF = Adjudication(max_plies=None, draw=None, resign=None)
USUAL = Adjudication()
CASTLING = [
    engine_of(text).spelling
    for text in ("mtdf:guess=parity,convergence=growth", "pvs:window=25,null_move=off")
]
"""Players that castle in the games in which castling is tested."""
BLACK_FIRST = "r1bqk2r/pppp1ppp/2n2n2/4p3/1b1PP3/2N2N2/PPP2PPP/R1BQKB1R b KQkq - 1 5"


def player(text: str) -> Contestant:
    variant = parse_variant(text)
    if variant.driver != "minimax":  # a small table is made at once
        variant = parse_variant(f"{text}{',' if ':' in text else ':'}hash=1")
    searcher = make_searcher(variant)
    assert isinstance(searcher, Contestant)
    return searcher


def both_ways(fen: str, white: str, black: str, rules: GameRules) -> PlayedGame:
    """The game that the core plays, after comparing it with the referee's and with the rules of
    python-chess."""
    contest = play_contest(fen, player(white), player(black), rules)
    refereed = play_refereed(fen, player(white), player(black), rules)
    assert contest.outcome == refereed.outcome
    assert contest.white_starts == refereed.white_starts
    assert timeless(contest) == timeless(refereed)
    replay(fen, contest, rules.rules.chess960)
    return contest


def timeless(game: PlayedGame) -> list[MoveReport]:
    return [replace(report, time_us=0, cpu_us=0) for report in game.searches.reports()]


def replay(fen: str, game: PlayedGame, chess960: bool) -> None:
    """Every move is legal, and the game ends where and only where python-chess says so."""
    board = chess.Board(fen, chess960=chess960)
    naturally = {
        chess.Termination.CHECKMATE: EndReason.CHECKMATE,
        chess.Termination.STALEMATE: EndReason.STALEMATE,
        chess.Termination.INSUFFICIENT_MATERIAL: EndReason.INSUFFICIENT_MATERIAL,
        chess.Termination.FIFTY_MOVES: EndReason.FIFTY_MOVES,
        chess.Termination.THREEFOLD_REPETITION: EndReason.THREEFOLD_REPETITION,
    }
    for ply, move in enumerate(game.searches.moves, 1):
        played = chess.Move.from_uci(decode_move(move))
        assert board.is_legal(played)
        board.push(played)
        if ply < len(game.searches):
            assert not board.is_game_over() and not board.is_repetition(3)
            assert board.halfmove_clock < 100
    over = board.outcome(claim_draw=False)
    if not game.searches:
        assert game.outcome.reason is EndReason.ENGINE_FAILURE
    elif board.is_repetition(3):
        assert game.outcome.reason in (EndReason.THREEFOLD_REPETITION, EndReason.CHECKMATE)
    elif over is not None:
        assert game.outcome.reason is naturally[over.termination]
        assert game.outcome.result == over.result()


def rounds(names: Sequence[str]) -> list[tuple[str, str]]:
    """Every name with the next one, all around: what they share is a process, not a search."""
    return list(zip(names, [*names[1:], names[0]], strict=True))


@pytest.mark.parametrize("names", rounds(sorted(DRIVERS)))
def test_drivers_play_the_same_games_in_the_core_and_under_the_referee(
    names: tuple[str, str],
) -> None:
    # Plain minimax cuts nothing: a ply more takes thirty times as long.
    depth = 2 if "minimax" in names else 3
    limits = (Limit(nodes=60), Limit(nodes=300), Limit(depth=depth), Limit(nodes=300, depth=2))
    rules = [GameRules(limit, replace(USUAL, max_plies=50)) for limit in limits]
    fens = [opening.fen for opening in default_book().openings[7:3000:747]]
    for number, (rule, fen) in enumerate(zip(rules, fens, strict=False)):
        # Each driver is the first and the second of two names: it has each limit with both colours.
        white, black = names if number % 2 else reversed(names)
        both_ways(fen, white, black, rule)


@pytest.mark.parametrize("number", [0, 80, 240, 518, 560, 640, 760])
def test_games_of_chess960_are_the_same_in_the_core_and_under_the_referee(number: int) -> None:
    """In each of them somebody castles: with king and rook side by side, with one of them already
    in its place, and in position 518 as in standard chess."""
    fen = chess.Board.from_chess960_pos(number).fen()
    rules = GameRules(Limit(nodes=200), OFF, rules=CHESS960)
    game = both_ways(fen, *CASTLING, rules)
    board = chess.Board(fen, chess960=True)
    castled = 0
    for code in game.searches.moves:
        move = chess.Move.from_uci(decode_move(code))
        castled += board.is_castling(move)
        board.push(move)
    assert game.rules.chess960 and castled


@pytest.mark.parametrize("seed", range(12))
def test_games_without_adjudication_end_by_the_laws_of_chess(seed: int) -> None:
    opening = default_book().openings[seed * 1009]
    game = both_ways(opening.fen, "mtdf", "pvs:null_move=off", GameRules(Limit(nodes=80), OFF))
    assert game.outcome.reason in (
        EndReason.CHECKMATE,
        EndReason.STALEMATE,
        EndReason.INSUFFICIENT_MATERIAL,
        EndReason.THREEFOLD_REPETITION,
        EndReason.FIFTY_MOVES,
    )


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", EndReason.CHECKMATE),
        ("7k/8/6K1/8/8/8/8/R7 b - - 99 80", EndReason.FIFTY_MOVES),
        ("7k/8/6K1/8/8/8/8/R7 b - - 140 80", EndReason.FIFTY_MOVES),
        ("8/8/8/8/8/k7/P7/K7 w - - 0 1", None),
        ("k7/8/8/8/8/8/5n2/4K3 w - - 0 1", EndReason.INSUFFICIENT_MATERIAL),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", EndReason.ENGINE_FAILURE),
        ("8/8/8/8/p7/k7/8/K7 w - - 0 1", None),
        ("8/8/p1p1p1p1/P1P1P1P1/8/4k3/8/4K3 b - - 0 1", None),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 5 39", None),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 90 60", None),
        ("8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", None),
    ],
)
def test_endgames(fen: str, reason: EndReason | None) -> None:
    for limit in (Limit(nodes=80), Limit(depth=3)):
        for white, black in permutations(("mtdf", "pvs")):
            game = both_ways(fen, white, black, GameRules(limit, OFF))
            assert reason in (None, game.outcome.reason)


def test_draw_by_material_is_seen_when_material_changes() -> None:
    rules = GameRules(Limit(nodes=50), OFF)
    bare = "8/8/8/8/8/2k5/8/K7 w - - 90 60"
    contest = play_contest(bare, player("mtdf"), player("pvs"), rules)
    refereed = play_refereed(bare, player("mtdf"), player("pvs"), rules)
    assert timeless(contest) == timeless(refereed)
    assert contest.outcome.reason is not EndReason.INSUFFICIENT_MATERIAL


@pytest.mark.parametrize(
    ("adjudication", "reason"),
    [
        (Adjudication(1, None, None), EndReason.MAX_LENGTH),
        (Adjudication(2, None, None), EndReason.MAX_LENGTH),
        (Adjudication(31, None, None), EndReason.MAX_LENGTH),
        (Adjudication(None, DrawRule(1, 32_000, 0), None), EndReason.DRAW_ADJUDICATION),
        (Adjudication(None, DrawRule(3, 100, 4), None), EndReason.DRAW_ADJUDICATION),
        (Adjudication(None, None, ResignRule(1, 60, "one")), EndReason.RESIGN_ADJUDICATION),
        (Adjudication(None, None, ResignRule(2, 90, "both")), EndReason.RESIGN_ADJUDICATION),
        (Adjudication(None, None, ResignRule(3, 80, "both")), EndReason.RESIGN_ADJUDICATION),
        (Adjudication(None, None, ResignRule(5, 70, "one")), EndReason.RESIGN_ADJUDICATION),
    ],
)
def test_each_adjudication(adjudication: Adjudication, reason: EndReason) -> None:
    seen = set()
    for fen in (chess.STARTING_FEN, BLACK_FIRST):
        for white, black in permutations(("mtdf", "pvs")):
            rules = GameRules(Limit(nodes=150), adjudication)
            seen.add(both_ways(fen, white, black, rules).outcome.reason)
    assert reason in seen


def test_players_forget_the_previous_game() -> None:
    rules = GameRules(Limit(nodes=200), Adjudication(max_plies=40))
    white, black = player("mtdf"), player("pvs")
    first = play_contest(chess.STARTING_FEN, white, black, rules)
    play_contest(BLACK_FIRST, black, white, rules)
    white.set_position(BLACK_FIRST)
    black.set_position(BLACK_FIRST)
    black.go(SearchLimit(nodes=500))
    again = play_contest(chess.STARTING_FEN, white, black, rules)
    assert timeless(first) == timeless(again)


def test_referee_lets_players_of_the_core_play_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbidden(*_: object) -> PlayedGame:
        raise AssertionError("this game is the other way's")

    short = Adjudication(max_plies=2)
    white, black = player("mtdf"), player("pvs")
    monkeypatch.setattr("toolkit.referee.referee.play_refereed", forbidden)
    for limit in (Limit(nodes=10), Limit(depth=2), Limit(nodes=10, depth=2)):
        assert len(play_game(chess.STARTING_FEN, white, black, GameRules(limit, short)).searches)
    monkeypatch.undo()
    monkeypatch.setattr("toolkit.referee.referee.play_contest", forbidden)
    timed = GameRules(Limit(nodes=10, movetime_ms=10_000), short)
    assert len(play_game(chess.STARTING_FEN, white, black, timed).searches) == 2
    assert not white.can_contest(white)


def test_what_the_judge_raises_ends_the_game() -> None:
    white, black = player("mtdf"), player("pvs")
    asked = []

    def judge(by_white: bool, value: int) -> None:
        asked.append(by_white)
        if len(asked) == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        white.contest(black, BLACK_FIRST, SearchLimit(nodes=10), judge)
    assert asked == [False, True, False]
    assert (
        white.contest(black, chess.STARTING_FEN, SearchLimit(nodes=10), lambda *_: 7).verdict == 7
    )


def test_interrupt_ends_the_game() -> None:
    white, black = player("mtdf"), player("pvs")
    with pytest.raises(KeyboardInterrupt):
        white.contest(
            black,
            chess.STARTING_FEN,
            SearchLimit(nodes=10),
            lambda *_: signal.raise_signal(signal.SIGINT),
        )


def test_illegal_start_is_an_error() -> None:
    rules = GameRules(Limit(nodes=10))
    with pytest.raises(PositionError, match="4k3"):
        play_game("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", player("mtdf"), player("pvs"), rules)
