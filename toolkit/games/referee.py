"""One game between two players: every move checked, every ending seen.

Two players of the core play a game of nodes or depth between themselves, without the interpreter;
every other game is played here, ply by ply. Tests hold both ways against each other, and
python-chess against both. Adjudication is the same code either way.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from engines.errors import EngineFailure, EngineTimeout
from engines.moves import decode_move
from engines.spec import Contestant, GameSearches, Limit, MoveReport, Player, SearchLimit
from toolkit.games.adjudication import Adjudication, Adjudicator
from toolkit.games.clock import GameClock
from toolkit.games.outcome import EndReason, GameOutcome, draw_by, win_for

__all__ = [
    "EndReason",
    "GameRules",
    "PlayedGame",
    "natural_outcome",
    "play_contest",
    "play_game",
    "play_refereed",
]

_FAULTS = {
    "failed": (EndReason.ENGINE_FAILURE, "found no move"),
    "illegal": (EndReason.ILLEGAL_MOVE, "tried an illegal move"),
}
"""How a game in the core may end apart from chess: the reason, and what the side to move did."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules for all games of an event, in addition to the laws of chess."""

    limit: Limit
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = 0
    """How far a move may overstep its time before the game is forfeited."""
    patience_ms: int = 60_000
    """How long an external engine may search without a clock before it counts as hung."""
    chess960: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """What the side that lost did wrong, after the last move of the game."""

    text: str
    """One line."""
    fen: str
    """The position in which it was to move."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game."""

    outcome: GameOutcome
    white_starts: bool
    """The side to move in the opening position."""
    searches: GameSearches
    """The searches of the played moves, in order."""
    chess960: bool = False
    """A game of Chess960, with its codes of castling."""
    fault: Fault | None = None
    """Why the side to move lost, if the laws of chess are not the reason."""


Limits = tuple[Limit, Limit]
"""Those of White and Black."""


def play_game(
    start_fen: str, white: Player, black: Player, rules: GameRules, limits: Limits | None = None
) -> PlayedGame:
    """Play from ``start_fen`` to the end; ``limits``: where they are not those of the rules.

    A player that fails or moves illegally loses. Raises PositionError when the start is not legal,
    StartFailure when a player cannot begin.
    """
    if (
        rules.limit.deterministic
        and rules.adjudication.tablebases is None  # they need the board of the referee
        and limits in (None, (rules.limit, rules.limit))
        and isinstance(white, Contestant)
        and isinstance(black, Contestant)
        and white.can_contest(black)
    ):
        return play_contest(start_fen, white, black, rules)
    return play_refereed(start_fen, white, black, rules, limits)


def play_contest(
    start_fen: str, white: Contestant, black: Contestant, rules: GameRules
) -> PlayedGame:
    """A game that the players play between themselves. Raises PositionError."""
    limit = SearchLimit(nodes=rules.limit.nodes, depth=rules.limit.depth)
    judge = Adjudicator(rules.adjudication).judge
    contest = white.contest(black, start_fen, limit, judge, rules.chess960)
    white_starts = start_fen.split()[1] == "w"
    white_to_move = white_starts == (len(contest.searches) % 2 == 0)
    fault = None
    if contest.verdict is not None:
        outcome = contest.verdict
    elif contest.ended in _FAULTS:
        reason, text = _FAULTS[contest.ended]
        outcome = win_for(not white_to_move, reason)
        fault = Fault(text, _fen_after(start_fen, contest.searches, rules.chess960))
    else:
        outcome = natural_outcome(EndReason(contest.ended), white_moved=not white_to_move)
    return PlayedGame(outcome, white_starts, contest.searches, rules.chess960, fault)


def play_refereed(
    start_fen: str, white: Player, black: Player, rules: GameRules, limits: Limits | None = None
) -> PlayedGame:
    """A game in which every move passes through the referee's hands. Raises PositionError, and
    StartFailure when a player cannot begin."""
    from toolkit.games.rules import RuleBoard

    rule_board = RuleBoard(start_fen, rules.chess960)
    adjudicator = Adjudicator(rules.adjudication)
    tablebases = rules.adjudication.tablebases
    white_limit, black_limit = limits or (rules.limit, rules.limit)
    clock = GameClock(white_limit, black_limit, rules.time_margin_ms, rules.patience_ms)
    timed = (not black_limit.deterministic, not white_limit.deterministic)
    for player in (white, black):
        player.new_game()
        player.set_position(start_fen, chess960=rules.chess960)
    reports: list[MoveReport] = []
    problem = None
    white_starts = white_moves = rule_board.board.turn
    mover, waiter = (white, black) if white_moves else (black, white)
    while True:
        search_limit = clock.search_limit(white_moves)
        try:
            if not timed[white_moves]:
                report = mover.go(search_limit)
            else:
                begin = time.perf_counter_ns()
                report = mover.go(search_limit)
                elapsed_us = (time.perf_counter_ns() - begin) // 1000
                if not clock.spend(white_moves, report, elapsed_us):
                    problem = f"overstepped its time by {clock.overstepped_ms(white_moves)} ms"
                    outcome = win_for(not white_moves, EndReason.TIME_FORFEIT)
                    break
        except EngineTimeout as error:
            problem = str(error)
            hung = EndReason.TIME_FORFEIT if timed[white_moves] else EndReason.ENGINE_FAILURE
            outcome = win_for(not white_moves, hung)
            break
        except EngineFailure as error:
            problem = str(error)
            outcome = win_for(not white_moves, EndReason.ENGINE_FAILURE)
            break
        if not rule_board.push(report.move):
            problem = f"tried the illegal move {decode_move(report.move)}"
            outcome = win_for(not white_moves, EndReason.ILLEGAL_MOVE)
            break
        reports.append(report)
        ending = rule_board.ending()
        if ending is not None:
            outcome = natural_outcome(ending, white_moved=white_moves)
            break
        verdict = adjudicator.judge(white_moves, report.value)
        if tablebases is not None:
            verdict = tablebases.verdict(rule_board.board) or verdict
        if verdict is not None:
            outcome = verdict
            break
        mover.push(report.move)
        waiter.push(report.move)
        mover, waiter = waiter, mover
        white_moves = not white_moves
    fault = None if problem is None else Fault(problem, rule_board.board.fen())
    return PlayedGame(outcome, white_starts, GameSearches.of(reports), rules.chess960, fault)


def _fen_after(start_fen: str, searches: GameSearches, chess960: bool) -> str:
    from toolkit.games.rules import RuleBoard

    board = RuleBoard(start_fen, chess960)
    for move in searches.moves:
        board.push(move)
    return board.board.fen()


def natural_outcome(reason: EndReason, *, white_moved: bool) -> GameOutcome:
    """The outcome of a game that the laws of chess ended after a move by White or Black."""
    return win_for(white_moved, reason) if reason is EndReason.CHECKMATE else draw_by(reason)
