"""Real engines, where they are installed, play legal moves, as python-chess judges."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import chess
import chess.engine
import pytest

from engines.external.identify import identify
from engines.external.player import UciPlayer
from engines.moves import decode_move, encode_move
from engines.spec import MATE, SearchLimit, UciCommand, UciSetup

from .conftest import real_command

LIMIT = SearchLimit(depth=3, patience_ms=60_000)


def setup(command: UciCommand, options: Mapping[str, str] | None = None) -> UciSetup:
    chosen = tuple((options or {}).items())
    return UciSetup(command=command, options=chosen, spelling="real", label="real")


def identified(command: UciCommand) -> UciPlayer:
    found = identify(setup(command, _quiet(command)))
    return UciPlayer(found.engine)


@functools.cache
def _quiet(command: UciCommand) -> dict[str, str]:
    """One thread, and no book, where the engine has these options."""
    announced = identify(setup(command)).announced.options
    wanted = {"Threads": "1", "OwnBook": "false", "Hash": "16"}
    return {name: value for name, value in wanted.items() if name in announced}


def test_options_agree_with_python_chess(real: UciCommand) -> None:
    found = identify(setup(real))
    assert found.announced.malformed == 0
    with chess.engine.SimpleEngine.popen_uci(list(real.argv)) as theirs:
        assert found.announced.name == theirs.id["name"]
        assert set(found.announced.options) == set(theirs.options)
        for name, option in found.announced.options.items():
            other = theirs.options[name]
            assert (option.kind, option.low, option.high) == (other.type, other.min, other.max)
            assert list(option.choices) == (other.var or [])
            if option.kind == "spin":
                assert int(option.default or 0) == other.default
            elif option.kind == "check":
                assert (option.default == "true") == other.default
            elif option.kind != "button":
                assert option.default == (other.default or "").replace("<empty>", "")


def test_moves_and_data_agree_with_python_chess(real: UciCommand) -> None:
    """The same game with both: twelve plies at depth 3 from the middle of an opening."""
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
    options = _quiet(real)
    ours = identified(real)
    ours.new_game()
    ours.set_position(board.fen())
    with chess.engine.SimpleEngine.popen_uci(list(real.argv)) as theirs:
        theirs.configure({k: v for k, v in options.items()})
        for _ in range(12):
            told = theirs.play(
                board, chess.engine.Limit(depth=3), info=chess.engine.INFO_ALL, game=1
            )
            report = ours.go(LIMIT)
            assert told.move is not None
            assert decode_move(report.move) == told.move.uci()
            assert report.value == told.info["score"].pov(board.turn).score(mate_score=MATE)
            assert report.nodes == told.info["nodes"]
            assert report.time_us > 0
            board.push(told.move)
            ours.push(report.move)
    ours.close()


@pytest.mark.slow
def test_mates_are_converted() -> None:
    player = identified(real_command("stockfish"))
    for fen, value in (
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", MATE - 1),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", MATE - 1),
        ("8/8/8/8/8/5k2/7q/5K2 b - - 0 1", MATE - 1),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -(MATE - 2)),
    ):
        player.new_game()
        player.set_position(fen)
        report = player.go(SearchLimit(depth=5, patience_ms=60_000))
        assert report.value == value, fen
    player.close()


@pytest.mark.slow
def test_castling_in_chess960() -> None:
    player = identified(real_command("stockfish"))
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    board = chess.Board(fen, chess960=True)
    castling = encode_move("e1h1")
    player.new_game()
    player.set_position(fen, [castling], chess960=True)
    board.push_uci("e1h1")
    for _ in range(4):
        report = player.go(LIMIT)
        board.push_uci(decode_move(report.move))
        player.push(report.move)
    player.new_game()
    player.set_position(fen, [encode_move("e1g1")])
    standard = chess.Board(fen)
    standard.push_uci("e1g1")
    standard.push_uci(decode_move(player.go(LIMIT).move))
    player.close()
