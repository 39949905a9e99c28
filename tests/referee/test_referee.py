"""The referee ends each game with the right result and reason."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import chess
import pytest

from engines.backend import make_searcher
from engines.errors import PositionError
from engines.limit import Limit
from engines.moves import encode_move
from engines.spec import MoveReport, Player, SearchLimit
from engines.variant import parse_variant
from toolkit.referee.adjudication import Adjudication, DrawRule
from toolkit.referee.outcome import EndReason, GameOutcome
from toolkit.referee.referee import GameRules, PlayedGame, play_game, play_refereed

OFF = Adjudication(max_plies=None, draw=None, resign=None)
NODES = GameRules(Limit(nodes=100), OFF)


def scripted(
    toys: ModuleType,
    white: str,
    black: str,
    *,
    fen: str = chess.STARTING_FEN,
    rules: GameRules = NODES,
    value: int = 50,
) -> PlayedGame:
    """A game of given moves; a side that runs out of moves fails."""
    players = [
        toys.ScriptedPlayer([(uci, value) for uci in moves.split()]) for moves in (white, black)
    ]
    return play_game(fen, players[0], players[1], rules)


@pytest.mark.parametrize(
    ("white", "black", "fen", "outcome", "plies"),
    [
        ("f2f3 g2g4", "e7e5 d8h4", chess.STARTING_FEN, GameOutcome("0-1", EndReason.CHECKMATE), 4),
        ("a1a8", "", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", GameOutcome("1-0", EndReason.CHECKMATE), 1),
        (
            "",
            "h8g8",
            "7k/8/6K1/8/8/8/8/R7 b - - 99 80",
            GameOutcome("1/2-1/2", EndReason.FIFTY_MOVES),
            1,
        ),
        (
            "f1f7",
            "",
            "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",
            GameOutcome("1/2-1/2", EndReason.STALEMATE),
            1,
        ),
        (
            "e1f2",
            "",
            "7k/8/8/8/8/8/5n2/4K3 w - - 0 1",
            GameOutcome("1/2-1/2", EndReason.INSUFFICIENT_MATERIAL),
            1,
        ),
        (
            "g1f3 f3g1 g1f3 f3g1",
            "g8f6 f6g8 g8f6 f6g8",
            chess.STARTING_FEN,
            GameOutcome("1/2-1/2", EndReason.THREEFOLD_REPETITION),
            8,
        ),
        ("e2e5", "", chess.STARTING_FEN, GameOutcome("0-1", EndReason.ILLEGAL_MOVE), 0),
        ("e2e4", "e2e4", chess.STARTING_FEN, GameOutcome("1-0", EndReason.ILLEGAL_MOVE), 1),
        ("", "", chess.STARTING_FEN, GameOutcome("0-1", EndReason.ENGINE_FAILURE), 0),
        ("e2e4", "", chess.STARTING_FEN, GameOutcome("1-0", EndReason.ENGINE_FAILURE), 1),
        ("", "", "7k/8/6K1/8/8/8/8/R7 b - - 0 1", GameOutcome("1-0", EndReason.ENGINE_FAILURE), 0),
    ],
)
def test_games_end_as_they_should(
    toys: ModuleType, white: str, black: str, fen: str, outcome: GameOutcome, plies: int
) -> None:
    played = scripted(toys, white, black, fen=fen)
    assert played.outcome == outcome
    assert len(played.searches) == plies
    assert played.white_starts == (fen.split()[1] == "w")


def test_mate_goes_before_an_adjudication(toys: ModuleType) -> None:
    rules = GameRules(Limit(nodes=100), Adjudication(max_plies=4))
    played = scripted(toys, "f2f3 g2g4", "e7e5 d8h4", rules=rules)
    assert played.outcome.reason is EndReason.CHECKMATE


def test_adjudication_sees_every_value(toys: ModuleType) -> None:
    rules = GameRules(Limit(nodes=100), Adjudication(None, DrawRule(4, 50, 0), None))
    played = scripted(toys, "g1f3 f3g1", "g8f6 f6g8", rules=rules)
    assert played.outcome == GameOutcome("1/2-1/2", EndReason.DRAW_ADJUDICATION)
    assert len(played.searches) == 4


def test_players_are_told_every_move_and_get_the_limit(toys: ModuleType) -> None:
    white = toys.HearingPlayer(parse_variant("pvs:name=w"))
    black = toys.HearingPlayer(parse_variant("pvs:name=b"))
    rules = GameRules(Limit(nodes=7, depth=3), Adjudication(3, None, None))
    played = play_game(chess.STARTING_FEN, white, black, rules)
    first, second, _ = played.searches.moves
    limit = SearchLimit(nodes=7, depth=3, patience_ms=rules.patience_ms)
    start = ["new game", chess.STARTING_FEN]
    assert white.heard == [*start, limit, first, second, limit]
    assert black.heard == [*start, first, limit, second]


@pytest.fixture
def slow(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A player that takes 0.2 s a move by the clock of the referee; all others take no time."""
    passed_ns = [0]

    class Slow(toys.RandomPlayer):
        def go(self, limit: SearchLimit) -> MoveReport:
            passed_ns[0] += 200_000_000
            return super().go(limit)

    clock = SimpleNamespace(perf_counter_ns=lambda: passed_ns[0])
    monkeypatch.setattr("toolkit.referee.referee.time", clock)
    return Slow(parse_variant("pvs:name=slow"))


