"""A game for the viewer: positions, moves and searches, in columns to keep a page small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import structs

from engines.rules.catalog import ALL, rules_of_moves
from toolkit.base.format import format_value
from toolkit.referee.searchdata import decode_moves
from toolkit.reports.games import (
    PgnTexts,
    game_lines,
    game_problems,
    game_row,
    list_moves,
    position_at,
)
from toolkit.show.charts.game import edge_of
from toolkit.show.tables.games import said_of_move

if TYPE_CHECKING:
    from db.records.games import GameRecord
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
    has those of the players of its event, by label), its problems, PGN, the text of each position,
    and a list for each field of its moves; ``told`` of them is the value as tables have it.

    Its board: ``look`` (a name of :func:`looks`), the ``squares`` before the first move, the
    ``changes`` by each move, such as ``52. 36P``, the ``marks`` of each, the squares that it
    concerns, and the plies after which a king is in check. ``first``: of the first move, whether
    White makes it, its number, and whether that begins with it. ``lines``: what external engines
    printed of each move, in words; empty if they printed nothing. ``tally``: the points at its end
    (:meth:`Board.tally`). ``edge``: the greatest value that the graph draws as it is.
    """
    row = structs.asdict(game_row(game, event_key))
    del row["moves"]
    moves = list_moves(game, game_lines(db, game))
    board = position_at(game, 0)
    first = {
        "white": board.white_to_move,
        "number": board.number(),
        "begins": board.begins_number(),
    }
    fens, checks = [board.text()], [0] if board.is_check() else []
    start = squares = board.squares()
    changes, marks = [], []
    for move, code in zip(moves, decode_moves(game.moves, game.moves_version), strict=True):
        marks.append(" ".join(map(str, board.marked(code))))
        board.push(code)
        before, squares = squares, board.squares()
        changes.append(changes_of(before, squares))
        fens.append(board.text())
        if board.is_check():
            checks.append(move.ply)
    rules = rules_of_moves(game.moves_version)
    return row | {
        "tally": board.tally(),
        "edge": edge_of(rules, [move.value for move in moves]),
        "names": [shown.get(label, label) for label in (game.white, game.black)],
        "problems": game_problems(db, game),
        "pgn": texts.text(game),
        "look": rules.game,
        "first": first,
        "fens": fens,
        "squares": start,
        "changes": changes,
        "marks": marks,
        "checks": checks,
        "moves": {name: [getattr(move, name) for move in moves] for name in _COLUMNS}
        | {"told": [format_value(move.value) for move in moves]},
        "lines": [said_of_move(move) for move in moves] if any(map(said_of_move, moves)) else [],
    }


def looks() -> dict[str, Any]:
    """How the boards of all games are drawn, by the name of the game."""
    return {
        rules.game: {
            "title": rules.title,
            "columns": rules.look.columns,
            "squares": list(rules.look.squares),
            "pieces": {
                letter: structs.asdict(piece) for letter, piece in rules.look.pieces.items()
            },
            "checkered": rules.look.checkered,
            "numbered": rules.look.numbered,
        }
        for rules in reversed(ALL)
    }


def changes_of(before: str, after: str) -> str:
    """The places where two boards differ, each with what stands there now."""
    pairs = enumerate(zip(before, after, strict=True))
    return " ".join(f"{place}{now}" for place, (was, now) in pairs if was != now)
