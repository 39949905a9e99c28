"""Plies that the core plays between two external engines are those that the referee plays."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import chess
import pytest

from engines.built import load
from engines.external.player import UciPlayer
from engines.rules.board import Rules
from engines.rules.chess import CHESS960, STANDARD
from engines.spec import MoveReport, PliesPlayed, SearchLimit
from toolkit.referee.adjudication import Adjudication, DrawRule, ResignRule
from toolkit.referee.referee import GameRules, Limit, play_game

Make = Callable[..., UciPlayer]
pytestmark = pytest.mark.native

MATE = "f2f3 e7e5 g2g4 d8h4"
PROMOTION = "a2a4 b7b5 a4b5 a7a6 b5a6 g8f6 a6a7 f6g8 a7b8Q g8f6"
SHUFFLE = "g1h1 a7a6 g1h1 a6a5 g2g3 a5a4 a2a3 b7b6"
LOUD = (
    "say=info depth 4 score cp 30 upperbound nodes 9|info depth 3 score mate 2 pv g1f3 e7e5|"
    "info string so what|info multipv 2 score cp 7 pv a2a3"
)


class Case(NamedTuple):
    white: str = ""
    """How the engine of White behaves."""
    moves: str = ""
    ends: Adjudication = Adjudication(12, None, None)
    seconds: int | None = 0
    """How many answers get a second look; None: as their time decides."""
    start: str = chess.STARTING_FEN
    rules: Rules = STANDARD


CASES = {
    "repetition": Case(),
    "mate": Case(moves=MATE),
    "capitals": Case(moves=PROMOTION, ends=Adjudication(10, None, None), seconds=1),
    "maximum": Case(ends=Adjudication(5, None, None)),
    "draw": Case(ends=Adjudication(None, DrawRule(4, 30, 0), None)),
    "resignation": Case(
        "say=info depth 2 score cp -900", ends=Adjudication(None, None, ResignRule(3, 800, "one"))
    ),
    "loud": Case(LOUD),
    "mute": Case("say="),
    "crash": Case("crash=4"),
    "exit": Case("exit=2"),
    "illegal": Case("answer=g1f3", seconds=1),
    "no move": Case("answer=(none)"),
    "twice": Case("twice", seconds=None),
    "again": Case("again=1", seconds=None),
    "much": Case("spill=100000", seconds=None),
    "Chess960": Case(
        "", SHUFFLE, Adjudication(8, None, None), 1,
        "r5kr/pppppppp/8/8/8/8/PPPPPPPP/R5KR w KQkq - 0 1", CHESS960,
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_core_plays_what_referee_plays(
    name: str, make_player: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    (tmp_path / "moves").write_text(case.moves)
    (tmp_path / "options").write_text("option name UCI_Chess960 type check default false\n")
    common = [f"options={tmp_path / 'options'}"]
    if case.moves:
        common.append(f"moves={tmp_path / 'moves'}")
    players = [make_player(*common, *filter(None, [case.white])), make_player(*common)]
    rules = GameRules(Limit(nodes=50), case.ends, rules=case.rules)
    searched: list[MoveReport] = []
    go = UciPlayer.go

    def counted(player: UciPlayer, limit: SearchLimit) -> MoveReport:
        searched.append(go(player, limit))
        return searched[-1]

    def played() -> list[object]:
        game = play_game(case.start, players[0], players[1], rules)
        told = game.searches
        found = [told.moves, told.values, told.depths, told.nodes, game.outcome, game.fault]
        return [*found, *[(player.lines(), player.take_remarks()) for player in players]]

    monkeypatch.setattr(UciPlayer, "go", counted)
    by_core = played()
    assert case.seconds in (None, len(searched))
    monkeypatch.setattr(UciPlayer, "play_on", lambda *_: PliesPlayed([]))
    assert by_core == played()
    assert len(searched) > 1 or name == "no move"


def test_core_begins_only_what_it_may() -> None:
    core, _ = load()
    assert core is not None
    (out, to), (aside, event), (asked, ask) = os.pipe(), os.pipe(), os.pipe()

    def left() -> tuple[int, bytes]:
        engine = SimpleNamespace(
            input=ask, output=out, aside=aside, clock=0, go=b"\ngo\n", timeout_ms=0.0, answered=b"",
        )  # fmt: skip
        rules = core.ChessRules(chess.STARTING_FEN, False)
        told = core.play_plies(rules, (engine, engine), b"position", b"", print)
        plies, *nothing, begun = told
        assert (plies, nothing) == ([], [None, None]) and begun is not None
        return begun[2], begun[3]

    for file, text in ((to, b"bestmove a2a3\n"), (event, b"!")):
        os.write(file, text)
        assert left() == (0, b""), "nothing is sent where something is there to be seen"
        os.read(out if file == to else aside, 100)
    assert left() == (12, b""), "sent, and waited for in vain"
    assert os.read(asked, 100) == b"position\ngo\n"
    os.set_blocking(ask, False)
    with suppress(BlockingIOError):
        while os.write(ask, b"x" * 4096):
            pass
    assert left() == (0, b""), "the pipe is full: the caller sends"
    for file in (out, to, aside, event, asked, ask):
        os.close(file)
