"""One game between two players: every move checked, every ending seen.

Two players of the core play a game of nodes or depth between themselves, without the interpreter,
and so do two external engines as long as they answer as expected. Every other ply is played here,
on the board of its rules. Tests hold these ways against each other, and python-chess against them.
Adjudication is the same code either way.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct

from engines.errors import EngineFailure, EngineTimeout, PositionError
from engines.limit import Limit
from engines.rules.board import Board, Rules
from engines.rules.chess import STANDARD
from engines.rules.position import GameEnding
from engines.spec import (
    Contestant,
    GameSearches,
    MoveReport,
    Player,
    PlayingOn,
    PliesPlayed,
    SearchLimit,
)
from toolkit.referee.adjudication import Adjudication, Adjudicator
from toolkit.referee.clock import GameClock
from toolkit.referee.outcome import EndReason, GameOutcome, draw_by, win_for
from toolkit.referee.tablebases import TablebaseRule

__all__ = [
    "EndReason",
    "GameRules",
    "PlayedGame",
    "outcome_of",
    "play_contest",
    "play_game",
    "play_refereed",
]

OVERSTEPPED = "overstepped its time"
"""How the fault begins of an engine that moved too late."""
_FAULTS = {
    "failed": (EndReason.ENGINE_FAILURE, "found no move"),
    "illegal": (EndReason.ILLEGAL_MOVE, "tried an illegal move"),
}
"""How a game in the core may end apart from its rules: the reason, and what the mover did."""


class GameRules(Struct, frozen=True):
    """The rules for all games of an event."""

    limit: Limit
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = 0
    """How far a move may overstep its time before the game is forfeited."""
    patience_ms: int = 60_000
    """How long an external engine may search without a clock before it counts as hung."""
    rules: Rules = STANDARD
    """Of the game itself."""


class Fault(Struct, frozen=True):
    """What the side that lost did wrong, after the last move of the game."""

    text: str
    """One line."""
    fen: str
    """The position in which it was to move, as text."""


class PlayedGame(Struct, frozen=True):
    """A finished game."""

    outcome: GameOutcome
    white_starts: bool
    """The side to move in the opening position."""
    searches: GameSearches
    """The searches of the played moves, in order."""
    rules: Rules = STANDARD
    """Of the game, whose codes its moves have."""
    fault: Fault | None = None
    """Why the side to move lost, if the rules of the game are not the reason."""


Limits = tuple[Limit, Limit]
"""Those of White and Black."""


def play_game(
    start_fen: str,
    white: Player,
    black: Player,
    rules: GameRules,
    limits: Limits | None = None,
    before: Sequence[int] = (),
) -> PlayedGame:
    """Play from ``start_fen`` to the end; ``limits``: where they are not those of the rules.
    ``before``: moves of a book that come first. Players and referee know them, and they are no part
    of the game.

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
        # The core begins at a position; moves after which none can come again change nothing.
        begin = _text_after(start_fen, before, rules.rules) if before else start_fen
        if not before or not can_recur(begin):
            return play_contest(begin, white, black, rules)
    return play_refereed(start_fen, white, black, rules, limits, before)


def can_recur(fen: str) -> bool:
    """Whether a position of chess before this one can occur again: not after a capture or a pawn's
    move."""
    return fen.split()[4] != "0"


def play_contest(
    start_fen: str, white: Contestant, black: Contestant, rules: GameRules
) -> PlayedGame:
    """A game that the players play between themselves. Raises PositionError."""
    limit = SearchLimit(nodes=rules.limit.nodes, depth=rules.limit.depth)
    start = rules.rules.board(start_fen)
    judge = Adjudicator(rules.adjudication, start).judge
    white_starts = start.white_to_move
    contest = white.contest(black, start_fen, limit, judge, rules.rules.chess960)
    white_to_move = white_starts == (len(contest.searches) % 2 == 0)
    fault = None
    if contest.verdict is not None:
        outcome = contest.verdict
    elif contest.ended in _FAULTS:
        reason, text = _FAULTS[contest.ended]
        outcome = win_for(not white_to_move, reason)
        fault = Fault(text, _text_after(start_fen, contest.searches.moves, rules.rules))
    else:
        outcome = outcome_of(GameEnding(contest.ended, contest.winner))
    return PlayedGame(outcome, white_starts, contest.searches, rules.rules, fault)


