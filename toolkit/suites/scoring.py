"""How a search of a position with a known answer went."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engines.spec import MATE
from toolkit.suites.positions import Answer


class Step(Struct, frozen=True):
    """What an engine reported at one depth."""

    depth: int
    value: int | None
    move: str
    nodes: int
    """All nodes so far."""
    wall_us: int
    """Time so far."""


class Score(Struct, frozen=True):
    """How a search went."""

    solved: bool
    points: int | None
    """None without points for moves."""
    solution: Step | None
    """The first report from which the engine had the answer to the end; None unless solved."""


def score(answer: Answer, steps: Sequence[Step]) -> Score:
    """Judge a search by its reports in order, the last one of which has the move that was played.

    The position is solved if that move is right. The solution is the first report from which every
    later one is right, too: an answer that was found, dropped and found again counts from the last
    time on.
    """
    points = None if answer.points is None else answer.points.get(steps[-1].move, 0)
    first = len(steps)
    while first and is_right(answer, steps[first - 1]):
        first -= 1
    solved = first < len(steps)
    return Score(solved, points, steps[first] if solved else None)


def is_right(answer: Answer, step: Step) -> bool:
    """Whether move and value meet every condition of the answer."""
    if answer.best and step.move not in answer.best:
        return False
    if step.move in answer.avoid:
        return False
    if answer.mate is not None:
        return step.value is not None and step.value >= MATE - (2 * answer.mate - 1)
    if answer.points is not None and not answer.best and not answer.avoid:
        return answer.points.get(step.move, 0) == max(answer.points.values())
    return True