def test_player_over_its_time_loses_before_the_move(toys: ModuleType, slow: Player) -> None:
    quick = toys.RandomPlayer(parse_variant("pvs:name=quick"))
    rules = GameRules(Limit(movetime_ms=50), OFF, time_margin_ms=100)
    played = play_game(chess.STARTING_FEN, quick, slow, rules)
    assert played.outcome == GameOutcome("1-0", EndReason.TIME_FORFEIT)
    assert len(played.searches) == 1
    rules = GameRules(Limit(base_ms=350), OFF, time_margin_ms=0)
    played = play_game(chess.STARTING_FEN, slow, quick, rules)
    assert played.outcome == GameOutcome("0-1", EndReason.TIME_FORFEIT)
    assert len(played.searches) == 2


def test_margin_prevents_a_loss_on_time(toys: ModuleType, slow: Player) -> None:
    quick = toys.RandomPlayer(parse_variant("pvs:name=quick"))
    rules = GameRules(Limit(movetime_ms=10), Adjudication(2, None, None), time_margin_ms=60_000)
    played = play_game(chess.STARTING_FEN, slow, quick, rules)
    assert played.outcome.reason is EndReason.MAX_LENGTH


def test_cpu_time_decides_where_it_is_the_limit(toys: ModuleType, slow: Player) -> None:
    """Moves of 7 us by the report; the one who waits, too, uses none of its own."""
    dear = toys.DearPlayer(parse_variant("pvs:name=dear"))
    rules = GameRules(Limit(cpu_ms=10), OFF, time_margin_ms=20)
    played = play_game(chess.STARTING_FEN, slow, dear, rules)
    assert played.outcome == GameOutcome("1-0", EndReason.TIME_FORFEIT)
    assert len(played.searches) == 1


def test_illegal_start_is_an_error(toys: ModuleType) -> None:
    with pytest.raises(PositionError):
        scripted(toys, "", "", fen="4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1")


def test_positions_of_the_book_count_as_repeated(toys: ModuleType) -> None:
    """As engines see it that are given the start and all moves."""
    booked = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6".split()
    before = [encode_move(uci) for uci in booked]
    white, black = (toys.ScriptedPlayer([(uci, 50)]) for uci in ("f3g1", "f6g8"))
    played = play_game(chess.STARTING_FEN, white, black, NODES, before=before)
    assert played.outcome == GameOutcome("1/2-1/2", EndReason.THREEFOLD_REPETITION)
    assert len(played.searches) == 2 and played.white_starts
    hearing = [toys.HearingPlayer(parse_variant(f"pvs:name={name}")) for name in "ab"]
    rules = GameRules(Limit(nodes=1), Adjudication(max_plies=1, draw=None, resign=None))
    odd = play_game(chess.STARTING_FEN, *hearing, rules, before=before[:3])
    assert not odd.white_starts
    for player in hearing:
        assert player.heard[:5] == ["new game", chess.STARTING_FEN, *before[:3]]


@pytest.mark.native
def test_core_plays_the_same_game_after_moves_and_from_their_end() -> None:
    """Where no position can come again, the core plays by itself from there."""
    for moves in ("e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6"):
        before = [encode_move(uci) for uci in moves.split()]
        board = chess.Board()
        for uci in moves.split():
            board.push_uci(uci)
        rules = GameRules(Limit(nodes=60), Adjudication(max_plies=30, draw=None, resign=None))
        games = []
        for start, first in ((chess.STARTING_FEN, before), (board.fen(), [])):
            for play in (play_game, play_refereed):
                white, black = (
                    make_searcher(parse_variant(f"{name}:hash=1")) for name in ("mtdf", "pvs")
                )
                games.append(play(start, white, black, rules, None, first).searches.moves)
        assert games.count(games[0]) == 4, moves
