"""One game between two players: every move checked, every ending seen."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engines.errors import EngineFailure
from engines.spec import Limit, MoveReport, Player, SearchLimit
from toolkit.play.adjudication import Adjudication, Adjudicator
from toolkit.play.clock import GameClock
from toolkit.play.outcome import EndReason, Outcome, draw_by, win_for
from toolkit.play.rules import RuleBoard

__all__ = ["EndReason", "GameRules", "PlayedGame", "natural_outcome", "play_game"]


@dataclass(frozen=True, slots=True)
class GameRules:
    """What holds in every game of an event beside the laws of chess."""

    limit: Limit
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = 0
    """How far a move may overstep its time before the game is forfeited."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game."""

    outcome: Outcome
    white_starts: bool
    """Who had the move in the opening position."""
    reports: tuple[MoveReport, ...]
    """The searches of the moves that were played, in order."""


def play_game(start_fen: str, white: Player, black: Player, rules: GameRules) -> PlayedGame:
    """Play from ``start_fen`` to the end.

    A player that fails or moves illegally loses. Raises PositionError when the start is not legal.
    """
    rule_board = RuleBoard(start_fen)
    adjudicator = Adjudicator(rules.adjudication)
    clock = None if rules.limit.deterministic else GameClock(rules.limit, rules.time_margin_ms)
    same_each_move = SearchLimit(nodes=rules.limit.nodes, depth=rules.limit.depth)
    for player in (white, black):
        player.new_game()
        player.set_position(start_fen)
    reports: list[MoveReport] = []
    white_starts = white_moves = rule_board.board.turn
    mover, waiter = (white, black) if white_moves else (black, white)
    while True:
        try:
            if clock is None:
                report = mover.go(same_each_move)
            else:
                search_limit = clock.search_limit(white_moves)
                begin = time.perf_counter_ns()
                report = mover.go(search_limit)
                if not clock.spend(white_moves, (time.perf_counter_ns() - begin) // 1000):
                    outcome = win_for(not white_moves, EndReason.TIME_FORFEIT)
                    break
        except EngineFailure:
            outcome = win_for(not white_moves, EndReason.ENGINE_FAILURE)
            break
        if not rule_board.push(report.move):
            outcome = win_for(not white_moves, EndReason.ILLEGAL_MOVE)
            break
        reports.append(report)
        ending = rule_board.ending()
        if ending is not None:
            outcome = natural_outcome(ending, white_moved=white_moves)
            break
        verdict = adjudicator.judge(white_moves, report.value)
        if verdict is not None:
            outcome = verdict
            break
        mover.push(report.move)
        waiter.push(report.move)
        mover, waiter = waiter, mover
        white_moves = not white_moves
    return PlayedGame(outcome, white_starts, tuple(reports))


def natural_outcome(reason: EndReason, *, white_moved: bool) -> Outcome:
    """The outcome of a game that the laws of chess ended after a move by White or Black."""
    return win_for(white_moved, reason) if reason is EndReason.CHECKMATE else draw_by(reason)
