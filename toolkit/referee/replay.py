"""Playing stored games again, of chess by python-chess's own rules and not by the referee's."""

from __future__ import annotations

from collections.abc import Sequence

from db.records.engines import IMPORTED_BACKEND
from db.records.games import GameRecord
from db.records.openings import OpeningRecord
from engines.rules.board import Board
from engines.rules.catalog import rules_of_moves
from toolkit.base.errors import OperationFailed
from toolkit.referee.adjudication import Adjudication, Adjudicator
from toolkit.referee.outcome import DRAW, EndReason, GameOutcome, win_for
from toolkit.referee.record import history_of, key_of
from toolkit.referee.referee import Limits, by_tables, outcome_of
from toolkit.referee.searchdata import (
    NO_SEARCHES,
    FoundSearch,
    decode_found,
    decode_moves,
    line_moves,
    side_nodes,
)

_ADJUDICATED = (
    EndReason.TABLEBASE_ADJUDICATION,
    EndReason.RESIGN_ADJUDICATION,
    EndReason.DRAW_ADJUDICATION,
    EndReason.MAX_LENGTH,
)
_FORFEITS = (EndReason.TIME_FORFEIT, EndReason.ILLEGAL_MOVE, EndReason.ENGINE_FAILURE)


class ReplayMismatch(OperationFailed):
    """A stored game contradicts its moves."""


def replay_game(
    game: GameRecord,
    adjudication: Adjudication | None = None,
    limits: Limits | None = None,
    opening: OpeningRecord | None = None,
) -> Board:
    """Play the stored moves and give the board after them.

    Raises ReplayMismatch if a move is illegal, if the game should have ended earlier or should
    continue after its last move, if result or end reason differ, or if its nodes are not those of
    its searches. ``adjudication``: the rules of the game's event; without them a stored
    adjudication is accepted, as is one by tablebases that this machine does not have. ``limits``:
    White's and Black's; without them the game's key is not checked. ``opening``: the line of a book
    whose moves the players knew. For an imported game, whose
    program may end games by other rules, only moves, mates, stalemates and nodes are checked.
    """
    if game.backend == IMPORTED_BACKEND:
        return _replay_imported(game)
    try:
        moves = decode_moves(game.moves, game.moves_version)
        if game.search_version == NO_SEARCHES:
            raise ValueError(f"search data of version {NO_SEARCHES} of a game that was played here")
        searches = decode_found(game.search_data, game.plies, game.search_version)
        board = _start(game) if opening is None else _after(game, opening)
        stored = GameOutcome(game.result, EndReason(game.end_reason))
    except ValueError as error:
        raise ReplayMismatch(f"game {game.id}: {error}") from error
    if len(moves) != game.plies:
        raise ReplayMismatch(f"game {game.id}: {len(moves)} moves for {game.plies} plies")
    judge = None if adjudication is None else Adjudicator(adjudication, board)
    tablebases = None if adjudication is None else adjudication.tablebases
    lacking = tablebases is not None and not tablebases.are_here()
    if lacking:
        tablebases = None
    natural: GameOutcome | None = None
    outcome: GameOutcome | None = None
    for ply, (code, search) in enumerate(zip(moves, searches, strict=True), 1):
        if outcome is not None:
            raise ReplayMismatch(f"game {game.id}: was over before ply {ply} ({outcome.reason})")
        white_moved = board.white_to_move
        _push(game, board, ply, code)
        verdict = None if judge is None else judge.judge(white_moved, search.value)
        if tablebases is not None:
            verdict = by_tables(tablebases, board) or verdict
        ended = board.ending()
        natural = None if ended is None else outcome_of(ended)
        outcome = natural or verdict
    if outcome is None and stored.reason in _FORFEITS:
        outcome = win_for(not board.white_to_move, stored.reason)
    elif outcome is None and judge is None and stored.reason in _ADJUDICATED:
        outcome = stored
    elif lacking and natural is None and stored.reason is EndReason.TABLEBASE_ADJUDICATION:
        outcome = stored  # tables come before the other rules
    if outcome != stored:
        found = "goes on" if outcome is None else f"ended {outcome.result} by {outcome.reason}"
        raise ReplayMismatch(
            f"game {game.id}: stored as {stored.result} by {stored.reason}, but its moves say "
            f"that it {found}"
        )
    _check_nodes(game, searches)
    _check_key(game, limits, "" if opening is None else history_of(opening))
    return board


def _start(game: GameRecord) -> Board:
    """Where the game starts. Raises ReplayMismatch."""
    try:
        return rules_of_moves(game.moves_version).replay(game.start_fen)
    except ValueError as error:
        raise ReplayMismatch(
            f"game {game.id}: `{game.start_fen[:80]}`, where it starts, is not a position"
        ) from error


def _after(game: GameRecord, opening: OpeningRecord) -> Board:
    """The board after the moves of the opening. Raises ReplayMismatch."""
    rules = rules_of_moves(game.moves_version)
    board = rules.replay(opening.start_fen)
    for ply, code in enumerate(line_moves(opening, rules), 1):
        _push(game, board, ply, code)
    if board.text() != game.start_fen:
        raise ReplayMismatch(f"game {game.id}: it does not start after line {opening.line}")
    return board


def _check_nodes(game: GameRecord, searches: Sequence[FoundSearch]) -> None:
    starter, other = (side_nodes(searches[side::2]) for side in (0, 1))
    white_starts = _start(game).white_to_move
    found = (starter, other) if white_starts else (other, starter)
    if found != (game.white_nodes, game.black_nodes):
        raise ReplayMismatch(
            f"game {game.id}: {game.white_nodes} and {game.black_nodes} nodes are stored, its "
            f"searches say {found[0]} and {found[1]}"
        )


def _check_key(game: GameRecord, limits: Limits | None, history: str) -> None:
    if limits is None or game.game_key is None:
        return  # imported, or of engines that need not repeat their games
    if game.game_key != key_of(game, limits, history):
        raise ReplayMismatch(f"game {game.id}: its key is not that of its players and moves")


def _push(game: GameRecord, board: Board, ply: int, code: int) -> None:
    """Play a stored move. Raises ReplayMismatch."""
    if not board.push(code):
        try:
            name = rules_of_moves(game.moves_version).move_name(code)
        except (ValueError, IndexError):
            raise ReplayMismatch(f"game {game.id}: ply {ply} is not a move ({code:#06x})") from None
        raise ReplayMismatch(f"game {game.id}: ply {ply}, {name}, is illegal")


def _replay_imported(game: GameRecord) -> Board:
    try:
        moves = decode_moves(game.moves, game.moves_version)
        searches = decode_found(game.search_data, len(moves), game.search_version)
        board = rules_of_moves(game.moves_version).replay(game.start_fen)
    except ValueError as error:
        raise ReplayMismatch(f"game {game.id}: {error}") from error
    if moves and len(moves) != game.plies:
        raise ReplayMismatch(f"game {game.id}: {len(moves)} moves for {game.plies} plies")
    for ply, code in enumerate(moves, 1):
        _push(game, board, ply, code)
    ended = board.ending()
    if ended is not None and ended.reason == EndReason.CHECKMATE:
        if outcome_of(ended).result != game.result:
            raise ReplayMismatch(
                f"game {game.id}: stored as {game.result}, but its moves end in mate"
            )
    elif ended is not None and ended.reason == EndReason.STALEMATE and game.result != DRAW:
        raise ReplayMismatch(f"game {game.id}: stored as {game.result}, but it ends in stalemate")
    _check_nodes(game, searches)
    return board
