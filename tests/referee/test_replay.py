"""Replaying stored games detects wrong records."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from msgspec import structs

from db.records.games import GameRecord, Result
from db.session import Database
from engines.limit import Limit
from engines.rules.chess_rules import chess_board
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.replay import ReplayMismatch, replay_game
from toolkit.referee.searchdata import encode_moves

RULES = Adjudication(max_plies=30, draw=None, resign=None)


@pytest.fixture
def game(db: Database, toys: ModuleType) -> GameRecord:
    """A game of thirty plies."""
    settings = match_settings(
        "pvs:name=a", "pvs:name=b", pairs=1, limit=Limit(nodes=1), adjudication=RULES
    )
    start_event(db, settings, make_player=toys.RandomPlayer)
    stored = next(db.repository.games())
    assert (stored.plies, stored.end_reason) == (30, "max-length")
    return stored


def test_sound_game_gives_its_final_position(game: GameRecord) -> None:
    board = replay_game(game, RULES)
    assert len(chess_board(board).move_stack) == 30
    assert replay_game(game).text() == board.text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": "1-0"}, "stored as 1-0 by max-length"),
        ({"end_reason": "checkmate"}, "ended 1/2-1/2 by max-length"),
        ({"end_reason": "boredom"}, "boredom"),
        ({"plies": 29}, "plies"),
        ({"moves": encode_moves([796] * 30)}, "is illegal"),
        ({"moves_version": 9}, "version 9"),
        ({"search_version": 9}, "version 9"),
        ({"start_fen": "rubbish"}, "rubbish"),
    ],
)
def test_wrong_record_of_a_game_is_detected(
    game: GameRecord, change: dict[str, Any], message: str
) -> None:
    fields: dict[str, Any] = {
        field.name: getattr(game, field.name) for field in structs.fields(game)
    }
    with pytest.raises(ReplayMismatch, match=message) as caught:
        replay_game(GameRecord(**fields | change), RULES)
    assert str(caught.value).startswith(f"game {game.id}: ")


def test_game_that_should_have_ended_before_is_found(game: GameRecord) -> None:
    with pytest.raises(ReplayMismatch, match="was over before ply 21"):
        replay_game(game, Adjudication(max_plies=20, draw=None, resign=None))


def test_game_that_should_go_on_is_found(game: GameRecord) -> None:
    with pytest.raises(ReplayMismatch, match="goes on"):
        replay_game(game, Adjudication(max_plies=31, draw=None, resign=None))


def test_forfeit_is_a_loss_of_the_side_to_move(game: GameRecord) -> None:
    later = Adjudication(max_plies=31, draw=None, resign=None)
    white_to_move = game.start_fen.split()[1] == "w"
    lost: Result = "0-1" if white_to_move else "1-0"
    won: Result = "1-0" if white_to_move else "0-1"
    forfeit = structs.replace(game, end_reason="time-forfeit", result=lost)
    replay_game(forfeit, later)
    with pytest.raises(ReplayMismatch):
        replay_game(structs.replace(forfeit, result=won), later)
