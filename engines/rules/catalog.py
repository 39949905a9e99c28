"""All games: the one list of their rules in Python."""

from __future__ import annotations

from engines.errors import PositionError
from engines.rules import chess, connect_four, draughts, othello
from engines.rules.board import Rules

ALL: tuple[Rules, ...] = (
    chess.STANDARD,
    chess.CHESS960,
    othello.RULES,
    draughts.RULES,
    connect_four.RULES,
)
"""In the order of the parameter ``game``; the first one of a game is what its name means."""


def rules_of(game: str, *, chess960: bool = False) -> Rules:
    """The rules of a game by the name that the parameter ``game`` has. Raises PositionError for
    Chess960 of another game than chess."""
    for rules in ALL:
        if rules.game == game and rules.chess960 == chess960:
            return rules
    raise PositionError(f"{game} has no Chess960: leave out --chess960")


def rules_of_moves(version: int) -> Rules:
    """The rules of a stored game by the version of its moves. Raises ValueError."""
    for rules in ALL:
        if rules.moves_version == version:
            return rules
    raise ValueError(f"moves of version {version}, which this mtdf does not know")
