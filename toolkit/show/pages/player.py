"""A recorded search for the player: its visits in columns, and what moves change on the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engines.rules.catalog import rules_of
from toolkit.show.pages.game import changes_of

if TYPE_CHECKING:
    from engines.rules.board import Board
    from toolkit.lab.recording import Recording

TREE = "tree"
"""The game of trees that were made by hand, which have no board."""


def player_data(recordings: Sequence[Recording], start: int = 0) -> dict[str, Any]:
    """What the player needs of one search, or of two of the same position. ``start``: the step, or
    of two searches the number of nodes, at which it stands first.

    ``board``: the ``look`` of the game, the ``squares`` of the root. ``changes`` of a search: for
    each visit the squares that the move to it changes, such as ``52. 36P``, as a place in ``of``;
    -1 where no move led to it. ``marks``: the squares of that move.
    """
    first = recordings[0]
    has_board = first.game != TREE
    board = rules_of(first.game).board(first.position) if has_board else None
    return {
        "start": start,
        "runs": [
            {"recording": one} | ({} if board is None else _moves_on_board(one))
            for one in recordings
        ],
        "board": None if board is None else {"look": first.game, "squares": board.squares()},
    }


def _moves_on_board(recording: Recording) -> dict[str, Any]:
    rules, visits = rules_of(recording.game), recording.visits
    changes, marks = dict[str, int](), dict[str, int]()
    told: dict[tuple[int, int], tuple[int, int]] = {}  # of a position and a move
    places = list[tuple[int, int]]()

    def played(row: int) -> Board:
        """The board before the move to a visit."""
        line = list[str]()
        above = visits.parent[row]
        while above >= 0:
            if visits.move[above] >= 0:
                line.append(recording.moves[visits.move[above]])
            above = visits.parent[above]
        board = rules.board(recording.position)
        for move in reversed(line):
            board.push(rules.move_code(move))
        return board

    for row, (above, move) in enumerate(zip(visits.parent, visits.move, strict=True)):
        if move < 0:
            places.append((-1, -1))
            continue
        key = (visits.position[above] if above >= 0 else -1, move)
        if key not in told:
            board, code = played(row), rules.move_code(recording.moves[move])
            before, marked = board.squares(), " ".join(map(str, board.marked(code)))
            board.push(code)
            changed = changes_of(before, board.squares())
            told[key] = (
                changes.setdefault(changed, len(changes)),
                marks.setdefault(marked, len(marks)),
            )
        places.append(told[key])
    return {
        "changes": {"of": list(changes), "at": [one for one, _ in places]},
        "marks": {"of": list(marks), "at": [one for _, one in places]},
    }
