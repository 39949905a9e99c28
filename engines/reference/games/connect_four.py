"""The evaluation of Connect Four, and what a search asks of the game; the same as in the core."""

from __future__ import annotations

from collections.abc import Sequence

from engines.rules.connect_four import WAYS, ConnectFourPosition, has_four
from engines.spec import MATE

LINE = 4
"""What each of the 69 lines is worth to each disc on it, in centipawns."""
THREE = 60
TWO = 12
"""What a line of so many own discs without one of the opponent is worth in the full evaluation."""


class ConnectFour:
    """Evaluation and ordering of Connect Four for a reference search."""

    reversible_limit: int | None = None
    """No position comes twice."""

    def __init__(self, evaluation: str) -> None:
        """Count lines, and for ``full`` those that are still open."""
        self._full = evaluation == "full"

    def value(self, position: ConnectFourPosition) -> int:
        """The static value for the side to move, neither rounded nor with a swing."""
        own, other = position.own, position.other
        value = LINE * (_lines_of(own) - _lines_of(other))
        if self._full:
            value += _open_lines(own, other) - _open_lines(other, own)
        return value

    def is_forced(self, position: ConnectFourPosition) -> bool:
        """Only where the game is over."""
        return position.ending() is not None

    def captures(self, position: ConnectFourPosition) -> Sequence[int]:
        """Nothing is taken."""
        return ()

    def promise(self, position: ConnectFourPosition, move: int) -> int:
        """All moves are quiet."""
        return 0

    def terminal_value(self, position: ConnectFourPosition) -> int:
        """Lost, or drawn on a full board."""
        return -MATE if has_four(position.other) else 0


def _lines_of(discs: int) -> int:
    """How many lines run through the squares of these discs, each counted for each disc on it."""
    return sum(
        (discs >> place * distance & starts).bit_count()
        for distance, starts in WAYS
        for place in range(4)
    )


def _open_lines(own: int, other: int) -> int:
    """What the lines are worth in which one side has two or three discs and the other none."""
    total = 0
    for distance, starts in WAYS:
        for start in range(starts.bit_length()):
            line = sum(1 << start + place * distance for place in range(4))
            if starts >> start & 1 and not other & line:
                total += {3: THREE, 2: TWO}.get((own & line).bit_count(), 0)
    return total
