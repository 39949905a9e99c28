"""A game for the viewer: positions, moves and searches, in columns to keep a page small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolkit.reports.games import PgnTexts, game_problems, game_row, list_moves, position_at

if TYPE_CHECKING:
    from db.records import GameRecord
    from db.session import Database

_COLUMNS = ("uci", "san", "value", "depth", "nodes", "passes", "time_us")
"""Fields of a move that the viewer shows."""
LISTED = (
    *("id", "white", "black", "result", "end_reason", "plies", "pairing", "pair", "game"),
    *("counted", "started_at"),
)
"""Fields of a row of ``games`` that a list of games needs."""


def game_data(db: Database, game: GameRecord, event_key: str, texts: PgnTexts) -> dict[str, Any]:
    """A game: its row as ``games`` prints it without ``moves``, its problems, PGN, the FEN of each
    position, and a list for each field of its moves."""
    row = dict(game_row(game, event_key))
    del row["moves"]
    moves = list_moves(game)
    board = position_at(game, 0)
    fens = [board.fen()]
    for move in moves:
        board.push_uci(move["uci"])
        fens.append(board.fen())
    return row | {
        "problems": game_problems(db, game),
        "pgn": texts.text(game),
        "fens": fens,
        "moves": {name: [move[name] for move in moves] for name in _COLUMNS},  # type: ignore[literal-required]
    }