def play_refereed(
    start_fen: str,
    white: Player,
    black: Player,
    rules: GameRules,
    limits: Limits | None = None,
    before: Sequence[int] = (),
) -> PlayedGame:
    """A game in which every move passes through the referee's hands. ``before``: see
    :func:`play_game`. Raises PositionError, and StartFailure when a player cannot begin."""
    game = rules.rules
    board = game.board(start_fen)
    for code in before:
        if not board.push(code):
            raise PositionError(f"{game.move_name(code)} is illegal in `{board.text()}`")
        board.ending()  # counts the position
    adjudicator = Adjudicator(rules.adjudication, board)
    tablebases = rules.adjudication.tablebases
    white_limit, black_limit = limits or (rules.limit, rules.limit)
    clock = GameClock(white_limit, black_limit, rules.time_margin_ms, rules.patience_ms)
    timed = (not black_limit.deterministic, not white_limit.deterministic)
    for player in (white, black):
        player.new_game()
        player.set_position(start_fen, before, chess960=game.chess960)
    reports: list[MoveReport] = []
    problem = None
    white_starts = white_moves = board.white_to_move
    mover, waiter = (white, black) if white_moves else (black, white)
    in_core, plays_on = board.in_core, None
    if (
        not (any(timed) or tablebases is not None or in_core is None)
        and isinstance(white, PlayingOn)
        and isinstance(black, PlayingOn)
    ):
        plays_on = (black.play_on, white.play_on)
    while True:
        if plays_on is not None:
            both = clock.search_limit(white_moves), clock.search_limit(not white_moves)
            played = plays_on[white_moves](waiter, in_core, both, adjudicator.judge)
            reports += played.reports
            if (over := _outcome_of_plies(played)) is not None:
                outcome = over
                break
            if len(played.reports) % 2:
                mover, waiter = waiter, mover
                white_moves = not white_moves
        search_limit = clock.search_limit(white_moves)
        try:
            if not timed[white_moves]:
                report = mover.go(search_limit)
            else:
                begin = time.perf_counter_ns()
                report = mover.go(search_limit)
                elapsed_us = (time.perf_counter_ns() - begin) // 1000
                if not clock.spend(white_moves, report, elapsed_us):
                    problem = f"{OVERSTEPPED} by {clock.overstepped_ms(white_moves)} ms"
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
        if not board.push(report.move):
            problem = f"tried the illegal move {game.move_name(report.move)}"
            outcome = win_for(not white_moves, EndReason.ILLEGAL_MOVE)
            break
        reports.append(report)
        ending = board.ending()
        if ending is not None:
            outcome = outcome_of(ending)
            break
        verdict = adjudicator.judge(white_moves, report.value)
        if tablebases is not None:
            verdict = by_tables(tablebases, board) or verdict
        if verdict is not None:
            outcome = verdict
            break
        mover.push(report.move)
        waiter.push(report.move)
        mover, waiter = waiter, mover
        white_moves = not white_moves
    fault = None if problem is None else Fault(problem, board.text())
    return PlayedGame(outcome, white_starts, GameSearches.of(reports), game, fault)


def _outcome_of_plies(played: PliesPlayed[GameOutcome]) -> GameOutcome | None:
    """How the game ended with its last ply; None if it goes on."""
    return played.verdict if played.ended is None else outcome_of(GameEnding(*played.ended))


def by_tables(tablebases: TablebaseRule, board: Board) -> GameOutcome | None:
    """The verdict of tablebases, which chess alone has; None where they have none."""
    from engines.rules.chess_rules import chess_board

    return tablebases.verdict(chess_board(board))


def _text_after(start: str, moves: Sequence[int], rules: Rules) -> str:
    board = rules.board(start)
    for move in moves:
        board.push(move)
    return board.text()


def outcome_of(ending: GameEnding) -> GameOutcome:
    """The outcome of a game that its rules ended."""
    reason = EndReason(ending.reason)
    return draw_by(reason) if ending.winner is None else win_for(ending.winner, reason)
