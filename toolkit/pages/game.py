"""A game for the viewer: positions, moves and searches, in columns to keep a page small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.base.format import format_value
from toolkit.games.searchdata import decode_moves
from toolkit.reports.games import PgnTexts, game_problems, game_row, list_moves, position_at

if TYPE_CHECKING:
    from db.records import GameRecord
    from db.session import Database

_COLUMNS = ("uci", "san", "value", "depth", "nodes", "passes", "time_us")
"""Fields of a move that the viewer shows."""
LISTED = (
    *("id", "white", "black", "result", "end_reason", "plies", "pairing", "pair", "game"),
    "counted",
)
"""Fields of a row of ``games`` that a list of games needs."""


def game_data(
    db: Database, game: GameRecord, event_key: str, shown: Mapping[str, str], texts: PgnTexts
) -> dict[str, Any]:
    """A game: its row as ``games`` prints it without ``moves``, the names of both sides (``shown``
    has those of the players of its event, by label), its problems, PGN, the FEN of each
    position, the plies after which a king is in check, and a list for each field of its moves;
    ``told`` of them is the value as tables have it."""
    row = dict(game_row(game, event_key))
    del row["moves"]
    moves = list_moves(game)
    board = position_at(game, 0)
    fens, checks = [board.text()], [0] if board.is_check() else []
    for move, code in zip(moves, decode_moves(game.moves, game.moves_version), strict=True):
        board.push(code)
        fens.append(board.text())
        if board.is_check():
            checks.append(move["ply"])
    return row | {
        "names": [shown.get(label, label) for label in (game.white, game.black)],
        "problems": game_problems(db, game),
        "pgn": texts.text(game),
        "fens": fens,
        "checks": checks,
        "moves": {name: [move[name] for move in moves] for name in _COLUMNS}  # type: ignore[literal-required]
        | {"told": [format_value(move["value"]) for move in moves]},
    }
